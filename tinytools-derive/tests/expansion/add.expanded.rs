/// Add two numbers.
fn add(a: i64, b: i64) -> i64 {
    a + b
}
/// Add two numbers.
#[derive(::core::clone::Clone, ::core::marker::Copy)]
#[derive(::core::fmt::Debug, ::core::default::Default)]
struct AddTool;
const _: () = {
    use ::tinytools::__private as _tinytools;
    use _tinytools::kinds::*;
    static __INPUT: _tinytools::Input = _tinytools::Input::new(|| _tinytools::vec([
        _tinytools::param::<i64>("a"),
        _tinytools::param::<i64>("b"),
    ]));
    impl AddTool {
        /// The name a model calls the tool by.
        const NAME: &'static str = "add";
    }
    #[automatically_derived]
    impl _tinytools::Tool for AddTool {
        fn name(&self) -> &str {
            Self::NAME
        }
        fn description(&self) -> &str {
            "Add two numbers."
        }
        fn parameters_schema(&self) -> _tinytools::Value {
            __INPUT.schema()
        }
        fn output_schema(&self) -> _tinytools::Option<_tinytools::Value> {
            _tinytools::returned::<i64>().halves().schema()
        }
        fn execute<'a: 'call, 'call>(
            &'a self,
            args: _tinytools::Value,
        ) -> _tinytools::Execution<'call> {
            _tinytools::execute(self, args, _tinytools::None)
        }
        fn __call<'c>(&'c self, call: _tinytools::Call<'c>) -> _tinytools::Called<'c> {
            let halves = _tinytools::returned::<i64>().halves();
            halves
                .run_now(
                    &__INPUT,
                    call.args,
                    halves.way::<i64>(),
                    halves.cause::<i64>(),
                    move |(a, b)| { _tinytools::Ok(add(a, b)) },
                )
        }
    }
};

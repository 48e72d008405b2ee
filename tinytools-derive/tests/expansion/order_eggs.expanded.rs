/// Order eggs.
async fn order_eggs(
    eggs: u32,
    discount: f64,
    name: String,
    phones: Vec<String>,
    vehicle: String,
) -> Result<Receipt, ToolError> {
    shop().order(eggs, discount, name, phones, vehicle).await
}
/// Order eggs.
#[derive(::core::clone::Clone, ::core::marker::Copy)]
#[derive(::core::fmt::Debug, ::core::default::Default)]
struct OrderEggsTool;
const _: () = {
    use ::tinytools::__private as _tinytools;
    use _tinytools::kinds::*;
    static __INPUT: _tinytools::Input = _tinytools::Input::new(|| _tinytools::vec([
        _tinytools::param::<u32>("eggs")
            .minimum(_tinytools::Number::Int(6))
            .maximum(_tinytools::Number::Int(60))
            .multiple_of(_tinytools::Number::Int(6))
            .examples(|| _tinytools::values::<u32, 2usize>([6, 12])),
        _tinytools::param::<f64>("discount")
            .exclusive_minimum(_tinytools::Number::Float(0.0))
            .exclusive_maximum(_tinytools::Number::Int(1)),
        _tinytools::param::<String>("name")
            .min_length(2)
            .max_length(40)
            .pattern("^[A-Z]")
            .default(|| -> String { _tinytools::From::from("Ada") }),
        _tinytools::param::<Vec<String>>("phones").min_items(1).max_items(2),
        _tinytools::param::<String>("by")
            .description(BY)
            .choices(|| _tinytools::values::<&str, 2usize>(["van", "bike"])),
    ]));
    impl OrderEggsTool {
        /// The name a model calls the tool by.
        const NAME: &'static str = "order_eggs";
    }
    #[automatically_derived]
    impl _tinytools::Tool for OrderEggsTool {
        fn name(&self) -> &str {
            Self::NAME
        }
        fn description(&self) -> &str {
            "Order eggs."
        }
        fn parameters_schema(&self) -> _tinytools::Value {
            __INPUT.schema()
        }
        fn output_schema(&self) -> _tinytools::Option<_tinytools::Value> {
            _tinytools::returned::<Result<Receipt, ToolError>>().halves().schema()
        }
        fn policy(&self) -> _tinytools::ToolPolicy {
            let mut policy = _tinytools::ToolPolicy::classified();
            policy.side_effects.external_service = true;
            policy.side_effects.payment = true;
            policy
        }
        fn external_effect(&self) -> bool {
            true
        }
        fn permission_level(&self) -> _tinytools::PermissionLevel {
            _tinytools::PermissionLevel::Dangerous
        }
        fn execute<'a: 'call, 'call>(
            &'a self,
            args: _tinytools::Value,
        ) -> _tinytools::Execution<'call> {
            _tinytools::execute(self, args, _tinytools::None)
        }
        fn __call<'c>(&'c self, call: _tinytools::Call<'c>) -> _tinytools::Called<'c> {
            let halves = _tinytools::returned::<Result<Receipt, ToolError>>().halves();
            halves
                .run5(
                    &__INPUT,
                    call.args,
                    halves.way::<Result<Receipt, ToolError>>(),
                    halves.cause::<_tinytools::Result<(), ToolError>>(),
                    order_eggs,
                )
        }
    }
};

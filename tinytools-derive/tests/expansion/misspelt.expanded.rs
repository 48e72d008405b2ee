::core::compile_error! {
    "unknown `tool` argument `nam`; there is an argument with a similar name: `name`"
}
::core::compile_error! {
    "a timeout of 0 ms lets no call finish; write `timeout = Unbounded` or a longer one"
}
/// Find documents.
pub async fn search(index: &Index, query: String) -> Vec<String> {
    index.find(&query)
}
/// Find documents.
#[derive(::core::clone::Clone, ::core::marker::Copy)]
#[derive(::core::fmt::Debug, ::core::default::Default)]
pub struct SearchTool;
const _: () = {
    use ::tinytools::__private as _tinytools;
    impl SearchTool {
        /// The name a model calls the tool by.
        pub const NAME: &'static str = "search";
    }
    #[automatically_derived]
    impl _tinytools::Tool for SearchTool {
        fn name(&self) -> &str {
            Self::NAME
        }
        fn description(&self) -> &str {
            Self::NAME
        }
        fn parameters_schema(&self) -> _tinytools::Value {
            _tinytools::Value::Null
        }
        fn execute<'a: 'call, 'call>(
            &'a self,
            args: _tinytools::Value,
        ) -> _tinytools::Execution<'call> {
            _tinytools::execute(self, args, _tinytools::None)
        }
    }
};

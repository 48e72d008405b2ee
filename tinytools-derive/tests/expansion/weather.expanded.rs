/// Look up the weather for a city.
pub async fn weather(
    units: &Units,
    ctx: &dyn ToolRunContext,
    city: String,
    days: u8,
) -> Result<String, String> {
    forecast(units, ctx, &city, days).await
}
/// Look up the weather for a city.
#[derive(::core::clone::Clone, ::core::marker::Copy)]
#[derive(::core::fmt::Debug, ::core::default::Default)]
pub struct WeatherTool;
const _: () = {
    use ::tinytools::__private as _tinytools;
    use _tinytools::kinds::*;
    static __INPUT: _tinytools::Input = _tinytools::Input::new(|| _tinytools::vec([
        _tinytools::param::<String>("city")
            .description("City name, for example \"Oslo\"."),
        _tinytools::param::<u8>("days")
            .minimum(_tinytools::Number::Int(1))
            .maximum(_tinytools::Number::Int(14))
            .default(|| -> u8 { 3 }),
    ]));
    impl WeatherTool {
        /// The name a model calls the tool by.
        pub const NAME: &'static str = "weather";
    }
    #[automatically_derived]
    impl _tinytools::Tool for WeatherTool {
        fn name(&self) -> &str {
            Self::NAME
        }
        fn description(&self) -> &str {
            "Look up the weather for a city."
        }
        fn parameters_schema(&self) -> _tinytools::Value {
            __INPUT.schema()
        }
        fn output_schema(&self) -> _tinytools::Option<_tinytools::Value> {
            _tinytools::returned::<Result<String, String>>().halves().schema()
        }
        fn policy(&self) -> _tinytools::ToolPolicy {
            let mut policy = _tinytools::ToolPolicy::read_only();
            policy.runtime.timeout_ms = _tinytools::Some(5000);
            policy
        }
        fn injected(&self) -> _tinytools::Vec<_tinytools::Injected> {
            _tinytools::vec([
                _tinytools::borrowed::<Units>("units").declare(),
                _tinytools::dynamic::<dyn ToolRunContext>("ctx").declare(),
            ])
        }
        fn is_concurrency_safe(&self, _: &_tinytools::Value) -> bool {
            true
        }
        fn execute<'a: 'call, 'call>(
            &'a self,
            args: _tinytools::Value,
        ) -> _tinytools::Execution<'call> {
            _tinytools::execute(self, args, _tinytools::None)
        }
        fn execute_with_context<'a: 'call, 'ctx: 'call, 'call>(
            &'a self,
            args: _tinytools::Value,
            _: _tinytools::ToolCallOptions,
            ctx: _tinytools::Option<&'ctx dyn _tinytools::ToolRunContext>,
        ) -> _tinytools::Execution<'call> {
            _tinytools::execute(self, args, ctx)
        }
        fn __call<'c>(&'c self, call: _tinytools::Call<'c>) -> _tinytools::Called<'c> {
            let halves = _tinytools::returned::<Result<String, String>>().halves();
            halves
                .run(
                    &__INPUT,
                    call.args,
                    halves.way::<Result<String, String>>(),
                    halves.cause::<_tinytools::Result<(), String>>(),
                    move |(city, days)| {
                        _tinytools::Ok(
                            weather(
                                _tinytools::borrowed::<Units>("units")
                                    .required(call.ctx, Self::NAME)?,
                                _tinytools::dynamic::<dyn ToolRunContext>("ctx")
                                    .required(call.ctx, Self::NAME)?,
                                city,
                                days,
                            ),
                        )
                    },
                )
        }
    }
};

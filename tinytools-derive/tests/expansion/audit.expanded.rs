/// Audit the accounts.
async fn audit(
    ledger: &Ledger,
    store: &dyn Store,
    clock: Arc<dyn Clock>,
    key: Key,
    limit: Option<&Limit>,
    region: Option<Region>,
    _: &Permit,
) {
    ledger.audit(store, clock, key, limit, region).await;
}
/// Audit the accounts.
#[derive(::core::clone::Clone, ::core::marker::Copy)]
#[derive(::core::fmt::Debug, ::core::default::Default)]
struct AuditTool;
const _: () = {
    use ::tinytools::__private as _tinytools;
    use _tinytools::kinds::*;
    static __INPUT: _tinytools::Input = _tinytools::Input::new(|| _tinytools::vec([]));
    impl AuditTool {
        /// The name a model calls the tool by.
        const NAME: &'static str = "audit";
    }
    #[automatically_derived]
    impl _tinytools::Tool for AuditTool {
        fn name(&self) -> &str {
            Self::NAME
        }
        fn description(&self) -> &str {
            "Audit the accounts."
        }
        fn parameters_schema(&self) -> _tinytools::Value {
            __INPUT.schema()
        }
        fn output_schema(&self) -> _tinytools::Option<_tinytools::Value> {
            _tinytools::returned::<()>().halves().schema()
        }
        fn policy(&self) -> _tinytools::ToolPolicy {
            _tinytools::ToolPolicy::read_only()
        }
        fn injected(&self) -> _tinytools::Vec<_tinytools::Injected> {
            _tinytools::vec([
                _tinytools::borrowed::<Ledger>("ledger").declare(),
                _tinytools::dynamic::<dyn Store>("store").declare(),
                _tinytools::owned::<Arc<dyn Clock>>("clock").declare(),
                _tinytools::owned::<Key>("key").declare(),
                _tinytools::borrowed::<Limit>("limit").declare_optional(),
                _tinytools::owned::<Region>("region").declare_optional(),
                _tinytools::borrowed::<Permit>("_").declare(),
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
            let halves = _tinytools::returned::<()>().halves();
            halves
                .run(
                    &__INPUT,
                    call.args,
                    halves.way::<()>(),
                    halves.cause::<()>(),
                    move |()| {
                        _tinytools::Ok(
                            audit(
                                _tinytools::borrowed::<Ledger>("ledger")
                                    .required(call.ctx, Self::NAME)?,
                                _tinytools::dynamic::<dyn Store>("store")
                                    .required(call.ctx, Self::NAME)?,
                                _tinytools::owned::<Arc<dyn Clock>>("clock")
                                    .required(call.ctx, Self::NAME)?,
                                _tinytools::owned::<Key>("key")
                                    .required(call.ctx, Self::NAME)?,
                                _tinytools::borrowed::<Limit>("limit").optional(call.ctx),
                                _tinytools::owned::<Region>("region").optional(call.ctx),
                                _tinytools::borrowed::<Permit>("_")
                                    .required(call.ctx, Self::NAME)?,
                            ),
                        )
                    },
                )
        }
    }
};

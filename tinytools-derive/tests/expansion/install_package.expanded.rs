/// Install a package.
async fn install_package(package: String, token: String) -> anyhow::Result<()> {
    registry(&token).install(&package).await
}
/// Install a package.
#[derive(::core::clone::Clone, ::core::marker::Copy)]
#[derive(::core::fmt::Debug, ::core::default::Default)]
struct Installer;
const _: () = {
    use ::renamed::__private as _tinytools;
    use _tinytools::kinds::*;
    static __INPUT: _tinytools::Input = _tinytools::Input::new(|| _tinytools::vec([
        _tinytools::param::<String>("package"),
        _tinytools::param::<String>("token").redacted(),
    ]));
    impl Installer {
        /// The name a model calls the tool by.
        const NAME: &'static str = "install";
    }
    #[automatically_derived]
    impl _tinytools::Tool for Installer {
        fn name(&self) -> &str {
            Self::NAME
        }
        fn description(&self) -> &str {
            "Install a package."
        }
        fn parameters_schema(&self) -> _tinytools::Value {
            __INPUT.schema()
        }
        fn output_schema(&self) -> _tinytools::Option<_tinytools::Value> {
            _tinytools::returned::<anyhow::Result<()>>().halves().schema()
        }
        fn policy(&self) -> _tinytools::ToolPolicy {
            let mut policy = _tinytools::ToolPolicy::classified();
            policy.side_effects.writes_files = true;
            policy.side_effects.network = true;
            policy.side_effects.installs_dependencies = true;
            policy.side_effects.runs_processes = true;
            policy.runtime.sandbox = _tinytools::SandboxMode::Required;
            policy.runtime.max_result_bytes = _tinytools::Some(10_000);
            policy.runtime.timeout = _tinytools::Some(
                _tinytools::ToolTimeout::Unbounded,
            );
            policy.runtime.max_retries = 2;
            policy.runtime.idempotent = true;
            policy.access.workspace = _tinytools::WorkspaceAccess::Scoped;
            policy.access.trusted_roots = _tinytools::strings(&["/opt/cache"]);
            policy.access.credentials = _tinytools::strings(&["registry"]);
            policy.access.approval_required = true;
            policy.access.redact = _tinytools::strings(&["token"]);
            policy.display.label = _tinytools::Some(_tinytools::String::from("Install"));
            policy
        }
        fn timeout_policy(&self, _: &_tinytools::Value) -> _tinytools::ToolTimeout {
            _tinytools::ToolTimeout::Unbounded
        }
        fn permission_level(&self) -> _tinytools::PermissionLevel {
            _tinytools::PermissionLevel::Execute
        }
        fn exposure(&self) -> _tinytools::ToolExposure {
            _tinytools::ToolExposure::Deferred
        }
        fn max_result_size_chars(&self) -> _tinytools::Option<usize> {
            _tinytools::Some(9_000)
        }
        fn family(&self) -> _tinytools::Option<&str> {
            _tinytools::Some("packages")
        }
        fn tags(&self) -> _tinytools::Vec<_tinytools::String> {
            _tinytools::strings(&["packages", "slow"])
        }
        fn execute<'a: 'call, 'call>(
            &'a self,
            args: _tinytools::Value,
        ) -> _tinytools::Execution<'call> {
            _tinytools::execute(self, args, _tinytools::None)
        }
        fn __call<'c>(&'c self, call: _tinytools::Call<'c>) -> _tinytools::Called<'c> {
            let halves = _tinytools::returned::<anyhow::Result<()>>().halves();
            halves
                .run2(
                    &__INPUT,
                    call.args,
                    halves.way::<anyhow::Result<()>>(),
                    halves.cause::<anyhow::Result<()>>(),
                    install_package,
                )
        }
    }
};

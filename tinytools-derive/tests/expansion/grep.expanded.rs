/// Find words in files.
pub(crate) fn grep(
    mut root: &Path,
    words: &[String],
    flags: Option<&str>,
    within: Option<&Path>,
    r#type: Option<String>,
) -> Vec<Hit> {
    root = within.unwrap_or(root);
    search(root, words, flags, r#type)
}
/// Find words in files.
#[derive(::core::clone::Clone, ::core::marker::Copy)]
#[derive(::core::fmt::Debug, ::core::default::Default)]
pub(crate) struct GrepTool;
const _: () = {
    use ::tinytools::__private as _tinytools;
    use _tinytools::kinds::*;
    static __INPUT: _tinytools::Input = _tinytools::Input::new(|| _tinytools::vec([
        _tinytools::param::<_tinytools::PathBuf>("root"),
        _tinytools::param::<_tinytools::Vec<String>>("words"),
        _tinytools::param::<_tinytools::Option<_tinytools::String>>("flags"),
        _tinytools::param::<_tinytools::Option<_tinytools::PathBuf>>("within"),
        _tinytools::param::<Option<String>>("type"),
    ]));
    impl GrepTool {
        /// The name a model calls the tool by.
        pub(crate) const NAME: &'static str = "grep";
    }
    #[automatically_derived]
    impl _tinytools::Tool for GrepTool {
        fn name(&self) -> &str {
            Self::NAME
        }
        fn description(&self) -> &str {
            "Find words in files."
        }
        fn parameters_schema(&self) -> _tinytools::Value {
            __INPUT.schema()
        }
        fn output_schema(&self) -> _tinytools::Option<_tinytools::Value> {
            _tinytools::returned::<Vec<Hit>>().halves().schema()
        }
        fn policy(&self) -> _tinytools::ToolPolicy {
            let mut policy = _tinytools::ToolPolicy::read_only();
            policy.access.workspace = _tinytools::WorkspaceAccess::Scoped;
            policy
        }
        fn is_concurrency_safe(&self, _: &_tinytools::Value) -> bool {
            true
        }
        fn is_blocking(&self) -> bool {
            true
        }
        fn execute<'a: 'call, 'call>(
            &'a self,
            args: _tinytools::Value,
        ) -> _tinytools::Execution<'call> {
            _tinytools::execute(self, args, _tinytools::None)
        }
        fn __call<'c>(&'c self, call: _tinytools::Call<'c>) -> _tinytools::Called<'c> {
            let halves = _tinytools::returned::<Vec<Hit>>().halves();
            halves
                .run_now(
                    &__INPUT,
                    call.args,
                    halves.way::<Vec<Hit>>(),
                    halves.cause::<Vec<Hit>>(),
                    move |
                        (
                            root,
                            words,
                            flags,
                            within,
                            r#type,
                        ): (
                            _tinytools::PathBuf,
                            _tinytools::Vec<String>,
                            _tinytools::Option<_tinytools::String>,
                            _tinytools::Option<_tinytools::PathBuf>,
                            _,
                        )|
                    {
                        _tinytools::Ok(
                            grep(
                                &root,
                                &words,
                                flags.as_deref(),
                                within.as_deref(),
                                r#type,
                            ),
                        )
                    },
                )
        }
    }
};

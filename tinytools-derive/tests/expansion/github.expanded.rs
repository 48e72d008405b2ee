impl<C: Client> GitHub<C> {
    pub fn new(client: C) -> Self {
        Self { client }
    }
    /// Find issues.
    pub async fn search_issues(
        &self,
        query: String,
        limit: u8,
    ) -> Result<Vec<Issue>, Error> {
        self.client.search(&query, limit).await
    }
    /// Close an issue.
    pub async fn close_issue(&self, number: u64) -> Result<(), Error> {
        self.client.close(number).await
    }
}
const _: () = {
    use ::tinytools::__private as _tinytools;
    use _tinytools::kinds::*;
    #[automatically_derived]
    impl<C: Client> _tinytools::ToolOwner for GitHub<C>
    where
        GitHub<C>: _tinytools::SharedOwner,
    {
        fn owned_tools(
            owner: _tinytools::Arc<Self>,
        ) -> _tinytools::Vec<_tinytools::Arc<dyn _tinytools::Tool>> {
            let _ = &owner;
            _tinytools::vec([
                _tinytools::arc(__SearchIssuesTool(::core::clone::Clone::clone(&owner))),
                _tinytools::arc(__CloseIssueTool(::core::clone::Clone::clone(&owner))),
            ])
        }
    }
    struct __SearchIssuesTool<C: Client>(_tinytools::Arc<GitHub<C>>);
    const _: () = {
        static __INPUT: _tinytools::Input = _tinytools::Input::new(|| _tinytools::vec([
            _tinytools::param::<String>("query"),
            _tinytools::param::<u8>("limit")
                .maximum(_tinytools::Number::Int(100))
                .default(|| -> u8 { 30 }),
        ]));
        impl<C: Client> __SearchIssuesTool<C>
        where
            GitHub<C>: _tinytools::ToolOwner,
        {
            /// The name a model calls the tool by.
            const NAME: &'static str = "gh_search_issues";
        }
        #[automatically_derived]
        impl<C: Client> _tinytools::Tool for __SearchIssuesTool<C>
        where
            GitHub<C>: _tinytools::ToolOwner,
        {
            fn name(&self) -> &str {
                Self::NAME
            }
            fn description(&self) -> &str {
                "Find issues."
            }
            fn parameters_schema(&self) -> _tinytools::Value {
                __INPUT.schema()
            }
            fn output_schema(&self) -> _tinytools::Option<_tinytools::Value> {
                _tinytools::returned::<Result<Vec<Issue>, Error>>().halves().schema()
            }
            fn policy(&self) -> _tinytools::ToolPolicy {
                let mut policy = _tinytools::ToolPolicy::read_only();
                policy.side_effects.network = true;
                policy
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
            fn __call<'c>(
                &'c self,
                call: _tinytools::Call<'c>,
            ) -> _tinytools::Called<'c> {
                let halves = _tinytools::returned::<Result<Vec<Issue>, Error>>()
                    .halves();
                halves
                    .run(
                        &__INPUT,
                        call.args,
                        halves.way::<Result<Vec<Issue>, Error>>(),
                        halves.cause::<_tinytools::Result<(), Error>>(),
                        move |(query, limit)| {
                            _tinytools::Ok(
                                <GitHub<C>>::search_issues(&*self.0, query, limit),
                            )
                        },
                    )
            }
        }
    };
    struct __CloseIssueTool<C: Client>(_tinytools::Arc<GitHub<C>>);
    const _: () = {
        static __INPUT: _tinytools::Input = _tinytools::Input::new(|| _tinytools::vec([
            _tinytools::param::<u64>("number"),
        ]));
        impl<C: Client> __CloseIssueTool<C>
        where
            GitHub<C>: _tinytools::ToolOwner,
        {
            /// The name a model calls the tool by.
            const NAME: &'static str = "gh_close_issue";
        }
        #[automatically_derived]
        impl<C: Client> _tinytools::Tool for __CloseIssueTool<C>
        where
            GitHub<C>: _tinytools::ToolOwner,
        {
            fn name(&self) -> &str {
                Self::NAME
            }
            fn description(&self) -> &str {
                "Close an issue."
            }
            fn parameters_schema(&self) -> _tinytools::Value {
                __INPUT.schema()
            }
            fn output_schema(&self) -> _tinytools::Option<_tinytools::Value> {
                _tinytools::returned::<Result<(), Error>>().halves().schema()
            }
            fn policy(&self) -> _tinytools::ToolPolicy {
                let mut policy = _tinytools::ToolPolicy::classified();
                policy.side_effects.network = true;
                policy.side_effects.external_service = true;
                policy.access.approval_required = true;
                policy
            }
            fn external_effect(&self) -> bool {
                true
            }
            fn execute<'a: 'call, 'call>(
                &'a self,
                args: _tinytools::Value,
            ) -> _tinytools::Execution<'call> {
                _tinytools::execute(self, args, _tinytools::None)
            }
            fn __call<'c>(
                &'c self,
                call: _tinytools::Call<'c>,
            ) -> _tinytools::Called<'c> {
                let halves = _tinytools::returned::<Result<(), Error>>().halves();
                halves
                    .run(
                        &__INPUT,
                        call.args,
                        halves.way::<Result<(), Error>>(),
                        halves.cause::<_tinytools::Result<(), Error>>(),
                        move |(number,)| {
                            _tinytools::Ok(<GitHub<C>>::close_issue(&*self.0, number))
                        },
                    )
            }
        }
    };
};

#[toolbox(prefix = "gh", network)]
impl<C: Client> GitHub<C> {
    pub fn new(client: C) -> Self {
        Self { client }
    }

    /// Find issues.
    #[tool(read_only)]
    pub async fn search_issues(
        &self,
        query: String,
        #[arg(default = 30, maximum = 100)] limit: u8,
    ) -> Result<Vec<Issue>, Error> {
        self.client.search(&query, limit).await
    }

    /// Close an issue.
    #[tool(external_service, approval_required)]
    pub async fn close_issue(&self, number: u64) -> Result<(), Error> {
        self.client.close(number).await
    }
}

//! Tools over a web service as the methods of one type: a shared HTTP client, pages, a secret token that neither model nor
//! log sees, and a method that waits for a person's approval. An in-process server stands in for GitHub.

use std::io::{self, Write};
use std::time::Duration;

use reqwest::header::{LINK, RETRY_AFTER};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::{AgentHarness, RunContext};
use tinytools::serde_json::{self, Value, json};
use tinytools::{IntoTools, ToolError, anyhow, schemars, serde, toolbox};

use fake_github::FakeGitHub;

mod fake_github;

/// Issues are handed out so many at a time.
const PAGE: usize = 3;

/// One client for all calls: they share its connections.
pub(crate) struct GitHub {
    client: Client,
    url: String,
}

/// Which issues are meant.
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(crate = "tinytools::serde", rename_all = "snake_case")]
#[schemars(crate = "tinytools::schemars")]
pub(crate) enum State {
    Open,
    Closed,
    All,
}

/// An issue, as far as a model needs to know it.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(crate = "tinytools::serde")]
#[schemars(crate = "tinytools::schemars")]
pub(crate) struct Issue {
    number: u32,
    title: String,
    state: String,
    comments: u32,
}

/// A part of a list, and where it goes on.
#[derive(serde::Serialize, schemars::JsonSchema)]
#[serde(crate = "tinytools::serde")]
#[schemars(crate = "tinytools::schemars")]
pub(crate) struct Page<Item> {
    items: Vec<Item>,
    /// The page to ask for next; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page: Option<u32>,
}

#[toolbox(
    prefix = "gh",
    network,
    timeout_ms = 10_000,
    credentials("github_token")
)]
impl GitHub {
    pub(crate) fn new(client: Client, url: impl Into<String>) -> Self {
        Self {
            client,
            url: url.into(),
        }
    }

    /// List the issues of a repository, the newest first, a page at a time.
    #[tool(read_only, max_retries = 2)]
    async fn list_issues(
        &self,
        #[hidden] token: &SecretString,
        /// Owner and name, for example "acme/anvil".
        #[arg(pattern = r"^[\w.-]+/[\w.-]+$")]
        repository: &str,
        #[arg(default = State::Open)] state: State,
        /// `next_page` of the page before.
        #[arg(default = 1, minimum = 1)]
        page: u32,
    ) -> Result<Page<Issue>, ToolError> {
        let request = self
            .client
            .get(format!("{}/repos/{repository}/issues", self.url))
            .query(&[("state", json!(state).as_str().unwrap_or("open"))])
            .query(&[("per_page", PAGE)])
            .query(&[("page", page)]);
        let response = send(request, token).await?;
        let link = response.headers().get(LINK);
        let has_next = link.is_some_and(|link| {
            link.to_str()
                .is_ok_and(|link| link.contains(r#"rel="next""#))
        });
        Ok(Page {
            items: response.json().await.map_err(transient)?,
            next_page: has_next.then(|| page.saturating_add(1)),
        })
    }

    /// Comment on an issue.
    #[tool(external_service, redact("body"))]
    async fn comment(
        &self,
        #[hidden] token: &SecretString,
        #[arg(pattern = r"^[\w.-]+/[\w.-]+$")] repository: &str,
        number: u32,
        /// Markdown.
        #[arg(min_length = 1, max_length = 65_536)]
        body: &str,
    ) -> Result<String, ToolError> {
        let url = format!("{}/repos/{repository}/issues/{number}/comments", self.url);
        let request = self.client.post(url).json(&json!({ "body": body }));
        send(request, token).await?;
        Ok(format!("commented on #{number}"))
    }

    /// Close an issue.
    #[tool(external_service, destructive, idempotent, approval_required)]
    async fn close_issue(
        &self,
        #[hidden] token: &SecretString,
        #[arg(pattern = r"^[\w.-]+/[\w.-]+$")] repository: &str,
        number: u32,
    ) -> Result<Issue, ToolError> {
        let url = format!("{}/repos/{repository}/issues/{number}", self.url);
        let request = self.client.patch(url).json(&json!({ "state": "closed" }));
        send(request, token).await?.json().await.map_err(transient)
    }
}

/// Sends a request, and says of a failure who can do something about it: the model, the host by another try, or nobody.
async fn send(request: RequestBuilder, token: &SecretString) -> Result<Response, ToolError> {
    let request = request.bearer_auth(token.expose_secret());
    let response = request.send().await.map_err(transient)?;
    match response.status() {
        status if status.is_success() => Ok(response),
        StatusCode::NOT_FOUND => Err(ToolError::retry("there is no such repository or issue")),
        StatusCode::UNAUTHORIZED => Err(ToolError::fatal(anyhow::anyhow!("the token is refused"))),
        status if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() => {
            let busy = anyhow::anyhow!("the service answers {status}");
            Err(match seconds_to_wait(&response) {
                Some(wait) => ToolError::transient_after(busy, wait),
                None => ToolError::transient(busy),
            })
        }
        status => Err(ToolError::failed(format!("the service answers {status}"))),
    }
}

fn seconds_to_wait(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    Some(Duration::from_secs(seconds.parse().ok()?))
}

/// A fault on the way. A model has no use for the address of a service.
fn transient(error: reqwest::Error) -> ToolError {
    ToolError::transient(error.without_url())
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    run(&mut io::stdout().lock()).await
}

/// A run with a model that reads from a script.
pub(crate) async fn run(out: &mut impl Write) -> anyhow::Result<()> {
    let token = SecretString::from("ghp_example");
    let server = FakeGitHub::start(token.expose_secret()).await?;
    let github = GitHub::new(Client::new(), server.url());
    let model = ScriptedModel::new()
        .call("gh_list_issues", json!({ "repository": "anvil" }))
        .call("gh_list_issues", json!({ "repository": "acme/hammer" }))
        .call("gh_list_issues", json!({ "repository": "acme/anvil" }))
        .call(
            "gh_list_issues",
            json!({ "repository": "acme/anvil", "page": 2 }),
        )
        .call(
            "gh_comment",
            json!({ "repository": "acme/anvil", "number": 6, "body": "Fixed in 2.0." }),
        )
        .call(
            "gh_close_issue",
            json!({ "repository": "acme/anvil", "number": 6 }),
        );
    let mut harness: AgentHarness = AgentHarness::new();
    harness.register_all(github.into_tools())?;
    harness.with_model(model);

    let ctx = RunContext::new().provide(token);
    let question = Message::user("Close what 2.0 has fixed.");
    let run = harness.invoke_in_context(&(), ctx, vec![question]).await?;

    for message in &run.messages {
        show(message, out)?;
    }
    writeln!(out, "\nstopped: {:?}", run.stop)?;
    for call in run.deferred.iter().flat_map(|deferred| &deferred.approvals) {
        writeln!(out, "waits for approval: {} {}", call.name, call.arguments)?;
    }
    Ok(())
}

fn show(message: &Message, out: &mut impl Write) -> io::Result<()> {
    match message {
        Message::Tool(answer) => {
            let kind = if answer.is_error { "error" } else { "answer" };
            writeln!(out, "{kind}: {}", compact(&answer.content))
        }
        Message::Assistant(said) => {
            for call in &said.tool_calls {
                writeln!(out, "\ncall: {} {}", call.name, call.arguments)?;
            }
            Ok(())
        }
        other => writeln!(out, "user: {}", other.text()),
    }
}

/// JSON on one line.
fn compact(text: &str) -> String {
    serde_json::from_str::<Value>(text).map_or_else(|_| text.to_owned(), |value| value.to_string())
}

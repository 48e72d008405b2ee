//! A stand-in for GitHub: three endpoints of its REST API for issues, on a port of this machine.
//!
//! Paths, status codes, the paging parameters and the `Link` header are those of the API's version 2022-11-28,
//! <https://docs.github.com/en/rest/issues/issues>; of its fields there are only a few.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Path, Query, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use tinytools::serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The only repository there is.
const REPOSITORY: (&str, &str) = ("acme", "anvil");

/// The server, for as long as this lives.
pub(crate) struct FakeGitHub {
    url: String,
    task: JoinHandle<()>,
}

impl FakeGitHub {
    /// Starts the server on a free port. It answers whoever shows the token.
    pub(crate) async fn start(token: &str) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let issues = (1..=7).map(Issue::numbered).collect();
        let shared = Arc::new(Shared {
            url: url.clone(),
            authorization: format!("Bearer {token}"),
            issues: Mutex::new(issues),
        });
        let router = Router::new()
            .route("/repos/{owner}/{repository}/issues", get(list))
            .route(
                "/repos/{owner}/{repository}/issues/{number}/comments",
                post(comment),
            )
            .route(
                "/repos/{owner}/{repository}/issues/{number}",
                get(show).patch(close),
            )
            .layer(middleware::from_fn_with_state(
                Arc::clone(&shared),
                authorize,
            ))
            .with_state(shared);
        let task = tokio::spawn(async move {
            // It ends with the task.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { url, task })
    }

    /// Where the server listens.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for FakeGitHub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Shared {
    url: String,
    authorization: String,
    issues: Mutex<Vec<Issue>>,
}

struct Issue {
    number: u32,
    title: String,
    open: bool,
    comments: usize,
}

impl Issue {
    fn numbered(number: u32) -> Self {
        let subjects = ["falls too slowly", "has no shadow", "misses its target"];
        let subject = subjects[number as usize % subjects.len()];
        Self {
            number,
            title: format!("Anvil {number} {subject}"),
            open: number != 3,
            comments: 0,
        }
    }

    fn json(&self) -> Value {
        json!({
            "number": self.number,
            "title": self.title,
            "state": if self.open { "open" } else { "closed" },
            "comments": self.comments,
        })
    }
}

async fn authorize(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let shown = request.headers().get(header::AUTHORIZATION);
    if shown.is_some_and(|shown| shown == shared.authorization.as_str()) {
        next.run(request).await
    } else {
        problem(StatusCode::UNAUTHORIZED, "Bad credentials")
    }
}

/// `state`, `page` and `per_page`; 30 issues a page unless told otherwise.
async fn list(
    State(shared): State<Arc<Shared>>,
    Path((owner, repository)): Path<(String, String)>,
    Query(query): Query<Vec<(String, String)>>,
) -> Response {
    if (owner.as_str(), repository.as_str()) != REPOSITORY {
        return problem(StatusCode::NOT_FOUND, "Not Found");
    }
    let value = |key: &str| {
        query
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    };
    let number = |key: &str| value(key).and_then(|value| value.parse::<usize>().ok());
    let (page, size) = (
        number("page").unwrap_or(1),
        number("per_page").unwrap_or(30),
    );
    let state = value("state").map_or("open", String::as_str);
    let issues = shared.issues.lock().unwrap_or_else(PoisonError::into_inner);
    let all: Vec<Value> = issues
        .iter()
        .rev()
        .filter(|issue| state == "all" || issue.open == (state == "open"))
        .map(Issue::json)
        .collect();
    let skipped = page.saturating_sub(1).saturating_mul(size);
    let shown: Vec<Value> = all.iter().skip(skipped).take(size).cloned().collect();
    if skipped + shown.len() == all.len() {
        return Json(shown).into_response();
    }
    let next = page + 1;
    let url = format!("{}/repos/{owner}/{repository}/issues", shared.url);
    let link = format!("<{url}?state={state}&per_page={size}&page={next}>; rel=\"next\"");
    ([(header::LINK, link)], Json(shown)).into_response()
}

async fn show(state: State<Arc<Shared>>, path: Path<(String, String, u32)>) -> Response {
    change(&state, &path, StatusCode::OK, |_| {})
}

async fn comment(state: State<Arc<Shared>>, path: Path<(String, String, u32)>) -> Response {
    change(&state, &path, StatusCode::CREATED, |issue| {
        issue.comments += 1;
    })
}

async fn close(
    state: State<Arc<Shared>>,
    path: Path<(String, String, u32)>,
    Json(wanted): Json<Value>,
) -> Response {
    change(&state, &path, StatusCode::OK, |issue| {
        issue.open = wanted["state"] != "closed";
    })
}

/// Changes an issue, and shows what became of it.
fn change(
    shared: &Shared,
    (owner, repository, number): &(String, String, u32),
    status: StatusCode,
    change: impl FnOnce(&mut Issue),
) -> Response {
    let mut issues = shared.issues.lock().unwrap_or_else(PoisonError::into_inner);
    let mut issues = issues.iter_mut();
    match issues.find(|issue| issue.number == *number) {
        Some(issue) if (owner.as_str(), repository.as_str()) == REPOSITORY => {
            change(issue);
            (status, Json(issue.json())).into_response()
        }
        _ => problem(StatusCode::NOT_FOUND, "Not Found"),
    }
}

fn problem(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({ "message": message }))).into_response()
}

//! Requests and the bytes of their answers.

use std::time::{Duration, SystemTime};

use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Client, Response};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};
use tokio_util::bytes::Bytes;

use super::endpoint::Endpoint;
use super::failure::Failure;
use super::retry_after::retry_after;
use super::secrets::Secrets;
use crate::model::ModelError;

/// Most bytes of a whole answer.
const MAX_ANSWER_BYTES: usize = 64 << 20;
/// Most bytes of an error that are looked at.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// Sends requests to one endpoint.
#[derive(Clone, Debug)]
pub(super) struct Transport {
    pub(super) client: Client,
    pub(super) endpoint: Endpoint,
    pub(super) secrets: Secrets,
    /// Longest wait for the next bytes of an answer that has begun.
    pub(super) idle_timeout: Duration,
}

/// An answer whose status is fine.
#[derive(Debug)]
pub(super) struct Answer {
    response: Response,
    /// It comes in one piece; anything else is looked through for events, whatever a proxy calls it.
    pub(super) is_whole: bool,
    taken: usize,
}

impl Transport {
    /// Sends a body.
    pub(super) async fn send(&self, body: &[u8], has_tools: bool) -> Result<Answer, ModelError> {
        let request = self
            .client
            .post(self.endpoint.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_vec());
        let response = request.send().await.map_err(|error| self.lost(error))?;
        let status = response.status();
        if status.is_success() {
            return Ok(Answer {
                is_whole: is_json(response.headers()),
                response,
                taken: 0,
            });
        }
        if status.is_redirection() {
            return Err(self.redirected(&response));
        }
        let retry_after = retry_after(response.headers(), SystemTime::now());
        let body = self.error_body(response).await;
        let failure = Failure {
            status: Some(status.as_u16()),
            body: &body,
            retry_after,
            has_tools,
        };
        Err(failure.into_error(&self.secrets))
    }

    /// The next bytes of an answer, waited for until `until` at most; `None` at its end.
    pub(super) async fn next(
        &self,
        answer: &mut Answer,
        until: Instant,
    ) -> Result<Option<Bytes>, ModelError> {
        let started = Instant::now();
        let idle = started.checked_add(self.idle_timeout).unwrap_or(until);
        let Ok(chunk) = timeout_at(until.min(idle), answer.response.chunk()).await else {
            return Err(ModelError::TimedOut(started.elapsed()));
        };
        let chunk = chunk.map_err(|error| self.lost(error))?;
        answer.taken += chunk.as_ref().map_or(0, Bytes::len);
        if answer.taken > MAX_ANSWER_BYTES {
            return Err(ModelError::InvalidResponse(
                "it is longer than 64 MiB".to_owned(),
            ));
        }
        Ok(chunk)
    }

    /// The whole answer.
    pub(super) async fn json(
        &self,
        mut answer: Answer,
        until: Instant,
    ) -> Result<Value, ModelError> {
        let mut body = Vec::new();
        while let Some(bytes) = self.next(&mut answer, until).await? {
            body.extend_from_slice(&bytes);
        }
        serde_json::from_str(&String::from_utf8_lossy(&body))
            .map_err(|error| ModelError::InvalidResponse(format!("it is no JSON: {error}")))
    }

    /// What a failed request says, as far as it comes.
    async fn error_body(&self, mut response: Response) -> Value {
        let mut body = Vec::new();
        let read = async {
            while body.len() < MAX_ERROR_BYTES {
                match response.chunk().await {
                    Ok(Some(bytes)) => body.extend_from_slice(&bytes),
                    _ => break,
                }
            }
        };
        // What has come is told, even if the rest doesn't.
        let _ = tokio::time::timeout(self.idle_timeout, read).await;
        let text = String::from_utf8_lossy(&body);
        serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.trim().to_owned()))
    }

    /// Redirects are not followed: the key would go to whoever is named there.
    fn redirected(&self, response: &Response) -> ModelError {
        let target = response.headers().get(LOCATION);
        let host = target
            .and_then(|target| self.endpoint.url.join(target.to_str().ok()?).ok())
            .and_then(|target| target.host_str().map(|host| self.secrets.scrub(host)))
            .unwrap_or_else(|| "nowhere".to_owned());
        ModelError::Refused(format!(
            "status {} redirects to `{host}`, which is not followed; set the base URL to where the model is",
            response.status().as_u16()
        ))
    }

    /// The connection failed. The address is left out, since its query may hold a key.
    fn lost(&self, error: reqwest::Error) -> ModelError {
        let error = anyhow::Error::new(error.without_url());
        ModelError::Unavailable {
            source: anyhow::anyhow!(self.secrets.scrub(&format!("{error:#}"))),
            retry_after: None,
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    kind.and_then(|kind| kind.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

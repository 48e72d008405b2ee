//! What the chat says where there is no server.
#![cfg(feature = "openai")]

use std::process::ExitCode;
use std::time::Duration;

use tinyagents::model::ModelError;

#[path = "../ollama_chat.rs"]
#[allow(dead_code, reason = "`main` is for the command line")]
mod ollama_chat;

async fn run(arguments: &[&str]) -> anyhow::Result<(ExitCode, String)> {
    let arguments: Vec<String> = arguments.iter().copied().map(str::to_owned).collect();
    let mut printed = Vec::new();
    let code = ollama_chat::run(&arguments, &mut printed).await?;
    Ok((code, String::from_utf8(printed)?))
}

#[tokio::test]
async fn a_missing_server_is_said_to_be_missing() -> anyhow::Result<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let base_url = format!("http://{}/v1", listener.local_addr()?);
    drop(listener);
    let with_key = format!("{base_url}?key=s3cret");
    for more in [None, Some("--stream")] {
        let arguments = ["--base-url", &with_key].into_iter().chain(more);
        let (code, printed) = run(&arguments.collect::<Vec<_>>()).await?;
        assert_eq!(code, ExitCode::FAILURE);
        assert!(
            printed.contains(&format!("No server answers at {base_url}.")),
            "{printed}"
        );
        assert!(!printed.contains("s3cret"), "{printed}");
    }
    Ok(())
}

#[test]
fn a_server_that_is_slow_is_not_said_to_be_missing() {
    let slow = ModelError::TimedOut(Duration::from_mins(10));
    let advice =
        ollama_chat::advice(&slow, "http://localhost:11434/v1", "qwen3").unwrap_or_default();
    assert!(advice.contains("`qwen3` is too slow"), "{advice}");
    assert!(!advice.contains("No server"), "{advice}");
}

#[tokio::test]
async fn a_base_url_that_is_none_is_said_to_be_none() -> anyhow::Result<()> {
    let (code, printed) = run(&["--base-url", "nonsense"]).await?;
    assert_eq!(code, ExitCode::FAILURE);
    assert!(printed.contains("--base-url"), "{printed}");
    Ok(())
}

#[tokio::test]
async fn an_unknown_option_is_answered_with_the_usage() -> anyhow::Result<()> {
    let (code, printed) = run(&["--loud"]).await?;
    assert_eq!(code, ExitCode::from(2));
    assert!(printed.starts_with("usage: "));
    Ok(())
}

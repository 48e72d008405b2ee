//! What the client says of servers that are there and of those that are not.
#![cfg(all(feature = "mcp", unix))]

use std::process::ExitCode;

#[path = "../mcp_client.rs"]
#[allow(dead_code, reason = "`main` is for the command line")]
mod mcp_client;

/// A server of one tool, which answers one call.
const SERVER: &str = r#"
read -r line
echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}'
read -r line
read -r line
echo '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"getTime","description":"The time.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"openWorldHint":false}},{"name":"bad","inputSchema":{"type":"array"}}]}}'
read -r line
echo '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"noon"}]}}'
read -r line
"#;

async fn run(options: &[&str], command: &[&str]) -> anyhow::Result<(ExitCode, String)> {
    let arguments = options.iter().chain(&["--"]).chain(command);
    let arguments: Vec<String> = arguments.copied().map(str::to_owned).collect();
    let mut printed = Vec::new();
    let code = mcp_client::run(&arguments, &mut printed).await?;
    Ok((code, String::from_utf8(printed)?))
}

#[tokio::test]
async fn tools_are_listed_with_what_is_known_of_them() -> anyhow::Result<()> {
    let (code, printed) = run(&[], &["sh", "-c", SERVER]).await?;
    assert_eq!(code, ExitCode::SUCCESS);
    assert!(
        printed.starts_with("get_time [unclassified]\n    The time.\n"),
        "{printed}"
    );
    assert!(printed.contains("`bad` is left out: "), "{printed}");
    let (_, printed) = run(&["--trust"], &["sh", "-c", SERVER]).await?;
    assert!(
        printed.starts_with("get_time [read-only, idempotent]\n"),
        "{printed}"
    );
    Ok(())
}

#[tokio::test]
async fn a_tool_is_called_on_demand() -> anyhow::Result<()> {
    let (code, printed) = run(&["--call", "get_time", "{}"], &["sh", "-c", SERVER]).await?;
    assert_eq!((code, printed.as_str()), (ExitCode::SUCCESS, "noon\n"));
    let (code, printed) = run(&["--call", "missing"], &["sh", "-c", SERVER]).await?;
    assert_eq!(code, ExitCode::FAILURE);
    assert!(printed.contains("unknown tool `missing`"), "{printed}");
    Ok(())
}

#[tokio::test]
async fn what_is_missing_is_said() -> anyhow::Result<()> {
    let (code, printed) = run(&[], &["/nothing/here"]).await?;
    assert_eq!(code, ExitCode::FAILURE);
    assert!(
        printed.contains("`/nothing/here` could not be reached"),
        "{printed}"
    );
    let (code, printed) = run(&["--loud"], &[]).await?;
    assert_eq!(code, ExitCode::from(2));
    assert!(printed.starts_with("usage: "));
    Ok(())
}

//! The example server, as a client finds it.
#![cfg(feature = "mcp")]

use tinyagents::mcp::ServerTransport;
use tinyagents::mcp::rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams,
    ElicitResult, ElicitationAction, Implementation,
};
use tinyagents::mcp::rmcp::service::{RequestContext, RunningService, serve_client};
use tinyagents::mcp::rmcp::{ClientHandler, ErrorData, RoleClient};
use tinytools::serde_json::{Value, json};

#[path = "../mcp_server.rs"]
#[allow(dead_code, reason = "`main` is for the command line")]
mod mcp_server;

/// A client whose person always says this.
struct Client(bool);

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("tests", "1.0.0"))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let answer = json!({ "approve": self.0 });
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(answer))
    }
}

/// A directory with two files, and a client of the server over it.
async fn connect(
    says: bool,
) -> anyhow::Result<(tempfile::TempDir, RunningService<RoleClient, Client>)> {
    let directory = tempfile::tempdir()?;
    std::fs::write(
        directory.path().join("a.txt"),
        "Cold in Oslo.\nWarm in Rome.\n",
    )?;
    std::fs::write(directory.path().join("b.txt"), "oslo again\n")?;
    let root = directory.path().display().to_string();
    let arguments = ["--root".to_owned(), root, "--conformance".to_owned()];
    let options = mcp_server::options(&arguments).ok_or_else(|| anyhow::anyhow!("usage"))?;
    let server = mcp_server::server(&options)?;
    let (here, there) = tokio::io::duplex(4096);
    let (reader, writer) = tokio::io::split(there);
    tokio::spawn(server.serve(ServerTransport::streams(reader, writer)));
    Ok((directory, serve_client(Client(says), here).await?))
}

async fn call(
    client: &RunningService<RoleClient, Client>,
    name: &'static str,
    arguments: Value,
) -> anyhow::Result<CallToolResult> {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let asked = CallToolRequestParams::new(name).with_arguments(arguments);
    Ok(client.call_tool(asked).await?)
}

fn text(result: &CallToolResult) -> &str {
    let text = result.content.first().and_then(|block| block.as_text());
    text.map_or("", |text| text.text.as_str())
}

#[tokio::test]
async fn files_are_found_and_read() -> anyhow::Result<()> {
    let (_directory, client) = connect(true).await?;
    let found = call(&client, "find_text", json!({ "text": "OSLO" })).await?;
    assert_eq!(
        found.structured_content,
        Some(json!({
            "matches": [
                { "file": "a.txt", "line": 1, "text": "Cold in Oslo." },
                { "file": "b.txt", "line": 1, "text": "oslo again" }
            ],
            "files": 2,
            "is_cut": false
        }))
    );
    let read = call(&client, "read_file", json!({ "file": "b.txt" })).await?;
    assert_eq!(text(&read), "oslo again\n");
    Ok(())
}

#[tokio::test]
async fn nothing_outside_of_the_directory_is_read() -> anyhow::Result<()> {
    let (directory, client) = connect(true).await?;
    let outside = tempfile::NamedTempFile::new()?;
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path(), directory.path().join("link"))?;
    let outside = outside.path().display().to_string();
    for file in ["../", "/etc/hostname", "..", ".", "link", outside.as_str()] {
        let read = call(&client, "read_file", json!({ "file": file, "root": "/" })).await?;
        assert_eq!(read.is_error, Some(true), "{file}: {read:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_note_is_written_after_a_yes_alone() -> anyhow::Result<()> {
    for says in [false, true] {
        let (directory, client) = connect(says).await?;
        let answer = call(&client, "add_note", json!({ "note": "milk" })).await?;
        let notes = std::fs::read_to_string(directory.path().join("NOTES.md")).ok();
        assert_eq!(notes.as_deref(), says.then_some("- milk\n"), "{answer:?}");
    }
    Ok(())
}

#[test]
fn an_unknown_option_is_not_understood() {
    for arguments in [&["--loud"][..], &["--http", "localhost"], &["--root"]] {
        let arguments: Vec<String> = arguments.iter().copied().map(str::to_owned).collect();
        assert!(mcp_server::options(&arguments).is_none(), "{arguments:?}");
    }
}

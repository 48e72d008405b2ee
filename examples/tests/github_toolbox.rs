//! What the toolbox example prints, and what its tools are to a model and to a host.

use std::fs;
use std::path::Path;

use tinytools::IntoTools;
use tinytools::testing::{assert_portable, catalogue_snapshot};

#[path = "../github_toolbox.rs"]
#[allow(dead_code, reason = "`main` is for the command line")]
mod github_toolbox;

use github_toolbox::GitHub;

#[test]
fn the_catalogue_is_the_pinned_one() -> anyhow::Result<()> {
    let tools = GitHub::new(reqwest::Client::new(), "http://localhost").into_tools();
    for tool in &tools {
        assert_portable(&**tool);
    }
    let catalogue = catalogue_snapshot(&tools);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/github_toolbox.catalogue");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(&path, &catalogue)?;
    }
    assert!(
        fs::read_to_string(&path)? == catalogue,
        "the tools have changed; UPDATE_SNAPSHOTS=1 rewrites {}\n{catalogue}",
        path.display()
    );
    Ok(())
}

#[tokio::test]
async fn the_run_turns_pages_and_waits_for_an_approval() -> anyhow::Result<()> {
    let mut printed = Vec::new();
    github_toolbox::run(&mut printed).await?;
    let printed = String::from_utf8(printed)?;
    let mut rest = printed.as_str();
    for part in [
        "error: ",
        "repository",
        "error: ",
        "there is no such repository or issue",
        r#"answer: {"items":[{"number":7,"#,
        r#""next_page":2}"#,
        r#""page":2}"#,
        r#"answer: {"items":[{"number":4,"#,
        r#"{"number":1,"title":"Anvil 1 has no shadow","state":"open","comments":0}]}"#,
        "answer: commented on #6",
        "stopped: Deferred",
        r#"waits for approval: gh_close_issue {"repository":"acme/anvil","number":6}"#,
    ] {
        let Some((_, after)) = rest.split_once(part) else {
            anyhow::bail!("{part:?} is missing, or out of order, in\n{printed}");
        };
        rest = after;
    }
    assert!(!printed.contains("ghp_"), "the token is shown: {printed}");
    assert!(
        !printed.contains("127.0.0.1"),
        "an address is shown: {printed}"
    );
    Ok(())
}

//! What the example of the dialects prints.

use std::process::ExitCode;

#[path = "../dialects.rs"]
#[allow(dead_code, reason = "`main` is for the command line")]
mod dialects;

fn run(arguments: &[&str]) -> anyhow::Result<(ExitCode, String)> {
    let arguments: Vec<String> = arguments.iter().copied().map(str::to_owned).collect();
    let mut printed = Vec::new();
    let code = dialects::run(&arguments, &mut printed)?;
    Ok((code, String::from_utf8(printed)?))
}

#[test]
fn one_call_is_shown_in_every_dialect() -> anyhow::Result<()> {
    let (code, printed) = run(&[])?;
    assert_eq!(code, ExitCode::SUCCESS);
    for part in [
        "== Native\n(the request carries the schemas)\n",
        "<tool_call>{\"name\":\"search\",\"arguments\":{\"query\":\"rust <agents>\",\"limit\":5,",
        "<search><query><![CDATA[rust <agents>]]></query><limit>5</limit><sites>docs.rs</sites><sites>crates.io</sites></search>",
        "search(query: str, limit?: int, sites?: [str]) - Search the web.",
        "search(\"rust <agents>\", 5, [\"docs.rs\",\"crates.io\"])",
        "def search(query: str, limit: int = 10, sites: list[str] = None) -> str:",
        "search(query=\"rust <agents>\", limit=5, sites=[\"docs.rs\", \"crates.io\"])",
        "function search(args: { query: string; limit?: number; sites?: string[] }): string;",
        "search({ query: \"rust <agents>\", limit: 5, sites: [\"docs.rs\",\"crates.io\"] })",
        "<tool_result id=\"c1\">\n1. &lt;/tool_result> a < b\n</tool_result>",
    ] {
        assert!(printed.contains(part), "{part}\nis not in\n{printed}");
    }
    // The point of signatures: a third of the schema at most.
    let line = |start: &str| {
        printed
            .lines()
            .find(|line| line.starts_with(start))
            .map(str::len)
    };
    let (signature, schema) = (line("search(query: str"), line("{\"name\""));
    assert!(
        signature
            .zip(schema)
            .is_some_and(|(signature, schema)| signature * 100 <= schema * 35)
    );
    Ok(())
}

#[test]
fn the_calls_of_a_file_are_printed() -> anyhow::Result<()> {
    let file = std::env::temp_dir().join(format!("dialects-{}.txt", std::process::id()));
    std::fs::write(
        &file,
        "<think>Hm.</think>Let me look.\n[TOOL_CALLS]search{\"query\": \"x\", \"limit\": \"3\"}",
    )?;
    let (code, printed) = run(&["--parse", &file.display().to_string()])?;
    std::fs::write(&file, "Nothing to look up.")?;
    let (without, text) = run(&["--parse", &file.display().to_string()])?;
    std::fs::remove_file(&file)?;
    assert_eq!(code, ExitCode::SUCCESS);
    assert_eq!(
        printed,
        "call search {\"query\":\"x\",\"limit\":3}\nreasoning \"Hm.\"\ntext \"Let me look.\"\n"
    );
    assert_eq!(without, ExitCode::FAILURE);
    assert_eq!(text, "text \"Nothing to look up.\"\n");
    Ok(())
}

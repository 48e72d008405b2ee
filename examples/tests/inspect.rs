//! What the inspect example prints.

use std::process::ExitCode;

#[path = "../inspect.rs"]
#[allow(dead_code, reason = "`main` is for the command line")]
mod inspect;

async fn run(arguments: &[&str]) -> anyhow::Result<(ExitCode, String)> {
    let arguments: Vec<String> = arguments.iter().copied().map(str::to_owned).collect();
    let mut printed = Vec::new();
    let code = inspect::run(&arguments, &mut printed).await?;
    Ok((code, String::from_utf8(printed)?))
}

#[tokio::test]
async fn the_example_tools_are_shown_for_every_provider() -> anyhow::Result<()> {
    let (code, text) = run(&[]).await?;
    assert_eq!(code, ExitCode::SUCCESS);
    let header = text.lines().next().unwrap_or_default();
    for target in ["portable", "openai_strict", "gemini", "bedrock", "mcp"] {
        assert!(header.contains(target), "{header}");
    }
    for tool in ["bookmark_city", "compare_cities", "weather"] {
        assert!(text.contains(tool), "{text}");
    }
    // Nothing is left to find in any of them once it is prepared.
    assert!(text.contains(">0 ") && !text.contains(">1 "), "{text}");
    assert!(
        text.contains("`additionalProperties` is not taken by it [gemini]"),
        "{text}"
    );
    Ok(())
}

#[tokio::test]
async fn a_catalogue_file_is_read_and_its_findings_named() -> anyhow::Result<()> {
    let path = std::env::temp_dir().join(format!("inspect-{}.json", std::process::id()));
    std::fs::write(
        &path,
        r#"[{"name":"list.things","description":"List.","input_schema":{"type":"object","properties":{"ids":{"type":"array"}}}}]"#,
    )?;
    let result = run(&[&path.to_string_lossy()]).await;
    let admitted = run(&[&path.to_string_lossy(), "--args", r#"{"ids":[1]}"#]).await;
    std::fs::remove_file(&path)?;
    let (_, text) = result?;
    assert!(
        text.contains("an array must say what its items are; add `items` [portable, openai, openai_strict, gemini]"),
        "{text}"
    );
    assert!(
        text.contains("does not take \"list.things\" as a tool's name"),
        "{text}"
    );
    let (code, text) = admitted?;
    assert_eq!(code, ExitCode::SUCCESS, "{text}");
    assert!(text.ends_with("the tool gets: {\"ids\":[1]}\n"), "{text}");
    Ok(())
}

#[tokio::test]
async fn right_arguments_reach_the_tool() -> anyhow::Result<()> {
    let (code, text) = run(&[
        "--tool",
        "weather",
        "--args",
        r#"{"city":"Oslo","month":null}"#,
    ])
    .await?;
    assert_eq!(code, ExitCode::SUCCESS, "{text}");
    assert!(text.contains("fault: month: expected an integer"), "{text}");
    assert!(
        text.ends_with("the tool gets: {\"city\":\"Oslo\"}\n"),
        "{text}"
    );
    Ok(())
}

#[tokio::test]
async fn a_forged_hidden_value_is_shown_to_go() -> anyhow::Result<()> {
    let (code, text) = run(&[
        "--tool",
        "weather",
        "--args",
        r#"{"city":"Oslo","units":1}"#,
    ])
    .await?;
    assert_eq!(code, ExitCode::SUCCESS, "{text}");
    assert!(text.contains("tool.forged_argument"), "{text}");
    assert!(
        text.ends_with("the tool gets: {\"city\":\"Oslo\"}\n"),
        "{text}"
    );
    Ok(())
}

#[tokio::test]
async fn wrong_arguments_show_what_the_model_is_told() -> anyhow::Result<()> {
    let (code, text) = run(&["--tool", "weather", "--args", r#"{"month":13}"#]).await?;
    assert_eq!(code, ExitCode::FAILURE, "{text}");
    assert!(
        text.contains("fault: month: expected an integer from 1 to 12, got 13"),
        "{text}"
    );
    assert!(text.contains("the model is told: "), "{text}");
    let (code, text) = run(&["--tool", "weather", "--args", "{city"]).await?;
    assert_eq!(code, ExitCode::FAILURE, "{text}");
    assert!(text.contains("read: not JSON"), "{text}");
    Ok(())
}

#[tokio::test]
async fn a_wrong_command_line_is_told_how_it_would_be_right() -> anyhow::Result<()> {
    for arguments in [&["--args"][..], &["--what"], &["a.json", "b.json"]] {
        let (code, text) = run(arguments).await?;
        assert_eq!(code, ExitCode::from(2));
        assert!(text.starts_with("usage: inspect"), "{text}");
    }
    let (code, _) = run(&["--tool", "nothing"]).await?;
    assert_eq!(code, ExitCode::from(2));
    Ok(())
}

//! What the weather example prints.

use std::process::ExitCode;

#[path = "../weather.rs"]
#[allow(dead_code, reason = "`main` is for the command line")]
mod weather;

/// Runs the example with these arguments: its exit code and what it printed.
async fn run(arguments: &[&str]) -> anyhow::Result<(ExitCode, String)> {
    let arguments: Vec<String> = arguments.iter().copied().map(str::to_owned).collect();
    let mut printed = Vec::new();
    let code = weather::run(&arguments, &mut printed).await?;
    Ok((code, String::from_utf8(printed)?))
}

/// Dispatches one call that must be answered with an error, and returns what the model reads.
async fn refused(name: &str, arguments: &str) -> anyhow::Result<String> {
    let (code, answer) = run(&["--call", name, arguments]).await?;
    assert_eq!(code, ExitCode::FAILURE, "{answer}");
    assert!(
        !answer.to_lowercase().contains("units"),
        "a hidden name is shown: {answer}"
    );
    Ok(answer)
}

/// Dispatches one call that must succeed, and returns what the model reads.
async fn answered(name: &str, arguments: &str) -> anyhow::Result<String> {
    let (code, answer) = run(&["--call", name, arguments]).await?;
    assert_eq!(code, ExitCode::SUCCESS, "{answer}");
    Ok(answer)
}

#[tokio::test]
async fn a_right_call_is_answered() -> anyhow::Result<()> {
    let answer = answered("weather", r#"{"city":"Oslo"}"#).await?;
    assert_eq!(
        answer,
        "Oslo, a year: 7 °C on average, 844 mm of precipitation\n"
    );
    let answer = answered("weather", r#"{"city":"oslo","month":1}"#).await?;
    assert_eq!(
        answer,
        "Oslo, January: -2 °C on average, 58 mm of precipitation\n"
    );
    Ok(())
}

#[tokio::test]
async fn the_other_tools_answer_too() -> anyhow::Result<()> {
    let arguments = r#"{"cities":["Oslo","Cairo"],"measure":"temperature"}"#;
    let answer = answered("compare_cities", arguments).await?;
    let (cairo, oslo) = (answer.find("Cairo"), answer.find("Oslo"));
    assert!(cairo.is_some() && cairo < oslo, "{answer}");
    assert_eq!(
        answered("bookmark_city", r#"{"city":"rome"}"#).await?,
        "kept: Rome\n"
    );
    Ok(())
}

#[tokio::test]
async fn a_city_that_is_not_in_the_table_is_answered_with_those_that_are() -> anyhow::Result<()> {
    let answer = refused("weather", r#"{"city":"Atlantis"}"#).await?;
    assert!(
        answer.contains("Atlantis") && answer.contains("Reykjavik"),
        "{answer}"
    );
    Ok(())
}

#[tokio::test]
async fn every_wrong_argument_is_named() -> anyhow::Result<()> {
    let answer = refused("weather", r#"{"city":5,"month":13,"country":"NO"}"#).await?;
    for name in ["city", "month", "country"] {
        assert!(answer.contains(name), "{name}: {answer}");
    }
    Ok(())
}

#[tokio::test]
async fn a_value_for_a_hidden_parameter_is_thrown_away() -> anyhow::Result<()> {
    let arguments = r#"{"city":"Oslo","month":1,"units":{"metric":false}}"#;
    let answer = answered("weather", arguments).await?;
    assert!(answer.contains("-2 °C"), "{answer}");
    Ok(())
}

#[tokio::test]
async fn an_unknown_tool_is_answered_with_the_known_ones() -> anyhow::Result<()> {
    let answer = refused("wether", "{}").await?;
    assert!(answer.contains("unknown tool `wether`"), "{answer}");
    assert!(answer.contains("compare_cities"), "{answer}");
    Ok(())
}

#[tokio::test]
async fn text_that_is_not_json_is_refused() -> anyhow::Result<()> {
    refused("weather", "Oslo, please").await?;
    Ok(())
}

#[tokio::test]
async fn a_bad_command_line_gets_the_usage() -> anyhow::Result<()> {
    for arguments in [
        &["--call"][..],
        &["--call", "weather"],
        &["--help"],
        &["a", "b", "c"],
    ] {
        let (code, printed) = run(arguments).await?;
        assert_eq!(code, ExitCode::from(2));
        assert!(printed.starts_with("usage: "), "{printed}");
    }
    Ok(())
}

#[tokio::test]
async fn the_run_recovers_from_a_wrong_call_and_ends_with_a_text() -> anyhow::Result<()> {
    let (code, printed) = run(&[]).await?;
    assert_eq!(code, ExitCode::SUCCESS);
    assert!(!printed.contains("units"), "{printed}");
    let mut rest = printed.as_str();
    for part in [
        "# The catalogue",
        "bookmark_city: Keep a city for the user.",
        "City name, for example \\\"Oslo\\\".",
        "# The policies",
        r#""read_only":true"#,
        "# The run",
        "town",
        "Oslo, January: -2 °C",
        "Rome, January: 8 °C",
        "Lima, January: 22 °C",
        "Lima is the warmest",
        "stopped: Finished",
        "tools that ran: weather, weather, weather",
    ] {
        let Some((_, after)) = rest.split_once(part) else {
            anyhow::bail!("{part:?} is missing, or out of order, in\n{printed}");
        };
        rest = after;
    }
    Ok(())
}

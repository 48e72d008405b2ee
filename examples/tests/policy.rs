//! Four policies over one registry show and run what they should.

#[path = "../policy.rs"]
#[allow(dead_code, reason = "`main` is for the command line")]
mod policy;

/// The lines of one setting, spaces squeezed.
fn lines(printed: &str, setting: &str) -> Vec<String> {
    printed
        .lines()
        .skip_while(|line| *line != setting)
        .skip(1)
        .take_while(|line| line.starts_with(' '))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[tokio::test]
async fn each_policy_shows_exactly_what_it_lets_run() -> anyhow::Result<()> {
    let mut printed = Vec::new();
    policy::run(&mut printed).await?;
    let printed = String::from_utf8(printed)?;

    assert_eq!(
        lines(&printed, "open"),
        [
            "delete_notes shown runs: gone",
            "mystery shown runs: ?",
            "read_note shown runs: buy milk",
            "run_script shown runs: exit code 0",
            "tell_team shown waits for approval",
            "write_note shown runs: written",
        ]
    );
    for (setting, shown) in [
        ("read-only", &["read_note"][..]),
        ("strict", &["read_note", "tell_team", "write_note"]),
        (
            "sandboxed",
            &["read_note", "run_script", "tell_team", "write_note"],
        ),
    ] {
        let lines = lines(&printed, setting);
        assert_eq!(lines.len(), 6, "{printed}");
        for line in lines {
            let name = line.split(' ').next().unwrap_or_default();
            let is_shown = line.contains(" shown ");
            assert_eq!(is_shown, shown.contains(&name), "{setting}: {line}");
            assert_eq!(
                !is_shown,
                line.contains("is not allowed:"),
                "{setting}: {line}"
            );
        }
    }
    assert!(
        printed.contains("the effect `destructive` is denied"),
        "{printed}"
    );
    assert!(printed.contains("its effects are not stated"), "{printed}");
    assert!(printed.contains("it needs a sandbox"), "{printed}");
    Ok(())
}

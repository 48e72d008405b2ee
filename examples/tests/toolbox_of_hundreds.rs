//! What the toolbox example prints and writes.

#[path = "../toolbox_of_hundreds.rs"]
#[allow(dead_code, reason = "`main` is for the command line")]
mod toolbox_of_hundreds;

#[tokio::test]
async fn a_search_saves_most_of_the_schemas_and_its_find_is_called() -> anyhow::Result<()> {
    let page = std::env::temp_dir().join(format!("toolbox-{}.html", std::process::id()));
    let mut printed = Vec::new();
    let outcome = toolbox_of_hundreds::run(&page, &mut printed).await;
    let html = std::fs::read_to_string(&page);
    std::fs::remove_file(&page).ok();
    outcome?;
    let text = String::from_utf8(printed)?;
    let percents: Vec<usize> = text
        .lines()
        .filter(|line| line.contains("with discovery"))
        .filter_map(|line| line.rsplit(' ').next()?.trim_end_matches('%').parse().ok())
        .collect();
    assert_eq!(percents.len(), 4, "{text}");
    assert!(percents.iter().all(|percent| *percent <= 16), "{text}");
    assert!(text.contains("\nsaid once in 4 of 4 requests: "), "{text}");
    assert!(text.contains("found and kept: billing_export, "), "{text}");
    assert!(
        text.contains("tool_call: billing: export {\"entry\":\"invoice-7\"} is done"),
        "{text}"
    );
    assert!(
        text.contains("billing_export: billing: export {\"entry\":\"invoice-8\"} is done"),
        "{text}"
    );
    assert!(
        text.contains("really run: tool_search, export, export"),
        "{text}"
    );
    assert!(html?.contains("invoice-8"));
    Ok(())
}

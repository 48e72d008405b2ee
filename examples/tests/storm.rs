//! The storm answers each id once, whether it blows over or is cut short.

#[path = "../storm.rs"]
#[allow(dead_code, reason = "`main` is for the command line")]
mod storm;

#[tokio::test]
async fn a_thousand_calls_are_answered_and_told_of_once_each() -> anyhow::Result<()> {
    let mut printed = Vec::new();
    storm::run(&mut printed).await?;
    let printed = String::from_utf8(printed)?;
    let proof = "  answered once: 1000, in call order: true\n  started, then ended once: 1000\n";
    assert_eq!(printed.matches(proof).count(), 2, "{printed}");
    let (whole, cut) = printed
        .split_once("a storm cut short")
        .ok_or_else(|| anyhow::anyhow!("{printed}"))?;
    // Per eight calls one each is broken, silent and unknown, and of the two unsteady ones most fail.
    assert!(
        whole.contains("stop: None") && !whole.contains("cancelled"),
        "{whole}"
    );
    for failure in [
        "of broken, such as: `broken` failed unexpectedly",
        "of silent, such as: `silent` timed out after 20 ms",
        "of nowhere, such as: unknown tool `nowhere`",
        "of unsteady, such as: the mast is broken",
        "of measure, such as: the arguments of `measure` are not valid JSON",
    ] {
        assert!(whole.contains(failure), "{failure} is not in {whole}");
    }
    assert!(cut.contains("stop: Some(Cancelled)"), "{cut}");
    Ok(())
}

//! The handwritten tool and the annotated one answer alike.

#[path = "../handwritten.rs"]
#[allow(dead_code, reason = "`main` is for the command line")]
mod handwritten;

#[tokio::test]
async fn both_tools_answer_alike_right_and_wrong() -> anyhow::Result<()> {
    let mut printed = Vec::new();
    handwritten::run(&mut printed).await?;
    let printed = String::from_utf8(printed)?;
    assert!(
        printed.starts_with("same schema: true\nsame policy: true\n"),
        "{printed}"
    );
    assert_eq!(printed.matches("alike: true").count(), 5, "{printed}");
    // The published table of the index gives -20 for -10 °C and 30 km/h.
    assert!(printed.contains("annotated: -19.5"), "{printed}");
    Ok(())
}

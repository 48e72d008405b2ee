//! The product bills what ran, and nothing runs that its agent isn't given.

#[path = "../host.rs"]
#[allow(dead_code, reason = "`main` is for the command line")]
mod host;

#[tokio::test]
async fn the_product_answers_bills_and_refuses() -> anyhow::Result<()> {
    let mut printed = Vec::new();
    host::run(&mut printed).await?;
    let printed = String::from_utf8(printed)?;
    assert_eq!(
        printed,
        "shown: count_letters, translate\n\
         translate: brød\n\
         count_letters: 4\n\
         wipe: `wipe` is not allowed: agent `translator` has no such tool in its list\n\
         billed translation: 2 credits\n\
         billed count_letters: 1 credits\n\
         shown: count_letters, translate\n\
         answer: Bread is brød, four letters.\n\
         total: 3 credits\n"
    );
    Ok(())
}

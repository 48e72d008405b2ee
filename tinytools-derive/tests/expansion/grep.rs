/// Find words in files.
#[tool(read_only, blocking, workspace = Scoped)]
pub(crate) fn grep(
    mut root: &Path,
    words: &[String],
    flags: Option<&str>,
    within: Option<&Path>,
    r#type: Option<String>,
) -> Vec<Hit> {
    root = within.unwrap_or(root);
    search(root, words, flags, r#type)
}

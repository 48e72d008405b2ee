use std::sync::Arc;

use crate::Tool;

/// A type that many calls can share.
pub trait SharedOwner: Send + Sync + 'static {}

impl<T: Send + Sync + 'static> SharedOwner for T {}

/// A type with a `#[toolbox]`: the orphan rule forbids an author to implement `IntoTools` for an `Arc` of it.
pub trait ToolOwner: SharedOwner + Sized {
    /// One tool for each annotated method.
    fn owned_tools(owner: Arc<Self>) -> Vec<Arc<dyn Tool>>;
}

/// A tool as registries hold it.
pub fn arc<T: Tool + 'static>(tool: T) -> Arc<dyn Tool> {
    Arc::new(tool)
}

/// A list as a `Vec`, in crates that have no prelude.
pub fn vec<T, const N: usize>(items: [T; N]) -> Vec<T> {
    Vec::from(items)
}

/// Literals as a `Vec<String>`.
#[must_use]
pub fn strings(items: &[&str]) -> Vec<String> {
    items.iter().map(|&item| item.to_owned()).collect()
}

/// Stops the compilation where the name at `index` stands before in the list.
///
/// # Panics
/// Only in constant evaluation.
pub const fn assert_unique(names: &[&str], index: usize) {
    let mut before = 0;
    while before < index {
        assert!(
            !is_equal(names[before].as_bytes(), names[index].as_bytes()),
            "two tools of this list have the same name; give one of them another with `name = \"…\"`"
        );
        before += 1;
    }
}

const fn is_equal(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
    }
    true
}

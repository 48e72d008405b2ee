//! The part of the file system a run may touch.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

/// How strictly a call must be sandboxed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SandboxMode {
    /// As the run is.
    #[default]
    Inherit,
    /// No sandbox is asked for.
    Disabled,
    /// Only inside a sandbox.
    Required,
}

/// The directory a run works in, and how it is sandboxed.
///
/// ```
/// use std::path::Path;
/// use tinytools::WorkspaceDescriptor;
///
/// let workspace = WorkspaceDescriptor::new("/srv/job");
/// assert!(workspace.allows(Path::new("notes/today.md")));
/// assert!(!workspace.allows(Path::new("../job-of-others/notes.md")));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkspaceDescriptor {
    /// Absolute directory that relative paths start from. An empty or relative root allows nothing.
    pub root: PathBuf,
    /// Whether the run itself is inside a sandbox (`Required`) or not.
    pub sandbox: SandboxMode,
    /// Further absolute directories that may be touched. Default: none.
    pub trusted_roots: Vec<PathBuf>,
}

impl WorkspaceDescriptor {
    /// A workspace at `root`, with no sandbox of its own and no further roots.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            ..Self::default()
        }
    }

    /// Says how the run is sandboxed.
    #[must_use]
    pub fn with_sandbox(mut self, sandbox: SandboxMode) -> Self {
        self.sandbox = sandbox;
        self
    }

    /// Adds a further directory that may be touched.
    #[must_use]
    pub fn with_trusted_root(mut self, root: impl Into<PathBuf>) -> Self {
        self.trusted_roots.push(root.into());
        self
    }

    /// Whether `path` lies in the workspace, judged by its text alone.
    ///
    /// A relative path starts at [`root`](Self::root). A path that climbs out of its root with `..` is refused even
    /// where it comes back in, and so is everything under a root that is relative or itself holds `..`. Links are not
    /// followed: open files through a sandbox where they matter.
    #[must_use]
    pub fn allows(&self, path: &Path) -> bool {
        if path.is_relative() && !path.has_root() {
            return is_plain_root(&self.root) && stays_below(path.components());
        }
        std::iter::once(&self.root)
            .chain(&self.trusted_roots)
            .filter(|root| is_plain_root(root))
            .any(|root| {
                path.strip_prefix(root)
                    .is_ok_and(|rest| stays_below(rest.components()))
            })
    }
}

fn is_plain_root(root: &Path) -> bool {
    root.is_absolute() && !root.components().any(|part| part == Component::ParentDir)
}

fn stays_below<'a>(parts: impl Iterator<Item = Component<'a>>) -> bool {
    let mut depth = 0_usize;
    for part in parts {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            Component::RootDir | Component::Prefix(_) => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(root: &str, path: &str) -> bool {
        WorkspaceDescriptor::new(root).allows(Path::new(path))
    }

    #[test]
    fn paths_below_the_root_are_allowed() {
        for path in [
            "a", "a/b", "./a", "a/../b", "", "/w/r", "/w/r/a", "/w/r/./a",
        ] {
            assert!(allows("/w/r", path), "{path}");
        }
    }

    #[test]
    fn siblings_and_parents_are_refused() {
        for path in [
            "..",
            "../r2/a",
            "../r/a",
            "a/../../r/a",
            "/w",
            "/w/r2",
            "/w/r/../r2",
            "/w/r/../r/a",
            "/w/x/../r/a",
            "/etc/passwd",
        ] {
            assert!(!allows("/w/r", path), "{path}");
        }
    }

    #[test]
    fn an_unusable_root_allows_nothing() {
        for root in ["", "r", "./r", "/w/../r"] {
            for path in ["a", "/w/r/a", "/r/a", ""] {
                assert!(!allows(root, path), "{root} {path}");
            }
        }
    }

    #[test]
    fn a_trusted_root_serves_absolute_paths_only() {
        let workspace = WorkspaceDescriptor::new("/w/r").with_trusted_root("/opt/data");
        assert!(workspace.allows(Path::new("/opt/data/x")));
        assert!(!workspace.allows(Path::new("/opt/data/../x")));
        assert!(!workspace.allows(Path::new("/opt/data2/x")));
    }
}

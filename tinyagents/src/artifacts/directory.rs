//! Artifacts as files.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tinytools::async_trait;

use super::{ArtifactName, ArtifactStore};

/// Keeps artifacts as files of one directory, each written whole or not at all.
///
/// File names are made from the content, never from what a tool or a model says; on Unix the files are readable by their
/// owner alone. Files are read and written on the runtime's blocking threads: it has to be used inside a tokio runtime.
/// A file that has begun to be written is finished, even where the run is dropped meanwhile.
#[derive(Clone, Debug)]
pub struct DirectoryArtifactStore {
    root: PathBuf,
}

impl DirectoryArtifactStore {
    /// Keeps files in this directory, which is made when the first one is written.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }
}

#[async_trait]
impl ArtifactStore for DirectoryArtifactStore {
    async fn put(&self, media_type: &str, bytes: Vec<u8>) -> anyhow::Result<String> {
        let root = self.root.clone();
        let media_type = media_type.to_owned();
        let written = tokio::task::spawn_blocking(move || {
            let name = ArtifactName::of(&media_type, &bytes);
            write_whole(&root, name.as_str(), &bytes).map(|()| name.to_string())
        });
        written.await?.context("the artifact could not be written")
    }

    async fn get(&self, uri: &str) -> anyhow::Result<Option<Vec<u8>>> {
        let Some(name) = ArtifactName::parse(uri) else {
            return Ok(None);
        };
        let path = self.root.join(name.as_str());
        let read = tokio::task::spawn_blocking(move || read_file(&path));
        read.await?.context("the artifact could not be read")
    }
}

/// Writes beside the file and moves it there: a reader sees the whole file or none.
fn write_whole(root: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    directory().create(root)?;
    let chance = RandomState::new().hash_one(name);
    let beside = root.join(format!(".{chance:016x}-{name}"));
    let written = write_new(&beside, bytes).and_then(|()| fs::rename(&beside, root.join(name)));
    if written.is_err() {
        // What is left of it is of no use; the first failure is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file: File = owner_only().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// A link that somebody put there leads out of the directory: it is not followed.
fn read_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => fs::read(path).map(Some),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn directory() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

fn owner_only() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "the mode is Unix's"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

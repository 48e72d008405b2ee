//! The store of artifacts that is a directory.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;
mod result_support;

use result_support::directory;
use tinyagents::{ArtifactStore, DirectoryArtifactStore};

#[tokio::test]
async fn files_are_written_whole_by_safe_names_and_for_their_owner_alone() {
    let root = directory("safe");
    let store = DirectoryArtifactStore::new(root.join("below"));
    let uri = store
        .put("../../etc/passwd", b"abc".to_vec())
        .await
        .unwrap();
    // The same content again is no second file.
    assert_eq!(store.put("", b"abc".to_vec()).await.unwrap(), uri);
    let files: Vec<_> = std::fs::read_dir(root.join("below"))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(files.len(), 1, "nothing is left beside the file");
    assert_eq!(
        uri.strip_prefix("artifact://").unwrap(),
        files[0].file_name().to_str().unwrap()
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode =
            |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&files[0].path()), 0o600);
        assert_eq!(mode(&root.join("below")), 0o700);
    }
    std::fs::remove_dir_all(root).unwrap();
}

#[tokio::test]
async fn no_address_leads_out_of_the_directory() {
    let root = directory("escape");
    std::fs::create_dir_all(&root).unwrap();
    std::fs::write(root.join("secret.txt"), "secret").unwrap();
    let store = DirectoryArtifactStore::new(root.join("below"));
    let uri = store.put("text/plain", b"abc".to_vec()).await.unwrap();
    let own = uri.strip_prefix("artifact://").unwrap();
    for uri in [
        "artifact://../secret.txt".to_owned(),
        format!("artifact://{}", root.join("secret.txt").display()),
        format!("artifact://{own}/../../secret.txt"),
        root.join("secret.txt").display().to_string(),
    ] {
        assert_eq!(store.get(&uri).await.unwrap(), None, "{uri}");
    }
    #[cfg(unix)]
    {
        let link = format!("{}.txt", "0".repeat(64));
        std::os::unix::fs::symlink(root.join("secret.txt"), root.join("below").join(&link))
            .unwrap();
        assert_eq!(
            store.get(&format!("artifact://{link}")).await.unwrap(),
            None
        );
    }
    std::fs::remove_dir_all(root).unwrap();
}

#[tokio::test]
async fn a_directory_that_can_not_be_written_leaves_nothing_behind() {
    let root = directory("blocked");
    std::fs::create_dir_all(&root).unwrap();
    std::fs::write(root.join("file"), "").unwrap();
    let store = DirectoryArtifactStore::new(root.join("file"));
    let failed = store.put("text/plain", b"abc".to_vec()).await.unwrap_err();
    assert_eq!(failed.to_string(), "the artifact could not be written");
    std::fs::remove_dir_all(root).unwrap();
}

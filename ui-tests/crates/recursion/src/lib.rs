//! Tools that call themselves and one another, over types that hold themselves.

use std::future::Future;
use std::pin::Pin;

use tinytools::schemars::JsonSchema;
use tinytools::serde::{Deserialize, Serialize};
use tinytools::tool;

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "tinytools::serde")]
#[schemars(crate = "tinytools::schemars")]
pub struct Folder {
    pub name: String,
    pub folders: Vec<Folder>,
}

/// Count the folders in a folder.
#[tool(read_only)]
pub fn count(folder: Folder) -> usize {
    folder.folders.into_iter().map(count).sum::<usize>() + 1
}

/// Name the deepest folder.
#[tool(read_only)]
pub async fn deepest(folder: Folder) -> String {
    match folder.folders.into_iter().next() {
        Some(first) => deepest_boxed(first).await,
        None => folder.name,
    }
}

fn deepest_boxed(folder: Folder) -> Pin<Box<dyn Future<Output = String> + Send>> {
    Box::pin(deepest(folder))
}

/// Wrap a folder in another one, again and again.
#[tool(read_only)]
pub async fn wrap(folder: Folder, times: u32) -> Folder {
    if times == 0 {
        return folder;
    }
    let outer = Folder {
        name: format!("around {}", folder.name),
        folders: vec![folder],
    };
    Box::pin(wrap(outer, times - 1)).await
}

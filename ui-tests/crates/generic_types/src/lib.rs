//! Generic types as arguments and results, and a generic owner of tools.

use std::collections::BTreeMap;

use tinytools::schemars::JsonSchema;
use tinytools::serde::{Deserialize, Serialize};
use tinytools::{IntoTools, Tool, tool, toolbox};

#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "tinytools::serde")]
#[schemars(crate = "tinytools::schemars")]
pub struct Page<Item> {
    pub items: Vec<Item>,
    pub next: Option<String>,
}

#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "tinytools::serde")]
#[schemars(crate = "tinytools::schemars")]
pub struct Item {
    pub title: String,
}

type Pages = Page<Page<Item>>;

/// Show a page, and the next one of it.
#[tool(read_only)]
pub async fn show(page: Page<Item>, more: Option<Pages>) -> Result<Page<Item>, String> {
    let _ = more;
    Ok(page)
}

/// Show the lengths of pages by their names.
#[tool(read_only)]
pub fn lengths(pages: BTreeMap<String, Page<u8>>) -> BTreeMap<String, Page<usize>> {
    let lengths = pages.into_iter().map(|(name, page)| {
        let items = vec![page.items.len()];
        let next = page.next;
        (name, Page { items, next })
    });
    lengths.collect()
}

pub struct Shelf<T, const SIZE: usize> {
    pub page: Page<T>,
}

#[toolbox(read_only)]
impl<T, const SIZE: usize> Shelf<T, SIZE>
where
    T: Clone + Serialize + JsonSchema + Send + Sync + 'static,
{
    /// Show what is on the shelf.
    #[tool]
    pub async fn contents(&self) -> Page<T> {
        self.page.clone()
    }

    /// Tell how much fits.
    #[tool]
    pub fn size(&self) -> usize {
        SIZE
    }
}

pub fn all() -> Vec<std::sync::Arc<dyn Tool>> {
    let page = Page {
        items: vec![1_u8],
        next: None,
    };
    Shelf::<u8, 9> { page }.into_tools()
}

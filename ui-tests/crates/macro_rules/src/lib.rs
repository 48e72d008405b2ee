//! Tools made by a declarative macro: the names of the function, the parameter and the tool come from its caller.

use tinytools::{tool, toolbox, tools};

macro_rules! lookup {
    ($(#[$attribute:meta])* $function:ident as $name:literal ($($parameter:ident: $ty:ty = $default:expr),*)) => {
        $(#[$attribute])*
        #[tool(name = $name, read_only)]
        pub async fn $function(
            #[hidden] limit: &usize,
            $(#[arg(default = $default)] $parameter: $ty,)*
            exact: bool,
        ) -> Result<String, String> {
            let mut found = Vec::new();
            $(found.push($parameter.to_string());)*
            if exact { Ok(found.join(" ")) } else { Ok(limit.to_string()) }
        }
    };
}

lookup! {
    /// Find an author.
    find_author as "author" (author: String = "Sand", year: u16 = 1804)
}
lookup! {
    /// Find a shelf.
    find_shelf as "shelf" (limit_of_books: u32 = 1 + 2)
}

macro_rules! library {
    ($owner:ident, $method:ident) => {
        pub struct $owner;

        #[toolbox]
        impl $owner {
            /// Count the documents.
            #[tool(read_only)]
            pub fn $method(&self, shelf: u32) -> u32 {
                shelf
            }
        }
    };
}

library!(Library, count);

macro_rules! listed {
    ($($tool:path),*) => { tools![$($tool),*] };
}

pub fn all() -> Vec<std::sync::Arc<dyn tinytools::Tool>> {
    listed![FindAuthorTool, FindShelfTool]
}

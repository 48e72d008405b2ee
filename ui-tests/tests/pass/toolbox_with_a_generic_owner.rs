use tinytools::{IntoTools, toolbox};

trait Store: Send + Sync + 'static {
    fn get(&self, key: &str) -> Option<String>;
}

struct Empty;

impl Store for Empty {
    fn get(&self, _: &str) -> Option<String> {
        None
    }
}

struct Cache<S> {
    store: S,
}

#[toolbox]
impl<S: Store> Cache<S> {
    /// Read a value.
    #[tool(read_only)]
    fn read(&self, key: &str) -> Option<String> {
        self.store.get(key)
    }
}

fn main() {
    let tools = Cache { store: Empty }.into_tools();
    assert_eq!(tools[0].name(), "read");
}

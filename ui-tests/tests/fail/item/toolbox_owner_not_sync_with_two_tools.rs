use std::rc::Rc;

use tinytools::toolbox;

struct Library {
    titles: Rc<Vec<String>>,
}

#[toolbox]
impl Library {
    /// Count the titles.
    #[tool]
    fn count(&self) -> usize {
        self.titles.len()
    }

    /// Tell the first title.
    #[tool]
    async fn first(&self) -> Option<String> {
        self.titles.first().cloned()
    }
}

fn main() {}

use tinytools::toolbox;

struct Library<T> {
    titles: Vec<T>,
}

#[toolbox]
impl<T: PartialEq + Send + Sync + 'static> Library<T> {
    /// Tell whether a title is there.
    #[tool]
    fn has(&self, title: T) -> bool {
        self.titles.contains(&title)
    }
}

fn main() {}

use tinytools::toolbox;

struct Library<'a> {
    titles: &'a [String],
}

#[toolbox]
impl<'a> Library<'a> {
    /// Count the titles.
    #[tool]
    fn count(&self) -> usize {
        self.titles.len()
    }
}

fn main() {}

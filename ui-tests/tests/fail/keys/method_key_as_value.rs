use tinytools::toolbox;

struct Library;

#[toolbox]
impl Library {
    /// Count the titles.
    #[tool = "count"]
    fn count(&self) -> u32 {
        3
    }
}

fn main() {}

use tinytools::toolbox;

struct Index;

#[toolbox]
impl Index {
    fn open() -> Self {
        Self
    }
}

fn main() {}

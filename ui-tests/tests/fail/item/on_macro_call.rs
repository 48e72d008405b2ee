use tinytools::tool;

#[tool]
thread_local! {
    static SEARCH: u32 = 3;
}

fn main() {}

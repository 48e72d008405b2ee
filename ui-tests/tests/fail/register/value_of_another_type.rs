use tinyagents::ToolRegistry;

struct Documents;

fn main() {
    let _ = ToolRegistry::new().register(Documents);
}

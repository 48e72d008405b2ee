use serde_json::json;
use tinytools::{Tool, tool};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Folder {
    name: String,
    folders: Vec<Folder>,
}

impl Folder {
    fn count(&self) -> usize {
        1 + self.folders.iter().map(Self::count).sum::<usize>()
    }
}

/// Count folders.
#[tool(read_only)]
fn count_folders(root: Folder) -> String {
    format!("{} {}", root.name, root.count())
}

fn main() {
    assert!(CountFoldersTool.parameters_schema()["$defs"].is_object());
    let args = json!({"root": {"name": "a", "folders": [{"name": "b", "folders": []}]}});
    assert_eq!(
        ui_tests::call(&CountFoldersTool, args).unwrap().text(),
        "a 2"
    );
}

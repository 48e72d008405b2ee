use tinytools::tool;

/// Save a note.
#[tool(read_only, writes_files)]
fn save(note: String) -> String {
    note
}

fn main() {}

use tinytools::tool;

/// Something that finds documents.
#[tool]
trait Search {}

fn main() {}

use serde_json::json;
use tinytools::{Tool, tool};

macro_rules! lookup_tool {
    ($function:ident, $parameter:ident: $ty:ty, $description:literal) => {
        #[doc = $description]
        #[tool(read_only)]
        fn $function($parameter: $ty, #[arg(default = 3)] limit: u8) -> String {
            format!("{:?} {limit}", $parameter)
        }
    };
}

lookup_tool!(find_author, author: String, "Find an author.");
lookup_tool!(find_year, year: Option<u16>, "Find a year.");

fn main() {
    assert_eq!(FindAuthorTool.description(), "Find an author.");
    let answer = ui_tests::call(&FindAuthorTool, json!({"author": "Sand"})).unwrap();
    assert_eq!(answer.text(), r#""Sand" 3"#);
    assert_eq!(ui_tests::property(&FindYearTool, "year")["type"], "integer");
    assert_eq!(FindYearTool.parameters_schema()["required"], json!([]));
}

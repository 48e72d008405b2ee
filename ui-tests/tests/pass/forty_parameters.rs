use serde_json::json;
use tinytools::{Tool, tool};

/// Add many numbers.
#[tool(read_only)]
#[allow(clippy::too_many_arguments)]
fn add_many(
    a0: u32,
    a1: u32,
    a2: u32,
    a3: u32,
    a4: u32,
    a5: u32,
    a6: u32,
    a7: u32,
    a8: u32,
    a9: u32,
    b0: u32,
    b1: u32,
    b2: u32,
    b3: u32,
    b4: u32,
    b5: u32,
    b6: u32,
    b7: u32,
    b8: u32,
    b9: u32,
    c0: u32,
    c1: u32,
    c2: u32,
    c3: u32,
    c4: u32,
    c5: u32,
    c6: u32,
    c7: u32,
    c8: u32,
    c9: u32,
    d0: u32,
    d1: u32,
    d2: u32,
    d3: u32,
    d4: u32,
    d5: u32,
    d6: u32,
    d7: u32,
    d8: u32,
    d9: u32,
) -> u32 {
    let a = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9;
    let b = b0 + b1 + b2 + b3 + b4 + b5 + b6 + b7 + b8 + b9;
    let c = c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7 + c8 + c9;
    a + b + c + d0 + d1 + d2 + d3 + d4 + d5 + d6 + d7 + d8 + d9
}

fn main() {
    let required = AddManyTool.parameters_schema()["required"].take();
    assert_eq!(required.as_array().unwrap().len(), 40);
    let report = ui_tests::call(&AddManyTool, json!({})).unwrap_err();
    assert!(report.contains("a0") && report.contains("d9"), "{report}");
}

//! The `json_schema` rows of the shared corpora.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod schema_support;

use std::{collections::HashSet, env, fs, path::PathBuf};

use schema_support::check_agreement;
use serde_json::Value;
use tinyagents::schema::{SchemaError, Validator};

/// Keywords that the validator enforces, and those that say nothing about a value.
const KNOWN: [&str; 40] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "items[array]",
    "additionalItems",
    "prefixItems",
    "enum",
    "const",
    "boolean_schema:true",
    "boolean_schema:false",
    "$ref",
    "$defs",
    "definitions",
    "allOf",
    "anyOf",
    "oneOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "$schema",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentMediaType",
    "contentEncoding",
    "contentSchema",
];

fn rows() -> Option<Vec<Value>> {
    let Some(folder) = env::var_os("TINYAGENTS_CORPORA") else {
        println!("skipped: TINYAGENTS_CORPORA is not set");
        return None;
    };
    let folder = PathBuf::from(folder).join("json_schema");
    let mut rows = Vec::new();
    for entry in
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
    {
        let path = entry.expect("a folder entry").path();
        let text = fs::read_to_string(&path).expect("a corpus file");
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        rows.extend(lines.map(|line| serde_json::from_str::<Value>(line).expect("a JSON row")));
    }
    Some(rows)
}

fn is_enforced(row: &Value) -> bool {
    row["keywords"]
        .as_array()
        .expect("keywords")
        .iter()
        .all(|keyword| KNOWN.contains(&keyword.as_str().unwrap_or_default()))
}

/// A row may mention a remote schema in an enforced keyword; only local references are followed.
fn has_remote_reference(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => {
            let remote = map
                .get("$ref")
                .and_then(Value::as_str)
                .is_some_and(|reference| reference.contains("://"));
            remote || map.values().any(has_remote_reference)
        }
        Value::Array(items) => items.iter().any(has_remote_reference),
        _ => false,
    }
}

#[test]
fn rows_of_enforced_keywords_agree() {
    let Some(rows) = rows() else { return };
    let mut agreed = 0;
    let mut wrong = Vec::new();
    for row in rows
        .iter()
        .filter(|row| is_enforced(row) && !has_remote_reference(&row["schema"]))
    {
        let found = Validator::compile(&row["schema"]).map(|validator| {
            let fits = validator.is_valid(&row["instance"]);
            assert_eq!(fits, validator.validate(&row["instance"]).is_ok(), "{row}");
            fits
        });
        match found {
            Ok(fits) if Some(fits) == row["valid"].as_bool() => agreed += 1,
            Ok(_) => wrong.push(row.to_string()),
            Err(error) => wrong.push(format!("{error}: {row}")),
        }
    }
    check_agreement(agreed, &wrong);
}

#[test]
fn other_rows_are_passed_or_refused_but_no_valid_value_is() {
    let Some(rows) = rows() else { return };
    let mut refused = HashSet::new();
    let mut passed = 0;
    let mut wrong = Vec::new();
    for row in rows.iter().filter(|row| !is_enforced(row)) {
        let Ok(validator) = Validator::compile(&row["schema"]) else {
            refused.insert(row["group_id"].to_string());
            continue;
        };
        passed += 1;
        let fits = validator.validate(&row["instance"]).is_ok();
        if row["valid"] == true && !fits {
            wrong.push(row.to_string());
        }
    }
    println!("{passed} rows pass, {} schemas are refused", refused.len());
    assert!(
        wrong.is_empty(),
        "{} valid values are refused:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn real_tools_compile_unless_their_schema_is_no_local_json_schema() {
    let Some(folder) = env::var_os("TINYAGENTS_CORPORA") else {
        println!("skipped: TINYAGENTS_CORPORA is not set");
        return;
    };
    let text = fs::read_to_string(PathBuf::from(folder).join("tool_schemas.jsonl"))
        .expect("a corpus file");
    let mut compiled = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let row: Value = serde_json::from_str(line).expect("a JSON row");
        match Validator::compile(&row["input_schema"]) {
            Ok(_) => compiled += 1,
            // The types of another dialect are no JSON types, and some tools are there because they lead nowhere.
            Err(
                error @ (SchemaError::UnknownType { .. }
                | SchemaError::ExternalReference { .. }
                | SchemaError::ReferenceLoop { .. }),
            ) => println!("{}: {error}", row["name"]),
            Err(error) => panic!("{}: {error}", row["name"]),
        }
    }
    println!("{compiled} schemas compile");
    assert!(compiled > 0, "no schema was compiled");
}

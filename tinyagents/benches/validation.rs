//! Validation of arguments beside the `jsonschema` crate: same schemas, same instances, same run.
//!
//! The bounds are those of the project: `valid` no slower, `invalid` with the full report 1.5 times faster.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use tinyagents::schema::Validator;

struct Case {
    name: &'static str,
    schema: Value,
    valid: Value,
    invalid: Value,
}

fn cases() -> [Case; 3] {
    [small(), medium(), large()]
}

fn small() -> Case {
    Case {
        name: "small",
        schema: json!({
            "type": "object",
            "properties": {
                "city": { "type": "string", "description": "City name." },
                "days": { "type": "integer", "minimum": 1, "maximum": 14, "default": 3 }
            },
            "required": ["city"],
            "additionalProperties": false
        }),
        valid: json!({ "city": "Oslo", "days": 5 }),
        invalid: json!({ "days": 30, "town": "Oslo" }),
    }
}

fn medium() -> Case {
    Case {
        name: "medium",
        schema: json!({
            "type": "object",
            "properties": {
                "owner": { "type": "string", "minLength": 1, "maxLength": 39 },
                "repo": { "type": "string", "pattern": "^[A-Za-z0-9_.-]+$" },
                "title": { "type": "string", "maxLength": 256 },
                "body": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
                "state": { "type": "string", "enum": ["open", "closed", "all"] },
                "labels": { "type": "array", "items": { "type": "string" }, "maxItems": 20 },
                "assignees": { "type": "array", "items": { "type": "string" } },
                "milestone": { "type": "integer", "minimum": 1 },
                "draft": { "type": "boolean" },
                "options": {
                    "type": "object",
                    "properties": {
                        "per_page": { "type": "integer", "minimum": 1, "maximum": 100 },
                        "page": { "type": "integer", "minimum": 1 },
                        "sort": { "enum": ["created", "updated", "comments"] }
                    },
                    "additionalProperties": false
                }
            },
            "required": ["owner", "repo", "title"],
            "additionalProperties": false
        }),
        valid: json!({
            "owner": "rust-lang", "repo": "rust", "title": "A title of ordinary length", "body": "Some words. ".repeat(20),
            "state": "open", "labels": ["bug", "help wanted"], "assignees": ["one", "two"], "milestone": 7, "draft": false,
            "options": { "per_page": 50, "page": 2, "sort": "updated" }
        }),
        invalid: json!({
            "owner": "", "repo": "a b", "body": 4, "state": "opened", "labels": ["bug", 3], "milestone": 0, "draft": "no",
            "options": { "per_page": 500, "pages": 2, "sort": "update" }
        }),
    }
}

fn large() -> Case {
    let item = |n: u64| {
        json!({
            "id": n, "name": format!("item {n}"), "price": 9.5, "tags": ["a", "b", "c"], "kind": "book",
            "size": { "width": 10, "height": 20, "unit": "mm" }, "note": null
        })
    };
    let items: Vec<Value> = (1..=50).map(item).collect();
    let mut wrong = items.clone();
    for item in wrong.iter_mut().step_by(5) {
        item["price"] = json!("9.5");
        item["size"]["unit"] = json!("inch");
    }
    let order = |items: Vec<Value>| {
        json!({
            "customer": { "name": "Ada", "email": "ada@example.org", "address": { "street": "Way 1", "city": "Oslo", "zip": "0150" } },
            "items": items,
            "express": true
        })
    };
    Case {
        name: "large",
        schema: json!({
            "type": "object",
            "properties": {
                "customer": {
                    "type": "object",
                    "properties": {
                        "name": { "type": "string", "minLength": 1 },
                        "email": { "type": "string" },
                        "address": {
                            "type": "object",
                            "properties": { "street": { "type": "string" }, "city": { "type": "string" }, "zip": { "type": "string", "maxLength": 10 } },
                            "required": ["street", "city"],
                            "additionalProperties": false
                        }
                    },
                    "required": ["name", "email", "address"],
                    "additionalProperties": false
                },
                "items": { "type": "array", "items": { "$ref": "#/$defs/item" }, "minItems": 1, "maxItems": 100 },
                "express": { "type": "boolean" }
            },
            "required": ["customer", "items"],
            "additionalProperties": false,
            "$defs": {
                "item": {
                    "type": "object",
                    "properties": {
                        "id": { "type": "integer", "minimum": 1 },
                        "name": { "type": "string", "maxLength": 80 },
                        "price": { "type": "number", "exclusiveMinimum": 0 },
                        "tags": { "type": "array", "items": { "type": "string" }, "maxItems": 5 },
                        "kind": { "enum": ["book", "toy", "tool"] },
                        "size": {
                            "type": "object",
                            "properties": { "width": { "type": "integer" }, "height": { "type": "integer" }, "unit": { "enum": ["mm", "cm"] } },
                            "required": ["width", "height"],
                            "additionalProperties": false
                        },
                        "note": { "type": ["string", "null"] }
                    },
                    "required": ["id", "name", "price", "kind"],
                    "additionalProperties": false
                }
            }
        }),
        valid: order(items),
        invalid: order(wrong),
    }
}

fn validation(criterion: &mut Criterion) {
    for case in cases() {
        let ours = Validator::compile(&case.schema).expect("the schema compiles");
        let theirs = jsonschema::validator_for(&case.schema).expect("the schema compiles");
        assert!(ours.is_valid(&case.valid) && theirs.is_valid(&case.valid));
        assert!(!ours.is_valid(&case.invalid) && !theirs.is_valid(&case.invalid));

        let mut group = criterion.benchmark_group("valid");
        group.bench_function(BenchmarkId::new("tinyagents", case.name), |bencher| {
            bencher.iter(|| ours.validate(black_box(&case.valid)).is_ok());
        });
        group.bench_function(BenchmarkId::new("jsonschema", case.name), |bencher| {
            bencher.iter(|| theirs.is_valid(black_box(&case.valid)));
        });
        group.finish();

        let mut group = criterion.benchmark_group("invalid");
        group.bench_function(BenchmarkId::new("tinyagents", case.name), |bencher| {
            bencher.iter(|| ours.validate(black_box(&case.invalid)));
        });
        group.bench_function(
            BenchmarkId::new("tinyagents as text", case.name),
            |bencher| {
                bencher.iter(|| {
                    let faults = ours.validate(black_box(&case.invalid)).err();
                    faults
                        .iter()
                        .flatten()
                        .map(ToString::to_string)
                        .collect::<Vec<_>>()
                });
            },
        );
        group.bench_function(
            BenchmarkId::new("jsonschema as text", case.name),
            |bencher| {
                bencher.iter(|| {
                    theirs
                        .iter_errors(black_box(&case.invalid))
                        .map(|error| error.to_string())
                        .collect::<Vec<_>>()
                });
            },
        );
        group.finish();
    }
}

criterion_group!(benches, validation);
criterion_main!(benches);

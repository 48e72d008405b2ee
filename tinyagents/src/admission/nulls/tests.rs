use serde_json::json;

use super::*;

fn dropped(schema: &Value, mut arguments: Value) -> Value {
    drop_refused_nulls(schema, &mut arguments);
    arguments
}

#[test]
fn a_null_goes_only_where_the_property_is_optional_and_excludes_it() {
    let schema = json!({
        "type": "object",
        "properties": {
            "optional": { "type": "string" },
            "required": { "type": "string" },
            "nullable": { "type": ["string", "null"] },
            "choice": { "enum": ["a", null] },
            "anything": {}
        },
        "required": ["required"]
    });
    let given = json!({ "optional": null, "required": null, "nullable": null, "choice": null, "anything": null, "undeclared": null });
    let kept = json!({ "required": null, "nullable": null, "choice": null, "anything": null, "undeclared": null });
    assert_eq!(dropped(&schema, given), kept);
}

#[test]
fn a_null_that_fits_several_of_which_one_must_fit_goes() {
    let text = json!({ "type": ["string", "null"] });
    let list = json!({ "type": ["array", "null"] });
    let unknown = json!({ "$ref": "#/$defs/none" });
    for (branches, is_refused) in [
        (json!([text, list]), true),
        (json!([text, { "type": "array" }]), false),
        (
            json!([{ "type": "string" }, { "anyOf": [{ "type": "array" }, true] }]),
            false,
        ),
        (
            json!([{ "type": "null" }, { "allOf": [text, { "enum": [null, 1] }] }]),
            true,
        ),
        (json!([{ "oneOf": [text, list] }, text]), false),
        // Nobody knows whether that one lets it through.
        (json!([text, unknown]), false),
        (json!([text, { "not": { "type": "null" } }]), false),
    ] {
        let schema = json!({ "type": "object", "properties": { "a": { "oneOf": branches } } });
        let kept = if is_refused {
            json!({})
        } else {
            json!({ "a": null })
        };
        assert_eq!(dropped(&schema, json!({ "a": null })), kept, "{schema}");
    }
}

#[test]
fn of_several_branches_the_one_that_is_meant_decides() {
    let schema = json!({ "type": "object", "properties": { "wait": { "anyOf": [
        { "type": "object", "properties": {
            "kind": { "const": "until" }, "date": { "type": "string" }, "note": { "type": ["string", "null"] }
        } },
        { "type": "object", "properties": {
            "kind": { "enum": ["for"] }, "minutes": { "type": "number" }, "note": { "type": "string" }
        } }
    ] } } });
    for (given, kept) in [
        (
            json!({ "kind": "until", "date": null, "note": null }),
            json!({ "kind": "until", "note": null }),
        ),
        (
            json!({ "kind": "for", "minutes": null, "note": null }),
            json!({ "kind": "for" }),
        ),
        (
            json!({ "kind": null, "date": null, "note": null, "other": null }),
            json!({ "note": null, "other": null }),
        ),
    ] {
        assert_eq!(
            dropped(&schema, json!({ "wait": given })),
            json!({ "wait": kept })
        );
    }
}

#[test]
fn the_first_branch_that_fits_decides() {
    let strings = json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } } });
    let mut closed = strings.clone();
    closed["additionalProperties"] = json!(false);
    let nullable =
        json!({ "type": "object", "properties": { "a": { "type": ["string", "null"] } } });
    let requiring =
        json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] });
    let large = json!({ "type": "object", "properties": { "a": { "type": "string" }, "n": { "minimum": 10 } } });
    let list = json!({ "type": "object", "properties": { "a": { "type": "string" }, "n": {
        "type": "array", "items": { "type": "integer" }
    } } });
    for (branches, given, kept) in [
        // Required and refused: not that one.
        (json!([requiring, strings]), json!({ "a": null }), json!({})),
        (
            json!([requiring, nullable]),
            json!({ "a": null }),
            json!({ "a": null }),
        ),
        // It has no such argument.
        (
            json!([closed, nullable]),
            json!({ "a": null, "c": 1 }),
            json!({ "a": null, "c": 1 }),
        ),
        (
            json!([closed, nullable]),
            json!({ "a": null, "b": "x" }),
            json!({ "b": "x" }),
        ),
        // A number of another size, a list of something else.
        (
            json!([large, nullable]),
            json!({ "a": null, "n": 3 }),
            json!({ "a": null, "n": 3 }),
        ),
        (
            json!([large, nullable]),
            json!({ "a": null, "n": 30 }),
            json!({ "n": 30 }),
        ),
        (
            json!([list, nullable]),
            json!({ "a": null, "n": ["x"] }),
            json!({ "a": null, "n": ["x"] }),
        ),
    ] {
        let schema = json!({ "type": "object", "properties": { "who": { "anyOf": branches } } });
        assert_eq!(
            dropped(&schema, json!({ "who": given })),
            json!({ "who": kept }),
            "{schema}"
        );
    }
}

#[test]
fn nulls_for_what_other_alternatives_have_go() {
    let only = |name: &str, schema: Value| {
        json!({
            "type": "object", "properties": { (name): schema }, "required": [name], "additionalProperties": false
        })
    };
    let (circle, square) = (
        only("r", json!({ "type": "number" })),
        only("a", json!({ "type": "number" })),
    );
    let schema = json!({ "properties": { "shape": { "oneOf": [circle, square] } } });
    for (given, kept) in [
        (
            json!({ "r": null, "a": 1, "kind": null }),
            json!({ "a": 1 }),
        ),
        (
            json!({ "r": 1, "a": null, "kind": null }),
            json!({ "r": 1 }),
        ),
        // What is given is never left out.
        (
            json!({ "r": 1, "a": 1, "kind": null }),
            json!({ "r": 1, "a": 1, "kind": null }),
        ),
        (
            json!({ "r": null, "a": 1, "kind": "x" }),
            json!({ "r": null, "a": 1, "kind": "x" }),
        ),
    ] {
        assert_eq!(
            dropped(&schema, json!({ "shape": given })),
            json!({ "shape": kept })
        );
    }
}

#[test]
fn unions_inside_unions_are_taken_apart() {
    let schema = json!({
        "type": "object",
        "properties": { "c": { "anyOf": [
            { "oneOf": [{ "$ref": "#/$defs/Tree" }, { "type": "null" }] }, { "type": "string" }
        ] } },
        "$defs": { "Tree": { "type": "object", "properties": {
            "label": { "type": "string" }, "below": { "type": "array", "items": { "$ref": "#/$defs/Tree" } }
        } } }
    });
    assert_eq!(
        dropped(
            &schema,
            json!({ "c": { "label": "x", "below": [{ "below": null }] } })
        ),
        json!({ "c": { "label": "x", "below": [{}] } })
    );
}

#[test]
fn a_schema_that_describes_each_value_twice_takes_no_endless_time() {
    let schema = json!({
        "$defs": { "S": {
            "properties": { "a": { "$ref": "#/$defs/S" } },
            "allOf": [{ "properties": { "a": { "$ref": "#/$defs/S" } } }]
        } },
        "$ref": "#/$defs/S"
    });
    let mut value = json!(null);
    for _ in 0..100 {
        value = json!({ "a": value });
    }
    assert_eq!(dropped(&schema, value.clone()), value);
}

#[test]
fn alternatives_of_alternatives_take_no_endless_time() {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let mut schema = json!({ "properties": { "a": { "$ref": "#/$defs/d0" } }, "$defs": {} });
        for level in 0..60 {
            let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
            schema["$defs"][format!("d{level}")] = json!({ (keyword): [next, next] });
        }
        schema["$defs"]["d60"] = json!({ "type": ["string", "null"] });
        let given = json!({ "a": null });
        assert_eq!(dropped(&schema, given.clone()), given, "{keyword}");
    }
}

#[test]
fn nulls_go_at_any_depth_and_through_references() {
    let schema = json!({
        "type": "object",
        "properties": {
            "filters": { "type": "array", "items": { "$ref": "#/$defs/Filter" } },
            "page": { "anyOf": [{ "$ref": "#/$defs/Filter" }, { "type": "null" }] }
        },
        "$defs": { "Filter": { "type": "object", "properties": {
            "since": { "type": "string" }, "inner": { "$ref": "#/$defs/Filter" }
        } } }
    });
    let given = json!({
        "filters": [{ "since": null, "inner": { "since": null } }],
        "page": { "inner": { "inner": null } }
    });
    let kept = json!({ "filters": [{ "inner": {} }], "page": { "inner": {} } });
    assert_eq!(dropped(&schema, given), kept);
}

#[test]
fn what_each_item_of_a_list_asks_of_a_schema_takes_no_endless_time() {
    let text =
        |pattern: &str| json!({ "properties": { "a": { "type": "string", "pattern": pattern } } });
    let large = |name: &str| {
        let values: Vec<String> = (0..2000).map(|value| format!("{value}")).collect();
        json!({ "type": "object", "properties": { "a": { "enum": values }, (name): {} }, "required": ["b"] })
    };
    let mut levels = json!({ "d60": { "type": ["string", "null"] } });
    for level in 0..60 {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        levels[format!("d{level}")] = json!({ "anyOf": [next, next] });
    }
    let names: Vec<String> = (0..20_000).map(|name| format!("name_{name}")).collect();
    let nothing: Map<String, Value> = names
        .iter()
        .cloned()
        .map(|name| (name, json!(null)))
        .collect();
    let with_nothing = Value::Object(nothing.clone());
    let alternatives: Vec<Value> = (0..40).map(|name| large(&format!("n{name}"))).collect();
    for (items, item, count) in [
        // Patterns take long to compile.
        (
            json!({ "anyOf": [text(r"^\p{L}{1,40}-x$"), text(r"^\p{N}{1,40}-x$")] }),
            json!({ "a": "x" }),
            20_000,
        ),
        // Whether a `null` is let through may be asked of thousands of schemas,
        (
            json!({ "properties": { "a": { "$ref": "#/$defs/d0" } } }),
            json!({ "a": null }),
            100_000,
        ),
        // whether a property is required, of as many names,
        (
            json!({ "properties": nothing, "required": names }),
            with_nothing,
            1,
        ),
        // and whether an alternative is another one, of all that is in it.
        (
            json!({ "anyOf": alternatives }),
            json!({ "a": "1", "b": {} }),
            2000,
        ),
    ] {
        let schema = json!({ "items": items, "$defs": levels });
        let given = Value::Array(vec![item; count]);
        assert_eq!(dropped(&schema, given.clone()), given);
    }
}

//! What the tests of the validator share.

#![allow(dead_code, unreachable_pub, clippy::expect_used, clippy::panic)]

use serde_json::Value;
use tinyagents::schema::Validator;

/// Asserts what a schema accepts and refuses, by both ways of asking.
pub fn check(schema: &Value, valid: &[Value], invalid: &[Value]) {
    let validator = Validator::compile(schema).unwrap_or_else(|error| panic!("{schema}: {error}"));
    for value in valid {
        assert_eq!(
            validator.validate(value),
            Ok(()),
            "{schema} must accept {value}"
        );
        assert!(validator.is_valid(value), "{schema} must accept {value}");
    }
    for value in invalid {
        assert!(!validator.is_valid(value), "{schema} must refuse {value}");
        let faults = validator.validate(value).expect_err("a refusal has faults");
        assert!(
            !faults.is_empty(),
            "{schema} refuses {value} without a word"
        );
    }
}

/// Asserts that rows of a corpus were run, and that none disagrees.
pub fn check_agreement(agreed: usize, wrong: &[String]) {
    println!("{agreed} rows agree");
    assert!(
        wrong.is_empty(),
        "{} disagree:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(agreed > 0, "no row was run");
}

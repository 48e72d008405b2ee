//! What the tests of mended texts share.

#![allow(dead_code, missing_docs, unreachable_pub)]

use serde_json::Value;
use tinyagents::relaxed_json::recover_relaxed_object;

#[track_caller]
pub fn mended(cases: &[(&str, Value)]) {
    for (text, object) in cases {
        let found = recover_relaxed_object(text).map(Value::Object);
        assert_eq!(found.as_ref(), Some(object), "{text}");
    }
}

#[track_caller]
pub fn refused(texts: &[&str]) {
    for text in texts {
        assert_eq!(recover_relaxed_object(text), None, "{text}");
    }
}

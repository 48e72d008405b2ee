//! What must hold of any names, one a line, that come from outside or stand in a history.

use std::collections::{BTreeSet, HashSet};

use serde_json::json;
use tinyagents::model::{ModelRequest, NameRules};
use tinyagents::{Message, OutsideNames, ToolAliases, ToolCall, ToolName};

/// Maps the names both ways.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let outside: BTreeSet<&str> = text.lines().take(64).collect();
    let names = OutsideNames::sanitize(outside.iter().copied(), &["taken"]);
    let mut canonical = HashSet::new();
    for name in &outside {
        let Some(known) = names.canonical(name) else {
            panic!("{name:?} has no canonical name");
        };
        assert!(ToolName::parse(known.as_str()).is_ok() && known.as_str() != "taken");
        assert_eq!(names.outside(known.as_str()), Some(*name));
        assert!(
            canonical.insert(known.as_str().to_owned()),
            "{name:?} shares its name"
        );
    }
    let calls = outside
        .iter()
        .map(|name| ToolCall::new("c1", *name, json!({})))
        .collect();
    let request = ModelRequest::new(vec![Message::assistant_calls("", calls)]);
    for rules in [NameRules::OpenAi, NameRules::Anthropic, NameRules::Gemini] {
        let map = ToolAliases::new(rules).map(&request);
        let mut sent = HashSet::new();
        for name in &outside {
            let told = map.provider(name);
            assert_eq!(map.canonical(told), *name);
            assert!(sent.insert(told.to_owned()), "{name:?} shares {told:?}");
        }
    }
}

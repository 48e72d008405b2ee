//! The root, and the names of the arguments.

use serde_json::{Map, Value};

use super::Linter;
use crate::schema::prepare::is_plain_argument;

impl<'a> Linter<'a> {
    /// Checks what is true of the root alone. Arguments are an object for every provider: "schema must be a JSON Schema of
    /// 'type: \"object\"'" (`OpenAI`, `chatanywhere/GPT_API_free#403`), Anthropic's API reference (`input_schema`),
    /// googleapis/python-genai#981 (Gemini), earendil-works/pi#8804 (Bedrock), `Tool` of the MCP specification.
    pub(super) fn check_root(&mut self, schema: &'a Value) -> Option<&'a Map<String, Value>> {
        let Value::Object(root) = schema else {
            self.refused("", "a tool's schema must be a JSON object");
            return None;
        };
        if root.get("type").is_none_or(|ty| ty != "object") {
            self.refused("", "the root must be of `\"type\": \"object\"`");
        }
        if self.rules.needs_root_properties && !root.contains_key("properties") {
            self.refused("", "the root must have `properties`, be it without any");
        }
        for keyword in self.rules.root_never {
            if root.contains_key(*keyword) {
                let message =
                    format!("`{keyword}` is not allowed at the root; describe one plain object");
                self.refused(&format!("/{keyword}"), message);
            }
        }
        if let Some(known) = self.rules.root_keywords {
            for keyword in root
                .keys()
                .filter(|keyword| !known.contains(&keyword.as_str()))
            {
                let message = format!(
                    "`{keyword}` is not allowed at the root; only {} are",
                    listed(known)
                );
                self.refused(&pointer(keyword), message);
            }
        }
        if self.rules.plain_arguments {
            self.check_argument_names(root);
        }
        Some(root)
    }

    /// Anthropic: "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'" (anthropics/claude-code#79418).
    fn check_argument_names(&mut self, root: &Map<String, Value>) {
        let Some(Value::Object(properties)) = root.get("properties") else {
            return;
        };
        for name in properties.keys().filter(|name| !is_plain_argument(name)) {
            let path = format!("/properties{}", pointer(name));
            self.refused(
                &path,
                "an argument's name must be 1 to 64 letters, digits, `_`, `.` or `-`",
            );
        }
    }
}

pub(super) fn pointer(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn listed(keywords: &[&str]) -> String {
    let quoted: Vec<String> = keywords
        .iter()
        .map(|keyword| format!("`{keyword}`"))
        .collect();
    quoted.join(", ")
}

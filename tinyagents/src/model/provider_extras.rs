//! What only one provider knows how to read.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a provider sends with a message beyond what they all have, such as signatures of its reasoning.
///
/// It goes back, as it came, to the provider it came from, and to no other.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProviderExtras {
    /// Where it came from: the base URL of the endpoint, without its query.
    pub origin: String,
    /// The field of the message that held the reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_field: Option<String>,
    /// Further fields of the message.
    #[serde(skip_serializing_if = "Map::is_empty", with = "super::deep_json")]
    pub message: Map<String, Value>,
    /// Further fields of its calls, by the call's position.
    #[serde(skip_serializing_if = "Vec::is_empty", with = "super::deep_json")]
    pub calls: Vec<Map<String, Value>>,
}

impl fmt::Debug for ProviderExtras {
    /// Shows where it came from and what the fields are called: what is in them may be thoughts, and signatures of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = self.calls.iter().flat_map(Map::keys);
        f.debug_struct("ProviderExtras")
            .field("origin", &self.origin)
            .field("reasoning_field", &self.reasoning_field)
            .field("message", &self.message.keys().collect::<Vec<_>>())
            .field("calls", &calls.collect::<Vec<_>>())
            .finish()
    }
}

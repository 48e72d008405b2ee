//! How many tokens an answer has cost.

use serde_json::Value;

use crate::model::Usage;

/// The figures, by whatever of their names the endpoint uses; one that is missing is 0.
pub(super) fn read_usage(usage: &Value) -> Usage {
    let tokens = |pointers: &[&str]| {
        let mut known = pointers
            .iter()
            .filter_map(|pointer| usage.pointer(pointer)?.as_u64());
        known.next().unwrap_or_default()
    };
    Usage {
        input_tokens: tokens(&["/prompt_tokens"]),
        output_tokens: tokens(&["/completion_tokens"]),
        cached_input_tokens: tokens(&[
            "/prompt_tokens_details/cached_tokens",
            "/prompt_cache_hit_tokens",
        ]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn usage_is_read_with_what_came_from_a_cache() {
        let usage = json!({ "prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": { "cached_tokens": 5 } });
        let expected = Usage {
            input_tokens: 9,
            output_tokens: 4,
            cached_input_tokens: 5,
        };
        assert_eq!(read_usage(&usage), expected);
        assert_eq!(
            read_usage(
                &json!({ "prompt_tokens": 9, "completion_tokens": 4, "prompt_cache_hit_tokens": 5 })
            ),
            expected
        );
        assert_eq!(
            read_usage(&json!({ "prompt_tokens": "many" })),
            Usage::default()
        );
    }
}

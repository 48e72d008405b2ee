//! Ids of calls that came from elsewhere.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use crate::model::NameRules;

const LENGTH: usize = 9;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The id as the provider takes it: itself, or nine letters and digits that stand for it, the same in the call and in its
/// answer. A transcript may have been begun with a provider whose ids are longer.
pub(super) fn sent_id(id: &str, rules: NameRules) -> Cow<'_, str> {
    if rules.accepts_call_id(id) {
        return Cow::Borrowed(id);
    }
    let digest = Sha256::digest(id.as_bytes());
    let letters = digest.iter().take(LENGTH);
    Cow::Owned(
        letters
            .map(|byte| char::from(ALPHABET[usize::from(*byte) % 62]))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_the_provider_refuses_is_replaced_by_the_same_one_each_time() {
        let long = "toolu_".repeat(9);
        for rules in NameRules::ALL {
            for id in ["call_1", "a.b", "", long.as_str()] {
                let sent = sent_id(id, rules);
                assert!(rules.accepts_call_id(&sent), "{rules:?} {id}");
                assert_eq!(sent, sent_id(id, rules));
                assert_eq!(sent == id, rules.accepts_call_id(id));
            }
        }
        assert_ne!(
            sent_id(&long, NameRules::OpenAi),
            sent_id(&long[1..], NameRules::OpenAi)
        );
    }
}

//! Ids of a run, a conversation and a call, as types of their own, so that they can be injected.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The id's text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({:?})", stringify!($name), &*self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                &*self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                &*self.0 == *other
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<&String> for $name {
            fn from(text: &String) -> Self {
                Self(text.as_str().into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl From<Arc<str>> for $name {
            fn from(text: Arc<str>) -> Self {
                Self(text)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(Self::from)
            }
        }
    };
}

id! {
    /// The id of one run.
    RunId
}

id! {
    /// The id of a conversation, which may take many runs.
    ThreadId
}

id! {
    /// The id of one tool call.
    CallId
}

impl RunId {
    /// A new id, unique for all practical purposes: `run-` and 26 letters and digits.
    #[must_use]
    pub fn generate() -> Self {
        const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
        let mut text = String::with_capacity(30);
        text.push_str("run-");
        for _ in 0..2 {
            // The standard library seeds each hasher at random; that is all the chance an id needs.
            let mut bits = RandomState::new().hash_one(0_u8);
            for _ in 0..13 {
                let digit = usize::try_from(bits & 31).unwrap_or_default();
                text.push(char::from(DIGITS[digit]));
                bits >>= 5;
            }
        }
        Self::from(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_ids_differ_and_have_one_form() {
        let ids: std::collections::HashSet<RunId> = (0..1000).map(|_| RunId::generate()).collect();
        assert_eq!(ids.len(), 1000);
        assert!(ids.iter().all(|id| {
            let text = id.as_str().strip_prefix("run-").unwrap_or_default();
            text.len() == 26 && text.chars().all(|letter| letter.is_ascii_alphanumeric())
        }));
    }

    #[test]
    fn an_id_is_its_text_on_the_wire() {
        let id = ThreadId::from("t1");
        assert_eq!(serde_json::to_string(&id).unwrap(), r#""t1""#);
        assert_eq!(serde_json::from_str::<ThreadId>(r#""t1""#).unwrap(), id);
        assert_eq!(format!("{id} {id:?}"), r#"t1 ThreadId("t1")"#);
        assert_eq!(id, "t1");
    }
}

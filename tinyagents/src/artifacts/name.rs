//! Names of artifacts: safe as a file name anywhere, and made from nothing that a tool or a model says.

use std::fmt;

use crate::deferred::hash_bytes;

const SCHEME: &str = "artifact://";
/// Hexadecimal digits of a SHA-256.
const DIGITS: usize = 64;

/// The SHA-256 of the content, and the ending of its type: equal content is kept once, and an address can't be guessed
/// by one who doesn't know the content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ArtifactName(String);

impl ArtifactName {
    pub(super) fn of(media_type: &str, bytes: &[u8]) -> Self {
        Self(format!("{}.{}", hash_bytes(bytes), ending(media_type)))
    }

    /// The name in an address; `None` for anything that is not exactly the form of our own.
    pub(super) fn parse(uri: &str) -> Option<Self> {
        let name = uri.strip_prefix(SCHEME)?;
        let (digest, ending) = name.split_once('.')?;
        let is_digest = digest.len() == DIGITS
            && digest
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        (is_digest && ENDINGS.iter().any(|(_, known)| *known == ending))
            .then(|| Self(name.to_owned()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ArtifactName {
    /// The address.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}", self.0)
    }
}

const ENDINGS: &[(&str, &str)] = &[
    ("text/plain", "txt"),
    ("text/markdown", "md"),
    ("text/csv", "csv"),
    ("text/html", "html"),
    ("application/json", "json"),
    ("application/pdf", "pdf"),
    ("application/zip", "zip"),
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("image/svg+xml", "svg"),
    ("audio/mpeg", "mp3"),
    ("audio/wav", "wav"),
    ("application/octet-stream", "bin"),
];

/// The usual ending; `bin` for a type that is not known here.
fn ending(media_type: &str) -> &'static str {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    ENDINGS
        .iter()
        .find(|(known, _)| essence.eq_ignore_ascii_case(known))
        .map_or("bin", |(_, ending)| ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_back_to_its_name() {
        for media_type in ["text/plain; charset=utf-8", "IMAGE/PNG", "x/../../etc", ""] {
            let name = ArtifactName::of(media_type, b"abc");
            assert_eq!(ArtifactName::parse(&name.to_string()), Some(name));
        }
    }

    #[test]
    fn nothing_but_our_own_form_is_an_address() {
        let digest = hash_bytes(b"abc");
        for uri in [
            String::new(),
            format!("{digest}.txt"),
            format!("artifact://../{digest}.txt"),
            format!("artifact://{digest}.txt/../../passwd"),
            format!("artifact://{digest}.exe"),
            format!("artifact://{digest}"),
            format!("artifact://{}.txt", digest.to_uppercase()),
            format!("artifact://{}/.txt", &digest[1..]),
            format!("file://{digest}.txt"),
            "artifact:///etc/passwd".to_owned(),
        ] {
            assert_eq!(ArtifactName::parse(&uri), None, "{uri}");
        }
    }
}

//! The tools a model was offered, found by whatever spelling of their names it used.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use crate::model::ToolSchema;

/// Namespaces that chat templates put before a tool's name.
const NAMESPACES: [&str; 5] = [
    "functions.",
    "functions:",
    "function.",
    "tools.",
    "default_api.",
];

/// The tools a model was offered, by name.
#[derive(Debug)]
pub(super) struct Offered<'a> {
    schemas: Schemas<'a>,
    exact: BTreeMap<String, usize>,
    /// By name without case and separators; `None` where several tools share it.
    folded: BTreeMap<String, Option<usize>>,
    /// The letters of ASCII that a spelling of one of the names can begin with.
    firsts: [bool; 128],
}

#[derive(Debug)]
enum Schemas<'a> {
    Borrowed(&'a [ToolSchema]),
    Shared(Arc<[ToolSchema]>),
}

impl Offered<'static> {
    pub(super) fn shared(schemas: Arc<[ToolSchema]>) -> Self {
        Self::index(Schemas::Shared(schemas))
    }
}

impl<'a> Offered<'a> {
    pub(super) fn borrowed(schemas: &'a [ToolSchema]) -> Self {
        Self::index(Schemas::Borrowed(schemas))
    }

    fn index(schemas: Schemas<'a>) -> Self {
        let mut exact = BTreeMap::new();
        let mut folded = BTreeMap::new();
        for (position, schema) in schemas.all().iter().enumerate() {
            exact.entry(schema.name.clone()).or_insert(position);
            folded
                .entry(fold(&schema.name))
                .and_modify(|several| *several = None)
                .or_insert(Some(position));
        }
        let firsts = firsts(&folded);
        Self {
            schemas,
            exact,
            folded,
            firsts,
        }
    }

    /// The tool that the model means: of exactly this name, else of this name without namespace, case and separators,
    /// where that is one tool.
    pub(super) fn find(&self, name: &str) -> Option<&ToolSchema> {
        let name = name.trim();
        let position = self.position(name).or_else(|| {
            let bare = NAMESPACES
                .iter()
                .find_map(|namespace| name.strip_prefix(namespace))?;
            self.position(bare)
        })?;
        self.schemas.all().get(position)
    }

    fn position(&self, name: &str) -> Option<usize> {
        let folded = || self.folded.get(&fold(name)).copied().flatten();
        self.exact.get(name).copied().or_else(folded)
    }

    /// The tool of exactly this name.
    pub(super) fn exactly(&self, name: &str) -> Option<&ToolSchema> {
        self.schemas.all().get(*self.exact.get(name)?)
    }

    /// Whether some tool's name begins exactly so.
    pub(super) fn starts(&self, start: &str) -> bool {
        any_starts(&self.exact, start)
    }

    /// Whether some tool's name, in any spelling, can begin so.
    pub(super) fn begins(&self, start: &str) -> bool {
        let could_be_namespace = || {
            NAMESPACES
                .iter()
                .any(|namespace| namespace.starts_with(start))
        };
        let mut bare = NAMESPACES
            .iter()
            .filter_map(|namespace| start.strip_prefix(namespace));
        any_starts(&self.exact, start)
            || could_be_namespace()
            || any_starts(&self.folded, &letters(start))
            || bare.any(|bare| any_starts(&self.folded, &letters(bare)))
    }

    /// Whether some tool's name, in any spelling, can begin with this letter of ASCII.
    pub(super) fn begins_with(&self, first: u8) -> bool {
        self.firsts.get(usize::from(first)) == Some(&true)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.exact.is_empty()
    }
}

impl Schemas<'_> {
    fn all(&self) -> &[ToolSchema] {
        match self {
            Self::Borrowed(schemas) => schemas,
            Self::Shared(schemas) => schemas,
        }
    }
}

/// A name without case and separators; one of separators alone stays as it is.
fn fold(name: &str) -> String {
    let folded = letters(name);
    if folded.is_empty() {
        name.to_owned()
    } else {
        folded
    }
}

/// What is left of a name without case and separators.
fn letters(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for letter in name.chars() {
        if letter.is_ascii() {
            if letter.is_ascii_alphanumeric() {
                folded.push(letter.to_ascii_lowercase());
            }
        } else if letter.is_alphanumeric() {
            folded.extend(letter.to_lowercase());
        }
    }
    folded
}

fn any_starts<T>(names: &BTreeMap<String, T>, start: &str) -> bool {
    names
        .range::<str, _>((Bound::Included(start), Bound::Unbounded))
        .next()
        .is_some_and(|(name, _)| name.starts_with(start))
}

fn firsts(folded: &BTreeMap<String, Option<usize>>) -> [bool; 128] {
    let mut firsts = [false; 128];
    let mut add = |first: u8| {
        if let Some(place) = firsts.get_mut(usize::from(first)) {
            *place = first.is_ascii_alphabetic() || first == b'_';
        }
    };
    for name in folded.keys() {
        let Some(&first) = name.as_bytes().first() else {
            continue;
        };
        add(first);
        add(first.to_ascii_uppercase());
        add(b'_');
        for namespace in NAMESPACES {
            add(namespace.as_bytes()[0]);
        }
    }
    firsts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schemas(names: &[&str]) -> Vec<ToolSchema> {
        names
            .iter()
            .map(|name| ToolSchema::new(*name, "", json!({})))
            .collect()
    }

    #[test]
    fn case_separators_and_namespaces_are_overlooked() {
        let schemas = schemas(&["get_weather", "Calendar.create_event"]);
        let offered = Offered::borrowed(&schemas);
        for (name, found) in [
            ("get_weather", "get_weather"),
            ("GetWeather", "get_weather"),
            ("get-weather", "get_weather"),
            (" functions.get_weather ", "get_weather"),
            ("tools.GET_WEATHER", "get_weather"),
            ("calendar_create_event", "Calendar.create_event"),
        ] {
            assert_eq!(offered.find(name).unwrap().name, found, "{name}");
        }
        for name in ["weather", "get_weathers", "", "functions."] {
            assert!(offered.find(name).is_none(), "{name}");
        }
    }

    #[test]
    fn of_two_names_that_differ_in_spelling_alone_only_the_exact_one_is_meant() {
        let schemas = schemas(&["read_file", "readFile"]);
        let offered = Offered::borrowed(&schemas);
        assert_eq!(offered.find("readFile").unwrap().name, "readFile");
        assert!(offered.find("READ_FILE").is_none());
    }

    #[test]
    fn the_beginning_of_a_name_is_known() {
        let schemas = schemas(&["get_weather"]);
        let offered = Offered::borrowed(&schemas);
        for start in ["g", "getW", "get_weather", "func", "functions.ge"] {
            assert!(offered.begins(start), "{start}");
        }
        for start in ["x", "get_weathers", "functions.x"] {
            assert!(!offered.begins(start), "{start}");
        }
    }

    #[test]
    fn every_beginning_of_a_spelling_that_is_found_can_begin_a_name() {
        let schemas = schemas(&["get_weather", "tools.list", "function.run", "_", "Äpfel"]);
        let offered = Offered::borrowed(&schemas);
        for name in [
            "_get_weather",
            "__GetWeather",
            "tools.list",
            "toolsList",
            "TOOLS_LIST",
            "functions.tools.list",
            "function.run",
            "functions.function.run",
            "functions._getWeather",
            "_",
            "_äpfel",
        ] {
            assert!(offered.find(name).is_some(), "{name}");
            assert!(offered.begins_with(name.as_bytes()[0]), "{name}");
            for (end, _) in name.char_indices().skip(1) {
                assert!(offered.begins(&name[..end]), "{}", &name[..end]);
            }
        }
        assert!(!offered.begins_with(b'x'));
    }
}

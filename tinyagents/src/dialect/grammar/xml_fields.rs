//! The fields of a tool's tag, or of a field that is an object: where each begins and ends.

use std::ops::Range;

use super::find::Find;
use super::machine::Awaited;
use super::scan::{MAX_TOKEN, Next, literal, skip_space, token};
use super::xml_tag::{CDATA, CDATA_END, Tag, TagRead, tag};
use super::xml_value;
use crate::dialect::kinds::{self, Kinds};
use crate::dialect::properties::{Property, properties};
use crate::model::ToolSchema;

/// The attribute that holds a key which is no name for a tag, and the tag that has it.
pub(in crate::dialect) const NAME: &str = "name";
pub(in crate::dialect) const ANY: &str = "arg";

/// One field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) key: String,
    /// The value is JSON.
    pub(super) is_json: bool,
    /// Its content.
    pub(super) span: Range<usize>,
}

/// How far the fields were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    More,
    /// Something is there that is no field; so many bytes had to be looked at.
    Broken(usize),
    /// The text ends first.
    Cut,
    /// All of them, and the closing tag.
    At(usize),
}

/// Reads fields.
#[derive(Debug, Default)]
pub(super) struct Fields {
    /// The tag around them; none where they fill the text.
    owner: Option<Owner>,
    at: usize,
    open: Option<OpenField>,
    found: Vec<Field>,
}

#[derive(Debug)]
struct Owner {
    close: String,
    /// Keys that may be fields, and whether each is text, in which tags are not counted. None: all may.
    keys: Vec<(String, bool)>,
    is_open: bool,
}

#[derive(Debug)]
struct OpenField {
    field: Field,
    tag_open: String,
    tag_close: String,
    is_text: bool,
    depth: usize,
    find: Find,
    in_cdata: bool,
    /// How far white space after a closing tag was passed.
    passed: usize,
}

impl Fields {
    /// The fields of a tool's tag that ends before `start`.
    pub(super) fn of_tool(schema: &ToolSchema, start: usize) -> Self {
        let root = &schema.parameters;
        let all = kinds::resolve(root, root).map(|object| properties(root, object));
        let is_text = |property: &Property<'_>| {
            let mut schemas = property.schemas.iter();
            schemas.any(|schema| Kinds::of(root, schema).is_text())
        };
        let keys: Vec<(String, bool)> = all
            .iter()
            .flatten()
            .map(|property| (property.name.to_owned(), is_text(property)))
            .collect();
        Self {
            owner: Some(Owner {
                close: format!("</{}>", schema.name),
                is_open: keys.is_empty() && xml_value::is_known(root, ANY),
                keys,
            }),
            at: start,
            ..Self::default()
        }
    }

    /// The fields from `start` to the end of the text.
    pub(super) fn nested(start: usize) -> Self {
        Self {
            at: start,
            ..Self::default()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty() && self.open.is_none()
    }

    pub(super) fn into_found(self) -> Vec<Field> {
        self.found
    }

    pub(super) fn advance(&mut self, region: &str, is_end: bool) -> Ended {
        loop {
            let step = if self.open.is_some() {
                self.inside(region, is_end)
            } else {
                self.between(region, is_end)
            };
            if let Some(ended) = step {
                return ended;
            }
        }
    }

    pub(super) fn awaits(&self) -> Awaited {
        match &self.open {
            Some(open) if open.in_cdata => open.find.awaits(&[CDATA_END]),
            Some(open) => open.find.awaits(&[CDATA]),
            None => Awaited::Anything,
        }
    }

    fn between(&mut self, region: &str, is_end: bool) -> Option<Ended> {
        self.at = skip_space(region, self.at);
        let rest = token(&region[self.at..]);
        let Some(owner) = &self.owner else {
            if rest.is_empty() {
                return Some(Ended::At(region.len()));
            }
            return self.enter(region, is_end);
        };
        if rest.is_empty() {
            return Some(if is_end { Ended::Cut } else { Ended::More });
        }
        match literal(region, self.at, &owner.close) {
            Next::Yes(end) => Some(Ended::At(end)),
            Next::Maybe if !is_end => Some(Ended::More),
            _ => self.enter(region, is_end),
        }
    }

    /// Enters the field whose tag comes next.
    fn enter(&mut self, region: &str, is_end: bool) -> Option<Ended> {
        let rest = token(&region[self.at..]);
        let read = match tag(rest) {
            TagRead::More if !is_end && rest.len() < MAX_TOKEN => return Some(Ended::More),
            TagRead::More if is_end => return Some(Ended::Cut),
            TagRead::More => return Some(Ended::Broken(self.at + rest.len())),
            TagRead::No(known) => return Some(Ended::Broken(self.at + known)),
            TagRead::Tag(read) => read,
        };
        let Some((key, is_json)) = key(&read) else {
            return Some(Ended::Broken(self.at + read.length));
        };
        let known = self.owner.as_ref().map(|owner| {
            let known = owner.keys.iter().find(|(known, _)| *known == key);
            let is_named = read.name == ANY && !read.attributes.is_empty();
            known
                .map(|(_, is_text)| *is_text)
                .or((owner.is_open || is_named).then_some(true))
        });
        let is_text = match known {
            None => false,
            Some(Some(is_text)) => is_text,
            Some(None) => return Some(Ended::Broken(self.at + read.length)),
        };
        let start = self.at + read.length;
        let field = Field {
            key,
            is_json,
            span: start..start,
        };
        self.at = start;
        if read.is_empty {
            self.found.push(field);
            return None;
        }
        self.open = Some(OpenField {
            field,
            tag_open: format!("<{}", read.name),
            tag_close: format!("</{}>", read.name),
            is_text: is_text && !is_json,
            depth: 1,
            find: Find::new(start),
            in_cdata: false,
            passed: start,
        });
        None
    }

    /// Goes on to the end of the open field.
    fn inside(&mut self, region: &str, is_end: bool) -> Option<Ended> {
        let waiting = Some(if is_end { Ended::Cut } else { Ended::More });
        let open = self.open.as_mut()?;
        if open.in_cdata {
            let Some((place, marker)) = open.find.advance(region, &[CDATA_END]) else {
                return waiting;
            };
            open.find = Find::new(place + marker.len());
            open.in_cdata = false;
            return None;
        }
        let all = [CDATA, open.tag_close.as_str(), open.tag_open.as_str()];
        let markers = if open.is_text { &all[..2] } else { &all };
        let Some((place, marker)) = open.find.advance(region, markers) else {
            return waiting;
        };
        let after = place + marker.len();
        if marker == CDATA {
            open.in_cdata = true;
        } else if marker == open.tag_close.as_str() {
            let end = if open.is_text {
                open.passed = skip_space(region, open.passed.max(after));
                match closes(self.owner.as_ref(), region, open.passed, is_end) {
                    Next::Maybe => return Some(Ended::More),
                    Next::Yes(_) => true,
                    Next::No => false,
                }
            } else {
                open.depth -= 1;
                open.depth == 0
            };
            if end {
                let mut field = self.open.take()?.field;
                field.span.end = place;
                self.found.push(field);
                self.at = after;
                return None;
            }
        } else {
            // `<tags` isn't `<tag`, and an empty tag opens nothing.
            match tag(token(&region[place..])) {
                TagRead::More if !is_end && region.len() - place < MAX_TOKEN => {
                    return Some(Ended::More);
                }
                TagRead::Tag(inner) if !inner.is_empty && inner.name == open.tag_open[1..] => {
                    open.depth += 1;
                }
                _ => {}
            }
        }
        open.find = Find::new(after);
        None
    }
}

/// Whether a closing tag ends a text, judged by what follows it after white space: another field or the end of the tool's
/// tag.
fn closes(owner: Option<&Owner>, region: &str, at: usize, is_end: bool) -> Next {
    let Some(owner) = owner else {
        return Next::Yes(at);
    };
    match literal(region, at, &owner.close) {
        Next::Yes(_) => return Next::Yes(at),
        Next::Maybe => return if is_end { Next::No } else { Next::Maybe },
        Next::No => {}
    }
    let rest = token(&region[at..]);
    match tag(rest) {
        TagRead::More if !is_end && rest.len() < MAX_TOKEN => Next::Maybe,
        TagRead::Tag(read)
            if owner.is_open
                || read.name == ANY
                || owner.keys.iter().any(|(key, _)| *key == read.name) =>
        {
            Next::Yes(at)
        }
        _ => Next::No,
    }
}

/// The key that a tag stands for, and whether its content is JSON; `None` for a tag with other attributes.
fn key(read: &Tag) -> Option<(String, bool)> {
    let mut key = read.name.clone();
    let mut is_json = false;
    for (attribute, value) in &read.attributes {
        match attribute.as_str() {
            NAME if read.name == ANY => key.clone_from(value),
            "type" => is_json = value == "json",
            _ => return None,
        }
    }
    Some((key, is_json))
}

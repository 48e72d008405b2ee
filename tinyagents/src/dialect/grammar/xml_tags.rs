//! `<tool_name><field>value</field></tool_name>`: our own `Xml` dialect, and what coding assistants write.

use serde_json::{Map, Value};

use super::call;
use super::machine::{Awaited, Machine, Progress};
use super::scan::token;
use super::xml_fields::{Ended, Fields};
use super::xml_tag::{TagRead, tag};
use super::xml_value;
use crate::dialect::offered::Offered;
use crate::model::ToolSchema;

/// The grammar for a tag with the name of an offered tool.
pub(in crate::dialect) fn begin() -> Box<dyn Machine> {
    Box::new(ToolTag { open: None })
}

/// The arguments that tags stand for; how the renderer makes sure that they are read as they were.
pub(in crate::dialect) fn read(schema: &ToolSchema, tags: &str) -> Option<Map<String, Value>> {
    let mut fields = Fields::nested(0);
    match fields.advance(tags, true) {
        Ended::At(_) => {}
        _ => return None,
    }
    xml_value::arguments(&schema.parameters, &fields.into_found(), tags).ok()
}

#[derive(Debug)]
struct ToolTag {
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    name: String,
    start: usize,
    attributes: Vec<(String, String)>,
    fields: Fields,
}

impl Machine for ToolTag {
    fn advance(&mut self, region: &str, is_end: bool, offered: &Offered<'_>) -> Progress {
        if self.open.is_none() {
            let read = match tag(token(region)) {
                TagRead::More if is_end || region.len() >= super::scan::MAX_TOKEN => {
                    return Progress::Broken(token(region).len());
                }
                TagRead::More => return Progress::More,
                TagRead::No(known) => return Progress::Broken(known),
                TagRead::Tag(read) => read,
            };
            let Some(schema) = offered.exactly(&read.name) else {
                return Progress::Broken(read.length);
            };
            let is_known = |key: &str| xml_value::is_known(&schema.parameters, key);
            if !read.attributes.iter().all(|(key, _)| is_known(key)) {
                return Progress::Broken(read.length);
            }
            if read.is_empty {
                let end = read.length;
                let call = finish(offered, schema, &read.attributes, &[], region, 0..end);
                return Progress::calls(end, vec![call], &[]);
            }
            self.open = Some(Open {
                fields: Fields::of_tool(schema, read.length),
                name: read.name,
                start: read.length,
                attributes: read.attributes,
            });
        }
        let Some(open) = &mut self.open else {
            return Progress::More;
        };
        let ended = open.fields.advance(region, is_end);
        let Some(schema) = offered.exactly(&open.name) else {
            return Progress::Broken(1);
        };
        match ended {
            Ended::More => Progress::More,
            Ended::Broken(known) => Progress::Broken(known),
            Ended::Cut => {
                if open.fields.is_empty() {
                    return Progress::Broken(region.len());
                }
                let raw = &region[open.start..];
                let reason = "the call is not complete";
                let call = call::damaged(offered, String::new(), &open.name, raw, reason);
                Progress::calls(region.len(), vec![call], &[])
            }
            Ended::At(end) => {
                let found = std::mem::take(&mut open.fields).into_found();
                let span = open.start..end;
                let call = finish(offered, schema, &open.attributes, &found, region, span);
                Progress::calls(end, vec![call], &[])
            }
        }
    }

    fn awaits(&self) -> Awaited {
        let open = self.open.as_ref();
        open.map_or(Awaited::Anything, |open| open.fields.awaits())
    }
}

fn finish(
    offered: &Offered<'_>,
    schema: &ToolSchema,
    attributes: &[(String, String)],
    fields: &[super::xml_fields::Field],
    region: &str,
    span: std::ops::Range<usize>,
) -> crate::model::ToolCall {
    let raw = &region[span];
    let written = attributes.iter().map(|(key, text)| (&**key, &**text));
    let meant = call::meant(offered, &schema.name, &written);
    let attributes = attributes
        .iter()
        .map(|(key, text)| (key.clone(), meant.read(key, text)));
    match xml_value::arguments(&schema.parameters, fields, region) {
        Ok(read) => call::untyped(offered, &schema.name, attributes.chain(read).collect(), raw),
        Err(reason) => call::damaged(offered, String::new(), &schema.name, raw, reason),
    }
}

//! From a schema to the arena of nodes.
//!
//! Works off a queue instead of recursing: a node is numbered when something first refers to it, and filled in later.
//! That makes a reference back to an ancestor as plain as any other.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    ptr,
};

use serde_json::{Map, Value};

use super::{
    choices::Choices,
    describe,
    key::Key,
    keywords::Keywords,
    limits::{self, MAX_SCHEMA_DEPTH, MAX_SCHEMA_NODES},
    node::{Additional, ArrayRules, Combined, Node, NodeId, ObjectRules},
    number_rules::NumberRules,
    plain::Plain,
    properties::{Property, PropertyTable},
    reference::{Document, escape, is_embedded},
    text_rules::TextRules,
    types::{TypeSet, kind},
};
use crate::schema::SchemaError;

/// The nodes of a schema, its root first.
pub(super) fn compile(schema: &Value) -> Result<Vec<Node>, SchemaError> {
    if !limits::is_within_depth(schema, MAX_SCHEMA_DEPTH) {
        return Err(SchemaError::TooDeep {
            limit: MAX_SCHEMA_DEPTH,
        });
    }
    let mut compiler = Compiler {
        document: Document::new(schema),
        ids: HashMap::new(),
        queue: VecDeque::new(),
    };
    compiler.node(Place {
        schema,
        path: String::new(),
        embedded: false,
    })?;
    let mut nodes = Vec::new();
    // First in, first out: a node comes to stand at the index that it was promised.
    while let Some(place) = compiler.queue.pop_front() {
        nodes.push(compiler.compile(&place)?);
    }
    Ok(nodes)
}

/// A sub-schema and where it is.
struct Place<'s> {
    schema: &'s Value,
    path: String,
    /// Whether it lies below a further `$id`.
    embedded: bool,
}

impl<'s> Place<'s> {
    fn child(&self, schema: &'s Value, keyword: &str, step: Option<&str>) -> Self {
        let path = match step {
            None => format!("{}/{keyword}", self.path),
            Some(step) => format!("{}/{keyword}/{}", self.path, escape(step)),
        };
        Self {
            schema,
            path,
            embedded: self.embedded || is_embedded(schema),
        }
    }
}

struct Compiler<'s> {
    document: Document<'s>,
    /// By address: one place in the schema is one node, however it is reached.
    ids: HashMap<usize, NodeId>,
    queue: VecDeque<Place<'s>>,
}

impl<'s> Compiler<'s> {
    /// The node of a sub-schema; a `$ref` that stands alone is the node that it leads to.
    fn node(&mut self, place: Place<'s>) -> Result<NodeId, SchemaError> {
        let place = self.follow(place)?;
        let address = ptr::from_ref(place.schema).addr();
        if let Some(id) = self.ids.get(&address) {
            return Ok(*id);
        }
        let id = Some(self.ids.len())
            .filter(|count| *count < MAX_SCHEMA_NODES)
            .and_then(NodeId::from_index)
            .ok_or(SchemaError::TooLarge {
                limit: MAX_SCHEMA_NODES,
            })?;
        self.ids.insert(address, id);
        self.queue.push_back(place);
        Ok(id)
    }

    fn follow(&self, mut place: Place<'s>) -> Result<Place<'s>, SchemaError> {
        let mut seen = HashSet::new();
        while let Some(map) = place.schema.as_object() {
            let keywords = Keywords::new(map, &place.path);
            let Some(reference) = keywords.text("$ref")? else {
                break;
            };
            if !self.document.refs_stand_alone
                && (keywords.any_enforced() || keywords.any_passed_over())
            {
                break;
            }
            if !seen.insert(ptr::from_ref(place.schema).addr()) {
                return Err(SchemaError::ReferenceLoop { path: place.path });
            }
            place = self.target(reference, &place)?;
        }
        Ok(place)
    }

    fn target(&self, reference: &str, from: &Place<'s>) -> Result<Place<'s>, SchemaError> {
        let target = self
            .document
            .resolve(reference, &from.path, from.embedded)?;
        Ok(Place {
            schema: target.schema,
            path: target.path,
            embedded: false,
        })
    }

    fn compile(&mut self, place: &Place<'s>) -> Result<Node, SchemaError> {
        let mut node = Node::open(place.path.clone());
        let map = match place.schema {
            Value::Object(map) => map,
            Value::Bool(allowed) => {
                if !allowed {
                    node.types = TypeSet::NONE;
                }
                return Ok(node);
            }
            other => {
                return Err(SchemaError::NotASchema {
                    path: place.path.clone(),
                    found: kind(other),
                });
            }
        };
        let keywords = Keywords::new(map, &place.path);
        node.types = keywords.types()?;
        node.partial = keywords.any_passed_over();
        node.number = NumberRules::read(&keywords)?.map(Box::new);
        node.text = TextRules::read(&keywords)?.map(Box::new);
        node.array = self.array_rules(place, &keywords)?.map(Box::new);
        node.object = self.object_rules(place, &keywords)?.map(Box::new);
        node.combined = self.combined(place, &keywords)?.map(Box::new);
        Ok(node)
    }

    fn array_rules(
        &mut self,
        place: &Place<'s>,
        keywords: &Keywords<'s, '_>,
    ) -> Result<Option<ArrayRules>, SchemaError> {
        // Up to draft 2019-09, `items` held the prefix when it was an array, and `additionalItems` the rest.
        let old_form = keywords.get("items").is_some_and(Value::is_array);
        let (prefix_keyword, rest_keyword) = if old_form {
            ("items", "additionalItems")
        } else {
            ("prefixItems", "items")
        };
        if old_form && keywords.get("prefixItems").is_some() {
            return Err(keywords.invalid("items", "a schema where `prefixItems` is given"));
        }
        let prefix = self.nodes(place, prefix_keyword, keywords.list(prefix_keyword)?)?;
        let rest = match keywords.get(rest_keyword) {
            None | Some(Value::Bool(true)) => None,
            Some(schema) => Some(self.node(place.child(schema, rest_keyword, None))?),
        };
        let min = keywords.count("minItems")?;
        let max = keywords.count("maxItems")?;
        let silent = prefix.is_empty() && rest.is_none() && min.is_none() && max.is_none();
        Ok((!silent).then(|| ArrayRules {
            prefix: prefix.into_boxed_slice(),
            rest,
            plain: Plain::NONE,
            min: min.unwrap_or(0),
            max: max.unwrap_or(usize::MAX),
        }))
    }

    fn object_rules(
        &mut self,
        place: &Place<'s>,
        keywords: &Keywords<'s, '_>,
    ) -> Result<Option<ObjectRules>, SchemaError> {
        let additional = match keywords.get("additionalProperties") {
            None | Some(Value::Bool(true)) => Additional::Allowed,
            Some(Value::Bool(false)) => Additional::Denied,
            Some(schema) => {
                Additional::Schema(self.node(place.child(schema, "additionalProperties", None))?)
            }
        };
        let patterns = match keywords.object("patternProperties")? {
            Some(patterns) if additional != Additional::Allowed => patterns
                .keys()
                .map(|source| keywords.pattern(source))
                .collect::<Result<_, _>>()?,
            _ => Vec::new(),
        };
        let properties =
            self.properties(place, keywords.object("properties")?, &keywords.required()?)?;
        let silent = properties.is_empty() && additional == Additional::Allowed;
        Ok((!silent).then(|| ObjectRules {
            names: describe::names(&properties).into(),
            properties: PropertyTable::new(properties),
            additional,
            patterns: patterns.into_boxed_slice(),
        }))
    }

    fn properties(
        &mut self,
        place: &Place<'s>,
        declared: Option<&'s Map<String, Value>>,
        required: &[&'s str],
    ) -> Result<Vec<Property>, SchemaError> {
        let required: HashSet<&str> = required.iter().copied().collect();
        let mut properties = Vec::new();
        for (name, schema) in declared.into_iter().flatten() {
            properties.push(Property {
                key: Key::new(name),
                node: Some(self.node(place.child(schema, "properties", Some(name)))?),
                required: required.contains(name.as_str()),
                plain: Plain::NONE,
            });
        }
        let mut undeclared: Vec<&str> = required
            .into_iter()
            .filter(|name| declared.is_none_or(|declared| !declared.contains_key(*name)))
            .collect();
        undeclared.sort_unstable();
        properties.extend(undeclared.into_iter().map(|name| Property {
            key: Key::new(name),
            node: None,
            required: true,
            plain: Plain::NONE,
        }));
        Ok(properties)
    }

    fn combined(
        &mut self,
        place: &Place<'s>,
        keywords: &Keywords<'s, '_>,
    ) -> Result<Option<Combined>, SchemaError> {
        let mut combined = Combined::default();
        if let Some(listed) = keywords.list("enum")? {
            combined.choices.push(Choices::new(listed));
        }
        if let Some(value) = keywords.get("const") {
            combined
                .choices
                .push(Choices::new(std::slice::from_ref(value)));
        }
        if let Some(reference) = keywords.text("$ref")? {
            let target = self.target(reference, place)?;
            combined.all_of.push(self.node(target)?);
        }
        let all_of = self.nodes(place, "allOf", keywords.schemas("allOf")?)?;
        combined.all_of.extend(all_of);
        if let Some(branches) = keywords.schemas("anyOf")? {
            let branches = self.nodes(place, "anyOf", Some(branches))?;
            combined.any_of = Some(branches.into_boxed_slice());
        }
        if let Some(branches) = keywords.schemas("oneOf")? {
            let branches = self.nodes(place, "oneOf", Some(branches))?;
            combined.one_of = Some(branches.into_boxed_slice());
        }
        combined.applies_schemas =
            !combined.all_of.is_empty() || combined.any_of.is_some() || combined.one_of.is_some();
        let silent = combined.choices.is_empty() && !combined.applies_schemas;
        Ok((!silent).then_some(combined))
    }

    fn nodes(
        &mut self,
        place: &Place<'s>,
        keyword: &str,
        schemas: Option<&'s [Value]>,
    ) -> Result<Vec<NodeId>, SchemaError> {
        schemas
            .unwrap_or_default()
            .iter()
            .enumerate()
            .map(|(index, schema)| {
                self.node(place.child(schema, keyword, Some(&index.to_string())))
            })
            .collect()
    }
}

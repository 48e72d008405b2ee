//! The compiled form of a schema, and what it makes of a value.
//!
//! A schema is compiled once, at registration, into a flat arena of nodes that refer to each other by index; a local
//! `$ref` is an index too, so a recursive schema is a circle of indexes. [`accept`] answers yes or no without
//! allocating; only when it says no does [`report`] walk again and put the faults into words.

mod accept;
mod alternatives;
mod choices;
mod class_run;
mod clip;
mod closest;
mod compile;
mod describe;
mod echo;
mod fix;
mod graph;
mod guard;
mod key;
mod keywords;
mod limits;
mod node;
mod number;
mod number_rules;
#[cfg(feature = "full-schema")]
mod passed_over;
mod path;
mod pattern;
mod plain;
mod properties;
mod reference;
mod report;
mod text_rules;
mod types;

use serde_json::Value;

pub(super) use self::clip::clip;
pub(crate) use self::limits::is_within_depth;
pub use self::limits::{
    MAX_ARGUMENT_DEPTH, MAX_ARGUMENT_VALUES, MAX_COMPOSITION, MAX_FAULTS, MAX_SCHEMA_DEPTH,
    MAX_SCHEMA_NODES,
};
use self::{
    accept::accepts,
    graph::Shape,
    guard::{Counting, Measuring, Memo, Unguarded},
    node::{Node, NodeId},
    report::Report,
};
use super::{ArgumentError, SchemaError};

/// Steps to take before a value is counted, to see how many are reasonable.
const STEPS_UNCOUNTED: usize = 1 << 14;

/// A schema, compiled.
///
/// # What is enforced
///
/// `type`, `properties`, `required`, `additionalProperties`, `items`, `prefixItems`, `enum`, `const`, boolean schemas,
/// local `$ref` (to `$defs`, `definitions` or any other place, recursive too), `allOf`, `anyOf`, `oneOf`, `minimum`,
/// `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `minItems`,
/// `maxItems`; and the older array form of `items` with `additionalItems`. Every other keyword is passed over, and is
/// never the reason for a refusal: a `oneOf` whose branches differ only by such a keyword lets the value through, and a
/// name that `patternProperties` matches is not an additional one.
///
/// The feature `full-schema` enforces these too, as the draft that `$schema` names understands them (2020-12 without one, or
/// draft 7 for a schema with `definitions`); `format` is only a remark since draft 2019-09. The cost below doesn't hold for
/// them.
///
/// `$ref` beside other keywords adds to them, except under the drafts that ignore its neighbours: those that `$schema`
/// names draft 4, 6 or 7, or, without `$schema`, that keep their parts in `definitions` and not in `$defs`.
///
/// # Cost
///
/// At most schema × instance, by remembering what has been tried where a schema can meet one value on several ways;
/// linear without `allOf`, `anyOf`, `oneOf`. A valid value costs no allocation unless it comes near that bound.
/// Arguments deeper than [`max_depth`](Self::max_depth) or larger than [`MAX_ARGUMENT_VALUES`] are refused as a whole.
#[derive(Debug)]
pub struct Validator {
    nodes: Box<[Node]>,
    shape: Shape,
    /// Where there are keywords that the nodes know nothing of.
    #[cfg(feature = "full-schema")]
    passed_over: Option<passed_over::PassedOver>,
}

impl Validator {
    /// Compiles a schema.
    ///
    /// # Errors
    ///
    /// When the schema cannot be understood, so that nobody could say what it allows: see [`SchemaError`].
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        let mut nodes = compile::compile(schema)?;
        let shape = graph::analyse(&mut nodes)?;
        node::mark_plain(&mut nodes);
        describe::describe_all(&mut nodes);
        #[cfg(feature = "full-schema")]
        let passed_over = if nodes.first().is_some_and(|root| root.partial) {
            Some(passed_over::PassedOver::compile(schema)?)
        } else {
            None
        };
        Ok(Self {
            nodes: nodes.into_boxed_slice(),
            shape,
            #[cfg(feature = "full-schema")]
            passed_over,
        })
    }

    /// How deep arguments may nest, in arrays and objects: [`MAX_ARGUMENT_DEPTH`], and less where more than three `allOf`,
    /// `anyOf`, `oneOf` or accompanied `$ref` apply to one value, each directly inside the other; never less than 16.
    #[must_use]
    pub fn max_depth(&self) -> usize {
        limits::max_depth(self.shape.composition)
    }

    /// Whether a value is valid.
    #[must_use]
    pub fn is_valid(&self, value: &Value) -> bool {
        #[cfg(feature = "full-schema")]
        if let Some(passed_over) = &self.passed_over {
            // Last, since it doesn't know the limits.
            return self.fits_nodes(value) && passed_over.is_valid(value);
        }
        self.fits_nodes(value)
    }

    /// Whether a value is valid as far as the enforced keywords go.
    fn fits_nodes(&self, value: &Value) -> bool {
        let nodes = &self.nodes;
        let (fits, uncertain) = if self.shape.ambiguous {
            let mut guard = Counting::new(self.max_depth(), STEPS_UNCOUNTED);
            let fits = accepts(nodes, &mut guard, NodeId::ROOT, value);
            (fits, guard.is_uncertain())
        } else {
            let mut guard = Measuring::new(self.max_depth());
            let fits = accepts(nodes, &mut guard, NodeId::ROOT, value);
            (fits, guard.is_uncertain())
        };
        if uncertain {
            self.is_surely_valid(value)
        } else {
            fits
        }
    }

    /// The way for values that are very large, or are met over and over.
    #[cold]
    fn is_surely_valid(&self, value: &Value) -> bool {
        let nodes = &self.nodes;
        let Ok(values) = limits::measure(value, self.max_depth()) else {
            return false;
        };
        if !self.shape.ambiguous {
            return accepts(nodes, &mut Unguarded, NodeId::ROOT, value);
        }
        // Remembering what has been tried costs much more than trying again, until the bound is reached.
        let mut guard = Counting::new(self.max_depth(), nodes.len().saturating_mul(values));
        let fits = accepts(nodes, &mut guard, NodeId::ROOT, value);
        if guard.is_uncertain() {
            return accepts(nodes, &mut Memo::default(), NodeId::ROOT, value);
        }
        fits
    }

    /// All that is wrong with a value, at most [`MAX_FAULTS`] faults.
    ///
    /// # Errors
    ///
    /// One [`ArgumentError`] per fault, in the order of the value.
    pub fn validate(&self, value: &Value) -> Result<(), Vec<ArgumentError>> {
        self.validate_redacted(value, &[])
    }

    /// Like [`validate`](Self::validate), but nothing found under the given top-level properties is repeated.
    ///
    /// # Errors
    ///
    /// One [`ArgumentError`] per fault, in the order of the value.
    pub fn validate_redacted(
        &self,
        value: &Value,
        redacted: &[&str],
    ) -> Result<(), Vec<ArgumentError>> {
        #[cfg(feature = "full-schema")]
        if let Some(passed_over) = &self.passed_over {
            let faults = self.faults(value, redacted);
            // Excessive arguments are not looked into.
            let faults = if limits::measure(value, self.max_depth()).is_ok() {
                passed_over.report(value, redacted, faults)
            } else {
                faults
            };
            return if faults.is_empty() {
                Ok(())
            } else {
                Err(faults)
            };
        }
        let faults = self.faults(value, redacted);
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults)
        }
    }

    /// What is wrong as far as the enforced keywords go.
    fn faults(&self, value: &Value, redacted: &[&str]) -> Vec<ArgumentError> {
        if self.fits_nodes(value) {
            return Vec::new();
        }
        match limits::measure(value, self.max_depth()) {
            Ok(_) => Report::new(&self.nodes, self.shape, redacted).of(value),
            Err(excess) => vec![excess.into_fault(self.max_depth())],
        }
    }
}

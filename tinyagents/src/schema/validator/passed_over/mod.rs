//! The keywords that the validator itself passes over, enforced by the `jsonschema` crate.

mod words;

use std::sync::Arc;

use jsonschema::{
    Draft, PatternOptions, ValidationError, error::ValidationErrorKind, paths::LocationSegment,
};
use serde_json::Value;

use super::{
    keywords::PASSED_OVER, limits::MAX_FAULTS, path::Path, pattern::MAX_COMPILED_BYTES,
    reference::refs_stand_alone,
};
use crate::schema::{ArgumentError, SchemaError};

/// A schema with keywords that the validator passes over.
#[derive(Debug)]
pub(super) struct PassedOver {
    schema: Value,
    validator: jsonschema::Validator,
}

impl PassedOver {
    pub(super) fn compile(schema: &Value) -> Result<Self, SchemaError> {
        // Linear-time patterns of bounded size, as in the rest of the validator, and nothing from outside.
        let patterns = PatternOptions::regex().size_limit(MAX_COMPILED_BYTES);
        let mut options = jsonschema::options()
            .offline()
            .with_pattern_options(patterns);
        if schema.get("$schema").is_none() && refs_stand_alone(schema) {
            options = options.with_draft(Draft::Draft7);
        }
        match options.build(schema) {
            Ok(validator) => Ok(Self {
                schema: schema.clone(),
                validator,
            }),
            Err(error) => Err(SchemaError::Unenforceable {
                path: error.instance_path().to_string(),
                source: Box::new(error),
            }),
        }
    }

    pub(super) fn is_valid(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }

    /// Adds the faults that the validator's own report doesn't tell of.
    pub(super) fn report(
        &self,
        value: &Value,
        redacted: &[&str],
        mut faults: Vec<ArgumentError>,
    ) -> Vec<ArgumentError> {
        let known = faults.len();
        for error in self.validator.iter_errors(value) {
            if faults.len() >= MAX_FAULTS {
                break;
            }
            let fault = self.fault(&error, redacted);
            // What fails by an enforced keyword, or encloses what does, has been told by its cause.
            let is_new = known == 0
                || (PASSED_OVER.contains(&error.kind().keyword())
                    && faults[..known].iter().all(|told| told.path != fault.path));
            if is_new {
                faults.push(fault);
            }
        }
        faults
    }

    fn fault(&self, error: &ValidationError<'_>, redacted: &[&str]) -> ArgumentError {
        let steps: Vec<LocationSegment<'_>> = error.instance_path().segments().collect();
        let (path, is_redacted) = render(&steps, &Path::ROOT, redacted);
        let location = error.schema_path().as_str();
        let schema_path = match error.kind() {
            // A schema that is `false` has no keyword.
            ValidationErrorKind::FalseSchema => location,
            _ => location.rsplit_once('/').unwrap_or_default().0,
        };
        let mut fault = ArgumentError {
            path,
            expected: words::expected(error.kind(), self.schema.pointer(location)).into(),
            got: words::got(error.kind(), error.instance()).into(),
            fix: words::fix(error.kind()),
            schema_path: Arc::from(schema_path),
        };
        if is_redacted {
            fault.redact();
        }
        fault
    }
}

/// The path as text, and whether it lies in a redacted argument. Nobody knows here which names the schema declares.
fn render(steps: &[LocationSegment<'_>], path: &Path<'_>, redacted: &[&str]) -> (String, bool) {
    match steps {
        [] => {
            let is_redacted = path.is_under(redacted);
            (path.render(is_redacted), is_redacted)
        }
        [LocationSegment::Property(name), rest @ ..] => {
            render(rest, &path.undeclared(name), redacted)
        }
        [LocationSegment::Index(index), rest @ ..] => render(rest, &path.index(*index), redacted),
    }
}

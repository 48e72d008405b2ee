//! Which dialect a run is held in.

use serde::{Deserialize, Serialize};

use super::Dialect;
use crate::model::{ModelProfile, ToolFormat, ToolSchema};

/// Which dialect a run is held in: a preference, within what the model can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolDialect {
    /// Native calling where the model has it; else the format that all tools ask for, or JSON.
    #[default]
    Auto,
    /// This one; in place of native calling JSON, where the model has none.
    Forced(Dialect),
}

impl ToolDialect {
    /// The dialect for this model and these tools.
    #[must_use]
    pub fn choose(self, profile: &ModelProfile, schemas: &[ToolSchema]) -> Dialect {
        match self {
            Self::Forced(Dialect::Native) | Self::Auto if profile.tool_calling => Dialect::Native,
            Self::Forced(Dialect::Native) => Dialect::Json,
            Self::Forced(dialect) => dialect,
            Self::Auto => wanted(schemas),
        }
    }
}

/// The format that all tools ask for.
fn wanted(schemas: &[ToolSchema]) -> Dialect {
    let format = |schema: &ToolSchema| match schema.format {
        ToolFormat::Json => Dialect::Json,
        ToolFormat::Xml => Dialect::Xml,
        ToolFormat::PType { .. } => Dialect::PType,
    };
    let mut formats = schemas.iter().map(format);
    let first = formats.next().unwrap_or(Dialect::Json);
    if formats.all(|other| other == first) {
        first
    } else {
        Dialect::Json
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_preference_is_held_within_what_the_model_can_do() {
        let native = ModelProfile::default();
        let text = ModelProfile::default().with_tool_calling(false);
        let plain = ToolSchema::new("a", "", json!({}));
        let xml = plain.clone().with_format(ToolFormat::Xml);
        for (preference, profile, schemas, chosen) in [
            (
                ToolDialect::Auto,
                &native,
                vec![xml.clone()],
                Dialect::Native,
            ),
            (ToolDialect::Auto, &text, vec![plain.clone()], Dialect::Json),
            (ToolDialect::Auto, &text, vec![xml.clone()], Dialect::Xml),
            (ToolDialect::Auto, &text, vec![xml, plain], Dialect::Json),
            (
                ToolDialect::Forced(Dialect::PType),
                &native,
                vec![],
                Dialect::PType,
            ),
            (
                ToolDialect::Forced(Dialect::Native),
                &text,
                vec![],
                Dialect::Json,
            ),
        ] {
            assert_eq!(preference.choose(profile, &schemas), chosen);
        }
    }
}

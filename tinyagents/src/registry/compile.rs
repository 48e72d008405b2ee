//! Compiling a tool: what a call needs of it, computed at registration.

use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tinytools::{Tool, ToolExposure, ToolPolicy, ToolScope};

use super::registered::{PreparedSchema, ToolBody};
use super::{RegisteredTool, ToolName, ToolView};
use crate::error::TinyAgentsError;
use crate::model::ToolSchema;
use crate::schema::Validator;

impl RegisteredTool {
    /// Compiles a tool that runs here, or what a toolset shows of one.
    pub(crate) fn local(tool: Arc<dyn Tool>) -> Result<Self, TinyAgentsError> {
        Self::compile_tool(tool, None)
    }

    /// The same, beside what was compiled under that name before: of an unchanged schema nothing is compiled again, and
    /// of an unchanged tool nothing at all is done.
    pub(crate) fn renewed(
        tool: Arc<dyn Tool>,
        known: Option<&Arc<Self>>,
    ) -> Result<Arc<Self>, TinyAgentsError> {
        match known {
            Some(known) if known.is_of(&tool) => Ok(Arc::clone(known)),
            _ => Self::compile_tool(tool, known.map(AsRef::as_ref)).map(Arc::new),
        }
    }

    /// Compiles one of the runtime's own tools, whose names are reserved for it.
    pub(crate) fn intrinsic(
        tool: Arc<dyn Tool>,
        schema: ToolSchema,
    ) -> Result<Self, TinyAgentsError> {
        let name = Arc::from(schema.name.as_str());
        Self::compile(schema, ToolBody::External, name, None)?.with_facts_of(tool)
    }

    fn compile_tool(tool: Arc<dyn Tool>, known: Option<&Self>) -> Result<Self, TinyAgentsError> {
        let Some(view) = ToolView::behind(tool.as_ref()).cloned() else {
            let schema = ToolSchema::new(tool.name(), tool.description(), tool.parameters_schema());
            let name = ToolName::parse(&schema.name)?.into();
            return Self::compile(schema, ToolBody::External, name, known)?.with_facts_of(tool);
        };
        ToolName::parse(view.canonical())?;
        ToolName::parse(view.shown())?;
        let canonical = Arc::clone(view.canonical());
        let mut registered =
            Self::compile(view.own_schema(), ToolBody::External, canonical, known)?;
        if let Some(tool) = view.tool() {
            registered = registered.with_facts_of(Arc::clone(tool))?;
        }
        if view.needs_approval() {
            registered.policy = registered.policy.requiring_approval();
        }
        for layer in view.layers() {
            let reused = known
                .into_iter()
                .flat_map(|known| &known.prepared)
                .find(|known| known.schema == *layer);
            let validator = match reused {
                Some(known) => Arc::clone(&known.validator),
                None => Arc::new(validator_of(layer)?),
            };
            registered.check_hidden_names(&layer.parameters)?;
            registered.prepared.push(PreparedSchema {
                schema: Arc::clone(layer),
                validator,
            });
        }
        registered.view = Some(Box::new(view));
        Ok(registered)
    }

    /// Whether it was compiled of this very tool, shown in this way.
    fn is_of(&self, tool: &Arc<dyn Tool>) -> bool {
        match (&self.view, ToolView::behind(tool.as_ref())) {
            (Some(own), Some(other)) => own.is_same(other),
            (None, None) => {
                let own = self.tool();
                own.is_some_and(|own| std::ptr::addr_eq(Arc::as_ptr(own), Arc::as_ptr(tool)))
            }
            _ => false,
        }
    }

    fn with_facts_of(self, tool: Arc<dyn Tool>) -> Result<Self, TinyAgentsError> {
        let mut registered = self;
        registered.policy = tool.policy();
        registered.injected = tool.injected();
        registered.set_output_schema(tool.output_schema())?;
        registered.exposure = tool.exposure();
        registered.scope = tool.scope();
        registered.is_blocking = tool.is_blocking();
        registered.return_direct = tool.return_direct();
        registered.max_result_size_chars = tool.max_result_size_chars();
        registered.body = ToolBody::Local(tool);
        registered.check_hidden_names(&registered.schema.parameters)?;
        Ok(registered)
    }

    /// Compiles a tool whose calls the host answers.
    pub(super) fn external(schema: ToolSchema) -> Result<Self, TinyAgentsError> {
        let name = ToolName::parse(&schema.name)?.into();
        Self::compile(schema, ToolBody::External, name, None)
    }

    fn compile(
        schema: ToolSchema,
        body: ToolBody,
        name: Arc<str>,
        known: Option<&Self>,
    ) -> Result<Self, TinyAgentsError> {
        let parameters = &schema.parameters;
        let is_open = says_nothing_of_its_type(parameters);
        let validator = match known {
            Some(known) if known.schema.parameters == *parameters => Arc::clone(&known.validator),
            _ => Arc::new(validator_of(&schema)?),
        };
        Ok(Self {
            shown_name: if *name == schema.name {
                Arc::clone(&name)
            } else {
                Arc::from(schema.name.as_str())
            },
            name,
            body,
            view: None,
            prepared: Vec::new(),
            policy: ToolPolicy::default(),
            output_schema: None,
            output_validator: None,
            validator,
            injected: Vec::new(),
            exposure: ToolExposure::Direct,
            scope: ToolScope::All,
            is_blocking: false,
            return_direct: false,
            max_result_size_chars: None,
            takes_only_objects: is_open || parameters.get("type").is_some_and(|ty| ty == "object"),
            has_required: parameters
                .get("required")
                .and_then(Value::as_array)
                .is_some_and(|names| !names.is_empty()),
            definition_hash: OnceLock::new(),
            schema: Arc::new(schema),
        })
    }

    fn set_output_schema(&mut self, schema: Option<Value>) -> Result<(), TinyAgentsError> {
        let validator = schema.as_ref().map(Validator::compile).transpose();
        self.output_validator = validator.map_err(|source| TinyAgentsError::InvalidSchema {
            tool: self.name.to_string(),
            source,
        })?;
        self.output_schema = schema;
        Ok(())
    }

    /// A hidden name must not be a property as well: the model's value for it would always be thrown away.
    fn check_hidden_names(&self, parameters: &Value) -> Result<(), TinyAgentsError> {
        let properties = parameters.get("properties");
        let clash = self
            .hidden_names()
            .find(|name| properties.is_some_and(|properties| properties.get(name).is_some()));
        match clash {
            None => Ok(()),
            Some(name) => Err(TinyAgentsError::Validation(format!(
                "tool `{}` declares `{name}` both as an argument and as a hidden parameter; rename one of them",
                self.name
            ))),
        }
    }
}

/// Compiles what a declaration says of the arguments, which are an object whatever it leaves out.
fn validator_of(schema: &ToolSchema) -> Result<Validator, TinyAgentsError> {
    let parameters = &schema.parameters;
    check_root(&schema.name, parameters)?;
    let compiled = if says_nothing_of_its_type(parameters) {
        let mut typed = parameters.clone();
        typed["type"] = "object".into();
        Validator::compile(&typed)
    } else {
        Validator::compile(parameters)
    };
    compiled.map_err(|source| TinyAgentsError::InvalidSchema {
        tool: schema.name.clone(),
        source,
    })
}

/// Whether a root leaves open what arguments are: neither a `type` nor a keyword that may allow anything but an object.
fn says_nothing_of_its_type(root: &Value) -> bool {
    let keywords = [
        "type", "$ref", "allOf", "anyOf", "oneOf", "not", "enum", "const", "if",
    ];
    root.as_object()
        .is_some_and(|root| !keywords.iter().any(|keyword| root.contains_key(*keyword)))
}

/// The root of a tool's schema describes an object, or says nothing of the type.
fn check_root(tool: &str, parameters: &Value) -> Result<(), TinyAgentsError> {
    let found = match parameters {
        Value::Object(root) => match root.get("type") {
            None => return Ok(()),
            Some(ty) if ty == "object" => return Ok(()),
            Some(ty) => format!("its `type` is {ty}"),
        },
        _ => "it is not a JSON object".to_owned(),
    };
    Err(TinyAgentsError::Validation(format!(
        "the schema of tool `{tool}` must describe an object; {found}"
    )))
}

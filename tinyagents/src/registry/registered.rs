//! One tool, with everything that a call needs of it computed once.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};
use tinytools::{Injected, Tool, ToolExposure, ToolPolicy, ToolScope};

use super::{ToolName, ToolView};
use crate::deferred::hash_json;
use crate::error::TinyAgentsError;
use crate::model::ToolSchema;
use crate::schema::{ArgumentError, Validator};

/// A tool as the registry holds it.
///
/// What its author's methods said at registration is what holds: a policy or a name that changes later is not seen.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, read once"
)]
pub struct RegisteredTool {
    name: Arc<str>,
    shown_name: Arc<str>,
    body: ToolBody,
    /// How a toolset shows it, where it doesn't as it is.
    view: Option<Box<ToolView>>,
    policy: ToolPolicy,
    schema: Arc<ToolSchema>,
    output_schema: Option<Value>,
    output_validator: Option<Validator>,
    validator: Arc<Validator>,
    /// Arguments must satisfy these too: what a toolset made of the schema, the outermost last.
    prepared: Vec<PreparedSchema>,
    injected: Vec<Injected>,
    exposure: ToolExposure,
    scope: ToolScope,
    is_blocking: bool,
    return_direct: bool,
    max_result_size_chars: Option<usize>,
    takes_only_objects: bool,
    has_required: bool,
    definition_hash: OnceLock<String>,
}

/// What runs when the tool is called.
pub(crate) enum ToolBody {
    /// The tool itself.
    Local(Arc<dyn Tool>),
    /// Nothing here: the host answers.
    External,
}

/// A declaration that a toolset put in place of the tool's own.
struct PreparedSchema {
    schema: Arc<ToolSchema>,
    validator: Arc<Validator>,
}

impl RegisteredTool {
    /// Compiles a tool that runs here, or what a toolset shows of one.
    pub(super) fn local(tool: Arc<dyn Tool>) -> Result<Self, TinyAgentsError> {
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

    /// The canonical name: the tool's identity, whatever a toolset calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name a model calls it by; another than the canonical one where a toolset has renamed it.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        &self.shown_name
    }

    /// The policy, as it was at registration.
    #[must_use]
    pub fn policy(&self) -> &ToolPolicy {
        &self.policy
    }

    /// The tool's own declaration, under the name that a model calls it by.
    #[must_use]
    pub fn schema(&self) -> &Arc<ToolSchema> {
        &self.schema
    }

    /// The declaration a model is shown: the tool's own, unless a toolset has prepared it.
    #[must_use]
    pub fn shown_schema(&self) -> &Arc<ToolSchema> {
        self.prepared
            .last()
            .map_or(&self.schema, |prepared| &prepared.schema)
    }

    /// Whether the arguments satisfy the tool's own schema, and every one that was put in its place.
    pub(crate) fn takes(&self, arguments: &Value) -> bool {
        self.validator.is_valid(arguments)
            && self
                .prepared
                .iter()
                .all(|prepared| prepared.validator.is_valid(arguments))
    }

    /// The faults of the arguments, without the values of redacted ones, and the schema that they break: the tool's own
    /// first.
    pub(crate) fn faults(
        &self,
        arguments: &Value,
        redact: &[&str],
    ) -> Result<(), (Vec<ArgumentError>, &ToolSchema)> {
        let prepared = self
            .prepared
            .iter()
            .map(|prepared| (&prepared.validator, &prepared.schema));
        for (validator, schema) in [(&self.validator, &self.schema)]
            .into_iter()
            .chain(prepared)
        {
            if let Err(faults) = validator.validate_redacted(arguments, redact) {
                return Err((faults, schema.as_ref()));
            }
        }
        Ok(())
    }

    /// The tool as a toolset hands it out.
    pub(crate) fn to_tool(&self) -> Arc<dyn Tool> {
        match (&self.view, &self.body) {
            (Some(view), _) => Arc::new(ToolView::clone(view)),
            (None, ToolBody::Local(tool)) => Arc::clone(tool),
            (None, ToolBody::External) => Arc::new(ToolView::external(Arc::clone(&self.schema))),
        }
    }

    /// JSON Schema of the structured result, where the tool declares one.
    #[must_use]
    pub fn output_schema(&self) -> Option<&Value> {
        self.output_schema.as_ref()
    }

    /// The compiled schema of the structured result.
    pub(crate) fn output_validator(&self) -> Option<&Validator> {
        self.output_validator.as_ref()
    }

    /// The compiled schema of the arguments.
    #[must_use]
    pub fn validator(&self) -> &Validator {
        &self.validator
    }

    /// The hidden values a call needs.
    #[must_use]
    pub fn injected(&self) -> &[Injected] {
        &self.injected
    }

    /// How a model gets to know of the tool.
    #[must_use]
    pub fn exposure(&self) -> ToolExposure {
        self.exposure
    }

    /// Who may use the tool.
    #[must_use]
    pub fn scope(&self) -> ToolScope {
        self.scope
    }

    /// The tool itself; `None` for an external one.
    #[must_use]
    pub fn tool(&self) -> Option<&Arc<dyn Tool>> {
        match &self.body {
            ToolBody::Local(tool) => Some(tool),
            ToolBody::External => None,
        }
    }

    /// Whether the host answers the calls.
    #[must_use]
    pub fn is_external(&self) -> bool {
        matches!(self.body, ToolBody::External)
    }

    /// SHA-256 over the canonical JSON of name, description and schema; computed when a call is first deferred.
    pub(crate) fn definition_hash(&self) -> &str {
        self.definition_hash.get_or_init(|| {
            hash_json(&json!({
                "name": *self.name,
                "description": self.schema.description,
                "parameters": self.schema.parameters,
            }))
        })
    }

    pub(crate) fn body(&self) -> &ToolBody {
        &self.body
    }

    pub(crate) fn shared_shown_name(&self) -> &Arc<str> {
        &self.shown_name
    }

    pub(crate) fn shared_name(&self) -> &Arc<str> {
        &self.name
    }

    /// Names that the model must not choose.
    pub(crate) fn hidden_names(&self) -> impl Iterator<Item = &'static str> {
        self.injected.iter().map(|injected| injected.parameter)
    }

    pub(crate) fn is_blocking(&self) -> bool {
        self.is_blocking
    }

    pub(crate) fn return_direct(&self) -> bool {
        self.return_direct
    }

    pub(crate) fn max_result_size_chars(&self) -> Option<usize> {
        self.max_result_size_chars
    }

    /// The schema's root says `"type": "object"` and nothing else.
    pub(crate) fn takes_only_objects(&self) -> bool {
        self.takes_only_objects
    }

    pub(crate) fn has_required(&self) -> bool {
        self.has_required
    }

    /// Running a call twice does no more than running it once.
    pub(crate) fn may_repeat(&self) -> bool {
        self.policy.runtime.idempotent || self.policy.side_effects.read_only
    }

    /// Whether a model may ever call it: not host-only, and not for command lines alone.
    pub(crate) fn is_for_models(&self) -> bool {
        self.exposure != ToolExposure::Hidden && self.scope != ToolScope::CliRpcOnly
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

impl fmt::Debug for RegisteredTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredTool")
            .field("name", &self.name)
            .field("policy", &self.policy)
            .field("exposure", &self.exposure)
            .field("external", &self.is_external())
            .finish_non_exhaustive()
    }
}

//! What each provider takes. One table, read by [`lint`](super::lint()) and by [`prepare`](super::prepare()).

use super::SchemaTarget;

/// What one target takes of JSON Schema.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent rules, each with a source of its own"
)]
pub(super) struct Rules {
    /// Keywords of a sub-schema.
    pub(super) keywords: Keywords,
    /// The only keywords of the root, where it has fewer.
    pub(super) root_keywords: Option<&'static [&'static str]>,
    /// Keywords that the root may not have.
    pub(super) root_never: &'static [&'static str],
    /// What becomes of `$ref`.
    pub(super) references: References,
    /// Whether `type` may be a list.
    pub(super) type_lists: bool,
    /// Whether every sub-schema says its type, or is a union of some that do.
    pub(super) needs_type: bool,
    /// Whether an array says what its items are.
    pub(super) needs_items: bool,
    /// Whether the root has `properties`, be it without any.
    pub(super) needs_root_properties: bool,
    /// Whether a required property must be declared too.
    pub(super) declares_required: bool,
    /// Whether `enum` holds texts alone, none of them empty.
    pub(super) text_enums: bool,
    /// Whether nothing may stand beside `anyOf`.
    pub(super) lone_unions: bool,
    /// Whether a keyword may stand only beside the type that it is about.
    pub(super) own_keywords: bool,
    /// Whether `null` is written as `nullable`.
    pub(super) nullable: bool,
    /// Whether a property's schema must be an object, not `true` or `false`.
    pub(super) object_properties: bool,
    /// Whether the names of arguments keep to letters, digits, `_`, `.` and `-`, at most 64.
    pub(super) plain_arguments: bool,
    /// Formats that are known, where others are refused.
    pub(super) formats: Option<&'static [&'static str]>,
    /// Whether every object is closed and all its properties are required.
    pub(super) strict: bool,
}

/// Which keywords a sub-schema may have.
#[derive(Clone, Copy, Debug)]
pub(super) enum Keywords {
    /// Any: JSON Schema is passed through.
    Any,
    /// These alone, in groups.
    Only(&'static [&'static [&'static str]]),
}

/// What becomes of `$ref`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum References {
    /// It stays, and its target goes to `$defs`.
    Kept,
    /// The same, but nothing may stand beside it.
    Bare,
    /// It gives way to its target.
    Inlined,
}

impl Rules {
    pub(super) fn takes(&self, keyword: &str) -> bool {
        match self.keywords {
            Keywords::Any => true,
            Keywords::Only(known) => known.iter().any(|group| group.contains(&keyword)),
        }
    }
}

/// Keywords that every target takes.
const SHARED: &[&str] = &[
    "type",
    "description",
    "format",
    "enum",
    "properties",
    "required",
    "items",
    "minItems",
    "maxItems",
    "pattern",
    "minimum",
    "maximum",
    "anyOf",
];

/// Keywords that every target takes outside of strict mode.
const LENGTHS: &[&str] = &["minLength", "maxLength"];

/// The rules of a target.
pub(super) const fn rules(target: SchemaTarget) -> Rules {
    match target {
        SchemaTarget::Portable => PORTABLE,
        SchemaTarget::OpenAi => OPENAI,
        SchemaTarget::OpenAiStrict => OPENAI_STRICT,
        SchemaTarget::Anthropic => ANTHROPIC,
        SchemaTarget::Gemini => GEMINI,
        SchemaTarget::Bedrock => BEDROCK,
        SchemaTarget::Mcp => MCP,
    }
}

/// The MCP specification's `Tool`: `inputSchema` is an object of `"type": "object"`, its `properties` hold objects
/// (inngest/inngest#3305 has a client that refuses `true`). Beyond that it is JSON Schema.
const MCP: Rules = Rules {
    keywords: Keywords::Any,
    root_keywords: None,
    root_never: &[],
    references: References::Kept,
    type_lists: true,
    needs_type: false,
    needs_items: false,
    needs_root_properties: false,
    declares_required: false,
    text_enums: false,
    lone_unions: false,
    own_keywords: false,
    nullable: false,
    object_properties: true,
    plain_arguments: false,
    formats: None,
    strict: false,
};

/// From the texts of 400 errors: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the
/// top level" (langchain-ai/langchainjs#9804), "array schema missing items" (streamnative/streamnative-mcp-server#26; for
/// a list of types too: campfirein/byterover-cli#42), "object schema missing properties" (spring-projects/spring-ai#4776;
/// of the root alone: caozhiyuan/copilot-api#131).
const OPENAI: Rules = Rules {
    root_never: &["oneOf", "anyOf", "allOf", "enum", "not"],
    needs_items: true,
    needs_root_properties: true,
    ..MCP
};

/// `OpenAI`'s guide *Structured Outputs*, "Supported schemas": the keywords, all of them required, closed objects, unions
/// by `anyOf`, the formats. From 400 errors: "$ref cannot have keywords" (camel-ai/camel#3001), "'oneOf' is not permitted"
/// and "'allOf' is not permitted" (makenotion/notion-mcp-server#102), "'default' is not permitted" (zenn.dev/nicopin;
/// newer models take it beside no `$ref`, so it is left out for the older ones).
const OPENAI_STRICT: Rules = Rules {
    keywords: Keywords::Only(&[
        SHARED,
        &[
            "title",
            "additionalProperties",
            "const",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "$ref",
            "$defs",
        ],
    ]),
    references: References::Bare,
    needs_type: true,
    declares_required: true,
    formats: Some(&[
        "date-time",
        "time",
        "date",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "uuid",
    ]),
    strict: true,
    ..OPENAI
};

/// From the texts of 400 errors: "`input_schema` does not support oneOf, allOf, or anyOf at the top level"
/// (anthropics/claude-code#5973), "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"
/// (anthropics/claude-code#79418; of `input_schema.properties` alone), "JSON schema is invalid. It must match JSON Schema
/// draft 2020-12" (anthropics/claude-code#63673).
const ANTHROPIC: Rules = Rules {
    root_never: &["oneOf", "anyOf", "allOf"],
    plain_arguments: true,
    ..MCP
};

/// The reference of the Gemini API, `Schema`: "a select subset of an `OpenAPI` 3.0 schema", whose fields these are; any other
/// name is "Cannot find field" (zed-industries/zed#44875). From 400 errors: `type` "is not repeating, cannot start list"
/// (zed-industries/zed#53919), "type: must be specified when not using `one_of`, `any_of` or `all_of`"
/// (danny-avila/LibreChat#6971), "items: missing field" (cline/cline#7339), "enum only allowed for STRING type"
/// (decolua/9router#359), its values "(`TYPE_STRING`)" (microsoft/azure-devops-mcp#145) and "cannot be empty"
/// (Bobsilvio/ha-claude#32), "format: only 'enum' and 'date-time' are supported for STRING type" (enechange/collmbo#195),
/// "specified other fields alongside `any_of`" (anomalyco/opencode#14788), "items: field predicate failed: $type ==
/// Type.ARRAY" (anomalyco/opencode#49392), "required\[0\]: property is not defined" (iBUHub/AIStudioToAPI#154). `default` is
/// documented as ignored. "properties: should be non-empty for OBJECT type" (agno-agi/agno#2113) is told of tools without
/// arguments, which are sent without `parameters`; an object inside the arguments may be open.
const GEMINI: Rules = Rules {
    keywords: Keywords::Only(&[
        SHARED,
        LENGTHS,
        &[
            "title",
            "nullable",
            "propertyOrdering",
            "minProperties",
            "maxProperties",
            "example",
        ],
    ]),
    root_keywords: None,
    root_never: &["anyOf"],
    references: References::Inlined,
    type_lists: false,
    needs_type: true,
    needs_items: true,
    needs_root_properties: false,
    declares_required: true,
    text_enums: true,
    lone_unions: true,
    own_keywords: true,
    nullable: true,
    object_properties: true,
    plain_arguments: false,
    formats: Some(&["enum", "date-time", "int32", "int64", "float", "double"]),
    strict: false,
};

/// "`toolSpec.inputSchema.json.type` must be one of the following: object" (earendil-works/pi#8804). The Amazon Nova user
/// guide, *Defining a tool*: at the top level only `type`, `properties` and `required` (pydantic/pydantic-ai#1623). Claude
/// is served too, so that its rule for the names of arguments holds.
const BEDROCK: Rules = Rules {
    root_keywords: Some(&["type", "properties", "required"]),
    references: References::Inlined,
    plain_arguments: true,
    needs_root_properties: true,
    ..MCP
};

/// What is left when the others have been asked, but for strict mode.
const PORTABLE: Rules = Rules {
    keywords: Keywords::Only(&[SHARED, LENGTHS]),
    root_keywords: Some(&["type", "properties", "required"]),
    nullable: false,
    plain_arguments: true,
    needs_root_properties: true,
    formats: Some(&["date-time"]),
    ..GEMINI
};

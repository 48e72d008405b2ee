//! Registration: all or nothing, and everything computed once.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::sync::Arc;

use lifecycle_support::Made;
use serde_json::json;
use tinyagents::runtime::{Dispatcher, ToolGroup, ToolRegistry};
use tinyagents::tinytools::{Injected, Tool, ToolExposure};
use tinyagents::{RunContext, TinyAgentsError, ToolSchema};

#[test]
fn a_tool_is_registered_in_any_form_it_is_owned_in() {
    let mut registry = ToolRegistry::new();
    registry.register(Made::echo("a")).unwrap();
    registry.register(Arc::new(Made::echo("b"))).unwrap();
    registry
        .register(Arc::new(Made::echo("c")) as Arc<dyn Tool>)
        .unwrap();
    registry
        .register(Box::new(Made::echo("d")) as Box<dyn Tool>)
        .unwrap();
    assert_eq!(registry.names(), ["a", "b", "c", "d"]);
    assert_eq!(registry.policies().len(), 4);
    assert_eq!(registry.specs().len(), 4);
    assert!(registry.get("a").is_some() && registry.get("e").is_none());
}

#[test]
fn a_refused_registration_names_the_tool_and_changes_nothing() {
    let mut registry = ToolRegistry::new();
    registry.register(Made::echo("a")).unwrap();
    let list = |names: [&'static str; 2]| -> Vec<Arc<dyn Tool>> {
        names
            .map(|name| Arc::new(Made::echo(name)) as Arc<dyn Tool>)
            .into()
    };
    for names in [
        ["b", "a"],
        ["b", "b"],
        ["b", "not a name"],
        ["b", "tool_search"],
    ] {
        let error = registry.register_all(list(names)).unwrap_err().to_string();
        assert!(error.contains(names[1]), "{error}");
        let group = ToolGroup::new("g", list(names)).with_instructions("never seen");
        assert!(registry.register_group(group).is_err());
        assert_eq!(registry.names(), ["a"]);
    }
}

#[test]
fn a_schema_that_cannot_hold_arguments_is_refused() {
    let mut registry = ToolRegistry::new();
    for schema in [
        json!({ "type": "string" }),
        json!({ "type": ["object", "null"] }),
        json!(true),
        json!({ "type": "object", "properties": { "a": { "$ref": "https://x.test/schema" } } }),
    ] {
        let error = registry
            .register(Made::echo("odd").schema(schema))
            .unwrap_err();
        assert!(error.to_string().contains("`odd`"), "{error}");
    }
    registry
        .register(Made::echo("open").schema(json!({})))
        .unwrap();
}

#[test]
fn a_hidden_name_may_not_be_an_argument_as_well() {
    let mut tool =
        Made::echo("odd").schema(json!({ "type": "object", "properties": { "db": {} } }));
    tool.injected = vec![Injected::of::<u64>("db")];
    let error = ToolRegistry::new().register(tool).unwrap_err();
    assert!(
        matches!(&error, TinyAgentsError::Validation(text) if text.contains("`db`")),
        "{error}"
    );
}

#[tokio::test]
async fn schemas_are_sorted_shared_and_split_by_exposure() {
    let mut registry = ToolRegistry::new();
    for (name, exposure) in [
        ("z", ToolExposure::Direct),
        ("a", ToolExposure::Direct),
        ("later", ToolExposure::Deferred),
        ("host", ToolExposure::Hidden),
    ] {
        let mut tool = Made::echo(name);
        tool.exposure = exposure;
        registry.register(tool).unwrap();
    }
    registry
        .register_external(ToolSchema::new("m", "", json!({})))
        .unwrap();
    let names = |schemas: &[ToolSchema]| -> Vec<String> {
        schemas.iter().map(|schema| schema.name.clone()).collect()
    };
    assert_eq!(names(&registry.schemas()), ["a", "m", "z"]);
    assert_eq!(names(&registry.deferred_schemas()), ["later"]);
    let turns = async |registry: ToolRegistry| {
        let dispatcher = Dispatcher::new(registry);
        let first = dispatcher.turn(&RunContext::new()).await.unwrap();
        let second = dispatcher.turn(&RunContext::new()).await.unwrap();
        assert!(
            std::ptr::eq(first.schemas().as_ptr(), second.schemas().as_ptr()),
            "a turn copies no schema"
        );
        names(first.schemas())
    };
    let shown = turns(registry).await;
    assert_eq!(shown, ["a", "m", "z", "tool_search", "tool_call"]);
    let mut direct = ToolRegistry::new();
    direct.register(Made::echo("z")).unwrap();
    assert_eq!(turns(direct).await, ["z"]);
}

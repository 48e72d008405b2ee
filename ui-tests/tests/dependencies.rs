//! Who may depend on whom, read from the graph that Cargo resolved for the default features.

#![allow(clippy::expect_used, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Node, PackageId};

/// Crates that an author of tools must not have to compile.
const HEAVY: &[&[&str]] = &[RUNTIMES, HTTP, LOGGING];
const RUNTIMES: &[&str] = &[
    "tokio",
    "async-std",
    "smol",
    "async-executor",
    "futures-executor",
];
const HTTP: &[&str] = &[
    "http", "hyper", "h2", "reqwest", "ureq", "isahc", "curl", "axum",
];
const LOGGING: &[&str] = &[
    "log",
    "tracing",
    "tracing-core",
    "env_logger",
    "slog",
    "fern",
];

/// Crates that belong to the optional features of the runtime.
const OPTIONAL: &[&[&str]] = &[
    HTTP,
    &[
        "deadpool-postgres",
        "jsonschema",
        "nix",
        "rmcp",
        "rusqlite",
        "rustls",
        "sqlx",
        "tokio-postgres",
    ],
];

#[test]
fn our_crates_depend_on_each_other_in_one_direction_only() {
    let graph = Graph::of_the_workspace();
    for (name, expected) in [
        ("tinytools-derive", None),
        ("tinytools", Some("tinytools-derive")),
        ("tinyagents", Some("tinytools")),
    ] {
        let ours = graph
            .direct(name)
            .intersection(&graph.members)
            .copied()
            .collect::<Vec<_>>();
        assert_eq!(
            ours,
            Vec::from_iter(expected),
            "the dependencies of {name} on our crates"
        );
    }
}

#[test]
fn tinytools_pulls_in_no_async_runtime_no_http_and_no_logging() {
    assert_eq!(
        Graph::of_the_workspace().reaches("tinytools", HEAVY),
        Vec::<&str>::new()
    );
}

#[test]
fn default_features_of_tinyagents_pull_in_no_http_no_database_and_no_mcp() {
    assert_eq!(
        Graph::of_the_workspace().reaches("tinyagents", OPTIONAL),
        Vec::<&str>::new()
    );
}

#[test]
fn only_one_version_of_syn_is_built_for_an_author_of_tools() {
    let graph = Graph::of_the_workspace();
    let versions = graph
        .all("tinytools")
        .into_iter()
        .filter(|id| graph.names[id] == "syn")
        .count();
    assert_eq!(versions, 1);
}

#[test]
fn a_runtime_would_be_found_where_there_is_one() {
    assert!(
        Graph::of_the_workspace()
            .reaches("tinyagents", HEAVY)
            .contains(&"tokio")
    );
}

/// The normal dependencies of every package.
struct Graph {
    names: BTreeMap<&'static PackageId, &'static str>,
    edges: BTreeMap<&'static PackageId, Vec<&'static PackageId>>,
    members: BTreeSet<&'static str>,
}

impl Graph {
    fn of_the_workspace() -> Self {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
        let metadata = MetadataCommand::new().manifest_path(manifest).exec();
        // Leaked, so that the graph can borrow from it: a test process ends soon.
        let metadata: &Metadata = Box::leak(Box::new(metadata.expect("cargo metadata")));
        Self::from(metadata)
    }

    /// The names of the packages that `name` depends on directly.
    fn direct(&self, name: &str) -> BTreeSet<&'static str> {
        self.edges[self.id(name)]
            .iter()
            .map(|id| self.names[id])
            .collect()
    }

    /// The packages that `name` depends on, however far away.
    fn all(&self, name: &str) -> BTreeSet<&'static PackageId> {
        let mut found = BTreeSet::new();
        let mut open = vec![self.id(name)];
        while let Some(id) = open.pop() {
            open.extend(self.edges[id].iter().filter(|next| found.insert(**next)));
        }
        found
    }

    /// Which crates of `lists` are among the dependencies of `name`.
    fn reaches(&self, name: &str, lists: &[&[&str]]) -> Vec<&'static str> {
        let names = self.all(name).into_iter().map(|id| self.names[id]);
        names
            .filter(|name| lists.iter().any(|list| list.contains(name)))
            .collect()
    }

    fn id(&self, name: &str) -> &'static PackageId {
        let mut named = self.names.iter().filter(|(_, other)| **other == name);
        named
            .next()
            .map(|(id, _)| *id)
            .expect("a package of the workspace")
    }
}

impl From<&'static Metadata> for Graph {
    fn from(metadata: &'static Metadata) -> Self {
        let resolve = metadata.resolve.as_ref().expect("a resolved graph");
        Self {
            names: metadata
                .packages
                .iter()
                .map(|package| (&package.id, &**package.name))
                .collect(),
            edges: resolve
                .nodes
                .iter()
                .map(|node| (&node.id, normal_dependencies(node)))
                .collect(),
            members: metadata
                .workspace_packages()
                .iter()
                .map(|package| &**package.name)
                .collect(),
        }
    }
}

fn normal_dependencies(node: &Node) -> Vec<&PackageId> {
    let is_normal = |kind: &cargo_metadata::DepKindInfo| kind.kind == DependencyKind::Normal;
    let normal = node
        .deps
        .iter()
        .filter(|dependency| dependency.dep_kinds.iter().any(is_normal));
    normal.map(|dependency| &dependency.pkg).collect()
}

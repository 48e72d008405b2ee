//! Laws of the adaptors.

#![allow(missing_docs, clippy::unwrap_used)]

mod toolset_support;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use futures::FutureExt as _;
use proptest::prelude::*;
use serde_json::json;
use tinyagents::RunContext;
use tinyagents::toolset::{CombinedToolSet, ToolSet, ToolSetExt};
use toolset_support::{names, set};

/// Few letters, so that names meet each other.
fn name() -> impl Strategy<Value = String> {
    "[abc]{1,3}(_[ab]{1,2})?"
}

fn some_names() -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set(name(), 0..6).prop_map(|names| names.into_iter().collect())
}

fn plain(names: &[String]) -> Arc<dyn ToolSet> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Arc::new(set(&names))
}

fn run<T>(law: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(law)
}

/// What each name of the set really calls.
async fn meanings(set: &dyn ToolSet) -> BTreeMap<String, String> {
    let mut meanings = BTreeMap::new();
    for name in names(set).await {
        let called = set
            .call(&name, json!({}), &RunContext::new())
            .await
            .unwrap();
        meanings.insert(name, called.text());
    }
    meanings
}

/// One change on top of a set.
#[derive(Clone, Debug)]
enum Change {
    Prefix(String),
    Keep(BTreeSet<String>),
    Rename(Vec<(String, String)>),
    Drop(BTreeSet<String>),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        "[ab]{1,2}".prop_map(Change::Prefix),
        prop::collection::btree_set(name(), 0..5).prop_map(Change::Keep),
        prop::collection::vec((name(), name()), 0..3).prop_map(Change::Rename),
        prop::collection::btree_set(name(), 0..3).prop_map(Change::Drop),
    ]
}

fn changed(set: Arc<dyn ToolSet>, change: Change) -> Arc<dyn ToolSet> {
    match change {
        Change::Prefix(prefix) => set.prefixed(prefix),
        Change::Keep(kept) => set.filtered(move |tool, _| kept.contains(tool.name())),
        Change::Rename(pairs) => set.renamed(pairs),
        Change::Drop(dropped) => set.prepared(move |mut tools, _| {
            tools.retain(|tool| !dropped.contains(&tool.name));
            tools
        }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_prefix_that_is_renamed_away_was_never_there(names in some_names(), prefix in "[a-c]{1,4}") {
        let pairs = names.iter().map(|name| (format!("{prefix}_{name}"), name.clone()));
        let back = plain(&names).prefixed(&*prefix).renamed(pairs);
        prop_assert_eq!(run(meanings(&back)), run(meanings(&plain(&names))));
    }

    #[test]
    fn a_filter_on_anything_but_the_name_commutes_with_a_rename(
        names in some_names(),
        pairs in prop::collection::vec((name(), "[xyz]{2}"), 0..3),
        kept in any::<u8>(),
    ) {
        // By what the tool does, which no rename changes.
        let keep = move |tool: &dyn tinyagents::Tool, _: &RunContext| {
            let meaning = tool.execute(json!({})).now_or_never().unwrap().unwrap().text();
            meaning.len() % 3 == usize::from(kept) % 3
        };
        let first = plain(&names).filtered(keep).renamed(pairs.clone());
        let last = plain(&names).renamed(pairs).filtered(keep);
        // A clash may be with a tool that the filter takes out first; never the other way round.
        if run(last.tools(&RunContext::new())).is_ok() {
            prop_assert_eq!(run(meanings(&first)), run(meanings(&last)));
        }
    }

    #[test]
    fn a_filter_on_names_commutes_with_a_rename_that_it_follows(
        names in some_names(),
        kept in prop::collection::hash_set(name(), 0..5),
    ) {
        let renamed_kept: HashSet<String> = kept.iter().map(|name| format!("p_{name}")).collect();
        let first = plain(&names).filtered(move |tool, _| kept.contains(tool.name())).prefixed("p");
        let last = plain(&names).prefixed("p").filtered(move |tool, _| renamed_kept.contains(tool.name()));
        prop_assert_eq!(run(meanings(&first)), run(meanings(&last)));
    }

    #[test]
    fn a_combination_is_associative_up_to_order(
        a in some_names(), b in some_names(), c in some_names(),
    ) {
        let [a, b, c] = [plain(&a), plain(&b), plain(&c)];
        let left = a.clone().combined(b.clone()).combined(c.clone());
        let right = c.clone().combined(b.clone()).combined(a.clone());
        let flat = CombinedToolSet::new(vec![b, a, c]);
        let ctx = RunContext::new();
        let is_ok = run(left.tools(&ctx)).is_ok();
        prop_assert_eq!(run(right.tools(&ctx)).is_ok(), is_ok);
        prop_assert_eq!(run(flat.tools(&ctx)).is_ok(), is_ok);
        if is_ok {
            prop_assert_eq!(run(meanings(&left)), run(meanings(&right)));
            prop_assert_eq!(run(meanings(&left)), run(meanings(&flat)));
        }
    }

    #[test]
    fn nothing_is_shown_or_called_that_no_member_has(
        a in some_names(),
        b in some_names(),
        changes in prop::collection::vec(change(), 0..5),
        asked in name(),
    ) {
        let members: HashSet<String> = a.iter().chain(&b).map(|name| format!("{name} {{}}")).collect();
        let mut all = plain(&a).prefixed("m").combined(plain(&b));
        for change in changes {
            all = changed(all, change);
        }
        let ctx = RunContext::new();
        if run(all.tools(&ctx)).is_ok() {
            let meanings = run(meanings(&all));
            for meaning in meanings.values() {
                prop_assert!(members.contains(meaning), "{}", meaning);
            }
            // Every name is one tool's, and a name that isn't shown calls nothing.
            prop_assert_eq!(run(names(&all)).len(), meanings.len());
            let called = run(all.call(&asked, json!({}), &ctx));
            prop_assert_eq!(called.is_ok(), meanings.contains_key(&asked));
        }
    }
}

//! The expansion of eight representative tools, pinned, and its size, bounded.
//!
//! `tests/expansion/NAME.rs` is what a user writes and `NAME.expanded.rs` what the macro makes of it, so that a change
//! of the generated code is reviewed like code. `UPDATE_SNAPSHOTS=1 cargo test -p tinytools-derive` rewrites the latter.

#![allow(clippy::expect_used, clippy::panic, reason = "a test")]

use std::fs;
use std::path::PathBuf;

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{Attribute, File, Item, Meta};

#[test]
fn weather_is_expanded_as_pinned() {
    check("weather");
}

#[test]
fn sync_tool_without_keys_is_expanded_as_pinned() {
    check("add");
}

#[test]
fn every_bound_is_expanded_as_pinned() {
    check("order_eggs");
}

#[test]
fn borrowed_and_optional_parameters_are_expanded_as_pinned() {
    check("grep");
}

#[test]
fn every_shape_of_a_hidden_parameter_is_expanded_as_pinned() {
    check("audit");
}

#[test]
fn policy_keys_are_expanded_as_pinned() {
    check("install_package");
}

#[test]
fn toolbox_is_expanded_as_pinned() {
    check("github");
}

#[test]
fn wrong_attribute_is_expanded_as_pinned() {
    check("misspelt");
}

#[test]
fn weather_takes_at_most_85_lines_beyond_the_function() {
    let lines = lines_beyond_the_function(&read("weather.rs"));
    assert!(lines <= 85, "{lines} lines");
}

#[test]
fn a_further_plain_parameter_takes_at_most_3_lines() {
    let weather = read("weather.rs");
    let further = weather.replace("city: String,", "city: String, country: String,");
    let lines = lines_beyond_the_function(&further) - lines_beyond_the_function(&weather);
    assert!(lines <= 3, "{lines} lines");
}

#[track_caller]
fn check(name: &str) {
    let expanded = prettyplease::unparse(&expand(&read(&format!("{name}.rs"))));
    let snapshot = format!("{name}.expanded.rs");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(path(&snapshot), &expanded).expect("the snapshot is written");
    }
    let pinned = read(&snapshot);
    assert!(
        pinned == expanded,
        "the expansion is no longer {snapshot}; UPDATE_SNAPSHOTS=1 rewrites it\n{expanded}"
    );
}

/// What the macro makes of a file that holds one annotated item.
fn expand(source: &str) -> File {
    let file = syn::parse_file(source).expect("a file of Rust");
    let mut item = file.items.into_iter().next().expect("an item");
    let attribute = take_attribute(&mut item);
    let args = match &attribute.meta {
        Meta::List(list) => list.tokens.clone(),
        Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
    };
    let expanded = if attribute.path().is_ident("toolbox") {
        crate::expand_toolbox(args, item.into_token_stream())
    } else {
        crate::expand_tool(args, item.into_token_stream())
    };
    syn::parse2(expanded).expect("the expansion is Rust")
}

/// Removes the attribute of ours from the item, as the compiler does.
fn take_attribute(item: &mut Item) -> Attribute {
    let (Item::Fn(syn::ItemFn { attrs, .. }) | Item::Impl(syn::ItemImpl { attrs, .. })) = item
    else {
        panic!("neither a function nor an impl block");
    };
    let ours = |attr: &Attribute| attr.path().is_ident("tool") || attr.path().is_ident("toolbox");
    let position = attrs.iter().position(ours).expect("an attribute of ours");
    attrs.remove(position)
}

fn lines_beyond_the_function(source: &str) -> usize {
    let mut expanded = expand(source);
    expanded.items.retain(|item| !matches!(item, Item::Fn(_)));
    prettyplease::unparse(&expanded).lines().count()
}

fn read(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_default()
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/expansion")
        .join(name)
}

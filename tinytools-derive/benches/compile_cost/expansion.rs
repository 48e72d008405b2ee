//! The time that the macro itself takes.
//!
//! No stable compiler tells it, so the sources of the macro are built as a program, unoptimised as Cargo builds macros
//! for `check`, which expands the tools of a file outside the compiler. What the compiler takes to hand tokens over is
//! not in it.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::Outcome;
use crate::generated::{Generated, workspace};

const PROGRAM: &str = r#"#![allow(dead_code, unused_imports)]

mod args;
mod check;
mod docs;
mod errors;
mod expand;
mod fallback;
mod input;
mod model;
mod shape;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Item, Meta};

fn main() {
    let path = std::env::args().nth(1).expect("a file");
    let source = std::fs::read_to_string(path).expect("the file is read");
    let file = syn::parse_file(&source).expect("the file is Rust");
    let tools: Vec<(TokenStream, TokenStream)> = file.items.into_iter().filter_map(tool).collect();
    let nanos = (0..5).map(|_| {
        let tools = tools.clone();
        let start = std::time::Instant::now();
        for (args, item) in tools {
            std::hint::black_box(expand::expand_tool(args, item));
        }
        start.elapsed().as_nanos()
    });
    println!("{} {}", tools.len(), nanos.min().expect("five runs"));
}

fn tool(item: Item) -> Option<(TokenStream, TokenStream)> {
    let Item::Fn(mut function) = item else {
        return None;
    };
    let position = function.attrs.iter().position(|attr| attr.path().is_ident("tool"))?;
    let args = match function.attrs.remove(position).meta {
        Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    };
    Some((args, function.into_token_stream()))
}
"#;

/// The time to expand all tools of an annotated crate.
pub(crate) fn time(annotated: &Generated, tools: usize) -> Outcome<Duration> {
    let program = Generated::new(
        "expansion",
        r#"proc-macro2 = "1"
quote = "1"
regex-syntax = "0.8"
syn = { version = "3", default-features = false, features = ["parsing", "printing", "proc-macro", "full", "clone-impls"] }
"#,
    )?;
    let sources = workspace()?.join("tinytools-derive/src");
    copy(&sources, &program.directory().join("src"))?;
    fs::remove_file(program.source())?;
    fs::write(program.directory().join("src/main.rs"), PROGRAM)?;
    let printed = program.cargo("run", &[&annotated.source()])?;
    let (expanded, nanos) = printed.trim().split_once(' ').ok_or("no figures")?;
    if expanded.parse() != Ok(tools) {
        return Err(format!("{expanded} of {tools} tools were expanded").into());
    }
    Ok(Duration::from_nanos(nanos.parse()?))
}

fn copy(from: &Path, to: &Path) -> Outcome<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

//! Each marker is written in one source file: who changes a grammar finds all of it there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::openers;

/// What the compiler takes from each source file that a model's text comes by, tests aside.
fn sources() -> BTreeMap<String, String> {
    fn walk(folder: &Path, sources: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, sources);
            } else if !path.ends_with(Path::new(file!()).file_name().unwrap()) {
                let text = fs::read_to_string(&path).unwrap();
                sources.insert(path.display().to_string(), code(&text));
            }
        }
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = BTreeMap::new();
    for folder in ["admission", "dialect", "harness", "model", "prompt_tools"] {
        walk(&source.join(folder), &mut sources);
    }
    sources
}

/// The code without its tests and comments, quotes in literals as they are meant.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    code.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| line.replace("\\\"", "\u{0}") + "\n")
        .collect()
}

/// The literals that look like what opens or closes something: they begin with a bracket and have letters, or it is in them.
fn literals(code: &str) -> impl Iterator<Item = String> {
    code.lines()
        .flat_map(|line| line.split('"').skip(1).step_by(2))
        .map(|literal| literal.replace('\u{0}', "\""))
        .filter(|literal| {
            literal.starts_with(['<', '['])
                && literal.contains(char::is_alphabetic)
                && !literal.contains(['{', ' '])
        })
}

/// The files in which a marker is written.
fn files<'a>(marker: &str, sources: &'a BTreeMap<String, String>) -> Vec<&'a str> {
    let marker = marker.replace('"', "\u{0}");
    let has = |(_, code): &(&String, &String)| code.contains(&marker);
    sources
        .iter()
        .filter(has)
        .map(|(path, _)| path.as_str())
        .collect()
}

/// Whether a folder of the crate on the path has this name; each system separates folders in its own way.
fn is_below(path: &str, folder: &str) -> bool {
    let path = Path::new(path);
    path.strip_prefix(env!("CARGO_MANIFEST_DIR"))
        .unwrap_or(path)
        .components()
        .any(|part| part.as_os_str() == folder)
}

#[test]
fn every_marker_is_written_in_one_file_alone() {
    let sources = sources();
    let opening: BTreeSet<String> = openers().map(|opener| opener.marker.to_owned()).collect();
    let is_grammar = |path: &str| is_below(path, "dialect") && !is_below(path, "render");
    let written: BTreeSet<String> = sources
        .iter()
        .filter(|(path, _)| is_grammar(path))
        .flat_map(|(_, code)| literals(code))
        .collect();
    // The closing ones are known from the sources alone: that these are read aright, the opening ones show.
    for marker in opening.iter().filter(|marker| marker.starts_with('<')) {
        let is_read = written.contains(marker) || marker.contains(' ');
        assert!(is_read, "{marker} is not found in the sources");
    }
    assert!(opening.len() > 30 && written.len() > 60);
    for marker in opening.union(&written) {
        let files = files(marker, &sources);
        assert_eq!(files.len(), 1, "{marker} is written in {files:?}");
    }
}

#[test]
fn a_second_file_with_a_marker_would_be_found() {
    let mut sources = sources();
    let marker = openers().next().unwrap().marker;
    let copy = format!("/// {marker}\nconst A: &str = \"{marker}\";\n");
    sources.insert("copy.rs".to_owned(), code(&copy));
    assert_eq!(files(marker, &sources).len(), 2);
    // In a comment it is only told of.
    sources.insert("copy.rs".to_owned(), code(&format!("/// {marker}\n")));
    assert_eq!(files(marker, &sources).len(), 1);
}

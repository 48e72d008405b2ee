//! The README shows the expansion as it is: the one that the snapshot of the macro pins.

use std::fs;
use std::path::Path;

#[test]
fn the_expansion_in_the_readme_is_the_pinned_one() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let snapshot = root.join("tinytools-derive/tests/expansion/weather.expanded.rs");
    let pinned = fs::read_to_string(snapshot)?;
    let readme = fs::read_to_string(root.join("README.md"))?;
    // Before the generated struct stands the user's function, whose body is the README's own.
    let Some(start) = pinned.find("/// Look up the weather for a city.\n#[derive(") else {
        anyhow::bail!("no generated struct in\n{pinned}");
    };
    let generated = pinned[start..].trim_end();
    assert!(readme.contains(generated), "the README lacks\n{generated}");
    Ok(())
}

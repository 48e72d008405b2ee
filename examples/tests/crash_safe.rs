//! Both processes of the `crash_safe` example.
#![cfg(feature = "sqlite")]

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

#[path = "../crash_safe.rs"]
#[allow(dead_code, reason = "`main` is for the command line")]
mod crash_safe;

/// One of the two processes, where the other test starts it.
#[tokio::test]
async fn a_process() -> anyhow::Result<()> {
    match env::var_os(crash_safe::FOLDER) {
        Some(folder) => crash_safe::work(Path::new(&folder)).await,
        None => Ok(()),
    }
}

fn start(folder: &Path, dies_at: &str) -> anyhow::Result<Output> {
    let mut process = Command::new(env::current_exe()?);
    process.args(["--exact", "a_process", "--nocapture"]);
    process.env(crash_safe::FOLDER, folder);
    Ok(process.env(crash_safe::DIES_AT, dies_at).output()?)
}

#[test]
fn each_card_is_charged_once_by_two_processes_of_which_one_is_killed() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let first = start(folder.path(), "amex")?;
    assert!(!first.status.success());
    let second = start(folder.path(), "")?;
    let said = String::from_utf8(second.stdout)?;
    assert!(second.status.success(), "{said}");
    for line in [
        "found:  call-1 recorded",
        "found:  call-2 interrupted",
        "answer: call-1 charged 1900 cents to visa",
        "answer: call-3 charged 1900 cents to diners",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    let book = fs::read_to_string(folder.path().join("bank.txt"))?;
    let cards: Vec<&str> = book
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(cards, ["visa", "amex", "diners"]);
    // A third one finds nothing left to do.
    let third = start(folder.path(), "")?;
    assert!(third.status.success());
    assert_eq!(fs::read_to_string(folder.path().join("bank.txt"))?, book);
    Ok(())
}

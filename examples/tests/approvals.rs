//! Both starts of the approvals example.

use std::path::PathBuf;
use std::process::ExitCode;

#[path = "../approvals.rs"]
#[allow(dead_code, reason = "`main` is for the command line")]
mod approvals;

/// A file of its own for each test, gone when the test is.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        let name = format!("tinyagents-approvals-{}-{name}.json", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    /// Starts the example with this file and these arguments.
    async fn start(&self, arguments: &[&str], typed: &str) -> anyhow::Result<String> {
        let file = self.0.to_string_lossy().into_owned();
        let arguments = ["--file", &file]
            .into_iter()
            .chain(arguments.iter().copied());
        let arguments: Vec<String> = arguments.map(str::to_owned).collect();
        let mut printed = Vec::new();
        let code = approvals::run(&arguments, &mut typed.as_bytes(), &mut printed).await?;
        assert_eq!(code, ExitCode::SUCCESS);
        Ok(String::from_utf8(printed)?)
    }

    async fn paused(name: &str) -> anyhow::Result<Self> {
        let file = Self::new(name);
        let printed = file.start(&[], "").await?;
        assert!(printed.contains("pay call-1 deferred"), "{printed}");
        assert!(file.0.exists());
        Ok(file)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[tokio::test]
async fn a_payment_is_made_once_and_only_as_it_was_approved() -> anyhow::Result<()> {
    for (name, arguments, typed, expected) in [
        (
            "yes",
            vec!["--yes"],
            "",
            "paid 4200 cents to Ada, approved by a person",
        ),
        (
            "typed",
            vec![],
            "what?\nyes\n",
            "paid 4200 cents to Ada, approved by a person",
        ),
        ("no", vec!["--no"], "", "pay: the person says no"),
        ("end", vec![], "", "pay: the person says no"),
        (
            "edit",
            vec!["--edit", r#"{"to":"Ada","cents":7}"#],
            "",
            "paid 7 cents to Ada, approved by a person",
        ),
        (
            "typed-edit",
            vec![],
            "{\"to\":\"Bob\",\"cents\":1}\n",
            "paid 1 cents to Bob",
        ),
        (
            "too-much",
            vec!["--edit", r#"{"to":"Ada","cents":100001}"#],
            "",
            "invalid arguments",
        ),
    ] {
        let file = File::paused(name).await?;
        let printed = file.start(&arguments, typed).await?;
        assert!(printed.contains(expected), "{name}: {printed}");
        assert!(!file.0.exists());
    }
    Ok(())
}

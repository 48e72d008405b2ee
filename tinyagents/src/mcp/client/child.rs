//! A server that is a process of ours.

use std::ffi::OsString;
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{env, fmt, io};

use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// What a server may know of the host's environment. The rest may hold keys that are none of its business.
const INHERITED: &[&str] = &[
    "HOME",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "USER",
    "APPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
];

/// A command that can be started again and again. The lock is held for the length of one start.
pub(super) struct Program {
    name: String,
    command: Mutex<Command>,
}

impl Program {
    pub(super) fn new(mut command: Command) -> Self {
        let own: Vec<(OsString, Option<OsString>)> = command
            .as_std()
            .get_envs()
            .map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned)))
            .collect();
        command.env_clear();
        let inherited = INHERITED
            .iter()
            .filter_map(|name| Some((name, env::var_os(name)?)));
        command.envs(inherited);
        for (name, value) in own {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.kill_on_drop(true);
        // What the server starts is stopped with it, and a terminal's Ctrl-C is for the host alone.
        #[cfg(unix)]
        command.process_group(0);
        Self {
            name: command
                .as_std()
                .get_program()
                .to_string_lossy()
                .into_owned(),
            command: Mutex::new(command),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn start(&self) -> io::Result<(Process, ChildStdout, ChildStdin)> {
        let mut child = {
            let command = self.command.lock();
            command.unwrap_or_else(PoisonError::into_inner).spawn()?
        };
        let pipes = (child.stdout.take(), child.stdin.take());
        let (Some(stdout), Some(stdin)) = pipes else {
            return Err(io::Error::other("it has no pipes"));
        };
        Ok((Process::new(child), stdout, stdin))
    }
}

impl fmt::Debug for Program {
    /// The name alone: arguments and variables may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Program").field(&self.name).finish()
    }
}

/// A running server. Dropped, it is killed, with what it has started, and waited for in the background, so that nothing
/// is left of it.
#[derive(Debug)]
pub(super) struct Process {
    child: Option<Child>,
    #[cfg(unix)]
    group: Option<nix::unistd::Pid>,
}

impl Process {
    fn new(child: Child) -> Self {
        Self {
            #[cfg(unix)]
            group: child
                .id()
                .and_then(|id| i32::try_from(id).ok())
                .map(nix::unistd::Pid::from_raw),
            child: Some(child),
        }
    }

    /// Waits for its end, which its closed input asks for; asks again and kills it when it takes longer than `patience`.
    pub(super) async fn stop(&mut self, patience: Duration) {
        let has_ended =
            self.has_ended_within(patience).await || self.ends_when_asked(patience).await;
        // Also where it has ended: what it had started may be there still.
        self.kill();
        if !has_ended && let Some(child) = &mut self.child {
            let _ = child.wait().await;
        }
        self.child = None;
    }

    async fn has_ended_within(&mut self, patience: Duration) -> bool {
        match &mut self.child {
            Some(child) => tokio::time::timeout(patience, child.wait()).await.is_ok(),
            None => true,
        }
    }

    #[cfg(unix)]
    async fn ends_when_asked(&mut self, patience: Duration) -> bool {
        self.signal(nix::sys::signal::Signal::SIGTERM);
        self.has_ended_within(patience).await
    }

    /// There is no way to ask.
    #[cfg(not(unix))]
    async fn ends_when_asked(&mut self, _: Duration) -> bool {
        false
    }

    #[cfg(unix)]
    fn signal(&self, signal: nix::sys::signal::Signal) {
        if let Some(group) = self.group {
            // It fails where nobody is left, which is what it is for.
            let _ = nix::sys::signal::killpg(group, signal);
        }
    }

    fn kill(&mut self) {
        #[cfg(unix)]
        self.signal(nix::sys::signal::Signal::SIGKILL);
        if let Some(child) = &mut self.child {
            let _ = child.start_kill();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.child.is_none() {
            return;
        }
        self.kill();
        // Without a runtime, dropping the child leaves the waiting to whoever ends last.
        if let (Some(mut child), Ok(runtime)) =
            (self.child.take(), tokio::runtime::Handle::try_current())
        {
            runtime.spawn(async move { child.wait().await });
        }
    }
}

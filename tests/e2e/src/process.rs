//! Programs that run beside the tests, each on a free port. They end with the process that started
//! them, even if it is killed.

use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use xtask::shell::{root, target};

use crate::wait_for;

/// Runs its arguments as a command. Every line of its input is the id of one more process; at the
/// end of the input all are killed and the temporary folder is deleted. The input ends with the
/// process that holds its other end.
const GUARD: &str = r#"
"$@" </dev/null & ids=$!
trap "" INT
while read -r id; do ids="$ids $id"; done
kill -KILL $ids
wait
rm -rf "$TMPDIR"
"#;

/// Timeout of a program's start.
const PATIENCE: Duration = Duration::from_secs(20);

/// Number of attempts to start a program, as another one may take the port first.
const ATTEMPTS: u32 = 2;

/// A running program, which ends when this is dropped.
#[derive(Debug)]
pub struct Process {
    guard: Child,
    port: u16,
}

impl Process {
    /// Starts a program on a free port and waits until it is ready. `configure` sets its arguments.
    ///
    /// # Errors
    /// When the program cannot be started, or is not ready in time, with its output.
    pub fn start(
        name: &str,
        program: &Path,
        configure: impl Fn(u16, &mut Command) -> Result<()>,
        ready: impl Fn(u16) -> bool,
    ) -> Result<Self> {
        let mut outcome = Self::attempt(name, program, &configure, &ready);
        for _ in 1..ATTEMPTS {
            if outcome.is_ok() {
                break;
            }
            outcome = Self::attempt(name, program, &configure, &ready);
        }
        outcome
    }

    fn attempt(
        name: &str,
        program: &Path,
        configure: &impl Fn(u16, &mut Command) -> Result<()>,
        ready: &impl Fn(u16) -> bool,
    ) -> Result<Self> {
        let port = free_port()?;
        let mut command = Command::new("sh");
        command.args(["-c", GUARD, "sh"]).arg(program).current_dir(root());
        let temporary = std::env::temp_dir().join(format!("shardwise-{port}"));
        std::fs::create_dir_all(&temporary).context("There is no folder for temporary files")?;
        command.env("TMPDIR", &temporary);
        configure(port, &mut command)?;
        let log = folder()?.join(format!("{}-{port}.log", name.to_lowercase()));
        let output = std::fs::File::create(&log).context("target/servers cannot be written")?;
        let copy = output.try_clone().context("The log cannot be shared")?;
        let guard = command.stdin(Stdio::piped()).stdout(copy).stderr(output).spawn();
        let process = Self { guard: guard.with_context(|| format!("{name} cannot be started"))?, port };
        if wait_for("", PATIENCE, || Ok(ready(port).then_some(()))).is_err() {
            bail!("{name} is not ready: {}", std::fs::read_to_string(&log).unwrap_or_default());
        }
        Ok(process)
    }

    /// Returns the port on which the program listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends another process together with this one.
    ///
    /// # Errors
    /// When the guard is gone.
    pub fn end_with_it(&self, process: u64) -> Result<()> {
        let mut input = self.guard.stdin.as_ref().context("The guard has no input")?;
        writeln!(input, "{process}").context("The guard does not listen")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

/// Returns the folder of these programs' logs and configurations.
///
/// # Errors
/// When the folder cannot be created.
pub fn folder() -> Result<PathBuf> {
    let folder = target().join("servers");
    std::fs::create_dir_all(&folder).context("target/servers cannot be made")?;
    Ok(folder)
}

fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("There is no free port")?;
    Ok(listener.local_addr().context("The port is not known")?.port())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_program_ends_with_its_guard_and_so_do_others_named_to_it() -> Result<()> {
        let mut other = Command::new("sleep").arg("100").spawn()?;
        let configure = |_, sleep: &mut Command| {
            sleep.arg("100");
            Ok(())
        };
        let process = Process::start("sleep", Path::new("sleep"), configure, |_| true)?;
        process.end_with_it(u64::from(other.id()))?;
        assert!(other.try_wait()?.is_none());
        drop(process);
        assert!(!other.wait()?.success());
        Ok(())
    }
}

//! Waits for conditions, and runs asynchronous code.

use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use tokio::runtime::Runtime;

/// Interval between two checks of a condition.
const POLL: Duration = Duration::from_millis(20);

/// Calls `ask` until it returns `Some`.
///
/// # Errors
/// The error of `ask`, or `otherwise` after `limit`.
pub fn wait_for<T>(otherwise: &str, limit: Duration, mut ask: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask()? {
            return Ok(answer);
        }
        if start.elapsed() > limit {
            bail!("After {:.0} s: {otherwise}.", limit.as_secs_f64());
        }
        sleep(POLL);
    }
}

/// Runs a future to its end on the runtime that all tests share.
///
/// # Errors
/// When the runtime cannot be created.
pub fn block_on<T>(future: impl Future<Output = T>) -> Result<T> {
    Ok(runtime()?.block_on(future))
}

/// Returns the runtime that all tests share.
pub(crate) fn runtime() -> Result<&'static Runtime> {
    static RUNTIME: OnceLock<std::io::Result<Runtime>> = OnceLock::new();
    let runtime =
        RUNTIME.get_or_init(|| tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build());
    runtime.as_ref().map_err(|error| anyhow!("{error}")).context("The asynchronous runtime does not start")
}

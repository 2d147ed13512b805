//! Runs tests compiled to Wasm in a headless Chromium, with wasm-bindgen's test runner.

use anyhow::{Context as _, Result};
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::chromium::SETTINGS;
use crate::shell::{cargo, root};
use crate::tools::{WASM_TARGET, wasm_test_runner};

/// Returns the command `cargo test` with these arguments, for Wasm, in this browser.
///
/// # Errors
/// When the runner cannot be installed.
pub fn command(chromium: &Browser, arguments: &[&str]) -> Result<Command> {
    // No `--quiet`: cargo would pass it to the runner, which rejects it.
    let mut tests = cargo(&["test", "--target", WASM_TARGET]);
    tests.args(arguments).env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", wasm_test_runner()?);
    tests.env("CHROMEDRIVER", &chromium.driver).env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", settings(chromium)?);
    // A slow machine must not fail the tests.
    tests.env("WASM_BINDGEN_TEST_TIMEOUT", "300").env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "30");
    Ok(tests)
}

/// Writes `webdriver.json` with the path of the browser, the only way to pass it to the runner.
fn settings(chromium: &Browser) -> Result<PathBuf> {
    let mut settings: Value = serde_json::from_str(SETTINGS).context("webdriver.json is not JSON")?;
    if let Some(options) = settings.get_mut("goog:chromeOptions").and_then(Value::as_object_mut) {
        options.insert("binary".into(), json!(chromium.browser));
    }
    let file = root().join("target").join("webdriver.json");
    std::fs::write(&file, settings.to_string()).context("target/webdriver.json could not be written")?;
    Ok(file)
}

//! Command-line options and capabilities of browsers.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use thirtyfour::Capabilities;
use xtask::install::{Browser, BrowserKind, SETTINGS};

/// Options of every Firefox: a page of 1280 by 900 px.
const FIREFOX: [&str; 3] = ["-headless", "--width=1280", "--height=985"];

/// Options of every MiniBrowser.
const WEBKIT: [&str; 2] = ["--automation", "--geometry=1280x985"];

/// Returns the capabilities requested from the driver.
pub(crate) fn capabilities(browser: &Browser, flags: &[&str]) -> Result<Capabilities> {
    let (name, options) = match browser.kind {
        BrowserKind::Chromium => (
            "goog:chromeOptions",
            json!({
                "binary": browser.browser,
                "args": usual_flags()?.iter().map(String::as_str).chain(flags.iter().copied()).collect::<Vec<_>>(),
            }),
        ),
        BrowserKind::Firefox => (
            "moz:firefoxOptions",
            json!({
                "binary": browser.browser,
                "args": FIREFOX.iter().chain(flags).collect::<Vec<_>>(),
                "prefs": {
                    // No system proxy, and one device pixel per CSS pixel.
                    "network.proxy.type": 0,
                    "layout.css.devPixelsPerPx": "1.0",
                },
            }),
        ),
        BrowserKind::Webkit => (
            "webkitgtk:browserOptions",
            json!({
                "binary": browser.browser,
                "args": WEBKIT.iter().chain(flags).collect::<Vec<_>>(),
            }),
        ),
    };
    let mut wanted = Capabilities::new();
    wanted.set(name, options).context("The browser's options are no JSON")?;
    if browser.kind == BrowserKind::Chromium {
        wanted.set("goog:loggingPrefs", json!({ "browser": "ALL" })).context("The browser's log is no JSON")?;
    }
    Ok(wanted)
}

fn usual_flags() -> Result<Vec<String>> {
    let settings: Value = serde_json::from_str(SETTINGS).context("webdriver.json is not JSON")?;
    let flags = settings.pointer("/goog:chromeOptions/args").and_then(Value::as_array);
    let flags = flags.context("webdriver.json has no arguments for Chrome")?;
    Ok(flags.iter().filter_map(|flag| Some(flag.as_str()?.to_owned())).collect())
}

//! What a browser is started with.

use serde_json::{Value, json};

use crate::browser::{Browser, Kind};
use crate::failure::{Explain as _, Failure, Result};

/// What every headless Chromium of ours is started with.
pub const SETTINGS: &str = include_str!("../../../webdriver.json");

/// What every headless Firefox of ours is started with: a page of 1280 by 900 px.
const FIREFOX: [&str; 3] = ["-headless", "--width=1280", "--height=985"];

/// The body of the request for a session.
pub(super) fn capabilities(browser: &Browser, flags: &[&str]) -> Result<Value> {
    let mut wanted = match browser.kind {
        Kind::Chromium => json!({
            "goog:chromeOptions": {
                "binary": browser.browser,
                "args": usual_flags()?.iter().map(String::as_str).chain(flags.iter().copied()).collect::<Vec<_>>(),
            },
            "goog:loggingPrefs": { "browser": "ALL" },
        }),
        Kind::Firefox => json!({
            "moz:firefoxOptions": {
                "binary": browser.browser,
                "args": FIREFOX.iter().chain(flags).collect::<Vec<_>>(),
                "prefs": {
                    // No proxy of the system's; one pixel is one pixel.
                    "network.proxy.type": 0,
                    "layout.css.devPixelsPerPx": "1.0",
                },
            },
        }),
    };
    if let Some(wanted) = wanted.as_object_mut() {
        wanted.insert("timeouts".into(), json!({ "script": 180_000, "pageLoad": 60_000, "implicit": 0 }));
    }
    Ok(json!({ "capabilities": { "alwaysMatch": wanted } }))
}

fn usual_flags() -> Result<Vec<String>> {
    let settings: Value = serde_json::from_str(SETTINGS).explain(|| "webdriver.json is not JSON".into())?;
    let flags = settings.pointer("/goog:chromeOptions/args").and_then(Value::as_array);
    let flags = flags.ok_or_else(|| Failure::new("webdriver.json has no arguments for Chrome."))?;
    Ok(flags.iter().filter_map(|flag| Some(flag.as_str()?.to_owned())).collect())
}

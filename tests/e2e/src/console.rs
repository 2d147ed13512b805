//! The hidden state of a page: its console, scripts injected before its own, and its stored data.
//! Each browser needs different commands.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use anyhow::{Result, bail};
use serde_json::{Value, json};
use xtask::install::BrowserKind;

use crate::Session;

/// Runs in Firefox's privileged context: returns and clears the console messages that pages caused.
/// Messages of Firefox itself are ignored.
const MESSAGES: &str = "const messages = Services.console.getMessageArray();
    Services.console.reset();
    return messages.filter((it) => it instanceof Ci.nsIScriptError && !it.isFromChromeContext
            && /^(https?|blob|data):/.test(it.sourceName))
        .map((it) => ({
            level: it.flags & Ci.nsIScriptError.warningFlag ? 'WARNING' : 'SEVERE',
            message: `${it.sourceName} ${it.lineNumber}: ${it.errorMessage}`,
        }));";

/// Runs in Firefox's privileged context: injects a script into every window of a page before the
/// page's first script. Returns the address that removes it.
const BEFORE: &str = "const inject = (source) => addEventListener('DOMWindowCreated', ({ target }) => {
        const { defaultView: window } = target;
        if (!/^https?:$/.test(window.location.protocol)) return;
        Cu.evalInSandbox(source, Cu.Sandbox(window, { sandboxPrototype: window, wantXrays: false }));
    });
    const address = `data:,${encodeURIComponent(`(${inject})(${JSON.stringify(arguments[0])})`)}`;
    Services.mm.loadFrameScript(address, true);
    return address;";

/// Runs in Firefox's privileged context: deletes the stored data of sites and removes the injected
/// scripts.
const FORGET: &str = "for (const address of arguments[0]) Services.mm.removeDelayedFrameScript(address);
    Services.console.reset();
    const { CLEAR_ALL } = Ci.nsIClearDataService;
    return new Promise((done) => Services.clearData.deleteData(CLEAR_ALL, { onDataDeleted: () => done(true) }));";

impl Session {
    /// Returns the console messages since the last call, including errors and warnings of the
    /// browser: (level, message). Messages that a page writes are only reported by Chromium;
    /// WebKitGTK's driver reports none.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn console(&self) -> Result<Vec<(String, String)>> {
        let entries = match self.kind() {
            BrowserKind::Chromium => {
                let entries = self.run(async |web| web.browser_log().await)?;
                return Ok(entries.into_iter().map(|entry| (entry.level, entry.message)).collect());
            }
            BrowserKind::Firefox => self.privileged(MESSAGES, &[])?,
            BrowserKind::Webkit => Value::Null,
        };
        let entries = entries.as_array().cloned().unwrap_or_default();
        let field = |entry: &Value, name| entry.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(entries.iter().map(|entry| (field(entry, "level"), field(entry, "message"))).collect())
    }

    /// Runs a script in every page that this tab opens from now on, before the page's own scripts.
    ///
    /// # Errors
    /// When the browser refuses, or is WebKit, whose driver does not support it.
    pub fn before_scripts(&self, source: &str) -> Result<()> {
        match self.kind() {
            BrowserKind::Chromium => {
                self.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": source })).map(drop)
            }
            BrowserKind::Firefox => {
                let address = self.privileged(BEFORE, &[json!(source)])?;
                let mut injected = self.browser()?.injected.lock().unwrap_or_else(PoisonError::into_inner);
                injected.extend(address.as_str().map(str::to_owned));
                Ok(())
            }
            BrowserKind::Webkit => bail!("WebKitGTK's driver runs no script before the page's own."),
        }
    }

    /// Deletes the cache, and the stored data of these origins.
    pub(crate) fn forget(&self, origins: &BTreeSet<String>) -> Result<()> {
        match self.kind() {
            BrowserKind::Chromium => {
                for command in ["Network.clearBrowserCache", "Network.clearBrowserCookies", "Browser.resetPermissions"]
                {
                    self.devtools(command, &json!({}))?;
                }
                for origin in origins {
                    let all = json!({ "origin": origin, "storageTypes": "all" });
                    self.devtools("Storage.clearDataForOrigin", &all)?;
                }
                self.console().map(drop)
            }
            BrowserKind::Firefox => {
                let mut injected = self.browser()?.injected.lock().unwrap_or_else(PoisonError::into_inner);
                self.privileged(FORGET, &[json!(std::mem::take(&mut *injected))]).map(drop)
            }
            BrowserKind::Webkit => Ok(()),
        }
    }

    /// Runs a script in Firefox's privileged context.
    fn privileged(&self, body: &str, arguments: &[Value]) -> Result<Value> {
        self.post("/moz/context", json!({ "context": "chrome" }))?;
        let answer = self.script(body, arguments);
        self.post("/moz/context", json!({ "context": "content" }))?;
        answer
    }
}

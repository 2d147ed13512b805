//! What happens behind the page: its console, and scripts of ours before its own. Each browser has its own way.

use serde_json::{Value, json};

use super::{Session, text};
use crate::browser::Kind;
use crate::failure::Result;

/// Run in Firefox's own context: what pages caused its console to say, and forgets it. Its own troubles are not ours.
const MESSAGES: &str = "const messages = Services.console.getMessageArray();
    Services.console.reset();
    return messages.filter((it) => it instanceof Ci.nsIScriptError && !it.isFromChromeContext
            && /^(https?|blob|data):/.test(it.sourceName))
        .map((it) => ({
            level: it.flags & Ci.nsIScriptError.warningFlag ? 'WARNING' : 'SEVERE',
            message: `${it.sourceName} ${it.lineNumber}: ${it.errorMessage}`,
        }));";

/// Run in Firefox's own context: runs a script in every window of a page before the page's own first.
const BEFORE: &str = "const inject = (source) => addEventListener('DOMWindowCreated', ({ target }) => {
        const { defaultView: window } = target;
        if (!/^https?:$/.test(window.location.protocol)) return;
        Cu.evalInSandbox(source, Cu.Sandbox(window, { sandboxPrototype: window, wantXrays: false }));
    });
    const script = `(${inject})(${JSON.stringify(arguments[0])})`;
    Services.mm.loadFrameScript(`data:,${encodeURIComponent(script)}`, true);";

impl Session {
    /// What the console got since the last call, errors and warnings of the browser itself included: (level, message).
    /// What a page itself writes there is only seen in Chromium.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn console(&self) -> Result<Vec<(String, String)>> {
        let entries = match self.kind {
            Kind::Chromium => self.post("se/log", &json!({ "type": "browser" }))?,
            Kind::Firefox => self.privileged(MESSAGES, &[])?,
        };
        let entries = entries.as_array().cloned().unwrap_or_default();
        let field = |entry: &Value, name: &str| text(entry.get(name)).unwrap_or_default();
        Ok(entries.iter().map(|entry| (field(entry, "level"), field(entry, "message"))).collect())
    }

    /// Runs a script in every page opened from now on, before any of its own.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn before_scripts(&self, source: &str) -> Result<()> {
        match self.kind {
            Kind::Chromium => self.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": source })),
            Kind::Firefox => self.privileged(BEFORE, &[json!(source)]),
        }
        .map(drop)
    }

    /// Runs a script of Firefox's own context.
    fn privileged(&self, body: &str, arguments: &[Value]) -> Result<Value> {
        self.post("moz/context", &json!({ "context": "chrome" }))?;
        let answer = self.script(body, arguments);
        self.post("moz/context", &json!({ "context": "content" }))?;
        answer
    }
}

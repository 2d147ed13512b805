//! A page of another site with figures: links to the calculator that `static/embed.js` turns into
//! embeds.

use anyhow::{Result, anyhow, ensure};
use e2e::{BrowserKind, Session, wait_for};
use serde_json::{Value, json};

use crate::page::PATIENCE;

/// Records the messages of figures to their page, and violations of the content policy.
const WITNESS: &str = "window.heard = [];
    window.witness = [];
    addEventListener('message', (event) => window.heard.push([event.source, event.data]));
    addEventListener('error', (event) => window.witness.push(`nobody caught ${event.message}`));
    addEventListener('securitypolicyviolation', (event) =>
        window.witness.push(`the policy forbids ${event.violatedDirective} of ${event.blockedURI} ${event.sample}`));";

/// Scrolls to the figure of this link and returns whether it is ready, and whether it has the
/// height it announced.
const FIGURE: &str = "
    const link = document.querySelector(`a[href*='view=${arguments[0]}']`);
    if (!link) return 'no link';
    link.scrollIntoView({ block: 'center', behavior: 'instant' });
    const frame = [...document.querySelectorAll('iframe')].find((frame) => frame.src.includes(`view=${arguments[0]}`));
    if (!frame) return 'no figure';
    const said = window.heard.filter(([source]) => source === frame.contentWindow).map(([, data]) => data);
    const heights = said.filter((data) => data.type === 'shardwise:height').map((data) => data.height);
    const ready = said.some((data) => data.type === 'shardwise:ready');
    const high = heights.length > 0 && frame.clientHeight === heights.at(-1);
    return ready && high ? 'live' : `${ready ? 'ready' : 'not ready'}, ${frame.clientHeight} high, said ${heights}`;";

/// Lists violations of the content policy, errors, and requests to other sites.
const COMPLAINTS: &str = "const foreign = performance.getEntriesByType('resource').map((entry) => entry.name)
        .filter((name) => !/^(data|blob):/.test(name) && !name.startsWith(location.origin));
    return [...window.witness, ...foreign.map((name) => `a request went to ${name}`)];";

/// A browser with such a page.
pub(crate) struct Reader {
    pub(crate) session: Session,
}

impl Reader {
    /// Opens an address in a fresh browser.
    pub(crate) fn open(address: &str) -> Result<Self> {
        let reader = Self { session: Session::fresh(BrowserKind::Chromium)? };
        reader.session.before_scripts(WITNESS)?;
        reader.session.open(address)?;
        Ok(reader)
    }

    /// Opens an address with scripts disabled.
    pub(crate) fn without_script(address: &str) -> Result<Self> {
        let reader = Self { session: Session::fresh(BrowserKind::Chromium)? };
        reader.session.devtools("Emulation.setScriptExecutionDisabled", &json!({ "value": true }))?;
        reader.session.open(address)?;
        Ok(reader)
    }

    /// Waits until the link to this panel is a running figure of the height it needs.
    pub(crate) fn sees_figure(&self, panel: &str) -> Result<()> {
        let mut last = String::new();
        wait_for(&format!("the figure of `{panel}` is not there"), PATIENCE, || {
            last = self.session.text(FIGURE, &[json!(panel)])?;
            Ok((last == "live").then_some(()))
        })
        .map_err(|failure| anyhow!("{failure} Seen last: {last}. {:?}", self.complaints()))
    }

    /// Lists errors, violations, and requests to other sites.
    fn complaints(&self) -> Result<Vec<String>> {
        // Browsers request an icon by themselves, and not every recipe's tool makes one.
        let severe = self.session.console()?.into_iter();
        let severe = severe.filter(|(level, text)| level == "SEVERE" && !text.contains("/favicon.ico"));
        let seen = self.session.script(COMPLAINTS, &[])?;
        let seen = seen.as_array().cloned().unwrap_or_default();
        Ok(severe.map(|(_, message)| message).chain(seen.iter().map(Value::to_string)).collect())
    }

    /// Ends a test: checks that there were no errors behind the scenes.
    pub(crate) fn leaves_quietly(&self) -> Result<()> {
        let complaints = self.complaints()?;
        ensure!(complaints.is_empty(), "The console says {complaints:#?}");
        Ok(())
    }
}

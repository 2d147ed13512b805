//! The page under test, driven by the accessible names that the design fixes.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use e2e::server::Server;
use e2e::session::{PICTURE, QUIET};
use e2e::{BrowserKind, Element, Session, wait_for};
use serde_json::json;
use walkdir::WalkDir;
use xtask::shell::dist;

/// The sliders of the first screen.
pub(crate) const SLIDERS: [&str; 5] = ["GPU memory", "Link bandwidth", "Sequence length", "Model size", "GPUs"];
/// The headline figures.
pub(crate) const OUTPUTS: [&str; 4] = ["MFU", "Tokens per second per GPU", "Step time", "Memory needed"];

/// Timeout for a slow machine; every wait ends as soon as its condition holds.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Records violations of the content policy, uncaught errors, the page's pending timers, and how
/// many pictures of its worker it has drawn, from before the page's first script.
pub(crate) const WITNESS: &str = "window.witness = [];
    addEventListener('securitypolicyviolation', (event) =>
        window.witness.push(`the policy forbids ${event.violatedDirective} of ${event.blockedURI} ${event.sample}`));
    addEventListener('unhandledrejection', (event) => window.witness.push(`nobody caught ${event.reason}`));
    addEventListener('error', (event) => window.witness.push(`nobody caught ${event.message}`));
    const { setTimeout: start, clearTimeout: stop } = window, pending = window.pending = new Set();
    window.setTimeout = (act, time, ...rest) => {
        const id = start(() => { pending.delete(id); act(...rest); }, time);
        if (!(time > 500)) pending.add(id);
        return id;
    };
    window.clearTimeout = (id) => { pending.delete(id); stop(id); };
    const draw = CanvasRenderingContext2D.prototype.drawImage;
    CanvasRenderingContext2D.prototype.drawImage = function (what, ...rest) {
        window.pictures = (window.pictures ?? 0) + (what instanceof ImageBitmap);
        return draw.call(this, what, ...rest);
    };";

/// JavaScript: resolves when the page is idle and has no pending timers of up to half a second.
pub(crate) const STILL: &str = "const still = async () => {
        do await quiet(); while (window.pending?.size);
        return true;
    };";

/// Ends every timer of the page immediately, except the 20 seconds that theme.js waits for boot.js.
pub(crate) const HURRY: &str = "const later = window.setTimeout;
    window.setTimeout = (act, time, ...rest) => later(act, time < 20000 ? 0 : time, ...rest);";

/// Headline, figures, map and curve.
const SIGHT: &str = "const text = (selector) => document.querySelector(selector)?.textContent.trim() ?? '';
    const sight = () => [text('#headline'), ...arguments[0].map((name) => text(`output[aria-label='${name}']`)),
        picture('map'), picture('curve')];";

/// An open page with its browser.
pub(crate) struct Page {
    pub(crate) session: Session,
}

/// Returns the folder of the built site.
pub(crate) fn built() -> Result<PathBuf> {
    let folder = std::env::var_os("SHARDWISE_DIST").map_or_else(dist, PathBuf::from);
    if folder.join("sw.js").is_file() {
        return Ok(folder);
    }
    bail!("There is no built site in dist/: cargo xtask build")
}

/// Returns all files of a folder except the compressed copies, relative to it.
pub(crate) fn names(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut names = Vec::new();
    for entry in WalkDir::new(folder) {
        let entry = entry.context("The folder cannot be read")?;
        if entry.file_type().is_file() && entry.path().extension().is_none_or(|kind| kind != "br") {
            names.push(entry.path().strip_prefix(folder)?.to_path_buf());
        }
    }
    Ok(names)
}

/// Copies the built site without its compressed files and its documentation, to be modified or
/// extended.
pub(crate) fn copy_of_the_site(to: &Path) -> Result<()> {
    let from = built()?;
    for name in names(&from)?.iter().filter(|name| !name.starts_with("docs")) {
        let copy = to.join(name);
        let made = std::fs::create_dir_all(copy.parent().unwrap_or(to));
        made.and_then(|()| std::fs::copy(from.join(name), &copy))
            .with_context(|| format!("{} cannot be copied", name.display()))?;
    }
    Ok(())
}

/// Returns the address of the site, served by Caddy with the shipped configuration under a path
/// that the site does not know. All tests share one Caddy.
pub(crate) fn address() -> Result<&'static str> {
    static SITE: OnceLock<Result<Server>> = OnceLock::new();
    let site = SITE.get_or_init(|| Server::caddy(&built()?, "/some/sub/path/"));
    site.as_ref().map(Server::url).map_err(|error| anyhow!("{error:#}"))
}

/// The texts and pictures of the first screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sight {
    pub(crate) headline: String,
    pub(crate) outputs: [String; 4],
    pub(crate) map: String,
    pub(crate) curve: String,
}

impl Sight {
    /// Whether map and curve are drawn, as far as they are on screen.
    pub(crate) fn is_drawn(&self) -> bool {
        [&self.map, &self.curve].into_iter().all(|plot| plot.is_empty() || plot.contains("drawn"))
    }
}

impl Page {
    /// Opens the page for a first visit, in a clean browser.
    pub(crate) fn first_visit() -> Result<Self> {
        Self::with_fragment("")
    }

    /// Opens the page for a first visit, with a script that runs before the page's own.
    pub(crate) fn with_script(script: &str) -> Result<Self> {
        Self::open(BrowserKind::Chromium, address()?, script)
    }

    /// Opens the page with this fragment, in a clean browser.
    pub(crate) fn with_fragment(fragment: &str) -> Result<Self> {
        Self::open(BrowserKind::Chromium, &format!("{}{fragment}", address()?), "")
    }

    /// Opens the page for a first visit in this kind of browser.
    pub(crate) fn first_visit_in(kind: BrowserKind) -> Result<Self> {
        Self::open(kind, address()?, "")
    }

    /// Opens another address in a clean browser of the same kind.
    pub(crate) fn elsewhere(self, address: &str) -> Result<Self> {
        let kind = self.session.kind();
        drop(self);
        Self::open(kind, address, "")
    }

    /// Opens an address in this kind of browser, with a script that runs before the page's own.
    pub(crate) fn open(kind: BrowserKind, address: &str, script: &str) -> Result<Self> {
        let opened = Self::open_once(kind, address, script);
        // WebKitGTK's own process now and then ends as it starts.
        opened.or_else(|error| match kind {
            BrowserKind::Webkit if format!("{error:#}").contains("page crash or hang") => {
                Self::open_once(kind, address, script)
            }
            _ => Err(error),
        })
    }

    fn open_once(kind: BrowserKind, address: &str, script: &str) -> Result<Self> {
        let session = Session::fresh(kind)?;
        if kind != BrowserKind::Webkit {
            session.before_scripts(&format!("{WITNESS}\n{script}"))?;
        }
        session.open(address)?;
        let page = Self { session };
        page.stands()?;
        Ok(page)
    }

    /// Waits until everything is loaded, after the page was opened or reloaded.
    pub(crate) fn stands(&self) -> Result<Sight> {
        // The first screen that index.html has gives way; a page that reloads may have nothing yet.
        wait_for("the page does not take its place", PATIENCE, || {
            let gone = "return document.readyState !== 'loading' && !document.querySelector('.first')";
            let gone = self.session.script(gone, &[])?;
            Ok((gone == json!(true)).then_some(()))
        })?;
        self.wait_for("the page shows no figures and plots", |sight| {
            sight.is_drawn() && sight.outputs.iter().all(|text| !text.is_empty())
        })?;
        self.settled()
    }

    /// Returns the present texts and pictures.
    pub(crate) fn look(&self) -> Result<Sight> {
        self.see("return sight();")
    }

    /// Runs a script that ends with `sight()`.
    fn see(&self, script: &str) -> Result<Sight> {
        let script = format!("{QUIET} {STILL} {PICTURE} {SIGHT} {script}");
        let read = || self.session.script(&script, &[json!(OUTPUTS)]);
        // WebKitGTK's driver now and then cannot parse an answer; looking again changes nothing.
        let answer = read().or_else(|error| match self.session.kind() {
            BrowserKind::Webkit if error.to_string().contains("Could not parse script result") => read(),
            _ => Err(error),
        });
        let seen: Vec<String> = serde_json::from_value(answer?)?;
        let [headline, mfu, tokens, time, needed, map, curve] =
            <[String; 7]>::try_from(seen).map_err(|seen| anyhow!("There is {seen:?} to see."))?;
        Ok(Sight { headline, outputs: [mfu, tokens, time, needed], map, curve })
    }

    /// Waits until the texts and pictures are as wanted, and returns them.
    pub(crate) fn wait_for(&self, otherwise: &str, wanted: impl Fn(&Sight) -> bool) -> Result<Sight> {
        let mut last = None;
        let outcome = wait_for(otherwise, PATIENCE, || {
            let sight = self.look()?;
            last = Some(sight.clone());
            Ok(wanted(&sight).then_some(sight))
        });
        outcome.map_err(|failure| anyhow!("{failure} Seen last: {last:#?}\n{:#?}", self.complaints()))
    }

    /// Waits until the texts and pictures no longer change and the address matches them, and
    /// returns them.
    pub(crate) fn settled(&self) -> Result<Sight> {
        let mut before = self.look()?;
        wait_for("the page does not come to rest", PATIENCE, || {
            let now = self.see("return still().then(sight);")?;
            let at_rest = now == before;
            before = now.clone();
            Ok(at_rest.then_some(now))
        })
    }

    /// Whether the worker paints the map: the page draws its pictures, and has not lost it.
    pub(crate) fn is_the_workers(&self) -> Result<bool> {
        let script = "return window.pictures > 0 && !document.querySelector('#no-thread')";
        Ok(self.session.script(script, &[])? == json!(true))
    }

    /// Waits until the page is idle and has no pending timers.
    pub(crate) fn still(&self) -> Result<()> {
        self.session.script(&format!("{QUIET} {STILL} return still();"), &[]).map(drop)
    }

    /// Opens the tab of the figure with this name.
    pub(crate) fn tab(&self, name: &str) -> Result<()> {
        let press =
            "const tab = [...document.querySelectorAll('[role=tab]')].find((it) => it.textContent === arguments[0]);
            tab.click(); return tab.id";
        let id = self.session.text(press, &[json!(name)])?;
        let open = format!("return document.getElementById('{id}').getAttribute('aria-selected')");
        wait_for(&format!("the tab {name} does not open"), PATIENCE, || {
            Ok((self.session.script(&open, &[])? == json!("true")).then_some(()))
        })
    }

    /// Returns the slider with this name, scrolled into view.
    pub(crate) fn slider(&self, name: &str) -> Result<Element> {
        self.in_view(&format!("input[type=range][aria-label='{name}']"))
    }

    /// Returns the text field next to the slider with this name, scrolled into view.
    pub(crate) fn field(&self, name: &str) -> Result<Element> {
        self.in_view(&format!("input[aria-label='{name}, typed']"))
    }

    /// Returns the only element that matches a selector, scrolled to the middle of the window;
    /// waits for it, as content below the first screen may load later.
    pub(crate) fn in_view(&self, selector: &str) -> Result<Element> {
        let missing = format!("the page has no `{selector}`");
        let element = wait_for(&missing, PATIENCE, || Ok(self.session.element(selector).ok()))?;
        let scroll = "arguments[0].scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })";
        self.session.script(scroll, &[element.as_argument()])?;
        Ok(element)
    }

    /// Evaluates an expression over the element `it`, as text.
    pub(crate) fn ask(&self, element: &Element, expression: &str) -> Result<String> {
        let script = format!("const it = arguments[0]; return String({expression});");
        self.session.text(&script, &[element.as_argument()])
    }

    /// Evaluates an expression over the element `it`, as a number.
    pub(crate) fn number(&self, element: &Element, expression: &str) -> Result<f64> {
        let text = self.ask(element, expression)?;
        text.parse().with_context(|| format!("`{expression}` is `{text}`, which is no number"))
    }

    /// Returns the address in the address bar.
    pub(crate) fn address(&self) -> Result<String> {
        self.session.text("return location.href", &[])
    }

    /// Waits until the address differs from `before`, and returns it.
    pub(crate) fn address_after(&self, before: &str) -> Result<String> {
        wait_for("the address stays the same", PATIENCE, || Ok(Some(self.address()?).filter(|now| now != before)))
    }

    /// Lists errors and violations; empty if there are none.
    fn complaints(&self) -> Result<Vec<String>> {
        let console = self.session.console()?;
        let errors = console.into_iter().filter(|(level, _)| level == "SEVERE").map(|(_, message)| message);
        let script = "const own = new URL('.', document.baseURI).href;
            const foreign = performance.getEntriesByType('resource').map((entry) => entry.name)
                .filter((name) => !/^(data|blob):/.test(name) && !name.startsWith(own));
            return [...(window.witness ?? []), ...foreign.map((name) => `a request went to ${name}`)];";
        let seen = self.session.script(script, &[])?;
        let seen = seen.as_array().cloned().unwrap_or_default();
        Ok(errors.chain(seen.iter().map(ToString::to_string)).collect())
    }

    /// Ends a test: checks that there were no errors behind the scenes.
    pub(crate) fn leave_quietly(&self) -> Result<()> {
        let complaints = self.complaints()?;
        ensure!(complaints.is_empty(), "The console says {complaints:#?}");
        Ok(())
    }
}

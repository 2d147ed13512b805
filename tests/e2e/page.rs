//! The page as a user finds it: by the accessible names that the design fixes.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::json;
use xtask::brotli::below;
use xtask::browser::Kind;
use xtask::caddy;
use xtask::failure::{Explain as _, Failure, Result};
use xtask::server::Server;
use xtask::site;
use xtask::webdriver::{Element, Session, wait_for};

/// The sliders of the first screen.
pub(crate) const SLIDERS: [&str; 5] = ["GPU memory", "Link bandwidth", "Sequence length", "Model size", "GPUs"];
/// The figures of the headline.
pub(crate) const OUTPUTS: [&str; 5] = ["MFU", "Tokens per second per GPU", "Step time", "Peak memory", "Free memory"];

/// Long enough for a slow machine; nothing waits longer than it must.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);

/// Keeps what the content policy forbids and what nobody caught, from before the page's own first script.
const WITNESS: &str = "window.witness = [];
    addEventListener('securitypolicyviolation', (event) =>
        window.witness.push(`the policy forbids ${event.violatedDirective} of ${event.blockedURI} ${event.sample}`));
    addEventListener('unhandledrejection', (event) => window.witness.push(`nobody caught ${event.reason}`));
    addEventListener('error', (event) => window.witness.push(`nobody caught ${event.message}`));";

/// Sizes and pixels of a figure's canvases, as a short text: size, number of colours, hash.
const PICTURE: &str = "
    return [...document.querySelectorAll(`canvas#${arguments[0]}, #${arguments[0]} canvas`)].map((canvas) => {
        if (!canvas.width || !canvas.height) return 'empty';
        const pixels = new Uint32Array(
            canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
        const colours = new Set();
        let hash = 0x811c9dc5;
        for (const pixel of pixels) {
            hash = Math.imul(hash ^ pixel, 0x01000193) >>> 0;
            if (colours.size < 8) colours.add(pixel);
        }
        return `${canvas.width}x${canvas.height} ${colours.size < 8 ? 'blank' : 'drawn'} ${hash.toString(16)}`;
    }).join(', ');";

/// The open page, with the browser around it.
pub(crate) struct Page {
    pub(crate) session: Session,
}

/// The folder of the built site.
pub(crate) fn built() -> Result<PathBuf> {
    let folder = std::env::var_os("SHARDWISE_DIST").map_or_else(site::folder, PathBuf::from);
    if folder.join("sw.js").is_file() {
        return Ok(folder);
    }
    Err(Failure::new("There is no built site in dist/: cargo xtask build"))
}

/// Copies the built site without its compressed files and its documentation, to be changed or to have others beside it.
pub(crate) fn copy_of_the_site(to: &Path) -> Result<()> {
    let from = built()?;
    for file in below(&from)?.iter().filter(|file| file.extension().is_none_or(|kind| kind != "br")) {
        let name = file.strip_prefix(&from).explain(|| "The site moved".into())?;
        let copy = to.join(name);
        if !name.starts_with("docs") {
            let made = std::fs::create_dir_all(copy.parent().unwrap_or(to)).and_then(|()| std::fs::copy(file, &copy));
            made.explain(|| format!("{} could not be copied", file.display()))?;
        }
    }
    Ok(())
}

/// The address of the site, as Caddy serves it by the shipped configuration under a path that the site cannot know. One Caddy
/// serves all tests.
pub(crate) fn address() -> Result<&'static str> {
    static SITE: OnceLock<Result<Server>> = OnceLock::new();
    let site = SITE.get_or_init(|| caddy::serve(&built()?, "/some/sub/path/"));
    site.as_ref().map(Server::url).map_err(Clone::clone)
}

/// Everything the first screen says and shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sight {
    pub(crate) headline: String,
    pub(crate) outputs: [String; 5],
    pub(crate) map: String,
    pub(crate) curve: String,
}

impl Sight {
    /// Whether both plots have something on them.
    pub(crate) fn is_drawn(&self) -> bool {
        self.map.contains("drawn") && self.curve.contains("drawn")
    }
}

impl Page {
    /// The page on a first visit, in a fresh browser.
    pub(crate) fn first_visit() -> Result<Self> {
        Self::with_fragment("")
    }

    /// The page on a first visit, in which this script runs before any of its own.
    pub(crate) fn with_script(script: &str) -> Result<Self> {
        Self::open(Kind::Chromium, address()?, script)
    }

    /// The page with this fragment, in a fresh browser.
    pub(crate) fn with_fragment(fragment: &str) -> Result<Self> {
        Self::open(Kind::Chromium, &format!("{}{fragment}", address()?), "")
    }

    /// The page on a first visit in this browser.
    pub(crate) fn first_visit_in(kind: Kind) -> Result<Self> {
        Self::open(kind, address()?, "")
    }

    /// The same browser, fresh, at another address.
    pub(crate) fn elsewhere(self, address: &str) -> Result<Self> {
        Self::open(self.session.kind(), address, "")
    }

    /// The page at an address in this browser, in which this script runs before any of its own.
    pub(crate) fn open(kind: Kind, address: &str, script: &str) -> Result<Self> {
        let session = Session::start(&kind.on_this_machine()?, &[])?;
        session.before_scripts(&format!("{WITNESS}\n{script}"))?;
        session.open(address)?;
        let page = Self { session };
        page.stands()?;
        Ok(page)
    }

    /// Waits until everything is there, after the page was opened or loaded again.
    pub(crate) fn stands(&self) -> Result<Sight> {
        self.wait_for("the page shows no figures and plots", |sight| {
            sight.is_drawn() && sight.outputs.iter().all(|text| !text.is_empty())
        })?;
        self.settled()
    }

    /// What there is to see now.
    pub(crate) fn look(&self) -> Result<Sight> {
        let text = "return document.querySelector(arguments[0])?.textContent.trim() ?? ''";
        let mut outputs = OUTPUTS.map(|_| String::new());
        for (slot, name) in outputs.iter_mut().zip(OUTPUTS) {
            *slot = self.session.text(text, &[json!(format!("output[aria-label='{name}']"))])?;
        }
        Ok(Sight {
            headline: self.session.text(text, &[json!("#headline")])?,
            outputs,
            map: self.session.text(PICTURE, &[json!("map")])?,
            curve: self.session.text(PICTURE, &[json!("curve")])?,
        })
    }

    /// What there is to see once it is as wanted.
    pub(crate) fn wait_for(&self, otherwise: &str, wanted: impl Fn(&Sight) -> bool) -> Result<Sight> {
        let mut last = None;
        let outcome = wait_for(otherwise, PATIENCE, || {
            let sight = self.look()?;
            last = Some(sight.clone());
            Ok(wanted(&sight).then_some(sight))
        });
        outcome.map_err(|failure| Failure::new(format!("{failure} Seen last: {last:#?}\n{:#?}", self.complaints())))
    }

    /// What there is to see once it no longer changes by itself.
    pub(crate) fn settled(&self) -> Result<Sight> {
        let mut before = self.look()?;
        wait_for("the page does not come to rest", PATIENCE, || {
            std::thread::sleep(Duration::from_millis(120));
            let now = self.look()?;
            let at_rest = now == before;
            before = now.clone();
            Ok(at_rest.then_some(now))
        })
    }

    /// The slider of this name, in view.
    pub(crate) fn slider(&self, name: &str) -> Result<Element> {
        self.in_view(&format!("input[type=range][aria-label='{name}']"))
    }

    /// The text field beside the slider of this name, in view.
    pub(crate) fn field(&self, name: &str) -> Result<Element> {
        self.in_view(&format!("input[aria-label='{name}, typed']"))
    }

    /// The one element of this selector, scrolled to the middle of the window; what is below the first screen may still be coming.
    pub(crate) fn in_view(&self, selector: &str) -> Result<Element> {
        let missing = format!("the page has no `{selector}`");
        let element = wait_for(&missing, PATIENCE, || Ok(self.session.element(selector).ok()))?;
        let scroll = "arguments[0].scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })";
        self.session.script(scroll, &[element.as_argument()])?;
        Ok(element)
    }

    /// What an expression over the element `it` comes to, as text.
    pub(crate) fn ask(&self, element: &Element, expression: &str) -> Result<String> {
        let script = format!("const it = arguments[0]; return String({expression});");
        self.session.text(&script, &[element.as_argument()])
    }

    /// The same as a number.
    pub(crate) fn number(&self, element: &Element, expression: &str) -> Result<f64> {
        let text = self.ask(element, expression)?;
        text.parse().map_err(|_| Failure::new(format!("`{expression}` is `{text}`, which is no number.")))
    }

    /// The address in the address bar.
    pub(crate) fn address(&self) -> Result<String> {
        self.session.text("return location.href", &[])
    }

    /// The address once it is another than this one.
    pub(crate) fn address_after(&self, before: &str) -> Result<String> {
        wait_for("the address stays the same", PATIENCE, || Ok(Some(self.address()?).filter(|now| now != before)))
    }

    /// What nobody wants to find in the console; empty when all is well.
    fn complaints(&self) -> Result<Vec<String>> {
        let console = self.session.console()?;
        let errors = console.into_iter().filter(|(level, _)| level == "SEVERE").map(|(_, message)| message);
        let script = "const own = new URL('.', document.baseURI).href;
            const foreign = performance.getEntriesByType('resource').map((entry) => entry.name)
                .filter((name) => !/^(data|blob):/.test(name) && !name.startsWith(own));
            return [...window.witness, ...foreign.map((name) => `a request went to ${name}`)];";
        let seen = self.session.script(script, &[])?;
        let seen = seen.as_array().cloned().unwrap_or_default();
        Ok(errors.chain(seen.iter().map(ToString::to_string)).collect())
    }

    /// The end of every test: nothing broke behind the scenes.
    pub(crate) fn leave_quietly(&self) -> Result<()> {
        let complaints = self.complaints()?;
        if complaints.is_empty() { Ok(()) } else { Err(Failure::new(format!("The console says {complaints:#?}"))) }
    }
}

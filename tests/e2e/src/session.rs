//! A browser tab with an empty cache and no stored data.
//!
//! Tests share browsers: an unused browser is kept for the next test, which cleans it. Only
//! Chromium's driver supports several browsers at a time; WebKit's browser ends with its test.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use axum::http::Method;
use serde_json::Value;
use thirtyfour::common::command::{Command, ExtensionCommand};
use thirtyfour::common::print::PrintParameters;
use thirtyfour::error::{WebDriverError, WebDriverResult};
use thirtyfour::{By, TimeoutConfiguration, WebDriver, WebElement};
use tokio::sync::OwnedMutexGuard;
use xtask::install::BrowserKind;

use crate::driver::Driver;
use crate::{block_on, options, wait};

/// Timeout of scripts, longer than any script of the tests takes.
const PATIENCE: Duration = Duration::from_secs(180);

/// Browsers that no test uses at present.
static IDLE: Mutex<Vec<Browser>> = Mutex::new(Vec::new());

/// A running browser.
#[derive(Debug)]
pub(crate) struct Browser {
    kind: BrowserKind,
    pub(crate) web: WebDriver,
    /// Whether the browser is kept for the next test.
    shared: bool,
    /// Origins that may have stored data.
    origins: Mutex<BTreeSet<String>>,
    /// Scripts in Firefox's privileged context that run in every new page.
    pub(crate) injected: Mutex<Vec<String>>,
    _driver: Arc<Driver>,
}

/// A browser tab controlled by a test.
#[derive(Debug)]
pub struct Session {
    browser: Option<Browser>,
    kind: BrowserKind,
    /// Held while the test uses a browser whose driver supports only one.
    _turn: Option<OwnedMutexGuard<()>>,
}

/// An element of the page, valid until the page is left.
#[derive(Clone, Debug)]
pub struct Element(WebElement, Value);

impl Session {
    /// Opens a tab without stored data in a browser of this kind.
    ///
    /// # Errors
    /// When the browser or its driver is missing or does not start.
    pub fn fresh(kind: BrowserKind) -> Result<Self> {
        let turn = turn(kind)?;
        let waiting = {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            idle.iter().position(|browser| browser.kind == kind).map(|place| idle.swap_remove(place))
        };
        let mut session = Self { browser: waiting, kind, _turn: turn };
        if session.browser.is_some() && session.clean().is_ok() {
            return Ok(session);
        }
        if let Some(broken) = session.browser.take() {
            broken.end();
        }
        session.browser = Some(Browser::start(kind, &[], kind != BrowserKind::Webkit)?);
        Ok(session)
    }

    /// Starts a separate Chromium with these flags after the usual ones.
    ///
    /// # Errors
    /// When the browser or its driver is missing or does not start.
    pub fn with_flags(flags: &[&str]) -> Result<Self> {
        let kind = BrowserKind::Chromium;
        Ok(Self { browser: Some(Browser::start(kind, flags, false)?), kind, _turn: None })
    }

    /// Returns the kind of browser.
    pub fn kind(&self) -> BrowserKind {
        self.kind
    }

    pub(crate) fn browser(&self) -> Result<&Browser> {
        self.browser.as_ref().context("The browser has been given back")
    }

    /// Runs a WebDriver command to its end.
    pub(crate) fn run<T>(&self, command: impl AsyncFnOnce(&WebDriver) -> WebDriverResult<T>) -> Result<T> {
        let web = &self.browser()?.web;
        block_on(command(web))?.map_err(|error| sentence(&error))
    }

    /// Sends a non-standard command; `command` is its path within the session.
    pub(crate) fn post(&self, command: &'static str, body: Value) -> Result<Value> {
        let command = Command::ExtensionCommand(Box::new(Extension { command, body }));
        self.run(async |web| web.cmd(command).await?.value_json())
    }

    /// Opens an address and waits until it has loaded.
    ///
    /// # Errors
    /// When the address cannot be opened.
    pub fn open(&self, url: &str) -> Result<()> {
        if let Some(origin) = origin(url) {
            self.browser()?.origins.lock().unwrap_or_else(PoisonError::into_inner).insert(origin);
        }
        self.run(async |web| web.goto(url).await)
    }

    /// Goes back in the history.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn back(&self) -> Result<()> {
        self.run(async |web| web.back().await)
    }

    /// Goes forward in the history.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn forward(&self) -> Result<()> {
        self.run(async |web| web.forward().await)
    }

    /// Runs later scripts in this frame of the page; `None` returns to the page itself.
    ///
    /// # Errors
    /// When the frame does not exist.
    pub fn enter(&self, frame: Option<&Element>) -> Result<()> {
        match frame {
            Some(frame) => {
                let frame = frame.0.clone();
                self.run(async |_| frame.enter_frame().await)
            }
            None => self.run(async |web| web.enter_default_frame().await),
        }
    }

    /// Runs the body of a JavaScript function and returns its result (awaited, if it is a promise).
    ///
    /// # Errors
    /// When the script throws.
    pub fn script(&self, body: &str, arguments: &[Value]) -> Result<Value> {
        self.run(async |web| Ok(web.execute(body, arguments.to_vec()).await?.json().clone()))
    }

    /// Runs a script that returns text.
    ///
    /// # Errors
    /// When the script throws or returns something else.
    pub fn text(&self, body: &str, arguments: &[Value]) -> Result<String> {
        let answer = self.script(body, arguments)?;
        answer.as_str().map(str::to_owned).ok_or_else(|| anyhow!("`{body}` gave {answer}, which is not text."))
    }

    /// Waits until the page has painted twice and is idle.
    ///
    /// # Errors
    /// When the page is gone.
    pub fn quiet(&self) -> Result<()> {
        self.script(&format!("{QUIET} return quiet();"), &[]).map(drop)
    }

    /// Sends a command of the Chrome DevTools protocol.
    ///
    /// # Errors
    /// When the browser refuses, or is not Chromium.
    pub fn devtools(&self, command: &str, parameters: &Value) -> Result<Value> {
        self.run(async |web| web.cdp().send_raw(command, parameters.clone()).await)
    }

    /// Returns a picture of the window, as PNG in base64.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn screenshot(&self) -> Result<String> {
        self.run(async |web| web.screenshot_as_png_base64().await)
    }

    /// Prints the page, as PDF.
    ///
    /// # Errors
    /// When the browser cannot print by its driver.
    pub fn print(&self) -> Result<Vec<u8>> {
        self.run(async |web| web.print_page(PrintParameters::default()).await)
    }

    /// Returns the first element that matches a CSS selector.
    ///
    /// # Errors
    /// When no element matches.
    pub fn element(&self, selector: &str) -> Result<Element> {
        let found = self.run(async |web| web.find(By::Css(selector)).await);
        let found = found.map_err(|_| anyhow!("The page has no `{selector}`."))?;
        let argument = found.to_json().context("An element has no name")?;
        Ok(Element(found, argument))
    }

    /// Replaces all tabs with a new one and deletes stored data.
    fn clean(&self) -> Result<()> {
        self.run(async |web| {
            let old = web.windows().await?;
            let tab = web.new_tab().await?;
            for window in old {
                web.switch_to_window(window).await?;
                web.close_window().await?;
            }
            web.switch_to_window(tab).await
        })?;
        let origins = std::mem::take(&mut *self.browser()?.origins.lock().unwrap_or_else(PoisonError::into_inner));
        self.forget(&origins)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let Some(browser) = self.browser.take() else { return };
        if browser.shared {
            IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(browser);
        } else {
            browser.end();
        }
    }
}

/// Waits until no other test uses the browser, if its driver supports only one.
fn turn(kind: BrowserKind) -> Result<Option<OwnedMutexGuard<()>>> {
    static TURNS: LazyLock<[Arc<tokio::sync::Mutex<()>>; 2]> = LazyLock::new(Default::default);
    let [firefox, webkit] = &*TURNS;
    let turns = match kind {
        BrowserKind::Chromium => return Ok(None),
        BrowserKind::Firefox => firefox,
        BrowserKind::Webkit => webkit,
    };
    block_on(Arc::clone(turns).lock_owned()).map(Some)
}

/// Returns an address's scheme, host and port.
fn origin(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    Some(format!("{scheme}://{}", rest.split('/').next()?))
}

/// Returns the driver's message without its stack trace.
pub(crate) fn sentence(error: &WebDriverError) -> anyhow::Error {
    let text = error.to_string();
    let words: Vec<&str> = text.split("Stacktrace:").next().unwrap_or_default().split_whitespace().collect();
    anyhow!("The browser says: {}", words.join(" "))
}

/// JavaScript: resolves when the page has painted twice and is idle.
pub const QUIET: &str = "const painted = () => new Promise((done) => requestAnimationFrame(done));
    const idle = () => new Promise((done) => (window.requestIdleCallback ?? setTimeout)(done));
    const quiet = async () => { await painted(); await painted(); await idle(); return true; };";

/// Summarises a figure's canvases as text: size, number of colours, hash.
pub const PICTURE: &str = "const picture = (id) =>
    [...document.querySelectorAll(`canvas#${id}, #${id} canvas`)].map((canvas) => {
        if (!canvas.width || !canvas.height) return 'empty';
        // A canvas that is often read itself is painted another way.
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
        copy.drawImage(canvas, 0, 0);
        const pixels = new Uint32Array(copy.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
        const colours = new Set();
        let hash = 0x811c9dc5;
        for (const pixel of pixels) {
            hash = Math.imul(hash ^ pixel, 0x01000193) >>> 0;
            if (colours.size < 8) colours.add(pixel);
        }
        return `${canvas.width}x${canvas.height} ${colours.size < 8 ? 'blank' : 'drawn'} ${hash.toString(16)}`;
    }).join(', ');";

impl Browser {
    /// Starts a browser, with one retry.
    fn start(kind: BrowserKind, flags: &[&str], shared: bool) -> Result<Self> {
        Self::attempt(kind, flags, shared).or_else(|_| Self::attempt(kind, flags, shared))
    }

    fn attempt(kind: BrowserKind, flags: &[&str], shared: bool) -> Result<Self> {
        let driver = Driver::of(kind)?;
        let capabilities = options::capabilities(driver.browser(), flags)?;
        // The client needs the runtime that its connections were created on.
        let _runtime = wait::runtime()?.enter();
        let web = WebDriver::builder(driver.url(), capabilities).request_timeout(PATIENCE).connect();
        let web =
            block_on(web)?.map_err(|error| sentence(&error)).with_context(|| format!("{kind:?} does not start"))?;
        let process = ["goog:processID", "moz:processID"].iter().find_map(|name| web.capabilities().get(name));
        if let Some(process) = process.and_then(Value::as_u64) {
            driver.adopt(process)?;
        }
        let timeouts = TimeoutConfiguration::new(Some(PATIENCE), Some(Duration::from_secs(60)), Some(Duration::ZERO));
        block_on(web.update_timeouts(timeouts))?.map_err(|error| sentence(&error))?;
        let (origins, injected) = (Mutex::default(), Mutex::default());
        Ok(Self { kind, web, shared, origins, injected, _driver: driver })
    }

    /// Ends the browser. If it no longer responds, it ends with the driver.
    fn end(self) {
        let Self { web, .. } = self;
        let _ = block_on(web.quit());
    }
}

impl Element {
    /// Returns the element as an argument of [`Session::script`].
    pub fn as_argument(&self) -> Value {
        self.1.clone()
    }

    pub(crate) fn web(&self) -> &WebElement {
        &self.0
    }
}

/// A non-standard WebDriver command.
#[derive(Debug)]
struct Extension {
    command: &'static str,
    body: Value,
}

impl ExtensionCommand for Extension {
    fn parameters_json(&self) -> Option<Value> {
        Some(self.body.clone())
    }

    fn method(&self) -> Method {
        Method::POST
    }

    fn endpoint(&self) -> Arc<str> {
        self.command.into()
    }
}

//! A tab of a browser, with an empty cache and nothing stored.
//!
//! Tests take turns with browsers: a browser that no test uses any more waits for the next, which cleans it. Each driver but
//! Chromium's knows one browser at a time; WebKit's ends with its test.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use axum::http::Method;
use serde_json::Value;
use thirtyfour::common::command::{Command, ExtensionCommand};
use thirtyfour::error::{WebDriverError, WebDriverResult};
use thirtyfour::{By, TimeoutConfiguration, WebDriver, WebElement};
use tokio::sync::OwnedMutexGuard;
use xtask::browser::Kind;

use crate::driver::Driver;
use crate::{block_on, options, wait};

/// Longer than any script of the tests runs.
const PATIENCE: Duration = Duration::from_secs(180);

/// Browsers that no test uses.
static IDLE: Mutex<Vec<Browser>> = Mutex::new(Vec::new());

/// A running browser.
#[derive(Debug)]
pub(crate) struct Browser {
    kind: Kind,
    pub(crate) web: WebDriver,
    /// Whether it is kept for the next test.
    shared: bool,
    /// The origins that it may have stored something for.
    origins: Mutex<BTreeSet<String>>,
    /// Scripts of Firefox's own context that run in every new page.
    pub(crate) injected: Mutex<Vec<String>>,
    _driver: Arc<Driver>,
}

/// A tab under control of a test.
#[derive(Debug)]
pub struct Session {
    browser: Option<Browser>,
    kind: Kind,
    /// Whose turn it is where a driver refuses a second browser.
    _turn: Option<OwnedMutexGuard<()>>,
}

/// An element of the page; valid until the page goes.
#[derive(Clone, Debug)]
pub struct Element(WebElement, Value);

impl Session {
    /// A new tab of a browser of this kind, which has nothing stored.
    ///
    /// # Errors
    /// When the browser or its driver is missing or does not start.
    pub fn fresh(kind: Kind) -> Result<Self> {
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
        session.browser = Some(Browser::start(kind, &[], kind != Kind::Webkit)?);
        Ok(session)
    }

    /// A Chromium of its own, started with these flags after the usual ones.
    ///
    /// # Errors
    /// When the browser or its driver is missing or does not start.
    pub fn with_flags(flags: &[&str]) -> Result<Self> {
        let kind = Kind::Chromium;
        Ok(Self { browser: Some(Browser::start(kind, flags, false)?), kind, _turn: None })
    }

    /// Which browser it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn browser(&self) -> Result<&Browser> {
        self.browser.as_ref().context("The browser has been given back")
    }

    /// Runs a command of WebDriver to its end.
    pub(crate) fn run<T>(&self, command: impl AsyncFnOnce(&WebDriver) -> WebDriverResult<T>) -> Result<T> {
        let web = &self.browser()?.web;
        block_on(command(web))?.map_err(|error| sentence(&error))
    }

    /// A command beyond the standard, without the address of the session.
    pub(crate) fn post(&self, command: &'static str, body: Value) -> Result<Value> {
        let command = Command::ExtensionCommand(Box::new(Extension { command, body }));
        self.run(async |web| web.cmd(command).await?.value_json())
    }

    /// Opens an address and waits until it has loaded.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(&self, url: &str) -> Result<()> {
        if let Some(origin) = origin(url) {
            self.browser()?.origins.lock().unwrap_or_else(PoisonError::into_inner).insert(origin);
        }
        self.run(async |web| web.goto(url).await)
    }

    /// As the browser's back button.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn back(&self) -> Result<()> {
        self.run(async |web| web.back().await)
    }

    /// As the browser's forward button.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn forward(&self) -> Result<()> {
        self.run(async |web| web.forward().await)
    }

    /// From here on scripts run in this frame of the page; `None` is the page itself.
    ///
    /// # Errors
    /// When there is no such frame.
    pub fn enter(&self, frame: Option<&Element>) -> Result<()> {
        match frame {
            Some(frame) => {
                let frame = frame.0.clone();
                self.run(async |_| frame.enter_frame().await)
            }
            None => self.run(async |web| web.enter_default_frame().await),
        }
    }

    /// Runs the body of a JavaScript function and gives what it returns (also what a promise it returns comes to).
    ///
    /// # Errors
    /// When it throws.
    pub fn script(&self, body: &str, arguments: &[Value]) -> Result<Value> {
        self.run(async |web| Ok(web.execute(body, arguments.to_vec()).await?.json().clone()))
    }

    /// A script that returns text.
    ///
    /// # Errors
    /// When it throws or returns something else.
    pub fn text(&self, body: &str, arguments: &[Value]) -> Result<String> {
        let answer = self.script(body, arguments)?;
        answer.as_str().map(str::to_owned).ok_or_else(|| anyhow!("`{body}` gave {answer}, which is not text."))
    }

    /// Waits until the page has painted twice and has nothing to do.
    ///
    /// # Errors
    /// When the page is gone.
    pub fn quiet(&self) -> Result<()> {
        self.script(&format!("{QUIET} return quiet();"), &[]).map(drop)
    }

    /// A command of the Chrome DevTools protocol.
    ///
    /// # Errors
    /// When the browser refuses, or is not Chromium.
    pub fn devtools(&self, command: &str, parameters: &Value) -> Result<Value> {
        self.run(async |web| web.cdp().send_raw(command, parameters.clone()).await)
    }

    /// The first element that a CSS selector finds.
    ///
    /// # Errors
    /// When there is none.
    pub fn element(&self, selector: &str) -> Result<Element> {
        let found = self.run(async |web| web.find(By::Css(selector)).await);
        let found = found.map_err(|_| anyhow!("The page has no `{selector}`."))?;
        let argument = found.to_json().context("An element has no name")?;
        Ok(Element(found, argument))
    }

    /// A new tab in place of all there are, with nothing stored.
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

/// Waits until no other test uses the one browser of this kind, where there can be only one.
fn turn(kind: Kind) -> Result<Option<OwnedMutexGuard<()>>> {
    static TURNS: LazyLock<[Arc<tokio::sync::Mutex<()>>; 2]> = LazyLock::new(Default::default);
    let [firefox, webkit] = &*TURNS;
    let turns = match kind {
        Kind::Chromium => return Ok(None),
        Kind::Firefox => firefox,
        Kind::Webkit => webkit,
    };
    block_on(Arc::clone(turns).lock_owned()).map(Some)
}

/// An address's scheme, host and port.
fn origin(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    Some(format!("{scheme}://{}", rest.split('/').next()?))
}

/// What the driver says, without the addresses of its own code.
pub(crate) fn sentence(error: &WebDriverError) -> anyhow::Error {
    let text = error.to_string();
    let words: Vec<&str> = text.split("Stacktrace:").next().unwrap_or_default().split_whitespace().collect();
    anyhow!("The browser says: {}", words.join(" "))
}

/// In a script: comes true when the page has painted twice and has nothing to do.
pub const QUIET: &str = "const painted = () => new Promise((done) => requestAnimationFrame(done));
    const idle = () => new Promise((done) => (window.requestIdleCallback ?? setTimeout)(done));
    const quiet = async () => { await painted(); await painted(); await idle(); return true; };";

impl Browser {
    fn start(kind: Kind, flags: &[&str], shared: bool) -> Result<Self> {
        let driver = Driver::of(kind)?;
        let capabilities = options::capabilities(driver.browser(), flags)?;
        // The client keeps its connections on the runtime that it was made on.
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

    /// Ends it, also where it does not answer any more: then the driver's end is its own.
    fn end(self) {
        let Self { web, .. } = self;
        let _ = block_on(web.quit());
    }
}

impl Element {
    /// The element as an argument of [`Session::script`].
    pub fn as_argument(&self) -> Value {
        self.1.clone()
    }

    pub(crate) fn web(&self) -> &WebElement {
        &self.0
    }
}

/// A command beyond the standard.
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

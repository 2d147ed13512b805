//! A small WebDriver client for a headless Chromium or Firefox: one driver, one session, no waiting but what is asked for.

mod console;
mod driver;
mod gesture;
mod http;
mod options;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub use gesture::Key;
pub use options::SETTINGS;

use crate::browser::{Browser, Kind};
use crate::failure::{Failure, Result};

/// How often a browser is started that does not start.
const ATTEMPTS: u32 = 3;

/// A browser window under our control. Dropping it closes the browser and ends its driver.
#[derive(Debug)]
pub struct Session {
    kind: Kind,
    driver: Child,
    port: u16,
    id: String,
    /// The browser's process.
    browser: Option<u64>,
}

/// An element of the page; valid until the page goes.
#[derive(Clone, Debug)]
pub struct Element(Value);

impl Session {
    /// Starts a fresh browser with an empty profile; `flags` go after the usual ones.
    ///
    /// # Errors
    /// When the driver or the browser does not start, several times.
    pub fn start(browser: &Browser, flags: &[&str]) -> Result<Self> {
        let mut outcome = Self::attempt(browser, flags);
        for _ in 1..ATTEMPTS {
            if outcome.is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(500));
            outcome = Self::attempt(browser, flags);
        }
        outcome
    }

    fn attempt(browser: &Browser, flags: &[&str]) -> Result<Self> {
        let (driver, port) = driver::start(browser)?;
        // From here on dropping the session ends the driver, whatever happens.
        let mut session = Self { kind: browser.kind, driver, port, id: String::new(), browser: None };
        let capabilities = options::capabilities(browser, flags)?;
        let answer = http::request(port, "POST", "/session", Some(&capabilities))?;
        let id = text(answer.get("sessionId"));
        session.id = id.ok_or_else(|| Failure::new(format!("{} gave no session.", browser.kind.driver())))?;
        let process = ["/capabilities/goog:processID", "/capabilities/moz:processID"];
        session.browser = process.iter().find_map(|place| answer.pointer(place)).and_then(Value::as_u64);
        Ok(session)
    }

    /// Which browser it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    fn post(&self, command: &str, body: &Value) -> Result<Value> {
        http::request(self.port, "POST", &format!("/session/{}/{command}", self.id), Some(body))
    }

    /// Opens an address and waits until it has loaded.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(&self, url: &str) -> Result<()> {
        self.post("url", &json!({ "url": url })).map(drop)
    }

    /// As the browser's back button.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn back(&self) -> Result<()> {
        self.post("back", &json!({})).map(drop)
    }

    /// As the browser's forward button.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn forward(&self) -> Result<()> {
        self.post("forward", &json!({})).map(drop)
    }

    /// From here on scripts run in this frame of the page; `None` is the page itself.
    ///
    /// # Errors
    /// When there is no such frame.
    pub fn enter(&self, frame: Option<&Element>) -> Result<()> {
        self.post("frame", &json!({ "id": frame.map(Element::as_argument) })).map(drop)
    }

    /// Runs the body of a JavaScript function and gives what it returns (also what a promise it returns comes to).
    ///
    /// # Errors
    /// When it throws.
    pub fn script(&self, body: &str, arguments: &[Value]) -> Result<Value> {
        self.post("execute/sync", &json!({ "script": body, "args": arguments }))
    }

    /// A script that returns text.
    ///
    /// # Errors
    /// When it throws or returns something else.
    pub fn text(&self, body: &str, arguments: &[Value]) -> Result<String> {
        let answer = self.script(body, arguments)?;
        text(Some(&answer)).ok_or_else(|| Failure::new(format!("`{body}` gave {answer}, which is not text.")))
    }

    /// A command of the Chrome DevTools protocol.
    ///
    /// # Errors
    /// When the browser refuses, or is not Chromium.
    pub fn devtools(&self, command: &str, parameters: &Value) -> Result<Value> {
        self.post("goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// The one element a CSS selector finds.
    ///
    /// # Errors
    /// When there is none.
    pub fn element(&self, selector: &str) -> Result<Element> {
        self.post("element", &json!({ "using": "css selector", "value": selector }))
            .map(Element)
            .map_err(|_| Failure::new(format!("The page has no `{selector}`.")))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Best effort, as everything here.
        if !self.id.is_empty() {
            let closed = http::request(self.port, "DELETE", &format!("/session/{}", self.id), None);
            if let (Err(_), Some(browser)) = (closed, self.browser) {
                end(browser);
            }
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

impl Element {
    fn id(&self) -> String {
        self.0.as_object().and_then(|object| text(object.values().next())).unwrap_or_default()
    }

    /// The element as an argument of [`Session::script`].
    pub fn as_argument(&self) -> Value {
        self.0.clone()
    }
}

/// Asks until the answer is `Some`, for `limit`; then one last time, and `what` did not happen.
///
/// # Errors
/// What `ask` says, or that the time is over.
pub fn wait_for<T>(what: &str, limit: Duration, mut ask: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask()? {
            return Ok(answer);
        }
        if start.elapsed() > limit {
            return Err(Failure::new(format!("After {:.0} s: {what}.", limit.as_secs_f64())));
        }
        std::thread::sleep(Duration::from_millis(30));
    }
}

/// A browser that hangs would outlive its driver.
fn end(browser: u64) {
    if cfg!(unix) {
        let _ = Command::new("kill").args(["-KILL", &browser.to_string()]).stderr(Stdio::null()).status();
    }
}

fn text(value: Option<&Value>) -> Option<String> {
    value?.as_str().map(str::to_owned)
}

//! A small WebDriver client for a headless Chromium: one ChromeDriver, one session, no waiting but what is asked for.

mod gesture;
mod http;

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub use gesture::Key;

use crate::chromium::Chromium;
use crate::failure::{Explain as _, Failure, Result};

/// What every headless browser of ours is started with.
pub const SETTINGS: &str = include_str!("../../webdriver.json");

/// A browser window under our control. Dropping it closes the browser and ends ChromeDriver.
#[derive(Debug)]
pub struct Session {
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
    /// When ChromeDriver or the browser does not start.
    pub fn start(chromium: &Chromium, flags: &[&str]) -> Result<Self> {
        let mut command = Command::new(&chromium.driver);
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut driver = command.spawn().explain(|| "ChromeDriver could not be started".into())?;
        let announced = announced_port(&mut driver);
        // From here on dropping the session ends the driver, whatever happens.
        let mut session = Self { driver, port: 0, id: String::new(), browser: None };
        session.port = announced?;
        let port = session.port;
        let capabilities = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": {
                "binary": chromium.browser,
                "args": usual_flags()?.iter().map(String::as_str).chain(flags.iter().copied()).collect::<Vec<_>>(),
            },
            "goog:loggingPrefs": { "browser": "ALL" },
            "timeouts": { "script": 90_000, "pageLoad": 60_000, "implicit": 0 },
        } } });
        let answer = http::request(port, "POST", "/session", Some(&capabilities))?;
        session.id = text(answer.get("sessionId")).ok_or_else(|| Failure::new("ChromeDriver gave no session."))?;
        session.browser = answer.pointer("/capabilities/goog:processID").and_then(Value::as_u64);
        Ok(session)
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
    /// When the browser refuses.
    pub fn devtools(&self, command: &str, parameters: &Value) -> Result<Value> {
        self.post("goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// What the console got since the last call, errors and warnings of the browser itself included: (level, message).
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn console(&self) -> Result<Vec<(String, String)>> {
        let entries = self.post("se/log", &json!({ "type": "browser" }))?;
        let entries = entries.as_array().cloned().unwrap_or_default();
        let field = |entry: &Value, name: &str| text(entry.get(name)).unwrap_or_default();
        Ok(entries.iter().map(|entry| (field(entry, "level"), field(entry, "message"))).collect())
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

fn usual_flags() -> Result<Vec<String>> {
    let settings: Value = serde_json::from_str(SETTINGS).explain(|| "webdriver.json is not JSON".into())?;
    let flags = settings.pointer("/goog:chromeOptions/args").and_then(Value::as_array);
    let flags = flags.ok_or_else(|| Failure::new("webdriver.json has no arguments for Chrome."))?;
    Ok(flags.iter().filter_map(|flag| text(Some(flag))).collect())
}

/// "ChromeDriver was started successfully on port 41234."
fn announced_port(driver: &mut Child) -> Result<u16> {
    let silent = || Failure::new("ChromeDriver does not say its port; is it of the same version as Chromium?");
    let stdout = driver.stdout.take().ok_or_else(silent)?;
    let mut lines = BufReader::new(stdout).lines().map_while(std::result::Result::ok);
    let port = lines.find_map(|line| {
        let (_, port) = line.split_once("successfully on port ")?;
        port.trim_end_matches('.').trim().parse().ok()
    });
    // Whatever else it prints is read and forgotten, or a full pipe would stop it.
    std::thread::spawn(move || lines.for_each(drop));
    port.ok_or_else(silent)
}

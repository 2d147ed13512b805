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
        let (driver, port) = start_driver(chromium)?;
        // From here on dropping the session ends the driver, whatever happens.
        let mut session = Self { driver, port, id: String::new(), browser: None };
        let capabilities = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": {
                "binary": chromium.browser,
                "args": usual_flags()?.iter().map(String::as_str).chain(flags.iter().copied()).collect::<Vec<_>>(),
            },
            "goog:loggingPrefs": { "browser": "ALL" },
            "timeouts": { "script": 180_000, "pageLoad": 60_000, "implicit": 0 },
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

/// A running ChromeDriver and its port.
///
/// It picks a free port for IPv4, then wants the same one for IPv6, and ends when another process was quicker; with
/// several tests starting one at the same moment that happens, so it gets a few attempts.
fn start_driver(chromium: &Chromium) -> Result<(Child, u16)> {
    const ATTEMPTS: u32 = 6;
    let mut said = String::new();
    for attempt in 0..ATTEMPTS {
        std::thread::sleep(Duration::from_millis(250) * attempt);
        let mut command = Command::new(&chromium.driver);
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut driver = command.spawn().explain(|| "ChromeDriver could not be started".into())?;
        match announced_port(&mut driver) {
            Ok(port) => return Ok((driver, port)),
            Err(printed) => said = printed,
        }
        let _ = driver.kill();
        let _ = driver.wait();
    }
    Err(Failure::new(format!(
        "ChromeDriver ended {ATTEMPTS} times without saying its port; is it of the same version as Chromium? Its last \
         words: {}",
        said.trim()
    )))
}

/// The port of "ChromeDriver was started successfully on port 41234.", or all that was printed instead.
fn announced_port(driver: &mut Child) -> std::result::Result<u16, String> {
    let mut printed = String::new();
    let Some(stdout) = driver.stdout.take() else { return Err(printed) };
    let mut lines = BufReader::new(stdout).lines().map_while(std::result::Result::ok);
    let port = lines.by_ref().find_map(|line| {
        let port = line.split_once("successfully on port ").map(|(_, port)| port.trim_end_matches('.').trim().parse());
        printed.push_str(&line);
        printed.push('\n');
        port.and_then(std::result::Result::ok)
    });
    // Whatever else it prints is read and forgotten, or a full pipe would stop it.
    std::thread::spawn(move || lines.for_each(drop));
    port.ok_or(printed)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// A "driver" that ends at once the first time and says a port the second.
    #[test]
    fn a_driver_that_ends_at_once_is_started_again() {
        let folder = std::env::temp_dir().join(format!("shardwise-driver-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let driver = folder.join("driver");
        let script = "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nif [ -e tried ]; then\n  echo \"ChromeDriver was started \
                      successfully on port 4444.\"\n  exec sleep 5\nfi\ntouch tried\necho \"IPv6 port not \
                      available. Exiting...\"\nexit 1\n";
        std::fs::write(&driver, script).expect("a script");
        std::fs::set_permissions(&driver, std::fs::Permissions::from_mode(0o755)).expect("permissions");
        let chromium = Chromium { browser: driver.clone(), driver };
        let (mut driver, port) = start_driver(&chromium).expect("the second attempt succeeds");
        driver.kill().expect("it runs");
        driver.wait().expect("it ends");
        assert_eq!(port, 4444);
        assert!(folder.join("tried").exists(), "the first attempt ended");
        std::fs::remove_dir_all(&folder).expect("the folder goes");
    }
}

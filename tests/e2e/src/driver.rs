//! WebDriver programs: one ChromeDriver and one geckodriver for all tests of a process.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use xtask::install::{Browser, BrowserKind};
use xtask::programs::XVFB;

use crate::process::Process;
use crate::server::fetch;

/// A running driver.
#[derive(Debug)]
pub struct Driver {
    process: Process,
    browser: Browser,
    /// The virtual screen of a browser without a headless mode.
    _screen: Option<Process>,
}

impl Driver {
    /// Returns a driver for this kind of browser: one that can be shared, or a new one.
    ///
    /// # Errors
    /// When the browser or its driver is missing or does not start.
    pub fn of(kind: BrowserKind) -> Result<Arc<Self>> {
        static DRIVERS: Mutex<BTreeMap<BrowserKind, Arc<Driver>>> = Mutex::new(BTreeMap::new());
        // WebKit's driver ends with its browser after each test, as it is slow to get ready for
        // another.
        if kind == BrowserKind::Webkit {
            return Ok(Arc::new(Self::start(kind)?));
        }
        let mut drivers = DRIVERS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(driver) = drivers.get(&kind) {
            return Ok(Arc::clone(driver));
        }
        let driver = Arc::new(Self::start(kind)?);
        drivers.insert(kind, Arc::clone(&driver));
        Ok(driver)
    }

    fn start(kind: BrowserKind) -> Result<Self> {
        let browser = Browser::find(kind)?;
        let screen = (kind == BrowserKind::Webkit).then(screen).transpose()?;
        let configure = |port: u16, driver: &mut Command| {
            driver.arg(format!("--port={port}"));
            match kind {
                BrowserKind::Chromium => {}
                // Scripts may read the browser's console, and no fixed port is used for the unused
                // WebSocket protocol.
                BrowserKind::Firefox => drop(driver.args(["--websocket-port=0", "--allow-system-access"])),
                BrowserKind::Webkit => {
                    let number = screen.as_ref().map(Process::port).unwrap_or_default();
                    driver.env("DISPLAY", format!(":{number}")).env("GDK_BACKEND", "x11");
                    // The sandbox needs more than containers allow; the browser opens only the
                    // site.
                    driver.env("WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS", "1");
                }
            }
            Ok(())
        };
        let ready =
            |port: u16| fetch(&format!("http://127.0.0.1:{port}/status")).is_ok_and(|answer| answer.status == 200);
        let process = Process::start(kind.driver(), &browser.driver, configure, ready)?;
        Ok(Self { process, browser, _screen: screen })
    }

    /// Returns the address of the driver.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.process.port())
    }

    /// Returns the browser of the driver.
    pub fn browser(&self) -> &Browser {
        &self.browser
    }

    /// Ends a browser together with its driver: a killed driver would leave it running.
    ///
    /// # Errors
    /// When the driver has ended.
    pub(crate) fn adopt(&self, browser: u64) -> Result<()> {
        self.process.end_with_it(browser)
    }
}

/// Starts a screen in memory; its number is its port.
fn screen() -> Result<Process> {
    let xvfb = XVFB.find().context("WebKitGTK has no headless mode")?;
    let configure = |port: u16, screen: &mut Command| {
        screen.arg(format!(":{port}")).args(["-screen", "0", "1280x1024x24", "-nolisten", "tcp"]);
        Ok(())
    };
    let ready = |port: u16| std::path::Path::new(&format!("/tmp/.X11-unix/X{port}")).exists();
    Process::start("Xvfb", &xvfb, configure, ready)
}

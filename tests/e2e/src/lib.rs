//! Drives browsers and web servers for the tests of the built site (`tests/site`), its bench
//! (`bench`) and its visits (`visits`).
//!
//! - [`session`]: a clean browser tab, driven by WebDriver; [`gesture`], [`console`] and
//!   [`options`] are parts of it.
//! - [`driver`]: one ChromeDriver and one geckodriver for all tests, a WebKitWebDriver for each of
//!   its own.
//! - [`process`]: starts a program on a free port, and ends it with the tests.
//! - [`server`]: serves the site with Caddy and nginx and the configurations under `deploy/`; sends
//!   single requests.
//! - [`files`]: serves a folder, with faults that a test sets.

pub mod console;
pub mod driver;
pub mod files;
pub mod gesture;
pub mod options;
pub mod process;
pub mod server;
pub mod session;
mod wait;

pub use session::{Element, Session};
pub use thirtyfour::Key;
pub use wait::{block_on, wait_for};
pub use xtask::install::BrowserKind;

//! Starts the program that drives a browser.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::browser::{Browser, Kind};
use crate::failure::{Explain as _, Failure, Result};

/// A running driver and its port.
///
/// ChromeDriver picks a free port for IPv4, then wants the same one for IPv6, and ends when another process was quicker; with
/// several tests starting one at the same moment that happens, so it gets a few attempts.
pub(super) fn start(browser: &Browser) -> Result<(Child, u16)> {
    const ATTEMPTS: u32 = 6;
    let mut said = String::new();
    for attempt in 0..ATTEMPTS {
        std::thread::sleep(Duration::from_millis(250) * attempt);
        let mut command = Command::new(&browser.driver);
        command.args(words(browser.kind)).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut driver = command.spawn().explain(|| format!("{} could not be started", browser.kind.driver()))?;
        match announced_port(&mut driver) {
            Ok(port) => return Ok((driver, port)),
            Err(printed) => said = printed,
        }
        let _ = driver.kill();
        let _ = driver.wait();
    }
    Err(Failure::new(format!(
        "{} ended {ATTEMPTS} times without saying its port; is it of the same version as the browser? Its last words: {}",
        browser.kind.driver(),
        said.trim()
    )))
}

/// What each is told: to take a free port; geckodriver also that scripts may read the browser's own console, and not to take
/// a fixed port for a protocol that we do not speak.
fn words(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Chromium => &["--port=0"],
        Kind::Firefox => &["--port=0", "--websocket-port=0", "--allow-system-access"],
    }
}

/// The port of "ChromeDriver was started successfully on port 41234." or "Listening on 127.0.0.1:41234", or all that was printed instead.
fn announced_port(driver: &mut Child) -> std::result::Result<u16, String> {
    let mut printed = String::new();
    let Some(stdout) = driver.stdout.take() else { return Err(printed) };
    let mut lines = BufReader::new(stdout).lines().map_while(std::result::Result::ok);
    let port = lines.by_ref().find_map(|line| {
        let port = ["successfully on port ", "Listening on 127.0.0.1:"].iter().find_map(|words| line.split_once(words));
        let port = port.map(|(_, port)| port.trim_end_matches('.').trim().parse());
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
        let browser = Browser { kind: Kind::Chromium, browser: driver.clone(), driver };
        let (mut driver, port) = start(&browser).expect("the second attempt succeeds");
        driver.kill().expect("it runs");
        driver.wait().expect("it ends");
        assert_eq!(port, 4444);
        assert!(folder.join("tried").exists(), "the first attempt ended");
        std::fs::remove_dir_all(&folder).expect("the folder goes");
    }
}

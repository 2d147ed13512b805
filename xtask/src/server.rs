//! A web server that somebody else wrote, on a free port of this machine, for tests; it ends with us, whatever ends us.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::failure::{Explain as _, Failure, Result};
use crate::shell::root;

/// Runs its arguments until its own input ends: a killed test run closes that as well as a finished one.
const GUARD: &str = "\"$@\" </dev/null & server=$!; read -r never; kill -KILL $server; wait $server";

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often a server is started: another process may take the free port before it does.
const ATTEMPTS: u32 = 2;

/// Starts a server on a free port, on another where that fails.
///
/// # Errors
/// What went wrong the last time.
pub(crate) fn started(start: impl Fn(u16) -> Result<Server>) -> Result<Server> {
    let outcome = start(free_port()?);
    (1..ATTEMPTS).fold(outcome, |outcome, _| outcome.or_else(|_| start(free_port()?)))
}

/// A server that runs until this is dropped.
#[derive(Debug)]
pub struct Server {
    guard: Child,
    url: String,
}

impl Server {
    /// Starts a server and waits until it answers with the folder's `index.html`; its name is for sentences.
    ///
    /// # Errors
    /// When it cannot be started, or does not answer: its last words.
    pub(crate) fn start(name: &str, mut command: Command, port: u16, path: &str, folder: &Path) -> Result<Self> {
        let log = log(name, port)?;
        let copy = log.1.try_clone().explain(|| "The server's log could not be shared".into())?;
        command.stdin(Stdio::piped()).stdout(copy).stderr(log.1);
        let guard = command.spawn().explain(|| format!("{name} could not be started"))?;
        let server = Self { guard, url: format!("http://127.0.0.1:{port}{path}") };
        let index = std::fs::read_to_string(folder.join("index.html"))
            .explain(|| format!("{} has no index.html", folder.display()))?;
        let start = Instant::now();
        while !fetch(&server.url).is_ok_and(|answer| answer.body == index) {
            if start.elapsed() > PATIENCE {
                let said = std::fs::read_to_string(&log.0).unwrap_or_default();
                return Err(Failure::new(format!("{name} does not serve {}: {said}", folder.display())));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    /// The address of the site, with a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

/// This program under the guard, run in the root of the checkout.
pub(crate) fn guarded(program: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", GUARD, "sh"]).arg(program).current_dir(root());
    command
}

/// A port that nobody uses now.
///
/// # Errors
/// When there is none.
fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).explain(|| "No port could be opened".into())?;
    Ok(listener.local_addr().explain(|| "The opened port is not known".into())?.port())
}

/// What a server says goes here: `target/servers/caddy-41234.log`.
fn log(name: &str, port: u16) -> Result<(std::path::PathBuf, std::fs::File)> {
    let folder = root().join("target").join("servers");
    let file = folder.join(format!("{}-{port}.log", name.to_lowercase()));
    let made = std::fs::create_dir_all(&folder).and_then(|()| std::fs::File::create(&file));
    Ok((file, made.explain(|| "target/servers could not be written".into())?))
}

/// An answer of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// As in 404.
    pub status: u16,
    /// Names in small letters, with their values, in the order of the answer.
    pub headers: Vec<(String, String)>,
    /// What is not text is replaced.
    pub body: String,
}

impl Answer {
    /// The value of a header by its name in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// Fetches an address of this machine as a browser would that knows no compression.
///
/// # Errors
/// When nobody answers.
pub fn fetch(url: &str) -> Result<Answer> {
    fetch_with(url, &[])
}

/// Fetches an address of this machine with these headers.
///
/// # Errors
/// When nobody answers.
pub fn fetch_with(url: &str, headers: &[&str]) -> Result<Answer> {
    let rest = url.strip_prefix("http://").ok_or_else(|| Failure::new(format!("`{url}` is not of this machine.")))?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let answer = exchange(host, path, headers).explain(|| format!("Nobody answers at {url}"))?;
    let text = String::from_utf8_lossy(&answer);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or_default();
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers = headers.map(|(name, value)| (name.to_lowercase(), value.trim().to_owned())).collect();
    Ok(Answer { status, headers, body: body.to_owned() })
}

fn exchange(host: &str, path: &str, headers: &[&str]) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(host)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let own: String = headers.iter().flat_map(|header| [*header, "\r\n"]).collect();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{own}\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::FileServer;

    #[test]
    fn an_answer_has_status_headers_and_body() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("shardwise-server-{}", std::process::id()));
        std::fs::create_dir_all(&folder).explain(|| "No folder".into())?;
        std::fs::write(folder.join("a.txt"), "what is in it").explain(|| "No file".into())?;
        let server = FileServer::with_headers(folder, "/here/", &[("X-Test", "some: value")])?;
        let answer = fetch(&format!("{}a.txt", server.url()))?;
        assert_eq!((answer.status, answer.body.as_str()), (200, "what is in it"));
        assert_eq!(answer.header("x-test"), Some("some: value"));
        assert_eq!(fetch(&format!("{}b.txt", server.url()))?.status, 404);
        Ok(())
    }

    #[test]
    #[cfg(unix)]
    fn a_guarded_program_ends_with_its_guard() -> Result<()> {
        let mut command = guarded(Path::new("sh"));
        command
            .args(["-c", "echo $$; exec sleep 100"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut guard = command.spawn().explain(|| "No shell".into())?;
        let mut byte = [0];
        let mut id = String::new();
        let mut stdout = guard.stdout.take().ok_or_else(|| Failure::new("no output"))?;
        while stdout.read(&mut byte).is_ok_and(|count| count == 1) && byte != [b'\n'] {
            id.push(char::from(byte[0]));
        }
        drop(guard.stdin.take());
        guard.wait().explain(|| "The guard is lost".into())?;
        let alive = Command::new("kill").args(["-0", &id]).stderr(Stdio::null()).status();
        assert!(alive.is_ok_and(|status| !status.success()), "{id} still runs");
        Ok(())
    }
}

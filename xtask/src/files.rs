//! Serves a folder on this machine, under any path: for measurements of the built site and for what tests
//! put around it; the site itself is served to tests by [`crate::caddy`].

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::failure::{Explain as _, Result};

/// A folder that is being served, until the process ends.
#[derive(Debug)]
pub struct FileServer {
    url: String,
}

impl FileServer {
    /// Serves `folder` under `path` ("/" or "/some/where/") on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// When there is no free port.
    pub fn start(folder: PathBuf, path: &str) -> Result<Self> {
        Self::with_headers(folder, path, &[])
    }

    /// The same with these headers in every answer: (name, value).
    ///
    /// # Errors
    /// When there is no free port.
    pub fn with_headers(folder: PathBuf, path: &str, headers: &[(&str, &str)]) -> Result<Self> {
        let headers = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect::<Vec<_>>().concat();
        let listener = TcpListener::bind(("127.0.0.1", 0)).explain(|| "No port could be opened".into())?;
        let port = listener.local_addr().explain(|| "The opened port is not known".into())?.port();
        let url = format!("http://127.0.0.1:{port}{path}");
        let shared = Arc::new((folder, path.to_owned(), headers));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                // A browser that hangs up early is no concern of ours.
                std::thread::spawn(move || answer(&stream, &shared.0, &shared.1, &shared.2).ok());
            }
        });
        Ok(Self { url })
    }

    /// The address of the folder, with a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }
}

fn answer(mut stream: &TcpStream, folder: &Path, path: &str, headers: &str) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    // The head is read to its end, or closing the socket would reset the connection.
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let target = request.split(' ').nth(1).unwrap_or("/");
    let found = file_for(target, folder, path).and_then(|file| Some((std::fs::read(&file).ok()?, media_type(&file))));
    let (status, body, kind) = match found {
        Some((body, kind)) => ("200 OK", body, kind),
        None => ("404 Not Found", b"There is no such file.".to_vec(), "text/plain"),
    };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-cache\r\nConnection: close\r\n\
         {headers}\r\n"
    )?;
    stream.write_all(&body)
}

/// The file a request asks for; `None` for what lies outside the folder.
fn file_for(target: &str, folder: &Path, path: &str) -> Option<PathBuf> {
    let inside = target.split(['?', '#']).next()?.strip_prefix(path)?;
    let relative = Path::new(inside);
    let tame = relative.components().all(|part| matches!(part, Component::Normal(_)));
    let file = folder.join(relative);
    tame.then(|| if inside.is_empty() || inside.ends_with('/') { file.join("index.html") } else { file })
}

fn media_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_names_a_file_under_the_path_and_nothing_else() {
        let file = |target| file_for(target, Path::new("dist"), "/sub/path/");
        assert_eq!(file("/sub/path/"), Some("dist/index.html".into()));
        assert_eq!(file("/sub/path/static/boot.js?v=1"), Some("dist/static/boot.js".into()));
        assert_eq!(file("/favicon.ico"), None);
        assert_eq!(file("/sub/path/../../secret"), None);
        assert_eq!(file("/sub/path//etc/passwd"), None);
    }

    #[test]
    fn wasm_has_the_type_that_streaming_compilation_wants() {
        assert_eq!(media_type(Path::new("dist/app_bg.wasm")), "application/wasm");
    }
}

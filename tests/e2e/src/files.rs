//! Serves a folder, with faults that a test sets.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use tokio::net::TcpListener;
use tower_http::services::ServeDir;

use crate::{block_on, wait};

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The file is served.
    Answered,
    /// The request gets this status and an empty body.
    Refused(u16),
    /// The file is served after this delay.
    Late(Duration),
}

/// Returns the fate of a request, given its path and the number of earlier requests for it.
type Decide = Box<dyn Fn(&str, usize) -> Fate + Send + Sync>;

struct Requests {
    decide: Decide,
    asked: Mutex<BTreeMap<String, usize>>,
}

/// A folder served until the process ends.
pub struct FileServer {
    url: String,
    requests: Arc<Requests>,
}

impl FileServer {
    /// Serves `folder` under `path` ("/" or "/some/where/") on a free port of this machine.
    ///
    /// # Errors
    /// When there is no free port.
    pub fn start(folder: &Path, path: &str) -> Result<Self> {
        Self::with_faults(folder, path, |_, _| Fate::Answered)
    }

    /// Serves a folder as [`FileServer::start`] does, and calls `decide` for the fate of each
    /// request.
    ///
    /// # Errors
    /// When there is no free port.
    pub fn with_faults(
        folder: &Path,
        path: &str,
        decide: impl Fn(&str, usize) -> Fate + Send + Sync + 'static,
    ) -> Result<Self> {
        let requests = Arc::new(Requests { decide: Box::new(decide), asked: Mutex::default() });
        let files = ServeDir::new(folder);
        let router = match path.trim_end_matches('/') {
            "" => Router::new().fallback_service(files),
            path => Router::new().nest_service(path, files),
        };
        let router = router.layer(from_fn_with_state(Arc::clone(&requests), answer));
        let listener = block_on(TcpListener::bind(("127.0.0.1", 0)))?.context("There is no free port")?;
        let port = listener.local_addr().context("The port is not known")?.port();
        wait::runtime()?.spawn(async move { axum::serve(listener, router).await });
        Ok(Self { url: format!("http://127.0.0.1:{port}{path}"), requests })
    }

    /// Returns the address of the folder, with a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Requests for this path.
    pub fn asked_exactly(&self, path: &str) -> usize {
        self.requests.asked.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied().unwrap_or_default()
    }

    /// Counts the requests for paths that contain a text.
    pub fn asked(&self, part: &str) -> usize {
        let asked = self.requests.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.iter().filter(|(path, _)| path.contains(part)).map(|(_, times)| times).sum()
    }
}

async fn answer(State(requests): State<Arc<Requests>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let before = {
        let mut asked = requests.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let times = asked.entry(path.clone()).or_default();
        *times += 1;
        *times - 1
    };
    let mut answer = match (requests.decide)(&path, before) {
        Fate::Answered => next.run(request).await,
        Fate::Refused(status) => StatusCode::from_u16(status).unwrap_or_default().into_response(),
        Fate::Late(time) => {
            tokio::time::sleep(time).await;
            next.run(request).await
        }
    };
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::fetch;

    #[test]
    fn files_are_served_counted_and_refused() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("shardwise-files-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("a.wasm"), "what is in it")?;
        let refuse = |path: &str, before: usize| match (path, before) {
            ("/here/a.wasm", 0) => Fate::Refused(503),
            _ => Fate::Answered,
        };
        let server = FileServer::with_faults(&folder, "/here/", refuse)?;
        let address = format!("{}a.wasm", server.url());
        assert_eq!(fetch(&address)?.status, 503);
        let answer = fetch(&address)?;
        assert_eq!((answer.status, answer.body.as_str()), (200, "what is in it"));
        assert_eq!(answer.header("content-type"), Some("application/wasm"));
        assert_eq!((server.asked("a.wasm"), fetch(&format!("{}b", server.url()))?.status), (2, 404));
        std::fs::remove_dir_all(folder)?;
        Ok(())
    }
}

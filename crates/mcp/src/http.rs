//! The streamable HTTP transport, on the loopback interface only.
//!
//! A page in a browser of this machine could send requests to it, so a request must name this host
//! (`Host`), which a page of a rebound domain cannot, and an `Origin` must be of this machine.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::Server;
use crate::tools::Access;

/// Port without a number given.
pub const DEFAULT_PORT: &str = "8337";

/// Hosts of a request.
const HOSTS: [&str; 2] = ["127.0.0.1", "localhost"];

/// A bound server.
pub(crate) struct Http {
    listener: TcpListener,
    address: SocketAddr,
}

impl Http {
    /// Binds a port of the loopback interface; 0 takes a free one.
    pub(crate) async fn bind(port: u16) -> Result<Self, String> {
        let failed = |cause: std::io::Error| format!("Port {port} of this machine could not be opened: {cause}.");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address })
    }

    /// Returns the address for clients.
    pub(crate) fn address(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Serves until the process ends.
    pub(crate) async fn run(self) -> Result<(), String> {
        let port = self.address.port();
        // Answers need no session: every request is complete.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_allowed_hosts(HOSTS.map(|host| format!("{host}:{port}")))
            .with_allowed_origins(HOSTS.map(|host| format!("http://{host}:*")))
            .enforce_origin_validation();
        let sessions = Arc::new(LocalSessionManager::default());
        // Files of this machine are not for whoever reaches the port.
        let service = StreamableHttpService::new(|| Ok(Server::new(Access::Texts)), sessions, config);
        loop {
            let accepted = self.listener.accept().await;
            let (stream, _) = accepted.map_err(|cause| format!("The server stopped: {cause}."))?;
            let service = TowerToHyperService::new(service.clone());
            tokio::spawn(async move {
                // A client that breaks its connection ends only that.
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    }
}

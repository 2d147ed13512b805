//! shardwise for agents: a server of the Model Context Protocol with tools that answer from tables
//! and formulas, on this machine, without a network.
//!
//! - `tools`: the tools, each with the schema of its arguments. Reading is strict: what decides and
//!   is missing is a question, a name that does not exist is refused with the nearest ones.
//! - `server`: the protocol, by the SDK [`rmcp`].
//! - `http`: the streamable HTTP transport on the loopback interface.

mod arguments;
mod http;
mod server;
pub mod tools;

pub use http::DEFAULT_PORT;
pub use server::Server;

use rmcp::ServiceExt as _;
use tools::Access;

/// Serves over standard input and output until the input ends.
///
/// # Errors
///
/// Returns a sentence if the client breaks the protocol or the connection.
pub fn serve_stdio() -> Result<(), String> {
    runtime()?.block_on(async {
        let served = Server::new(Access::Files).serve(rmcp::transport::stdio()).await;
        let running = served.map_err(|cause| format!("The client did not begin as the protocol says: {cause}."))?;
        running.waiting().await.map_err(|cause| format!("The server stopped: {cause}."))?;
        Ok(())
    })
}

/// Serves over HTTP on the loopback interface, until the process ends. `started` gets the address.
///
/// # Errors
///
/// Returns a sentence if the port cannot be opened.
pub fn serve_http(port: u16, started: impl FnOnce(&str)) -> Result<(), String> {
    runtime()?.block_on(async {
        let server = http::Http::bind(port).await?;
        started(&server.address());
        server.run().await
    })
}

/// Starts a runtime on this thread: an answer takes milliseconds of one core, a search seconds.
fn runtime() -> Result<tokio::runtime::Runtime, String> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|cause| format!("The server could not start: {cause}."))
}

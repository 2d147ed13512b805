//! `shardwise mcp`: a server of the Model Context Protocol.

use clap::Args;

use crate::Answer;

/// The transport.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Serves over HTTP on the loopback interface, instead of standard input and output [default
    /// port: 8337]
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = ::mcp::DEFAULT_PORT)]
    http: Option<u16>,
}

impl Arguments {
    /// Serves until the client leaves.
    pub(crate) fn run(&self) -> Result<Answer, String> {
        match self.http {
            // Standard output is the client's.
            Some(port) => ::mcp::serve_http(port, |address| eprintln!("Serving at {address}")),
            None => ::mcp::serve_stdio(),
        }?;
        Ok(Answer::new(String::new()))
    }
}

//! `cargo xtask bench` runs this: the page as it is loaded and used in Chromium, measured on one or more built sites.
//!
//! `bench DIR...` prints a line for each figure: its name, its budget, and its value for each folder, with tabs between. Folders take
//! turns within every round, so that a machine that gets slower slows all of them.

mod first_result;
mod latency;
mod samples;
mod weight;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use e2e::server::Server;

/// A built site that is served by `deploy/Caddyfile`.
struct Site {
    folder: PathBuf,
    server: Server,
}

/// A figure of every site.
struct Row {
    what: String,
    budget: &'static str,
    values: Vec<String>,
}

fn main() -> Result<()> {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    ensure!(!folders.is_empty(), "Name the folders of built sites: bench dist other/dist");
    let mut sites = Vec::new();
    for folder in folders {
        let folder = folder.canonicalize()?;
        sites.push(Site { server: Server::caddy(&folder, "/")?, folder });
    }
    for rows in [weight::measure, first_result::measure, latency::measure] {
        for Row { what, budget, values } in rows(&sites)? {
            println!("{what}\t{budget}\t{}", values.join("\t"));
        }
    }
    Ok(())
}

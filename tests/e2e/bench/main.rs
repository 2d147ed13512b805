//! The bench behind `cargo xtask bench`: measures loading and using the page in Chromium, on one or
//! more built sites.
//!
//! `bench DIR...` prints one line per figure: its name, its budget, and its value for each folder,
//! separated by tabs. Every round measures all folders in turn, so that a machine that slows down
//! affects them equally.

mod first_result;
mod latency;
mod samples;
mod weight;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use e2e::server::Server;

/// A built site, served with `deploy/Caddyfile`.
struct Site {
    folder: PathBuf,
    server: Server,
}

/// A figure, measured on every site.
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

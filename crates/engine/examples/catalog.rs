//! Prints the catalog as JSON: `cargo xtask catalog`.

use engine::export::catalog_json::catalog_json;
use std::io::{self, Write};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &catalog_json())?;
    writeln!(out)
}

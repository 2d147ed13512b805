//! Prints the catalog as JSON: `cargo run --release --no-default-features --example catalog`.

use shardwise::export::catalog_json::catalog_json;
use std::io::{self, Write};

fn main() -> io::Result<()> {
    writeln!(io::stdout().lock(), "{:#}", catalog_json())
}

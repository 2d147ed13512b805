//! Native speed of the engine, one `name value unit` a line: `cargo xtask bench` prints it.

mod work;

use std::io::{self, Write};
use std::time::Instant;

fn main() -> io::Result<()> {
    let start = Instant::now();
    let mut out = io::stdout().lock();
    for (name, value, unit) in work::measure(|| start.elapsed().as_secs_f64()) {
        writeln!(out, "{name} {value} {unit}")?;
    }
    Ok(())
}

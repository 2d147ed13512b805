//! Measures the native speed of the engine and prints one `name value unit` per line, for
//! `cargo xtask bench`.

mod work;

use std::hint::black_box;
use std::io::{self, Write};
use std::time::Instant;

/// Counts the allocations of evaluating a scenario.
fn allocations() -> u64 {
    let scenario = catalog::default_scenario();
    let counted = allocation_counter::measure(|| {
        black_box(black_box(&scenario).report());
    });
    counted.count_total
}

fn main() -> io::Result<()> {
    let start = Instant::now();
    let mut out = io::stdout().lock();
    for (name, value, unit) in work::measure(|| start.elapsed().as_secs_f64()) {
        writeln!(out, "{name} {value} {unit}")?;
    }
    writeln!(out, "allocations {} an evaluation", allocations())
}

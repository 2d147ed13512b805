//! Prints the report of a link, a fragment or a scenario in JSON:
//! `cargo xtask estimate 'v=1&rev=6&model=llama-3-8b&gpus=64'`.
//!
//! Without an argument it reads standard input. What could not be read stands in `issues`; the answer is for the
//! nearest valid scenario.

use engine::export::report_json::report_json;
use engine::json::pretty;
use engine::{params, share};
use std::io::{self, Read, Write};

fn main() -> io::Result<()> {
    let mut text = std::env::args().nth(1).unwrap_or_default();
    if std::env::args().len() < 2 {
        io::stdin().read_to_string(&mut text)?;
    }
    let decoded = share::decode::decode(&text);
    let mut issues = decoded.issues;
    issues.extend(params::issues(&decoded.scenario));
    let report = decoded.scenario.report();
    io::stdout().lock().write_all(pretty(&report_json(&decoded.scenario, &report, &issues)).as_bytes())
}

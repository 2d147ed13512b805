//! Prints the report of a link, a fragment or a scenario in JSON:
//! `cargo run --release --no-default-features --example estimate -- 'v=1&rev=2&model=llama-3-8b&gpus=64'`.
//!
//! Without an argument it reads standard input. What could not be read stands in `issues`; the answer is for the
//! nearest valid scenario. With `--lines` each line of standard input is one, and each report one line.

use shardwise::export::report_json::report_json;
use shardwise::{params, share};
use std::io::{self, BufRead as _, Read, Write};

fn main() -> io::Result<()> {
    let mut text = std::env::args().nth(1).unwrap_or_default();
    let mut out = io::stdout().lock();
    if text == "--lines" {
        return io::stdin().lock().lines().try_for_each(|line| print(&line?, true, &mut out));
    }
    if std::env::args().len() < 2 {
        io::stdin().read_to_string(&mut text)?;
    }
    print(&text, false, &mut out)
}

/// The report of one scenario, on one line or on many.
fn print(text: &str, one_line: bool, out: &mut impl Write) -> io::Result<()> {
    let decoded = share::decode::decode(text);
    let mut issues = decoded.issues;
    issues.extend(params::issues(&decoded.scenario));
    let report = decoded.scenario.report();
    let json = report_json(&decoded.scenario, &report, &issues);
    if one_line {
        serde_json::to_writer(&mut *out, &json)?;
    } else {
        serde_json::to_writer_pretty(&mut *out, &json)?;
    }
    writeln!(out)
}

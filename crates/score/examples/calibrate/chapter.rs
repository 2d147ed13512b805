//! Writes the table of docs/book/accuracy/held-out.md.

use std::fmt::Write as _;

use engine::stats::{mean, median};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/accuracy/held-out.md");
/// Markers around the table.
const MARKS: [&str; 2] = ["<!-- left out -->\n", "<!-- /left out -->"];

/// A source with the errors of its rows, logarithms of predicted over measured times: as fitted,
/// and with the source held out.
pub(crate) struct Source<'a> {
    pub(crate) name: &'a str,
    pub(crate) errors: Vec<(f64, f64)>,
}

/// Rewrites the table: by source, over all rows of hardware-bound steps and of others, and over all
/// sources with each counted once. `all` has whether a row is hardware-bound, and its errors.
pub(crate) fn write(sources: &[Source<'_>], all: &[(bool, (f64, f64))]) -> Result<(), String> {
    let mut text = String::from("| Publication | Steps | As fitted | Held out |\n|---|---:|---:|---:|\n");
    let mut line = |name: &str, errors: &[(f64, f64)]| {
        let of = |take: fn(&(f64, f64)) -> f64| summary(errors.iter().map(take));
        let (fitted, out) = (of(|errors| errors.0), of(|errors| errors.1));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {name} | {} | {} | {} |", errors.len(), percent(fitted), percent(out));
    };
    for source in sources {
        line(source.name, &source.errors);
    }
    for (name, fast) in [("All of 20 % MFU or more", true), ("All below", false)] {
        let errors: Vec<(f64, f64)> = all.iter().filter(|row| row.0 == fast).map(|row| row.1).collect();
        line(name, &errors);
    }
    let once = |take: fn(&(f64, f64)) -> f64| {
        let of: Vec<[f64; 2]> = sources.iter().map(|of| summary(of.errors.iter().map(take))).collect();
        [0, 1].map(|at| mean(&of.iter().map(|pair| pair[at]).collect::<Vec<_>>()).unwrap_or(f64::NAN))
    };
    let [fitted, out] = [once(|errors| errors.0), once(|errors| errors.1)];
    let _ = writeln!(text, "| Each publication once | {} | {} | {} |", sources.len(), percent(fitted), percent(out));
    let document = std::fs::read_to_string(PATH).map_err(|error| format!("{PATH}: {error}"))?;
    let [start, end] = MARKS;
    let parts = document.split_once(start).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
    let (before, after) = parts.ok_or_else(|| format!("{PATH} has no `{start}` with `{end}` after it."))?;
    std::fs::write(PATH, format!("{before}{start}\n{text}\n{end}{after}")).map_err(|error| format!("{PATH}: {error}"))
}

/// Returns the median and the mean absolute error.
fn summary(errors: impl Iterator<Item = f64>) -> [f64; 2] {
    let errors: Vec<f64> = errors.map(|error| (error.exp() - 1.0).abs()).collect();
    [median(&errors), mean(&errors)].map(|value| 1e2 * value.unwrap_or(f64::NAN))
}

fn percent([median, mean]: [f64; 2]) -> String {
    format!("{median:.1}, {mean:.1} %")
}

//! The section on the fitted constants.

use std::fmt::Write as _;

use super::line;
use engine::fitted;

/// Writes each constant with its prior and its statistics.
pub(super) fn section(text: &mut String) {
    line(text, "\n## Fitted constants\n");
    line(
        text,
        "From `data/fitted.toml`: the value expected before the fit and its tolerance; the fitted value; its standard \
         deviation by the curvature of the loss; the steps that depend on it (by more than 1 % if it changes by a \
         quarter), the number of their publications, and their median error with each publication held out:\n",
    );
    line(text, "| Constant | Meaning | Expected | Value | Deviation | Steps | Publications | Held out |");
    line(text, "|---|---|---:|---:|---:|---:|---:|---:|");
    for of in fitted::ALL {
        let because = if of.because.is_empty() { String::new() } else { format!(" ({})", of.because) };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| `{}` | {}{because} | {} ± {:.0} % | {} | {:.0} % | {} | {} | {:.1} % |",
            of.key,
            of.what,
            of.expected,
            1e2 * of.width,
            of.value,
            1e2 * of.deviation,
            of.rows,
            of.sources,
            of.held_out
        );
    }
    line(text, "\nFitted by hand, each to measurements of one kind:\n");
    line(text, "| Constant | Meaning | Value | Fitted to |");
    line(text, "|---|---|---:|---|");
    for of in fitted::SEPARATE {
        line(text, &format!("| `{}` | {} | {} | {} |", of.key, of.what, of.value, of.fitted_to));
    }
}

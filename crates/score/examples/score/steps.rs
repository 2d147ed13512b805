//! Prints traced steps.

use std::io::{self, Write};

use ::score::traced::score::{Compared, Spread, by_source};
use ::score::traced::{Figures, Traced};
use serde_json::{Value, json};

use crate::table::{OtherRow, used};
use crate::write::{object_of, reasons, write_line};

/// Writes the score of each source and of all steps.
pub(crate) fn score(out: &mut impl Write, lines: &[OtherRow<Traced>]) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let steps: Vec<Compared> = used(lines).iter().map(Compared::compare).collect();
    writeln!(out, "Traced steps: {} of {} rows", steps.len(), lines.len())?;
    for (source, score) in by_source(&steps) {
        writeln!(out, "  {source}, {} rows", score.rows)?;
        writeln!(out, "    allocated: {}", spelled(score.allocated))?;
        writeln!(out, "    reserved, fixed segments: {}", spelled(score.reserved))?;
        writeln!(out, "    reserved, expandable segments: {}", spelled(score.expandable))?;
        writeln!(out, "    moment and operator of the peak: {:.1} % agree", 1e2 * score.agree)?;
    }
    reasons(out, lines)
}

fn spelled(Spread { errors, worst }: Spread) -> String {
    format!("median {:.2} %, mean {:.2} %, worst {:.1} %", 1e2 * errors.median, 1e2 * errors.mean, 1e2 * worst)
}

/// Writes one JSON object per step.
pub(crate) fn json(out: &mut impl Write, lines: &[OtherRow<Traced>]) -> io::Result<()> {
    for OtherRow { file, number, id, outcome } in lines {
        let step = outcome.as_ref().ok().map(Traced::predicted);
        let number_of = |figure: fn(&Figures) -> f64| step.as_ref().map(|step| figure(step).round() as u64);
        let object: Value = json!({
            "file": file,
            "row_id": id,
            "line": number,
            "predicted_allocated_bytes": number_of(|step| step.allocated),
            "predicted_reserved_bytes": number_of(|step| step.reserved[0]),
            "predicted_reserved_expandable_bytes": number_of(|step| step.reserved[1]),
            "predicted_moment": step.as_ref().map(|step| &step.moment),
            "predicted_moment_op": step.as_ref().map(|step| &step.operator),
            "predicted_bytes": step.as_ref().map(|step| object_of(step.by.iter().copied())),
            "left_out": outcome.as_ref().err().map(ToString::to_string),
        });
        write_line(out, object)?;
    }
    Ok(())
}

/// Share of the peak above which a category's error is shown.
const SHOWN: f64 = 0.002;

/// Writes one tab-separated line per step, for reading: errors, moments, and the deviation of
/// categories in MB.
pub(crate) fn rows(out: &mut impl Write, lines: &[OtherRow<Traced>]) -> io::Result<()> {
    writeln!(
        out,
        "row_id\tsource\tallocated_gb\terror\treserved_error\texpandable_error\tmoment\tpredicted_moment\tleft_out\toff_mb"
    )?;
    for OtherRow { id, outcome, .. } in lines {
        let traced = match outcome {
            Ok(traced) => traced,
            Err(left_out) => {
                writeln!(out, "{id}{}{left_out}\t", "\t".repeat(8))?;
                continue;
            }
        };
        let step = Compared::compare(traced);
        let [fixed, expandable] = step.reserved;
        let (is, was) = (&step.predicted, &traced.measured);
        let differences = is.by.iter().zip(&was.by).map(|((name, is), (_, was))| (name, is - was));
        let off: Vec<String> = differences
            .filter(|(_, difference)| difference.abs() > SHOWN * was.allocated)
            .map(|(name, difference)| format!("{} {:+.1}", name.trim_start_matches("peak_"), difference / 1e6))
            .collect();
        writeln!(
            out,
            "{id}\t{}\t{:.3}\t{:+.2} %\t{:+.2} %\t{:+.2} %\t{}, {}\t{}, {}\t\t{}",
            step.source,
            was.allocated / 1e9,
            1e2 * step.allocated,
            1e2 * fixed,
            1e2 * expandable,
            was.moment,
            was.operator,
            is.moment,
            is.operator,
            off.join(", ")
        )?;
    }
    Ok(())
}

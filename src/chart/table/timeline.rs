//! A timeline as a table of time by kind of work, and as CSV.

use super::{Table, quoted};
use crate::chart::timeline::TimelineSpec;
use crate::chart::{format, names};
use core::fmt::Write;

/// Time by kind of work over the whole step, and its share of the step.
pub fn timeline(spec: &TimelineSpec) -> Table {
    let row = |name: &str, time| vec![name.to_string(), format::seconds(time), format::percent(time / spec.step)];
    let kinds = spec.sums.iter().map(|&(work, time)| row(names::work(work), time));
    Table {
        caption:
            "Time by kind of work in one step. Lanes run side by side, so that shares add up to more than the step."
                .into(),
        header: ["Work", "Time", "Share of the step"].map(str::to_string).into(),
        rows: kinds.chain([row("Step", spec.step)]).collect(),
    }
}

/// Every mark that is shown, one a line for each kind of work in it, in seconds.
pub fn timeline_csv(spec: &TimelineSpec) -> String {
    let mut text = String::from("lane,work,first_micro_batch,last_micro_batch,spans,start_s,end_s,busy_s\n");
    for mark in &spec.marks {
        for (work, time) in mark.parts() {
            let (lane, work) = (quoted(names::lane(mark.lane)), quoted(names::work(work)));
            let (first, last) = (mark.micro_batches.0 + 1, mark.micro_batches.1 + 1);
            let (start, end) = (mark.start.get(), mark.end.get());
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{lane},{work},{first},{last},{},{start},{end},{}", mark.spans, time.get());
        }
    }
    text
}

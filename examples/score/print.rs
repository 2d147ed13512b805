//! Scores and predictions as text.

use std::io::{self, Write};

use serde_json::json;
use shardwise::measured::score::{self, Entry, Score};
use shardwise::measured::stats::Errors;

/// Writes the score of each source and of all.
pub(crate) fn score(entries: &[Entry]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for (source, score) in score::by_source(entries) {
        one(&mut out, source, &score)?;
    }
    one(&mut out, "All", &score::score(entries))
}

fn one(out: &mut impl Write, name: &str, score: &Score) -> io::Result<()> {
    writeln!(out, "{name}: {} of {} rows", score.used, score.rows)?;
    let percent = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{:.0} %", 1e2 * value));
    let errors = |errors: Option<Errors>| {
        errors.map_or("-".to_owned(), |e| {
            format!(
                "{} rows, median {:.1} %, mean {:.1} %, signed {:+.1} %",
                e.count,
                1e2 * e.median,
                1e2 * e.mean,
                1e2 * e.signed
            )
        })
    };
    if score.fast.is_some() {
        writeln!(out, "  step time, MFU of 20 % or more: {}", errors(score.fast))?;
    }
    if score.slow.is_some() {
        let ranks = score.slow_ranks.map_or("-".to_owned(), |ranks| format!("{ranks:.3}"));
        writeln!(out, "  step time, MFU below 20 %: {}, rank correlation {ranks}", errors(score.slow))?;
    }
    if score.step_inside.is_some() {
        writeln!(out, "  step times inside the band: {}", percent(score.step_inside))?;
    }
    if score.memory.is_some() {
        writeln!(out, "  peak memory: {}; inside the band: {}", errors(score.memory), percent(score.memory_inside))?;
    }
    let c = score.confusion;
    if c != score::Confusion::default() {
        writeln!(
            out,
            "  ran: {} called fitting, {} called out of memory; failed: {} called out of memory, {} called fitting",
            c.ran_fits, c.ran_does_not, c.failed_does_not, c.failed_fits
        )?;
    }
    for (reason, count) in &score.left_out {
        writeln!(out, "  left out: {count} as {reason}")?;
    }
    Ok(())
}

/// Writes a JSON object a row.
pub(crate) fn json(entries: &[Entry]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for entry in entries {
        let p = entry.outcome.as_ref().ok();
        let line = json!({
            "file": entry.file,
            "row_id": entry.row.row_id,
            "predicted_step_time_s": p.map(|p| p.step_time_s),
            "predicted_tokens_per_s_per_gpu": p.map(|p| p.report.tokens_per_s_per_gpu),
            "predicted_mfu": p.map(|p| p.report.mfu),
            "predicted_peak_mem_gib": p.map(|p| p.peak_mem_gib),
            "band_low_s": p.map(|p| p.step_band.low * p.step_time_s),
            "band_high_s": p.map(|p| p.step_band.high * p.step_time_s),
            "fits": p.map(|p| p.report.fits()),
            "left_out": entry.outcome.as_ref().err().map(ToString::to_string),
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Writes a line a row for the eye, tab-separated.
pub(crate) fn rows(entries: &[Entry]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "row_id\tsource\tmodel\tgpu\tgpus\tdp\ttp\tpp\tcp\tmbs\taccum\tstrategy\tmeasured_s\tpredicted_s\tratio\tmeasured_mfu\tmeasured_gib\tpredicted_gib\tratio\tfits\tleft_out\tnotes"
    )?;
    for entry in entries {
        let row = &entry.row;
        write!(out, "{}\t{:.28}\t{:.28}\t{:.20}\t", row.row_id, entry.source(), row.model, row.gpu)?;
        match &entry.outcome {
            Ok(p) => {
                let s = &p.scenario;
                let d = s.degrees();
                let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.4}"));
                let notes: Vec<&str> = p.notes.iter().collect();
                writeln!(
                    out,
                    "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:?}\t{}\t{:.4}\t{}\t{}\t{}\t{:.2}\t{}\t{}\t\t{}",
                    s.gpus,
                    d.dp,
                    d.tp,
                    d.pp,
                    d.cp,
                    s.micro_batch_size,
                    s.grad_accum_steps,
                    s.strategy,
                    number(p.measured_step.map(|step| step.0)),
                    p.step_time_s,
                    number(p.step_error().map(|error| error + 1.0)),
                    number(p.measured_mfu),
                    number(p.measured_gib),
                    p.peak_mem_gib,
                    number(p.memory_error().map(|error| error + 1.0)),
                    p.report.fits(),
                    notes.join("; ")
                )?;
            }
            Err(left_out) => writeln!(out, "{}{left_out}\t", "\t".repeat(16))?,
        }
    }
    Ok(())
}

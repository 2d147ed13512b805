//! Prints scores and predictions as text.

use std::io::{self, Write};

use ::score::pairs;
use ::score::spread::{self, SHARES};
use ::score::summary::{self, Score};
use ::score::tracker::{Categories, Tracked};
use engine::stats::Errors;
use links::encode;
use serde_json::{Map, Value, json};

use crate::steps;
use crate::table::{OtherRow, Tables};
use crate::write::{object_of, reasons, write_line};

/// Writes the score of each source and of all rows, followed by the scores of the memory tracker,
/// of traced steps and of collectives.
pub(crate) fn score(out: &mut impl Write, tables: &Tables) -> io::Result<()> {
    let entries = &tables.training;
    if !entries.is_empty() {
        let scores = summary::by_source(entries);
        for (source, score) in &scores {
            one(out, source, score)?;
        }
        if scores.len() > 1 {
            one(out, "All", &summary::score(entries))?;
        }
    }
    let signs = pairs::hybrid_against_full(entries);
    if signs.all > 0 {
        writeln!(out, "Hybrid against full sharding: the sign is right in {} of {} pairs", signs.right, signs.all)?;
    }
    for (kind, of) in spread::by_kind(entries) {
        write!(out, "Peak memory, measured over predicted, {}, {} rows:", kind.name(), of.rows)?;
        for (share, ratio) in SHARES.iter().zip(of.ratios) {
            write!(out, " {:.0} % {ratio:.2}", 1e2 * share)?;
        }
        writeln!(out)?;
    }
    others(out, "Memory tracker", &tables.tracked, Tracked::error)?;
    steps::score(out, &tables.traced)?;
    others(out, "Models with state mixers, traced", &tables.hybrid, |row| Some(row.error()))?;
    others(out, "Bus bandwidth of collectives", &tables.collectives, |collective| Some(collective.error()))
}

fn others<T>(
    out: &mut impl Write,
    name: &str,
    lines: &[OtherRow<T>],
    error: impl Fn(&T) -> Option<f64>,
) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let used: Vec<f64> = lines.iter().filter_map(|line| error(line.outcome.as_ref().ok()?)).collect();
    let worst = used.iter().map(|error| error.abs()).fold(0.0, f64::max);
    writeln!(out, "{name}: {} of {} rows", used.len(), lines.len())?;
    writeln!(out, "  {}, worst {:.1} %", spelled(Errors::from_errors(&used)), 1e2 * worst)?;
    reasons(out, lines)
}

fn spelled(errors: Option<Errors>) -> String {
    errors.map_or("-".to_owned(), |e| {
        format!(
            "{} rows, median {:.1} %, mean {:.1} %, signed {:+.1} %",
            e.count,
            1e2 * e.median,
            1e2 * e.mean,
            1e2 * e.signed
        )
    })
}

fn one(out: &mut impl Write, name: &str, score: &Score) -> io::Result<()> {
    writeln!(out, "{name}: {} of {} rows", score.used, score.rows)?;
    let percent = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{:.0} %", 1e2 * value));
    if score.fast.is_some() {
        writeln!(out, "  step time, MFU of 20 % or more: {}", spelled(score.fast))?;
    }
    if score.slow.is_some() {
        let ranks = score.slow_ranks.map_or("-".to_owned(), |ranks| format!("{ranks:.3}"));
        writeln!(out, "  step time, MFU below 20 %: {}, rank correlation {ranks}", spelled(score.slow))?;
    }
    if score.step_inside.is_some() {
        writeln!(out, "  step times inside the band: {}", percent(score.step_inside))?;
    }
    if score.memory.is_some() {
        writeln!(out, "  peak memory: {}; inside the band: {}", spelled(score.memory), percent(score.memory_inside))?;
    }
    let c = score.confusion;
    if c != summary::Confusion::default() {
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

/// Writes one JSON object per row.
pub(crate) fn json(out: &mut impl Write, tables: &Tables) -> io::Result<()> {
    for entry in &tables.training {
        let p = entry.outcome.as_ref().ok();
        let object = json!({
            "file": entry.file,
            "row_id": entry.row.row_id,
            "link": p.map(|p| encode(&p.scenario)),
            // Null if the row's step time is not comparable with the scenario's.
            "measured_step_time_s": p.and_then(|p| p.measured.step_time_s),
            "predicted_step_time_s": p.map(|p| p.step_time_s),
            "predicted_tokens_per_s_per_gpu": p.map(|p| p.report.whole().tokens_per_s_per_gpu),
            "predicted_mfu": p.map(|p| p.report.whole().mfu),
            "measured_peak_mem_gib": p.and_then(|p| p.measured.peak_gib),
            "predicted_peak_mem_gib": p.map(|p| p.peak_mem_gib),
            "predicted_allocated_gib": p.map(|p| p.allocated_gib),
            "predicted_reserved_gib": p.map(|p| p.reserved_gib),
            "band_low_s": p.map(|p| p.step_band.low * p.step_time_s),
            "band_high_s": p.map(|p| p.step_band.high * p.step_time_s),
            "fits": p.map(|p| p.fits),
            "fit_odds": p.map(|p| p.fit_odds),
            "left_out": entry.outcome.as_ref().err().map(ToString::to_string),
        });
        write_line(out, object)?;
    }
    for OtherRow { file, number, id, outcome } in &tables.tracked {
        let mut object = Map::new();
        object.insert("file".into(), json!(file));
        object.insert("row_id".into(), json!(id));
        object.insert("line".into(), json!(number));
        let predicted = outcome.as_ref().ok().map(Tracked::predicted);
        for (name, bytes) in predicted.unwrap_or_default().iter() {
            object.insert(format!("predicted_{name}"), json!(predicted.map(|_| bytes)));
        }
        object.insert(
            "predicted_allocated_bytes".into(),
            json!(predicted.map(|predicted| predicted.total.round() as u64)),
        );
        object.insert("predicted_bytes".into(), json!(predicted.as_ref().map(tracked_bytes)));
        object.insert("left_out".into(), json!(outcome.as_ref().err().map(ToString::to_string)));
        write_line(out, Value::Object(object))?;
    }
    steps::json(out, &tables.traced)?;
    for OtherRow { file, number, outcome, .. } in &tables.collectives {
        let collective = outcome.as_ref().ok();
        let object = json!({
            "file": file,
            "line": number,
            "predicted_bus_bandwidth_gb_per_s": collective.map(|collective| collective.predicted_gb_per_s),
            "left_out": outcome.as_ref().err().map(ToString::to_string),
        });
        write_line(out, object)?;
    }
    Ok(())
}

/// Converts the tracker's categories to an object keyed by column, without the total.
fn tracked_bytes(categories: &Categories) -> Value {
    object_of(categories.iter().filter(|(name, _)| *name != "total_bytes"))
}

/// Writes one tab-separated line per row, for reading.
pub(crate) fn rows(out: &mut impl Write, tables: &Tables) -> io::Result<()> {
    if !tables.training.is_empty() {
        runs(out, tables)?;
    }
    if !tables.traced.is_empty() {
        steps::rows(out, &tables.traced)?;
    }
    Ok(())
}

fn runs(out: &mut impl Write, tables: &Tables) -> io::Result<()> {
    writeln!(
        out,
        "row_id\tsource\tmodel\tgpu\tgpus\tdp\ttp\tpp\tcp\tmbs\taccum\tstrategy\tmeasured_s\tpredicted_s\tratio\tmeasured_mfu\tmeasured_gib\tpredicted_gib\tratio\tfits\tleft_out\tnotes\todds"
    )?;
    for entry in &tables.training {
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
                    "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:?}\t{}\t{:.4}\t{}\t{}\t{}\t{:.2}\t{}\t{}\t\t{}\t{:.2}",
                    s.gpus,
                    d.dp,
                    d.tp,
                    d.pp,
                    d.cp,
                    s.micro_batch_size,
                    s.grad_accum_steps,
                    s.strategy,
                    number(p.measured.step_time_s),
                    p.step_time_s,
                    number(p.step_error().map(|error| error + 1.0)),
                    number(p.measured.mfu),
                    number(p.measured.peak_gib),
                    p.peak_mem_gib,
                    number(p.memory_error().map(|error| error + 1.0)),
                    p.fits,
                    notes.join("; "),
                    p.fit_odds
                )?;
            }
            Err(left_out) => writeln!(out, "{}{left_out}\t\t", "\t".repeat(16))?,
        }
    }
    Ok(())
}

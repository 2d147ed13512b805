//! Advice: what to change, and what that would do.

use crate::chart::{format, names};
use crate::params::{Unit, quantity};
use crate::plan::advice::{Advice, Change};
use crate::scenario::{RecomputeMode, Strategy};

/// The change, as the start of a sentence.
pub fn change(advice: &Advice) -> String {
    match advice.change {
        Change::Strategy(strategy) => {
            let place = Strategy::ALL.iter().position(|each| *each == strategy).unwrap_or(0);
            let within = if strategy == Strategy::HybridShard { " within each node" } else { "" };
            format!("{}{within}", names::strategy(place))
        }
        Change::Recompute(RecomputeMode::None) => "no activation checkpointing".into(),
        Change::Recompute(RecomputeMode::Selective) => "selective activation checkpointing".into(),
        Change::Recompute(RecomputeMode::Full) => "full activation checkpointing".into(),
        Change::Recompute(RecomputeMode::Fraction) => "checkpointing a fraction of the activations".into(),
        Change::MicroBatch(size) => format!("micro-batches of {}", format::count(f64::from(size))),
        Change::SeqLen(seq_len) => format!("sequences of {}", quantity::with_unit(Unit::Tokens, f64::from(seq_len))),
        Change::Gpus(gpus) => format!("{} GPUs", format::count(f64::from(gpus))),
        Change::Link(gbit) => format!("links of {}", format::value(Unit::GbitPerS, gbit)),
        Change::Memory(gib) => format!("GPUs with {}", format::value(Unit::Gib, gib)),
    }
}

/// What it would do: more throughput where the run fits already, else that it then fits.
pub fn advice(advice: &Advice, fits_now: bool) -> String {
    let mfu = format::percent(advice.report.mfu);
    if fits_now {
        format!("{} more tokens a second, {mfu} MFU", format::percent(advice.gain))
    } else {
        format!("then it fits with {} to spare, at {mfu} MFU", format::bytes(advice.report.memory.free()))
    }
}

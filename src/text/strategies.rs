//! The words of the table of strategies.

use engine::analysis::limits::Reach;
use engine::format;
use engine::rounding;
use engine::scenario::Strategy;

/// The table's heading.
pub const TITLE: &str = "Every strategy on this cluster";
/// The heading of each column.
pub const HEADER: [&str; 7] =
    ["Strategy", "MFU", "Step time", "Peak memory", "Largest GPT-style model", "Over DDP’s", "Longest sequence"];
/// What stands where nothing searched fits.
const NOTHING: &str = "none";

/// The finding: how far full sharding goes beyond DDP.
pub fn caption(reaches: &[Reach]) -> String {
    let of = |strategy| reaches.iter().find(|reach| reach.strategy == strategy);
    let largest = |strategy| of(strategy).and_then(|reach| reach.largest_model);
    let any = |strategy| of(strategy).is_some_and(|reach| reach.any_model);
    match (largest(Strategy::Ddp), largest(Strategy::FullShard)) {
        (Some(ddp), Some(_)) if any(Strategy::Ddp) => {
            format!("With this sequence length and batch even DDP holds the largest GPT-style model, {}.", params(ddp))
        }
        (Some(ddp), Some(full)) => {
            let least = if any(Strategy::FullShard) { "at least " } else { "" };
            format!(
                "With this sequence length and batch DDP holds GPT-style models up to {}, FULL_SHARD up to {}: {least}{} as large.",
                params(ddp),
                params(full),
                times(full / ddp)
            )
        }
        (None, Some(full)) => format!(
            "With this sequence length and batch DDP does not hold the smallest GPT-style model, 1.3B; FULL_SHARD \
             holds up to {}.",
            params(full)
        ),
        (_, None) => {
            "With this sequence length and batch no strategy holds the smallest GPT-style model, 1.3B.".to_owned()
        }
    }
}

/// The cells of one row after its name.
pub fn cells(reach: &Reach, all: &[Reach]) -> [String; 6] {
    let report = &reach.report;
    let ddp = all.iter().find(|other| other.strategy == Strategy::Ddp && !other.any_model);
    let ddp = ddp.and_then(|other| other.largest_model);
    let or_more = |text: String, any: bool| if any { format!("{text} or more") } else { text };
    [
        if report.fits() { format::percent(report.mfu) } else { "does not fit".to_owned() },
        format::seconds(report.time.step),
        format::bytes(report.memory.peak),
        reach.largest_model.map_or(NOTHING.to_owned(), |size| or_more(params(size), reach.any_model)),
        ddp.zip(reach.largest_model).map_or("–".to_owned(), |(ddp, size)| {
            let least = if reach.any_model { "≥ " } else { "" };
            format!("{least}{}", times(size / ddp))
        }),
        reach.longest_sequence.map_or(NOTHING.to_owned(), |tokens| {
            or_more(format::count(rounding::said_down(f64::from(tokens))), reach.any_sequence)
        }),
    ]
}

/// A size that fits, rounded to the side on which that stays true.
fn params(size: f64) -> String {
    format::params(rounding::down(size))
}

fn times(ratio: f64) -> String {
    format!("{ratio:.1}") + "×"
}

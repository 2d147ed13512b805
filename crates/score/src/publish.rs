//! Converts a row of the tables to the format of the page.

use super::summary::Entry;
use analysis::published::{Peak, Published, Set};
use engine::model::hardware::Generation;
use links::encode::encode;

/// Converts a row. Returns `None` for fine-tuning and for a row without a prediction or a
/// measurement, such as a failed run.
pub fn published(entry: &Entry) -> Option<Published> {
    // The page has no set for fine-tuning yet.
    if entry.is_fine_tuned() {
        return None;
    }
    let prediction = entry.outcome.as_ref().ok()?;
    let step_s = prediction.measured.step_time_s;
    step_s.or(prediction.measured.peak_gib)?;
    let set = match entry.is_fast() {
        _ if entry.is_mixture() => Set::Mixture,
        Some(true) => Set::Fast,
        _ => Set::Slow,
    };
    Some(Published {
        source: entry.source().to_owned(),
        model: entry.row.model.clone(),
        set,
        fitted: step_s.is_some() && is_fitted(set, entry.source(), prediction.scenario.accelerator.id),
        step_s,
        batch_share: prediction.batch_share,
        peak: prediction.measured.peak_gib.map(|gib| Peak {
            gib,
            kind: prediction.measured.kind,
            stage: prediction.measured.stage,
        }),
        link: encode(&prediction.scenario),
    })
}

/// Returns whether constants of step time were fitted to a row (docs/book/accuracy/constants.md):
/// dense rows that the hardware limited, except BigScience's on V100; of the mixtures,
/// Megatron-Bridge's and the continuous-integration runs.
fn is_fitted(set: Set, source: &str, accelerator: &str) -> bool {
    let is_volta = catalog::accelerator(accelerator).is_some_and(|gpu| gpu.values.generation == Generation::Volta);
    match set {
        Set::Fast => !(source.contains("BigScience") && is_volta),
        Set::Slow => false,
        Set::Mixture => source.contains("Megatron-Bridge") || source.contains("CI golden values"),
    }
}

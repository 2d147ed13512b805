//! Remarks about a snapshot besides its tensors: unallocated memory, and gaps of the record.

use super::format::{Action, Segment, Snapshot};
use super::moment::{Moment, MomentReason};
use crate::error::bytes;
use engine::model::software::Segments;
use engine::params::quantity::group_thousands;
use engine::scenario::Scenario;

/// Share of reserved memory above which unallocated memory is reported.
const WORTH: f64 = 0.05;
/// Share above which memory that was alive before the first event is reported.
const BEFORE: f64 = 0.02;

/// Returns whether a large share of the reserved memory is unallocated.
pub(super) fn is_fragmented(moment: &Moment<'_, '_>) -> bool {
    moment.reserved.saturating_sub(moment.allocated) as f64 > WORTH * moment.reserved as f64
}

/// Returns remarks about the snapshot.
pub(super) fn remarks(
    snapshot: &Snapshot<'_>,
    segments: &[&Segment<'_>],
    moment: &Moment<'_, '_>,
    scenario: &Scenario,
) -> Vec<String> {
    let mut said = Vec::new();
    let grows = snapshot.allocator_settings.is_some_and(|settings| settings.expandable_segments)
        || segments.iter().any(|segment| segment.is_expandable);
    if let MomentReason::Refused { free: Some(free), .. } = moment.why {
        said.push(format!("The driver had {} free.", bytes(free as f64)));
    }
    if is_fragmented(moment) {
        let free = moment.reserved.saturating_sub(moment.allocated) as f64;
        // A refused request reports unallocated memory separately.
        if !matches!(moment.why, MomentReason::Refused { .. }) {
            let share = engine::format::percent(free / moment.reserved as f64);
            let remedy = if grows {
                ""
            } else {
                " PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True lets it grow blocks in place."
            };
            said.push(format!(
                "PyTorch had reserved {} without a tensor in it, {share} of its memory.{remedy}",
                bytes(free)
            ));
        }
        if moment.is_last {
            said.extend(pieces(segments));
        }
    }
    let set = scenario.segments == Segments::Expandable;
    if grows != set && (snapshot.allocator_settings.is_some() || grows) {
        let [of_run, of_scenario] = [grows, set].map(|grows| if grows { "expandable" } else { "fixed" });
        said.push(format!("The run's segments are {of_run}, the scenario's {of_scenario}."));
    }
    if moment.before as f64 > BEFORE * moment.allocated as f64 && !matches!(moment.why, MomentReason::Now) {
        said.push(format!(
            "The record begins when tensors held {}: it lacks any earlier, higher peak.",
            bytes(moment.before as f64)
        ));
    }
    let refused =
        |events: &Vec<super::format::Event<'_>>| events.iter().filter(|event| event.action == Action::Oom).count();
    let refusals: usize = snapshot.device_traces.iter().map(refused).sum();
    if refusals > 1 {
        said.push(format!(
            "{} requests were refused: this is the last one of this GPU.",
            group_thousands(&refusals.to_string())
        ));
    }
    if matches!(moment.why, MomentReason::Now) {
        said.push(
            "The snapshot has no record of events, so its peak is unknown: call torch.cuda.memory._record_memory_history() first.".into(),
        );
    }
    said
}

/// Reports the number of segments with free memory, and the largest free block.
fn pieces(segments: &[&Segment<'_>]) -> Option<String> {
    let free = |segment: &&&Segment<'_>| segment.blocks.iter().any(|block| !block.is_active());
    let split = segments.iter().filter(free).count();
    let sizes = segments.iter().flat_map(|segment| &segment.blocks).filter(|block| !block.is_active());
    let largest = sizes.map(|block| block.size).max().unwrap_or_default();
    (split > 0).then(|| {
        format!(
            "Memory without a tensor is in {} of {} segments; the largest block has {}.",
            group_thousands(&split.to_string()),
            group_thousands(&segments.len().to_string()),
            bytes(largest as f64)
        )
    })
}

//! Widens the range of the step time for unknown networks.

use crate::Notes;
use catalog::accuracy::{self, Band};
use engine::scenario::Scenario;
use engine::units::BytesPerSecond;

/// Slow-down above which an unknown network is reported.
const TELLING: f64 = 1.02;

/// Returns the range of the step time. Its upper end assumes the slowest network that is consistent
/// with the row.
pub(crate) fn range(
    scenario: &Scenario,
    slowest: Option<BytesPerSecond>,
    predicted: f64,
    notes: &mut Notes,
) -> (Band, Option<BytesPerSecond>) {
    let band = accuracy::step_time(scenario);
    let Some(inter_node) = slowest else { return (band, None) };
    let mut slow = *scenario;
    slow.network.values.inter_node = inter_node;
    let longer = slow.report().whole().time.get() / predicted;
    if longer < TELLING {
        return (band, None);
    }
    notes.add(format!(
        "the network is unknown: at {:.0} Gbit/s per GPU the step takes {longer:.2} times as long",
        inter_node.gbit_per_s()
    ));
    (Band { high: band.high * longer, ..band }, Some(inter_node))
}

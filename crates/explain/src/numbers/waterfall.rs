//! The explanation of the waterfall of a step's time.

use super::super::Explanation;
use super::{always, number, waits_for_data, when};

pub(super) const WATERFALL: &[Explanation] = &[number(
    "waterfall",
    "Where the step’s time goes",
    &[
        always("T_useful = F_count · n_step / (N · S_peak)"),
        when(|c| !waits_for_data(c), "T_step = T_useful + T_below + T_stream + T_again + T_slow + T_exposed + T_idle"),
        when(waits_for_data, "T_step = T_useful + T_below + T_stream + T_again + T_slow + T_exposed + T_idle + T_data"),
    ],
    [
        "The step in terms of the GPU’s peak: with only products, at the data sheet’s rate, the step would take the last bar, which is the [MFU]. Each bar above it is a loss, and all bars together are the step. Each loss has the single change that reduces it most without a slower step: settings before hardware.",
        "docs/book/model/overlap.md: the step, split as computed; products as in the [roofline].",
        "Parts are means over the pipeline’s stages; additional work of the slowest stage is in the bubble. Concurrent exposed collectives share their time in proportion.",
    ],
)];

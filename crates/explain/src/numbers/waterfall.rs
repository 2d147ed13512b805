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
        "The step as the GPU’s peak sees it: were every product as fast as the data sheet says, and nothing else to do, the step would take the last bar alone, which is the [MFU]. Each bar above it is what is lost on the way, and together they are the step. Beside it stands the single change that shrinks it most and leaves the step at least as fast: settings before hardware.",
        "docs/book/model/overlap.md: the step, split as the engine computes it; products as in the [roofline].",
        "Parts are on average over the pipeline’s stages; what the slowest stage has more of is in its bubble. Where several collectives show at once, the time is theirs in proportion.",
    ],
)];

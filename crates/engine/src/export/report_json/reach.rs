//! What other strategies reach, and what none can.

use crate::analysis::bounds_search;
use crate::analysis::limits::Reach;
use crate::json::Json;
use crate::model::bounds::{Bounds, Stage};
use crate::params::ParamId;
use crate::scenario::Strategy;

/// What one strategy reaches; `null` where nothing searched fits.
pub(super) fn strategy(reach: &Reach) -> Json {
    Json::object([
        ("strategy", strategy_key(reach.strategy).into()),
        ("fits", reach.report.fits().into()),
        ("mfu", reach.report.mfu.into()),
        ("step_time_s", reach.report.time.step.get().into()),
        ("peak_bytes", reach.report.memory.peak.get().into()),
        ("largest_model_params", reach.largest_model.into()),
        ("longest_sequence_tokens", reach.longest_sequence.into()),
    ])
}

/// The key of a strategy in links and JSON, as the table of parameters has it.
fn strategy_key(strategy: Strategy) -> Option<&'static str> {
    let choice = ParamId::Strategy.param().choice()?;
    choice.options.get(strategy.place()).map(|option| option.key)
}

/// The FSDP bounds after Wang et al. 2025 on this scenario, and the best of their grid search.
pub(super) fn bounds(bounds: &Bounds) -> Json {
    Json::object([
        ("free_memory_bytes", bounds.free_memory().get().into()),
        ("tokens_max", bounds.tokens_max().into()),
        ("tokens_per_s_per_gpu_max", bounds.throughput_max().into()),
        ("hfu_forward_max", bounds.hfu_forward_max().into()),
        ("mfu_max", bounds.mfu_max().into()),
        ("tokens_to_hide_transfer", bounds.tokens_to_hide_transfer().into()),
        ("longest_context_tokens", bounds_search::longest_context(*bounds).into()),
        ("best", best(*bounds)),
    ])
}

/// The configuration with the highest MFU on the grid over ZeRO stage, share of activations kept
/// and tokens.
fn best(bounds: Bounds) -> Json {
    let Some(best) = bounds_search::best_mfu(bounds) else { return Json::Null };
    let stage = match best.stage {
        Stage::Three => "zero3",
        Stage::OneOrTwo => "zero1_or_2",
    };
    Json::object([
        ("stage", stage.into()),
        ("kept", best.kept.into()),
        ("tokens", best.tokens.into()),
        ("mfu", best.reached.mfu.into()),
        ("hfu", best.reached.hfu.into()),
        ("tokens_per_s_per_gpu", best.reached.tokens_per_s_per_gpu.into()),
    ])
}

//! The limits of other strategies, and the bounds that hold for all.

use serde_json::{Value, json};

use analysis::bounds_search;
use analysis::limits::Reach;
use engine::model::bounds::{Bounds, Stage};
use engine::params::ParamId;
use engine::scenario::Strategy;

/// Writes the limits of one strategy; `null` if no model or sequence fits.
pub(super) fn strategy(reach: &Reach) -> Value {
    json!({
        "strategy": strategy_key(reach.strategy),
        "fits": reach.answer.fit.fits,
        "fit_odds": reach.answer.fit.odds,
        "verdict": reach.answer.fit.verdict.key(),
        "mfu": reach.answer.step.mfu,
        "step_time_s": reach.answer.step.time.get(),
        "needed_bytes": reach.answer.needed.get(),
        "largest_model_params": reach.largest_model,
        "longest_sequence_tokens": reach.longest_sequence,
    })
}

/// Returns the key of a strategy in links and JSON.
fn strategy_key(strategy: Strategy) -> Option<&'static str> {
    let choice = ParamId::Strategy.param().choice()?;
    choice.options.get(strategy.place()).map(|option| option.key)
}

/// Writes the FSDP bounds after Wang et al. 2025 for this scenario, and the best configuration of
/// their grid search.
pub(super) fn bounds(bounds: &Bounds) -> Value {
    json!({
        "free_memory_bytes": bounds.free_memory().get(),
        "tokens_max": bounds.tokens_max(),
        "tokens_per_s_per_gpu_max": bounds.throughput_max(),
        "hfu_forward_max": bounds.hfu_forward_max(),
        "mfu_max": bounds.mfu_max(),
        "tokens_to_hide_transfer": bounds.tokens_to_hide_transfer(),
        "longest_context_tokens": bounds_search::longest_context(*bounds),
        "best": best(*bounds),
    })
}

/// Writes the configuration with the highest MFU on the grid over ZeRO stage, fraction of
/// activations kept, and tokens.
fn best(bounds: Bounds) -> Value {
    let Some(best) = bounds_search::best_mfu(bounds) else { return Value::Null };
    let stage = match best.stage {
        Stage::Three => "zero3",
        Stage::OneOrTwo => "zero1_or_2",
    };
    json!({
        "stage": stage,
        "kept": best.kept,
        "tokens": best.tokens,
        "mfu": best.reached.mfu,
        "hfu": best.reached.hfu,
        "tokens_per_s_per_gpu": best.reached.tokens_per_s_per_gpu,
    })
}

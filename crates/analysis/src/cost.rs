//! Cost of a run per billion tokens, which compares runs on different hardware and of different
//! length.

use engine::scenario::Scenario;

/// Tokens in a billion.
const BILLION: f64 = 1e9;

/// Returns the cost in dollars of a billion tokens of the scenario's run, including checkpoints and
/// failures, as if memory were no limit. Infinite if the run makes no progress.
///
/// ```
/// # use analysis::cost::per_billion_tokens;
/// # use catalog::default_scenario;
/// let mut scenario = default_scenario();
/// let before = per_billion_tokens(&scenario);
/// scenario.run.price_per_gpu_hour *= 2.0;
/// assert!((per_billion_tokens(&scenario) / before - 2.0).abs() < 1e-12);
/// ```
pub fn per_billion_tokens(scenario: &Scenario) -> f64 {
    scenario.run_report().cost.get() / scenario.train_tokens() * BILLION
}

//! Limits of each sharding strategy: the largest model and the longest sequence that fit.

use super::answer::Answer;
use super::search::last;
use engine::model::ladder::SIZES;
use engine::scenario::{Model, Scenario, Strategy};

/// The longest sequence searched, in tokens.
const LONGEST: u32 = 1 << 24;
/// The shortest sequence searched, in tokens.
const SHORTEST: u32 = 128;
/// Number of bisections of the model size, which end within 0.1 % of the smallest size.
const HALVINGS: u32 = 28;

/// The limits of one strategy, with all other parameters as in the scenario.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The strategy.
    pub strategy: Strategy,
    /// Answer to the scenario under this strategy.
    pub answer: Answer,
    /// The largest ladder model that fits, in nominal parameters; `None` if the smallest does not
    /// fit.
    pub largest_model: Option<f64>,
    /// Whether the largest model of the ladder fits, so that [`Reach::largest_model`] is only the
    /// end of the search.
    pub any_model: bool,
    /// The longest sequence that fits, in tokens; `None` if 128 tokens do not fit.
    pub longest_sequence: Option<u32>,
    /// Whether the longest sequence searched fits.
    pub any_sequence: bool,
}

/// Returns the limits of every strategy, in display order.
pub fn by_strategy(scenario: &Scenario) -> [Reach; Strategy::ALL.len()] {
    Strategy::ALL.map(|strategy| reach(&scenario.with_strategy(strategy)))
}

/// Returns the limits of the scenario's own strategy.
pub fn reach(scenario: &Scenario) -> Reach {
    let largest_model = largest_model(scenario);
    let longest_sequence = longest_sequence(scenario);
    Reach {
        strategy: scenario.strategy,
        answer: Answer::new(scenario, &scenario.report()),
        largest_model,
        any_model: largest_model == Some(SIZES.1),
        longest_sequence,
        any_sequence: longest_sequence == Some(LONGEST),
    }
}

/// Returns the largest ladder model that fits, in nominal parameters.
pub fn largest_model(scenario: &Scenario) -> Option<f64> {
    let mut left = HALVINGS;
    let middle = |low, high| {
        left = left.checked_sub(1)?;
        Some(0.5 * (low + high))
    };
    last(SIZES, middle, |size| scenario.with_model(Model::Ladder { size }).report().fits())
}

/// Returns the longest sequence that fits, in tokens.
pub fn longest_sequence(scenario: &Scenario) -> Option<u32> {
    let middle = |low, high| (high - low > 1).then(|| u32::midpoint(low, high));
    last((SHORTEST, LONGEST), middle, |seq_len| Scenario { seq_len, ..*scenario }.report().fits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_fits_and_a_little_more_does_not() {
        for reach in by_strategy(&catalog::default_scenario()) {
            let scenario = catalog::default_scenario().with_strategy(reach.strategy);
            let fits = |size| scenario.with_model(Model::Ladder { size }).report().fits();
            if let Some(size) = reach.largest_model.filter(|_| !reach.any_model) {
                assert!(fits(size) && !fits(1.05 * size), "{reach:?}");
            }
            if let Some(seq_len) = reach.longest_sequence.filter(|_| !reach.any_sequence) {
                assert!(Scenario { seq_len, ..scenario }.report().fits());
                assert!(!Scenario { seq_len: seq_len + 1, ..scenario }.report().fits());
            }
        }
    }
}

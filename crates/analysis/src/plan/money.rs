//! Days against price: the Pareto front, and the price at which two runs cost the same.

use super::{FastestLayout, Plan};

impl Plan {
    /// Whether the price of a run is known, from a list or from the scenario.
    pub fn has_price(&self, found: &FastestLayout) -> bool {
        let price = self.hardware().get(found.hardware).and_then(|hardware| hardware.price);
        price.is_some() && found.dollars().is_finite()
    }

    /// Returns the priced runs that no other run beats in both time and price, the fastest first
    /// (the Pareto front of days and dollars).
    pub fn front(&self) -> Vec<&FastestLayout> {
        let mut runs: Vec<&FastestLayout> = self.found().iter().filter(|found| self.has_price(found)).collect();
        let by_days_then_dollars = |one: &&FastestLayout, other: &&FastestLayout| {
            one.days().total_cmp(&other.days()).then(one.dollars().total_cmp(&other.dollars()))
        };
        runs.sort_by(by_days_then_dollars);
        let mut cheapest = f64::INFINITY;
        runs.retain(|found| {
            let is_cheaper = found.dollars() < cheapest;
            cheapest = cheapest.min(found.dollars());
            is_cheaper
        });
        runs
    }
}

/// Returns the price of a GPU-hour, in US dollars, below which `other` costs less than `one` at its
/// own price: `cost_one / GPU-hours_other`. `None` if either run never ends.
pub fn break_even(one: &FastestLayout, other: &FastestLayout) -> Option<f64> {
    let price = one.dollars() / other.run.gpu_time.hours();
    (price.is_finite() && price > 0.0).then_some(price)
}

/// Returns by how much the price of a GPU-hour of `other` may exceed that of `one` before `other`
/// costs more in total; negative if it must be lower.
pub fn premium(one: &FastestLayout, other: &FastestLayout) -> Option<f64> {
    Some(break_even(one, other)? - one.scenario.run.price_per_gpu_hour)
}

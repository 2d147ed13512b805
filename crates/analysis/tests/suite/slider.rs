//! Sliders of sizes, whose published members are models of their own.

use analysis::sweep;
use catalog::MODELS;
use engine::params::{ParamId, scale};
use engine::scenario::Scenario;

/// A slider that moves to a published size moves on from there.
#[test]
fn the_slider_is_never_stuck() {
    let number = ParamId::ModelSize.number().unwrap();
    for entry in MODELS {
        let mut scenario = Scenario { model: entry.pick(), ..catalog::default_scenario() };
        for way in [1, -1] {
            loop {
                let bounded = number.within(&scenario);
                let from = scenario.model.size();
                let Some(next) = scale::slider_index(&bounded, from)
                    .checked_add_signed(way)
                    .filter(|next| *next <= scale::slider_steps(&bounded))
                else {
                    break;
                };
                sweep::slide(&mut scenario, number, next);
                assert!(
                    f64::from(way) * (scenario.model.size() - from) > 0.0,
                    "{}: {} after {from}",
                    entry.id,
                    scenario.model.size()
                );
            }
        }
    }
}

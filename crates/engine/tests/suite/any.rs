//! Random valid scenarios, generated from the catalog and the table of parameters: a new row is
//! tested at once.

use catalog::pick::{pick_accelerator, pick_cluster, pick_model};
use catalog::{ACCELERATORS, CLUSTERS, MODELS};
use engine::params::{Kind, Param, Scale, every};
use engine::scenario::{CUSTOM, Scenario};
use proptest::prelude::*;

/// A scenario with a cluster, sometimes another accelerator and model of the catalog, and some
/// parameters moved.
pub(crate) fn any_scenario() -> impl Strategy<Value = Scenario> {
    let moves = proptest::collection::vec((0..every().count(), 0.0..=1.0_f64), 0..20);
    (0..CLUSTERS.len(), 0..ACCELERATORS.len() * 2, 0..MODELS.len() * 2, moves).prop_map(
        |(cluster, accelerator, model, moves)| {
            let mut scenario = catalog::default_scenario();
            pick_cluster(&mut scenario, CLUSTERS[cluster].id);
            if let Some(entry) = ACCELERATORS.get(accelerator) {
                pick_accelerator(&mut scenario, entry.id);
            }
            if let Some(entry) = MODELS.get(model) {
                pick_model(&mut scenario, entry.id);
            } else if model % 2 == 0 {
                pick_model(&mut scenario, CUSTOM);
            }
            for (index, share) in moves {
                if let Some(param) = every().nth(index) {
                    move_to(&mut scenario, param, share);
                }
            }
            scenario
        },
    )
}

fn move_to(scenario: &mut Scenario, param: &Param, share: f64) {
    match param.kind {
        Kind::Number(number) => {
            let value = match number.scale {
                Scale::Linear => number.min + share * (number.max - number.min),
                Scale::Log | Scale::PowersOfTwo => number.min * (number.max / number.min).powf(share),
            };
            let value = if number.integer { value.round() } else { value };
            (number.set)(scenario, value.clamp(number.min, number.max));
        }
        Kind::Choice(choice) => (choice.set)(scenario, (share * choice.options.len() as f64) as usize),
    }
}

//! Random valid scenarios, generated from the catalog and the table of parameters: a new row is
//! tested at once.

use catalog::pick::{pick_accelerator, pick_cluster, pick_model};
use catalog::{ACCELERATORS, CLUSTERS, MODELS};
use engine::params::{Param, ParamKind, Scale, every};
use engine::scenario::{CUSTOM, Scenario};
use proptest::prelude::*;

/// Keys that formulas combine and that rarely meet among all parameters: adapters with tiled MLPs,
/// lists of texts, accumulation.
const TOGETHER: [&str; 9] = ["train", "targets", "tiledmlp", "recompute", "texts", "meanlen", "seq", "mbs", "accum"];

/// A scenario with a cluster, sometimes another accelerator and model of the catalog, some
/// parameters moved, and often some of [`TOGETHER`].
pub(crate) fn any_scenario() -> impl Strategy<Value = Scenario> {
    let together = every().enumerate().filter(|(_, param)| TOGETHER.contains(&param.key));
    let together: Vec<usize> = together.map(|(index, _)| index).collect();
    assert_eq!(together.len(), TOGETHER.len(), "a key of TOGETHER is no parameter");
    let any_key = || 0..every().count();
    let keys = prop_oneof![3 => any_key(), 1 => proptest::sample::select(together)];
    let moves = proptest::collection::vec((keys, 0.0..=1.0_f64), 0..24);
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
        ParamKind::Number(number) => {
            let value = match number.scale {
                Scale::Linear => number.min + share * (number.max - number.min),
                Scale::Log | Scale::PowersOfTwo => number.min * (number.max / number.min).powf(share),
            };
            let value = if number.integer { value.round() } else { value };
            (number.set)(scenario, value.clamp(number.min, number.max));
        }
        ParamKind::Choice(choice) => (choice.set)(scenario, (share * choice.options.len() as f64) as usize),
    }
}

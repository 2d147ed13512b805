//! Sets one value of a scenario, as a control of the page does.

use super::release::apply;
use super::spelling;
use super::v1::{self, unknown_key};
use catalog::pick::{pick_accelerator, pick_cluster, pick_model};
use catalog::releases;
use engine::nearest::did_you_mean;
use engine::params::quantity::shorten;
use engine::params::{self, ParamId};
use engine::scenario::Scenario;
use engine::scenario::issue::{Cause, Issue};

/// Sets a value of a scenario under a key of links. Returns the issue if the value is wrong.
pub fn put(scenario: &mut Scenario, key: &str, typed: &str) -> Option<Issue> {
    let is_known = match key {
        v1::CLUSTER_KEY => pick_cluster(scenario, typed),
        v1::GPU_KEY => pick_accelerator(scenario, typed),
        v1::MODEL_KEY => pick_model(scenario, typed),
        v1::RELEASE_KEY => {
            let Some(release) = releases::find(typed) else { return Some(v1::no_release(typed)) };
            let chosen = *scenario;
            apply(release, scenario, &chosen);
            return None;
        }
        v1::NODES_KEY | v1::BATCH_KEY => return v1::set_following(scenario, key, typed, None),
        // The version and the revision only affect the reading of a link, and set no value.
        v1::VERSION_KEY | v1::REVISION_KEY => return None,
        _ => {
            return match params::find(key) {
                Some(param) if !params::is_held(param, scenario) && param.id != ParamId::ModelSize => {
                    let message = format!(
                        "“{}” describes a custom model, which a link marks with model=custom. It was left out.",
                        shorten(&format!("{key}={typed}"))
                    );
                    Some(Issue::note(param.id, message).because(Cause::LeftOut))
                }
                Some(param) => v1::set(param, typed, scenario),
                None => Some(unknown_key(key, typed)),
            };
        }
    };
    let near = did_you_mean(&spelling::values_near(key, typed));
    let message = || format!("The catalog has no {key} “{}”.{near}", shorten(typed));
    (!is_known).then(|| Issue::error(known_key(key), message()).because(Cause::UnknownName))
}

/// Returns the key of a catalog choice (cluster, GPU or model) as a static text.
fn known_key(key: &str) -> &'static str {
    [v1::CLUSTER_KEY, v1::GPU_KEY].into_iter().find(|own| *own == key).unwrap_or(v1::MODEL_KEY)
}

//! Sets one value of a scenario, as a control of the page does.

use super::release::{apply, no_release};
use super::values::set_by_key;
use super::{following, keys, spelling};
use catalog::pick::{pick_accelerator, pick_cluster, pick_model};
use catalog::releases;
use engine::nearest::did_you_mean;
use engine::params::quantity::shorten;
use engine::scenario::Scenario;
use engine::scenario::issue::{Cause, Issue};

/// Sets a value of a scenario under a key of links. Returns the issue if the value is wrong.
pub fn put(scenario: &mut Scenario, key: &str, typed: &str) -> Option<Issue> {
    let is_known = match key {
        keys::CLUSTER_KEY => pick_cluster(scenario, typed),
        keys::GPU_KEY => pick_accelerator(scenario, typed),
        keys::MODEL_KEY => pick_model(scenario, typed),
        keys::RELEASE_KEY => {
            let Some(release) = releases::find(typed) else { return Some(no_release(typed)) };
            let chosen = *scenario;
            apply(release, scenario, &chosen);
            return None;
        }
        keys::NODES_KEY | keys::BATCH_KEY => return following::set(scenario, key, typed, None),
        // The version and the revision only affect the reading of a link, and set no value.
        keys::VERSION_KEY | keys::REVISION_KEY => return None,
        _ => return set_by_key(scenario, key, typed),
    };
    let near = did_you_mean(&spelling::values_near(key, typed));
    let message = || format!("The catalog has no {key} “{}”.{near}", shorten(typed));
    (!is_known).then(|| Issue::error(known_key(key), message()).because(Cause::UnknownName))
}

/// Returns the key of a catalog choice (cluster, GPU or model) as a static text.
fn known_key(key: &str) -> &'static str {
    [keys::CLUSTER_KEY, keys::GPU_KEY].into_iter().find(|own| *own == key).unwrap_or(keys::MODEL_KEY)
}

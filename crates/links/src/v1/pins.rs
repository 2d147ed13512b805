//! Scenarios pinned in a link, written as differences from the scenario on screen unless a whole
//! link is shorter and has fewer pairs.

use super::read::{check_versions, read_scenario};
use super::write::{model_key, value_text, write};
use crate::keys::{CLUSTER_KEY, GPU_KEY, MODEL_KEY, SCALE_KEY, VERSION_KEY, is_key};
use crate::pairs::Pairs;
use engine::params::quantity::text;
use engine::params::{self, Unit, is_held};
use engine::scenario::Scenario;
use engine::scenario::issue::{Issue, Severity};

/// Reads a pinned scenario from its own pairs and those of the scenario on screen. Returns `None`,
/// with the reason in `issues`, if a part of it cannot be read.
pub(crate) fn read_pin(screen: &Pairs, mut own: Pairs, issues: &mut Vec<Issue>) -> Option<Scenario> {
    let keys: Vec<String> = own.pairs.iter().map(|(key, _)| key.clone()).collect();
    let is_own = |key: &str| keys.iter().any(|own| own == key);
    if !is_own(VERSION_KEY) {
        let kept = screen.pairs.iter().filter(|(key, _)| is_key(key) && !is_own(key));
        own.pairs.splice(0..0, kept.cloned());
    }
    let mut found = Vec::new();
    check_versions(&own, &mut found);
    let scenario = read_scenario(&own, &mut found);
    found.append(&mut own.issues);
    // A pair of the scenario on screen that does not apply to the pin is not a mistake.
    found.retain(|issue| issue.severity == Severity::Error || issue.key.is_none_or(is_own));
    if let Some(error) = found.iter().position(|issue| issue.severity == Severity::Error) {
        issues.push(found.swap_remove(error));
        return None;
    }
    issues.append(&mut found);
    Some(scenario)
}

/// Returns the pairs of a pinned scenario: the differences from the scenario on screen, or a
/// complete link if that is shorter and has fewer pairs, or if the differences cannot express the
/// pin. With equally many pairs the differences are preferred, as they are informative: `gpus=64`
/// shows the difference, `v=1` does not.
pub(crate) fn write_pin(screen: &Scenario, pin: &Scenario) -> Vec<(&'static str, String)> {
    let (beside, whole) = (write(screen), write(pin));
    let value = |pairs: &[(&str, String)], key: &str| {
        pairs.iter().find(|(found, _)| *found == key).map(|(_, value)| value.clone())
    };
    let mut changes: Vec<_> =
        whole.iter().filter(|(key, own)| value(&beside, key).as_ref() != Some(own)).cloned().collect();
    for (key, _) in beside.iter().filter(|(key, _)| value(&whole, key).is_none()) {
        changes.extend(unsaid(key, pin).map(|value| (*key, value)));
    }
    let pairs = |pairs: &[(&str, String)]| Pairs {
        pairs: pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
        issues: Vec::new(),
    };
    let length = |pairs: &[(&str, String)]| pairs.iter().map(|(key, value)| key.len() + value.len() + 2).sum::<usize>();
    let shorter = length(&changes) < length(&whole) || changes.len() <= whole.len();
    let mut issues = Vec::new();
    let same = shorter && read_pin(&pairs(&beside), pairs(&changes), &mut issues) == Some(*pin);
    if same && issues.is_empty() { changes } else { whole }
}

/// Returns the value of a key that a complete link of the scenario omits because it is the default.
fn unsaid(key: &str, pin: &Scenario) -> Option<String> {
    match key {
        CLUSTER_KEY => Some(pin.network.id.to_owned()),
        GPU_KEY => Some(pin.accelerator.id.to_owned()),
        MODEL_KEY => Some(model_key(pin).to_owned()),
        SCALE_KEY => (!pin.model.is_on_ladder()).then(|| text(Unit::Params, pin.model.size())),
        _ => params::find(key).filter(|param| is_held(param, pin)).map(|param| value_text(param, pin)),
    }
}

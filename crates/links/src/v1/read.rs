//! Converts pairs to a scenario.

use super::{CUSTOM_SHAPE, REQUIRED_OF_A_SHAPE, VERSION, start, with_derived_heads};
use crate::following;
use crate::keys::{
    BATCH_KEY, BLOCKS_KEY, CLUSTER_KEY, GENERATION_KEY, GPU_KEY, MODEL_KEY, NODES_KEY, OWN_KEYS, RELEASE_KEY,
    REVISION_KEY, SCALE_KEY, VERSION_KEY, is_key,
};
use crate::pairs::{MOST_ISSUES, Pairs, not_a_key, stray, unknown_key};
use crate::release::{apply, no_release};
use crate::spelling;
use crate::values::{of_custom_model, set_held};
use catalog::names::refusal;
use catalog::pick::{LADDER, pick_accelerator, pick_cluster, pick_model};
use catalog::releases;
use catalog::revisions::{FIRST_REVISION, REVISIONS, Revised};
use engine::model::hardware::Generation;
use engine::nearest::did_you_mean;
use engine::params::quantity::{parse, shorten, with_unit};
use engine::params::{self, Param, ParamId, every, is_held};
use engine::scenario::issue::{Cause, Issue, Severity};
use engine::scenario::layers::read_layers;
use engine::scenario::{CUSTOM, Model, Scenario};

/// Adds a sentence if the page does not know the link's version or revision.
pub(crate) fn check_versions(pairs: &Pairs, issues: &mut Vec<Issue>) {
    let unknown = |key: &str, newest: u32| {
        let typed = pairs.value(key)?;
        let known = typed.parse().is_ok_and(|number: u32| (1..=newest).contains(&number));
        (!known).then(|| shorten(typed))
    };
    if let Some(version) = unknown(VERSION_KEY, VERSION) {
        let issue = stray(Severity::Error, format!("The link has the unknown version “{version}”."));
        issues.push(issue.instead(format!("Its keys of version {VERSION} were read.")));
    }
    if let Some(revision) = unknown(REVISION_KEY, catalog::REVISION) {
        let newest = catalog::REVISION;
        let message =
            format!("The link was made with the unknown revision “{revision}” of the catalog: the newest is {newest}.");
        let issue = stray(Severity::Error, message);
        issues.push(issue.instead(format!("Revision {newest} was used, whose values may differ.")));
    }
}

/// Reads a scenario from pairs, with an issue for each pair that could not be read.
pub(crate) fn read_scenario(pairs: &Pairs, issues: &mut Vec<Issue>) -> Scenario {
    let mut scenario = start();
    presets(pairs, &mut scenario, issues);
    if let Some(typed) = pairs.value(RELEASE_KEY) {
        issues.extend(set_release(typed, pairs, &mut scenario));
    }
    for param in every() {
        let Some(typed) = pairs.value(param.key) else { continue };
        if is_held(param, &scenario) {
            issues.extend(set_held(param, typed, &mut scenario));
        } else {
            issues.push(not_held(param, typed));
        }
        if matches!(param.id, ParamId::AttentionHeads | ParamId::HiddenSize) {
            derive_heads(&mut scenario);
        }
    }
    if let Some(typed) = pairs.value(BLOCKS_KEY) {
        issues.extend(set_blocks(typed, &mut scenario));
    }
    if let Some(typed) = pairs.value(SCALE_KEY) {
        issues.extend(scaled(typed, &mut scenario));
    }
    for key in [NODES_KEY, BATCH_KEY] {
        if let Some(typed) = pairs.value(key) {
            let other = following::key_of(key);
            let said = pairs.value(other).map(|value| (other, value));
            issues.extend(following::set(&mut scenario, key, typed, said));
        }
    }
    issues.extend(unknown(pairs));
    issues.extend(ambiguous(pairs));
    scenario
}

/// Scales the model along its family.
fn scaled(typed: &str, scenario: &mut Scenario) -> Option<Issue> {
    if scenario.model.is_on_ladder() {
        let message = format!(
            "“{SCALE_KEY}={}” scales a named model, but the link has none: “size” sets the size of a GPT-style model.",
            shorten(typed)
        );
        return Some(Issue::note(SCALE_KEY, message).left_out());
    }
    let size = ParamId::ModelSize;
    let number = size.number()?.within(scenario);
    let (value, issue) = match parse(size.param().label, &number, typed, (number.get)(scenario)) {
        Ok(value) => (value, None),
        Err(error) => {
            let used = with_unit(number.unit, error.nearest);
            (error.nearest, Some(Issue::error(SCALE_KEY, error.message).uses(used)))
        }
    };
    scenario.model = scenario.model.resized(value);
    issue
}

/// Restores the data sheets of the picked entries at a revision, newest correction first.
fn restore(scenario: &mut Scenario, corrections: &[Revised], revision: u32) {
    for corrected in corrections.iter().rev().filter(|corrected| corrected.revision > revision) {
        let picked = if corrected.table == CLUSTER_KEY { scenario.network.id } else { scenario.accelerator.id };
        if picked == corrected.id
            && let Some(number) = params::find(corrected.key).and_then(Param::number)
        {
            (number.set)(scenario, corrected.old);
        }
    }
}

/// Sets cluster, GPU and model, each with the data sheets of the link's revision.
fn presets(pairs: &Pairs, scenario: &mut Scenario, issues: &mut Vec<Issue>) {
    let picked = |key: &str| pairs.value(key).map(str::to_ascii_lowercase);
    if let Some(id) = picked(CLUSTER_KEY)
        && !pick_cluster(scenario, &id)
    {
        let used = catalog::cluster(scenario.network.id).map_or(scenario.network.id, |entry| entry.name);
        issues.push(no_preset(CLUSTER_KEY, "cluster", &id, used));
    }
    let revision = revision(pairs);
    // This must happen before a custom GPU takes over the sheet.
    restore(scenario, REVISIONS, revision);
    if let Some(id) = picked(GPU_KEY)
        && !pick_accelerator(scenario, &id)
    {
        let used = catalog::accelerator(scenario.accelerator.id).map_or(scenario.accelerator.id, |entry| entry.name);
        issues.push(no_preset(GPU_KEY, "GPU", &id, used));
    }
    if let Some(name) = picked(GENERATION_KEY) {
        issues.extend(set_generation(scenario, &name));
    }
    match picked(MODEL_KEY).as_deref() {
        None | Some(LADDER) => {}
        Some(CUSTOM) => {
            scenario.model = Model::Custom { architecture: CUSTOM_SHAPE };
            let missing =
                REQUIRED_OF_A_SHAPE.into_iter().map(ParamId::param).filter(|param| pairs.value(param.key).is_none());
            issues.extend(missing.map(|param| incomplete(param, scenario)));
        }
        Some(id) => {
            if !pick_model(scenario, id) {
                issues.push(no_preset(MODEL_KEY, "model", id, "a GPT-style model of the given size"));
            }
        }
    }
    restore(scenario, REVISIONS, revision);
}

/// Returns the revision of the data sheets that a link fixes: the one in the link, or today's for a
/// text without a version.
fn revision(pairs: &Pairs) -> u32 {
    let said = pairs.value(REVISION_KEY).and_then(|revision| revision.parse().ok());
    let of_a_link = pairs.value(VERSION_KEY).map_or(catalog::REVISION, |_| FIRST_REVISION);
    said.unwrap_or(of_a_link)
}

/// Applies the settings of a program's release; those that depend on choices use the choices of the
/// link.
fn set_release(typed: &str, pairs: &Pairs, scenario: &mut Scenario) -> Option<Issue> {
    let Some(release) = releases::find(typed) else { return Some(no_release(typed)) };
    let mut chosen = *scenario;
    apply(release, &mut chosen, scenario);
    for param in every().filter(|param| is_held(param, scenario)) {
        if let Some(typed) = pairs.value(param.key) {
            // Issues with this value are reported where the value applies.
            let _ = set_held(param, typed, &mut chosen);
        }
    }
    apply(release, scenario, &chosen);
    None
}

/// Sets the generation of a custom GPU.
fn set_generation(scenario: &mut Scenario, name: &str) -> Option<Issue> {
    let accelerator = &mut scenario.accelerator;
    if accelerator.id != CUSTOM {
        let message =
            format!("“{GENERATION_KEY}={}” describes a custom GPU, which a link marks with gpu=custom.", shorten(name));
        return Some(Issue::note(GENERATION_KEY, message).left_out());
    }
    if let Some(generation) = Generation::ALL.iter().find(|known| known.link() == name) {
        accelerator.values.generation = *generation;
        return None;
    }
    let used = accelerator.values.generation.link();
    Some(no_preset(GENERATION_KEY, "generation of GPUs", name, used))
}

/// Sets the layers of a custom model as a list.
fn set_blocks(typed: &str, scenario: &mut Scenario) -> Option<Issue> {
    let Model::Custom { architecture } = &mut scenario.model else {
        return Some(of_custom_model(BLOCKS_KEY, &format!("{BLOCKS_KEY}={}", shorten(typed))));
    };
    match read_layers(&typed.to_ascii_lowercase()) {
        Ok(pattern) => {
            architecture.pattern = pattern;
            None
        }
        Err(error) => Some(Issue::error(BLOCKS_KEY, error).uses("No list")),
    }
}

/// Derives heads whose number or width the link omits; their rows come later in the table.
fn derive_heads(scenario: &mut Scenario) {
    if let Model::Custom { architecture } = &mut scenario.model {
        *architecture = with_derived_heads(*architecture);
    }
}

fn no_preset(key: &'static str, what: &str, id: &str, used: &str) -> Issue {
    let message = if let Some(says) = refusal(id).filter(|_| key == MODEL_KEY) {
        format!("“{}” {says}", shorten(id))
    } else {
        let near = did_you_mean(&spelling::values_near(key, id));
        format!("The catalog has no {what} “{}”.{near}", shorten(id))
    };
    Issue::error(key, message).uses(used).because(Cause::UnknownName)
}

fn incomplete(param: &Param, scenario: &Scenario) -> Issue {
    let used = param.number().map(|number| with_unit(number.unit, (number.get)(scenario))).unwrap_or_default();
    let message = format!("The link's custom model lacks “{}”: the link may be incomplete.", param.key);
    Issue::error(param.key, message).uses(used)
}

fn not_held(param: &Param, typed: &str) -> Issue {
    let key = param.key;
    let given = shorten(typed);
    if param.id != ParamId::ModelSize {
        return of_custom_model(key, &format!("{key}={given}"));
    }
    let message = format!("“{key}={given}” has no effect on a named model, whose size follows from its shape.");
    Issue::note(key, message).left_out()
}

/// Returns an issue for each unknown key, with suggestions for as many as are listed.
fn unknown(pairs: &Pairs) -> impl Iterator<Item = Issue> {
    let unknown = pairs.pairs.iter().filter(|(key, _)| !is_key(key)).enumerate();
    unknown.map(
        |(place, (key, value))| {
            if place < MOST_ISSUES { unknown_key(key, value) } else { not_a_key(key, value, "") }
        },
    )
}

/// Returns an issue for each key with several values.
fn ambiguous(pairs: &Pairs) -> impl Iterator<Item = Issue> {
    let keys = every().map(|param| param.key).chain(OWN_KEYS);
    keys.filter(|key| pairs.is_ambiguous(key)).map(|key| {
        let last = shorten(pairs.value(key).unwrap_or_default());
        Issue::error(key, format!("{key} is given more than once, with different values."))
            .instead(format!("The last one, “{last}”, counts."))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sheet that was corrected twice: a link keeps the sheet of its revision, and an edited
    /// value stays.
    #[test]
    fn corrections_are_taken_back_to_the_revision_of_a_link() {
        let corrected = |revision, old| Revised { revision, table: GPU_KEY, id: "b200", key: "hbm", old };
        let corrections = [corrected(8, 8000.0), corrected(9, 7700.0)];
        let at = |revision| {
            let mut scenario = start();
            assert!(pick_accelerator(&mut scenario, "b200"));
            restore(&mut scenario, &corrections, revision);
            scenario.accelerator.values.memory_bandwidth.get() / 1e9
        };
        assert_eq!([7, 8].map(at), [8000.0, 7700.0]);
        assert_eq!(at(9), at(10));
        let mut other = start();
        restore(&mut other, &corrections, FIRST_REVISION);
        assert_eq!(other, start());
    }
}

//! Applies the built-in settings of a program's release.

use std::borrow::Cow;

use super::keys::RELEASE_KEY;
use super::values::set_by_key;
use catalog::releases;
use engine::params::quantity::shorten;
use engine::params::{self, ParamId, ParamKind};
use engine::scenario::Scenario;
use engine::scenario::issue::{Cause, Issue, LEFT_OUT};
use engine::scenario::release::{Known, Release};

/// Applies the settings of a program's release, with those that depend on other choices by
/// `chosen`.
pub fn apply(release: &'static Release, scenario: &mut Scenario, chosen: &Scenario) {
    scenario.release = Some(Known(release));
    let mut set = |key: &str, value: &str| {
        // A test checks that links have all these keys.
        let _ = set_by_key(scenario, key, value);
    };
    set(ParamId::Framework.key(), release.framework);
    release.facts.iter().for_each(|(key, value)| set(key, value));
    apply_depending(release, scenario, chosen);
}

/// Applies only the settings that depend on other choices, for a program that runs below another
/// one.
pub fn apply_depending(release: &Release, scenario: &mut Scenario, chosen: &Scenario) {
    for (when, facts) in release.depending {
        if when.iter().all(|(key, value)| is_chosen(chosen, key, value)) {
            for (key, value) in *facts {
                let _ = set_by_key(scenario, key, value);
            }
        }
    }
}

/// Returns an issue that no program has the release.
pub(super) fn no_release(typed: &str) -> Issue {
    let mut programs: Vec<&str> = releases::RELEASES.iter().map(releases::Release::program_key).collect();
    programs.dedup();
    let message = format!(
        "“{}” is not a known release: give a program with a month, such as {}, or only the program for its newest \
         ({}).",
        shorten(typed),
        releases::RELEASES.last().map_or("", |release| release.id),
        programs.join(", ")
    );
    Issue::error(RELEASE_KEY, message).instead(LEFT_OUT).because(Cause::UnknownName)
}

/// Whether a scenario has an option or a count under a key of links, or one of several separated by
/// `|`; with a leading `!`, none of them.
fn is_chosen(scenario: &Scenario, key: &str, value: &str) -> bool {
    let Some(param) = params::find(key) else { return false };
    let is_sharded_alone = param.id == ParamId::Strategy && scenario.gpus == 1;
    let chosen = match param.kind {
        // On one GPU there is nothing to shard, and programs do not wrap the model in FSDP.
        ParamKind::Choice(_) if is_sharded_alone && !param.id.option(scenario).starts_with("zero") => {
            Cow::Borrowed("ddp")
        }
        ParamKind::Choice(_) => Cow::Borrowed(param.id.option(scenario)),
        ParamKind::Number(number) => Cow::Owned((number.get)(scenario).to_string()),
    };
    let (of, is_not) = value.strip_prefix('!').map_or((value, false), |rest| (rest, true));
    of.split('|').any(|any| any == chosen) != is_not
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;
    use catalog::releases::{GONE, RELEASES, newest};

    #[test]
    fn every_fact_is_one_that_links_know() {
        for release in RELEASES {
            let mut scenario = default_scenario();
            let facts = release.facts.iter().chain(release.depending.iter().flat_map(|(_, facts)| facts.iter()));
            for (key, value) in facts.chain(&[("framework", release.framework)]) {
                let issue = set_by_key(&mut scenario, key, value);
                assert!(issue.is_none(), "{}: {key} = {value}: {issue:?}", release.id);
            }
            // The condition of a fact must not be set by another conditional fact: it could not be
            // restored from the link.
            for (when, _) in release.depending {
                for (key, value) in *when {
                    assert!(release.depending.iter().all(|(_, facts)| facts.iter().all(|(own, _)| own != key)));
                    let param = params::find(key).unwrap_or_else(|| panic!("{}: {key}", release.id));
                    let is_known = |value: &str| match param.kind {
                        ParamKind::Choice(choice) => choice.options.iter().any(|option| option.key == value),
                        ParamKind::Number(_) => value.parse::<u32>().is_ok(),
                    };
                    let values = value.trim_start_matches('!');
                    assert!(values.split('|').all(is_known), "{}: {key} = {value}", release.id);
                }
            }
            assert!(release.says.ends_with('.') && release.source.contains('/'), "{}", release.id);
        }
        for gone in GONE {
            assert!(
                newest(gone.program.key()).is_some() && !gone.keys.is_empty() && gone.since.len() == 10,
                "{gone:?}"
            );
        }
        let mut ids: Vec<_> = RELEASES.iter().map(|release| release.id).collect();
        ids.dedup();
        assert!(ids.len() == RELEASES.len(), "two releases of a month");
    }
}

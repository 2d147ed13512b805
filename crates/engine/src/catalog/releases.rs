//! Releases of training programs: what each does by itself, and since when.
//!
//! The rows stand in the programs' own folders (`crates/files/programs/<program>/releases.toml`),
//! each with the file and the commit that brought it.

use std::borrow::Cow;

use crate::params::{self, Kind, ParamId};
use crate::scenario::{Id, Scenario};
use crate::share::put;

/// The release of a program.
#[derive(Debug)]
pub struct Release {
    /// The key in links: program and month, `torchtitan-2026-04`.
    pub id: Id,
    /// The program.
    pub program: &'static str,
    /// The key of the engine's framework that it runs.
    pub framework: &'static str,
    /// The day from which it holds, `2026-04-27`.
    pub since: &'static str,
    /// Its name: month and year, with the version where there is one.
    pub name: &'static str,
    /// What it changes.
    pub says: &'static str,
    /// Repository, file and commit.
    pub source: &'static str,
    /// What holds at it, under the keys of links.
    facts: &'static [(&'static str, &'static str)],
    /// What holds where other choices are so: those choices, and what follows.
    depending: &'static [(Facts, Facts)],
}

/// Choices under the keys of links.
type Facts = &'static [(&'static str, &'static str)];

/// All releases, the earliest of each program first.
pub static RELEASES: &[Release] = include!(concat!(env!("OUT_DIR"), "/releases.rs"));

/// Keys that a program knows no more: a file that has one was written for a release before.
#[derive(Debug)]
pub struct Gone {
    /// The key of the program, `torchtitan`.
    pub program: &'static str,
    /// The keys, as its files write them.
    pub keys: &'static [&'static str],
    /// The day from which it does not know them.
    pub since: &'static str,
    /// What took their place.
    pub says: &'static str,
}

/// All keys that went, those of a program by date.
pub static GONE: &[Gone] = include!(concat!(env!("OUT_DIR"), "/gone.rs"));

/// A release of the table, as a scenario has it.
#[derive(Clone, Copy, Debug)]
pub struct Known(pub &'static Release);

impl PartialEq for Known {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Release {
    /// Program and release, as people say them: "torchtitan, April 2026".
    pub fn full_name(&self) -> String {
        format!("{}, {}", self.program, self.name)
    }

    /// The key of the program: `torchtitan`.
    pub fn program_key(&self) -> &'static str {
        // Year and month follow it.
        self.id.get(..self.id.len().saturating_sub("-2026-04".len())).unwrap_or(self.id)
    }

    /// Sets what the program does by itself, where other choices are those of `chosen`.
    pub fn apply(&'static self, scenario: &mut Scenario, chosen: &Scenario) {
        scenario.release = Some(Known(self));
        let mut set = |key: &str, value: &str| {
            // A test holds that links know them all.
            let _ = put(scenario, key, value);
        };
        set(ParamId::Framework.key(), self.framework);
        self.facts.iter().for_each(|(key, value)| set(key, value));
        self.apply_depending(scenario, chosen);
    }

    /// Sets what depends on other choices alone: of a program that runs below another one.
    pub fn apply_depending(&self, scenario: &mut Scenario, chosen: &Scenario) {
        for (when, facts) in self.depending {
            if when.iter().all(|(key, value)| is_chosen(chosen, key, value)) {
                for (key, value) in *facts {
                    let _ = put(scenario, key, value);
                }
            }
        }
    }

    /// Whether the program may run on a framework, by its key: those of PyTorch run on its FSDP or
    /// on `DeepSpeed`.
    pub fn runs_on(&self, framework: &str) -> bool {
        const FAMILIES: [&[&str]; 2] =
            [&["pytorch", "transformers", "fsdp1", "deepspeed"], &["megatron", "megatron-fsdp", "megatron-legacy"]];
        let family = FAMILIES.iter().find(|family| family.contains(&self.framework));
        family.map_or(self.framework == framework, |family| family.contains(&framework))
    }

    /// What holds at it whatever else is chosen, under a key of links.
    pub fn fact(&self, id: ParamId) -> Option<&'static str> {
        self.facts.iter().find(|(key, _)| *key == id.key()).map(|(_, value)| *value)
    }

    /// Whether what it does depends on other choices.
    pub const fn depends(&self) -> bool {
        !self.depending.is_empty()
    }

    /// The release before it of the same program.
    pub fn before(&self) -> Option<&'static Self> {
        RELEASES.iter().rfind(|other| other.program == self.program && other.since < self.since)
    }

    /// The newest release of the same program.
    pub fn newest(&'static self) -> &'static Self {
        newest(self.program_key()).unwrap_or(self)
    }
}

/// Whether a scenario has an option or a count under a key of links, or one of several with `|`
/// between; with `!` before them, none of them.
fn is_chosen(scenario: &Scenario, key: &str, value: &str) -> bool {
    let Some(param) = params::find(key) else { return false };
    let is_sharded_alone = param.id == ParamId::Strategy && scenario.gpus == 1;
    let chosen = match param.kind {
        // On one GPU there is nothing to shard, and programs leave FSDP out.
        Kind::Choice(_) if is_sharded_alone && !param.id.option(scenario).starts_with("zero") => Cow::Borrowed("ddp"),
        Kind::Choice(_) => Cow::Borrowed(param.id.option(scenario)),
        Kind::Number(number) => Cow::Owned((number.get)(scenario).to_string()),
    };
    let (of, is_not) = value.strip_prefix('!').map_or((value, false), |rest| (rest, true));
    of.split('|').any(|any| any == chosen) != is_not
}

/// The release of a text: its key, a program alone for its newest, or a program with a month or a
/// day, at which the last one before it holds.
///
/// ```
/// use engine::catalog::releases::find;
///
/// assert_eq!(find("torchtitan-2025-12").unwrap().id, "torchtitan-2025-07");
/// assert_eq!(find("torchtitan").unwrap().id, find("torchtitan-2099-01").unwrap().id);
/// assert!(find("torchtitan-1999-01").is_none() && find("nothing").is_none());
/// ```
pub fn find(text: &str) -> Option<&'static Release> {
    let text = text.trim().to_ascii_lowercase().replace([' ', '_', '@'], "-");
    if let Some(newest) = newest(&text) {
        return Some(newest);
    }
    let of_program = |release: &&Release| {
        let date = text.strip_prefix(release.program_key()).and_then(|rest| rest.strip_prefix('-'));
        let is_date = |date: &str| date.len() >= 4 && date.chars().all(|sign| sign.is_ascii_digit() || sign == '-');
        // A month holds to its end, a year to its own.
        date.is_some_and(|date| is_date(date) && release.since.get(..date.len()).unwrap_or(release.since) <= date)
    };
    RELEASES.iter().rfind(of_program)
}

/// All releases, the newest of each program first.
pub fn newest_first() -> impl Iterator<Item = &'static Release> {
    let groups = RELEASES.chunk_by(|one, other| one.program == other.program);
    groups.flat_map(|releases| releases.iter().rev())
}

/// The last release of a program that came before a day; its first where none did.
pub fn before(program: &str, day: &str) -> Option<&'static Release> {
    let of_program = || RELEASES.iter().filter(|release| release.program_key() == program);
    of_program().rfind(|release| release.since < day).or_else(|| of_program().next())
}

/// The newest release of a program by its key.
pub fn newest(program: &str) -> Option<&'static Release> {
    RELEASES.iter().rfind(|release| release.program_key() == program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::default_scenario;

    #[test]
    fn every_fact_is_one_that_links_know() {
        for release in RELEASES {
            let mut scenario = default_scenario();
            let facts = release.facts.iter().chain(release.depending.iter().flat_map(|(_, facts)| facts.iter()));
            for (key, value) in facts.chain(&[("framework", release.framework)]) {
                let issue = put(&mut scenario, key, value);
                assert!(issue.is_none(), "{}: {key} = {value}: {issue:?}", release.id);
            }
            // What a fact depends on is no such fact itself: it could not be told from the link.
            for (when, _) in release.depending {
                for (key, value) in *when {
                    assert!(release.depending.iter().all(|(_, facts)| facts.iter().all(|(own, _)| own != key)));
                    let param = params::find(key).unwrap_or_else(|| panic!("{}: {key}", release.id));
                    let is_known = |value: &str| match param.kind {
                        Kind::Choice(choice) => choice.options.iter().any(|option| option.key == value),
                        Kind::Number(_) => value.parse::<u32>().is_ok(),
                    };
                    let values = value.trim_start_matches('!');
                    assert!(values.split('|').all(is_known), "{}: {key} = {value}", release.id);
                }
            }
            assert!(release.says.ends_with('.') && release.source.contains('/'), "{}", release.id);
        }
        for gone in GONE {
            assert!(newest(gone.program).is_some() && !gone.keys.is_empty() && gone.since.len() == 10, "{gone:?}");
        }
        let mut ids: Vec<_> = RELEASES.iter().map(|release| release.id).collect();
        ids.dedup();
        assert!(ids.len() == RELEASES.len(), "two releases of a month");
    }
}

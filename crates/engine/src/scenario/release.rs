//! A release of a training program, whose defaults a scenario starts from.

use super::Id;

/// The release of a program.
#[derive(Debug)]
pub struct Release {
    /// The key in links: program and month, `torchtitan-2026-04`.
    pub id: Id,
    /// The program.
    pub program: &'static str,
    /// The key of the engine's framework on which the program runs.
    pub framework: &'static str,
    /// The first day on which the release is current, `2026-04-27`.
    pub since: &'static str,
    /// The release's name: month and year, with the version if there is one.
    pub name: &'static str,
    /// The changes of the release.
    pub says: &'static str,
    /// Repository, file and commit.
    pub source: &'static str,
    /// The defaults of the release, under the keys of links.
    pub facts: Facts,
    /// Conditional defaults: choices, and the defaults that follow from them.
    pub depending: &'static [(Facts, Facts)],
}

/// Choices under the keys of links.
pub type Facts = &'static [(&'static str, &'static str)];

/// A release of the table, as referenced by a scenario.
#[derive(Clone, Copy, Debug)]
pub struct Known(pub &'static Release);

impl PartialEq for Known {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Release {
    /// Returns program and release for sentences: "torchtitan, April 2026".
    pub fn full_name(&self) -> String {
        format!("{}, {}", self.program, self.name)
    }

    /// Returns the key of the program: `torchtitan`.
    pub fn program_key(&self) -> &'static str {
        // Year and month follow the program.
        self.id.get(..self.id.len().saturating_sub("-2026-04".len())).unwrap_or(self.id)
    }

    /// Whether the program can run on a framework, by its key: programs on PyTorch run on its FSDP
    /// or on `DeepSpeed`.
    pub fn runs_on(&self, framework: &str) -> bool {
        const FAMILIES: [&[&str]; 2] =
            [&["pytorch", "transformers", "fsdp1", "deepspeed"], &["megatron", "megatron-fsdp", "megatron-legacy"]];
        let family = FAMILIES.iter().find(|family| family.contains(&self.framework));
        family.map_or(self.framework == framework, |family| family.contains(&framework))
    }

    /// Returns the unconditional default of the release for a key of links.
    pub fn fact(&self, key: &str) -> Option<&'static str> {
        self.facts.iter().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    /// Whether the release has conditional defaults.
    pub const fn depends(&self) -> bool {
        !self.depending.is_empty()
    }
}

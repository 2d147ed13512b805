//! A release of a training program, whose own settings a scenario starts from.

use super::Id;

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
    pub facts: Facts,
    /// What holds where other choices are so: those choices, and what follows.
    pub depending: &'static [(Facts, Facts)],
}

/// Choices under the keys of links.
pub type Facts = &'static [(&'static str, &'static str)];

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

    /// Whether the program may run on a framework, by its key: those of PyTorch run on its FSDP or
    /// on `DeepSpeed`.
    pub fn runs_on(&self, framework: &str) -> bool {
        const FAMILIES: [&[&str]; 2] =
            [&["pytorch", "transformers", "fsdp1", "deepspeed"], &["megatron", "megatron-fsdp", "megatron-legacy"]];
        let family = FAMILIES.iter().find(|family| family.contains(&self.framework));
        family.map_or(self.framework == framework, |family| family.contains(&framework))
    }

    /// What holds at it whatever else is chosen, under a key of links.
    pub fn fact(&self, key: &str) -> Option<&'static str> {
        self.facts.iter().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    /// Whether what it does depends on other choices.
    pub const fn depends(&self) -> bool {
        !self.depending.is_empty()
    }
}

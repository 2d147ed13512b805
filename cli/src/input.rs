//! What a command is asked about: links, texts and files, and values set by hand.

use std::io::Read as _;
use std::path::Path;

use clap::Args;
use engine::catalog::default_scenario;
use engine::params;
use engine::scenario::Scenario;
use engine::scenario::issue::{Issue, Severity};
use engine::share;
use files::brought::{Brought, Item, bring};

use crate::table::lines;

/// A scenario, as it is named in the shell.
#[derive(Args)]
pub(crate) struct Input {
    /// A link, its fragment, a scenario in JSON, or files; `-` for standard input; nothing for the calculator's first scenario
    #[arg(value_name = "INPUT")]
    inputs: Vec<String>,
    /// A value of the scenario, as in a link: --set gpus=256 --set seq=32k
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

/// A scenario with what was said while it was read.
pub(crate) struct Read {
    /// The scenario.
    pub(crate) scenario: Scenario,
    /// What came, where files did.
    pub(crate) said: String,
    /// What is wrong with it.
    pub(crate) issues: Vec<Issue>,
}

/// Standard input, as an argument.
const STANDARD: &str = "-";

impl Input {
    /// Reads the scenario.
    pub(crate) fn read(&self) -> Result<Read, String> {
        let (mut scenario, mut issues, items) = self.parts()?;
        let mut said = String::new();
        if !items.is_empty() {
            let brought = bring(&items, &scenario)?;
            let decoded = share::decode(&brought.scenario);
            scenario = decoded.scenario;
            issues.extend(decoded.issues);
            said = brought.said;
        }
        self.set(&mut scenario, &mut issues)?;
        issues.extend(params::issues(&scenario));
        Ok(Read { scenario, said, issues })
    }

    /// Reads the files, for the scenario of the texts and of the values that are set.
    pub(crate) fn bring(&self) -> Result<Brought, String> {
        let (mut scenario, mut issues, items) = self.parts()?;
        self.set(&mut scenario, &mut issues)?;
        if let Some(issue) = issues.into_iter().find(|issue| issue.severity == Severity::Error) {
            return Err(issue.message);
        }
        bring(&items, &scenario)
    }

    /// The paths among the inputs.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().map(String::as_str).filter(|input| Path::new(input).is_file())
    }

    /// The path of a file of this name.
    pub(crate) fn path_of(&self, name: &str) -> Option<&Path> {
        self.inputs.iter().map(Path::new).find(|path| path.file_name().is_some_and(|own| own == name))
    }

    /// The scenario of the texts, what is wrong with it, and the files.
    fn parts(&self) -> Result<(Scenario, Vec<Issue>, Vec<Item>), String> {
        let mut scenario = default_scenario();
        let (mut issues, mut items) = (Vec::new(), Vec::new());
        for input in &self.inputs {
            if let Some(item) = item(input)? {
                items.push(item);
            } else {
                let decoded = share::decode(input);
                scenario = decoded.scenario;
                issues.extend(decoded.issues);
            }
        }
        Ok((scenario, issues, items))
    }

    /// Sets what was set by hand, entries of the catalog first.
    fn set(&self, scenario: &mut Scenario, issues: &mut Vec<Issue>) -> Result<(), String> {
        let mut pairs = Vec::with_capacity(self.set.len());
        for pair in &self.set {
            let pair = pair.split_once('=').ok_or_else(|| format!("--set {pair}: write KEY=VALUE, as in gpus=256."))?;
            pairs.push(pair);
        }
        pairs.sort_by_key(|(key, _)| api::rank_of(key));
        issues.extend(pairs.into_iter().filter_map(|(key, value)| api::set(scenario, key, value)));
        Ok(())
    }
}

impl Read {
    /// What was said while it was read, a line each, for people.
    pub(crate) fn notes(&self) -> String {
        let issues = self.issues.iter().map(|issue| match issue.severity {
            Severity::Error => format!("Error: {}", issue.message),
            Severity::Note => format!("Note: {}", issue.message),
        });
        lines(Some(self.said.clone()).filter(|said| !said.is_empty()).into_iter().chain(issues))
    }

    /// Whether an answer about it is worth giving.
    pub(crate) fn is_valid(&self) -> bool {
        self.issues.iter().all(|issue| issue.severity == Severity::Note)
    }
}

/// What an input holds, where it is a file; nothing where it is the text of a scenario.
fn item(input: &str) -> Result<Option<Item>, String> {
    let path = Path::new(input);
    if input == STANDARD {
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|cause| format!("Standard input could not be read: {cause}."))?;
        Ok(Some(Item { name: None, bytes }))
    } else if path.is_file() {
        let bytes = std::fs::read(path).map_err(|cause| format!("{input} could not be read: {cause}."))?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Some(Item { name, bytes }))
    } else if input.is_empty() || input.contains(['=', '#']) || input.trim_start().starts_with('{') {
        Ok(None)
    } else {
        Err(format!("There is no file {input}, and it is neither a link nor a scenario in JSON."))
    }
}

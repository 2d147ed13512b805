//! Hardware that a machine prints about itself: `nvidia-smi`, the head of a table of nccl-tests.

use catalog::AcceleratorEntry;
use catalog::names::{gpu_assumed, gpu_named};
use catalog::pick::move_to_accelerator;
use engine::format;
use engine::scenario::Scenario;
use engine::units::Bytes;
use std::collections::BTreeSet;

use super::{Import, ImportKind};

/// GPUs of one kind.
#[derive(Clone, Copy)]
pub(super) struct Gpus {
    entry: &'static AcceleratorEntry,
    number: u32,
}

impl Gpus {
    /// Returns the scenario on these GPUs.
    pub(super) fn applied(self, scenario: &Scenario) -> Scenario {
        let mut scenario = *scenario;
        move_to_accelerator(&mut scenario, self.entry.id);
        scenario.gpus = self.number;
        scenario
    }

    /// Whether a scenario has these GPUs, however many.
    pub(super) fn are_of(self, scenario: &Scenario) -> bool {
        scenario.accelerator.id == self.entry.id
    }

    /// Returns the GPUs in words: `8 MI300X`.
    pub(super) fn named(self) -> String {
        format!("{} {}", self.number, self.entry.name)
    }
}

/// Returns the GPU of a name as drivers write it.
fn gpu(name: &str) -> Option<&'static AcceleratorEntry> {
    let name = name.trim().trim_end_matches("...");
    gpu_named(name).map(|found| found.entry).or_else(|| gpu_assumed(name))
}

/// Returns the GPUs of the ranks that a table of nccl-tests or rccl-tests lists (`# Rank  0 Group 0
/// Pid 41230 on node-01 device  0 [0000:05:00] AMD Instinct MI300X`); `None` if it lists none, or
/// one that the catalog lacks.
pub(super) fn of_table(text: &str) -> Option<Gpus> {
    let device = |line: &str| {
        let rest = line.split_once("Rank ")?.1;
        let name = rest.rsplit_once(']')?.1.trim().trim_start_matches("AMD Instinct").trim().to_owned();
        let place = rest.split_once(" on ")?.1.split(']').next()?.to_owned();
        (!name.is_empty()).then_some((place, name))
    };
    let ranks: BTreeSet<(String, String)> = text.lines().filter_map(device).collect();
    let (_, first) = ranks.first()?;
    let entry = gpu(first)?;
    ranks.iter().all(|(_, name)| name == first).then_some(Gpus { entry, number: ranks.len() as u32 })
}

/// Imports the table of `nvidia-smi`: its GPUs, and the memory that is taken on the fullest;
/// `None` if the text is no such table.
pub(super) fn import_nvidia_smi(text: &str, scenario: &Scenario) -> Option<Result<Import, String>> {
    if !text.contains("NVIDIA-SMI") || !text.contains("MiB /") {
        return None;
    }
    let (mut names, mut taken): (Vec<&str>, Vec<f64>) = (Vec::new(), Vec::new());
    for line in text.lines().map(|line| line.trim().trim_start_matches('|')) {
        let mut words = line.split_whitespace();
        let is_number = words.next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        let column = line.split('|').next().unwrap_or_default();
        if is_number && (column.contains("  On") || column.contains("  Off")) {
            let name = column.trim().trim_start_matches(|letter: char| letter.is_ascii_digit());
            names.push(name.trim().trim_end_matches("On").trim_end_matches("Off").trim());
        } else if let Some((used, _)) = line.split_once("MiB /") {
            taken.extend(used.split_whitespace().next_back().and_then(|used| used.parse::<f64>().ok()));
        }
    }
    let first = names.first()?;
    let Some(entry) = gpu(first) else {
        return Some(Err(format!("nvidia-smi names {first}, which the catalog lacks: give the GPU by hand (gpu=).")));
    };
    if names.iter().any(|name| name != first) {
        return Some(Err("nvidia-smi lists several kinds of GPUs: a run has one kind; give it by hand (gpu=).".into()));
    }
    let gpus = Gpus { entry, number: names.len() as u32 };
    let most = taken.iter().copied().fold(0.0, f64::max);
    let used = if most > 0.0 {
        format!(
            " At most {} are taken on one of them, needed and cache of what runs there together.",
            format::bytes(Bytes::from_gib(most / 1024.0))
        )
    } else {
        String::new()
    };
    let said = format!("nvidia-smi lists {}: the scenario has them now.{used}", gpus.named());
    Some(Ok(Import::new(ImportKind::Rates, links::encode(&gpus.applied(scenario)), said, String::new())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;

    #[test]
    fn a_table_names_its_gpus() {
        let text = "#  Rank  0 Group  0 Pid  1 on   n1 device  0 [0000:05:00] AMD Instinct MI300X\n\
                    #  Rank  1 Group  0 Pid  2 on   n1 device  1 [0000:15:00] AMD Instinct MI300X\n";
        assert_eq!(of_table(text).map(Gpus::named).as_deref(), Some("2 MI300X"));
        assert!(of_table("#  Rank  0 Pid 1 on n1 device 0 [0x1] Some Card").is_none());
    }

    #[test]
    fn nvidia_smi_sets_the_gpus_and_says_what_is_taken() {
        let row = |index: u32| {
            format!(
                "|   {index}  NVIDIA A100-SXM4-80GB          On  |   00000000:01:00.0 Off |                    0 |\n\
                 | N/A   62C    P0            341W /  400W |   71243MiB /  81920MiB |    100%      Default |\n"
            )
        };
        let text = format!("| NVIDIA-SMI 560.35.03   CUDA Version: 12.6 |\n{}{}", row(0), row(1));
        let import = import_nvidia_smi(&text, &default_scenario()).unwrap().unwrap();
        let scenario = ::links::decode(&import.scenario).scenario;
        assert_eq!((scenario.accelerator.id, scenario.gpus), ("a100-80gb", 2));
        assert!(import.said.contains("69.6"), "{}", import.said);
    }
}

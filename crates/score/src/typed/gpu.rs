//! Parses GPU names: `A100-SXM4-80GB (Jean Zay)`, `H100-96GB HBM2e (500W)`, `8xH100`, `B200-class`.

use crate::row::Row;
use crate::text::leading_number;
use crate::{LeftOut, Notes};
use catalog::{ACCELERATORS, AcceleratorEntry};
use engine::model::hardware::Accelerator;
use engine::scenario::Picked;
use engine::units::Bytes;

/// Form factors that a row must name; a GPU without a form factor is the module on a board (SXM,
/// OAM).
const FORMS: [&str; 2] = ["pcie", "nvl"];
/// Parts of catalog keys outside the chip's name.
const VARIANTS: [&str; 4] = ["pcie", "nvl", "sxm", "oam"];
/// Relative difference below which memory sizes are equal, as drivers and data sheets count
/// differently.
const SAME_MEMORY: f64 = 0.06;

/// Finds the catalog entry of a row's GPU: the chip by name, the variant by form factor and memory.
///
/// # Errors
///
/// Returns the reason for leaving out the row: the GPU is blank or not in the catalog.
pub fn find(row: &Row) -> Result<&'static AcceleratorEntry, LeftOut> {
    if row.gpu.is_empty() {
        return Err(LeftOut::missing("gpu"));
    }
    let text = row.gpu.to_ascii_lowercase();
    let words = words(&text);
    let unknown = || LeftOut::because("the GPU is not in the catalog").about(&row.gpu);
    let named = |entry: &&AcceleratorEntry| mentions(&words, &chip(entry.id));
    let Some(longest) = ACCELERATORS.iter().filter(named).map(|entry| chip(entry.id).len()).max() else {
        return nearest(row).ok_or_else(unknown);
    };
    let form = FORMS.iter().find(|form| text.contains(*form));
    let of_form = |entry: &&AcceleratorEntry| match form {
        Some(form) => entry.id.contains(*form),
        None => !FORMS.iter().any(|form| entry.id.contains(*form)),
    };
    let chips: Vec<&AcceleratorEntry> =
        ACCELERATORS.iter().filter(|entry| chip(entry.id).len() == longest && named(entry)).collect();
    let formed: Vec<&AcceleratorEntry> = chips.iter().copied().filter(of_form).collect();
    let variants = if formed.is_empty() { chips } else { formed };
    let memory = row.gpu_mem_gb.or_else(|| memory_of(&text));
    let distance = |entry: &AcceleratorEntry| {
        memory.map_or(0.0, |memory| (entry.values.memory.gib() / memory).max(memory / entry.values.memory.gib()))
    };
    variants.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).ok_or_else(unknown)
}

/// Substitutes for GPUs outside the catalog: a common GPU of each memory size.
const OF_MEMORY: [&str; 9] =
    ["v100-16gb", "rtx-4090", "v100-32gb", "a100-40gb", "l40s", "a100-64gb", "a100-80gb", "h200", "b200"];

/// Returns the substitute with the nearest memory size; `None` if the row has no memory size.
fn nearest(row: &Row) -> Option<&'static AcceleratorEntry> {
    let memory = row.gpu_mem_gb.or_else(|| memory_of(&row.gpu.to_ascii_lowercase()))?;
    let distance = |entry: &&AcceleratorEntry| (entry.values.memory.gib() / memory).ln().abs();
    let entries = OF_MEMORY.iter().filter_map(|id| catalog::accelerator(id));
    entries.min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// Returns the chip of an entry's key: `rtx4090`, `a100`, `gb200`.
fn chip(id: &str) -> String {
    let of_chip = |part: &&str| !VARIANTS.contains(part) && !part.ends_with("gb");
    id.split('-').filter(of_chip).collect()
}

/// Splits a text into words of letters and digits, without a leading `8x`.
fn words(text: &str) -> Vec<&str> {
    let without_count = |word| match word {
        word if is_counted(word) => word.split_once('x').map_or(word, |(_, rest)| rest),
        word => word,
    };
    text.split(|sign: char| !sign.is_ascii_alphanumeric()).map(without_count).filter(|word| !word.is_empty()).collect()
}

fn is_counted(word: &str) -> bool {
    word.split_once('x').is_some_and(|(count, _)| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether up to three consecutive words spell the chip, with or without letters after it.
fn mentions(words: &[&str], chip: &str) -> bool {
    let spells = |joined: &str| {
        joined.strip_prefix(chip).is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
    };
    (1..=3).any(|length| words.windows(length).any(|window| spells(&window.concat())))
}

/// Parses a memory size in a name, such as `80GB`.
pub fn memory_of(text: &str) -> Option<f64> {
    let mut parts = text.split(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '.'));
    parts.find_map(|part| part.strip_suffix("gib").or_else(|| part.strip_suffix("gb"))?.parse().ok())
}

/// Returns the entry with the memory and power stated by the row.
pub fn edited(entry: &AcceleratorEntry, row: &Row, notes: &mut Notes) -> Picked<Accelerator> {
    let mut picked = entry.pick();
    let text = row.gpu.to_ascii_lowercase();
    if !mentions(&words(&text), &chip(entry.id)) {
        notes.add(format!("a guess: {} for `{}`, by its memory: its times are not that GPU's", entry.name, row.gpu));
    }
    let known = entry.values.memory.gib();
    if let Some(memory) = row.gpu_mem_gb.or_else(|| memory_of(&text)).filter(|memory| differs(*memory, known)) {
        picked.values.memory = Bytes::from_gib(memory);
        notes.add(format!("{memory} GiB of memory in place of {}'s {known}", entry.name));
    }
    if let Some(power) = power_of(&text).filter(|power| differs(*power, picked.values.power)) {
        picked.values.power = power;
        notes.add(format!("limited to {power} W"));
    }
    picked
}

fn differs(said: f64, known: f64) -> bool {
    (said / known - 1.0).abs() > SAME_MEMORY
}

/// Parses a power in a name, such as `500W`.
fn power_of(text: &str) -> Option<f64> {
    text.split(|sign: char| !sign.is_ascii_alphanumeric()).find_map(|word| {
        let (number, rest) = leading_number(word)?;
        (rest == "w").then_some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(gpu: &str, memory: Option<f64>) -> &'static str {
        let row = Row { gpu: gpu.to_owned(), gpu_mem_gb: memory, ..Row::default() };
        find(&row).map_or("", |entry| entry.id)
    }

    #[test]
    fn parts_are_found_however_they_are_spelt() {
        assert_eq!(id("A100-SXM4-80GB (Jean Zay)", Some(80.0)), "a100-80gb");
        assert_eq!(id("A100 (DGX A100)", Some(40.0)), "a100-40gb");
        assert_eq!(id("A100-64GB", Some(64.0)), "a100-64gb");
        assert_eq!(id("A100-class 'NVIDIA Ampere' (paper: >10,000 Ampere GPUs)", Some(80.0)), "a100-80gb");
        assert_eq!(id("A100-PCIE-80GB", None), "a100-pcie-80gb");
        assert_eq!(id("H100-96GB HBM2e (500W)", Some(95.04)), "h100-96gb");
        assert_eq!(id("H100-64GB", None), "h100-64gb");
        assert_eq!(id("NVIDIA H100 NVL", None), "h100-nvl");
        assert_eq!(id("H200-141GB", None), "h200");
        assert_eq!(id("H20-96GB", Some(96.0)), "h20");
        assert_eq!(id("GB200", None), "gb200");
        assert_eq!(id("B200-class (178 GiB; name not visible)", Some(178.4)), "b200");
        assert_eq!(id("V100-SXM2-16GB", None), "v100-16gb");
        assert_eq!(id("V100-SXM3-32GB (DGX-2)", Some(32.0)), "v100-sxm3");
        assert_eq!(id("8xRTX 4090", None), "rtx-4090");
        assert_eq!(id("L40S", None), "l40s");
        assert_eq!(id("not restated (GCP)", None), "");
    }

    #[test]
    fn a_cut_down_part_keeps_what_its_name_says() {
        let row = Row { gpu: "H100-96GB HBM2e (500W)".into(), gpu_mem_gb: Some(95.04), ..Row::default() };
        let picked = edited(find(&row).unwrap(), &row, &mut Notes::default());
        assert_eq!(picked.values.memory.gib(), 96.0);
        assert_eq!(picked.values.power, 500.0);
        assert_eq!(picked.values.memory_bandwidth.gb_per_s(), 2400.0);
        let row = Row { gpu: "B200 (1000W)".into(), gpu_mem_gb: Some(140.0), ..Row::default() };
        let picked = edited(find(&row).unwrap(), &row, &mut Notes::default());
        assert_eq!(picked.values.memory.gib(), 140.0);
    }
}

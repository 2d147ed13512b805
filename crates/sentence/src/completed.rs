//! Parts of a sentence that another part completes: “80GB” after “A100 40GB vs”, and “8B” that is
//! followed by no “tokens”.

use catalog::AcceleratorEntry;
use catalog::names::{gpu_assumed, gpu_named};

use crate::Topic;
use crate::finding::{Finding, are_alternatives, gpu_of};
use crate::patterns::Match;
use crate::reading::Reading;

/// Words that say that a number counts the tokens of the run.
const OF_TOKENS: [&str; 4] = ["tok", "ток", "data", "daten"];
/// Largest size that a number of billions stands for.
const LARGEST: f64 = 2e12;
/// Words between a GPU and its memory.
const OF: [&str; 13] = ["(", "of", "with", "de", "com", "con", "da", "mit", "à", "avec", "на", "с", "по"];
/// Letters after a number of billions.
const BILLIONS: [&str; 3] = ["b", "bn", "billion"];

impl Reading {
    /// Takes a number such as “8B” for the size of the model, if it is not followed by “tokens” and
    /// no model is named: “train with 8B on 8 A100”.
    pub(crate) fn sizes_without_tokens(&mut self, text: &str) {
        if self.found.iter().any(|found| found.value(&["model", "size"]).is_some()) {
            return;
        }
        for found in &mut self.found {
            let typed = text.get(found.from..found.to).unwrap_or_default().to_lowercase();
            let tokens = found.value(&["tokens"]).and_then(|value| value.parse::<f64>().ok());
            let Some(size) = tokens.filter(|size| *size < LARGEST && found.is.pairs.len() == 1) else { continue };
            let is_size = BILLIONS.iter().any(|letters| typed.ends_with(letters));
            if is_size && !OF_TOKENS.iter().any(|word| typed.contains(word)) {
                found.is.pairs = vec![("size".to_owned(), format!("{}B", size / 1e9))];
                found.is.kind = Topic::Model;
                return;
            }
        }
    }

    /// Completes a memory or a form beside the GPU that it is an alternative to: the “80GB” of
    /// “A100 40GB vs 80GB”, the “SXM” of “H100 PCIe vs SXM”.
    pub(crate) fn complete_gpus(&mut self, text: &str) {
        let named: Vec<Finding> = self.found.iter().filter(|found| gpu_of(found).is_some()).cloned().collect();
        let completed = |from: usize, to: usize| {
            let part = text.get(from..to)?;
            named.iter().find_map(|gpu| {
                let between = if gpu.to <= from { text.get(gpu.to..from) } else { text.get(to..gpu.from) };
                let other =
                    with_part(text.get(gpu.from..gpu.to)?, part).filter(|_| between.is_some_and(are_alternatives));
                other.filter(|other| gpu_of(gpu).is_some_and(|own| own != other.id))
            })
        };
        self.complete_memory(text);
        let of_gpu = |entry: &AcceleratorEntry| vec![("hw".to_owned(), entry.id.to_owned())];
        for found in &mut self.found {
            let is_part = found.is.pairs.len() == 1 && found.value(&["card", "nvlink"]).is_some();
            if let Some(entry) = completed(found.from, found.to).filter(|_| is_part) {
                (found.is.pairs, found.is.kind) = (of_gpu(entry), Topic::Gpu);
            }
        }
        let gaps = core::mem::take(&mut self.gaps);
        for gap in gaps {
            if let Some(pairs) = self.number_beside(text, gap.from, gap.to) {
                let is = Match { kind: Topic::Gpu, pairs, notes: Vec::new(), next: 0 };
                self.found.push(Finding { from: gap.from, to: gap.to, is });
                continue;
            }
            if self.is_full_after_model(text, gap.from, gap.to) {
                let pairs = [("train", "all"), ("tunes", "yes")].map(|(key, value)| (key.to_owned(), value.to_owned()));
                let is = Match { kind: Topic::Method, pairs: pairs.to_vec(), notes: Vec::new(), next: 0 };
                self.found.push(Finding { from: gap.from, to: gap.to, is });
                continue;
            }
            match completed(gap.from, gap.to) {
                Some(entry) => {
                    let is = Match { kind: Topic::Gpu, pairs: of_gpu(entry), notes: Vec::new(), next: 0 };
                    self.found.push(Finding { from: gap.from, to: gap.to, is });
                }
                None => self.gaps.push(gap),
            }
        }
        self.found.sort_by_key(|found| found.from);
    }

    /// Completes a GPU with the memory after it: the A100 of 40 GB of “4 A100 de 40GB”.
    fn complete_memory(&mut self, text: &str) {
        for place in 1..self.found.len() {
            let Some([gpu, card]) = self.found.get_mut(place - 1..=place) else { continue };
            let is_memory = card.is.pairs.len() == 1 && card.value(&["card"]).is_some();
            let between = text.get(gpu.to..card.from).unwrap_or_default().trim();
            let memory = card.value(&["card"]).filter(|_| is_memory && OF.contains(&between));
            let part = memory.map(|gib| format!("{gib}GB"));
            let entry = part.and_then(|part| with_part(text.get(gpu.from..gpu.to)?, &part));
            let hardware = gpu.is.pairs.iter_mut().find(|(key, _)| key == "hw");
            if let Some((entry, (_, id))) = entry.zip(hardware) {
                entry.id.clone_into(id);
                gpu.is.notes.clear();
            }
        }
    }

    /// Returns whether a part is the “full” after the name of a model, which is full fine-tuning.
    fn is_full_after_model(&self, text: &str, from: usize, to: usize) -> bool {
        let is_full = text.get(from..to).is_some_and(|typed| typed.eq_ignore_ascii_case("full"));
        let of_model = |found: &Finding| found.to <= from && found.value(&["model", "size"]).is_some();
        let models = self.found.iter().filter(|found| of_model(found));
        is_full && models.max_by_key(|found| found.to).is_some_and(|model| text.get(model.to..from) == Some(" "))
    }

    /// Returns the GPU and the number that a bare number is, as an alternative to the number of the
    /// GPU after it: the “128” of “128 vs 256 H100”.
    fn number_beside(&self, text: &str, from: usize, to: usize) -> Option<Vec<(String, String)>> {
        let number: u32 = text.get(from..to)?.trim().parse().ok()?;
        let next = self.found.iter().filter(|found| found.from >= to).find(|found| found.value(&["gpus"]).is_some())?;
        let is_alternative = number > 0 && are_alternatives(text.get(to..next.from)?);
        let gpu = gpu_of(next).map(|gpu| ("hw".to_owned(), gpu));
        let count = ("gpus".to_owned(), number.to_string());
        is_alternative.then(|| core::iter::once(count).chain(gpu).collect())
    }
}

/// Returns the GPU of a typed name with another memory or form in place of its own.
fn with_part(typed: &str, part: &str) -> Option<&'static AcceleratorEntry> {
    let words: Vec<&str> = typed.split_whitespace().collect();
    let of = |word: &&str| {
        let model = word.rsplit(['x', 'X', '×']).next().unwrap_or(word).trim_end_matches('s');
        // A word that names no GPU has nothing to complete: the memory, the number, the maker.
        gpu_named(model).map(|found| found.entry).or_else(|| gpu_assumed(model))?;
        let name = format!("{model} {part}");
        gpu_named(&name).map(|found| found.entry)
    };
    words.iter().find_map(of)
}

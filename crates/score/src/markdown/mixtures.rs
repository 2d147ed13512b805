//! The section on mixtures of experts.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{errors, left_out, line};
use crate::expert_layer::{self, ExpertLayer};
use crate::linked::Set;
use crate::prediction::Prediction;
use crate::summary::Entry;
use engine::stats::Errors;

/// Writes steps and memory by source, steps by model and GPU, single expert layers, and rows left
/// out.
pub(super) fn section(text: &mut String, entries: &[&Entry]) {
    if entries.is_empty() {
        return;
    }
    line(text, "\n## Mixtures of experts\n");
    let (alone, runs): (Vec<&Entry>, Vec<&Entry>) = entries.iter().partition(|entry| entry.set() == Set::Layer);
    table(text, "Step time at any MFU", "Source", &runs, |entry| entry.source().to_owned(), Prediction::step_error);
    table(text, "Step time of the same rows", "Model", &runs, model, Prediction::step_error);
    table(text, "Step time of the same rows", "GPU", &runs, |entry| entry.row.gpu.clone(), Prediction::step_error);
    table(text, "Peak memory", "Source", &runs, |entry| entry.source().to_owned(), Prediction::memory_error);
    layers(text, &alone);
    left_out(text, &runs);
}

/// Returns the model's name in the catalog, or a label for a shape outside the catalog.
fn model(entry: &Entry) -> String {
    let Ok(prediction) = &entry.outcome else { return String::new() };
    let shape = prediction.scenario.model.architecture();
    // A multi-token prediction layer adds one layer.
    let known = catalog::MODELS.iter().find(|known| {
        let more = shape.num_hidden_layers.saturating_sub(known.architecture.num_hidden_layers);
        let trunk = engine::model::transformer::Architecture {
            num_hidden_layers: known.architecture.num_hidden_layers,
            vocab_size: known.architecture.vocab_size,
            ..shape
        };
        more <= 1 && trunk == known.architecture && shape.has_experts()
    });
    known.map_or("Other shapes", |known| known.name).to_owned()
}

fn table(
    text: &mut String,
    title: &str,
    group: &str,
    entries: &[&Entry],
    name: impl Fn(&Entry) -> String,
    error: impl Fn(&Prediction) -> Option<f64>,
) {
    let mut groups: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut all = Vec::new();
    for entry in entries {
        if let Some(error) = entry.outcome.as_ref().ok().and_then(&error) {
            groups.entry(name(entry)).or_default().push(error);
            all.push(error);
        }
    }
    let _ = writeln!(text, "\n{title}:\n\n| {group} | Rows | Median error | Mean error | Signed |");
    line(text, "|---|---:|---:|---:|---:|");
    for (name, of_group) in groups.iter().chain([(&"All".to_owned(), &all)]) {
        let _ = writeln!(text, "| {name} | {} |", errors(Errors::from_errors(of_group)));
    }
}

fn layers(text: &mut String, entries: &[&Entry]) {
    let layers: Vec<ExpertLayer> = entries.iter().filter_map(|entry| expert_layer::predict(&entry.row).ok()).collect();
    let times: Vec<f64> = layers.iter().map(ExpertLayer::error).collect();
    let memory: Vec<f64> = layers.iter().filter_map(ExpertLayer::memory_error).collect();
    if layers.is_empty() {
        return;
    }
    line(text, "\nOne layer of experts, both passes:\n\n| | Rows | Median error | Mean error | Signed |");
    line(text, "|---|---:|---:|---:|---:|");
    let _ = writeln!(text, "| Time | {} |", errors(Errors::from_errors(&times)));
    let _ = writeln!(text, "| Peak memory | {} |", errors(Errors::from_errors(&memory)));
}

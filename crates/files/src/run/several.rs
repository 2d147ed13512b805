//! Detection of files that belong to several runs.

use super::Base;

use super::draft::Draft;
use super::format::is_hugging_face;
use super::keys::Keys;
use super::tree::Tree;
use super::{File, Refusal, formats};
use catalog::programs::{Part, Program};

/// Refuses files of which two are complete runs: each has its batch and its model.
///
/// # Errors
///
/// A sentence that names both.
pub(super) fn refuse_two_runs(trees: &[Tree], kinds: &[Program], files: &[File], base: &Base) -> Result<(), Refusal> {
    // Launchers and options belong to the run of another program; two programs that each run alone
    // are two runs, unless both take the Trainer's arguments.
    let runs: Vec<_> = trees.iter().zip(kinds).filter(|(_, kind)| kind.part() == Part::Run).collect();
    if let Some((tree, kind)) = runs.first()
        && let Some((other, second)) =
            runs.iter().find(|(_, other)| other != kind && !(is_hugging_face(**kind) && is_hugging_face(**other)))
    {
        return Err(Refusal::certain(format!(
            "{} is of {} and {} is of {}: these are two runs, give each alone.",
            tree.name,
            kind.name(),
            other.name,
            second.name()
        )));
    }
    // A file that another continues is part of that run.
    let all = trees.iter().zip(kinds).zip(files).filter(|((tree, _), _)| !tree.is_base);
    // Files of a model, a launcher or an adapter are parts of a run.
    let mut whole = all.filter(|((_, kind), _)| kind.part() == Part::Run).filter_map(|((tree, kind), file)| {
        let mut draft = Draft::new(&base.scenario, &[*kind], &base.scenario);
        formats::read_by_format(*kind, &mut Keys::new(tree, 0), &mut draft, file).ok()?;
        let batch = &draft.batch;
        let has_batch =
            batch.per_device.is_some() || [&batch.micro, &batch.global, &batch.local].into_iter().any(Option::is_some);
        let model = tree.entries.iter().find(|entry| MODELS.contains(&entry.path.as_str()));
        let model = model.map(|entry| entry.value.shown());
        (has_batch && (model.is_some() || draft.has_model)).then(|| (tree.name.clone(), model))
    });
    let (Some(one), Some(other)) = (whole.next(), whole.next()) else { return Ok(()) };
    let said = |(name, model): &(String, Option<String>)| match model {
        Some(model) => format!("{name} (of {})", super::spelling::shortened(model)),
        None => name.clone(),
    };
    Err(Refusal::certain(format!(
        "{} and {} describe two runs, each with a model and a batch of its own: give each alone.",
        said(&one),
        said(&other)
    )))
}

/// Keys that name a model.
const MODELS: [&str; 7] = [
    "base_model",
    "model_name_or_path",
    "model_name",
    "model._component_",
    "model.flavor",
    "model.pretrained_model_name_or_path",
    "model.model_config.hidden_size",
];

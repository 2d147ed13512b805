//! Items of the finder.

use std::sync::LazyLock;

use crate::panels::tabs::FIGURES;
use crate::search::Query;
use crate::view::Panel;
use catalog::names::{cluster_named, gpu_named, model_named};
use catalog::{ACCELERATORS, CLAIMS, CLUSTERS, MODELS, PLANS};
use engine::params::{self, Group, Param, ParamId, every};
use engine::scenario::{Id, Scenario};
use explain::{self, TERMS};
use links::spelling::spell;

/// Maximum number of items shown.
const MOST: usize = 60;

/// Target of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The figure with this identifier is shown, in the tab of its panel.
    Figure(&'static str, Option<Panel>),
    /// This model is picked.
    Model(Id),
    /// This GPU is picked.
    Accelerator(Id),
    /// This cluster is picked.
    Cluster(Id),
    /// This control is shown.
    Control(ParamId),
    /// This explanation is opened.
    Card(&'static str),
    /// The example at this index is opened.
    Example(usize),
}

/// One item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) name: &'static str,
    /// Kind, shown after the name.
    pub(super) kind: &'static str,
    /// Further text that the item is found by.
    more: &'static str,
    pub(super) target: Target,
}

/// Returns all items of a scenario, figures first.
fn all(scenario: &Scenario) -> impl Iterator<Item = Item> {
    let item = |name, kind, more, target| Item { name, kind, more, target };
    let figures =
        FIGURES.iter().map(move |&(id, name, more, panel)| item(name, "figure", more, Target::Figure(id, panel)));
    let models = MODELS.iter().map(move |entry| item(entry.name, "model", entry.family, Target::Model(entry.id)));
    let gpus = ACCELERATORS.iter().map(move |entry| item(entry.name, "GPU", entry.id, Target::Accelerator(entry.id)));
    let clusters = CLUSTERS.iter().map(move |entry| item(entry.name, "cluster", entry.id, Target::Cluster(entry.id)));
    let shown = every().filter(|param| param.has_control && (param.group == Group::Main || param.is_shown(scenario)));
    let controls = shown.map(move |param| item(param.label, "control", more_of(param), Target::Control(param.id)));
    let numbers = explain::numbers().map(move |card| item(card.title, "why?", "", Target::Card(card.key)));
    let terms = TERMS.iter().map(move |term| item(term.name, "term", "", Target::Card(term.key)));
    let examples = PLANS.iter().chain(CLAIMS).enumerate();
    let examples = examples.map(move |(place, entry)| item(entry.name, "example", "", Target::Example(place)));
    figures.chain(models).chain(gpus).chain(clusters).chain(controls).chain(numbers).chain(terms).chain(examples)
}

/// Returns what a control is found by besides its label: its key, its options, its help.
fn more_of(param: &'static Param) -> &'static str {
    static TEXTS: LazyLock<Vec<(ParamId, String)>> = LazyLock::new(|| {
        let text = |param: &'static Param| {
            let options = param.choice().map_or(&[][..], |choice| choice.options);
            let options: Vec<&str> = options.iter().flat_map(|option| [option.key, option.label]).collect();
            (param.id, [param.key, &options.join(" "), param.help].join(" "))
        };
        every().map(text).collect()
    });
    TEXTS.iter().find(|(id, _)| *id == param.id).map_or(param.key, |(_, text)| text)
}

/// Returns the items that match a text, best first; for an empty text, the figures.
pub(super) fn found(scenario: &Scenario, typed: &str) -> Vec<Item> {
    let asks = !typed.trim().is_empty();
    let items = all(scenario).filter(|item| asks || matches!(item.target, Target::Figure(..)));
    let mut found = Query::new(typed).answers(items.map(|item| (item, item.name, item.more)));
    let known: Vec<Item> = known(typed).into_iter().filter_map(|target| make_item(scenario, target)).collect();
    found.retain(|item| !known.contains(item));
    found.splice(0..0, known);
    found.truncate(MOST);
    found
}

/// Returns the item of a target, if the page shows it.
fn make_item(scenario: &Scenario, target: Target) -> Option<Item> {
    all(scenario).find(|item| item.target == target)
}

/// Returns the targets that have this name elsewhere: a repository of the Hub, the output of
/// `nvidia-smi`, a key of a framework.
fn known(typed: &str) -> Vec<Target> {
    let model = model_named(typed).filter(|found| !found.is_taken).map(|found| Target::Model(found.entry.id));
    let gpu = gpu_named(typed).map(|found| Target::Accelerator(found.entry.id));
    let cluster = cluster_named(typed).filter(|found| !found.is_taken).map(|found| Target::Cluster(found.entry.id));
    let control = match spell(typed, "").pairs.as_slice() {
        [(key, _)] => params::find(key).map(|param| Target::Control(param.id)),
        _ => None,
    };
    [model, gpu, cluster, control].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;

    fn first(typed: &str) -> Option<Target> {
        found(&default_scenario(), typed).first().map(|item| item.target)
    }

    #[test]
    fn each_kind_is_found_by_its_name() {
        assert_eq!(first("llama 3.1 8b"), Some(Target::Model("llama-3.1-8b")));
        assert_eq!(first("H200"), Some(Target::Accelerator("h200")));
        assert_eq!(first("dgx h100"), Some(Target::Cluster("dgx-h100")));
        assert_eq!(first("micro-batch size"), Some(Target::Control(ParamId::MicroBatchSize)));
        // By their names elsewhere, too.
        assert_eq!(first("meta-llama/Llama-3.1-8B"), Some(Target::Model("llama-3.1-8b")));
        assert_eq!(first("NVIDIA A100-SXM4-80GB"), Some(Target::Accelerator("a100-80gb")));
        assert_eq!(first("p5.48xlarge"), Some(Target::Cluster("p5")));
        assert_eq!(first("per_device_train_batch_size"), Some(Target::Control(ParamId::MicroBatchSize)));
        assert_eq!(first("timeline"), Some(Target::Figure("timeline", Some(Panel::Timeline))));
        assert_eq!(first("zero-3"), TERMS.iter().find(|term| term.name == "ZeRO-3").map(|term| Target::Card(term.key)));
        for (place, entry) in PLANS.iter().chain(CLAIMS).enumerate() {
            let targets: Vec<Target> = found(&default_scenario(), entry.name).iter().map(|item| item.target).collect();
            assert!(targets.contains(&Target::Example(place)), "{}", entry.name);
        }
    }

    #[test]
    fn controls_and_figures_are_found_by_what_they_are_for() {
        for (typed, wanted) in [("nf4", "base"), ("flash attention 3", "attnkernel"), ("global batch", "accum")] {
            let keys: Vec<&str> = found(&links::decode("train=lora&cluster=dgx-h100").scenario, typed)
                .iter()
                .filter_map(|item| match item.target {
                    Target::Control(id) => Some(id.key()),
                    _ => None,
                })
                .collect();
            assert!(keys.contains(&wanted), "{typed}: {keys:?}");
        }
        for (typed, wanted) in [("cheapest", "plan"), ("accuracy", "agreement"), ("oom", "memory")] {
            let figure =
                FIGURES.iter().find(|figure| figure.0 == wanted).map(|figure| Target::Figure(wanted, figure.3));
            assert_eq!(first(typed), figure, "{typed}");
        }
    }

    #[test]
    fn nothing_typed_lists_the_figures_and_what_nobody_knows_nothing() {
        let names: Vec<&str> = found(&default_scenario(), " ").iter().map(|item| item.name).collect();
        assert_eq!(names, FIGURES.map(|figure| figure.1));
        assert_eq!(found(&default_scenario(), "no such thing"), []);
    }

    #[test]
    fn only_controls_on_the_page_are_found() {
        let dense = default_scenario();
        assert_eq!(
            first("token dispatcher").filter(|target| matches!(target, Target::Control(_))),
            None,
            "{:?}",
            dense.model
        );
        let mixture = links::decode("model=mixtral-8x7b").scenario;
        let label = ParamId::TokenDispatcher.param().label;
        let targets: Vec<Target> = found(&mixture, label).iter().map(|item| item.target).collect();
        assert!(targets.contains(&Target::Control(ParamId::TokenDispatcher)), "{targets:?}");
    }
}

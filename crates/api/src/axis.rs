//! The quantity that a sweep varies: a parameter of the table, or the cluster, GPU or model.

use catalog::pick::{move_to_accelerator, pick_cluster, pick_model};
use catalog::{ACCELERATORS, CLUSTERS, MODELS};
use engine::nearest::did_you_mean;
use engine::params::{Param, ParamId, ParamKind, find, is_held, quantity};
use engine::scenario::Scenario;
use engine::scenario::issue::{Cause, Issue};
use export::report_json::issues_json;
use links::{spelling, v1};
use serde_json::{Value, json};

use crate::given::{Code, refuse};
use crate::{Given, Reading, Refusal};

/// Value of an option or entry that does not exist.
const NOTHING: f64 = -1.0;

/// One axis of a sweep. Values are numbers: in the unit of the parameter, or indices of options or
/// catalog entries.
#[derive(Clone, Copy)]
pub(crate) enum Axis {
    /// A parameter of the table.
    Param(&'static Param),
    /// A cluster of the catalog, with its GPU and network.
    Cluster,
    /// A GPU of the catalog.
    Gpu,
    /// A model of the catalog.
    Model,
}

impl Axis {
    /// Returns the axis of a key in links.
    pub(crate) fn find(key: &str) -> Option<Self> {
        match key {
            v1::CLUSTER_KEY => Some(Self::Cluster),
            v1::GPU_KEY => Some(Self::Gpu),
            v1::MODEL_KEY => Some(Self::Model),
            _ => find(key).map(Self::Param),
        }
    }

    /// Sets the scenario to a value, which [`Axis::resolved`] has validated.
    pub(crate) fn set(self, scenario: &mut Scenario, value: f64) {
        let index = if value >= 0.0 { value as usize } else { usize::MAX };
        match self {
            Self::Param(Param { kind: ParamKind::Number(number), .. }) => (number.set)(scenario, value),
            Self::Param(Param { kind: ParamKind::Choice(choice), .. }) => (choice.set)(scenario, index),
            Self::Cluster => drop(CLUSTERS.get(index).map(|entry| pick_cluster(scenario, entry.id))),
            Self::Gpu => drop(ACCELERATORS.get(index).map(|entry| move_to_accelerator(scenario, entry.id))),
            Self::Model => drop(MODELS.get(index).map(|entry| pick_model(scenario, entry.id))),
        }
    }

    /// Returns the rank of the axis among the pairs of a link, which are read in this order: a
    /// catalog GPU before the number of GPUs.
    pub(crate) fn rank(self) -> usize {
        match self {
            Self::Cluster => 0,
            Self::Gpu => 1,
            Self::Model => 2,
            Self::Param(param) => {
                ParamId::ALL.iter().position(|id| *id == param.id).map_or(usize::MAX, |place| place + 3)
            }
        }
    }

    /// Resolves typed text to a number and the value in the report, with an issue if another value
    /// is used.
    fn resolved(self, scenario: &Scenario, typed: &str) -> (f64, Value, Option<Issue>) {
        let (what, ids): (_, Vec<&str>) = match self {
            Self::Param(param) => return resolve_param(param, scenario, typed),
            Self::Cluster => ("cluster", CLUSTERS.iter().map(|entry| entry.id).collect()),
            Self::Gpu => ("gpu", ACCELERATORS.iter().map(|entry| entry.id).collect()),
            Self::Model => ("model", MODELS.iter().map(|entry| entry.id).collect()),
        };
        let wanted = typed.to_ascii_lowercase();
        if let Some(index) = ids.iter().position(|id| *id == wanted) {
            return (index as f64, wanted.into(), None);
        }
        let near = did_you_mean(&spelling::values_near(what, typed));
        let message = format!("The catalog has no {what} “{}”.{near}", quantity::shorten(typed));
        let issue = Issue::error(what, message).uses("The scenario's").because(Cause::UnknownName);
        (NOTHING, Value::Null, Some(issue))
    }
}

fn resolve_param(param: &'static Param, scenario: &Scenario, typed: &str) -> (f64, Value, Option<Issue>) {
    let mut moved = *scenario;
    let issue = links::set_typed(param, typed, &mut moved);
    match &param.kind {
        ParamKind::Number(number) => {
            let current = (number.get)(scenario);
            let number = number.within(scenario);
            let value = quantity::parse(param.label, &number, typed, current).unwrap_or_else(|error| error.nearest);
            (value, value.into(), issue)
        }
        ParamKind::Choice(choice) => {
            let index = (choice.get)(&moved);
            let key = choice.options.get(index).map(|option| option.key);
            (index as f64, key.into(), issue)
        }
    }
}

/// Returns the key in links of an axis, by any of its names.
///
/// # Errors
///
/// Returns a sentence with the nearest keys if there is no such key.
pub fn key(typed: &str) -> Result<String, Refusal> {
    let spelled = spelling::spell(typed, "");
    if let [(key, value)] = spelled.pairs.as_slice()
        && value.is_empty()
        && Axis::find(key).is_some()
    {
        return Ok(key.clone());
    }
    let said = match spelling::advice(typed) {
        Some(advice) => format!("“{}” {advice}.", quantity::shorten(typed)),
        None => format!(
            "“{}” is not a parameter.{} `parameters` lists them; cluster, gpu and model are axes too.",
            quantity::shorten(typed),
            did_you_mean(&spelling::keys_near(typed))
        ),
    };
    Err(Refusal::new(Code::UnknownKey, said))
}

/// Resolves the typed values of an axis, one per line, to JSON: `numbers` for
/// [`crate::sweep::sweep`], `values` as in the report, and `issues`.
///
/// # Errors
///
/// Returns a refusal for values that cannot be read, unless reading is lenient.
pub fn resolve(given: &Given, key: &str, lines: &str) -> Result<String, Refusal> {
    let scenario = given.read_scenario()?.scenario;
    let Some(axis) = Axis::find(key) else { return Ok(String::new()) };
    let (mut numbers, mut values, mut issues) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines.lines() {
        let spelled = spelling::spell(key, line);
        // An option may have other names. A name that sets several keys is no value of one axis.
        let typed = match spelled.pairs.as_slice() {
            [(own, typed)] if own == key => typed.as_str(),
            _ => line,
        };
        let (number, value, issue) = axis.resolved(&scenario, typed);
        numbers.push(number);
        values.push(value);
        issues.extend(issue);
        issues.extend(spelled.notes);
    }
    if let Axis::Param(param) = axis
        && !is_held(param, &scenario)
        && param.id != ParamId::ModelSize
    {
        let message = format!(
            "“{}” describes a custom model, which a scenario marks with model=custom: this axis changes nothing.",
            param.key
        );
        issues.push(Issue::note(param.id, message).because(Cause::LeftOut));
    }
    if given.reading != Reading::Lenient {
        refuse(&issues)?;
    }
    Ok(json!({ "numbers": numbers, "values": values, "issues": issues_json(&issues) }).to_string())
}

//! What each control shows: values for the components, from the state and the table of parameters.

mod layout;
mod price;

pub use layout::{Layout, Offer, Step, of_batch, product, step_id};
pub use price::price;
use yew::AttrValue;

use crate::state::Draft;
use analysis::degrees;
use catalog::preset;
use engine::params::scale;
use engine::params::{Choice, Group, Kind, Number, Param, ParamId, Scale, Unit, quantity};
use engine::scenario::Scenario;
use engine::scenario::issue::{Issue, Severity};

/// A slider with its typed field.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberField {
    /// The parameter.
    pub key: ParamId,
    /// Its accessible name.
    pub label: &'static str,
    /// What it is.
    pub help: &'static str,
    /// The slider's position.
    pub index: u32,
    /// The slider's last position.
    pub last: u32,
    /// The value with its unit.
    pub value: AttrValue,
    /// What stands in the typed field: the value, or what is being typed.
    pub text: AttrValue,
    /// The unit beside it.
    pub unit: &'static str,
    /// What is wrong with the text, as a sentence.
    pub error: Option<AttrValue>,
    /// The nearest valid value, with its unit.
    pub nearest: Option<AttrValue>,
    /// Why the page computes with another value than this one, as a sentence.
    pub correction: Option<AttrValue>,
    /// The valid values next to this one, where the page computes with another.
    pub offers: Vec<u32>,
    /// The preset's value, where this one differs.
    pub preset: Option<AttrValue>,
    /// Whether it has an effect.
    pub applies: bool,
    /// Whether arrow keys set the value one step above or below in place of the slider's next
    /// position.
    pub is_nudged: bool,
    /// Where the value comes from, of a number that goes out of date.
    pub note: Option<AttrValue>,
}

/// A choice among options.
#[derive(Clone, Debug, PartialEq)]
pub struct ChoiceField {
    /// The parameter.
    pub key: ParamId,
    /// Its accessible name.
    pub label: &'static str,
    /// What it is.
    pub help: &'static str,
    /// The options.
    pub options: &'static [engine::params::ChoiceOption],
    /// The chosen one.
    pub chosen: usize,
    /// Why the page computes with another option than this one, as a sentence.
    pub correction: Option<AttrValue>,
    /// The preset's option, where this one differs.
    pub preset: Option<AttrValue>,
    /// Whether it has an effect.
    pub applies: bool,
}

/// A control for any row of the table.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// A number.
    Number(NumberField),
    /// A choice.
    Choice(ChoiceField),
}

impl Field {
    /// Whether the value differs from its preset's.
    pub fn is_changed(&self) -> bool {
        match self {
            Self::Number(field) => field.preset.is_some(),
            Self::Choice(field) => field.preset.is_some(),
        }
    }

    /// The same with what the issues of the scenario say of it, where the page computes with
    /// another value.
    #[must_use]
    pub fn corrected(self, scenario: &Scenario, issues: &[Issue]) -> Self {
        let said = |id: ParamId| {
            let about = |issue: &&Issue| issue.severity == Severity::Error && issue.key == Some(id.key());
            issues.iter().find(about).map(|issue| AttrValue::from(issue.message.clone()))
        };
        match self {
            Self::Number(field) => {
                let correction = said(field.key);
                let offers = if correction.is_some() { degrees::corrections(scenario, field.key) } else { Vec::new() };
                Self::Number(NumberField { correction, offers, ..field })
            }
            Self::Choice(field) => Self::Choice(ChoiceField { correction: said(field.key), ..field }),
        }
    }
}

/// The control of one row.
pub fn field(param: &'static Param, scenario: &Scenario, drafts: &[Draft], preset: &Scenario) -> Field {
    match param.kind {
        Kind::Number(number) => {
            let draft = drafts.iter().find(|draft| draft.key == param.id);
            Field::Number(number_field(param, &number.within(scenario), scenario, draft, preset))
        }
        Kind::Choice(choice) => Field::Choice(choice_field(param, &choice, scenario, preset)),
    }
}

fn number_field(
    param: &'static Param,
    number: &Number,
    scenario: &Scenario,
    draft: Option<&Draft>,
    preset: &Scenario,
) -> NumberField {
    let at = (number.get)(scenario);
    let shown = |value: f64| AttrValue::from(quantity::with_unit(number.unit, value));
    let refusal = draft.and_then(|draft| draft.refusal.as_ref());
    NumberField {
        key: param.id,
        label: param.label,
        help: param.help,
        index: scale::slider_index(number, at),
        last: scale::slider_steps(number),
        text: draft.map_or_else(|| catalog::field_text(number, scenario), |draft| draft.text.clone()).into(),
        unit: quantity::unit_label(number.unit),
        value: if number.unit == Unit::Params { catalog::model_size(&scenario.model).into() } else { shown(at) },
        error: refusal.map(|refusal| AttrValue::from(refusal.message.clone())),
        nearest: refusal.map(|refusal| shown(refusal.nearest)),
        correction: None,
        offers: Vec::new(),
        preset: preset::is_changed(param, scenario, preset).then(|| shown((number.get)(preset))),
        applies: applies(param, scenario),
        is_nudged: param.group == Group::Architecture && number.integer && number.scale == Scale::PowersOfTwo,
        note: (param.id == ParamId::GpuHourPrice).then(|| price(scenario).into()),
    }
}

/// Whether a row has an effect; of the architecture all rows do, as changing one makes the model
/// custom.
fn applies(param: &Param, scenario: &Scenario) -> bool {
    param.group == Group::Architecture || (param.applies)(scenario)
}

fn choice_field(param: &'static Param, choice: &Choice, scenario: &Scenario, preset: &Scenario) -> ChoiceField {
    let usual = choice.options.get((choice.get)(preset)).map_or("", |option| option.label);
    ChoiceField {
        key: param.id,
        label: param.label,
        help: param.help,
        options: choice.options,
        chosen: (choice.get)(scenario),
        correction: None,
        preset: preset::is_changed(param, scenario, preset).then_some(AttrValue::Static(usual)),
        applies: applies(param, scenario),
    }
}

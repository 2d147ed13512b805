//! Values that each control shows, from the state and the table of parameters.

mod layout;
mod price;

pub use layout::{Layout, OfferedValue, Step, product, step_id, write_batch_change};
pub use price::price;
use yew::AttrValue;

use crate::state::Draft;
use analysis::neighbour_layouts;
use catalog::preset;
use engine::params::scale;
use engine::params::{Choice, Group, Number, Param, ParamId, ParamKind, Scale, Unit, quantity};
use engine::scenario::Scenario;
use engine::scenario::issue::{Issue, Severity};

/// A slider with its typed field.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberField {
    /// The parameter.
    pub key: ParamId,
    /// Accessible name.
    pub label: &'static str,
    /// Help text.
    pub help: &'static str,
    /// Position of the slider.
    pub index: u32,
    /// Last position of the slider.
    pub last: u32,
    /// Value with its unit.
    pub value: AttrValue,
    /// Text of the typed field: the value, or the text being typed.
    pub text: AttrValue,
    /// Unit, shown next to the field.
    pub unit: &'static str,
    /// Error in the typed text, as a sentence.
    pub error: Option<AttrValue>,
    /// Nearest valid value, with its unit.
    pub nearest: Option<AttrValue>,
    /// Reason why the page computes with another value, as a sentence.
    pub correction: Option<AttrValue>,
    /// Nearest valid values, if the page computes with another value.
    pub offers: Vec<u32>,
    /// The preset's value, if the field's value differs from it.
    pub preset: Option<AttrValue>,
    /// Whether the parameter has an effect.
    pub applies: bool,
    /// Whether arrow keys set the value one step above or below, rather than move the slider to its
    /// next position.
    pub is_nudged: bool,
    /// Source of a value that goes out of date.
    pub note: Option<AttrValue>,
}

/// A choice among options.
#[derive(Clone, Debug, PartialEq)]
pub struct ChoiceField {
    /// The parameter.
    pub key: ParamId,
    /// Accessible name.
    pub label: &'static str,
    /// Help text.
    pub help: &'static str,
    /// The options.
    pub options: &'static [engine::params::ChoiceOption],
    /// Index of the chosen option.
    pub chosen: usize,
    /// Reason why the page computes with another option, as a sentence.
    pub correction: Option<AttrValue>,
    /// The preset's option, if the chosen option differs from it.
    pub preset: Option<AttrValue>,
    /// Whether the parameter has an effect.
    pub applies: bool,
}

/// A control for any parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// A number.
    Number(NumberField),
    /// A choice.
    Choice(ChoiceField),
}

impl Field {
    /// Whether the value differs from the preset's.
    pub fn is_changed(&self) -> bool {
        match self {
            Self::Number(field) => field.preset.is_some(),
            Self::Choice(field) => field.preset.is_some(),
        }
    }

    /// Adds the scenario's error about this field, if the page computes with another value, and the
    /// valid values to offer instead.
    #[must_use]
    pub fn corrected(self, scenario: &Scenario, issues: &[Issue]) -> Self {
        let said = |id: ParamId| {
            let about = |issue: &&Issue| issue.severity == Severity::Error && issue.key == Some(id.key());
            issues.iter().find(about).map(|issue| AttrValue::from(issue.text()))
        };
        match self {
            Self::Number(field) => {
                let correction = said(field.key);
                let offers =
                    if correction.is_some() { neighbour_layouts::corrections(scenario, field.key) } else { Vec::new() };
                Self::Number(NumberField { correction, offers, ..field })
            }
            Self::Choice(field) => Self::Choice(ChoiceField { correction: said(field.key), ..field }),
        }
    }
}

/// Returns the control of one parameter.
pub fn field(
    param: &'static Param,
    scenario: &Scenario,
    drafts: &[Draft],
    preset: &Scenario,
    today: Option<i64>,
) -> Field {
    match param.kind {
        ParamKind::Number(number) => {
            let draft = drafts.iter().find(|draft| draft.key == param.id);
            Field::Number(number_field(param, &number.within(scenario), scenario, draft, preset, today))
        }
        ParamKind::Choice(choice) => Field::Choice(choice_field(param, &choice, scenario, preset)),
    }
}

fn number_field(
    param: &'static Param,
    number: &Number,
    scenario: &Scenario,
    draft: Option<&Draft>,
    preset: &Scenario,
    today: Option<i64>,
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
        note: (param.id == ParamId::GpuHourPrice).then(|| price(scenario, today).into()),
    }
}

/// Whether a parameter has an effect. All parameters of the architecture have one, because changing
/// one makes the model custom.
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

//! Access to values of a scenario for rows of the table that a path of fields does not describe.

use super::ChoiceOption;
use crate::model::transformer::Architecture;
use crate::scenario::{Model, Scenario};

/// Options of a switch.
pub(super) const SWITCH: &[ChoiceOption] =
    &[ChoiceOption { key: "no", label: "Off", help: "" }, ChoiceOption { key: "yes", label: "On", help: "" }];

/// Options of a property of a model's shape.
pub(super) const NO_YES: &[ChoiceOption] = &[
    ChoiceOption { key: "no", label: "No", help: "It has none." },
    ChoiceOption { key: "yes", label: "Yes", help: "It has them." },
];

/// A whole number of any width.
pub(super) trait Whole {
    /// Returns the number.
    fn number(self) -> f64;
    /// Rounds to a number that the type can hold; NaN becomes 0.
    fn nearest(value: f64) -> Self;
}

macro_rules! whole {
    ($($of:ty)+) => {
        $(impl Whole for $of {
            #[allow(clippy::cast_lossless, reason = "numbers of 32 and of 64 bits")]
            fn number(self) -> f64 {
                self as f64
            }

            fn nearest(value: f64) -> Self {
                value.round() as Self
            }
        })+
    };
}

whole!(u32 u64 i64);

/// Returns the index of a choice among its options.
pub(super) fn position<T: PartialEq>(all: &[T], chosen: &T) -> usize {
    all.iter().position(|option| option == chosen).unwrap_or(0)
}

/// Sets a field to an option; an index out of range changes nothing.
pub(super) fn choose<T: Copy>(all: &[T], index: usize, field: &mut T) {
    if let Some(&option) = all.get(index) {
        *field = option;
    }
}

/// Returns the shape that a row may change: a custom model's.
pub(super) fn custom(scenario: &mut Scenario) -> Option<&mut Architecture> {
    match &mut scenario.model {
        Model::Custom { architecture } => Some(architecture),
        Model::Preset { .. } | Model::Ladder { .. } | Model::Scaled { .. } => None,
    }
}

/// Returns the shape that a row may change; a mixture of experts of the catalog becomes a custom
/// model.
pub(super) fn mixture(scenario: &mut Scenario) -> Option<&mut Architecture> {
    if let Model::Preset { architecture, .. } | Model::Scaled { architecture, .. } = scenario.model
        && architecture.has_experts()
    {
        scenario.model = Model::Custom { architecture };
    }
    custom(scenario)
}

/// Returns the bounds of the model's size.
pub(super) fn model_sizes(scenario: &Scenario) -> (f64, f64) {
    scenario.model.sizes()
}

/// Size of the model: nominal on the ladder of GPT-style shapes, otherwise along its family.
pub(super) mod model_size {
    use super::Scenario;

    pub(in crate::params) fn get(scenario: &Scenario) -> f64 {
        scenario.model.size()
    }

    pub(in crate::params) fn set(scenario: &mut Scenario, size: f64) {
        scenario.model = scenario.model.resized(size);
    }
}

/// Size of the teacher; the student's until somebody says it.
pub(super) mod teacher_size {
    use super::Scenario;

    pub(in crate::params) fn get(scenario: &Scenario) -> f64 {
        scenario.said_teacher_size()
    }

    pub(in crate::params) fn set(scenario: &mut Scenario, size: f64) {
        scenario.objective.teacher.size = size;
    }
}

/// Tokens of the run, those of its texts if it has any.
pub(super) mod training_tokens {
    use super::Scenario;

    pub(in crate::params) fn get(scenario: &Scenario) -> f64 {
        scenario.said_tokens()
    }

    pub(in crate::params) fn set(scenario: &mut Scenario, tokens: f64) {
        scenario.run.tokens = tokens;
    }
}

/// Share of the GPU's memory that programs get, the one percentage that a data sheet holds as such.
pub(super) mod usable_memory {
    use super::Scenario;

    pub(in crate::params) fn get(scenario: &Scenario) -> f64 {
        scenario.accelerator.values.usable_percent
    }

    pub(in crate::params) fn set(scenario: &mut Scenario, percent: f64) {
        scenario.accelerator.values.usable_percent = percent;
    }
}

/// Format of frozen weights and the tensors that its products keep: one choice, as few formats
/// have several kernels.
pub(super) mod frozen_base {
    use super::{Scenario, choose, position};
    use crate::model::trained::{BaseFormat, ProductsKeep};

    /// Formats in the order of the row's options.
    const BASES: [(BaseFormat, ProductsKeep); 11] = [
        (BaseFormat::Fp32, ProductsKeep::Nothing),
        (BaseFormat::Bf16, ProductsKeep::Nothing),
        (BaseFormat::Fp8, ProductsKeep::Nothing),
        (BaseFormat::Int8, ProductsKeep::Nothing),
        (BaseFormat::Int4, ProductsKeep::Nothing),
        (BaseFormat::Nf4, ProductsKeep::Nothing),
        (BaseFormat::Nf4Double, ProductsKeep::Nothing),
        (BaseFormat::Mxfp4, ProductsKeep::Nothing),
        (BaseFormat::Int4, ProductsKeep::Matrices),
        (BaseFormat::Nf4, ProductsKeep::Inputs),
        (BaseFormat::Nf4Double, ProductsKeep::Inputs),
    ];

    pub(in crate::params) fn get(scenario: &Scenario) -> usize {
        position(&BASES, &(scenario.trained.base, scenario.trained.products_keep))
    }

    pub(in crate::params) fn set(scenario: &mut Scenario, index: usize) {
        let mut base = (scenario.trained.base, scenario.trained.products_keep);
        choose(&BASES, index, &mut base);
        (scenario.trained.base, scenario.trained.products_keep) = base;
    }
}

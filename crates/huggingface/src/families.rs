//! Model families: the defaults of their classes in `transformers`, and how their configs are read.
//! Most are rows of `data/huggingface.toml`; in Rust is what their steps are made of, and families
//! whose layers no row can say.

mod bytes;
mod extra;
mod hybrids;
mod multimodal;
mod reading;
mod widths;
mod zamba;

use super::fields::Fields;
use super::layers::Layers;
use engine::model::transformer::Architecture;
use reading::Reading;

/// Models that one class of `transformers` implements.
pub(super) struct Family {
    /// Display name of the family.
    pub(super) name: &'static str,
    /// The `model_type` values of the family.
    pub(super) types: &'static [&'static str],
    /// The steps of its row.
    read: fn(&mut Reading),
}

impl Family {
    /// Reads the fields of a config.
    pub(super) fn read(&self, fields: &mut Fields) -> Architecture {
        through(self.read, fields, catalog::models::LLAMA_STYLE)
    }
}

/// Every family, in display order.
pub(super) fn all() -> impl Iterator<Item = &'static Family> {
    rows::FAMILIES.iter()
}

/// What a reader makes of a shape.
fn through(reader: fn(&mut Reading), fields: &mut Fields, shape: Architecture) -> Architecture {
    let mut reading = Reading { fields, shape, layers: Layers::default() };
    reader(&mut reading);
    reading.shape
}

/// Reads what nearly all families share.
fn base(fields: &mut Fields, style: Architecture) -> Architecture {
    through(rows::base, fields, style)
}

/// Reads experts, routed and shared.
fn mixture(fields: &mut Fields, shape: Architecture) -> Architecture {
    through(rows::mixture, fields, shape)
}

/// The layers that the lists say.
fn layers(fields: &mut Fields, shape: &Architecture) -> Layers {
    let mut reading = Reading { fields, shape: *shape, layers: Layers::default() };
    reading.layers();
    reading.layers
}

/// Readers and families, which `build/families.rs` makes of `data/huggingface.toml`.
#[allow(unused, clippy::all, clippy::pedantic, reason = "made of formulas as people write them")]
mod rows {
    use super::reading::Reading;
    use super::{Family, bytes, hybrids, multimodal, widths, zamba};
    use catalog::models::{GPT_STYLE, LLAMA_STYLE};
    use engine::model::transformer::pattern::{Mixer, Mlp};
    use engine::model::transformer::recurrent::RecurrentKind;
    use engine::model::transformer::{AttentionBias, FusedProjections, Norm, QkNorm};
    use engine::params::ParamId;

    /// Functions of formulas.
    mod math {
        pub(super) fn floor(value: f64) -> f64 {
            value.floor()
        }

        pub(super) fn ceil(value: f64) -> f64 {
            value.ceil()
        }

        pub(super) fn round(value: f64) -> f64 {
            value.round()
        }

        pub(super) fn sqrt(value: f64) -> f64 {
            value.sqrt()
        }

        pub(super) fn max(one: f64, other: f64) -> f64 {
            one.max(other)
        }

        pub(super) fn known(value: f64, usual: f64) -> f64 {
            if value.is_nan() { usual } else { value }
        }
    }

    /// One of two, by a condition; the other is not asked for.
    macro_rules! pick {
        ($is:expr, $one:expr, $other:expr) => {
            if $is { $one } else { $other }
        };
    }

    /// The first of two that is not 0.
    macro_rules! first {
        ($one:expr, $other:expr) => {
            match $one {
                0.0 => $other,
                value => value,
            }
        };
    }

    include!(concat!(env!("OUT_DIR"), "/families.rs"));
}

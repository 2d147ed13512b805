//! The model to train, and its size.

use super::{CUSTOM, Id};
use crate::model::family::{Family, between, beyond, params};
use crate::model::ladder;
use crate::model::transformer::Architecture;

/// The model to train.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a shape is copied where it is read, and a box would allocate")]
pub enum Model {
    /// A catalog entry.
    Preset {
        /// The identifier in the catalog.
        id: Id,
        /// The shape.
        architecture: Architecture,
        /// The family; `None` for a model without other sizes.
        family: Option<&'static Family>,
    },
    /// A point of the ladder of GPT-style shapes from 1.3B to 310B, by nominal size in parameters.
    Ladder {
        /// Nominal size in parameters.
        size: f64,
    },
    /// A custom shape.
    Custom {
        /// The shape.
        architecture: Architecture,
    },
    /// A named or custom model at another size of its family ([`Model::resized`]).
    Scaled {
        /// The catalog entry of the nearest published size, or [`CUSTOM`].
        id: Id,
        /// The shape of that entry, or the custom shape.
        base: Architecture,
        /// The family.
        family: Option<&'static Family>,
        /// The requested size in parameters.
        size: f64,
        /// The shape at that size.
        architecture: Architecture,
    },
}

/// Returns the smallest size of a model with a list of layers; 0 for others.
fn smallest(shape: &Architecture) -> f64 {
    if shape.pattern.is_used() { params(shape) / SMALLEST_OF_A_LIST } else { 0.0 }
}

/// Ratio of the size of a model with a list of layers to the smallest size that it can be scaled
/// to.
const SMALLEST_OF_A_LIST: f64 = 50.0;

impl Model {
    /// Returns the shape.
    pub fn architecture(&self) -> Architecture {
        match *self {
            Self::Preset { architecture, .. } | Self::Custom { architecture } | Self::Scaled { architecture, .. } => {
                architecture
            }
            Self::Ladder { size } => ladder::architecture(size),
        }
    }

    /// Returns the value of the model-size slider: the nominal size on the ladder, the requested
    /// size of a scaled model, otherwise the exact parameter count.
    pub fn size(&self) -> f64 {
        match *self {
            Self::Ladder { size } | Self::Scaled { size, .. } => size,
            Self::Preset { architecture, .. } | Self::Custom { architecture } => params(&architecture),
        }
    }

    /// Returns the family, if it has one.
    pub fn family(&self) -> Option<&'static Family> {
        match *self {
            Self::Preset { family, .. } | Self::Scaled { family, .. } => family,
            Self::Ladder { .. } | Self::Custom { .. } => None,
        }
    }

    /// Returns the model that a scaled one is made from: the catalog entry, or the custom shape.
    /// Returns other models unchanged.
    #[must_use]
    pub fn unscaled(&self) -> Self {
        match *self {
            Self::Scaled { id: CUSTOM, base, .. } => Self::Custom { architecture: base },
            Self::Scaled { id, base, family, .. } => Self::Preset { id, architecture: base, family },
            other => other,
        }
    }

    /// Whether the model is a point of the ladder.
    pub fn is_on_ladder(&self) -> bool {
        matches!(self, Self::Ladder { .. })
    }

    /// Returns the published sizes of the model: its own, and those of its family. None on the
    /// ladder.
    pub fn published(&self) -> impl Iterator<Item = f64> {
        let (base, family) = match self {
            Self::Ladder { .. } => (None, None),
            Self::Custom { architecture } => (Some(params(architecture)), None),
            Self::Preset { architecture: base, family, .. } | Self::Scaled { base, family, .. } => {
                (Some(params(base)), *family)
            }
        };
        let members = family.filter(|family| !family.on_ladder).map_or(&[][..], |family| family.members);
        base.into_iter().chain(members.iter().map(|member| params(&member.architecture)))
    }

    /// Returns the smallest and the largest size of the slider: those of the ladder, extended by
    /// the family's published sizes; for a model with a list of layers, no size so small that one
    /// layer more or less would be most of the model.
    pub fn sizes(&self) -> (f64, f64) {
        let (low, high) = ladder::SIZES;
        let with = |(low, high): (f64, f64), shape: &Architecture| {
            let size = params(shape).max(1.0);
            (low.min(size), high.max(size))
        };
        match self {
            Self::Ladder { .. } => (low, high),
            Self::Custom { architecture } => with((smallest(architecture).max(low), high), architecture),
            Self::Preset { architecture: base, family, .. } | Self::Scaled { base, family, .. } => {
                let members = family.map_or(&[][..], |family| family.members);
                let low = smallest(base).max(low);
                members.iter().map(|member| &member.architecture).fold(with((low, high), base), with)
            }
        }
    }

    /// Returns the model at another size: another point of the ladder; a named model along its
    /// family's published sizes, a custom one in its own proportions ([`crate::model::family`]). A
    /// size within a hundredth of a published one gives the published model; a size beyond
    /// [`Self::sizes`] gives the nearest.
    #[must_use]
    pub fn resized(&self, size: f64) -> Self {
        let (least, most) = self.sizes();
        let (id, base, family) = match *self {
            Self::Ladder { .. } => return Self::Ladder { size },
            Self::Preset { id, architecture, family } => (id, architecture, family),
            Self::Custom { architecture } => (CUSTOM, architecture, None),
            Self::Scaled { id, base, family, .. } => (id, base, family),
        };
        // NaN changes nothing.
        let size = if size.is_nan() { self.size() } else { size.max(least).min(most) };
        if family.is_some_and(|family| family.on_ladder) {
            if means(&base, size) {
                return *self;
            }
            return Self::Ladder { size: size.max(ladder::SIZES.0).min(ladder::SIZES.1) };
        }
        let Some(found) = family else {
            return match (means(&base, size), id) {
                (true, CUSTOM) => Self::Custom { architecture: base },
                (true, id) => Self::Preset { id, architecture: base, family },
                _ => Self::Scaled { id, base, family, size, architecture: beyond(&base, size) },
            };
        };
        let (near, architecture) = match found.around(size) {
            (Some(below), Some(above)) => {
                let halfway = params(&below.architecture) * params(&above.architecture);
                let near = if size * size < halfway { below } else { above };
                (near, between(&below.architecture, &above.architecture, size))
            }
            (Some(end), None) | (None, Some(end)) => (end, beyond(&end.architecture, size)),
            (None, None) => return *self,
        };
        let (id, base) = (near.id, near.architecture);
        if means(&base, size) {
            return Self::Preset { id, architecture: base, family };
        }
        Self::Scaled { id, base, family, size, architecture }
    }
}

/// Whether a size refers to a shape's own size: within a hundredth, as 8B refers to the 8.03B of
/// Llama 3.1 8B.
fn means(shape: &Architecture, size: f64) -> bool {
    const NEAR: f64 = 0.01;
    (size / params(shape) - 1.0).abs() < NEAR
}

//! Models: shapes from their public configurations, with exact parameter counts. Rows of
//! `data/models.csv` and `data/architectures.toml`.

use super::ModelEntry;
use engine::model::transformer::pattern::{LayerKind, Mixer, Mlp};
use engine::model::transformer::recurrent::RecurrentKind;
use engine::model::transformer::{
    Architecture, AttentionBias, Experts, ExtraParams, FusedProjections, LatentAttention, Norm, Pattern, QkNorm,
    Recurrent, Tower,
};
pub use engine::model::transformer::{GPT_STYLE, LLAMA_STYLE};

/// Every model of the catalog, family by family.
pub const MODELS: &[ModelEntry] = &ALL;

include!(concat!(env!("OUT_DIR"), "/models.rs"));

//! A model that a program's keys describe by its numbers.

use engine::params::ParamId;
use engine::scenario::Model;
use links::v1::CUSTOM_SHAPE;

use super::numbers::factor;
use super::words::row_said;
use crate::run::draft::Draft;
use crate::run::keys::Keys;
use programs::keys::Table;

/// Parts of a model's shape, with their parameters.
pub(super) const SHAPE: [(&str, ParamId); 17] = [
    ("layers", ParamId::Layers),
    ("hidden", ParamId::HiddenSize),
    ("heads", ParamId::AttentionHeads),
    ("kv", ParamId::KvHeads),
    ("headdim", ParamId::HeadDim),
    ("ffn", ParamId::MlpWidth),
    ("vocab", ParamId::VocabSize),
    ("experts", ParamId::Experts),
    ("topk", ParamId::TopK),
    ("effn", ParamId::ExpertWidth),
    ("sharedffn", ParamId::SharedExpertWidth),
    ("firstdense", ParamId::FirstDenseLayers),
    ("kvrank", ParamId::KvRank),
    ("qrank", ParamId::QueryRank),
    ("nope", ParamId::NopeHeadDim),
    ("rope", ParamId::RopeHeadDim),
    ("vdim", ParamId::ValueHeadDim),
];

/// Returns the link's key of a part of a shape.
pub(in crate::run) fn shape_key(part: &str) -> Option<&'static str> {
    SHAPE.iter().find_map(|(name, id)| (*name == part).then(|| id.key()))
}

/// Makes the model a custom shape, described by numbers.
pub(super) fn described(draft: &mut Draft) {
    if !matches!(draft.scenario.model, Model::Custom { .. }) || !draft.has_model {
        draft.scenario.model = Model::Custom { architecture: CUSTOM_SHAPE };
        draft.has_model = true;
    }
}

/// Sets the model by the numbers of its shape, if no name leads to a model; returns whether a shape
/// was found.
pub(super) fn shape(table: &'static Table, keys: &mut Keys, draft: &mut Draft) -> bool {
    let mut number = |part: &str| {
        let is = format!("shape.{part}");
        let row = row_said(table, &is, keys)?;
        let names: Vec<&str> = row.name.iter().map(String::as_str).collect();
        let multiple = keys.count(&[row.multiple_of.as_str()]).map_or(1, |found| found.value);
        let factor = factor(row, keys)?;
        // Clamped to the bounds of a shape; the model is checked as a whole afterwards.
        keys.number(&names).filter(|found| found.value > 0.0).map(|found| {
            let scaled = (found.value * factor).round();
            found.with((scaled.clamp(1.0, 16_777_216.0) as u32).div_ceil(multiple).saturating_mul(multiple))
        })
    };
    let Some(layers) = number("layers") else { return false };
    let mut arch = CUSTOM_SHAPE;
    let usual = |part: &str| -> Option<u32> { table.usual.get(&format!("shape.{part}"))?.to_string().parse().ok() };
    let mut within = |part: &str, other: u32, most: u32| {
        let value = number(part).map_or_else(|| usual(part).unwrap_or(other), |found| found.value);
        value.clamp(1, most)
    };
    arch.num_hidden_layers = layers.value.min(2048);
    arch.hidden_size = within("hidden", 4096, 262_144);
    arch.num_attention_heads = within("heads", 32, 4096);
    arch.num_key_value_heads = within("kv", arch.num_attention_heads, 4096);
    arch.head_dim = within("headdim", (arch.hidden_size / arch.num_attention_heads).max(1), 262_144);
    arch.intermediate_size = within("ffn", arch.hidden_size.saturating_mul(4), 2_097_152);
    arch.vocab_size = within("vocab", 50_304, 16_777_216);
    draft.scenario.model = Model::Custom { architecture: arch };
    draft.has_model = true;
    draft.names_unknown_model = false;
    draft.record(&layers, format!("A model of {} layers and H = {}", arch.num_hidden_layers, arch.hidden_size));
    let mut is_mixture = false;
    for (part, id) in SHAPE.iter().skip(7) {
        let found = number(part);
        is_mixture |= *id == ParamId::Experts && found.is_some();
        let width = (*id == ParamId::ExpertWidth).then_some(arch.intermediate_size);
        match usual(part).or(width) {
            Some(usual) if found.is_none() && is_mixture => draft.set_number(*id, f64::from(usual)),
            _ => drop(draft.number(found, *id)),
        }
    }
    true
}

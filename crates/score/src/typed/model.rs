//! Converts the model's name and optional shape of a row to an architecture.

mod lookalike;
mod name;
mod sized;
mod style;

use super::stack::Stack;
use crate::row::Row;
use crate::text::has;
use crate::{LeftOut, Notes};
use catalog::{ModelEntry, names};
use engine::model::transformer::{Architecture, AttentionBias, Experts};
use engine::scenario::Model;
use engine::scenario::resolve::nearest_divisor;

use name::Name;

/// Default head dimension, used by GPT-3's large models and most later ones.
const USUAL_HEAD: u32 = 128;
/// Relative rounding error of a parameter count.
const ROUNDED: f64 = 1e-3;
/// Relative rounding error of sizes in names of mixtures.
const ROUNDED_MIXTURE: f64 = 0.05;
/// Maximum plausible hidden size; larger values are errors.
const WIDEST: u32 = 1 << 20;

/// Returns the row's model: the catalog entry of the name if the columns agree, or else a shape
/// from the columns in the style of the family.
///
/// # Errors
///
/// Returns the name of a column that the shape requires.
pub(super) fn model(row: &Row, stack: Stack, notes: &mut Notes) -> Result<Model, LeftOut> {
    // Lit-GPT has an untied output head for all models (`lm_head` and `transformer.wte`,
    // litgpt/model.py).
    if stack == Stack::Fabric {
        let architecture = Architecture { tie_word_embeddings: false, ..trunk(row, stack, notes)?.architecture() };
        return Ok(Model::Custom { architecture });
    }
    trunk(row, stack, notes)
}

/// Returns the model by name or by columns.
fn trunk(row: &Row, stack: Stack, notes: &mut Notes) -> Result<Model, LeftOut> {
    // These stacks use names of other models for their own shapes.
    let own_shapes = row.layers.is_some() && matches!(stack, Stack::Composer | Stack::Modalities);
    let named = if own_shapes { None } else { Name::parse(&row.model).find() };
    if let Some(cut) = named.and_then(|entry| proxy(row, entry)) {
        notes.add("the named model's shape with fewer layers");
        return Ok(Model::Custom { architecture: cut });
    }
    let Some(entry) = named.filter(|entry| agrees(row, entry)) else {
        return if row.layers.is_some() || row.hidden.is_some() {
            shaped(row, stack, notes)
        } else {
            unlisted(row, stack, notes)
        };
    };
    if row.layers.is_none() || row.hidden.is_none() {
        notes.add(format!("shape of {} from the catalog", entry.name));
    }
    let architecture = overridden(row, entry.architecture);
    // An exact parameter count may show that another style was trained under this name
    // (llm-foundry's benchmarks).
    if row.layers.is_some() && !matches(row, &architecture) {
        return shaped(row, stack, notes);
    }
    Ok(if architecture == entry.architecture { entry.pick() } else { Model::Custom { architecture } })
}

/// Returns a listed model's shape with the row's number of layers, if the row is a proxy of the
/// listed model.
fn proxy(row: &Row, entry: &ModelEntry) -> Option<Architecture> {
    let shape = entry.architecture;
    let layers = row.layers.filter(|layers| *layers < shape.num_hidden_layers)?;
    let is_cut = has(&row.model, &["proxy"]) && row.params.is_none();
    let whole = Row { layers: None, ..row.clone() };
    (is_cut && agrees(&whole, entry)).then(|| Architecture { num_hidden_layers: layers, ..overridden(row, shape) })
}

/// Returns the model of a name outside the catalog, for rows without a shape.
fn unlisted(row: &Row, stack: Stack, notes: &mut Notes) -> Result<Model, LeftOut> {
    if let Some((layers, hidden, vocab)) = sized::told(row) {
        let full = Row { layers: Some(layers), hidden: Some(hidden), vocab: row.vocab.or(vocab), ..row.clone() };
        return shaped(&full, stack, notes);
    }
    let listed = || names::model_named(&row.model).map(|found| (found.entry.pick(), shape_note(row, found.entry)));
    let known = lookalike::find(row).or_else(listed);
    // A size alone does not determine a shape well enough for step times, but does for the memory
    // of fine-tuning.
    let by_size = || (!row.trainable.is_empty()).then(|| sized::find(row, stack)).flatten();
    match known.or_else(by_size) {
        Some((model, note)) => {
            notes.add(note);
            Ok(model)
        }
        None => shaped(row, stack, notes),
    }
}

fn shape_note(row: &Row, entry: &ModelEntry) -> String {
    format!("shape of {} taken for {}", entry.name, row.model)
}

/// Returns whether the entry's shape agrees with all filled columns.
fn agrees(row: &Row, entry: &ModelEntry) -> bool {
    let same = |said: Option<u32>, known: u32| said.is_none_or(|said| said == known);
    let shape = &entry.architecture;
    same(row.layers, shape.num_hidden_layers)
        && same(row.hidden, shape.hidden_size)
        && same(row.heads, shape.num_attention_heads)
        && (same(row.ffn_hidden, shape.intermediate_size) || same(row.ffn_hidden, shape.experts.moe_intermediate_size))
        && agrees_on_experts(row, shape)
}

/// Returns whether the row's parameter count equals the architecture's, within rounding.
fn matches(row: &Row, shape: &Architecture) -> bool {
    let rounding = if shape.has_experts() { ROUNDED_MIXTURE } else { ROUNDED };
    row.params.is_none_or(|params| (shape.params() as f64 / params - 1.0).abs() < rounding)
}

/// Returns the entry's shape, overridden by values of the row.
fn overridden(row: &Row, shape: Architecture) -> Architecture {
    Architecture {
        vocab_size: row.vocab.unwrap_or(shape.vocab_size),
        num_key_value_heads: row.kv_heads.unwrap_or(shape.num_key_value_heads),
        ..shape
    }
}

/// Builds a shape from the columns of the row.
fn shaped(row: &Row, stack: Stack, notes: &mut Notes) -> Result<Model, LeftOut> {
    let (Some(layers), Some(hidden)) = (row.layers, row.hidden) else {
        return Err(if row.model.is_empty() {
            LeftOut::missing("model")
        } else if row.layers.is_some() || row.hidden.is_some() {
            LeftOut::missing("hidden or layers")
        } else {
            LeftOut::because("the model is not in the catalog and the row has no shape").about(&row.model)
        });
    };
    let heads = row.heads.unwrap_or_else(|| usual_heads(hidden, row.tp.unwrap_or(1), notes));
    let styles = style::candidates(row, stack);
    let sized = |style: &Architecture| {
        let gated = style.gated_mlp;
        let intermediate_size =
            row.ffn_hidden.map(|width| padded_width(stack, width)).or_else(|| (!gated).then_some(4 * hidden))?;
        let vocab_size = row.vocab.unwrap_or(style.vocab_size);
        let dense = Architecture {
            num_hidden_layers: layers,
            hidden_size: hidden,
            num_attention_heads: heads,
            num_key_value_heads: row.kv_heads.unwrap_or(heads),
            head_dim: head_width(style, hidden, heads),
            intermediate_size,
            vocab_size,
            learned_positions: if style.learned_positions > 0 { row.seq_len.unwrap_or(0) } else { 0 },
            ..*style
        };
        with_experts(row, dense)
    };
    let shapes: Vec<Architecture> = styles.iter().filter_map(sized).collect();
    let architecture = style::nearest(&shapes, row.params).ok_or_else(|| LeftOut::missing("ffn_hidden"))?;
    if row.ffn_hidden.is_none() {
        notes.add(format!("MLP of 4 H = {} assumed", architecture.intermediate_size));
    }
    if row.vocab.is_none() {
        notes.add(format!("vocabulary of {} assumed, the family's", architecture.vocab_size));
    }
    Ok(Model::Custom { architecture })
}

/// Returns the number of heads with the usual head dimension, or the nearest number that divides H
/// and divides evenly over tensor parallelism.
fn usual_heads(hidden: u32, tp: u32, notes: &mut Notes) -> u32 {
    let shared = if hidden.is_multiple_of(tp) { tp } else { 1 };
    let wanted = hidden / USUAL_HEAD / shared;
    // A hidden size above the maximum is reported later, by the bounds check.
    let heads = if hidden > WIDEST { 1 } else { shared * nearest_divisor(hidden / shared, wanted.max(1)) };
    notes.add(format!("{heads} heads of {} assumed", hidden / heads.max(1)));
    heads
}

fn head_width(style: &Architecture, hidden: u32, heads: u32) -> u32 {
    // A family whose heads do not add up to H keeps its head dimension.
    let fills = style.head_dim * style.num_attention_heads == style.hidden_size;
    if fills || style.head_dim == 0 { hidden / heads.max(1) } else { style.head_dim }
}

/// Returns the MLP width used by the code: InternEvo rounds the width up to a multiple of 256
/// (`multiple_of` of its `FeedForward`).
fn padded_width(stack: Stack, width: u32) -> u32 {
    if stack == Stack::InternEvo { width.next_multiple_of(256) } else { width }
}

/// Returns whether the columns describe experts.
pub(super) fn has_experts(row: &Row) -> bool {
    row.n_experts.is_some_and(|experts| experts > 1)
}

/// Returns a dense shape with the experts of the row. Its linear layers have no biases, as Megatron
/// requires with experts. `None` if the expert width or the number of experts per token is missing.
fn with_experts(row: &Row, dense: Architecture) -> Option<Architecture> {
    if !has_experts(row) {
        return Some(dense);
    }
    let experts = Experts {
        num_experts: row.n_experts?,
        num_experts_per_tok: row.top_k?,
        moe_intermediate_size: row.moe_ffn_hidden.or(row.ffn_hidden)?,
        ..Experts::NONE
    };
    Some(Architecture { attention_bias: AttentionBias::None, mlp_bias: false, experts, ..dense })
}

/// Returns whether a shape's experts agree with all filled columns.
fn agrees_on_experts(row: &Row, shape: &Architecture) -> bool {
    let same = |said: Option<u32>, known: u32| said.is_none_or(|said| said == known);
    let experts = shape.experts;
    !has_experts(row)
        || same(row.n_experts, experts.num_experts)
            && same(row.top_k, experts.num_experts_per_tok)
            && same(row.moe_ffn_hidden, experts.moe_intermediate_size)
}

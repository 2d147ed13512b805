//! `MaxText`'s mesh, and the policies of recomputation that keep the outputs of some products.

use engine::model::transformer::Architecture;
use engine::params::ParamId;

use crate::run::draft::Draft;
use crate::run::keys::{KeyedValue, Keys};

/// Reads over how many devices weights are replicated and sharded, inside a slice and between
/// slices; -1 is the remaining degree.
pub(super) fn mesh(keys: &mut Keys, draft: &mut Draft) {
    let axis = |keys: &mut Keys, name: &str| {
        let mut of = |place: &str| {
            let key = format!("{place}_{name}_parallelism");
            keys.number(&[&key]).filter(|found| found.value >= 1.0)
        };
        let (inside, between) = (of("ici"), of("dcn"));
        let product =
            inside.as_ref().map_or(1.0, |found| found.value) * between.as_ref().map_or(1.0, |found| found.value);
        inside.or(between).map(|found| found.with(product as u32))
    };
    let whole = |keys: &mut Keys, name: &str| keys.number(&[name]).is_some_and(|found| found.value < 0.0);
    let left = whole(keys, "ici_fsdp_parallelism")
        || whole(keys, "dcn_data_parallelism")
        || whole(keys, "dcn_fsdp_parallelism")
        || whole(keys, "ici_data_parallelism");
    let (data, fsdp) = (axis(keys, "data"), axis(keys, "fsdp"));
    if !left {
        draft.world.shard = fsdp;
        draft.world.replicate = data;
    } else if let Some(found) = fsdp.filter(|found| found.value > 1) {
        draft.number(Some(found.clone()), ParamId::ShardSize);
        draft.set_option_from(&found, ParamId::Strategy, "hybrid-shard");
    }
    for name in [
        "tensor_sequence",
        "tensor_transpose",
        "sequence",
        "fsdp_transpose",
        "autoregressive",
        "context_autoregressive",
    ] {
        for place in ["ici", "dcn"] {
            let key = format!("{place}_{name}_parallelism");
            if keys.number(&[&key]).is_some_and(|found| found.value > 1.0) {
                draft.assume(format!("{key} is not modelled: its GPUs count as data-parallel ones."));
            }
        }
    }
}

/// Reads a policy that keeps the outputs of some products (src/maxtext/layers/decoders.py).
pub(super) fn kept_products(keys: &mut Keys, draft: &mut Draft) {
    let kept: &[Product] = match keys.peek("remat_policy").unwrap_or_default().as_str() {
        "save_dot_except_mlpwi" => &[Product::QueryKeyValue, Product::Output, Product::MlpOutput],
        "save_qkv_proj" | "qkv_proj_offloaded" => &[Product::QueryKeyValue],
        "save_out_proj" => &[Product::Output],
        _ => return,
    };
    let Some(found) = keys.word(&["remat_policy"]) else { return };
    products(&found, draft, kept);
    if found.value == "qkv_proj_offloaded" {
        draft.set_option(ParamId::OffloadActivations, "yes");
    }
}

/// A matrix product of a layer, or three parallel ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Product {
    QueryKeyValue,
    Output,
    MlpOutput,
}

/// Sets the kept share of activations: the outputs of these products, relative to the outputs of
/// all products of a layer, by columns.
fn products(found: &KeyedValue<String>, draft: &mut Draft, kept: &[Product]) {
    let model = draft.scenario.model.architecture();
    let percent = (100.0 * kept_share(&model, kept)).round();
    draft.set_option_from(found, ParamId::Recompute, "fraction");
    draft.set_number(ParamId::KeepFraction, percent);
    draft.assume(format!(
        "{} keeps {percent} % of what a layer's products put out: as many of its activations.",
        found.value
    ));
}

/// Returns the kept share of the outputs of a layer's products, by columns. In a mixture of
/// experts, the MLP counts once for each expert of a token.
fn kept_share(model: &Architecture, kept: &[Product]) -> f64 {
    let hidden = f64::from(model.hidden_size);
    let (copies, width) = if model.has_experts() {
        (f64::from(model.experts.num_experts_per_tok), f64::from(model.experts.moe_intermediate_size))
    } else {
        (1.0, f64::from(model.intermediate_size))
    };
    let mlp_input = copies * width * if model.gated_mlp { 2.0 } else { 1.0 };
    let outputs = [
        (Product::QueryKeyValue, model.query_width() + 2.0 * model.key_value_width()),
        (Product::Output, hidden),
        (Product::MlpOutput, copies * hidden),
    ];
    let all: f64 = mlp_input + outputs.iter().map(|(_, columns)| columns).sum::<f64>();
    outputs.iter().filter(|(product, _)| kept.contains(product)).map(|(_, columns)| columns).sum::<f64>() / all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Llama 2 7B: 32 heads of 128 for queries, keys and values, an MLP of 11,008 (its
    /// config.json): 12,288 columns of 12,288 + 4,096 + 2 x 11,008 + 4,096 = 42,496.
    #[test]
    fn a_policy_keeps_the_products_that_it_names() {
        let model = catalog::model("llama-2-7b").unwrap().architecture;
        let share = |kept: &[Product]| kept_share(&model, kept);
        assert_eq!(share(&[Product::QueryKeyValue]), 12_288.0 / 42_496.0);
        assert_eq!(share(&[Product::Output]), 4_096.0 / 42_496.0);
        assert_eq!(share(&[Product::QueryKeyValue, Product::Output, Product::MlpOutput]), 20_480.0 / 42_496.0);
    }
}

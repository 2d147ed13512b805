//! `MaxText`: its YAML and the arguments of its scripts (src/maxtext/configs/base.yml).

use catalog::programs::Program;
use engine::model::software::{AttentionKernel, Graphs, Kernels, Loss};
use engine::model::training::RecomputeModules;
use engine::model::transformer::Architecture;
use engine::params::ParamId;
use engine::scenario::Model;
use links::v1::CUSTOM_SHAPE;

use super::shared;
use crate::run::draft::Draft;
use crate::run::keys::{KeyedValue, Keys};

/// Reads a file or arguments.
pub(super) fn read(keys: &mut Keys, draft: &mut Draft) {
    draft.program(Program::Maxtext, keys);
    // XLA compiles the step into one program with fused element-wise work and loss.
    draft.scenario.kernels = Kernels {
        attention: AttentionKernel::FlashTuned,
        loss: Loss::Chunked,
        compile: true,
        graphs: Graphs::Step,
        ..Kernels::USUAL
    };
    draft.set_option(ParamId::Recipe, "fsdp2-bf16-reduce16");
    draft.set_option(ParamId::Strategy, "full-shard");
    draft.has_strategy = true;
    model(keys, draft);
    // base.yml: `max_target_length: 2048`, `per_device_batch_size: 12.0`, `remat_policy: 'full'`.
    let length = keys.count(&["max_target_length"]);
    if length.is_none() {
        draft.set_number(ParamId::SequenceLength, 2048.0);
        draft.has_length = true;
        draft.assume("Sequences of 2,048 tokens, MaxText's default.");
    }
    draft.length(length);
    draft.batch.per_device = keys.number(&["per_device_batch_size"]).filter(|found| found.value > 0.0);
    draft.batch.default_micro_batch = 12;
    draft.batch.accum = keys.count(&["gradient_accumulation_steps"]);
    draft.batch.steps = keys.number(&["steps"]).filter(|found| found.value > 0.0);
    parallelism(keys, draft);
    recomputation(keys, draft);
    if let Some(found) = keys.word(&["attention"]) {
        let kernel = if found.value == "autoselected" || found.value == "flash" {
            "cudnn".to_owned()
        } else {
            found.value.clone()
        };
        shared::attention(Some(found.with(kernel)), draft);
    }
    if let Some(found) = keys.word(&["quantization"]) {
        if found.value.contains("fp8") || found.value == "int8" {
            draft.set_option_from(&found, ParamId::ComputeFormat, "fp8");
        } else {
            draft.unknown(&found, ParamId::ComputeFormat);
        }
    }
    if let Some(found) = keys.word(&["weight_dtype"]).filter(|found| found.value == "bfloat16") {
        draft.set_option_from(&found, ParamId::Recipe, "pure-bf16");
    }
    if let Some(found) = keys.word(&["opt_type"]) {
        shared::optimizer(Some(found), draft);
    }
    draft.set_flag(keys.flag(&["optimizer_memory_host_offload"]), ParamId::OffloadOptimizer);
    draft.set_flag(keys.flag(&["enable_dropout"]), ParamId::Dropout);
    draft.number(keys.number(&["capacity_factor"]).filter(|found| found.value >= 1.0), ParamId::CapacityFactor);
    for key in [
        "sparse_matmul",
        "megablox",
        "dtype",
        "scan_layers",
        "skip_first_n_steps_for_profiler",
        "reuse_example_batch",
        "enable_checkpointing",
        "async_checkpointing",
        "logits_via_embedding",
    ] {
        keys.skip(&[key]);
    }
}

fn model(keys: &mut Keys, draft: &mut Draft) {
    let named = keys.text(&["model_name"]).filter(|found| found.value != "default");
    let Some(layers) = keys.count(&["base_num_decoder_layers"]) else {
        if let Some(found) = named {
            draft.model_named(&found);
        }
        return;
    };
    if draft.has_model {
        return;
    }
    let mut number = |name: &str, usual: u32| keys.count(&[name]).map_or(usual, |found| found.value);
    let mut arch = CUSTOM_SHAPE;
    arch.num_hidden_layers = layers.value.min(2048);
    // Default shape of base.yml.
    arch.hidden_size = number("base_emb_dim", 2048).clamp(1, 262_144);
    arch.num_attention_heads = number("base_num_query_heads", 16).clamp(1, 4096);
    arch.num_key_value_heads = number("base_num_kv_heads", 16).clamp(1, 4096);
    arch.head_dim = number("head_dim", 128).clamp(1, 262_144);
    arch.intermediate_size = number("base_mlp_dim", 7168).clamp(1, 2_097_152);
    arch.vocab_size = number("vocab_size", 32_000).clamp(1, 16_777_216);
    let window = number("sliding_window_size", 1);
    let acts = keys.list(&["mlp_activations"]);
    arch.gated_mlp = acts.is_none_or(|found| found.value.len() > 1);
    draft.scenario.model = Model::Custom { architecture: arch };
    draft.has_model = true;
    draft.record(&layers, format!("A model of {} layers and H = {}", arch.num_hidden_layers, arch.hidden_size));
    draft.set_flag(keys.flag(&["logits_via_embedding"]), ParamId::TiedEmbeddings);
    if window > 1 {
        draft.set_number(ParamId::SlidingWindow, f64::from(window));
    }
    if let Some(experts) = keys.count(&["num_experts"]).filter(|found| found.value > 1) {
        draft.number(Some(experts), ParamId::Experts);
        draft.number(keys.count(&["num_experts_per_tok"]), ParamId::TopK);
        draft.set_number(ParamId::ExpertWidth, f64::from(arch.intermediate_size));
        let width = keys.count(&["base_moe_mlp_dim"]);
        let each = width.as_ref().map_or(arch.intermediate_size, |found| found.value);
        draft.number(width, ParamId::ExpertWidth);
        draft.number(keys.count(&["first_num_dense_layers"]), ParamId::FirstDenseLayers);
        if let Some(shared) = keys.count(&["shared_experts"]) {
            draft.number(Some(shared.with(shared.value.saturating_mul(each))), ParamId::SharedExpertWidth);
        }
        draft.number(keys.count(&["n_routing_groups"]), ParamId::ExpertGroups);
        draft.number(keys.count(&["topk_routing_group"]), ParamId::TopKGroups);
    }
    if keys.word(&["attention_type"]).is_some_and(|found| found.value == "mla") {
        for (name, id) in [
            ("kv_lora_rank", ParamId::KvRank),
            ("q_lora_rank", ParamId::QueryRank),
            ("qk_nope_head_dim", ParamId::NopeHeadDim),
            ("qk_rope_head_dim", ParamId::RopeHeadDim),
            ("v_head_dim", ParamId::ValueHeadDim),
        ] {
            draft.number(keys.count(&[name]), id);
        }
    }
    if let Some(found) = named {
        draft.record(&found, "The model's name");
    }
}

/// Reads the axes of the mesh inside a slice and between slices; -1 is the remaining degree.
fn parallelism(keys: &mut Keys, draft: &mut Draft) {
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
    for (name, id) in
        [("tensor", ParamId::Tp), ("context", ParamId::Cp), ("pipeline", ParamId::Pp), ("expert", ParamId::Ep)]
    {
        draft.number(axis(keys, name), id);
    }
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

/// Reads the policy of recomputation (src/maxtext/layers/decoders.py), which names the tensors to
/// keep.
fn recomputation(keys: &mut Keys, draft: &mut Draft) {
    let Some(found) = keys.word(&["remat_policy"]) else { return };
    match found.value.as_str() {
        "full" => draft.set_option_from(&found, ParamId::Recompute, "full"),
        // Outputs of all matrix products are kept; element-wise work is recomputed.
        "minimal"
        | "minimal_with_context"
        | "minimal_with_quantization"
        | "minimal_with_context_and_quantization"
        | "minimal_flash" => draft.set_option_from(&found, ParamId::Recompute, "selective"),
        "none" => draft.set_option_from(&found, ParamId::Recompute, "none"),
        "minimal_offloaded" => {
            draft.set_option_from(&found, ParamId::Recompute, "selective");
            draft.set_option(ParamId::OffloadActivations, "yes");
        }
        "save_dot_with_context_except_mlp" => {
            modules(&found, draft, RecomputeModules { mlp: true, layernorm: true, ..RecomputeModules::NONE });
        }
        "save_dot_except_mlp" => {
            modules(
                &found,
                draft,
                RecomputeModules { core_attn: true, mlp: true, layernorm: true, ..RecomputeModules::NONE },
            );
        }
        "save_dot_except_mlpwi" => {
            products(&found, draft, &[Product::QueryKeyValue, Product::Output, Product::MlpOutput]);
        }
        "save_qkv_proj" => products(&found, draft, &[Product::QueryKeyValue]),
        "qkv_proj_offloaded" => {
            products(&found, draft, &[Product::QueryKeyValue]);
            draft.set_option(ParamId::OffloadActivations, "yes");
        }
        "save_out_proj" => products(&found, draft, &[Product::Output]),
        "custom" => {
            draft.set_option_from(&found, ParamId::Recompute, "full");
            draft.assume("The tensors of a custom policy are not read: all is recomputed.");
        }
        _ => draft.unknown(&found, ParamId::Recompute),
    }
}

fn modules(found: &KeyedValue<String>, draft: &mut Draft, modules: RecomputeModules) {
    draft.set_option_from(found, ParamId::Recompute, "modules");
    draft.scenario.recompute_modules = modules;
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

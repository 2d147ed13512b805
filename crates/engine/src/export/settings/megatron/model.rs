//! The model's shape in Megatron's flags.

use super::Flags;
use crate::export::settings::asked::{Asked, Lines, number};
use crate::export::settings::notes;
use crate::model::experts::{AllToAll, Dispatcher};
use crate::model::transformer::{Architecture, AttentionBias, Norm, QkNorm};

/// What the flags leave out of a shape.
pub(super) fn note(asked: &mut Asked) {
    let shape = asked.setup.architecture;
    let one_bias = shape.mlp_bias != (shape.attention_bias == AttentionBias::All);
    let is_other = shape.norm == Norm::LayerNoBias
        || shape.norms_per_layer != 2
        || shape.qk_norm == QkNorm::Full
        || one_bias
        || shape.head_bias
        || shape.embedding_norm
        || shape.attention_chunks
        || (shape.experts.expert_bias && !shape.mlp_bias);
    asked.note(is_other, notes::MEGATRON_SHAPE);
    let run = asked.setup.experts;
    if asked.has_experts() {
        let biased = shape.mlp_bias || shape.attention_bias == AttentionBias::All;
        asked.note(biased && asked.setup.mesh.etp > 1, notes::MEGATRON_EXPERT_BIAS);
        asked.note(run.chunks > 1, notes::NO_CHUNKS);
        asked.note(run.algorithm != AllToAll::Linear, notes::LINEAR_ONLY);
        let without = asked.setup.mesh.tp > 1 && !asked.setup.tensor.sequence_parallel;
        asked.note(without, notes::MEGATRON_EXPERTS_SP);
        asked.note(run.across_micro_batches && !overlaps(asked), notes::MEGATRON_ACROSS);
    }
}

/// Whether exchanges may run beside another micro-batch: Megatron wants a group of experts and, in a pipeline, interleaving, and
/// recomputes nothing as a whole.
fn overlaps(asked: &Asked) -> bool {
    let setup = &asked.setup;
    let pipelined = setup.mesh.pp == 1 || super::interleaves(asked);
    let whole = super::recomputes_whole(asked);
    setup.experts.across_micro_batches && setup.mesh.ep > 1 && pipelined && !whole && !asked.is_fp32()
}

/// The flags.
pub(super) fn write(asked: &Asked, text: &mut Lines) {
    let mut flags = Flags(text);
    let shape = &asked.setup.architecture;
    flags.count("num-layers", shape.num_hidden_layers);
    flags.count("hidden-size", shape.hidden_size);
    flags.count("ffn-hidden-size", shape.intermediate_size);
    attention(shape, &mut flags);
    let learned = shape.learned_positions > 0;
    flags.put("position-embedding-type", if learned { "learned_absolute" } else { "rope" });
    let longest = shape.learned_positions.max(asked.setup.batch.seq_len);
    flags.count("max-position-embeddings", longest);
    flags.count("vocab-size", shape.vocab_size);
    flags.put("make-vocab-size-divisible-by", "1");
    flags.set_if(!shape.tie_word_embeddings, "untie-embeddings-and-output-weights");
    flags.put("normalization", if shape.norm == Norm::Rms { "RMSNorm" } else { "LayerNorm" });
    flags.set_if(shape.gated_mlp, "swiglu");
    let biased = shape.mlp_bias || shape.attention_bias == AttentionBias::All;
    flags.set_if(!biased, "disable-bias-linear");
    flags.set_if(!biased && shape.attention_bias == AttentionBias::Qkv, "add-qkv-bias");
    flags.set_if(shape.qk_norm != QkNorm::None, "qk-layernorm");
    if asked.has_experts() {
        experts(asked, &mut flags);
    }
}

fn attention(shape: &Architecture, flags: &mut Flags) {
    flags.count("num-attention-heads", shape.num_attention_heads);
    if shape.latent.is_used() {
        let latent = &shape.latent;
        flags.set("multi-latent-attention");
        if latent.q_lora_rank > 0 {
            flags.count("q-lora-rank", latent.q_lora_rank);
        }
        flags.count("kv-lora-rank", latent.kv_lora_rank);
        flags.count("qk-head-dim", latent.qk_nope_head_dim);
        flags.count("qk-pos-emb-head-dim", latent.qk_rope_head_dim);
        flags.count("v-head-dim", latent.v_head_dim);
    } else {
        flags.count("kv-channels", shape.head_dim);
        if shape.num_key_value_heads != shape.num_attention_heads {
            flags.set("group-query-attention");
            flags.count("num-query-groups", shape.num_key_value_heads);
        }
    }
    if shape.sliding_window > 0 {
        flags.put("window-size", &[&number(shape.sliding_window), ",0"].concat());
        if shape.global_every > 0 {
            flags.count("window-attn-skip-freq", shape.global_every);
        }
    }
    if shape.attention_sinks {
        flags.put("softmax-type", "learnable");
    }
}

fn experts(asked: &Asked, flags: &mut Flags) {
    let (shape, experts) = (&asked.setup.architecture, &asked.setup.architecture.experts);
    let run = &asked.setup.experts;
    flags.count("num-experts", experts.num_experts);
    flags.count("moe-router-topk", experts.top_k());
    flags.count("moe-ffn-hidden-size", experts.moe_intermediate_size);
    if experts.shared_intermediate_size > 0 {
        flags.count("moe-shared-expert-intermediate-size", experts.shared_intermediate_size);
        flags.set_if(experts.shared_expert_gate, "moe-shared-expert-gate");
    }
    if experts.first_k_dense_replace > 0 || experts.moe_layer_step > 1 {
        flags.put("moe-layer-freq", &layers(shape));
    }
    if experts.n_group > 1 {
        flags.count("moe-router-num-groups", experts.n_group);
        flags.count("moe-router-group-topk", experts.topk_group);
    }
    if experts.router_bias {
        flags.put("moe-router-score-function", "sigmoid");
        flags.set("moe-router-enable-expert-bias");
    }
    let fused = run.dispatcher == Dispatcher::Fused;
    flags.put("moe-token-dispatcher-type", if fused { "flex" } else { "alltoall" });
    flags.set_if(run.grouped, "moe-grouped-gemm");
    flags.set_if(run.grouped && run.fused, "use-transformer-engine-op-fuser");
    flags.set_if(overlaps(asked), "overlap-moe-expert-parallel-comm");
    if run.capacity_factor > 1.0 {
        flags.put("moe-expert-capacity-factor", &run.capacity_factor.to_string());
        flags.set_if(!fused, "moe-pad-expert-input-to-capacity");
    }
}

/// Which layers have experts, as a Python expression.
fn layers(shape: &Architecture) -> String {
    let (all, experts) = (shape.num_hidden_layers, &shape.experts);
    let step = experts.moe_layer_step.max(1);
    let dense = experts.first_k_dense_replace.min(all);
    let routed = shape.moe_layers();
    let rest = all - dense - routed * step;
    let mut parts = Vec::new();
    if dense > 0 {
        parts.push(["[0]*", &number(dense)].concat());
    }
    let one = if step > 1 { ["([0]*", &number(step - 1), "+[1])"].concat() } else { "[1]".to_owned() };
    parts.push([&one, "*", &number(routed)].concat());
    if rest > 0 {
        parts.push(["[0]*", &number(rest)].concat());
    }
    ["\"(", &parts.join("+"), ")\""].concat()
}

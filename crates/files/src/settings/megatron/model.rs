//! The model in Megatron's flags: the values that the template cannot read from the shape directly.

use crate::settings::context::ExportContext;
use crate::settings::notes;
use engine::model::experts::AllToAll;
use engine::model::transformer::{Architecture, AttentionBias, Norm, QkNorm};

/// Adds notes about features of the model that the flags cannot express.
pub(super) fn add_notes(context: &mut ExportContext) {
    let shape = context.setup.architecture;
    let one_bias = shape.mlp_bias != (shape.attention_bias == AttentionBias::All);
    let is_other = shape.norm == Norm::LayerNoBias
        || shape.norms_per_layer != 2
        || shape.qk_norm == QkNorm::Full
        || one_bias
        || shape.head_bias
        || shape.embedding_norm
        || shape.attention_chunks
        || shape.experts.clamped_gate
        || (shape.experts.expert_bias && !shape.mlp_bias);
    context.note_if(is_other, notes::MEGATRON_SHAPE);
    let run = context.setup.experts;
    if context.has_experts() {
        context.note_if(has_linear_bias(&shape) && context.setup.mesh.etp > 1, notes::MEGATRON_EXPERT_BIAS);
        context.note_if(run.chunks > 1, notes::NO_CHUNKS);
        context.note_if(run.algorithm != AllToAll::Linear, notes::LINEAR_ONLY);
        let without = context.setup.mesh.tp > 1 && !context.setup.tensor.sequence_parallel;
        context.note_if(without, notes::MEGATRON_EXPERTS_SP);
        context.note_if(run.across_micro_batches && !overlaps_exchanges(context), notes::MEGATRON_ACROSS);
    }
}

/// Whether linear layers have biases.
pub(super) fn has_linear_bias(shape: &Architecture) -> bool {
    shape.mlp_bias || shape.attention_bias == AttentionBias::All
}

/// Whether exchanges of experts overlap with another micro-batch. Megatron needs expert
/// parallelism, 16 bits, no layer and no experts recomputed as a whole and, in a pipeline,
/// interleaving.
pub(super) fn overlaps_exchanges(context: &ExportContext) -> bool {
    let setup = &context.setup;
    let schedule_allows = setup.mesh.pp == 1 || super::interleaves(context);
    setup.experts.across_micro_batches
        && setup.mesh.ep > 1
        && schedule_allows
        && !super::recomputes_layers(context)
        && !setup.modules().moe
        && !context.is_fp32()
}

/// Returns which layers have experts, as a Python expression: `[0]*3+[1]*58`; `None` if all or none
/// have.
pub(super) fn moe_layer_freq(shape: &Architecture) -> Option<String> {
    let (layers, experts) = (shape.num_hidden_layers, &shape.experts);
    let step = experts.moe_layer_step.max(1);
    if !shape.has_experts() || (experts.first_k_dense_replace == 0 && step == 1) {
        return None;
    }
    let dense = experts.first_k_dense_replace.min(layers);
    let routed = shape.moe_layers();
    let rest = layers - dense - routed * step;
    let period = if step > 1 { format!("([0]*{}+[1])", step - 1) } else { "[1]".to_owned() };
    let mut parts = vec![format!("{period}*{routed}")];
    if dense > 0 {
        parts.insert(0, format!("[0]*{dense}"));
    }
    if rest > 0 {
        parts.push(format!("[0]*{rest}"));
    }
    Some(parts.join("+"))
}

//! The optimizer: kind, kernels, and place of its update.

use super::{Group, Param, Unit, choice, count, option, position, switched, whole};
use crate::model::objective::Task;
use crate::model::training::{ComputeFormat, Optimizer, OptimizerKernel, UpdatePlace};
use crate::scenario::Scenario;

fn projects(scenario: &Scenario) -> bool {
    matches!(scenario.optimizer, Optimizer::GaLore | Optimizer::GaLore8bit)
}

/// For rows that only apply where products run in 8 or 4 bits.
fn computes_narrow(scenario: &Scenario) -> bool {
    scenario.compute_format != ComputeFormat::AsPolicy
}

/// For rows that only apply to pre-training: every weight, and the next token.
fn predicts_next_token(scenario: &Scenario) -> bool {
    scenario.objective.task == Task::NextToken && scenario.trained.is_all()
}

picked!(
    /// The optimizer.
    OPTIMIZER, Training, optimizer, "optimizer", "Optimizer", "optimizer", [],
    "Which optimizer runs: what matters here is the state that it keeps of each parameter.",
    Optimizer::AdamW => "adamw", "AdamW", "Two moments.";
    Optimizer::AdamW8bit => "adamw-8bit", "AdamW, 8 bits", "Two moments in 8 bits, with block scales.";
    Optimizer::Sgd => "sgd", "SGD", "No state.";
    Optimizer::SgdMomentum => "sgd-momentum", "SGD with momentum", "One momentum.";
    Optimizer::Adafactor => "adafactor", "Adafactor", "A row and a column a matrix.";
    Optimizer::Lion => "lion", "Lion", "One momentum.";
    Optimizer::Muon => "muon", "Muon", "One momentum on matrices, AdamW on the rest.";
    Optimizer::AdamW16bit => "adamw-16bit", "AdamW, 16 bits", "Two moments in 16 bits.";
    Optimizer::AdamW4bit => "adamw-4bit", "AdamW, 4 bits", "Two moments in 4 bits, with block scales (torchao).";
    Optimizer::AdamMini => "adam-mini", "Adam-mini", "One moment, and a second one for each head or neuron.";
    Optimizer::GaLore => "galore", "GaLore", "AdamW on gradients of matrices projected to a low rank.";
    Optimizer::GaLore8bit => "galore-8bit", "GaLore, 8 bits", "The same with moments in 8 bits.";
);
picked!(
    /// The implementation of the optimizer's update.
    OPTIMIZER_KERNEL, Training, optimizer_kernel, "optkernel", "Optimizer kernels", "optimizer_kernel", [],
    "How PyTorch runs the update: over lists of tensors, operator by operator, or in one kernel.",
    OptimizerKernel::ForEach => "foreach", "Foreach", "A temporary of one value for every parameter on the GPU.";
    OptimizerKernel::Fused => "fused", "Fused", "One kernel, no temporaries.";
);
picked!(
    /// The point in the step at which the optimizer updates.
    UPDATE_PLACE, Training, update_place, "inbwd", "Optimizer update", "update_place", [],
    "When each parameter is updated. In the backward pass, its gradient is freed at once, so that few gradients exist: not with \
     gradient accumulation, nor with clipping by a global norm.",
    UpdatePlace::AfterBackward => "no", "After the backward pass", "All gradients are there first.";
    UpdatePlace::InBackward => "yes", "In the backward pass",
        "Each gradient is used and freed when it is there (LOMO, layer-wise GaLore, torchtune's optimizer_in_bwd).";
);
counted!(
    /// GaLore's rank.
    GALORE_RANK, Training, galore_rank, "galrank", "GaLore rank", "galore_rank", 1.0..=8192.0, [when(projects)],
    "Rank of the space to which GaLore projects a matrix's gradient: 128 in its authors' code, 1,024 for their 7B."
);
counted!(
    /// Layers that stay in 16 bits.
    LAYERS_IN_16_BITS, Training, layers_in_16_bits, "layers16", "Layers in 16 bits", "layers_in_16_bits", 0.0..=2000.0,
    [when(computes_narrow)],
    "Layers whose matrix products stay in 16 bits where the others' run in 8 or 4 (first_last_layers_bf16 with \
     num_layers_at_start_in_bf16 and num_layers_at_end_in_bf16 of Megatron; filter_fqns of torchao)."
);
switched!(
    /// Weight gradients in 16 bits.
    GRADIENTS_IN_16_BITS, Training, gradients_in_16_bits, "wgrad16", "Weights' gradients in 16 bits", "gradients_in_16_bits",
    [when(computes_narrow)],
    "Whether the products that give the weights' gradients, one of three, stay in 16 bits where the others run in 8 or 4 (torchao's \
     rowwise_with_gw_hp and mxfp8_rceil_wgrad_with_hp; fp8_wgrad of Megatron turned off)."
);
counted!(
    /// Tokens predicted beyond the next one.
    MTP, Training, mtp, "mtp", "Multi-token prediction", "multi_token_prediction", 0.0..=8.0, [when(predicts_next_token)],
    "Tokens that are predicted beyond the next one (num_nextn_predict_layers, mtp_num_layers): each applies a layer, the output head \
     and the loss once more, to train a module beside the model."
);
switched!(
    /// Optimizer state that the driver pages.
    PAGED, Training, offload.paged, "paged", "Page optimizer state", "paged_optimizer", [],
    "Whether optimizer state is in unified memory (bitsandbytes' paged optimizers): what the GPU has no room for goes to the host \
     and comes back for the update."
);

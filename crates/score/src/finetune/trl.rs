//! TRL over context parallelism, as its example of sequences of a million tokens sets it.

use super::completed::set;
use crate::Notes;
use crate::row::Row;
use crate::text::has;

/// Whether a row is of TRL over context parallelism, which Accelerate's FSDP2 alone has.
pub fn is_over_context(row: &Row) -> bool {
    has(&row.framework, &["trl"]) && row.cp.is_some_and(|degree| degree > 1)
}

/// Sets what examples/accelerate_configs/context_parallel_8gpu.yaml and examples/sft_long_context (trl 16dff22) do: layers are
/// checkpointed, their inputs in host memory (`fsdp_activation_checkpointing_offload: true`), the model is loaded and trained in
/// bf16 (`"dtype": torch.bfloat16`), and the MLPs of Qwen3 32B run tile by tile (pull request 6846).
pub fn complete(row: &mut Row, notes: &mut Notes) {
    set(&mut row.act_ckpt, "full", "checkpoints in host memory and bf16 weights as in TRL's example", notes);
    // PyTorch prefers cuDNN on Hopper where its cuDNN is later than 9.15 (`check_prefer_cudnn_attention`, 2.11 and later); the example
    // says so itself (transformers pull request 48163).
    set(&mut row.attention, "SDPA (cuDNN)", "cuDNN's attention, which PyTorch prefers on Hopper since 2.11", notes);
    if row.offload.is_empty() {
        "activations".clone_into(&mut row.offload);
    }
    if row.precision == "bf16" && row.precision_detail.is_empty() {
        "pure bf16".clone_into(&mut row.precision_detail);
    }
    if has(&row.model, &["qwen3-32b"]) {
        row.notes.push_str("; tiled mlp");
    }
}

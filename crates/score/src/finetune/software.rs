//! Kernels and formats of fine-tuning code.

use super::source::Source;
use crate::row::Row;
use crate::stack::Stack;
use crate::text::has;
use engine::model::software::{AttentionKernel, Graphs, Kernels, Loss, NormKernel};
use engine::model::training::{OptimizerKernel, PrecisionPolicy};

/// Returns the formats of the state; `None` where those of the stack hold.
pub fn formats(row: &Row, stack: Stack) -> Option<PrecisionPolicy> {
    let source = Source::of(row)?;
    let is_full = row.trainable == "full";
    Some(match source {
        // `precision: bf16-true`; `dtype: bf16`; `precision: str = "bf16"` (the model is cast, `mp_policy` is `None`); a model in
        // bf16 under `torch.optim.AdamW`.
        Source::LitTables
        | Source::LitHub
        | Source::Torchtune
        | Source::TorchtuneFlags
        | Source::TorchtuneEarly
        | Source::FsdpQlora
        | Source::PeftFsdp
        | Source::Universal => PrecisionPolicy::PureBf16,
        // PEFT up to 0.11 moves adapters to the format of their base; those beside GPTQ's integers stay in fp32.
        Source::Qwen if stack == Stack::Peft && row.trainable == "lora" => PrecisionPolicy::PureBf16,
        // The model is loaded in bf16 and trained as it is (`torch_dtype bfloat16`): full fine-tuning of Qwen 7B takes 73 GiB.
        Source::SwiftBenchmark | Source::SwiftExamples | Source::Glm if is_full && stack == Stack::Peft => {
            PrecisionPolicy::PureBf16
        }
        Source::Automodel => PrecisionPolicy::PureBf16,
        // Adapters in fp32 under `torch.autocast`, PEFT's default since 0.12.
        _ if stack == Stack::Peft => PrecisionPolicy::AutocastBf16,
        _ => return None,
    })
}

/// Returns the kernels as the code of a source has them.
pub fn kernels(row: &Row, stack: Stack, usual: Kernels) -> Kernels {
    let Some(source) = Source::of(row) else { return usual };
    let loss = match source {
        // `chunked_cross_entropy` over a head in chunks of 128 tokens (litgpt/utils.py, finetune/lora.py).
        Source::LitTables | Source::LitHub => Loss::Chunked,
        // `LinearCrossEntropyLoss`; `CEWithChunkedOutputLoss` in 2024: the logits in chunks.
        Source::Torchtune | Source::TorchtuneEarly => Loss::Chunked,
        Source::TorchtuneFlags if has(&row.notes, &["chunked"]) => Loss::Chunked,
        Source::TorchtuneFlags if has(&row.compile, &["yes"]) => Loss::Fused,
        // Cut cross-entropy in Axolotl's examples, Liger where ms-swift's scripts say so, Unsloth's own kernel.
        Source::Axolotl | Source::Unsloth => fused_linear(row),
        Source::SwiftExamples if has(&row.notes, &["liger"]) => Loss::FusedLinear,
        // src/models/llama2.py: `CrossEntropyLoss` on 16-bit logits, whose output is deleted.
        Source::Universal => Loss::Bf16,
        // train.py holds the output, whose logits are in fp32, until after the backward pass.
        Source::FsdpQlora => Loss::Fp32Logits,
        Source::PeftReadme | Source::PeftMethods => Loss::Standard,
        // DeepSpeed runs the model in 16 bits; under `torch.autocast` the loss is in fp32, and Accelerate turns the model's output
        // into fp32 (`convert_outputs_to_fp32`).
        _ if stack == Stack::DeepSpeed => Loss::Bf16Kept,
        _ if matches!(stack, Stack::Peft | Stack::FsdpQlora) => Loss::Fp32Logits,
        _ => usual.loss,
    };
    let upcast = match stack {
        Stack::Peft | Stack::DeepSpeed | Stack::FsdpQlora => true,
        // litgpt/model.py, `RMSNorm`: in fp32, operator by operator; torchtune's is `F.rms_norm` after a cast.
        Stack::Fabric => true,
        _ => usual.norms == NormKernel::Upcast,
    };
    // Captured layers in the runs over eight GPUs a sequence (`MCORE_CUDA_GRAPH=1`, NVIDIA's config_GB300_128x4x1xtp1pp1cp8.sh).
    let graphs = source == Source::Mlperf && row.cp.is_some_and(|degree| degree >= 8);
    // Hugging Face's SDPA under a padding mask takes the memory-efficient kernel.
    let attention = if source == Source::Universal { AttentionKernel::Flash } else { usual.attention };
    Kernels {
        attention,
        loss,
        norms: if upcast { NormKernel::Upcast } else { NormKernel::Fused },
        graphs: if graphs { Graphs::Layers } else { usual.graphs },
        ..usual
    }
}

fn fused_linear(row: &Row) -> Loss {
    if has(&row.framework, &["hf + fa2"]) { Loss::Standard } else { Loss::FusedLinear }
}

/// Returns how the optimizer runs: PyTorch's default where its constructor is called as it is.
pub fn optimizer_kernel(row: &Row, stack: Stack) -> OptimizerKernel {
    let fused = has(&row.optimizer, &["fused"]) || has(&row.compile, &["yes"]);
    let by_list = matches!(stack, Stack::Peft | Stack::Fabric | Stack::FsdpQlora) && !fused;
    if Source::of(row).is_some() && by_list { OptimizerKernel::ForEach } else { OptimizerKernel::Fused }
}

//! Kernels and formats of fine-tuning code.

use super::mlperf;
use super::scope::{is_in_backward, is_torchtunes_own};
use super::source::Source;
use crate::assumed::program::Program;
use crate::row::Row;
use crate::stack::Stack;
use crate::text::has;
use engine::model::software::{AttentionKernel, Graphs, Kernels, Loss, NormKernel};
use engine::model::training::{Optimizer, OptimizerKernel, PrecisionPolicy, UpdatePlace};

/// Returns the formats of the state; `None` where those of the stack hold.
pub fn formats(row: &Row, stack: Stack) -> Option<PrecisionPolicy> {
    let source = Source::of(row)?;
    let is_full = row.trainable == "full";
    Some(match source {
        // PEFT's comparison of methods has `dtype: bfloat16`, `use_amp: false` (default_training_params.json).
        // nemo_automodel loads models in bf16; `precision: bf16-true`; `dtype: bf16`; `precision: str = "bf16"` (the model is cast, `mp_policy` is `None`); a model in
        // bf16 under `torch.optim.AdamW`.
        Source::Automodel
        | Source::LitTables
        | Source::LitHub
        | Source::Torchtune
        | Source::TorchtuneFlags
        | Source::TorchtuneEarly
        | Source::FsdpQlora
        | Source::PeftFsdp
        | Source::PeftMethods
        | Source::Universal => PrecisionPolicy::PureBf16,
        // Copies of the embedding and of the head (`modules_to_save`), most of what trains, in the format of the model. Adapters are
        // in fp32: PEFT 0.5, which the README asks for with PyTorch 2.0, moves them to the GPU alone (`update_layer`).
        Source::Qwen if has(&row.lora_targets, &["lm_head"]) => PrecisionPolicy::PureBf16,
        // The model is loaded in bf16 and trained as it is (`torch_dtype bfloat16`): full fine-tuning of Qwen 7B takes 73 GiB.
        Source::SwiftBenchmark | Source::SwiftExamples | Source::Glm if is_full && stack == Stack::Peft => {
            PrecisionPolicy::PureBf16
        }
        // What is trained is in fp32 where FSDP mixes formats; adapters alone run under autocast.
        Source::Fms if is_full => PrecisionPolicy::Fsdp2MixedBf16Reduce16,
        Source::Fms => PrecisionPolicy::AutocastBf16,
        // Adapters in fp32 under `torch.autocast`, PEFT's default since 0.12.
        Source::Other if stack == Stack::Fabric => PrecisionPolicy::PureBf16,
        // Scripts load the weights in bf16, which stay so where nothing shards them; LLaMA-Factory turns what trains into fp32.
        Source::Other if is_full && stack == Stack::Peft && row.is_case() && loads_in_16_bits(row) => {
            PrecisionPolicy::PureBf16
        }
        _ if stack == Stack::Peft => PrecisionPolicy::AutocastBf16,
        _ => return None,
    })
}

/// Returns the kernels as the code of a source has them.
pub fn kernels(row: &Row, stack: Stack, usual: Kernels) -> Kernels {
    let Some(source) = Source::of(row) else { return usual };
    let loss = match source {
        // `chunked_cross_entropy` over a head in chunks of 128 tokens (litgpt/utils.py, finetune/lora.py): the list of all 16-bit
        // logits lives until the backward pass has ended, beside their log-softmax in 16 bits: 4 bytes a logit.
        Source::LitTables | Source::LitHub => Loss::Fused,
        // `LinearCrossEntropyLoss`.
        Source::Torchtune => Loss::Chunked,
        Source::Other if stack == Stack::Torchtune => Loss::Chunked,
        // `cross_entropy` on 16-bit logits (benchmark_litgpt.py of lightning-thunder).
        Source::Other if stack == Stack::Fabric => Loss::Bf16,
        // prime-rl's head in chunks (`fused_lm_head_token_chunk_size`); Unsloth's own kernel.
        Source::Other if has(&row.framework, &["prime-rl", "unsloth"]) => Loss::FusedLinear,
        Source::Other if has(&row.attention, &["liger"]) => Loss::FusedLinear,
        // TRL's `chunked_nll`: head and loss over 256 tokens at once.
        Source::Other if has(&row.notes, &["chunked loss", "chunked_nll"]) => Loss::FusedLinear,
        // `CEWithChunkedOutputLoss`: the log-softmax of all chunks in fp32, the gradient of one (4 + 1.3 bytes a logit); compiled,
        // their 16-bit logits. universal-llm-trainer has `CrossEntropyLoss` on 16-bit logits, whose output is deleted.
        Source::TorchtuneEarly if row.trainable == "qlora" => Loss::Fused,
        Source::TorchtuneEarly | Source::Universal => Loss::Bf16,
        Source::TorchtuneFlags if has(&row.notes, &["chunked"]) => Loss::Chunked,
        Source::TorchtuneFlags if has(&row.compile, &["yes"]) => Loss::Fused,
        // Cut cross-entropy in Axolotl's examples, Liger where ms-swift's scripts say so, Unsloth's own kernel.
        Source::Axolotl | Source::Unsloth => fused_linear(row),
        // The plugin's rule for Llama and Granite (`llama-fused-lce`, fused_ops_and_kernels/models); its mistral.py has none.
        Source::Fms if has(&row.notes, &["liger"]) && !has(&row.model, &["mistral", "mixtral"]) => Loss::FusedLinear,
        Source::SwiftExamples if has(&row.notes, &["liger"]) => Loss::FusedLinear,
        // gpt_bigcode's model leaves its logits in 16 bits (modeling_gpt_bigcode.py); others' turn them into fp32. Beside a
        // quantized base all runs are under autocast (`bf16: True` in scenarios.yaml): its loss is in fp32, and Accelerate
        // holds an fp32 copy of the logits (`convert_outputs_to_fp32`); the fused one overwrites 4 bytes of them.
        Source::Fms if has(&row.model, &["bigcode"]) && !row.quantized_base.is_empty() => {
            if has(&row.notes, &["cross-entropy"]) { Loss::KeptLogits } else { Loss::Fp32Logits }
        }
        Source::Fms if has(&row.model, &["bigcode"]) => {
            if has(&row.notes, &["cross-entropy"]) {
                Loss::Bf16
            } else {
                Loss::Bf16Kept
            }
        }
        // Unsloth's kernel, which the plugin carries (fused_ops_and_kernels), overwrites the fp32 copy with its gradient, beside the
        // 16-bit logits and theirs: as many bytes as of a loss in 16 bits whose logits are kept.
        Source::Fms if has(&row.notes, &["cross-entropy"]) => Loss::Bf16Kept,
        // `ForCausalLMLoss` since transformers 4.46; what the trainer holds it gives back.
        Source::Fms | Source::Other if matches!(stack, Stack::Peft | Stack::FsdpQlora) => Loss::Standard,
        // `--cross_entropy_loss_fusion true` in the scripts: Megatron-Core's own, which writes the exponentials beside fp32 logits.
        Source::SwiftExamples if has(&row.framework, &["megatron"]) => Loss::Fp32Logits,
        // train.py holds the output, whose logits are in fp32, until after the backward pass.
        Source::FsdpQlora => Loss::Fp32Logits,
        Source::PeftReadme | Source::PeftMethods => Loss::Standard,
        // DeepSpeed runs the model in 16 bits, but Hugging Face's models turn their logits into fp32; the code that came with
        // models of 2023 does not. Under `torch.autocast` the loss is in fp32, and Accelerate turns the model's output
        // into fp32 (`convert_outputs_to_fp32`).
        _ if stack == Stack::DeepSpeed && is_remote(row) => Loss::Bf16Kept,
        _ if stack == Stack::DeepSpeed => Loss::Standard,
        _ if matches!(stack, Stack::Peft | Stack::FsdpQlora) => Loss::Fp32Logits,
        _ => usual.loss,
    };
    let upcast = match stack {
        // Liger's, Unsloth's and xtuner's models have norms of one kernel.
        _ if matches!(source, Source::Unsloth | Source::Xtuner) || has(&row.notes, &["liger", "rmsnorm"]) => false,
        // litgpt/model.py, `RMSNorm`: in fp32, operator by operator, as in Hugging Face's models; torchtune's is `F.rms_norm`.
        Stack::Peft | Stack::DeepSpeed | Stack::FsdpQlora | Stack::Fabric => true,
        _ => usual.norms == NormKernel::Upcast,
    };
    let graphs = source == Source::Mlperf && mlperf::captures_layers(row);
    let attention = match source {
        // Hugging Face's SDPA under a padding mask takes the memory-efficient kernel.
        Source::Universal => AttentionKernel::Flash,
        Source::Mlperf if mlperf::has_8bit_attention(row) => AttentionKernel::Flash8bit,
        _ => usual.attention,
    };
    Kernels {
        attention,
        loss,
        norms: if upcast { NormKernel::Upcast } else { NormKernel::Fused },
        graphs: if graphs { Graphs::Layers } else { usual.graphs },
        ..usual
    }
}

/// Whether a person's script around the Trainer loads weights in bf16 (`torch_dtype`), as most do where they train in it.
fn loads_in_16_bits(row: &Row) -> bool {
    let around = matches!(Program::of(row), Some(Program::Trainer | Program::Trl | Program::Scripts));
    around && has(&row.precision, &["bf16"]) && !has(&row.precision, &["amp", "autocast", "mixed"])
}

/// Whether a model's code comes with its weights (`trust_remote_code`), with a loss of its own.
fn is_remote(row: &Row) -> bool {
    has(&row.model, &["qwen-7b", "qwen-14b", "qwen-72b", "qwen-1", "qwen-vl", "baichuan", "chatglm", "monkey"])
}

fn fused_linear(row: &Row) -> Loss {
    if has(&row.framework, &["hf + fa2"]) { Loss::Standard } else { Loss::FusedLinear }
}

/// Returns how the optimizer runs: PyTorch's default where its constructor is called as it is.
pub fn optimizer_kernel(row: &Row, stack: Stack) -> OptimizerKernel {
    let fused = !has(&row.optimizer, &["foreach"]) && has(&row.optimizer, &["fused"]) || has(&row.compile, &["yes"]);
    let by_list = matches!(stack, Stack::Peft | Stack::Fabric | Stack::FsdpQlora) && !fused;
    // The Trainer's `optim=adamw_torch` is PyTorch's default on every stack.
    let plain =
        has(&row.optimizer, &["(torch)", "adamw_torch"]) && !fused && !has(&row.optimizer, &["adamw_torch_fused"]);
    if Source::of(row).is_some() && by_list || plain || has(&row.optimizer, &["foreach"]) {
        OptimizerKernel::ForEach
    } else {
        OptimizerKernel::Fused
    }
}

/// Returns the optimizer of torchtune's configurations, where the row names those of several; `None` where its own word holds.
pub fn optimizer(row: &Row) -> Option<Optimizer> {
    match Source::of(row)? {
        // `bitsandbytes.optim.PagedAdamW` in llama2/7B_full_low_memory.yaml of May 2024.
        Source::TorchtuneEarly => Some(Optimizer::AdamW),
        // `bitsandbytes.optim.PagedAdamW8bit` on one GPU, `torch.optim.AdamW` on several (llama3_1/70B_full.yaml) and for adapters.
        Source::Other if is_torchtunes_own(row) && is_paged(row) => Some(Optimizer::AdamW8bit),
        Source::Torchtune => Some(if is_paged(row) { Optimizer::AdamW8bit } else { Optimizer::AdamW }),
        _ => None,
    }
}

/// Returns where the optimizer updates.
pub fn update_place(row: &Row) -> UpdatePlace {
    let in_backward = Source::of(row).is_some_and(|source| is_in_backward(row, source));
    if in_backward { UpdatePlace::InBackward } else { UpdatePlace::AfterBackward }
}

/// Returns whether the optimizer's state is paged, as in torchtune's configurations for one GPU and everything trained.
pub fn is_paged(row: &Row) -> bool {
    let single = row.trainable == "full" && row.num_gpus.is_none_or(|gpus| gpus == 1);
    single && (matches!(Source::of(row), Some(Source::Torchtune | Source::TorchtuneEarly)) || is_torchtunes_own(row))
}

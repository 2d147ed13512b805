//! Notes about features that the files of Hugging Face's Trainer, TRL, Axolotl and LLaMA-Factory
//! cannot express.

pub(in crate::settings) const TUNING_FP8_BASE: &str =
    "transformers turns an FP8 checkpoint into 16 bits to train it: the frozen weights take twice the space.";
pub(in crate::settings) const TUNING_MXFP4_BASE: &str =
    "transformers turns an MXFP4 checkpoint into 16 bits to train it: the frozen weights take four times the space.";
pub(in crate::settings) const TUNING_INT4_BASE: &str = "GPTQ and AWQ are quantized beforehand: name such a checkpoint as the model. transformers does not train it under FSDP or ZeRO-3.";
pub(in crate::settings) const TUNING_QUANTIZED_LAYERS: &str =
    "Quantized weights are for adapters alone: where layers train as a whole, frozen ones are 16 bits too.";
pub(in crate::settings) const TUNING_TIED: &str = "The head shares the embedding's matrix: as modules_to_save both are copied, and the copies are tied only where PEFT is told to (ensure_weight_tying).";
pub(in crate::settings) const TUNING_PIPELINE: &str =
    "Hugging Face's Trainer runs no pipeline: its stages are left out.";
pub(in crate::settings) const TUNING_EXPERTS: &str =
    "Expert parallelism is left out: each GPU gathers all experts of a layer under Hugging Face's Trainer.";
pub(in crate::settings) const TUNING_RECIPE: &str =
    "The formats of gradients and copies follow from the Trainer's bf16 and its backend: they cannot be chosen apart.";
pub(in crate::settings) const TUNING_MOMENTUM: &str =
    "The Trainer's SGD has no momentum unless optim_args gives it one.";
pub(in crate::settings) const TUNING_PAGED: &str = "The Trainer pages the state of AdamW and Lion alone (paged_adamw_32bit, paged_adamw_8bit, paged_lion_32bit): here it stays on the GPU.";
pub(in crate::settings) const TUNING_PAGED_SHARDS: &str =
    "bitsandbytes' paged optimizers know no sharded tensors of FSDP2: state stays on the GPU.";
pub(in crate::settings) const TUNING_IN_BACKWARD: &str = "The Trainer updates in the backward pass with lomo, adalomo and layer-wise GaLore alone: this optimizer updates after it.";
pub(in crate::settings) const TUNING_ADAM_MINI: &str =
    "The Trainer has no Adam-mini; exported as AdamW, which keeps twice the state.";
pub(in crate::settings) const TUNING_FRACTION: &str =
    "Whole layers are recomputed, all of them: a share is not offered.";
pub(in crate::settings) const TUNING_GRAPHS: &str = "CUDA graphs come by torch_compile_mode: reduce-overhead alone, and not reliably with gradient accumulation: they are left out.";
pub(in crate::settings) const TUNING_FP8: &str =
    "The Trainer sets its own 16-bit format over Accelerate's fp8: products are 16 bits.";
pub(in crate::settings) const TUNING_SYNC: &str = "The Trainer reduces gradients after the last micro-batch.";
pub(in crate::settings) const TRL_LAYERS: &str = "TRL has no switch that freezes layers: everything trains with this file. In a script, requires_grad_(False) freezes them before SFTTrainer.";
pub(in crate::settings) const TRL_FROZEN: &str = "TRL's arguments put adapters beside every layer: a range of layers is LoraConfig's layers_to_transform, in a script.";
pub(in crate::settings) const TRL_SELECTIVE: &str =
    "Recomputation goes by whole layers: a selective policy is not offered.";
pub(in crate::settings) const TRL_MUON: &str = "TRL's arguments do not build Muon; exported as AdamW.";
pub(in crate::settings) const TRL_LOSS: &str =
    "TRL computes the head and the loss over chunks of the tokens by itself.";
pub(in crate::settings) const AXOLOTL_INT4_BASE: &str =
    "A GPTQ base is quantized beforehand: name such a checkpoint as base_model.";
pub(in crate::settings) const AXOLOTL_FP32_BASE: &str =
    "Axolotl loads weights in the format of bf16 or fp16: frozen ones are 16 bits.";
pub(in crate::settings) const AXOLOTL_DEEPSPEED: &str = "ZeRO-1, ZeRO-2 and tensor parallelism without FSDP are DeepSpeed's: ds_config.json is the file that this page writes for it.";
pub(in crate::settings) const AXOLOTL_RING: &str = "Axolotl's context parallelism is ring attention (ring-flash-attn).";
pub(in crate::settings) const AXOLOTL_RING_BATCH: &str =
    "Axolotl refuses more than one packed sequence in a micro-batch under context parallelism.";
pub(in crate::settings) const AXOLOTL_RING_FLASH: &str =
    "Axolotl's context parallelism refuses other kernels than flash_attention_2; exported as that.";
pub(in crate::settings) const AXOLOTL_LIGER_TP: &str =
    "Axolotl refuses Liger's losses under tensor parallelism: it is left out.";
pub(in crate::settings) const AXOLOTL_MUON: &str = "Axolotl refuses Muon together with DeepSpeed; exported as AdamW.";
pub(in crate::settings) const AXOLOTL_SELECTIVE: &str =
    "Axolotl's selective recomputation keeps attention alone, not every second product.";
pub(in crate::settings) const AXOLOTL_OFFLOAD: &str =
    "Axolotl offloads activations together with recomputation: it is left out.";
pub(in crate::settings) const AXOLOTL_CHUNKED: &str =
    "Axolotl's chunks are of the loss: the head's logits are whole before them.";
pub(in crate::settings) const FACTORY_EXPERTS: &str =
    "LLaMA-Factory targets modules alone: the parameters of routed experts have no adapters here.";
pub(in crate::settings) const FACTORY_FROZEN: &str =
    "LLaMA-Factory puts adapters beside every layer: a range of layers is not offered with lora.";
pub(in crate::settings) const FACTORY_FP32_BASE: &str =
    "LLaMA-Factory loads weights in the format of bf16 or fp16: frozen ones are 16 bits.";
pub(in crate::settings) const FACTORY_INT8_FSDP: &str =
    "LLaMA-Factory refuses 8-bit weights under FSDP when it loads them: choose 4 bits, or replicas.";
pub(in crate::settings) const FACTORY_CHUNKED: &str =
    "LLaMA-Factory has no loss over chunks: Liger's fused one (enable_liger_kernel) comes closest.";
pub(in crate::settings) const FACTORY_OFFLOAD: &str =
    "LLaMA-Factory offloads no activations without Unsloth's kernels.";
pub(in crate::settings) const FACTORY_FP8: &str =
    "LLaMA-Factory refuses fp8 products beside quantized weights: they are left out.";
pub(in crate::settings) const FACTORY_MUON: &str =
    "LLaMA-Factory's Muon updates whole matrices: it is not for sharded weights.";

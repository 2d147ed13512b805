//! Notes about features that frameworks cannot express.

mod deepspeed;
mod megatron;
mod torchtitan;
mod torchtune;
mod tuning;

use super::Program;
use super::context::ExportContext;
pub(super) use deepspeed::*;
use engine::model::experts::AllToAll;
use engine::model::software::Segments;
use engine::model::trained::{BaseFormat, Method, Targets};
use engine::model::training::Optimizer;
pub(super) use megatron::*;
pub(super) use torchtitan::*;
pub(super) use torchtune::*;
pub(super) use tuning::*;

pub(super) const ALWAYS_OVERLAPS: &str =
    "Communication overlaps with compute whatever is asked: there is no switch to expose it.";
pub(super) const ALWAYS_SHARDED: &str =
    "Checkpoints are always sharded during training; the last one may be converted to a whole file.";
pub(super) const ALWAYS_DEFERRED: &str = "The model is always initialised on the meta device.";
pub(super) const ALWAYS_GROUPED: &str = "The experts' products always run as one grouped kernel.";
pub(super) const ALWAYS_FUSED_NORMS: &str =
    "Norms are Transformer Engine's fused kernels; norms that upcast operator by operator are not offered.";
pub(super) const ALWAYS_FUSED_OPTIMIZER: &str =
    "The optimizer's update always runs in fused kernels: there is no foreach implementation.";
pub(super) const ASYNC_COMPILES: &str = "Async TP is done by torch.compile, which is off here: it is left out.";
pub(super) const ATTENTION_MODULE: &str = "Recomputing the attention core alone needs a checkpoint inside the model's attention: the whole attention module is wrapped here, its projections too.";
pub(super) const ATTENTION_8_BIT: &str =
    "Attention in 8 bits is Transformer Engine's; exported as PyTorch's kernels in 16 bits.";
pub(super) const ATTENTION_FIRST: &str =
    "The first flash kernels, of 2022 and Triton's, are not offered; exported as FlashAttention-2.";
pub(super) const ATTENTION_IN_MODEL: &str = "The attention kernel, and recomputing its core, are chosen in the model's code (attn_implementation in transformers).";
pub(super) const DISPATCHER_IN_MODEL: &str =
    "How tokens are sent to experts (DeepEP or a collective) is up to the model's code.";
pub(super) const DROPLESS: &str = "Experts are dropless: there is no capacity factor.";
pub(super) const DROPOUT_IN_MODEL: &str = "Dropout is set in the model's configuration.";
pub(super) const FP32_SHARDS: &str = "FSDP2 stores fp32 shards and gathers 16-bit copies: there is no second 16-bit copy of the weights as in this precision.";
pub(super) const FP8_TP: &str = "Gathering in fp8 together with tensor parallelism needs torchao's own parallel styles (Float8ColwiseParallel) in the place of these.";
pub(super) const FRACTION_LAYERS: &str =
    "The share of activations is rounded to whole layers: some are recomputed fully, the others not at all.";
pub(super) const FSDP2_DDP: &str = "Data parallelism without sharding is written as FSDP2 with a shard group of 1, which composes with the rest; its gradients are all-reduced as in DDP.";
pub(super) const FSDP2_ZERO: &str = "PyTorch has no ZeRO-1 or ZeRO-2 that composes with these features; exported as FSDP2 without resharding, which shards the weights too and gathers them once a micro-batch.";
pub(super) const FSDP2_RESHARD_TP: &str = "FSDP2 does not reshard to a smaller group together with tensor parallelism yet: weights are resharded to the whole group.";
pub(super) const FSDP2_CP_SHARDS: &str =
    "The GPUs of one sequence shard the weights among each other, where shardwise counts whole weights on each.";
pub(super) const FSDP2_EXPERTS: &str =
    "Experts are sharded as other weights are; the router and the exchange of tokens belong to the model's code.";
pub(super) const FSDP2_EP: &str = "PyTorch has no public expert parallelism: ep and etp are left out, and each GPU gathers all experts of a layer. torchtitan has it.";
pub(super) const FSDP2_OPTIMIZER: &str =
    "PyTorch's Adafactor and Muon do not update sharded parameters; exported as AdamW.";
pub(super) const FSDP2_OFFLOAD: &str =
    "FSDP2 offloads parameters, gradients and optimizer state together: parameters go to the host as well.";
pub(super) const GRAPHS_BY_COMPILE: &str = "PyTorch captures CUDA graphs through torch.compile (mode=\"reduce-overhead\"), layer by layer: anything beyond is left out.";
pub(super) const GROUPED_IN_MODEL: &str =
    "Whether the experts' products run one by one or grouped is up to the model's code.";
pub(super) const LAYERS_IN_16_BITS: &str =
    "Which layers stay in 16 bits is a filter over module names where the model is converted (torchao's filter_fqns).";
pub(super) const GRADIENTS_IN_16_BITS: &str = "Gradients of weights in 16 bits are a recipe of torchao where the model is converted (rowwise_with_gw_hp, mxfp8_rceil_wgrad_with_hp), \
     or Transformer Engine's delayed scaling without fp8_wgrad.";
pub(super) const NO_FURTHER_TOKENS: &str =
    "The module that predicts further tokens belongs to the model's code: these settings train the next token alone.";
pub(super) const READS_IMAGES: &str = "The encoder of images or sound belongs to the model's own class: these settings build the language model alone. Load the class that the model's config.json names, freeze its encoder and projection as the scenario says, and take the rest from here.";
pub(super) const DISTILLATION: &str = "Distillation is not written: these settings train the next token alone, without a teacher. Trainers with one are torchtune's knowledge_distillation recipes, TRL's GKDTrainer, gkd of ms-swift, and the on-policy distillation of verl and NeMo RL.";
pub(super) const OTHER_LAYERS: &str = "This model has layers of several kinds, or parts that these settings have no names for: take its shape from its own config.json or the framework's recipe for it, and the rest from here.";
pub(super) const LINEAR_ONLY: &str = "The two-dimensional all-to-all is Tutel's; exported as NCCL's.";
pub(super) const LOSS_CHUNKED: &str =
    "The loss over chunks of the tokens belongs to the loss function (torchtune's and torchtitan's have one).";
pub(super) const FEW_MICRO_BATCHES: &str = "Some of PyTorch's schedules refuse fewer micro-batches than there are stages, counting every chunk: add gradient accumulation steps.";
pub(super) const LOSS_IN_CODE: &str =
    "The kernel of the loss belongs to the training script (Liger's fused cross-entropy, for one).";
pub(super) const LOGITS_IN_CODE: &str = "Whether the loss casts the logits, and whether they are kept beside it, is up to the model's and the trainer's code.";
pub(super) const LOSS_SCALE: &str =
    "The GPU has no bf16: fp16 needs a gradient scaler (torch.amp.GradScaler) around the step.";
pub(super) const SEGMENTS_IN_ENVIRONMENT: &str =
    "Expandable segments are asked for in the environment: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.";
pub(super) const SEQUENCE_PARTS: &str =
    "Sequences that do not cut into two parts for every GPU of context parallelism are refused: enter a multiple.";
pub(super) const MODULES_IN_MODEL: &str =
    "Recomputing single modules takes checkpoints inside the model's code: nothing is recomputed by this file.";
pub(super) const MODULE_CORE_ATTN: &str = "To recompute: the attention core.";
pub(super) const MODULE_MLP: &str = "To recompute: the MLPs of dense layers.";
pub(super) const MODULE_MOE: &str = "To recompute: the experts with their router and exchanges.";
pub(super) const MODULE_MOE_ACT: &str = "To recompute: the output of the experts' activation.";
pub(super) const MODULE_LAYERNORM: &str = "To recompute: the outputs of the norms.";
pub(super) const MODULE_MLA_UP_PROJ: &str = "To recompute: latent attention's projections out of its ranks.";
pub(super) const MODULE_SHARED_EXPERTS: &str = "To recompute: the shared experts.";
pub(super) const NORMS_IN_MODEL: &str =
    "How norms compute is up to the model's code (transformers' RMSNorm upcasts, torch.nn.RMSNorm is fused).";
pub(super) const NO_ACROSS: &str =
    "Exchanges of experts cannot be overlapped with another micro-batch (DualPipe) here.";
pub(super) const NO_ADAMW_16: &str =
    "AdamW with 16-bit moments beside fp32 weights is not offered; exported as AdamW with fp32 moments.";
pub(super) const NO_CHUNKS: &str = "Chunks of the exchange of experts are Tutel's: the exchange is whole here.";
pub(super) const NO_FP4: &str = "4-bit products are not offered outside prototypes; exported as the 16-bit format.";
pub(super) const NO_FUSED_EXPERTS: &str = "A grouped kernel that also casts and applies the activation is not offered.";
pub(super) const NO_GRAPHS: &str = "CUDA graphs of training steps are not offered.";
pub(super) const NO_LIBRARY_OPTIMIZER: &str =
    "Adam-mini, GaLore and 4-bit AdamW are optimizers of other libraries; exported as AdamW with whole state.";
pub(super) const NO_PAGING: &str = "Paged optimizer state is bitsandbytes': here it stays on the GPU.";
pub(super) const NO_UPDATE_IN_BACKWARD: &str = "The update runs after the backward pass here: in it, hooks of one's own would run (register_post_accumulate_grad_hook).";
pub(super) const NO_LION: &str = "PyTorch has no Lion; exported as AdamW, which keeps twice the state.";
pub(super) const DUALPIPE: &str =
    "PyTorch has DualPipe-V alone, with one copy of the weights: DualPipe itself is DeepSeek’s code.";
pub(super) const ZB_INTERLEAVED: &str =
    "PyTorch's zero-bubble schedule is the interleaved one; with one chunk a GPU it comes closest to ZB-H1.";
/// Note for frameworks without DeepSpeed's offloading to NVMe.
pub(super) const NO_NVME: &str = "DeepSpeed alone offloads to NVMe: what would lie there is in host memory.";
pub(super) const ACCELERATE_MEGATRON: &str = "Accelerate's FSDP2 has no pipeline, no expert parallelism and no tensor or context parallelism without sharding: it hands this to Megatron-LM, whose model arguments are taken from the model.";
pub(super) const ACCELERATE_MEGATRON_FSDP: &str =
    "Through Accelerate Megatron-LM shards the optimizer (ZeRO-1): more is not offered with it.";
pub(super) const ACCELERATE_RESHARD: &str = "Accelerate reshards to the whole group or not at all.";
pub(super) const ACCELERATE_ZERO1_GROUP: &str = "ZeRO-1 is sharded over all replicas, not in groups.";
pub(super) const ACCELERATE_TP: &str =
    "Tensor parallelism follows the model's own plan: load it with tp_plan=\"auto\".";
pub(super) const ACCELERATE_SP: &str = "Whether norms are split along the sequence is up to the model's plan.";
pub(super) const ACCELERATE_ASYNC_TP: &str = "Accelerate has no switch for async TP.";
pub(super) const ACCELERATE_CP: &str = "Through Accelerate Megatron-LM's context parallelism is a ring.";
pub(super) const ACCELERATE_SCHEDULE: &str = "Through Accelerate Megatron-LM runs 1F1B.";
pub(super) const ACCELERATE_STAGES: &str = "Only the last stage's layers can be set.";
pub(super) const ACCELERATE_PURE: &str = "Load the model in bf16: with mixed_precision \"no\" its own format is kept.";
pub(super) const ACCELERATE_RECIPE: &str = "The formats of gradients and copies follow from mixed_precision and the backend: reduce_dtype is set in code (FullyShardedDataParallelPlugin's mixed_precision_policy).";
pub(super) const ACCELERATE_OPTIMIZER: &str = "The optimizer is made in the script, or by the Trainer (optim=\"adamw_torch\" runs foreach, \"adamw_torch_fused\" fused).";
pub(super) const ACCELERATE_SYNC: &str = "accelerator.accumulate() reduces gradients after the last micro-batch; GradientAccumulationPlugin(sync_each_batch=True) after every one.";
pub(super) const ACCELERATE_OFFLOAD: &str = "Accelerate offloads no activations.";
pub(super) const ACCELERATE_NO_OFFLOAD: &str = "Without sharding nothing is offloaded.";
pub(super) const ACCELERATE_RECOMPUTE: &str =
    "Recomputation is switched on in the model: gradient_checkpointing_enable().";
pub(super) const ACCELERATE_FULL_ONLY: &str =
    "fsdp_activation_checkpointing recomputes whole layers: other policies are set in the model.";
pub(super) const ACCELERATE_MEGATRON_RECOMPUTE: &str =
    "Recomputation is the attention core's or that of whole layers; exported as the nearest of these.";
pub(super) const NO_REPOSITORY: &str =
    "The model has no repository on the Hugging Face Hub that shardwise knows: put the path of its weights in.";
pub(super) const PEFT_ALL: &str = "Every weight trains here: there is nothing for PEFT to do, and its file is empty.";
pub(super) const PEFT_LAYERS: &str = "Some layers train as a whole here: PEFT has no adapter for that, and its file is empty. In code, requires_grad_(False) freezes the rest.";
pub(super) const PEFT_BASE: &str =
    "PEFT adapts the model as it was loaded: its file does not say in which format (BitsAndBytesConfig, dtype).";
pub(super) const PEFT_EXPERTS: &str = "Routed experts are parameters in transformers 5, gate and up in one: they are targeted as such (target_parameters), and their gate and up projections share an adapter.";
pub(super) const PEFT_EXPERTS_DORA: &str =
    "PEFT has no DoRA beside the experts' parameters: routed experts have no adapters here.";
pub(super) const PEFT_EXPERTS_DROPOUT: &str =
    "PEFT refuses dropout together with adapters beside the experts' parameters: it is 0.";
pub(super) const RANK_0: &str = "Adapters of rank 0 are refused.";
pub(super) const FSDP2_ADAPTERS_TP: &str = "Adapters under tensor parallelism need a plan for each of their matrices: they are left out, and everything trains.";
pub(super) const FSDP2_BASE: &str =
    "Quantized weights are made when a checkpoint is loaded (bitsandbytes, torchao): frozen ones are bf16 here.";
pub(super) const ADAPTERS_IN_MODEL: &str = "Adapters are made in the script with PEFT (get_peft_model), whose adapter_config.json this page writes too; their rank, modules and dropout stand there.";
pub(super) const LAYERS_IN_MODEL: &str =
    "Layers are frozen in the script (requires_grad_(False)) before the model is handed over.";
pub(super) const FROZEN_IN_MODEL: &str = "A range of layers with adapters is PEFT's layers_to_transform.";
pub(super) const EMBEDDINGS_IN_MODEL: &str = "Whether embedding and head train too is PEFT's modules_to_save.";
pub(super) const DORA_IN_MODEL: &str = "DoRA is PEFT's use_dora.";
pub(super) const RSLORA_IN_MODEL: &str = "rsLoRA is PEFT's use_rslora.";
pub(super) const DROPOUT_IN_ADAPTERS: &str = "Dropout before adapters is PEFT's lora_dropout.";
pub(super) const TARGETS_IN_MODEL: &str = "Which matrices have adapters is PEFT's target_modules.";
pub(super) const BASE_IN_MODEL: &str =
    "The format of the frozen weights is chosen where the model is loaded (dtype, quantization_config).";
pub(super) const NO_CAPACITY: &str = "The capacity factor is up to the model's code.";

/// Adds the notes about experts for a framework that leaves them to the model's code.
pub(super) fn add_expert_notes(context: &mut ExportContext) {
    let run = context.setup.experts;
    context.note_if(run.capacity_factor > 1.0, NO_CAPACITY);
    context.note_if(run.chunks > 1, NO_CHUNKS);
    context.note_if(run.across_micro_batches, NO_ACROSS);
    context.note_if(run.algorithm != AllToAll::Linear, LINEAR_ONLY);
    context.note_if(run.fused && run.grouped, NO_FUSED_EXPERTS);
}

impl ExportContext {
    /// Adds a note for each of the modules to recompute, for a framework that has no flags for
    /// them.
    pub(super) fn note_modules(&mut self) {
        let modules = self.setup.modules();
        let asked = [
            (modules.core_attn, MODULE_CORE_ATTN),
            (modules.mlp, MODULE_MLP),
            (modules.moe, MODULE_MOE),
            (modules.moe_act, MODULE_MOE_ACT),
            (modules.layernorm, MODULE_LAYERNORM),
            (modules.mla_up_proj, MODULE_MLA_UP_PROJ),
            (modules.shared_experts, MODULE_SHARED_EXPERTS),
        ];
        self.note_if(asked.iter().any(|(asked, _)| *asked), MODULES_IN_MODEL);
        for (asked, note) in asked {
            self.note_if(asked, note);
        }
    }

    /// Adds the notes about the allocator for a framework whose file holds no command.
    pub(super) fn note_allocator(&mut self) {
        self.note_if(self.setup.segments == Segments::Expandable, SEGMENTS_IN_ENVIRONMENT);
    }

    /// Adds the notes about adapters and frozen weights for a framework that receives a model made
    /// with PEFT.
    pub(super) fn note_trained_in_model(&mut self) {
        let trained = self.setup.trained;
        self.note_if(trained.method == Method::Layers, LAYERS_IN_MODEL);
        self.note_if(!trained.is_all() && trained.base != BaseFormat::Bf16, BASE_IN_MODEL);
        if !trained.has_adapters() {
            return;
        }
        self.notes.push(ADAPTERS_IN_MODEL);
        self.note_if(trained.rank == 0, RANK_0);
        self.note_if(trained.method == Method::RsLora, RSLORA_IN_MODEL);
        self.note_if(trained.method == Method::Dora, DORA_IN_MODEL);
        self.note_if(trained.targets != Targets::AllLinear, TARGETS_IN_MODEL);
        self.note_if(trained.dropout, DROPOUT_IN_ADAPTERS);
        self.note_if(trained.embeddings, EMBEDDINGS_IN_MODEL);
        self.note_if(trained.frozen_layers > 0, FROZEN_IN_MODEL);
    }
}

/// Adds the notes for a framework without optimizers of other libraries, whose update runs on the
/// GPU after the backward pass.
pub(super) fn add_optimizer_notes(context: &mut ExportContext) {
    let other = matches!(context.setup.optimizer, Optimizer::AdamMini | Optimizer::AdamW4bit) || context.projects();
    context.note_if(other, NO_LIBRARY_OPTIMIZER);
    add_update_notes(context);
}

/// Adds the notes for a framework whose update runs on the GPU after the backward pass.
pub(super) fn add_update_notes(context: &mut ExportContext) {
    context.note_if(context.setup.offload.pages_state(), NO_PAGING);
    context.note_if(context.updates_in_backward(), NO_UPDATE_IN_BACKWARD);
}

/// Adds the notes about features of models that most frameworks' settings cannot express.
pub(super) fn add_model_notes(context: &mut ExportContext, program: Program) {
    let (shape, is_megatron) = (context.setup.architecture, program == Program::MegatronLm);
    let others = shape.pattern.is_used() || shape.recurrent.is_used() || shape.gated_attention;
    context.note_if(others || shape.experts.latent_size > 0, OTHER_LAYERS);
    context.note_if(shape.tower.is_used(), READS_IMAGES);
    context.note_if(context.setup.objective.task.distills(), DISTILLATION);
    context.note_if(context.setup.mtp > 0 && !is_megatron, NO_FURTHER_TOKENS);
    context.note_if(context.setup.share_in_16_bits() > 0.0 && !is_megatron, LAYERS_IN_16_BITS);
    let named = is_megatron || matches!(program, Program::Pytorch | Program::Torchtitan);
    context.note_if(context.setup.gradients_in_16_bits && !named, GRADIENTS_IN_16_BITS);
}

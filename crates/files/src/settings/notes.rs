//! What frameworks cannot express, in sentences.

use super::Framework;
use super::context::ExportContext;
use engine::model::experts::AllToAll;
use engine::model::software::Segments;
use engine::model::trained::{BaseFormat, Method, Targets};
use engine::model::training::Optimizer;

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
    "Attention in 8 bits is Transformer Engine's: PyTorch's kernels in 16 bits stand here.";
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
pub(super) const FSDP2_ZERO: &str = "PyTorch has no ZeRO-1 or ZeRO-2 that composes with these features: FSDP2 without resharding stands here, which shards the weights too and gathers them once a micro-batch.";
pub(super) const FSDP2_RESHARD_TP: &str = "FSDP2 does not reshard to a smaller group together with tensor parallelism yet: weights are resharded to the whole group.";
pub(super) const FSDP2_CP_SHARDS: &str =
    "The GPUs of one sequence shard the weights among each other, where the page counts whole weights on each.";
pub(super) const FSDP2_EXPERTS: &str =
    "Experts are sharded as other weights are; the router and the exchange of tokens belong to the model's code.";
pub(super) const FSDP2_EP: &str = "PyTorch has no public expert parallelism: ep and etp are left out, and each GPU gathers all experts of a layer. torchtitan has it.";
pub(super) const FSDP2_OPTIMIZER: &str =
    "PyTorch's Adafactor and Muon do not update sharded parameters: AdamW stands here.";
pub(super) const FSDP2_OFFLOAD: &str =
    "FSDP2 offloads parameters, gradients and optimizer state together: parameters go to the host as well.";
pub(super) const GRAPHS_BY_COMPILE: &str = "PyTorch captures CUDA graphs through torch.compile (mode=\"reduce-overhead\"), layer by layer: anything beyond is left out.";
pub(super) const GROUPED_IN_MODEL: &str =
    "Whether the experts' products run one by one or grouped is up to the model's code.";
pub(super) const LAYERS_IN_16_BITS: &str =
    "Which layers stay in 16 bits is a filter over module names where the model is converted (torchao's filter_fqns).";
pub(super) const NO_FURTHER_TOKENS: &str =
    "The module that predicts further tokens belongs to the model's code: these settings train the next token alone.";
pub(super) const READS_IMAGES: &str = "The encoder of images or sound belongs to the model's own class: these settings build the language model alone. Load the class that the model's config.json names, freeze its encoder and projection as the scenario says, and take the rest from here.";
pub(super) const OTHER_LAYERS: &str = "This model has layers of several kinds, or parts that these settings have no names for: take its shape from its own config.json or the framework's recipe for it, and the rest from here.";
pub(super) const LINEAR_ONLY: &str = "The two-dimensional all-to-all is Tutel's: NCCL's stands here.";
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
    "AdamW with 16-bit moments beside fp32 weights is not offered: AdamW with fp32 moments stands here.";
pub(super) const NO_CHUNKS: &str = "Chunks of the exchange of experts are Tutel's: the exchange is whole here.";
pub(super) const NO_FP4: &str = "4-bit products are not offered outside prototypes: the 16-bit format stands here.";
pub(super) const NO_FUSED_EXPERTS: &str = "A grouped kernel that also casts and applies the activation is not offered.";
pub(super) const NO_GRAPHS: &str = "CUDA graphs of training steps are not offered.";
pub(super) const NO_LIBRARY_OPTIMIZER: &str =
    "Adam-mini, GaLore and 4-bit AdamW are optimizers of other libraries: AdamW with whole state stands here.";
pub(super) const NO_PAGING: &str = "Paged optimizer state is bitsandbytes': here it stays on the GPU.";
pub(super) const NO_UPDATE_IN_BACKWARD: &str = "The update runs after the backward pass here: in it, hooks of one's own would run (register_post_accumulate_grad_hook).";
pub(super) const NO_LION: &str = "PyTorch has no Lion: AdamW stands here, which keeps twice the state.";
pub(super) const DUALPIPE: &str =
    "PyTorch has DualPipe-V alone, with one copy of the weights: DualPipe itself is DeepSeek’s code.";
pub(super) const ZB_INTERLEAVED: &str =
    "PyTorch's zero-bubble schedule is the interleaved one; with one chunk a GPU it comes closest to ZB-H1.";

pub(super) const TITAN_ZERO: &str = "torchtitan has no ZeRO-1 or ZeRO-2: FSDP without resharding stands here, which shards the weights too and gathers them once a micro-batch.";
pub(super) const TITAN_RESHARD: &str =
    "torchtitan reshards to the whole group or not at all: \"always\" stands for resharding to a smaller group.";
pub(super) const TITAN_REDUCES_32: &str = "torchtitan reduces gradients in fp32 only.";
pub(super) const TITAN_AUTOCAST: &str =
    "torchtitan casts whole weights before it gathers them (FSDP2's policy), and by autocast without FSDP alone.";
pub(super) const TITAN_FP16: &str = "torchtitan trains in bf16 or fp32: the GPU has no bf16, which is emulated.";
pub(super) const TITAN_OPTIMIZER: &str =
    "torchtitan builds Adam and AdamW (and Muon for Kimi alone): AdamW stands here.";
pub(super) const TITAN_OFFLOAD: &str = "torchtitan offloads no activations.";
pub(super) const TITAN_ATTENTION_CORE: &str = "torchtitan does not recompute the attention core alone; its flash attention leaves nothing to drop, and nothing is recomputed here.";
pub(super) const TITAN_BUDGET: &str =
    "The share of activations is a memory budget of torch.compile's partitioner, which counts in its own way.";
pub(super) const TITAN_FRACTION: &str = "torchtitan keeps a share of the activations only under torch.compile (a memory budget): selective recomputation stands here.";
pub(super) const TITAN_CP: &str =
    "torchtitan's context parallelism gathers keys and values (flex attention); it has no ring.";
pub(super) const TITAN_ETP: &str = "torchtitan has no expert tensor parallelism: experts are split by ep alone.";
pub(super) const TITAN_EP: &str = "torchtitan takes expert parallelism from the GPUs of a shard group and its tensor-parallel neighbours: the degree is cut to what divides them.";
pub(super) const TITAN_SYNC: &str = "torchtitan reduces FSDP's gradients in every micro-batch.";
pub(super) const TITAN_GRAPHS: &str =
    "torchtitan captures whole steps as CUDA graphs, not single layers: they are off here.";
pub(super) const TITAN_NO_GRAPHS: &str = "torchtitan captures no CUDA graphs under a pipeline or under expert parallelism with this dispatcher: they are off here.";
pub(super) const TITAN_ATTENTION: &str =
    "torchtitan's attention is flex attention; unfused or vendor-tuned kernels are not offered for these models.";
pub(super) const TITAN_FP8_GATHER: &str = "torchtitan gathers weights in bf16 under its rowwise fp8 recipe.";
pub(super) const TITAN_SHAPE: &str = "The model takes the closest of torchtitan's shapes (Llama 3, Qwen 3, DeepSeek V3), which lacks some of its norms, biases, positions, dense or shared parts: parameters differ.";
pub(super) const TITAN_SHAPE_TIED: &str =
    "This shape of torchtitan's does not tie the output head to the embedding: it has one of its own.";
pub(super) const TITAN_TIED: &str =
    "torchtitan does not tie the output head to the embedding across pipeline stages: it has one of its own.";
pub(super) const TITAN_HEADS: &str =
    "torchtitan refuses tensor parallelism that does not divide the key and value heads.";
pub(super) const TITAN_WINDOW: &str = "Sliding windows are left out: every layer sees the whole sequence.";

pub(super) const DS_PIPELINE: &str = "A DeepSpeed pipeline is built in code, PipelineModule(layers, num_stages=...): \"stages\" here only repeats its size, and micro-batches are the gradient accumulation steps.";
pub(super) const DS_PIPELINE_ZERO: &str =
    "DeepSpeed's pipeline does not run with ZeRO-2 or ZeRO-3: ZeRO-1 stands here.";
pub(super) const DS_SCHEDULE: &str = "DeepSpeed's pipeline runs 1F1B only.";
pub(super) const DS_STAGES: &str = "Uneven stages are asked for in code (PipelineModule's partition_method).";
pub(super) const DS_ZERO1_GROUP: &str = "DeepSpeed shards ZeRO-1 over all replicas, not in groups.";
pub(super) const DS_SHARD_GRAD_OP: &str = "DeepSpeed has no SHARD_GRAD_OP: ZeRO-3 with limits that keep gathered weights until the backward pass comes closest.";
pub(super) const DS_HYBRID: &str = "DeepSpeed has no HYBRID_SHARD since MiCS was removed: ZeRO-3 with hpZ stands here, which gathers inside the group for the backward pass, and shards states over all GPUs.";
pub(super) const DS_TP: &str = "Tensor parallelism is AutoTP, which splits the layers of models that it knows.";
pub(super) const DS_NO_SP: &str = "AutoTP does not split norms and residuals along the sequence.";
pub(super) const DS_ULYSSES: &str = "Context parallelism is Ulysses: heads are exchanged by all-to-all, keys and values are neither passed around a ring nor gathered.";
pub(super) const DS_EP: &str =
    "Expert parallelism is AutoEP, which replaces the expert layers of models that it knows.";
pub(super) const DS_DISPATCHER: &str =
    "Tokens are sent by a collective all-to-all: AutoEP's DeepEP backend (\"comm_backend\") needs a build of its own.";
pub(super) const DS_MASTER: &str =
    "DeepSpeed keeps 16-bit weights beside an fp32 copy, where FSDP2 has fp32 shards alone.";
pub(super) const DS_PURE: &str = "States in bf16 need ZeRO: without it DeepSpeed keeps an fp32 copy.";
pub(super) const DS_8BIT: &str = "8-bit AdamW is passed as a client optimizer (bitsandbytes): AdamW stands here.";
pub(super) const DS_OFFLOAD: &str = "Offloading the optimizer needs ZeRO: it is left out.";
pub(super) const DS_OFFLOAD_PARAMETERS: &str = "Offloading parameters needs ZeRO-3: it is left out.";
/// Of frameworks without DeepSpeed's offloading to NVMe.
pub(super) const NO_NVME: &str = "DeepSpeed alone offloads to NVMe: what would lie there is in host memory.";
pub(super) const DS_NVME: &str =
    "DeepSpeed offloads to NVMe under stage 3 alone: the optimizer state is in host memory.";
pub(super) const DS_OFFLOAD_ACTIVATIONS: &str =
    "DeepSpeed offloads the inputs of checkpointed layers only: without recomputation there is nothing to offload.";
pub(super) const DS_RECOMPUTE: &str = "Recomputation is switched on in the model (gradient_checkpointing_enable, deepspeed.checkpointing): the section here says how it stores what it keeps.";
pub(super) const DS_RECOMPUTE_MODE: &str =
    "Recomputation goes by whole layers: a selective policy or a share of them is chosen in code.";
pub(super) const DS_SYNC: &str = "When gradients are reduced follows the ZeRO stage: after every micro-batch for stages 2 and 3, after the last for the others (engine.no_sync() changes that for stages 0 and 1).";
pub(super) const DS_FP8: &str =
    "DeepSpeed has no 8- or 4-bit products for training: convert the model with torchao or Transformer Engine.";
pub(super) const DS_COMPILE: &str = "Call engine.compile() after initialisation: there is no key for it.";
pub(super) const DS_INIT: &str = "The model is made whole on every rank unless it is made under deepspeed.zero.Init().";

pub(super) const MEGATRON_RESHARDS: &str =
    "Megatron-FSDP always reshards after the forward pass: SHARD_GRAD_OP is not offered.";
pub(super) const MEGATRON_NO_GROUP: &str = "Megatron-FSDP reshards to the whole group only.";
pub(super) const MEGATRON_SCHEDULE: &str =
    "Megatron-LM runs 1F1B, interleaved where chunks are asked for: GPipe and zero-bubble schedules are not offered.";
pub(super) const MEGATRON_ROUNDS: &str =
    "Interleaved 1F1B wants micro-batches in rounds of the stages: Megatron-LM refuses these at the first step.";
pub(super) const MEGATRON_OVERLAP_SP: &str =
    "Overlap of tensor parallelism needs sequence parallelism: it is left out.";
pub(super) const MEGATRON_EXPERTS_SP: &str =
    "Megatron-LM trains no experts under tensor parallelism without --sequence-parallel.";
pub(super) const MEGATRON_ACROSS: &str = "Overlapping the experts' exchange with another micro-batch needs 16 bits, expert parallelism, no full recomputation of layers or experts and, in a pipeline, interleaving: it is left out.";
pub(super) const MEGATRON_SYNC: &str =
    "When gradients are reduced is fixed: after every micro-batch under Megatron-FSDP, else after the last.";
pub(super) const MEGATRON_MASTER: &str =
    "Megatron keeps 16-bit weights beside an fp32 copy, where FSDP2 has fp32 shards alone.";
pub(super) const MEGATRON_PURE: &str =
    "Megatron keeps an fp32 copy of the weights and fp32 moments: states all in bf16 are not offered.";
pub(super) const MEGATRON_AUTOCAST: &str =
    "Megatron casts weights once a step and not on use: 16-bit weights stand beside an fp32 copy.";
pub(super) const MEGATRON_ADAFACTOR: &str = "Megatron-LM has no Adafactor: Adam stands here.";
pub(super) const MEGATRON_FSDP_OPTIMIZER: &str = "Megatron-FSDP takes Adam or SGD: Adam stands here.";
pub(super) const MEGATRON_OFFLOAD: &str = "Megatron-LM offloads optimizer state and activations, not parameters.";
pub(super) const MEGATRON_OFFLOAD_ACTIVATIONS: &str =
    "Activations are offloaded where they are kept: under full recomputation nothing is.";
pub(super) const MEGATRON_OFFLOAD_DDP: &str =
    "Offloading the optimizer works best with the distributed optimizer, which plain data parallelism lacks.";
pub(super) const MEGATRON_SELECTIVE: &str =
    "Selective recomputation goes by module here: norms and MLP activations are recomputed, attention is kept.";
pub(super) const MEGATRON_LINEAR: &str =
    "Megatron-LM's fused cross-entropy takes whole logits: fusing it with the head is left to the model's code.";
pub(super) const MEGATRON_LOGITS: &str =
    "Megatron-LM's cross-entropy works in place on one fp32 copy of the logits: nobody keeps another.";
pub(super) const MEGATRON_MODULE_GROUPED: &str =
    "Megatron-LM recomputes the experts' activation between grouped products alone: it is kept here.";
pub(super) const MEGATRON_MODULE_DELAYED: &str = "Under delayed scaling, which an optimizer on the host asks for, Megatron-LM recomputes neither norms nor the experts' activation: they are kept here.";
pub(super) const MEGATRON_COMPILE: &str = "Megatron-LM fuses with kernels of its own and torch.compile for small functions: the model is not compiled as a whole.";
pub(super) const MEGATRON_EXPERT_BIAS: &str =
    "Megatron-LM refuses biases in experts together with expert tensor parallelism.";
pub(super) const MEGATRON_GRAPHS: &str =
    "CUDA graphs of layers do not go together with full recomputation: they are left out.";
pub(super) const MEGATRON_FP8_GATHER: &str =
    "Gathering in fp8 needs the distributed optimizer or FSDP: it is left out.";
pub(super) const MEGATRON_SHAPE: &str = "Some of the model's norms or biases have no flag: parameters differ.";

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
    "Recomputation is the attention core's or that of whole layers: what comes closest stands here.";
pub(super) const NO_REPOSITORY: &str =
    "The model has no repository on the Hugging Face Hub that the page knows: put the path of its weights in.";

pub(super) const PEFT_ALL: &str = "Every weight trains here: there is nothing for PEFT to do, and its file is empty.";
pub(super) const PEFT_LAYERS: &str = "Some layers train as a whole here: PEFT has no adapter for that, and its file is empty. In code, requires_grad_(False) freezes the rest.";
pub(super) const PEFT_BASE: &str =
    "PEFT adapts the model as it was loaded: its file does not say in which format (BitsAndBytesConfig, dtype).";
pub(super) const PEFT_EXPERTS: &str = "Routed experts are parameters in transformers 5, gate and up in one: they are targeted as such (target_parameters), and their gate and up projections share an adapter.";
pub(super) const PEFT_EXPERTS_DORA: &str =
    "PEFT has no DoRA beside the experts' parameters: routed experts have no adapters here.";
pub(super) const PEFT_EXPERTS_DROPOUT: &str =
    "PEFT refuses dropout together with adapters beside the experts' parameters: it is 0.";

pub(super) const TUNING_FP8_BASE: &str =
    "transformers turns an FP8 checkpoint into 16 bits to train it: the frozen weights take twice the space.";
pub(super) const TUNING_MXFP4_BASE: &str =
    "transformers turns an MXFP4 checkpoint into 16 bits to train it: the frozen weights take four times the space.";
pub(super) const TUNING_INT4_BASE: &str = "GPTQ and AWQ are quantized beforehand: name such a checkpoint as the model. transformers does not train it under FSDP or ZeRO-3.";
pub(super) const TUNING_QUANTIZED_LAYERS: &str =
    "Quantized weights are for adapters alone: where layers train as a whole, frozen ones are 16 bits too.";
pub(super) const TUNING_TIED: &str = "The head shares the embedding's matrix: as modules_to_save both are copied, and the copies are tied only where PEFT is told to (ensure_weight_tying).";
pub(super) const TUNING_PIPELINE: &str = "Hugging Face's Trainer runs no pipeline: its stages are left out.";
pub(super) const TUNING_EXPERTS: &str =
    "Expert parallelism is left out: each GPU gathers all experts of a layer under Hugging Face's Trainer.";
pub(super) const TUNING_RECIPE: &str =
    "The formats of gradients and copies follow from the Trainer's bf16 and its backend: they cannot be chosen apart.";
pub(super) const TUNING_MOMENTUM: &str = "The Trainer's SGD has no momentum unless optim_args gives it one.";
pub(super) const TUNING_PAGED: &str = "The Trainer pages the state of AdamW and Lion alone (paged_adamw_32bit, paged_adamw_8bit, paged_lion_32bit): here it stays on the GPU.";
pub(super) const TUNING_PAGED_SHARDS: &str =
    "bitsandbytes' paged optimizers know no sharded tensors of FSDP2: state stays on the GPU.";
pub(super) const TUNING_IN_BACKWARD: &str = "The Trainer updates in the backward pass with lomo, adalomo and layer-wise GaLore alone: this optimizer updates after it.";
pub(super) const TUNING_ADAM_MINI: &str =
    "The Trainer has no Adam-mini: AdamW stands here, which keeps twice the state.";
pub(super) const TUNING_FRACTION: &str = "Whole layers are recomputed, all of them: a share is not offered.";
pub(super) const TUNING_GRAPHS: &str = "CUDA graphs come by torch_compile_mode: reduce-overhead alone, and not reliably with gradient accumulation: they are left out.";
pub(super) const TUNING_FP8: &str =
    "The Trainer sets its own 16-bit format over Accelerate's fp8: products are 16 bits.";
pub(super) const TUNING_SYNC: &str = "The Trainer reduces gradients after the last micro-batch.";

pub(super) const TRL_LAYERS: &str = "TRL has no switch that freezes layers: everything trains with this file. In a script, requires_grad_(False) freezes them before SFTTrainer.";
pub(super) const TRL_FROZEN: &str = "TRL's arguments put adapters beside every layer: a range of layers is LoraConfig's layers_to_transform, in a script.";
pub(super) const TRL_SELECTIVE: &str = "Recomputation goes by whole layers: a selective policy is not offered.";
pub(super) const TRL_MUON: &str = "TRL's arguments do not build Muon: AdamW stands here.";
pub(super) const TRL_LOSS: &str = "TRL computes the head and the loss over chunks of the tokens by itself.";

pub(super) const AXOLOTL_INT4_BASE: &str = "A GPTQ base is quantized beforehand: name such a checkpoint as base_model.";
pub(super) const AXOLOTL_FP32_BASE: &str =
    "Axolotl loads weights in the format of bf16 or fp16: frozen ones are 16 bits.";
pub(super) const AXOLOTL_DEEPSPEED: &str = "ZeRO-1, ZeRO-2 and tensor parallelism without FSDP are DeepSpeed's: ds_config.json is the file that this page writes for it.";
pub(super) const AXOLOTL_RING: &str = "Axolotl's context parallelism is ring attention (ring-flash-attn).";
pub(super) const AXOLOTL_RING_BATCH: &str =
    "Axolotl refuses more than one packed sequence in a micro-batch under context parallelism.";
pub(super) const AXOLOTL_RING_FLASH: &str =
    "Axolotl's context parallelism wants flash_attention_2, which stands here: it refuses other kernels.";
pub(super) const AXOLOTL_LIGER_TP: &str = "Axolotl refuses Liger's losses under tensor parallelism: it is left out.";
pub(super) const AXOLOTL_MUON: &str = "Axolotl refuses Muon together with DeepSpeed: AdamW stands here.";
pub(super) const AXOLOTL_SELECTIVE: &str =
    "Axolotl's selective recomputation keeps attention alone, not every second product.";
pub(super) const AXOLOTL_OFFLOAD: &str = "Axolotl offloads activations together with recomputation: it is left out.";
pub(super) const RANK_0: &str = "Adapters of rank 0 are refused.";
pub(super) const AXOLOTL_CHUNKED: &str = "Axolotl's chunks are of the loss: the head's logits are whole before them.";

pub(super) const FACTORY_EXPERTS: &str =
    "LLaMA-Factory targets modules alone: the parameters of routed experts have no adapters here.";
pub(super) const FACTORY_FROZEN: &str =
    "LLaMA-Factory puts adapters beside every layer: a range of layers is not offered with lora.";
pub(super) const FACTORY_FP32_BASE: &str =
    "LLaMA-Factory loads weights in the format of bf16 or fp16: frozen ones are 16 bits.";
pub(super) const FACTORY_INT8_FSDP: &str =
    "LLaMA-Factory refuses 8-bit weights under FSDP when it loads them: choose 4 bits, or replicas.";
pub(super) const FACTORY_CHUNKED: &str =
    "LLaMA-Factory has no loss over chunks: Liger's fused one (enable_liger_kernel) comes closest.";
pub(super) const FACTORY_OFFLOAD: &str = "LLaMA-Factory offloads no activations without Unsloth's kernels.";
pub(super) const FACTORY_FP8: &str = "LLaMA-Factory refuses fp8 products beside quantized weights: they are left out.";
pub(super) const FACTORY_MUON: &str = "LLaMA-Factory's Muon updates whole matrices: it is not for sharded weights.";

pub(super) const TUNE_MODEL: &str = "torchtune has no builder for this model: Llama 3.1's general one stands here with this shape, and tokenizer and checkpoint are placeholders.";
pub(super) const TUNE_SHAPE: &str =
    "Some of the model's norms, biases, ties or positions are not Llama 3.1's: parameters differ.";
pub(super) const TUNE_EXPERTS: &str =
    "torchtune 0.6 has no mixtures of experts: the layers are dense here, and expert parallelism is left out.";
pub(super) const TUNE_RSLORA: &str =
    "torchtune scales adapters by alpha over rank: alpha holds rsLoRA's root of the rank.";
pub(super) const TUNE_FROZEN: &str = "torchtune puts adapters beside every layer: a range of layers is not offered.";
pub(super) const TUNE_EMBEDDINGS: &str =
    "torchtune's recipes for adapters train nothing else: embedding and head are frozen.";
pub(super) const TUNE_NF4: &str = "torchtune's NF4 is torchao's, whose scales are always quantized too.";
pub(super) const TUNE_LAYERS: &str = "torchtune's recipes freeze no layers: everything trains with this file.";
pub(super) const TUNE_BASE: &str = "torchtune quantizes a frozen base to NF4 alone: 16 bits stand here.";
pub(super) const TUNE_SHARDS: &str = "torchtune's distributed recipes shard by FSDP2 over all GPUs, to the whole group or not at all: other strategies are not offered.";
pub(super) const TUNE_REPLICAS: &str = "torchtune shards over all GPUs: there are no replicas of a shard group.";
pub(super) const TUNE_PIPELINE: &str = "torchtune runs no pipeline: its stages are left out.";
pub(super) const TUNE_CONTEXT: &str = "torchtune 0.6 has no context parallelism: it is left out.";
pub(super) const TUNE_TP: &str = "torchtune's recipes for adapters have no tensor parallelism: it is left out.";
pub(super) const TUNE_SP: &str = "torchtune's plan of tensor parallelism decides by itself how norms are split.";
pub(super) const TUNE_FORMAT: &str =
    "torchtune holds weights, gradients and optimizer state in one format (dtype): there are no fp32 copies.";
pub(super) const TUNE_FP16: &str = "torchtune's recipes refuse fp16: fp32 stands here, as the GPU has no bf16.";
pub(super) const TUNE_PAGED: &str =
    "bitsandbytes' paged AdamW and 8-bit AdamW run on one GPU here: state stays on the GPU.";
pub(super) const TUNE_IN_BACKWARD: &str = "torchtune's recipes for adapters update after the backward pass.";
pub(super) const TUNE_OPTIMIZER: &str =
    "The optimizer is any class that can be imported; PyTorch's AdamW stands here for what is not sharded reliably.";
pub(super) const TUNE_RECOMPUTE: &str =
    "Whole layers are recomputed, all of them: a share or a policy by operator is not offered with adapters.";
pub(super) const TUNE_ATTENTION: &str = "torchtune's attention is PyTorch's scaled_dot_product_attention (flex attention for packed data): its kernel is PyTorch's choice.";
pub(super) const TUNE_OFFLOAD: &str = "torchtune offloads activations together with recomputation: it is left out.";
pub(super) const TUNE_SYNC: &str = "torchtune reduces gradients in every micro-batch.";
pub(super) const TUNE_FP8: &str = "torchtune 0.6 has no 8- or 4-bit products.";
pub(super) const TUNE_NORMS: &str = "torchtune's RMSNorm casts to fp32 and back in one function.";
pub(super) const TUNE_DROPOUT: &str =
    "Dropout of attention is an argument of the general builders alone (attn_dropout): it is 0.";
pub(super) const TUNE_WHOLE: &str =
    "torchtune's last checkpoint is always whole: sharded ones are those in between (enable_async_checkpointing).";

pub(super) const FSDP2_ADAPTERS_TP: &str = "Adapters under tensor parallelism need a plan for each of their matrices: they are left out, and everything trains.";
pub(super) const FSDP2_BASE: &str =
    "Quantized weights are made when a checkpoint is loaded (bitsandbytes, torchao): frozen ones are bf16 here.";
pub(super) const TITAN_DORA: &str = "torchtitan has no DoRA: LoRA stands here.";
pub(super) const TITAN_RSLORA: &str =
    "torchtitan scales adapters by alpha over rank: alpha holds rsLoRA's root of the rank.";
pub(super) const TITAN_KEYS: &str = "torchtitan's keys and values share their configuration: keys have adapters too.";
pub(super) const TITAN_LORA_DROPOUT: &str = "torchtitan has no dropout before adapters.";
pub(super) const TITAN_EMBEDDINGS: &str =
    "torchtitan freezes everything but the adapters: embedding and head are frozen.";
pub(super) const TITAN_FROZEN: &str = "torchtitan puts adapters beside every layer: a range of layers is not offered.";
pub(super) const TITAN_LAYERS: &str = "torchtitan has no switch that freezes layers: everything trains with this file.";
pub(super) const TITAN_BASE: &str =
    "torchtitan holds frozen weights in the format of the others: they cannot be chosen apart.";
pub(super) const TITAN_EXPERTS_LORA: &str =
    "torchtitan's adapters stand beside linear layers: routed experts, one grouped parameter, have none.";
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
pub(super) const MEGATRON_ADAPTERS: &str = "Megatron-LM's pretrain_gpt.py has no adapters: everything trains with these flags. LoRA and DoRA are in Megatron-Bridge, in Python (megatron.bridge.peft).";
pub(super) const MEGATRON_LAYERS: &str =
    "Megatron-LM's pretrain_gpt.py freezes no layers: everything trains with these flags.";
pub(super) const MEGATRON_BASE: &str =
    "Frozen weights in a format of their own are not offered: they are stored as the others.";
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
    /// Adds a note for each of the modules to recompute, for a framework that has no flags for them.
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

    /// Adds the notes about adapters and frozen weights for a framework that is handed a model made with PEFT.
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

/// Adds the notes of a framework that has neither optimizers of other libraries nor other places of the update.
pub(super) fn add_optimizer_notes(context: &mut ExportContext) {
    let other = matches!(context.setup.optimizer, Optimizer::AdamMini | Optimizer::AdamW4bit) || context.projects();
    context.note_if(other, NO_LIBRARY_OPTIMIZER);
    add_update_notes(context);
}

/// Adds the notes of a framework whose update runs on the GPU after the backward pass.
pub(super) fn add_update_notes(context: &mut ExportContext) {
    context.note_if(context.setup.offload.pages_state(), NO_PAGING);
    context.note_if(context.updates_in_backward(), NO_UPDATE_IN_BACKWARD);
}

/// Adds the notes about what models have that most frameworks' settings do not say.
pub(super) fn add_model_notes(context: &mut ExportContext, framework: Framework) {
    let (shape, is_megatron) = (context.setup.architecture, framework == Framework::Megatron);
    let others = shape.pattern.is_used() || shape.recurrent.is_used() || shape.gated_attention;
    context.note_if(others || shape.experts.latent_size > 0, OTHER_LAYERS);
    context.note_if(shape.tower.is_used(), READS_IMAGES);
    context.note_if(context.setup.mtp > 0 && !is_megatron, NO_FURTHER_TOKENS);
    context.note_if(context.setup.share_in_16_bits() > 0.0 && !is_megatron, LAYERS_IN_16_BITS);
}

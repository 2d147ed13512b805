//! What frameworks cannot say, in sentences. They are read after a click, and so fetched.

use super::asked::Asked;
use crate::model::experts::AllToAll;

/// Names each sentence, and lists all.
macro_rules! notes {
    ($($name:ident = $text:literal;)+) => {
        $(pub(super) const $name: &'static str = $text;)+

        /// Every note.
        pub const ALL: &[&'static str] = &[$($name),+];
    };
}

notes! {
    ALWAYS_OVERLAPS = "Communication overlaps with compute whatever is asked: there is no switch to expose it.";
    ALWAYS_SHARDED = "Checkpoints are always sharded during training; the last one may be converted to a whole file.";
    ALWAYS_DEFERRED = "The model is always initialised on the meta device.";
    ALWAYS_GROUPED = "The experts' products always run as one grouped kernel.";
    ALWAYS_FUSED_NORMS = "Norms are Transformer Engine's fused kernels; norms that upcast operator by operator are not offered.";
    ASYNC_COMPILES = "Async TP is done by torch.compile, which is off here: it is left out.";
    ATTENTION_MODULE = "Recomputing the attention core alone needs a checkpoint inside the model's attention: the whole attention module is wrapped here, its projections too.";
    ATTENTION_IN_MODEL = "The attention kernel, and recomputing its core, are chosen in the model's code (attn_implementation in transformers).";
    DISPATCHER_IN_MODEL = "How tokens are sent to experts (DeepEP or a collective) is up to the model's code.";
    DROPLESS = "Experts are dropless: there is no capacity factor.";
    DROPOUT_IN_MODEL = "Dropout is set in the model's configuration.";
    FP32_SHARDS = "FSDP2 stores fp32 shards and gathers 16-bit copies: there is no second 16-bit copy of the weights as in this precision.";
    FP8_TP = "Gathering in fp8 together with tensor parallelism needs torchao's own parallel styles (Float8ColwiseParallel) in the place of these.";
    FRACTION_LAYERS = "The share of activations is rounded to whole layers: some are recomputed fully, the others not at all.";
    FSDP2_DDP = "Data parallelism without sharding is written as FSDP2 with a shard group of 1, which composes with the rest; its gradients are all-reduced as in DDP.";
    FSDP2_ZERO = "PyTorch has no ZeRO-1 or ZeRO-2 that composes with these features: FSDP2 without resharding stands here, which shards the weights too and gathers them once a micro-batch.";
    FSDP2_RESHARD_TP = "FSDP2 does not reshard to a smaller group together with tensor parallelism yet: weights are resharded to the whole group.";
    FSDP2_CP_SHARDS = "The GPUs of one sequence shard the weights among each other, where the page counts whole weights on each.";
    FSDP2_EXPERTS = "Experts are sharded as other weights are; the router and the exchange of tokens belong to the model's code.";
    FSDP2_EP = "PyTorch has no public expert parallelism: ep and etp are left out, and each GPU gathers all experts of a layer. torchtitan has it.";
    FSDP2_OPTIMIZER = "PyTorch's Adafactor and Muon do not update sharded parameters: AdamW stands here.";
    FSDP2_OFFLOAD = "FSDP2 offloads parameters, gradients and optimizer state together: parameters go to the host as well.";
    GRAPHS_BY_COMPILE = "PyTorch captures CUDA graphs through torch.compile (mode=\"reduce-overhead\"), layer by layer: anything beyond is left out.";
    GROUPED_IN_MODEL = "Whether the experts' products run one by one or grouped is up to the model's code.";
    LINEAR_ONLY = "The two-dimensional all-to-all is Tutel's: NCCL's stands here.";
    LOSS_CHUNKED = "The loss over chunks of the tokens belongs to the loss function (torchtune's and torchtitan's have one).";
    FEW_MICRO_BATCHES = "Some of PyTorch's schedules refuse fewer micro-batches than there are stages, counting every chunk: add gradient accumulation steps.";
    LOSS_IN_CODE = "The kernel of the loss belongs to the training script (Liger's fused cross-entropy, for one).";
    LOSS_SCALE = "The GPU has no bf16: fp16 needs a gradient scaler (torch.amp.GradScaler) around the step.";
    SEQUENCE_PARTS = "Sequences that do not cut into two parts for every GPU of context parallelism are refused: enter a multiple.";
    NORMS_IN_MODEL = "How norms compute is up to the model's code (transformers' RMSNorm upcasts, torch.nn.RMSNorm is fused).";
    NO_ACROSS = "Exchanges of experts cannot be overlapped with another micro-batch (DualPipe) here.";
    NO_ADAMW_16 = "AdamW with 16-bit moments beside fp32 weights is not offered: AdamW with fp32 moments stands here.";
    NO_CHUNKS = "Chunks of the exchange of experts are Tutel's: the exchange is whole here.";
    NO_FP4 = "4-bit products are not offered outside prototypes: the 16-bit format stands here.";
    NO_FUSED_EXPERTS = "A grouped kernel that also casts and applies the activation is not offered.";
    NO_GRAPHS = "CUDA graphs of training steps are not offered.";
    NO_LION = "PyTorch has no Lion: AdamW stands here, which keeps twice the state.";
    ZB_INTERLEAVED = "PyTorch's zero-bubble schedule is the interleaved one; with one chunk a GPU it comes closest to ZB-H1.";

    TITAN_ZERO = "torchtitan has no ZeRO-1 or ZeRO-2: FSDP without resharding stands here, which shards the weights too and gathers them once a micro-batch.";
    TITAN_RESHARD = "torchtitan reshards to the whole group or not at all: \"always\" stands for resharding to a smaller group.";
    TITAN_REDUCES_32 = "torchtitan reduces gradients in fp32 only.";
    TITAN_FP16 = "torchtitan trains in bf16 or fp32: the GPU has no bf16, which is emulated.";
    TITAN_OPTIMIZER = "torchtitan builds Adam and AdamW (and Muon for Kimi alone): AdamW stands here.";
    TITAN_OFFLOAD = "torchtitan offloads no activations.";
    TITAN_ATTENTION_CORE = "torchtitan does not recompute the attention core alone; its flash attention leaves nothing to drop, and nothing is recomputed here.";
    TITAN_BUDGET = "The share of activations is a memory budget of torch.compile's partitioner, which counts in its own way.";
    TITAN_FRACTION = "torchtitan keeps a share of the activations only under torch.compile (a memory budget): selective recomputation stands here.";
    TITAN_CP = "torchtitan's context parallelism gathers keys and values (flex attention); it has no ring.";
    TITAN_ETP = "torchtitan has no expert tensor parallelism: experts are split by ep alone.";
    TITAN_EP = "torchtitan takes expert parallelism from the GPUs of a shard group and its tensor-parallel neighbours: the degree is cut to what divides them.";
    TITAN_SYNC = "torchtitan reduces FSDP's gradients in every micro-batch.";
    TITAN_GRAPHS = "torchtitan captures whole steps as CUDA graphs, not single layers: they are off here.";
    TITAN_NO_GRAPHS = "torchtitan captures no CUDA graphs under a pipeline or under expert parallelism with this dispatcher: they are off here.";
    TITAN_ATTENTION = "torchtitan's attention is flex attention; unfused or vendor-tuned kernels are not offered for these models.";
    TITAN_FP8_GATHER = "torchtitan gathers weights in bf16 under its rowwise fp8 recipe.";
    TITAN_SHAPE = "The model takes the closest of torchtitan's shapes (Llama 3, Qwen 3, DeepSeek V3), which lacks some of its norms, biases, positions, dense or shared parts: parameters differ.";
    TITAN_SHAPE_TIED = "This shape of torchtitan's does not tie the output head to the embedding: it has one of its own.";
    TITAN_TIED = "torchtitan does not tie the output head to the embedding across pipeline stages: it has one of its own.";
    TITAN_HEADS = "torchtitan refuses tensor parallelism that does not divide the key and value heads.";
    TITAN_WINDOW = "Sliding windows are left out: every layer sees the whole sequence.";

    DS_PIPELINE = "A DeepSpeed pipeline is built in code, PipelineModule(layers, num_stages=...): \"stages\" here only repeats its size, and micro-batches are the gradient accumulation steps.";
    DS_PIPELINE_ZERO = "DeepSpeed's pipeline does not run with ZeRO-2 or ZeRO-3: ZeRO-1 stands here.";
    DS_SCHEDULE = "DeepSpeed's pipeline runs 1F1B only.";
    DS_STAGES = "Uneven stages are asked for in code (PipelineModule's partition_method).";
    DS_ZERO1_GROUP = "DeepSpeed shards ZeRO-1 over all replicas, not in groups.";
    DS_SHARD_GRAD_OP = "DeepSpeed has no SHARD_GRAD_OP: ZeRO-3 with limits that keep gathered weights until the backward pass comes closest.";
    DS_HYBRID = "DeepSpeed has no HYBRID_SHARD since MiCS was removed: ZeRO-3 with hpZ stands here, which gathers inside the group for the backward pass, and shards states over all GPUs.";
    DS_TP = "Tensor parallelism is AutoTP, which splits the layers of models that it knows.";
    DS_NO_SP = "AutoTP does not split norms and residuals along the sequence.";
    DS_ULYSSES = "Context parallelism is Ulysses: heads are exchanged by all-to-all, keys and values are neither passed around a ring nor gathered.";
    DS_EP = "Expert parallelism is AutoEP, which replaces the expert layers of models that it knows.";
    DS_DISPATCHER = "Tokens are sent by a collective all-to-all: AutoEP's DeepEP backend (\"comm_backend\") needs a build of its own.";
    DS_MASTER = "DeepSpeed keeps 16-bit weights beside an fp32 copy, where FSDP2 has fp32 shards alone.";
    DS_PURE = "States in bf16 need ZeRO: without it DeepSpeed keeps an fp32 copy.";
    DS_8BIT = "8-bit AdamW is passed as a client optimizer (bitsandbytes): AdamW stands here.";
    DS_OFFLOAD = "Offloading the optimizer needs ZeRO: it is left out.";
    DS_OFFLOAD_PARAMETERS = "Offloading parameters needs ZeRO-3: it is left out.";
    DS_OFFLOAD_ACTIVATIONS = "DeepSpeed offloads the inputs of checkpointed layers only: without recomputation there is nothing to offload.";
    DS_RECOMPUTE = "Recomputation is switched on in the model (gradient_checkpointing_enable, deepspeed.checkpointing): the section here says how it stores what it keeps.";
    DS_RECOMPUTE_MODE = "Recomputation goes by whole layers: a selective policy or a share of them is chosen in code.";
    DS_SYNC = "When gradients are reduced follows the ZeRO stage: after every micro-batch for stages 2 and 3, after the last for the others (engine.no_sync() changes that for stages 0 and 1).";
    DS_FP8 = "DeepSpeed has no 8- or 4-bit products for training: convert the model with torchao or Transformer Engine.";
    DS_COMPILE = "Call engine.compile() after initialisation: there is no key for it.";
    DS_INIT = "The model is made whole on every rank unless it is made under deepspeed.zero.Init().";

    MEGATRON_RESHARDS = "Megatron-FSDP always reshards after the forward pass: SHARD_GRAD_OP is not offered.";
    MEGATRON_NO_GROUP = "Megatron-FSDP reshards to the whole group only.";
    MEGATRON_SCHEDULE = "Megatron-LM runs 1F1B, interleaved where chunks are asked for: GPipe and zero-bubble schedules are not offered.";
    MEGATRON_ROUNDS = "Interleaved 1F1B wants micro-batches in rounds of the stages: Megatron-LM refuses these at the first step.";
    MEGATRON_OVERLAP_SP = "Overlap of tensor parallelism needs sequence parallelism: it is left out.";
    MEGATRON_EXPERTS_SP = "Megatron-LM trains no experts under tensor parallelism without --sequence-parallel.";
    MEGATRON_ACROSS = "Overlapping the experts' exchange with another micro-batch needs 16 bits, expert parallelism, no full recomputation and, in a pipeline, interleaving: it is left out.";
    MEGATRON_SYNC = "When gradients are reduced is fixed: after every micro-batch under Megatron-FSDP, else after the last.";
    MEGATRON_MASTER = "Megatron keeps 16-bit weights beside an fp32 copy, where FSDP2 has fp32 shards alone.";
    MEGATRON_PURE = "Megatron keeps an fp32 copy of the weights and fp32 moments: states all in bf16 are not offered.";
    MEGATRON_ADAFACTOR = "Megatron-LM has no Adafactor: Adam stands here.";
    MEGATRON_FSDP_OPTIMIZER = "Megatron-FSDP takes Adam or SGD: Adam stands here.";
    MEGATRON_OFFLOAD = "Megatron-LM offloads optimizer state and activations, not parameters.";
    MEGATRON_OFFLOAD_ACTIVATIONS = "Activations are offloaded where they are kept: under full recomputation nothing is.";
    MEGATRON_OFFLOAD_DDP = "Offloading the optimizer works best with the distributed optimizer, which plain data parallelism lacks.";
    MEGATRON_SELECTIVE = "Selective recomputation goes by module here: norms and MLP activations are recomputed, attention is kept.";
    MEGATRON_COMPILE = "Megatron-LM fuses with kernels of its own and torch.compile for small functions: the model is not compiled as a whole.";
    MEGATRON_EXPERT_BIAS = "Megatron-LM refuses biases in experts together with expert tensor parallelism.";
    MEGATRON_GRAPHS = "CUDA graphs of layers do not go together with full recomputation: they are left out.";
    MEGATRON_FP8_GATHER = "Gathering in fp8 needs the distributed optimizer or FSDP: it is left out.";
    MEGATRON_SHAPE = "Some of the model's norms or biases have no flag: parameters differ.";

    ACCELERATE_MEGATRON = "Accelerate's FSDP2 has no pipeline, no expert parallelism and no tensor or context parallelism without sharding: it hands this to Megatron-LM, whose model arguments are taken from the model.";
    ACCELERATE_MEGATRON_FSDP = "Through Accelerate Megatron-LM shards the optimizer (ZeRO-1): more is not offered with it.";
    ACCELERATE_RESHARD = "Accelerate reshards to the whole group or not at all.";
    ACCELERATE_ZERO1_GROUP = "ZeRO-1 is sharded over all replicas, not in groups.";
    ACCELERATE_TP = "Tensor parallelism follows the model's own plan: load it with tp_plan=\"auto\".";
    ACCELERATE_SP = "Whether norms are split along the sequence is up to the model's plan.";
    ACCELERATE_ASYNC_TP = "Accelerate has no switch for async TP.";
    ACCELERATE_CP = "Through Accelerate Megatron-LM's context parallelism is a ring.";
    ACCELERATE_SCHEDULE = "Through Accelerate Megatron-LM runs 1F1B.";
    ACCELERATE_STAGES = "Only the last stage's layers can be set.";
    ACCELERATE_PURE = "Load the model in bf16: with mixed_precision \"no\" its own format is kept.";
    ACCELERATE_RECIPE = "The formats of gradients and copies follow from mixed_precision and the backend: reduce_dtype is set in code (FullyShardedDataParallelPlugin's mixed_precision_policy).";
    ACCELERATE_OPTIMIZER = "The optimizer is made in the script.";
    ACCELERATE_SYNC = "accelerator.accumulate() reduces gradients after the last micro-batch; GradientAccumulationPlugin(sync_each_batch=True) after every one.";
    ACCELERATE_OFFLOAD = "Accelerate offloads no activations.";
    ACCELERATE_NO_OFFLOAD = "Without sharding nothing is offloaded.";
    ACCELERATE_RECOMPUTE = "Recomputation is switched on in the model: gradient_checkpointing_enable().";
    ACCELERATE_FULL_ONLY = "fsdp_activation_checkpointing recomputes whole layers: other policies are set in the model.";
    ACCELERATE_MEGATRON_RECOMPUTE = "Recomputation is the attention core's or that of whole layers: what comes closest stands here.";
    NO_CAPACITY = "The capacity factor is up to the model's code.";
}

/// The same for every framework that leaves experts to the model's code.
pub(super) fn experts(asked: &mut Asked) {
    let run = asked.setup.experts;
    asked.note(run.capacity_factor > 1.0, NO_CAPACITY);
    asked.note(run.chunks > 1, NO_CHUNKS);
    asked.note(run.across_micro_batches, NO_ACROSS);
    asked.note(run.algorithm != AllToAll::Linear, LINEAR_ONLY);
    asked.note(run.fused && run.grouped, NO_FUSED_EXPERTS);
}

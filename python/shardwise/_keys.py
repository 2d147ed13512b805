"""The keywords of scenarios with their types, from `data/parameters.toml` and `data/spelling.toml`.

Written by `crates/api/tests/types.rs` (`cargo xtask test --record`). Other spellings of a value,
such as capitals, are read as well: type checkers take them in a mapping, not as keywords.
"""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypedDict, Union

from ._values import Config, Dtype, Model, Number, Section, Switch, Text

Train = Union[
    Enum,
    Config,
    None,
    Literal[
        "all", "lora", "rslora", "dora", "layers", "full", "qlora", "freeze",
    ],
]

Targets = Union[
    Enum,
    None,
    Literal[
        "qv", "qkv", "attention", "mlp", "all", "all-linear", "all_linear", "ALL_LINEAR",
    ],
]

Base = Union[
    Enum,
    None,
    Literal[
        "fp32", "bf16", "fp8", "int8", "int4", "nf4", "nf4dq", "mxfp4", "gptq", "bnb4", "bnb4d",
        "4bit", "4-bit", "8bit", "8-bit",
    ],
]

Tower = Union[
    Enum,
    None,
    Literal[
        "frozen", "passed", "trained",
    ],
]

Projector = Union[
    Enum,
    None,
    Literal[
        "frozen", "trained",
    ],
]

Objective = Union[
    Enum,
    None,
    Literal[
        "lm", "dpo", "orpo", "kto", "reward", "ppo", "grpo", "distill", "opd", "sft", "pretrain",
        "pretraining", "rm", "kd", "distillation", "gkd",
    ],
]

Teacherdtype = Union[
    Enum,
    None,
    Literal[
        "bf16", "fp32",
    ],
]

Teacherat = Union[
    Enum,
    None,
    Literal[
        "trainer", "whole", "turns", "engine", "offline",
    ],
]

Divergence = Union[
    Enum,
    None,
    Literal[
        "forward", "reverse", "jsd",
    ],
]

Ref = Union[
    Enum,
    None,
    Literal[
        "model", "kept", "none",
    ],
]

Rm = Union[
    Enum,
    None,
    Literal[
        "function", "model",
    ],
]

Genoff = Union[
    Enum,
    None,
    Literal[
        "none", "optimizer", "all",
    ],
]

Texts = Union[
    Enum,
    None,
    Literal[
        "full", "packed", "padfree", "padded", "padmax", "grouped",
    ],
]

Recompute = Union[
    Enum,
    Switch,
    Literal[
        "none", "attention", "selective", "full", "fraction", "modules", "yes", "no",
    ],
]

Recipe = Union[
    Enum,
    Dtype,
    None,
    Literal[
        "fsdp2-bf16", "fsdp2_bf16", "FSDP2_BF16", "fsdp2-bf16-reduce16", "fsdp2_bf16_reduce16",
        "FSDP2_BF16_REDUCE16", "zero-mixed", "zero_mixed", "ZERO_MIXED", "megatron-mixed",
        "megatron_mixed", "MEGATRON_MIXED", "pure-bf16", "pure_bf16", "PURE_BF16", "bf16-reduce32",
        "bf16_reduce32", "BF16_REDUCE32", "autocast", "fp32", "mixed", "bf16", "bfloat16",
        "torch.bfloat16", "fp16", "float16", "torch.float16", "half", "float32", "torch.float32",
        "fp8", "bf16-mixed", "bf16_mixed", "BF16_MIXED", "16-mixed", "fp16-mixed", "fp16_mixed",
        "FP16_MIXED", "bf16-true", "bf16_true", "BF16_TRUE", "float", "32", 32,
    ],
]

Sixteen = Union[
    Enum,
    None,
    Literal[
        "auto", "bf16", "fp16",
    ],
]

Optimizer = Union[
    Enum,
    None,
    Literal[
        "adamw", "adamw-8bit", "adamw_8bit", "ADAMW_8BIT", "sgd", "sgd-momentum", "sgd_momentum",
        "SGD_MOMENTUM", "adafactor", "lion", "muon", "adamw-16bit", "adamw_16bit", "ADAMW_16BIT",
        "adamw-4bit", "adamw_4bit", "ADAMW_4BIT", "adam-mini", "adam_mini", "ADAM_MINI", "galore",
        "galore-8bit", "galore_8bit", "GALORE_8BIT", "adamw-fused", "adamw_fused", "ADAMW_FUSED",
        "fused-adamw", "fused_adamw", "FUSED_ADAMW", "adam8bit", "adamw8bit", "8bit-adam", "adam",
        "adamw-torch", "adamw_torch", "ADAMW_TORCH", "adamw-torch-fused", "adamw_torch_fused",
        "ADAMW_TORCH_FUSED", "fused-adam", "fused_adam", "FUSED_ADAM", "adamw-bnb-8bit",
        "adamw_bnb_8bit", "ADAMW_BNB_8BIT", "adamw-torch-8bit", "adamw_torch_8bit",
        "ADAMW_TORCH_8BIT", "adam-8bit", "adam_8bit", "ADAM_8BIT", "adamw-torch-4bit",
        "adamw_torch_4bit", "ADAMW_TORCH_4BIT", "paged-adamw", "paged_adamw", "PAGED_ADAMW",
        "paged-adamw-32bit", "paged_adamw_32bit", "PAGED_ADAMW_32BIT", "paged-adamw-8bit",
        "paged_adamw_8bit", "PAGED_ADAMW_8BIT", "galore-adamw", "galore_adamw", "GALORE_ADAMW",
        "galore-adamw-8bit", "galore_adamw_8bit", "GALORE_ADAMW_8BIT",
    ],
]

Optkernel = Union[
    Enum,
    None,
    Literal[
        "foreach", "fused",
    ],
]

Offloadopt = Union[
    Enum,
    Switch,
    Literal[
        "no", "yes", "cpu", "none",
    ],
]

Offloadparams = Union[
    Enum,
    Switch,
    Literal[
        "no", "yes", "cpu", "none",
    ],
]

Nvme = Union[
    Enum,
    Switch,
    Literal[
        "no", "optimizer", "all",
    ],
]

Strategy = Union[
    Enum,
    Switch,
    Literal[
        "ddp", "zero1", "zero1-group", "zero1_group", "ZERO1_GROUP", "zero2", "shard-grad-op",
        "shard_grad_op", "SHARD_GRAD_OP", "reshard", "full-shard", "full_shard", "FULL_SHARD",
        "hybrid-shard", "hybrid_shard", "HYBRID_SHARD", "zero-0", "zero_0", "ZERO_0",
        "hybrid-shard auto-wrap", "hybrid", "fsdp1", "fsdp-full-shard", "fsdp_full_shard",
        "FSDP_FULL_SHARD", "deepspeed-zero3", "deepspeed_zero3", "DEEPSPEED_ZERO3", "zero-stage-3",
        "zero_stage_3", "ZERO_STAGE_3", "fsdp-shard-grad-op", "fsdp_shard_grad_op",
        "FSDP_SHARD_GRAD_OP", "shard-grad-op auto-wrap", "deepspeed-zero2", "deepspeed_zero2",
        "DEEPSPEED_ZERO2", "zero-stage-2", "zero_stage_2", "ZERO_STAGE_2", "zero-stage-1",
        "zero_stage_1", "ZERO_STAGE_1", "fsdp", "fsdp2", "fully-sharded", "fully_sharded",
        "FULLY_SHARDED", "fully-sharded-data-parallel", "fully_sharded_data_parallel",
        "FULLY_SHARDED_DATA_PARALLEL", "hsdp", "no-shard", "no_shard", "NO_SHARD", "data-parallel",
        "data_parallel", "DATA_PARALLEL", "full-shard auto-wrap", "yes", "zero-1", "zero_1",
        "ZERO_1", "deepspeed-stage-1", "deepspeed_stage_1", "DEEPSPEED_STAGE_1", "zero-2", "zero_2",
        "ZERO_2", "deepspeed-stage-2", "deepspeed_stage_2", "DEEPSPEED_STAGE_2", "zero3", "zero-3",
        "zero_3", "ZERO_3", "deepspeed-stage-3", "deepspeed_stage_3", "DEEPSPEED_STAGE_3",
        "distributed-optimizer", "distributed_optimizer", "DISTRIBUTED_OPTIMIZER",
    ],
]

Lossparallel = Union[
    Enum,
    Switch,
    Literal[
        "default", "yes", "no",
    ],
]

Cpcomm = Union[
    Enum,
    None,
    Literal[
        "ring", "allgather", "alltoall", "mixed", "ulysses",
    ],
]

Schedule = Union[
    Enum,
    None,
    Literal[
        "gpipe", "1f1b", "interleaved", "zero-bubble", "zero_bubble", "ZERO_BUBBLE",
        "zero-bubble-v", "zero_bubble_v", "ZERO_BUBBLE_V", "dualpipe", "dualpipe-v", "dualpipe_v",
        "DUALPIPE_V", "interleaved1f1b", "zbvzerobubble", "dualpipev",
    ],
]

Sync = Union[
    Enum,
    None,
    Literal[
        "default", "every", "last",
    ],
]

Rootunit = Union[
    Enum,
    None,
    Literal[
        "default", "freed", "kept", "kept-with-last", "kept_with_last", "KEPT_WITH_LAST", "head",
    ],
]

Dispatcher = Union[
    Enum,
    None,
    Literal[
        "alltoall", "fused",
    ],
]

A2a = Union[
    Enum,
    None,
    Literal[
        "linear", "2dh",
    ],
]

Framework = Union[
    Enum,
    None,
    Literal[
        "pytorch", "transformers", "fsdp1", "deepspeed", "megatron", "megatron-fsdp",
        "megatron_fsdp", "MEGATRON_FSDP", "megatron-legacy", "megatron_legacy", "MEGATRON_LEGACY",
        "nanotron", "maxtext", "torchtitan", "torch", "fsdp2", "trainer", "trl", "hf",
        "huggingface", "hugging-face", "hugging_face", "HUGGING_FACE", "megatron-lm", "megatron_lm",
        "MEGATRON_LM", "megatron-core", "megatron_core", "MEGATRON_CORE", "mcore", "nemo",
    ],
]

Graphs = Union[
    Enum,
    None,
    Literal[
        "none", "layers", "step",
    ],
]

Attnkernel = Union[
    Enum,
    Switch,
    Literal[
        "unfused", "flash-1-cuda", "flash_1_cuda", "FLASH_1_CUDA", "flash-1", "flash_1", "FLASH_1",
        "flash", "flash-tuned", "flash_tuned", "FLASH_TUNED", "flash-fp8", "flash_fp8", "FLASH_FP8",
        "flash-attention-1", "flash_attention_1", "FLASH_ATTENTION_1", "fa1", "triton",
        "flash-attention-2", "flash_attention_2", "FLASH_ATTENTION_2", "fa2", "sdpa", "yes",
        "flash-attention-3", "flash_attention_3", "FLASH_ATTENTION_3", "fa3", "flash-attention-4",
        "flash_attention_4", "FLASH_ATTENTION_4", "fa4", "cudnn", "te", "eager", "no",
    ],
]

Loss = Union[
    Enum,
    None,
    Literal[
        "standard", "kept", "fp32-logits", "fp32_logits", "FP32_LOGITS", "bf16", "bf16-kept",
        "bf16_kept", "BF16_KEPT", "fused", "chunked", "fused-linear", "fused_linear",
        "FUSED_LINEAR", "tiled",
    ],
]

Normkernel = Union[
    Enum,
    None,
    Literal[
        "fused", "upcast",
    ],
]

Repeatkv = Union[
    Enum,
    Switch,
    Literal[
        "default", "yes", "no",
    ],
]

Statekernel = Union[
    Enum,
    None,
    Literal[
        "fused", "eager",
    ],
]

Compute = Union[
    Enum,
    None,
    Literal[
        "recipe", "fp8", "fp8-gather", "fp8_gather", "FP8_GATHER", "fp4",
    ],
]

Segments = Union[
    Enum,
    None,
    Literal[
        "fixed", "expandable",
    ],
]

Topology = Union[
    Enum,
    None,
    Literal[
        "aware", "flat",
    ],
]

Mfu = Union[
    Enum,
    None,
    Literal[
        "full-attention", "full_attention", "FULL_ATTENTION", "causal-attention",
        "causal_attention", "CAUSAL_ATTENTION", "parameters-only", "parameters_only",
        "PARAMETERS_ONLY",
    ],
]

Mlp = Union[
    Enum,
    None,
    Literal[
        "gated", "plain",
    ],
]

Norm = Union[
    Enum,
    None,
    Literal[
        "rms", "layer", "layer-nobias", "layer_nobias", "LAYER_NOBIAS",
    ],
]

Qknorm = Union[
    Enum,
    Switch,
    Literal[
        "no", "yes", "full",
    ],
]

Bias = Union[
    Enum,
    None,
    Literal[
        "none", "qkv", "all",
    ],
]

Fusedqkv = Union[
    Enum,
    None,
    Literal[
        "none", "attention", "all",
    ],
]

Mixer = Union[
    Enum,
    None,
    Literal[
        "mamba", "mamba2", "gated-delta", "gated_delta", "GATED_DELTA", "kimi-delta", "kimi_delta",
        "KIMI_DELTA", "lightning", "rg-lru", "rg_lru", "RG_LRU", "short-conv", "short_conv",
        "SHORT_CONV",
    ],
]

Towermlp = Union[
    Enum,
    None,
    Literal[
        "plain", "gated",
    ],
]

Imagesin = Union[
    Enum,
    None,
    Literal[
        "sequence", "crossattention",
    ],
]

Stage = Union[
    Enum,
    None,
    Literal[
        "sft", "pt", "dpo", "kto", "rm", "ppo", "0", "1", "2", "3", 0, 1, 2, 3,
    ],
]

LoraTargetModules = Union[
    Enum,
    None,
    Literal[
        "all-linear", "all_linear", "ALL_LINEAR",
    ],
]

MixedPrecision = Union[
    Enum,
    Switch,
    Literal[
        "bf16", "fp16", "no",
    ],
]

#: Names of numbers, for which true and false have no meaning.
NUMBERS = frozenset([
    "v", "rev", "nodes", "scale", "mem", "link", "seq", "size", "gpus", "rank", "frozen", "teacher",
    "teacheractive", "teachergpu", "teachertopk", "prompt", "group", "upd", "gentp", "genmem",
    "gengpu", "stale", "meanlen", "images", "imageres", "samples", "epochs", "mbs", "accum", "keep",
    "galrank", "layers16", "mtp", "shard", "tp", "cp", "cpheads", "pp", "vpp", "firstlayers",
    "lastlayers", "ep", "etp", "chunks", "capacity", "imbalance", "node", "intra", "oversub", "hbm",
    "usable", "peak", "lat", "eff", "anchortime", "anchormemory", "tokens", "price", "pue", "co2",
    "storage", "mtbf", "restart", "ckptevery", "critbatch", "hostmem", "hostgpus", "hostbw",
    "nvmebw", "hostspeed", "loader", "peak8", "peak4", "peak32", "hostlink", "power", "matmul",
    "emulatedbf16", "matmul8", "matmul4", "attn", "attntuned", "elem", "half", "launch", "intralat",
    "intraeff", "arpasses", "nodedecay", "torus", "layers", "hidden", "heads", "kv", "headdim",
    "ffn", "vocab", "norms", "pos", "window", "globalevery", "kvrank", "qrank", "nope", "rope",
    "vdim", "experts", "topk", "effn", "sharedffn", "firstdense", "moestep", "ngroup", "topkgroup",
    "expertlatent", "stateheads", "stateheaddim", "statekeyheads", "statekeydim", "convwidth",
    "staterank", "statechunk", "extralayers", "extraoutside", "towerlayers", "towerhidden",
    "towerheads", "towerffn", "patch", "imagesize", "merge", "positions", "imagetokens",
    "towerwindow", "towerglobal", "towerparams", "projparams", "accumulate_grad_batches",
    "accumulation_steps", "activations_kept_percent", "all_reduce_passes",
    "attention_efficiency_percent", "attention_tuned_efficiency_percent", "batch_size_global",
    "batch_size_per_device", "batch_size_per_gpu", "block_size", "capacity_factor",
    "checkpoint_interval_minutes", "chunk", "completions_per_prompt", "context_len",
    "context_length", "context_parallel", "context_parallel_degree", "context_parallel_gpus",
    "context_parallel_head_gpus", "context_parallel_size", "context_parallelism", "conv_kernel",
    "cost_per_gpu_hour", "cp_degree", "cp_size", "critical_batch_tokens", "ctx_len", "cutoff_len",
    "d_model", "dataset_size", "device_batch_size", "emulated_bf16_percent", "ep_degree", "ep_size",
    "expert_chunks", "expert_model_parallel_size", "expert_parallel", "expert_parallel_degree",
    "expert_parallel_gpus", "expert_parallel_size", "expert_parallelism",
    "expert_tensor_parallel_degree", "expert_tensor_parallel_gpus", "expert_tensor_parallel_size",
    "extra_params_layers", "extra_params_outside", "ffn_hidden", "ffn_hidden_size",
    "first_k_dense_replace", "first_stage_layers", "frozen_layers", "galore_rank", "global_batch",
    "global_batch_seqs", "global_batch_size", "global_bs", "global_every", "gpu_count", "gpu_mem",
    "gpu_mem_gb", "gpu_memory", "gpu_memory_gb", "gpu_memory_gib", "gpu_mtbf_hours", "gpu_price",
    "gpus_per_host", "gpus_per_node", "grad_accum", "grad_accum_steps", "grad_accumulation_steps",
    "gradient_accumulation", "gradient_accumulation_steps", "grid_gco2_per_kwh",
    "half_saturation_tokens", "head_dim", "hidden_dim", "hidden_size", "host_link_gb_per_s",
    "host_memory_gb_per_s", "host_memory_gib", "host_nvme_gb_per_s", "host_speed",
    "image_resolution", "image_size", "image_tokens", "images_per_sequence", "inter_node_bandwidth",
    "inter_node_efficiency_percent", "inter_node_gbit_per_s", "inter_node_latency_us",
    "interconnect_bandwidth", "intermediate_size", "intra_node_bandwidth",
    "intra_node_efficiency_percent", "intra_node_gb_per_s", "intra_node_latency_us", "key_dim",
    "key_heads", "kv_channels", "kv_heads", "kv_lora_rank", "last_stage_layers", "latent_size",
    "launch_per_layer_us", "layers_in_16_bits", "learned_positions", "link_bandwidth",
    "load_imbalance", "loader_sequences_per_s", "local_batch_size", "lora_r", "lora_rank",
    "matmul_4bit_efficiency_percent", "matmul_8bit_efficiency_percent", "matmul_efficiency_percent",
    "max_length", "max_prompt_length", "max_seq_len", "max_seq_length", "max_sequence_length",
    "mean_text_tokens", "measured_over_predicted_memory", "measured_over_predicted_time",
    "memory_bandwidth_gb_per_s", "memory_efficiency_percent", "micro_batch", "micro_batch_seqs",
    "micro_batch_size", "micro_batch_size_per_gpu", "micro_bs", "microbatch_size",
    "model_max_length", "model_params", "model_size", "moe_ffn_hidden", "moe_intermediate_size",
    "moe_layer_step", "moe_router_topk", "multi_token_prediction", "n_ctx", "n_embd", "n_epochs",
    "n_experts", "n_gpu", "n_gpus", "n_group", "n_head", "n_heads", "n_kv_heads", "n_layer",
    "n_layers", "n_nodes", "network_bandwidth", "ngpu", "ngpus", "nnodes", "node_decay_percent",
    "norms_per_layer", "num_attention_heads", "num_devices", "num_epochs", "num_experts",
    "num_experts_per_tok", "num_generations", "num_gpu", "num_gpus", "num_hidden_layers",
    "num_key_value_heads", "num_layers", "num_local_experts", "num_machines", "num_moe_experts",
    "num_nodes", "num_params", "num_processes", "num_query_groups", "num_samples", "num_tokens",
    "num_train_epochs", "num_virtual_stages", "number_of_gpus", "nvlink_bandwidth",
    "oversubscription", "patch_size", "peak_16bit_tflop_per_s", "peak_32bit_tflop_per_s",
    "peak_4bit_tflop_per_s", "peak_8bit_tflop_per_s", "per_device_batch_size",
    "per_device_train_batch_size", "per_gpu_batch_size", "per_gpu_train_batch_size",
    "pipeline_model_parallel_size", "pipeline_parallel", "pipeline_parallel_degree",
    "pipeline_parallel_size", "pipeline_parallelism", "pipeline_stages", "power_w", "pp_degree",
    "pp_size", "price_per_gpu_hour", "price_per_hour", "projector_params", "prompt_tokens",
    "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "r", "restart_minutes", "rollout_gpus",
    "rollout_memory_percent", "rollout_staleness", "rollout_tp", "seq_len", "seq_len_tokens",
    "seq_length", "seqlen", "sequence_len", "sequence_length", "shard_group_gpus",
    "shared_intermediate_size", "sliding_window", "spatial_merge_size", "storage_gb_per_s",
    "teacher_active_params", "teacher_gpus", "teacher_model", "teacher_model_name_or_path",
    "teacher_params", "teacher_size", "teacher_top_k", "tensor_model_parallel_size",
    "tensor_parallel", "tensor_parallel_degree", "tensor_parallel_dim", "tensor_parallel_gpus",
    "tensor_parallel_size", "tensor_parallelism", "token_budget", "top_k", "topk_group",
    "torus_axes", "total_gpus", "total_tokens", "tower_global_every", "tower_heads",
    "tower_hidden_size", "tower_layers", "tower_mlp_width", "tower_params", "tower_positions",
    "tower_window", "tp_degree", "tp_size", "train_batch_size", "train_micro_batch_size_per_gpu",
    "train_tokens", "training_tokens", "ulysses_sequence_parallel_size", "updates_per_rollout",
    "usable_memory_percent", "usd_per_gpu_hour", "v_head_dim",
    "virtual_pipeline_model_parallel_size", "virtual_pipeline_stages", "vocab_size", "vram",
    "world_size",
])


class StepValues(TypedDict, total=False):
    """Values of a scenario, but for the sequences of a step."""

    v: Number
    rev: Number
    cluster: Text
    gpu: Text
    model: Model
    nodes: Number
    scale: Number
    generation: Text
    blocks: Text
    mem: Number
    link: Number
    seq: Number
    size: Number
    gpus: Number
    train: Train
    rank: Number
    targets: Targets
    loradrop: Switch
    trainemb: Switch
    frozen: Number
    base: Base
    tower: Tower
    projector: Projector
    objective: Objective
    teacher: Number
    teacheractive: Number
    teacherdtype: Teacherdtype
    teacherat: Teacherat
    teachergpu: Number
    divergence: Divergence
    teachertopk: Number
    ref: Ref
    rm: Rm
    prompt: Number
    group: Number
    upd: Number
    gentp: Number
    genmem: Number
    sleep: Switch
    genshare: Switch
    genoff: Genoff
    gengpu: Number
    stale: Number
    texts: Texts
    meanlen: Number
    images: Number
    imageres: Number
    samples: Number
    epochs: Number
    mbs: Number
    accum: Number
    recompute: Recompute
    keep: Number
    rcattn: Switch
    rcmlp: Switch
    rcmoe: Switch
    rcmoeact: Switch
    rcnorm: Switch
    rcmla: Switch
    rcshared: Switch
    recipe: Recipe
    sixteen: Sixteen
    optimizer: Optimizer
    optkernel: Optkernel
    inbwd: Switch
    galrank: Number
    layers16: Number
    wgrad16: Switch
    mtp: Number
    paged: Switch
    offloadopt: Offloadopt
    offloadparams: Offloadparams
    offloadact: Switch
    nvme: Nvme
    strategy: Strategy
    shard: Number
    tp: Number
    sp: Switch
    asynctp: Switch
    lossparallel: Lossparallel
    embedtp: Switch
    cp: Number
    cpcomm: Cpcomm
    cpheads: Number
    pp: Number
    schedule: Schedule
    vpp: Number
    firstlayers: Number
    lastlayers: Number
    sync: Sync
    rootunit: Rootunit
    overlap: Switch
    ep: Number
    etp: Number
    adaptdegrees: Switch
    dispatcher: Dispatcher
    a2a: A2a
    chunks: Number
    adaptchunks: Switch
    epoverlap: Switch
    capacity: Number
    imbalance: Number
    grouped: Switch
    fusedexperts: Switch
    framework: Framework
    compile: Switch
    graphs: Graphs
    attnkernel: Attnkernel
    loss: Loss
    normkernel: Normkernel
    dropout: Switch
    tiledmlp: Switch
    act8: Switch
    repeatkv: Repeatkv
    statekernel: Statekernel
    compute: Compute
    segments: Segments
    node: Number
    intra: Number
    oversub: Number
    rails: Switch
    pxn: Switch
    hbm: Number
    usable: Number
    peak: Number
    lat: Number
    eff: Number
    topology: Topology
    mfu: Mfu
    anchortime: Number
    anchormemory: Number
    tokens: Number
    price: Number
    pue: Number
    co2: Number
    storage: Number
    mtbf: Number
    restart: Number
    ckptevery: Number
    ckptsharded: Switch
    deferred: Switch
    critbatch: Number
    hostmem: Number
    hostgpus: Number
    hostbw: Number
    nvmebw: Number
    hostspeed: Number
    loader: Number
    peak8: Number
    peak4: Number
    peak32: Number
    hostlink: Number
    power: Number
    matmul: Number
    emulatedbf16: Number
    matmul8: Number
    matmul4: Number
    attn: Number
    attntuned: Number
    elem: Number
    half: Number
    launch: Number
    intralat: Number
    intraeff: Number
    arpasses: Number
    nodedecay: Number
    torus: Number
    layers: Number
    hidden: Number
    heads: Number
    kv: Number
    headdim: Number
    ffn: Number
    vocab: Number
    mlp: Mlp
    norm: Norm
    norms: Number
    qknorm: Qknorm
    bias: Bias
    mlpbias: Switch
    tied: Switch
    pos: Number
    embnorm: Switch
    window: Number
    globalevery: Number
    chunked: Switch
    sinks: Switch
    fusedqkv: Fusedqkv
    softcap: Switch
    headbias: Switch
    kvrank: Number
    qrank: Number
    nope: Number
    rope: Number
    vdim: Number
    experts: Number
    topk: Number
    effn: Number
    sharedffn: Number
    sharedgate: Switch
    firstdense: Number
    moestep: Number
    routerbias: Switch
    expertbias: Switch
    clampedgate: Switch
    ngroup: Number
    topkgroup: Number
    expertlatent: Number
    attngate: Switch
    mixer: Mixer
    stateheads: Number
    stateheaddim: Number
    statekeyheads: Number
    statekeydim: Number
    convwidth: Number
    staterank: Number
    statechunk: Number
    convbias: Switch
    statebias: Switch
    extralayers: Number
    extraoutside: Number
    towerlayers: Number
    towerhidden: Number
    towerheads: Number
    towerffn: Number
    towermlp: Towermlp
    patch: Number
    imagesize: Number
    merge: Number
    positions: Number
    imagetokens: Number
    imagesin: Imagesin
    towerwindow: Number
    towerglobal: Number
    towerparams: Number
    projparams: Number
    ac: Recompute
    ac_mode: Recompute
    accelerator: Text
    accumulate_grad_batches: Number
    accumulation_steps: Number
    act_ckpt: Recompute
    activation_checkpoint: Recompute
    activation_checkpoint_mode: Recompute
    activation_checkpointing: Recompute
    activation_input_8: Switch
    activation_offloading: Switch
    activation_recomputation: Recompute
    activations_kept_percent: Number
    adapter: Train
    adaptive_parallelism: Switch
    adaptive_pipelining: Switch
    all_reduce_passes: Number
    all_to_all_algorithm: A2a
    allocator_segments: Segments
    async_tensor_parallel: Switch
    attention: Attnkernel
    attention_bias: Bias
    attention_chunks: Switch
    attention_efficiency_percent: Number
    attention_implementation: Attnkernel
    attention_kernel: Attnkernel
    attention_sinks: Switch
    attention_tuned_efficiency_percent: Number
    attn_implementation: Attnkernel
    base_format: Base
    base_model: Model
    batch_size_global: Number
    batch_size_per_device: Number
    batch_size_per_gpu: Number
    bf16: Switch
    bfloat16: Switch
    block_size: Number
    capacity_factor: Number
    checkpoint_interval_minutes: Number
    checkpointing: Recompute
    chunk: Number
    clamped_gate: Switch
    compile_model: Switch
    completions_per_prompt: Number
    compute_format: Compute
    context_exchange: Cpcomm
    context_len: Number
    context_length: Number
    context_parallel: Number
    context_parallel_degree: Number
    context_parallel_gpus: Number
    context_parallel_head_gpus: Number
    context_parallel_size: Number
    context_parallelism: Number
    conv_bias: Switch
    conv_kernel: Number
    cost_per_gpu_hour: Number
    cp_degree: Number
    cp_size: Number
    cpu_offload: Switch
    critical_batch_tokens: Number
    ctx_len: Number
    cuda_graphs: Graphs
    cutoff_len: Number
    d_model: Number
    dataset_size: Number
    ddp: Switch
    deepspeed_stage: Stage
    deepspeed_zero_stage: Stage
    deferred_initialisation: Switch
    device_batch_size: Number
    dora: Switch
    dtype: Recipe
    embedding_norm: Switch
    emulated_bf16_percent: Number
    enable_activation_checkpointing: Recompute
    enable_activation_offloading: Switch
    enable_async_tensor_parallel: Switch
    ep_degree: Number
    ep_size: Number
    expandable_segments: Switch
    expert_bias: Switch
    expert_chunks: Number
    expert_model_parallel_size: Number
    expert_parallel: Number
    expert_parallel_degree: Number
    expert_parallel_gpus: Number
    expert_parallel_size: Number
    expert_parallelism: Number
    expert_tensor_parallel_degree: Number
    expert_tensor_parallel_gpus: Number
    expert_tensor_parallel_size: Number
    extra_params_layers: Number
    extra_params_outside: Number
    ffn_hidden: Number
    ffn_hidden_size: Number
    finetuning_type: Train
    first_k_dense_replace: Number
    first_stage_layers: Number
    flash_attention: Attnkernel
    flash_attn: Attnkernel
    float16: Switch
    float8: Switch
    fp16: Switch
    fp8: Switch
    frozen_layers: Number
    fsdp: Strategy
    fsdp_activation_checkpointing: Recompute
    fsdp_offload_params: Switch
    fsdp_root_unit: Rootunit
    fsdp_sharding_strategy: Strategy
    fused_experts: Switch
    fused_projections: Fusedqkv
    galore_rank: Number
    gated_attention: Switch
    gated_mlp: Mlp
    global_batch: Number
    global_batch_seqs: Number
    global_batch_size: Number
    global_bs: Number
    global_every: Number
    gpu_count: Number
    gpu_mem: Number
    gpu_mem_gb: Number
    gpu_memory: Number
    gpu_memory_gb: Number
    gpu_memory_gib: Number
    gpu_model: Text
    gpu_mtbf_hours: Number
    gpu_name: Text
    gpu_price: Number
    gpu_type: Text
    gpus_per_host: Number
    gpus_per_node: Number
    grad_accum: Number
    grad_accum_steps: Number
    grad_accumulation_steps: Number
    gradient_accumulation: Number
    gradient_accumulation_steps: Number
    gradient_checkpointing: Recompute
    gradient_sync: Sync
    gradients_in_16_bits: Switch
    grid_gco2_per_kwh: Number
    grouped_gemm: Switch
    half_format: Sixteen
    half_saturation_tokens: Number
    hardware: Text
    head_bias: Switch
    head_dim: Number
    hidden_dim: Number
    hidden_size: Number
    host_link_gb_per_s: Number
    host_memory_gb_per_s: Number
    host_memory_gib: Number
    host_nvme_gb_per_s: Number
    host_speed: Number
    hsdp: Switch
    image_resolution: Number
    image_size: Number
    image_tokens: Number
    image_tokens_in: Imagesin
    images_per_sequence: Number
    instance_type: Text
    inter_node_bandwidth: Number
    inter_node_efficiency_percent: Number
    inter_node_gbit_per_s: Number
    inter_node_latency_us: Number
    interconnect_bandwidth: Number
    intermediate_size: Number
    intra_node_bandwidth: Number
    intra_node_efficiency_percent: Number
    intra_node_gb_per_s: Number
    intra_node_latency_us: Number
    key_dim: Number
    key_heads: Number
    kind: Mixer
    kv_channels: Number
    kv_heads: Number
    kv_lora_rank: Number
    last_stage_layers: Number
    latent_size: Number
    launch_per_layer_us: Number
    layers_in_16_bits: Number
    learned_positions: Number
    library: Framework
    liger_kernel: Switch
    link_bandwidth: Number
    load_imbalance: Number
    load_in_4bit: Switch
    load_in_8bit: Switch
    loader_sequences_per_s: Number
    local_batch_size: Number
    logit_softcap: Switch
    lora: Switch
    lora_dropout: Switch
    lora_r: Number
    lora_rank: Number
    lora_target_linear: Switch
    lora_target_modules: LoraTargetModules
    lora_targets: Targets
    loss_kernel: Loss
    loss_parallel: Lossparallel
    matmul_4bit_efficiency_percent: Number
    matmul_8bit_efficiency_percent: Number
    matmul_efficiency_percent: Number
    max_length: Number
    max_prompt_length: Number
    max_seq_len: Number
    max_seq_length: Number
    max_sequence_length: Number
    mean_text_tokens: Number
    measured_over_predicted_memory: Number
    measured_over_predicted_time: Number
    memory_bandwidth_gb_per_s: Number
    memory_efficiency_percent: Number
    method: Train
    mfu_convention: Mfu
    micro_batch: Number
    micro_batch_seqs: Number
    micro_batch_size: Number
    micro_batch_size_per_gpu: Number
    micro_bs: Number
    microbatch_size: Number
    mixed_precision: MixedPrecision
    mlp_bias: Switch
    model_id: Model
    model_max_length: Number
    model_name: Model
    model_name_or_path: Model
    model_params: Number
    model_size: Number
    moe_ffn_hidden: Number
    moe_intermediate_size: Number
    moe_layer_step: Number
    moe_router_topk: Number
    multi_token_prediction: Number
    n_ctx: Number
    n_embd: Number
    n_epochs: Number
    n_experts: Number
    n_gpu: Number
    n_gpus: Number
    n_group: Number
    n_head: Number
    n_heads: Number
    n_kv_heads: Number
    n_layer: Number
    n_layers: Number
    n_nodes: Number
    network_bandwidth: Number
    ngpu: Number
    ngpus: Number
    nnodes: Number
    node_decay_percent: Number
    norm_kernel: Normkernel
    norms_per_layer: Number
    num_attention_heads: Number
    num_devices: Number
    num_epochs: Number
    num_experts: Number
    num_experts_per_tok: Number
    num_generations: Number
    num_gpu: Number
    num_gpus: Number
    num_hidden_layers: Number
    num_key_value_heads: Number
    num_layers: Number
    num_local_experts: Number
    num_machines: Number
    num_moe_experts: Number
    num_nodes: Number
    num_params: Number
    num_processes: Number
    num_query_groups: Number
    num_samples: Number
    num_tokens: Number
    num_train_epochs: Number
    num_virtual_stages: Number
    number_of_gpus: Number
    nvlink_bandwidth: Number
    offload_activations: Switch
    offload_nvme: Nvme
    offload_optimizer: Offloadopt
    offload_optimizer_device: Offloadopt
    offload_param: Offloadparams
    offload_param_device: Offloadparams
    offload_parameters: Offloadparams
    offload_params: Offloadparams
    optim: Optimizer
    optimizer_kernel: Optkernel
    optimizer_offload: Offloadopt
    overlap_grad_reduce: Switch
    overlap_moe_expert_parallel_comm: Switch
    oversubscription: Number
    paged_optimizer: Switch
    param_offload: Offloadparams
    patch_size: Number
    peak_16bit_tflop_per_s: Number
    peak_32bit_tflop_per_s: Number
    peak_4bit_tflop_per_s: Number
    peak_8bit_tflop_per_s: Number
    peft: Train
    peft_method: Train
    per_device_batch_size: Number
    per_device_train_batch_size: Number
    per_gpu_batch_size: Number
    per_gpu_train_batch_size: Number
    pipeline_model_parallel_size: Number
    pipeline_parallel: Number
    pipeline_parallel_degree: Number
    pipeline_parallel_schedule: Schedule
    pipeline_parallel_size: Number
    pipeline_parallelism: Number
    pipeline_schedule: Schedule
    pipeline_stages: Number
    power_w: Number
    pp_degree: Number
    pp_size: Number
    precision: Recipe
    pretrained_model_name_or_path: Model
    price_per_gpu_hour: Number
    price_per_hour: Number
    projector_params: Number
    prompt_tokens: Number
    q_lora_rank: Number
    qk_nope_head_dim: Number
    qk_norm: Qknorm
    qk_rope_head_dim: Number
    qlora: Switch
    quantization: Base
    quantize: Base
    quantized_base: Base
    r: Number
    recomputation: Recompute
    recompute_activations: Switch
    recompute_core_attn: Switch
    recompute_granularity: Recompute
    recompute_layernorm: Switch
    recompute_mla_up_proj: Switch
    recompute_mlp: Switch
    recompute_moe: Switch
    recompute_moe_act: Switch
    recompute_shared_experts: Switch
    reference: Ref
    repeated_kv_heads: Repeatkv
    reshard_after_forward: Switch
    restart_minutes: Number
    rewards_from: Rm
    rollout_gpus: Number
    rollout_memory_percent: Number
    rollout_offload: Genoff
    rollout_shares_weights: Switch
    rollout_sleeps: Switch
    rollout_staleness: Number
    rollout_tp: Number
    router_bias: Switch
    seq_len: Number
    seq_len_tokens: Number
    seq_length: Number
    seqlen: Number
    sequence_len: Number
    sequence_length: Number
    sequence_parallel: Switch
    sequences: Texts
    shard_group_gpus: Number
    sharded_checkpoints: Switch
    sharding: Strategy
    sharding_strategy: Strategy
    shared_expert_gate: Switch
    shared_intermediate_size: Number
    sliding_window: Number
    spatial_merge_size: Number
    stage: Stage
    state_kernel: Statekernel
    storage_gb_per_s: Number
    teacher_active_params: Number
    teacher_format: Teacherdtype
    teacher_gpus: Number
    teacher_model: Number
    teacher_model_name_or_path: Number
    teacher_params: Number
    teacher_place: Teacherat
    teacher_size: Number
    teacher_top_k: Number
    tensor_model_parallel_size: Number
    tensor_parallel: Number
    tensor_parallel_degree: Number
    tensor_parallel_dim: Number
    tensor_parallel_embedding: Switch
    tensor_parallel_gpus: Number
    tensor_parallel_size: Number
    tensor_parallelism: Number
    tie_word_embeddings: Switch
    tiled_mlp: Switch
    token_budget: Number
    token_dispatcher: Dispatcher
    top_k: Number
    topk_group: Number
    torch_compile: Switch
    torus_axes: Number
    total_gpus: Number
    total_tokens: Number
    tower_global_every: Number
    tower_heads: Number
    tower_hidden_size: Number
    tower_layers: Number
    tower_mlp: Towermlp
    tower_mlp_width: Number
    tower_params: Number
    tower_positions: Number
    tower_window: Number
    tp_degree: Number
    tp_size: Number
    train_batch_size: Number
    train_embeddings: Switch
    train_micro_batch_size_per_gpu: Number
    train_tokens: Number
    trainable: Train
    trained: Train
    trainer: Framework
    training_tokens: Number
    ulysses_sequence_parallel_size: Number
    update_place: Switch
    updates_per_rollout: Number
    usable_memory_percent: Number
    usd_per_gpu_hour: Number
    use_compile: Switch
    use_distributed_optimizer: Switch
    use_dora: Switch
    use_flash_attention: Attnkernel
    use_flash_attn: Attnkernel
    use_gradient_checkpointing: Recompute
    use_liger: Switch
    use_liger_kernel: Switch
    use_lora: Switch
    use_peft: Switch
    use_qlora: Switch
    use_rslora: Switch
    use_torch_compile: Switch
    v_head_dim: Number
    virtual_pipeline_model_parallel_size: Number
    virtual_pipeline_stages: Number
    vocab_size: Number
    vram: Number
    world_size: Number
    zero: Stage
    zero_optimization_stage: Stage
    zero_stage: Stage
    parallelism: Section
    training: Section
    zero_optimization: Section


class Values(StepValues, total=False):
    """Values of a scenario, by every name that is read."""

    batch: Number

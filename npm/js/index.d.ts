/**
 * The engine of shardwise: does this training run fit, how fast will it go, what limits it?
 *
 * Nothing here waits, asks a server or keeps state; the same scenario gives the same numbers, to the last bit, as the calculator's
 * page and its command line.
 */

/** The keys of a link, but for version, revision and what is picked of the catalog. `parameters()` says what each one is. */
export type ParameterKey =
  | 'mem' | 'link' | 'seq' | 'size' | 'gpus' | 'train' | 'rank' | 'targets' | 'loradrop' | 'trainemb' | 'frozen'
  | 'base' | 'tower' | 'projector' | 'objective' | 'teacher' | 'teacheractive' | 'teacherdtype' | 'teacherat'
  | 'teachergpu' | 'divergence' | 'teachertopk' | 'ref' | 'rm' | 'prompt' | 'group' | 'upd' | 'gentp' | 'genmem'
  | 'sleep' | 'genshare' | 'genoff' | 'gengpu' | 'stale' | 'texts' | 'meanlen' | 'images' | 'imageres' | 'samples'
  | 'epochs' | 'mbs' | 'accum' | 'recompute' | 'keep' | 'rcattn' | 'rcmlp' | 'rcmoe' | 'rcmoeact' | 'rcnorm' | 'rcmla'
  | 'rcshared' | 'recipe' | 'sixteen' | 'optimizer' | 'optkernel' | 'inbwd' | 'galrank' | 'layers16' | 'wgrad16' | 'mtp'
  | 'paged' | 'offloadopt' | 'offloadparams' | 'offloadact' | 'nvme' | 'strategy' | 'shard' | 'tp' | 'sp' | 'asynctp'
  | 'lossparallel' | 'embedtp' | 'cp' | 'cpcomm' | 'cpheads' | 'pp' | 'schedule' | 'vpp' | 'firstlayers' | 'lastlayers'
  | 'sync' | 'rootunit' | 'overlap' | 'ep' | 'etp' | 'adaptdegrees' | 'dispatcher' | 'a2a' | 'chunks' | 'adaptchunks'
  | 'epoverlap' | 'capacity' | 'imbalance' | 'grouped' | 'fusedexperts' | 'framework' | 'compile' | 'graphs'
  | 'attnkernel' | 'loss' | 'normkernel' | 'dropout' | 'tiledmlp' | 'act8' | 'repeatkv' | 'statekernel' | 'compute'
  | 'segments' | 'node' | 'intra' | 'oversub' | 'rails' | 'pxn' | 'hbm' | 'usable' | 'peak' | 'lat' | 'eff' | 'topology'
  | 'mfu' | 'anchortime' | 'anchormemory' | 'tokens' | 'price' | 'pue' | 'co2' | 'storage' | 'mtbf' | 'restart'
  | 'ckptevery' | 'ckptsharded' | 'deferred' | 'critbatch' | 'hostmem' | 'hostgpus' | 'hostbw' | 'nvmebw' | 'hostspeed'
  | 'loader' | 'peak8' | 'peak4' | 'peak32' | 'hostlink' | 'power' | 'matmul' | 'emulatedbf16' | 'matmul8' | 'matmul4'
  | 'attn' | 'attntuned' | 'elem' | 'half' | 'launch' | 'intralat' | 'intraeff' | 'arpasses' | 'nodedecay' | 'torus'
  | 'layers' | 'hidden' | 'heads' | 'kv' | 'headdim' | 'ffn' | 'vocab' | 'mlp' | 'norm' | 'norms' | 'qknorm' | 'bias'
  | 'mlpbias' | 'tied' | 'pos' | 'embnorm' | 'window' | 'globalevery' | 'chunked' | 'sinks' | 'fusedqkv' | 'softcap'
  | 'headbias' | 'kvrank' | 'qrank' | 'nope' | 'rope' | 'vdim' | 'experts' | 'topk' | 'effn' | 'sharedffn'
  | 'sharedgate' | 'firstdense' | 'moestep' | 'routerbias' | 'expertbias' | 'clampedgate' | 'ngroup' | 'topkgroup'
  | 'expertlatent' | 'attngate' | 'mixer' | 'stateheads' | 'stateheaddim' | 'statekeyheads' | 'statekeydim'
  | 'convwidth' | 'staterank' | 'statechunk' | 'convbias' | 'statebias' | 'extralayers' | 'extraoutside' | 'towerlayers'
  | 'towerhidden' | 'towerheads' | 'towerffn' | 'towermlp' | 'patch' | 'imagesize' | 'merge' | 'positions'
  | 'imagetokens' | 'imagesin' | 'towerwindow' | 'towerglobal' | 'towerparams' | 'projparams';

/** What parameters are called elsewhere, which is read as well: by PyTorch, torchtitan, transformers, DeepSpeed, Megatron, and in tables. */
export type KnownName =
  | 'ac' | 'ac_mode' | 'accelerator' | 'accumulate_grad_batches' | 'accumulation_steps' | 'act_ckpt'
  | 'activation_checkpoint' | 'activation_checkpoint.mode' | 'activation_checkpoint_mode' | 'activation_checkpointing'
  | 'activation_input_8' | 'activation_offloading' | 'activation_recomputation' | 'activations_kept_percent' | 'adapter'
  | 'adaptive_parallelism' | 'adaptive_pipelining' | 'all_reduce_passes' | 'all_to_all_algorithm' | 'allocator_segments'
  | 'async_tensor_parallel' | 'attention' | 'attention_bias' | 'attention_chunks' | 'attention_efficiency_percent'
  | 'attention_implementation' | 'attention_kernel' | 'attention_sinks' | 'attention_tuned_efficiency_percent'
  | 'attn_implementation' | 'base_format' | 'base_model' | 'batch_size_global' | 'batch_size_per_device'
  | 'batch_size_per_gpu' | 'bf16' | 'bfloat16' | 'block_size' | 'capacity_factor' | 'checkpoint_interval_minutes'
  | 'checkpointing' | 'chunk' | 'clamped_gate' | 'compile.enable' | 'compile_model' | 'completions_per_prompt'
  | 'compute_format' | 'context_exchange' | 'context_len' | 'context_length' | 'context_parallel'
  | 'context_parallel_degree' | 'context_parallel_gpus' | 'context_parallel_head_gpus' | 'context_parallel_size'
  | 'context_parallelism' | 'conv_bias' | 'conv_kernel' | 'cost_per_gpu_hour' | 'cp_degree' | 'cp_size' | 'cpu_offload'
  | 'critical_batch_tokens' | 'ctx_len' | 'cuda_graphs' | 'cutoff_len' | 'd_model' | 'dataset_size' | 'ddp'
  | 'deepspeed_stage' | 'deepspeed_zero_stage' | 'deferred_initialisation' | 'device_batch_size' | 'dora' | 'dtype'
  | 'embedding_norm' | 'emulated_bf16_percent' | 'enable_activation_checkpointing' | 'enable_activation_offloading'
  | 'enable_async_tensor_parallel' | 'ep_degree' | 'ep_size' | 'expandable_segments' | 'expert_bias' | 'expert_chunks'
  | 'expert_model_parallel_size' | 'expert_parallel' | 'expert_parallel_degree' | 'expert_parallel_gpus'
  | 'expert_parallel_size' | 'expert_parallelism' | 'expert_tensor_parallel_degree' | 'expert_tensor_parallel_gpus'
  | 'expert_tensor_parallel_size' | 'extra_params_layers' | 'extra_params_outside' | 'ffn_hidden' | 'ffn_hidden_size'
  | 'finetuning_type' | 'first_k_dense_replace' | 'first_stage_layers' | 'flash_attention' | 'flash_attn' | 'float16'
  | 'float8' | 'fp16' | 'fp8' | 'frozen_layers' | 'fsdp' | 'fsdp_activation_checkpointing' | 'fsdp_offload_params'
  | 'fsdp_root_unit' | 'fsdp_sharding_strategy' | 'fused_experts' | 'fused_projections' | 'galore_rank'
  | 'gated_attention' | 'gated_mlp' | 'global_batch' | 'global_batch_seqs' | 'global_batch_size' | 'global_bs'
  | 'global_every' | 'gpu_count' | 'gpu_mem' | 'gpu_mem_gb' | 'gpu_memory' | 'gpu_memory_gb' | 'gpu_memory_gib'
  | 'gpu_model' | 'gpu_mtbf_hours' | 'gpu_name' | 'gpu_price' | 'gpu_type' | 'gpus_per_host' | 'gpus_per_node'
  | 'grad_accum' | 'grad_accum_steps' | 'grad_accumulation_steps' | 'gradient_accumulation'
  | 'gradient_accumulation_steps' | 'gradient_checkpointing' | 'gradient_sync' | 'gradients_in_16_bits'
  | 'grid_gco2_per_kwh' | 'grouped_gemm' | 'half_format' | 'half_saturation_tokens' | 'hardware' | 'head_bias'
  | 'head_dim' | 'hidden_dim' | 'hidden_size' | 'host_link_gb_per_s' | 'host_memory_gb_per_s' | 'host_memory_gib'
  | 'host_nvme_gb_per_s' | 'host_speed' | 'hsdp' | 'image_resolution' | 'image_size' | 'image_tokens'
  | 'image_tokens_in' | 'images_per_sequence' | 'instance_type' | 'inter_node_bandwidth'
  | 'inter_node_efficiency_percent' | 'inter_node_gbit_per_s' | 'inter_node_latency_us' | 'interconnect_bandwidth'
  | 'intermediate_size' | 'intra_node_bandwidth' | 'intra_node_efficiency_percent' | 'intra_node_gb_per_s'
  | 'intra_node_latency_us' | 'key_dim' | 'key_heads' | 'kind' | 'kv_channels' | 'kv_heads' | 'kv_lora_rank'
  | 'last_stage_layers' | 'latent_size' | 'launch_per_layer_us' | 'layers_in_16_bits' | 'learned_positions' | 'library'
  | 'liger_kernel' | 'link_bandwidth' | 'load_imbalance' | 'load_in_4bit' | 'load_in_8bit' | 'loader_sequences_per_s'
  | 'local_batch_size' | 'logit_softcap' | 'lora' | 'lora_dropout' | 'lora_r' | 'lora_rank' | 'lora_target_linear'
  | 'lora_target_modules' | 'lora_targets' | 'loss_kernel' | 'loss_parallel' | 'matmul_4bit_efficiency_percent'
  | 'matmul_8bit_efficiency_percent' | 'matmul_efficiency_percent' | 'max_length' | 'max_prompt_length' | 'max_seq_len'
  | 'max_seq_length' | 'max_sequence_length' | 'mean_text_tokens' | 'measured_over_predicted_memory'
  | 'measured_over_predicted_time' | 'memory_bandwidth_gb_per_s' | 'memory_efficiency_percent' | 'method'
  | 'mfu_convention' | 'micro_batch' | 'micro_batch_seqs' | 'micro_batch_size' | 'micro_batch_size_per_gpu' | 'micro_bs'
  | 'microbatch_size' | 'mixed_precision' | 'mlp_bias' | 'model_id' | 'model_max_length' | 'model_name'
  | 'model_name_or_path' | 'model_params' | 'model_size' | 'moe_ffn_hidden' | 'moe_intermediate_size' | 'moe_layer_step'
  | 'moe_router_topk' | 'multi_token_prediction' | 'n_ctx' | 'n_embd' | 'n_epochs' | 'n_experts' | 'n_gpu' | 'n_gpus'
  | 'n_group' | 'n_head' | 'n_heads' | 'n_kv_heads' | 'n_layer' | 'n_layers' | 'n_nodes' | 'network_bandwidth' | 'ngpu'
  | 'ngpus' | 'nnodes' | 'node_decay_percent' | 'norm_kernel' | 'norms_per_layer' | 'num_attention_heads'
  | 'num_devices' | 'num_epochs' | 'num_experts' | 'num_experts_per_tok' | 'num_generations' | 'num_gpu' | 'num_gpus'
  | 'num_hidden_layers' | 'num_key_value_heads' | 'num_layers' | 'num_local_experts' | 'num_machines'
  | 'num_moe_experts' | 'num_nodes' | 'num_params' | 'num_processes' | 'num_query_groups' | 'num_samples' | 'num_tokens'
  | 'num_train_epochs' | 'num_virtual_stages' | 'number_of_gpus' | 'nvlink_bandwidth' | 'offload_activations'
  | 'offload_nvme' | 'offload_optimizer' | 'offload_optimizer_device' | 'offload_param' | 'offload_param_device'
  | 'offload_parameters' | 'offload_params' | 'optim' | 'optimizer_kernel' | 'optimizer_offload' | 'overlap_grad_reduce'
  | 'overlap_moe_expert_parallel_comm' | 'oversubscription' | 'paged_optimizer' | 'parallelism.context_parallel_degree'
  | 'parallelism.enable_async_tensor_parallel' | 'parallelism.expert_parallel_degree'
  | 'parallelism.expert_tensor_parallel_degree' | 'parallelism.pipeline_parallel_degree'
  | 'parallelism.pipeline_parallel_schedule' | 'parallelism.tensor_parallel_degree' | 'param_offload' | 'patch_size'
  | 'peak_16bit_tflop_per_s' | 'peak_32bit_tflop_per_s' | 'peak_4bit_tflop_per_s' | 'peak_8bit_tflop_per_s' | 'peft'
  | 'peft_method' | 'per_device_batch_size' | 'per_device_train_batch_size' | 'per_gpu_batch_size'
  | 'per_gpu_train_batch_size' | 'pipeline_model_parallel_size' | 'pipeline_parallel' | 'pipeline_parallel_degree'
  | 'pipeline_parallel_schedule' | 'pipeline_parallel_size' | 'pipeline_parallelism' | 'pipeline_schedule'
  | 'pipeline_stages' | 'power_w' | 'pp_degree' | 'pp_size' | 'precision' | 'pretrained_model_name_or_path'
  | 'price_per_gpu_hour' | 'price_per_hour' | 'projector_params' | 'prompt_tokens' | 'q_lora_rank' | 'qk_nope_head_dim'
  | 'qk_norm' | 'qk_rope_head_dim' | 'qlora' | 'quantization' | 'quantize' | 'quantized_base' | 'r' | 'recomputation'
  | 'recompute_activations' | 'recompute_core_attn' | 'recompute_granularity' | 'recompute_layernorm'
  | 'recompute_mla_up_proj' | 'recompute_mlp' | 'recompute_moe' | 'recompute_moe_act' | 'recompute_shared_experts'
  | 'reference' | 'repeated_kv_heads' | 'reshard_after_forward' | 'restart_minutes' | 'rewards_from' | 'rollout_gpus'
  | 'rollout_memory_percent' | 'rollout_offload' | 'rollout_shares_weights' | 'rollout_sleeps' | 'rollout_staleness'
  | 'rollout_tp' | 'router_bias' | 'seq_len' | 'seq_len_tokens' | 'seq_length' | 'seqlen' | 'sequence_len'
  | 'sequence_length' | 'sequence_parallel' | 'sequences' | 'shard_group_gpus' | 'sharded_checkpoints' | 'sharding'
  | 'sharding_strategy' | 'shared_expert_gate' | 'shared_intermediate_size' | 'sliding_window' | 'spatial_merge_size'
  | 'stage' | 'state_kernel' | 'storage_gb_per_s' | 'teacher_active_params' | 'teacher_format' | 'teacher_gpus'
  | 'teacher_model' | 'teacher_model_name_or_path' | 'teacher_params' | 'teacher_place' | 'teacher_size'
  | 'teacher_top_k' | 'tensor_model_parallel_size' | 'tensor_parallel' | 'tensor_parallel_degree'
  | 'tensor_parallel_dim' | 'tensor_parallel_embedding' | 'tensor_parallel_gpus' | 'tensor_parallel_size'
  | 'tensor_parallelism' | 'tie_word_embeddings' | 'tiled_mlp' | 'token_budget' | 'token_dispatcher' | 'top_k'
  | 'topk_group' | 'torch_compile' | 'torus_axes' | 'total_gpus' | 'total_tokens' | 'tower_global_every' | 'tower_heads'
  | 'tower_hidden_size' | 'tower_layers' | 'tower_mlp' | 'tower_mlp_width' | 'tower_params' | 'tower_positions'
  | 'tower_window' | 'tp_degree' | 'tp_size' | 'train_batch_size' | 'train_embeddings'
  | 'train_micro_batch_size_per_gpu' | 'train_tokens' | 'trainable' | 'trained' | 'trainer'
  | 'training.global_batch_size' | 'training.local_batch_size' | 'training.seq_len' | 'training_tokens'
  | 'ulysses_sequence_parallel_size' | 'update_place' | 'updates_per_rollout' | 'usable_memory_percent'
  | 'usd_per_gpu_hour' | 'use_compile' | 'use_distributed_optimizer' | 'use_dora' | 'use_flash_attention'
  | 'use_flash_attn' | 'use_gradient_checkpointing' | 'use_liger' | 'use_liger_kernel' | 'use_lora' | 'use_peft'
  | 'use_qlora' | 'use_rslora' | 'use_torch_compile' | 'v_head_dim' | 'virtual_pipeline_model_parallel_size'
  | 'virtual_pipeline_stages' | 'vocab_size' | 'vram' | 'world_size' | 'zero'
  | 'zero_optimization.offload_optimizer.device' | 'zero_optimization.offload_param.device' | 'zero_optimization.stage'
  | 'zero_optimization_stage' | 'zero_stage';

/** What is picked of the catalog: its entries' `id`, their names, or a model's repository on the Hub; `custom` for hardware or a model of your own, `ladder` for a model by `size`. */
export type PresetKey = 'cluster' | 'gpu' | 'model';

/** A number in the parameter's unit, or text as one types it: `8192`, `'8k'`, `'80 GiB'`, `'400 Gbit/s'`, `'full-shard'`. */
export type Value = number | string | boolean;

/** A scenario under the keys of its link; what is left out is as in the first visit's. */
export type Scenario = {
  [key in 'v' | 'rev' | PresetKey | ParameterKey | KnownName]?: Value | undefined;
} & {
  /** The number of nodes, from which the GPUs follow. */
  nodes?: number | string | undefined;
  /** The sequences of a step over all GPUs, from which the micro-batches follow. */
  batch?: number | string | undefined;
  /** The size of a named or custom model along its family, where it is not its own: `'13B'`. */
  scale?: number | string | undefined;
  /** The silicon of a custom GPU where it is not that of the cluster's: `'volta'`, `'ampere'`, `'hopper'`, … */
  generation?: string | undefined;
  /** The layers of a custom model where they are not alike: `'3se.ae'` for three with a state mixer and experts, one with attention and experts. */
  blocks?: string | undefined;
};

/** A link, its fragment with or without `#`, an object with a link's keys, or a report, whose scenario counts. */
export type ScenarioOrLink = string | URL | Scenario | Report;

/** What limits a step. */
export type Limiter =
  | 'memory' | 'inter_node_network' | 'intra_node_network' | 'compute' | 'launch' | 'pipeline_bubble' | 'data' | 'rollout';

/** The parallelism strategy. */
export type Strategy =
  | 'ddp' | 'zero1' | 'zero1-group' | 'zero2' | 'shard-grad-op' | 'reshard' | 'full-shard' | 'hybrid-shard';

/** One thing that is wrong: which parameter, with which value, and what was used instead. */
export interface Issue {
  /** `error`: the numbers answer a neighbouring question, which the message names. `note`: they stand. */
  severity: 'note' | 'error';
  /** The parameter's key in links, where it is about one. */
  key: string | null;
  /** Full sentences. */
  message: string;
}

/** From the low end to the high one. */
export interface Band {
  low: number;
  high: number;
}

/** Everything that an evaluation answers, in the units that the names say: times in seconds, memory in bytes, ratios 0 to 1. */
export interface Report {
  /** The version of the engine. */
  shardwise: string;
  /** The revision of the data sheets. */
  revision: number;
  /** What the numbers were made with: the engine, the data sheets' revision, the calibration, the version of the link. */
  versions: { engine: string; catalog: number; calibration: string; link: number };
  /** The fragment of the scenario's link, without `#`. */
  link: string;
  /** Whether the predicted peak is within the GPU's memory, and every host has the memory that the run needs. */
  fits: boolean;
  /** Whether every host has the memory that the run needs: what is offloaded, initialisation, checkpoints. */
  host_fits: boolean;
  /** The share of such runs that fit, by the errors of published peaks, 0 to 1. */
  fit_odds: number;
  /**
   * `fits` from odds of 0.8, `does_not_fit` below a half, else `tight`; `host_does_not_fit` where the GPUs have room and the hosts have
   * not.
   */
  verdict: 'fits' | 'tight' | 'host_does_not_fit' | 'does_not_fit';
  /** What limits the whole step; `rollout` where generating the training data takes most of it. */
  limiter: Limiter;
  /** The time of the whole step that the limiter takes; `null` where memory limits. */
  limiter_time_s: number | null;
  /** Utilisation, throughput and time of the whole step: with generation, where a step generates what it trains on. `rollout.update` has those of the update alone. */
  mfu: number;
  /** The same with what is recomputed. */
  hfu: number;
  /** Tokens trained in a second by one GPU. */
  tokens_per_s_per_gpu: number;
  /** The tokens of one optimizer step. */
  tokens_per_step: number;
  /** FLOPs of the model in a second on one GPU, in units of 10^12. */
  tflops_per_gpu: number;
  /** Time of the whole step. */
  step_time_s: number;
  /** What one GPU cannot do without: needed + cache + free = the usable capacity. */
  needed_memory_bytes: number;
  /** What PyTorch's allocator keeps for later and gives back under pressure. */
  cache_memory_bytes: number;
  /** What stays free; 0 where the scenario does not fit. */
  free_memory_bytes: number;
  /** Capacity less needed: negative where the scenario does not fit. */
  headroom_memory_bytes: number;
  /** Needed + cache: what nvidia-smi shows. */
  peak_memory_bytes: number;
  /** The ranges in which four of five measurements lie; `null` of times in a step with a rollout, which is measured too rarely. */
  band: { mfu: Band | null; tokens_per_s_per_gpu: Band | null; step_time_s: Band | null; needed_memory_bytes: Band };
  /** What the bands stand on: published runs on this accelerator, whether step times of this framework, silicon and kind of layout are published, and whether what kernels reach was fitted to its silicon. */
  evidence: {
    measured_runs: number;
    stack_measured: boolean;
    median_step_error_percent: number | null;
    median_peak_error_percent: number | null;
    fitted: boolean;
  };
  /** The phases and lanes of a step, in seconds; after a rollout those of all its updates, and `step` is the whole step. */
  time_s: {
    step: number; forward: number; backward: number; optimizer: number; compute: number; comm: number;
    exposed_comm: number; overlapped_comm: number; inter_node_comm: number; bubble: number; exchange: number;
    /** What the network costs, in part by slowing kernels (`contention`), and that part. */
    network: number; contention: number; launch_bound: number; loading: number;
  };
  /** Memory of one GPU at its peak, in bytes. */
  memory_bytes: {
    /** What the driver leaves to programs, and what the maker names. */
    capacity: number; nominal: number;
    needed: number; cache: number; free: number; headroom: number;
    /** Needed + cache, as nvidia-smi shows; and what tensors occupy of it. */
    peak: number; allocated: number;
    /** When it peaks. */
    moment: 'loss' | 'backward' | 'optimizer';
    parts: {
      weights: number; gradients: number; optimizer: number; gathered_weights: number; unreduced_gradients: number;
      activations: number; working_set: number; logits: number; context: number; fragmentation: number;
      other_models: number; rollout_engine: number; tower: number; cache: number;
    };
    /** At rest, whether or not all are alive at the peak. */
    states: { weights: number; gradients: number; optimizer: number; total: number };
  };
  /** Parameters of the model: all, those that one token uses, those that train. */
  model: { params: number; active_params: number; trained_params: number };
  /** The device mesh. */
  mesh: { dp_replicate: number; dp_shard: number; cp: number; tp: number; pp: number; ep: number; etp: number };
  /** Generation, and all of a step that generates what it trains on (PPO, GRPO); `null` otherwise. */
  rollout: {
    fits: boolean; gpus: number; own_gpus: number; sequences: number; tokens: number; concurrent_sequences: number;
    tokens_per_s: number;
    memory_bytes: {
      parts: { training: number; weights: number; cache: number; overhead: number };
      total: number; capacity: number; per_sequence: number;
    };
    time_s: {
      step: number; rollout: number; sync: number; prefill: number; decode: number; decode_step: number;
      moving: number; scoring: number; update: number; critic: number;
    };
    /** One update alone: training on data that is there; `count` of them follow a rollout. */
    update: {
      count: number; time_s: number; mfu: number; hfu: number; tokens_per_s_per_gpu: number; tflops_per_gpu: number;
      limiter: Limiter;
    };
  } | null;
  /** How experts run, with what the engine chose of it; `null` in a dense model. */
  experts: {
    dispatcher: 'alltoall' | 'fused'; all_to_all: 'linear' | '2dh'; chunks: number; capacity_factor: number;
    imbalance: number; across_micro_batches: boolean; grouped: boolean;
  } | null;
  /** What each strategy reaches; `null` where nothing searched fits. */
  strategies: {
    strategy: Strategy | null; fits: boolean; fit_odds: number; verdict: Report['verdict'];
    mfu: number; step_time_s: number; needed_bytes: number;
    largest_model_params: number | null; longest_sequence_tokens: number | null;
  }[];
  /** The FSDP bounds after Wang et al. 2025 (arXiv 2504.03655), and the best of their grid search. */
  bounds: {
    free_memory_bytes: number; tokens_max: number; tokens_per_s_per_gpu_max: number; hfu_forward_max: number;
    mfu_max: number; tokens_to_hide_transfer: number; longest_context_tokens: number;
    best: {
      stage: 'zero3' | 'zero1_or_2'; kept: number; tokens: number; mfu: number; hfu: number;
      tokens_per_s_per_gpu: number;
    } | null;
  };
  /** The whole run; `null` where a number is infinite, as of a run that never ends. */
  run: { [key in RunKey]: number | null };
  /** How names were read, what was assumed, unusual values, and errors. */
  issues: Issue[];
  /**
   * Every value of the scenario, in the parameters' units: `estimate(report.scenario)` is this report. `tokens` is there once somebody
   * chose them.
   */
  scenario: Scenario;
}

export type RunKey =
  | 'steps' | 'batch_tokens' | 'batch_efficiency' | 'ideal_time_s' | 'time_s' | 'gpu_hours' | 'cost_usd' | 'energy_kwh'
  | 'emissions_gco2' | 'goodput' | 'interruptions' | 'run_mtbf_s' | 'checkpoint_bytes' | 'checkpoint_write_s'
  | 'checkpoint_interval_s' | 'best_checkpoint_interval_s' | 'host_processes_bytes' | 'host_init_bytes'
  | 'host_checkpoint_bytes' | 'host_offload_bytes' | 'host_pinned_bytes' | 'host_gpus_bytes'
  | 'host_memory_bytes' | 'host_capacity_bytes';

/** How a scenario is read. */
export interface Reading {
  /** Whether what cannot be read is an error; `false` forgives it as the page does with an old link, and says it among the issues. True if left out. */
  strict?: boolean;
  /** Whether to go on where the model, the number of GPUs, the length or the micro-batch decides the answer and was not given: the first issues then say what was taken. */
  assume?: boolean;
}

/** What every refusal has beside its sentence: a key that is none is a `TypeError`, all else a `RangeError`. */
export interface Refusal extends Error {
  code: 'unknown-key' | 'unknown-name' | 'invalid-value' | 'missing' | 'unreadable';
}

/**
 * The whole report of a scenario.
 *
 * @throws TypeError where a key is none, or something is of a wrong type.
 * @throws RangeError where a value cannot be read or used, or what decides the answer is missing (see {@link Refusal}).
 */
export function estimate(scenario: ScenarioOrLink, options?: Reading): Report;

/**
 * The shortest link of a scenario: its fragment (`v=1&…`), or the whole address where the calculator's page is given.
 *
 * @throws TypeError where the scenario, or one of its values, is of a wrong type.
 */
export function link(scenario: ScenarioOrLink, page?: string | URL, options?: Reading): string;

/** Values from `from` to `to`, both included; their parameter's bounds where they are left out. */
export interface Range {
  from?: number | string;
  to?: number | string;
  /** How many values; 50 if left out, and fewer where whole numbers would repeat. `doublings` has as many as it takes. */
  steps?: number;
  /** Evenly, by equal ratios, or twice as much each time; as the parameter's slider (evenly or by ratios) if left out. */
  scale?: 'linear' | 'log' | 'doublings';
}

/** One or two parameters, clusters, GPUs or models of the catalog, each with the values it takes. */
export type Axes = { [key in PresetKey | ParameterKey | KnownName]?: readonly Value[] | Float64Array | Range | undefined };

export interface SweepOptions extends Reading {
  /** Whether to answer for the whole run as well; it takes about twice as long. */
  run?: boolean;
}

/** One axis of a sweep, with the values that were used. */
export interface Axis {
  key: PresetKey | ParameterKey;
  /** The unit of numbers; empty for bare ones and for names. */
  unit: string;
  /** Numbers in the unit, or names of options or entries (`null` where the catalog has none of that name). */
  values: Float64Array | (string | null)[];
}

/** A report's numbers at every point, one array each, under the report's names. With two axes the second one moves fastest. */
export interface Sweep {
  axes: Axis[];
  /** How many values each axis has: point `(i, j)` stands at `i * shape[1] + j`. */
  shape: number[];
  /** How many points. */
  length: number;
  mfu: Float64Array;
  hfu: Float64Array;
  tokens_per_s_per_gpu: Float64Array;
  tokens_per_step: Float64Array;
  tflops_per_gpu: Float64Array;
  step_time_s: Float64Array;
  needed_memory_bytes: Float64Array;
  cache_memory_bytes: Float64Array;
  free_memory_bytes: Float64Array;
  /** Capacity less needed: negative where the scenario does not fit. */
  headroom_memory_bytes: Float64Array;
  /** The share of such runs that fit, 0 to 1. */
  fit_odds: Float64Array;
  /** 1 where the scenario fits its GPUs and hosts, 0 where it does not; its speed is then what it would be if memory were no limit. */
  fits: Uint8Array;
  /** What limits, as a place in `limiters`. */
  limiter: Uint8Array;
  limiters: Limiter[];
  /** The whole run, where `options.run` asks for it; `Infinity` for a run that never ends. */
  run?: { [key in SweptRunKey]: Float64Array };
  /** What is wrong with the scenario, as in its report, and with values of the axes. */
  issues: Issue[];
  /** The fragment of the link of a point: `estimate(sweep.link(i, j))` is its report, to the last bit. */
  link(first: number, second?: number): string;
}

export type SweptRunKey =
  | 'steps' | 'batch_efficiency' | 'time_s' | 'gpu_hours' | 'cost_usd' | 'energy_kwh' | 'emissions_gco2' | 'goodput';

/**
 * A scenario along one or two axes, a million points at most.
 *
 * A parameter is set as in a link. `cluster`, `gpu` and `model` pick the entry as on the page, with all its numbers; `size` scales
 * a named model along its family. With `strict: false` a value that is not valid is an issue, and the nearest valid one is used.
 *
 * @throws TypeError where something is of a wrong type, or there is no such parameter.
 * @throws RangeError where a value cannot be read, an axis has no values, or there are too many points.
 */
export function sweep(scenario: ScenarioOrLink, axes: Axes, options?: SweepOptions): Sweep;

interface ParameterOfAnyKind {
  /** Its key in links and scenarios. */
  key: ParameterKey;
  label: string;
  /** Its name in tables, unit included. */
  name: string;
  /** What else it is called, and read as. */
  names: string[];
  group:
    | 'main' | 'trained' | 'data' | 'training' | 'sharding' | 'parallelism' | 'experts' | 'kernels' | 'hardware' | 'network' | 'accounting'
    | 'architecture' | 'run';
  /** One or two sentences on what it is. */
  help: string;
  /** Whether it has an effect in the scenario. */
  applies: boolean;
}

export interface NumberParameter extends ParameterOfAnyKind {
  kind: 'number';
  /** The unit of all its values; empty for a bare number. */
  unit: string;
  min: number;
  max: number;
  /** How a slider spreads. */
  scale: 'linear' | 'log' | 'doublings';
  /** Whether only whole numbers are valid. */
  integer: boolean;
  /** In a link that holds nothing. */
  default: number;
  /** In the scenario. */
  value: number;
}

export interface ChoiceParameter extends ParameterOfAnyKind {
  kind: 'choice';
  options: { key: string; label: string; help: string }[];
  default: string;
  value: string;
}

export type Parameter = NumberParameter | ChoiceParameter;

/** The table of parameters, in the page's order, with their values in a scenario (the first visit's if left out). */
export function parameters(scenario?: ScenarioOrLink, options?: Reading): Parameter[];

export interface CatalogModel {
  id: string; name: string; family: string;
  params: number; active_params: number;
  /** The shape, under the names of a Hugging Face `config.json`. */
  num_hidden_layers: number; hidden_size: number; num_attention_heads: number; num_key_value_heads: number;
  head_dim: number; intermediate_size: number; vocab_size: number; tie_word_embeddings: boolean;
  max_position_embeddings: number; sliding_window: number; global_every: number; attention_chunks: boolean;
  latent_attention: {
    kv_lora_rank: number; q_lora_rank: number; qk_nope_head_dim: number; qk_rope_head_dim: number; v_head_dim: number;
  } | null;
  experts: {
    num_experts: number; num_experts_per_tok: number; moe_intermediate_size: number;
    shared_intermediate_size: number; first_k_dense_replace: number; moe_layer_step: number; n_group: number;
    topk_group: number; moe_layers: number; params_per_expert: number;
  } | null;
  source: string;
}

/** Peaks are dense. */
export interface CatalogAccelerator {
  id: string; name: string;
  memory_gib: number; usable_memory_gib: number; memory_bandwidth_gb_per_s: number;
  peak_16bit_tflops: number; peak_8bit_tflops: number; peak_4bit_tflops: number; peak_32bit_tflops: number;
  host_link_gb_per_s: number; power_w: number;
  /** What one costs for one hour on demand; null where no provider's list has it. */
  price: CatalogPrice | null;
  source: string;
}

/** An on-demand list price: whose it is, and the day it was read, or nothing where that is not known. */
export interface CatalogPrice {
  usd_per_hour: number; source: string; date: string;
}

/** Rates are per GPU and per direction. */
export interface CatalogInterconnect {
  id: string; name: string; scope: 'intra_node' | 'inter_node';
  bandwidth_gb_per_s: number; bandwidth_gbit_per_s: number; latency_us: number; efficiency: number;
  source: string;
}

/** A cluster, by the ids of its parts. */
export interface CatalogCluster {
  id: string; name: string; accelerator: string; gpus_per_node: number; gpus_per_host: number;
  host_memory_gib: number; intra_node: string; inter_node: string; source: string;
}

/** A scenario worth looking at. */
export interface CatalogScenario {
  id: string; name: string;
  /** What to notice. */
  notice: string;
  /** The fragment of its link, without `#`. */
  link: string;
  /** The query of its link, or nothing. */
  view: string;
  /** The run in a person's own words, or nothing. */
  say: string;
  source: string;
}

export interface Catalog {
  revision: number;
  models: CatalogModel[];
  accelerators: CatalogAccelerator[];
  interconnects: CatalogInterconnect[];
  clusters: CatalogCluster[];
  scenarios: CatalogScenario[];
}

/** Models, accelerators, interconnects, clusters and named scenarios, each with its source. */
export function catalog(): Catalog;

/** One layout of a ranking. */
export interface RankedLayout {
  /** Strategy and degrees: `FSDP FULL_SHARD, tp 2`. */
  name: string;
  /** Settings in which it differs from the scenario: `['FlashAttention-3', 'torch.compile']`. */
  settings: string[];
  /** The fragment of its link, without `#`. */
  link: string;
  /** Whether the scenario's framework can run it. */
  runs: boolean;
  report: Report;
}

/** The layouts of a scenario: those that fit surely before tight ones, the fastest first, and last those that the framework cannot run. */
export interface Ranking {
  /** How many layouts were looked at, and how many are valid and fit. */
  tried: number;
  fit: number;
  layouts: RankedLayout[];
  issues: Issue[];
}

/** How layouts are ranked. */
export interface RankOptions extends Reading {
  /** The global batch in tokens per step; where it is left out the scenario's. */
  batch?: number;
  /** Keys of parameters that every layout keeps as the scenario has them: `['tp', 'recompute']`. */
  hold?: readonly string[];
}

/**
 * The best layouts for the same model, length, GPUs and tokens per step: strategies, degrees, micro-batches, recomputation,
 * kernels, torch.compile, the loss and the pipeline schedule vary, and offloading where nothing fits without; one layout a kind.
 */
export function rank(scenario: ScenarioOrLink, most?: number, options?: RankOptions): Ranking;

/** The share of one of two kinds of GPUs. */
export interface MixedShare {
  /** Sequences of a micro-batch, and micro-batches of a step, on each replica. */
  micro_batch: number;
  micro_batches: number;
  layers: number;
  /** The step at the pace of this kind. */
  step_time_s: number;
  needed_memory_bytes: number;
  usable_memory_bytes: number;
  fit_odds: number;
  fits: boolean;
}

/** A split of sequences or layers over two kinds of GPUs. */
export interface MixedSplit {
  step_time_s: number;
  tokens_per_s: number;
  fits: boolean;
  verdict: Report['verdict'];
  shares: MixedShare[];
}

/** One run on two kinds of GPUs. */
export interface Mixed {
  kinds: { gpu: string; gpus: number; alone_tokens_per_s: number | null }[];
  /** What the kinds share: sequences, or the layers of a pipeline of two stages. */
  divided: 'sequences' | 'layers';
  sequences: number;
  tokens_per_step: number;
  /** Equally many sequences on each GPU, or the scenario's layers. */
  equal: MixedSplit;
  /** The fastest split that fits; `null` where none does. */
  best: MixedSplit | null;
  notes: string[];
  issues: Issue[];
}

/** One run on two kinds of GPUs: `others` are the values of those of its GPUs that are of another kind, `{ cluster, gpus }`. */
export function mixed(scenario: ScenarioOrLink, others: Scenario, options?: Reading): Mixed;

/** What is asked of a plan: the fewest GPUs, the cheapest by a deadline, the fastest within a budget, on clusters; the longest
 * context, the largest model, the largest batch on the scenario's own GPUs. */
export type Question = 'fewest' | 'cheapest' | 'fastest' | 'context' | 'model' | 'batch';

export interface PlanOptions extends Reading {
  /** The deadline of `cheapest`; 30 if left out. */
  days?: number;
  /** The budget of `fastest` in US dollars; 100,000 if left out. */
  budget?: number;
  /** The global batch in tokens per step; where it is left out the scenario's, if somebody chose it, else that of published runs. */
  batch?: number;
  /** The odds, 0 to 1, that an answer fits and holds its limit; 0.8 if left out. */
  sure?: number;
  /** Clusters of the catalog by their ids, and `own` for the scenario's hardware; all of them if left out. */
  clusters?: readonly string[];
  /** Keys of parameters that every layout keeps as the scenario has them: `['tp', 'recompute']`. */
  hold?: readonly string[];
  /** The most answers; 24 if left out. */
  most?: number;
}

/** The fastest layout of a number of GPUs, a length, a size or a batch. */
export interface PlannedRun {
  /** The name of the hardware, and the ids of the clusters with the same numbers. */
  cluster: string;
  clusters: string[];
  /** Whether it is the scenario's own hardware. */
  own: boolean;
  /** The model's id in the catalog. */
  model: string | null;
  params: number;
  gpus: number;
  seq: number;
  sequences_per_step: number;
  tokens_per_step: number;
  layout: string;
  /** Settings in which the run differs from the scenario: `['FlashAttention-3', 'torch.compile']`. */
  settings: string[];
  micro_batch_size: number;
  grad_accum_steps: number;
  recompute: string;
  mfu: number;
  step_time_s: number;
  tokens_per_s_per_gpu: number;
  needed_memory_bytes: number;
  fit_odds: number;
  /** The odds to fit and end in time, or cost no more than the budget; `null` where the question has no such limit. */
  limit_odds: number | null;
  /** The whole run, with checkpoints and failures; `null` where it never ends. Four of five measured runs lie from low to high. */
  time_s: number | null;
  time_low_s: number | null;
  time_high_s: number | null;
  gpu_hours: number | null;
  /** `null` where no list has a price. */
  price_usd_per_gpu_hour: number | null;
  /** Whose price it is; `null` for the scenario's own. */
  price_source: string | null;
  cost_usd: number | null;
  cost_low_usd: number | null;
  cost_high_usd: number | null;
  /** The price of a GPU-hour here at which it costs as much as the first answer. */
  break_even_usd_per_gpu_hour: number | null;
  /** The fragment of its link, without `#`: `estimate(run.link)` is its report. */
  link: string;
}

/** The answers to a question, the best first; of clusters the best of each. */
export interface Plan {
  question: Question;
  limit: number | null;
  batch_tokens: number;
  sure: number;
  answers: PlannedRun[];
  /** Where nothing answers, what misses the deadline or the budget by least. */
  nearest: PlannedRun | null;
  /** What the best would be with the batch of published runs, where the smaller one that was asked for limits it. */
  with_larger_batch: PlannedRun | null;
  /** What the reader has to check. */
  unchecked: string | null;
  /** The runs that no other beats in both days and dollars, the fastest first. */
  front: PlannedRun[];
  /** How many combinations were looked at, how many of them were evaluated, and how many of those fit. */
  visited: number;
  evaluated: number;
  fit: number;
  /** Clusters that cannot run the scenario, and why. */
  refused: { cluster: string; why: string }[];
  issues: Issue[];
}

/**
 * Plans backwards, in a second or a few: call it in a worker where a page has to answer meanwhile.
 *
 * @throws TypeError where something is of a wrong type; Error where there is no such question, deadline, budget or cluster.
 */
export function plan(scenario: ScenarioOrLink, question?: Question, options?: PlanOptions): Plan;

/** A text, bytes, or a file with its name. Options stand after the last. */
export type Given = string | Uint8Array | { name?: string; data: string | Uint8Array };

/** A change that is offered. */
export interface Offer {
  /** The code of its kind, such as `SW101`: it stays the same from release to release. `null` where no setting changes. */
  code: string | null;
  /** How grave what it mends is. */
  severity: 'error' | 'warning' | 'note' | null;
  /** What it changes and what that helps. */
  what: string;
  /** The fragment of the changed scenario's link; `null` where there is no change. */
  scenario: string | null;
  /** Name and text of each file that differs. */
  files: [string, string][];
  /** What it does to what is trained: nothing, the numbers that it is computed with, or what is trained (length, batch, model). */
  changes: 'nothing' | 'numerics' | 'training';
  /** The relative gain of speed of a run that fits; `null` where there is none to say. */
  gain: number | null;
  /** The keys that it alters. */
  edits: Edit[];
  /** The file that it concerns; empty for a text without a name. */
  file: string;
  /** The line that it concerns, from 1: of the first key that it alters or names. */
  line: number | null;
}

/** A key of a file that a suggested change alters. */
export interface Edit {
  file: string;
  /** The key, outermost part first. */
  key: string;
  /** The value as written; `null` for a key that is added. */
  from: string | null;
  /** The new value; `null` for a key that is left out. */
  to: string | null;
  /** The key's line, from 1; `null` for a key that is added. */
  line: number | null;
}

/** A part of a sentence that was understood. Places are in UTF-16 code units, as `slice` counts. */
export interface Mark {
  from: number;
  to: number;
  text: string;
  /** What it was taken for; empty for a word that carries nothing. */
  means: string;
  kind:
    | 'model' | 'gpu' | 'count' | 'length' | 'batch' | 'method' | 'precision' | 'kernel' | 'layout' | 'framework' | 'tokens'
    | 'price' | 'question' | 'filler';
  /** What was taken for what, where the text is misspelt or leaves it open: sentences. */
  taken: string[];
}

/** What was read. */
export interface Brought {
  kind: 'model' | 'adapter' | 'lengths' | 'scenario' | 'run' | 'links' | 'rates' | 'error' | 'sentence' | 'measured';
  /** The scenario that it becomes: a link's fragment, or JSON. */
  scenario: string;
  said: string;
  read: string;
  sections: { title: string; lines: string[] }[];
  offers: Offer[];
  /** What decides whether a run fits and no file says. */
  open: ('model' | 'gpus' | 'length')[];
  /** Whether the text names the GPUs and their number, as what nvidia-smi prints does. */
  names_gpus: boolean;
  /** The model that the text names and the catalog lacks; left out where there is none. */
  unknown_model?: string;
  /** Questions for what is missing: without an answer there is no verdict, and nothing is offered. */
  missing: string[];
  /** What contradicts itself or cannot be, and what was used instead. */
  contradictions: string[];
  /** What nobody said; of files each is a sentence in `why`, and the other fields are empty. */
  assumed: Assumption[];
  /** What was understood of files or a sentence, a line each. */
  understood: string[];
  /** Keys or words that were passed over: nothing is known of them that decides. */
  ignored: string[];
  /** Keys that were not read and may decide, as `key = value`: while there is one, there is no verdict. Of a sentence its words. */
  unread: string[];
  /**
   * A run over the likely values of what no file says (micro-batch, length, recomputation, release): a sentence for each that decides
   * whether it fits, and the share of such runs that fit, of each likely run.
   */
  spread: { said: string[]; odds: number[] } | null;
  /** Of a sentence the parts that were understood. */
  marks: Mark[];
  /** Of a sentence that asks backwards the page's query: `?plan=cheapest&days=7`. */
  plan: string | null;
}

/**
 * Reads texts and files for a scenario, as the calculator's page does: configurations of runs and models, errors, memory snapshots,
 * logs, tables of nccl-tests, rates of GPUs (`shardwise measure`).
 *
 * @throws Error with a sentence where nothing is understood.
 */
export function read(scenario: ScenarioOrLink, ...files: (Given | Reading)[]): Brought;

/**
 * What would make the run of these files fit or faster.
 *
 * @throws Error where they are not the configuration of a run.
 */
export function lint(scenario: ScenarioOrLink, ...files: (Given | Reading)[]): Offer[];

/** A value that decides the answer and that a sentence does not say. */
export interface Assumption {
  /** The parameter's key in links, or `layout`, `hardware`, `deadline`. */
  key: string;
  label: string;
  value: string;
  /** Why this value, as a part of a sentence. */
  why: string;
  /** All of it as one sentence. */
  sentence: string;
}

/** A part of a sentence that was not understood. Places are in UTF-16 code units. */
export interface Unread {
  from: number;
  to: number;
  text: string;
  /** The nearest names and words that are known, at most three. */
  near: string[];
  sentence: string;
  /** Answers to the question what it means, at most three: each is another text. */
  choices: { label: string; text: string }[];
}

/** What a sentence asks backwards. */
export interface Asks {
  /** A question for `plan`; `null` where only the best layout is asked for, which `rank` gives. */
  question: Question | null;
  words: string;
  /** Clusters of the catalog by their ids; none for all of them. */
  clusters: string[];
  /** The tokens of a step, where the sentence says them. */
  batch_tokens: number | null;
  /** The query of the page that answers it: `?plan=cheapest&days=30`. */
  query: string | null;
}

/** A run in a person's own words. */
export interface Understood {
  /** The sentence. */
  text: string;
  understood: Mark[];
  /** What decides the answer and was not said, what decides most first. */
  assumed: Assumption[];
  /** What was not understood: it is left out of the scenario. */
  unread: Unread[];
  /** What cannot be, and what counts instead. */
  conflicts: string[];
  asks: Asks | null;
  /** The view of the page that answers, by its query, and what it shows. */
  shown: { query: string; says: string } | null;
  /** The fragment of the scenario's link, without `#`. */
  link: string;
  /** Links of the other runs of a comparison of GPUs; `link` is the first. */
  compared: string[];
  /** Whether something is unread or cannot be: the scenario is then not the one that was said. */
  is_open: boolean;
  /** Whether it is a new run, as the sentence names a model; else it changes the one of the given link. */
  is_new: boolean;
  /** The report of the scenario, as of `estimate`. */
  report: Report;
}

/**
 * Reads a run in a person's own words: `understand('llama 3.1 8b qlora on 2x4090, 8k')`. A sentence without a model changes the
 * scenario of a link: `understand('use 16 GPUs', report)`.
 *
 * @throws TypeError where the sentence is no text.
 * @throws RangeError where nothing of it is understood, or the link cannot be read (see {@link Refusal}).
 */
export function understand(text: string, link?: ScenarioOrLink, options?: Reading): Understood;

//! Keys that change neither memory nor speed: logs, paths, seeds, learning rates, data sets,
//! tokenizers, checkpoints.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::program::Table;
use super::spelling::plain;
use catalog::programs::Program;

/// Sections whose keys are all irrelevant, by the first part of the path.
const SECTIONS: &str = "\
    datasets test_datasets val_datasets dataset data dataloader train_loader eval_loader eval_loaders metric_logger \
    checkpointer tokenizer profiling profiler logging logger loggers checkpoint checkpoints lr_scheduler lr_schedule \
    scheduler special_tokens exp_manager general lighteval data_stages callbacks icl_tasks metrics validation job \
    comm fault_tolerance experiment wandb rng rerun_state_machine straggler tensorboard flops_profiler comms_logger \
    csv_monitor monitor_config eval runtime env_vars image after_script script_setup modelopt_state eval_gauntlet \
    variables parameters.variables fp16_config hub algorithms logical_axis_rules mesh_axes nccl_tests \
    inprocess_restart nvrx_straggler peft_config_path trainer.logger resume log";

/// Words that mark a key as irrelevant.
const WORDS: &str = "\
    seed log logging path dir eval evals evaluation save learning warmup decay lr wandb tensorboard push hub dataset \
    datasets data epochs epoch scheduler schedule_type beta1 beta2 betas eps epsilon report token tokens_file \
    tokenizer template split prompt_template resume checkpoint_dir val valid validation test vocab_file merge name \
    project entity debug timeout port rank_id ip address url output metric metrics loss_weight label labels shuffle \
    workers num_workers preprocessing clip clipping init_std std strict version trust remote verbose print prefix \
    revision cache_dir interval iters_per_epoch momentum exit dump filter mount user account partition qos mem cpus \
    error comment reason temperature alpha wandb_project mlflow comet swanlab trackio ddp_timeout finetuned mail \
    exclude nodelist container jobid";

/// Irrelevant keys, by their full name.
const KEYS: &str = "\
    do_train do_eval do_predict train_on_inputs group_by_length remove_unused_columns overwrite_output_dir \
    overwrite_cache max_samples trust_remote_code is_llama_derived_model special_tokens eos_token_id bos_token_id \
    pad_token_id weight_decay early_stopping_patience local_rank plot_loss ddp_find_unused_parameters fp16_opt_level \
    strict hf_use_auth_token dataset_prepared_path val_set_size model_type tokenizer_type load_best_model_at_end \
    no_cuda num_epochs num_train_epochs lora_model_dir lora_modules_to_save_path machine_rank main_process_ip \
    main_process_port main_training_function rdzv_backend same_network tpu_env tpu_use_cluster tpu_use_sudo use_cpu \
    debug downcast_bf16 compute_environment enable_cpu_affinity deepspeed_multinode_launcher steps_per_print \
    wall_clock_breakdown dump_state prescale_gradients gradient_predivide_factor loss_scale chat_template datasets \
    data_seed xformers_attention_bias beta packing_strategy dataset_num_proc dataset_text_field max_grad_norm \
    gradient_clip_val seed shuffle epochs device device_type log_every_n_steps run_name output_dir \
    resume_from_checkpoint stage type rope_theta rope_scaling rotary_base rotary_percent norm_epsilon \
    layernorm_epsilon rms_norm_eps initializer_range use_cache hidden_act activation embd_pdrop torch_dtype \
    transformers_version architectures bf16_full_eval rl local_dir n nproc rdzv_id rdzv_endpoint node_rank \
    master_addr master_port mock_data null_tokenizer distributed_backend no_masked_softmax_fusion \
    use_checkpoint_args transformer_impl use_mcore_models bf16_config max_steps_per_epoch eval_first eval_interval \
    python_log_level lora_init_weights init_lora_weights task_type neftune_noise_alpha lora_mlp_dropout \
    label_smoothing_factor gradient_clipping zero3_init_flag zero3_save_16bit_model config max_norm progress_bar \
    load_weights_only autoresume collate_fn low_cpu_ram accelerator use_distributed_sampler enable_checkpointing \
    accumulate_grad_batches use_cpu_initialization transformer_block_type pre_process post_process \
    persist_layer_norm onnx_safe native_amp_init_scale native_amp_growth_interval hysteresis mcore_gpt \
    masked_softmax_fusion gradient_as_bucket_view gradient_accumulation_fusion grad_div_ar_fusion \
    grad_allreduce_chunk_size_mb fp32_residual_connection fp16_lm_cross_entropy bias_dropout_add_fusion \
    bias_activation_fusion apply_query_key_layer_scaling benchmark use_emha sync_batch_comm reduce_amax \
    overlap_p2p_comm batch_p2p_comm get_attention_mask_from_fusion fp8_margin fp8_hybrid fp8_e4m3 \
    fp8_amax_history_len fp8_amax_compute_algo ffn_dropout enable_model_summary use_scaled_init_method \
    transformer_engine sentencepiece_legacy rotary_percentage rotary_interleaved init_method_std apply_layernorm_1p \
    manual_gc manual_gc_interval empty_unused_memory_level calculate_per_token_loss no_gradient_accumulation_fusion \
    no_load_optim no_load_rng no_save_optim no_save_rng no_bias_swiglu_fusion no_bias_dropout_fusion \
    no_bias_gelu_fusion no_position_embedding squared_relu override_opt_param_scheduler \
    use_rotary_position_embeddings async_save use_persistent_ckpt_worker auto_detect_ckpt_format deterministic_mode \
    dist_ckpt_strictness timing finetune load group_query_attention cp_size attention_softmax_in_fp32 \
    num_distributed_optimizer_instances_note use_mpu_attn gpu_ids checkpoint spec model_spec global_vocab_size \
    __base__ no_sync mpi standalone no_kill wait average_in_collective eot_tokens processor_type \
    loss_watchdog_threshold loss_watchdog_patience eta_min scale_rewards pref_beta N J o e t p A job_name time \
    gres_flags ntasks ntasks_per_node exclusive model_max_length dtype_test";

/// Sections of several parts.
static DEEP_SECTIONS: LazyLock<Vec<&str>> =
    LazyLock::new(|| SECTIONS.split(' ').filter(|section| section.contains('.')).collect());

/// The words of [`SECTIONS`], [`KEYS`] and [`WORDS`].
static LISTS: LazyLock<[HashSet<&str>; 3]> =
    LazyLock::new(|| [SECTIONS, KEYS, WORDS].map(|list| list.split(' ').collect()));

/// Whether a key affects neither memory nor speed.
pub(super) fn is_irrelevant(path: &str, program: Program) -> bool {
    if path.starts_with(['$', '?', '_']) {
        return true;
    }
    if Table::find(program).is_some_and(|table| table.is_irrelevant(path)) {
        return true;
    }
    let plain = plain(path);
    // MosaicML's platform nests the configuration below one key.
    if let Some(rest) = plain.strip_prefix("parameters.") {
        return is_irrelevant(rest, program);
    }
    let first = plain.split('.').next().unwrap_or_default();
    let last = plain.rsplit('.').find(|part| part.parse::<u32>().is_err()).unwrap_or_default().trim_start_matches('_');
    let [sections, keys, words] = &*LISTS;
    if sections.contains(first) && plain.contains('.') {
        return true;
    }
    if DEEP_SECTIONS.iter().any(|section| plain.starts_with(section)) {
        return true;
    }
    if keys.contains(last) || keys.contains(path) {
        return true;
    }
    let is_word = |word: &str| words.contains(word) && !(word == "name" && program == Program::Torchtitan);
    last.split('_').any(is_word) || last.ends_with("_component_") || last.ends_with("_target_")
}

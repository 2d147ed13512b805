//! Whose a file is, by its keys.

use serde::Serialize;

use super::keys::plain;
use super::tree::{Tree, Value};

/// A format of configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Format {
    /// A model's `config.json`.
    #[serde(rename = "config.json")]
    Config,
    /// An adapter's `adapter_config.json`.
    #[serde(rename = "PEFT")]
    Peft,
    /// `TrainingArguments` of transformers, and the scripts on it.
    #[serde(rename = "Hugging Face Trainer")]
    Trainer,
    /// TRL.
    #[serde(rename = "TRL")]
    Trl,
    /// LLaMA-Factory.
    #[serde(rename = "LLaMA-Factory")]
    LlamaFactory,
    /// Axolotl.
    #[serde(rename = "Axolotl")]
    Axolotl,
    /// torchtune.
    #[serde(rename = "torchtune")]
    Torchtune,
    /// torchtitan.
    #[serde(rename = "torchtitan")]
    Torchtitan,
    /// Megatron-LM's arguments.
    #[serde(rename = "Megatron-LM")]
    Megatron,
    /// Megatron-Bridge.
    #[serde(rename = "Megatron-Bridge")]
    Bridge,
    /// NeMo.
    #[serde(rename = "NeMo")]
    Nemo,
    /// llm-foundry.
    #[serde(rename = "llm-foundry")]
    Foundry,
    /// nanotron.
    #[serde(rename = "nanotron")]
    Nanotron,
    /// `MaxText`.
    #[serde(rename = "MaxText")]
    MaxText,
    /// Accelerate.
    #[serde(rename = "Accelerate")]
    Accelerate,
    /// DeepSpeed.
    #[serde(rename = "DeepSpeed")]
    DeepSpeed,
}

/// Keys by which formats are told apart: a path, what begins with it, or `*` and the last part of one; and their weights.
type Marks = &'static [(&'static str, u32)];

const MARKS: [(Format, Marks); 16] = [
    (
        Format::Config,
        &[
            ("model_type", 2),
            ("architectures", 2),
            ("num_hidden_layers", 1),
            ("transformers_version", 2),
            ("hidden_act", 1),
        ],
    ),
    (Format::Peft, &[("peft_type", 9)]),
    (
        Format::Trainer,
        &[
            ("per_device_train_batch_size", 4),
            ("*per_device_train_batch_size", 2),
            ("*gradient_accumulation_steps", 1),
            ("*num_train_epochs", 1),
            ("fsdp", 1),
            ("optim", 1),
            ("deepspeed", 1),
            ("model_name_or_path", 1),
            ("*gradient_checkpointing", 1),
        ],
    ),
    (
        Format::Trl,
        &[
            ("per_device_train_batch_size", 4),
            ("model_name_or_path", 1),
            ("gradient_accumulation_steps", 1),
            ("gradient_checkpointing", 1),
            ("optim", 1),
            ("fsdp", 1),
            ("deepspeed", 1),
            ("max_length", 4),
            ("max_seq_length", 4),
            ("learning_rate", 1),
            ("lr_scheduler_type", 2),
            ("max_prompt_length", 3),
            ("max_completion_length", 4),
            ("num_generations", 4),
            ("dataset_name", 1),
            ("use_peft", 3),
            ("lora_target_modules", 1),
            ("beta", 1),
            ("packing", 1),
            ("dataset_text_field", 2),
            ("trl", 2),
        ],
    ),
    (
        Format::LlamaFactory,
        &[
            ("per_device_train_batch_size", 4),
            ("model_name_or_path", 1),
            ("gradient_accumulation_steps", 1),
            ("gradient_checkpointing", 1),
            ("optim", 1),
            ("deepspeed", 1),
            ("finetuning_type", 6),
            ("cutoff_len", 6),
            ("stage", 3),
            ("template", 2),
            ("dataset", 1),
            ("lora_rank", 2),
            ("pure_bf16", 3),
            ("quantization_bit", 2),
        ],
    ),
    (
        Format::Axolotl,
        &[
            ("base_model", 5),
            ("sequence_len", 4),
            ("micro_batch_size", 2),
            ("datasets", 2),
            ("sample_packing", 4),
            ("adapter", 2),
            ("lora_target_linear", 3),
            ("gradient_accumulation_steps", 1),
            ("chat_template", 1),
            ("flash_attention", 1),
        ],
    ),
    (
        Format::Torchtune,
        &[
            ("model._component_", 6),
            ("optimizer._component_", 4),
            ("dataset._component_", 4),
            ("tokenizer._component_", 4),
            ("enable_activation_checkpointing", 4),
            ("optimizer_in_bwd", 3),
            ("fsdp_cpu_offload", 2),
        ],
    ),
    (
        Format::Torchtitan,
        &[
            ("job.dump_folder", 3),
            ("job", 1),
            ("model.flavor", 5),
            ("training.local_batch_size", 6),
            ("*local_batch_size", 3),
            ("training.seq_len", 3),
            ("training.batch_size", 2),
            ("training.data_parallel_shard_degree", 4),
            ("parallelism.data_parallel_shard_degree", 5),
            ("parallelism.tensor_parallel_degree", 5),
            ("*data_parallel_shard_degree", 4),
            ("activation_checkpoint", 3),
            ("experimental.pipeline_parallel_degree", 3),
            ("*model_spec", 4),
            ("metrics", 1),
        ],
    ),
    (
        Format::Megatron,
        &[
            ("num_layers", 3),
            ("hidden_size", 2),
            ("num_attention_heads", 2),
            ("seq_length", 2),
            ("micro_batch_size", 2),
            ("global_batch_size", 2),
            ("tensor_model_parallel_size", 4),
            ("pipeline_model_parallel_size", 3),
            ("use_distributed_optimizer", 3),
            ("train_iters", 2),
            ("train_samples", 2),
            ("ffn_hidden_size", 2),
            ("model_args", 1),
            ("model_args.__tensor_model_parallel_size", 6),
            ("model_args.__use_mcore_models", 6),
            ("model_args.__micro_batch_size", 6),
        ],
    ),
    (
        Format::Bridge,
        &[
            ("model.tensor_model_parallel_size", 3),
            ("train.micro_batch_size", 6),
            ("train.global_batch_size", 6),
            ("train.train_iters", 5),
            ("ddp", 2),
            ("mixed_precision", 2),
            ("optimizer.lr", 1),
            ("*tensor_model_parallel_size", 2),
            ("*train_iters", 2),
            ("model.seq_length", 2),
            ("dataset.seq_length", 4),
            ("*global_batch_size", 1),
            ("*micro_batch_size", 1),
            ("logger.log_interval", 2),
            ("checkpoint.save", 2),
        ],
    ),
    (
        Format::Nemo,
        &[
            ("trainer.devices", 5),
            ("trainer.num_nodes", 4),
            ("trainer.precision", 3),
            ("model.micro_batch_size", 5),
            ("model.global_batch_size", 4),
            ("model.tensor_model_parallel_size", 3),
            ("exp_manager", 3),
            ("model.encoder_seq_length", 4),
            ("trainer.strategy.tensor_model_parallel_size", 8),
            ("trainer.__target__", 2),
            ("data.micro_batch_size", 3),
            ("data.global_batch_size", 3),
            ("data.seq_length", 3),
            ("*num_nodes", 1),
            ("*num_gpus_per_node", 2),
        ],
    ),
    (
        Format::Foundry,
        &[
            ("device_train_microbatch_size", 6),
            ("global_train_batch_size", 6),
            ("parameters.global_train_batch_size", 12),
            ("parameters.device_train_microbatch_size", 6),
            ("max_seq_len", 2),
            ("fsdp_config.sharding_strategy", 4),
            ("model.name", 1),
            ("device_eval_batch_size", 2),
            ("train_loader", 3),
            ("max_duration", 3),
        ],
    ),
    (
        Format::Nanotron,
        &[
            ("parallelism.dp", 6),
            ("parallelism.tp_mode", 4),
            ("tokens.micro_batch_size", 6),
            ("tokens.sequence_length", 5),
            ("tokens.batch_accumulation_per_replica", 6),
            ("model.model_config", 5),
            ("optimizer.zero_stage", 2),
        ],
    ),
    (
        Format::MaxText,
        &[
            ("per_device_batch_size", 7),
            ("ici_fsdp_parallelism", 6),
            ("dcn_data_parallelism", 4),
            ("remat_policy", 5),
            ("max_target_length", 5),
            ("base_emb_dim", 6),
            ("base_num_decoder_layers", 6),
            ("base_output_directory", 2),
            ("dcn_fsdp_parallelism", 4),
            ("ici_tensor_parallelism", 4),
            ("run_name", 1),
            ("dataset_type", 1),
            ("decoder_block", 4),
        ],
    ),
    (
        Format::Accelerate,
        &[
            ("compute_environment", 5),
            ("distributed_type", 6),
            ("num_processes", 3),
            ("num_machines", 2),
            ("mixed_precision", 1),
            ("fsdp_config.fsdp_sharding_strategy", 4),
            ("fsdp_config.fsdp_version", 4),
            ("deepspeed_config.zero_stage", 4),
            ("megatron_lm_config", 6),
            ("downcast_bf16", 3),
        ],
    ),
    (
        Format::DeepSpeed,
        &[
            ("zero_optimization", 8),
            ("train_micro_batch_size_per_gpu", 7),
            ("train_batch_size", 4),
            ("bf16.enabled", 2),
            ("fp16.enabled", 2),
            ("gradient_clipping", 1),
            ("zero_allow_untested_optimizer", 2),
            ("wall_clock_breakdown", 2),
        ],
    ),
];

/// The least weight by which a format is recognised.
const LEAST: u32 = 5;

impl Format {
    /// The name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Config => "config.json",
            Self::Peft => "PEFT",
            Self::Trainer => "Hugging Face Trainer",
            Self::Trl => "TRL",
            Self::LlamaFactory => "LLaMA-Factory",
            Self::Axolotl => "Axolotl",
            Self::Torchtune => "torchtune",
            Self::Torchtitan => "torchtitan",
            Self::Megatron => "Megatron-LM",
            Self::Bridge => "Megatron-Bridge",
            Self::Nemo => "NeMo",
            Self::Foundry => "llm-foundry",
            Self::Nanotron => "nanotron",
            Self::MaxText => "MaxText",
            Self::Accelerate => "Accelerate",
            Self::DeepSpeed => "DeepSpeed",
        }
    }

    /// When it is read among several: a model first, what launches it and what it refers to last.
    pub(super) const fn turn(self) -> u8 {
        match self {
            Self::Config => 0,
            Self::Peft => 1,
            Self::Accelerate => 3,
            Self::DeepSpeed => 4,
            _ => 2,
        }
    }

    /// Whether it runs transformers' Trainer.
    pub(super) const fn is_hugging_face(self) -> bool {
        matches!(self, Self::Trainer | Self::Trl | Self::LlamaFactory | Self::Axolotl)
    }
}

/// The format of a file.
///
/// # Errors
///
/// A sentence if its keys are of none.
pub(super) fn of(tree: &Tree) -> Result<Format, String> {
    let paths: Vec<String> =
        tree.entries.iter().filter(|entry| entry.value != Value::Null).map(|entry| plain(&entry.path)).collect();
    let holds = |mark: &str| {
        paths.iter().any(|path| match mark.strip_prefix('*') {
            Some(last) => path.rsplit('.').next() == Some(last),
            None => path.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
        })
    };
    let weight = |marks: Marks| marks.iter().filter(|(mark, _)| holds(mark)).map(|(_, weight)| weight).sum::<u32>();
    let mut best = (0, Format::Trainer);
    for (format, marks) in MARKS {
        let found = weight(marks);
        if found > best.0 {
            best = (found, format);
        }
    }
    if best.0 < LEAST {
        return Err(format!(
            "{} is no configuration that is known here: of {}.",
            tree.name,
            MARKS.map(|(format, _)| format.name()).join(", ")
        ));
    }
    Ok(best.1)
}

//! Keys of DeepSpeed's JSON, in order. `None` is left out.

use serde::Serialize;
use serde_json::value::RawValue;

/// The whole file.
#[derive(Serialize)]
pub(super) struct Config {
    pub(super) train_batch_size: u64,
    pub(super) train_micro_batch_size_per_gpu: u32,
    pub(super) gradient_accumulation_steps: u32,
    pub(super) gradient_clipping: f64,
    pub(super) optimizer: OptimizerConfig,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) zero_allow_untested_optimizer: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fp16: Option<HalfFormat>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bf16: Option<HalfFormat>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) torch_autocast: Option<TorchAutocast>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) data_types: Option<DataTypes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) communication_data_type: Option<&'static str>,
    pub(super) zero_optimization: ZeroOptimization,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tensor_parallel: Option<TensorParallel>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sequence_parallel_size: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pipeline: Option<Pipeline>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expert_parallel: Option<ExpertParallel>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) activation_checkpointing: Option<ActivationCheckpointing>,
}

#[derive(Serialize)]
pub(super) struct OptimizerConfig {
    #[serde(rename = "type")]
    pub(super) name: &'static str,
    pub(super) params: OptimizerParams,
}

#[derive(Serialize)]
pub(super) struct OptimizerParams {
    pub(super) lr: Option<&'static RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) momentum: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct HalfFormat {
    pub(super) enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bf16_master_weights_and_grads: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bf16_optimizer_states: Option<bool>,
}

#[derive(Serialize)]
pub(super) struct TorchAutocast {
    pub(super) enabled: bool,
    pub(super) dtype: &'static str,
}

#[derive(Serialize)]
pub(super) struct DataTypes {
    pub(super) grad_accum_dtype: &'static str,
}

#[derive(Serialize)]
pub(super) struct ZeroOptimization {
    pub(super) stage: u8,
    pub(super) overlap_comm: bool,
    pub(super) contiguous_gradients: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) zero_hpz_partition_size: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stage3_max_live_parameters: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stage3_max_reuse_distance: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stage3_gather_16bit_weights_on_model_save: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) offload_optimizer: Option<Offload>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) offload_param: Option<Offload>,
}

#[derive(Serialize)]
pub(super) struct Offload {
    pub(super) device: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) nvme_path: Option<&'static str>,
    pub(super) pin_memory: bool,
}

#[derive(Serialize)]
pub(super) struct TensorParallel {
    pub(super) autotp_size: u32,
    pub(super) tp_overlap_comm: bool,
}

#[derive(Serialize)]
pub(super) struct Pipeline {
    pub(super) stages: u32,
    pub(super) activation_checkpoint_interval: u32,
}

#[derive(Serialize)]
pub(super) struct ExpertParallel {
    pub(super) enabled: bool,
    pub(super) autoep_size: u32,
    pub(super) expert_tensor_parallel_size: u32,
    pub(super) use_grouped_mm: bool,
}

#[derive(Serialize)]
pub(super) struct ActivationCheckpointing {
    pub(super) partition_activations: bool,
    pub(super) cpu_checkpointing: bool,
}

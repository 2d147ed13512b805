//! Names of measurements in training logs: one table for all frameworks.

/// The program that wrote a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Writer {
    Torchtitan,
    Megatron,
    Nanotron,
    DeepSpeed,
    Transformers,
    Torchtune,
    Nemo,
    MegatronBridge,
    Composer,
    MaxText,
    NanoGpt,
    NanoChat,
    Verl,
    Swift,
    Axolotl,
    TorchPrime,
    Progress,
}

impl Writer {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Torchtitan => "torchtitan",
            Self::Megatron => "Megatron-LM",
            Self::Nanotron => "nanotron",
            Self::DeepSpeed => "DeepSpeed",
            Self::Transformers => "Hugging Face Trainer",
            Self::Torchtune => "torchtune",
            Self::Nemo => "NeMo",
            Self::MegatronBridge => "Megatron-Bridge",
            Self::Composer => "Composer",
            Self::MaxText => "MaxText",
            Self::NanoGpt => "nanoGPT",
            Self::NanoChat => "nanochat",
            Self::Verl => "verl",
            Self::Swift => "ms-swift",
            Self::Axolotl => "Axolotl",
            Self::TorchPrime => "torchprime",
            Self::Progress => "progress bar",
        }
    }
}

/// Kind of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// Seconds per step.
    Seconds,
    /// Steps per second.
    Steps,
    /// Tokens per second and GPU.
    Tokens,
    /// Sequences per second of the whole run.
    Samples,
    /// MFU as a fraction of the peak.
    Mfu,
    /// TFLOP/s per GPU.
    Tflops,
    /// Sequences per step.
    Batch,
    /// Peak bytes allocated to tensors.
    Allocated,
    /// Peak bytes reserved by the allocator.
    Reserved,
    /// Seconds of the update in a step that also generates its training data.
    Update,
}

pub(super) const FIELDS: usize = 10;

const MIB: f64 = 1_048_576.0;
const GIB: f64 = 1_073_741_824.0;
const GB: f64 = 1e9;
const MS: f64 = 1e-3;
const PERCENT: f64 = 1e-2;

/// Text before each number (quotes, colons and equals signs between text and number are optional),
/// the program, the kind, and the factor to the base unit.
///
/// Sources: torchtitan `components/metrics.py` (memory is `max_reserved_gib`, tps is per device),
/// Megatron-LM `training/training.py` and `utils.report_memory` (MB of 1,024 x 1,024), nanotron
/// `trainer.py`, DeepSpeed `utils/timer.py` (GB of 1,024 to the third), transformers
/// `trainer_utils.speed_metrics`, torchtune `training/memory.py`, NeMo's Lightning callbacks,
/// Composer `callbacks/speed_monitor.py` and `memory_monitor.py` (GB of 10 to the ninth), MaxText
/// `metric_logger.py`, nanoGPT `train.py`, nanochat `scripts/base_train.py` (tok/sec is for all
/// GPUs, and ignored), verl `trainer/ppo/metric_utils.py` and `workers/fsdp_workers.py` (throughput
/// is per GPU, memory in GB of 1,024 to the third), ms-swift `trainers/patcher.py` and
/// `megatron/callbacks/print.py` (memory is reserved; before February 2026 the speed was in
/// iterations per second), Axolotl `core/trainers/base.py`, torchprime `metrics/metrics.py` (lines
/// of a step only have the tracing time; the summary has the step time).
pub(super) const PATTERNS: [(&str, Writer, Field, f64); 62] = [
    (" tps: ", Writer::Torchtitan, Field::Tokens, 1.0),
    (" wps: ", Writer::Torchtitan, Field::Tokens, 1.0),
    (" tflops: ", Writer::Torchtitan, Field::Tflops, 1.0),
    (" mfu: ", Writer::Torchtitan, Field::Mfu, PERCENT),
    (" memory: ", Writer::Torchtitan, Field::Reserved, GIB),
    ("elapsed time per iteration (ms): ", Writer::Megatron, Field::Seconds, MS),
    ("throughput per GPU (TFLOP/s/GPU): ", Writer::Megatron, Field::Tflops, 1.0),
    ("approx flops per GPU: ", Writer::Megatron, Field::Tflops, 1.0),
    ("| global batch size: ", Writer::Megatron, Field::Batch, 1.0),
    ("| max allocated: ", Writer::Megatron, Field::Allocated, MIB),
    ("| max reserved: ", Writer::Megatron, Field::Reserved, MIB),
    ("time_per_iteration_ms: ", Writer::Nanotron, Field::Seconds, MS),
    ("tokens_per_sec_per_gpu: ", Writer::Nanotron, Field::Tokens, 1.0),
    ("model_tflops_per_gpu: ", Writer::Nanotron, Field::Tflops, 1.0),
    ("global_batch_size: ", Writer::Nanotron, Field::Batch, 1.0),
    ("cuda_max_memory_reserved: ", Writer::Nanotron, Field::Reserved, 1.0),
    ("cuda_max_memory_allocated: ", Writer::Nanotron, Field::Allocated, 1.0),
    ("| mem_alloc: ", Writer::Nanotron, Field::Allocated, 1.0),
    ("CurrSamplesPerSec=", Writer::DeepSpeed, Field::Samples, 1.0),
    (" SamplesPerSec=", Writer::DeepSpeed, Field::Samples, 1.0),
    ("MaxMemAllocated=", Writer::DeepSpeed, Field::Allocated, GIB),
    ("train_samples_per_second", Writer::Transformers, Field::Samples, 1.0),
    ("train_steps_per_second", Writer::Transformers, Field::Steps, 1.0),
    ("tokens_per_sec_per_gpu'", Writer::Axolotl, Field::Tokens, 1.0),
    ("tokens_per_second_per_gpu'", Writer::Axolotl, Field::Tokens, 1.0),
    ("tokens/train_per_sec_per_gpu", Writer::Axolotl, Field::Tokens, 1.0),
    ("max_mem_allocated(gib)", Writer::Axolotl, Field::Allocated, GIB),
    ("max_allocated (GiB)", Writer::Axolotl, Field::Allocated, GIB),
    ("device_mem_reserved(gib)", Writer::Axolotl, Field::Reserved, GIB),
    ("device_reserved (GiB)", Writer::Axolotl, Field::Reserved, GIB),
    ("train_speed(iter/s)", Writer::Swift, Field::Steps, 1.0),
    ("train_speed(s/it)", Writer::Swift, Field::Seconds, 1.0),
    ("memory(GiB)", Writer::Swift, Field::Reserved, GIB),
    ("timing_s/step:", Writer::Verl, Field::Seconds, 1.0),
    ("timing_s/update_actor:", Writer::Verl, Field::Update, 1.0),
    ("perf/throughput:", Writer::Verl, Field::Tokens, 1.0),
    ("perf/mfu/actor:", Writer::Verl, Field::Mfu, 1.0),
    ("perf/max_memory_allocated_gb:", Writer::Verl, Field::Allocated, GIB),
    ("perf/max_memory_reserved_gb:", Writer::Verl, Field::Reserved, GIB),
    ("step_execution_time", Writer::TorchPrime, Field::Seconds, 1.0),
    ("tokens_per_second_per_gpu:", Writer::Torchtune, Field::Tokens, 1.0),
    ("peak_memory_alloc:", Writer::Torchtune, Field::Allocated, GIB),
    ("peak_memory_reserved:", Writer::Torchtune, Field::Reserved, GIB),
    ("train_step_timing in s: ", Writer::Nemo, Field::Seconds, 1.0),
    ("train_step_timing in s=", Writer::Nemo, Field::Seconds, 1.0),
    ("TFLOPS_per_GPU: ", Writer::Nemo, Field::Tflops, 1.0),
    ("Step Time : ", Writer::MegatronBridge, Field::Seconds, 1.0),
    ("GPU utilization: ", Writer::MegatronBridge, Field::Tflops, 1.0),
    ("throughput/device/tokens_per_sec: ", Writer::Composer, Field::Tokens, 1.0),
    ("throughput/device/mfu: ", Writer::Composer, Field::Mfu, 1.0),
    ("throughput/batches_per_sec: ", Writer::Composer, Field::Steps, 1.0),
    ("memory/peak_reserved_mem: ", Writer::Composer, Field::Reserved, GB),
    ("memory/peak_allocated_mem: ", Writer::Composer, Field::Allocated, GB),
    (", seconds: ", Writer::MaxText, Field::Seconds, 1.0),
    ("TFLOP/s/device: ", Writer::MaxText, Field::Tflops, 1.0),
    (" TFLOP/s: ", Writer::MaxText, Field::Tflops, 1.0),
    ("Tokens/s/device: ", Writer::MaxText, Field::Tokens, 1.0),
    (", time ", Writer::NanoGpt, Field::Seconds, 1.0),
    (", mfu ", Writer::NanoGpt, Field::Mfu, PERCENT),
    ("| dt: ", Writer::NanoChat, Field::Seconds, MS),
    ("| mfu: ", Writer::NanoChat, Field::Mfu, PERCENT),
    ("| bf16_mfu: ", Writer::NanoChat, Field::Mfu, PERCENT),
];

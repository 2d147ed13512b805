//! The fitted constants: where each one is in a setup, and its bounds.

use engine::model::hardware::Generation;
use engine::model::setup::Setup;
use engine::model::software::Framework;
use engine::scenario::Scenario;
use engine::scenario::overheads::COMPILED;
use engine::units::Seconds;
use score::summary::Entry;

/// A constant of the fit.
pub(crate) struct Constant {
    pub(crate) name: &'static str,
    /// Physically sensible bounds of the fit.
    pub(crate) range: (f64, f64),
    /// Whether the constant affects a row's prediction.
    pub(crate) applies: fn(&Scenario) -> bool,
    pub(crate) get: fn(&Setup) -> f64,
    pub(crate) set: fn(&mut Setup, f64),
}

macro_rules! constant {
    ($name:literal, $range:expr, $applies:expr, $($field:ident).+) => {
        Constant {
            name: $name,
            range: $range,
            applies: $applies,
            get: |setup| setup.$($field).+,
            set: |setup, value| setup.$($field).+ = value,
        }
    };
}

/// Names the generation of an accelerator by its best-known GPU. Only NVIDIA's data-centre GPUs have
/// their own constants.
pub(crate) fn generation(scenario: &Scenario) -> &'static str {
    match scenario.accelerator.values.generation {
        Generation::Volta => "V100",
        Generation::Ampere => "A100",
        Generation::Hopper => "H100",
        Generation::BlackwellUltra => "B300",
        Generation::Blackwell => "B200",
        _ => "other",
    }
}

/// Leonardo's part has more multiprocessors, and its shares follow from the A100's.
fn a100(s: &Scenario) -> bool {
    generation(s) == "A100" && !is(s, "a100-64gb")
}

fn h100(s: &Scenario) -> bool {
    generation(s) == "H100"
}

fn b200(s: &Scenario) -> bool {
    generation(s) == "B200"
}

fn b300(s: &Scenario) -> bool {
    generation(s) == "B300"
}

fn v100(s: &Scenario) -> bool {
    generation(s) == "V100"
}

/// Whether the accelerator's identifier begins so.
fn is(s: &Scenario, id: &str) -> bool {
    s.accelerator.id.starts_with(id)
}

fn tpu(s: &Scenario) -> bool {
    is(s, "tpu")
}

fn maxtext(s: &Scenario) -> bool {
    s.framework == Framework::MaxText
}

fn pytorch(s: &Scenario) -> bool {
    matches!(s.framework, Framework::Torchtitan | Framework::Transformers | Framework::Fsdp1 | Framework::DeepSpeed)
}

fn megatron(s: &Scenario) -> bool {
    matches!(s.framework, Framework::Megatron | Framework::MegatronFsdp)
}

fn always(_: &Scenario) -> bool {
    true
}

fn nvlink_2_or_3(s: &Scenario) -> bool {
    matches!(generation(s), "V100" | "A100")
}

fn nvlink_4_or_5(s: &Scenario) -> bool {
    matches!(generation(s), "H100" | "B200" | "B300")
}

/// Whether the network has no measured efficiency of its own.
fn fabric(s: &Scenario) -> bool {
    if tpu(s) {
        return false;
    }
    let efficiency = s.network.values.inter_node_efficiency;
    efficiency > 0.6 && !efa(s)
}

fn efa(s: &Scenario) -> bool {
    s.network.values.inter_node_latency > Seconds::from_us(100.0)
}

/// Every constant of the fit.
pub(crate) const CONSTANTS: &[Constant] = &[
    constant!("V100 matmul", (0.4, 0.95), v100, accelerator.efficiency.matmul),
    constant!("A100 matmul", (0.5, 0.95), a100, accelerator.efficiency.matmul),
    constant!("H100 matmul", (0.4, 0.9), h100, accelerator.efficiency.matmul),
    constant!("B200 matmul", (0.55, 0.9), b200, accelerator.efficiency.matmul),
    constant!("H100 matmul 8-bit", (0.3, 0.75), h100, accelerator.efficiency.matmul_8bit),
    constant!("B200 matmul 8-bit", (0.3, 0.8), b200, accelerator.efficiency.matmul_8bit),
    constant!("B300 matmul", (0.55, 0.9), b300, accelerator.efficiency.matmul),
    constant!("B200 matmul 4-bit", (0.2, 0.8), b200, accelerator.efficiency.matmul_4bit),
    constant!("B300 matmul 4-bit", (0.2, 0.8), b300, accelerator.efficiency.matmul_4bit),
    constant!("B300 matmul 8-bit", (0.3, 0.8), b300, accelerator.efficiency.matmul_8bit),
    constant!("B300 tuned attention", (0.15, 0.75), b300, accelerator.efficiency.attention_tuned),
    constant!("A100 flash attention", (0.1, 0.6), a100, accelerator.efficiency.attention),
    constant!("H100 flash attention", (0.1, 0.6), h100, accelerator.efficiency.attention),
    constant!("A100 tuned attention", (0.2, 0.6), a100, accelerator.efficiency.attention_tuned),
    constant!("H100 tuned attention", (0.15, 0.75), h100, accelerator.efficiency.attention_tuned),
    constant!("B200 tuned attention", (0.15, 0.75), b200, accelerator.efficiency.attention_tuned),
    constant!("attention's traffic", (24.0, 60.0), megatron, overheads.attention_bytes),
    constant!(
        "half-saturation tokens",
        (20.0, 600.0),
        |s| !tpu(s) && !is(s, "trainium"),
        accelerator.efficiency.half_saturation_tokens
    ),
    Constant {
        name: "launch a layer, ms",
        range: (0.05, 1.5),
        applies: always,
        get: |setup| setup.accelerator.efficiency.launch_per_layer.ms(),
        set: |setup, value| setup.accelerator.efficiency.launch_per_layer = Seconds::from_ms(value),
    },
    constant!("element-wise PyTorch", (60.0, 400.0), |s| pytorch(s) && !s.kernels.compile, overheads.elementwise_bytes),
    Constant {
        name: "compiled share",
        range: (0.4, 1.0),
        applies: |s| s.kernels.compile && !maxtext(s),
        get: |_| COMPILED,
        set: |setup, value| setup.overheads.elementwise_bytes *= value / COMPILED,
    },
    constant!("element-wise Megatron", (40.0, 400.0), megatron, overheads.elementwise_bytes),
    constant!(
        "element-wise Megatron 2021",
        (60.0, 500.0),
        |s| s.framework == Framework::MegatronLegacy,
        overheads.elementwise_bytes
    ),
    constant!(
        "element-wise nanotron",
        (60.0, 400.0),
        |s| s.framework == Framework::Nanotron,
        overheads.elementwise_bytes
    ),
    constant!("contention", (1.0, 1.15), always, overheads.contention),
    constant!("NVLink 2, 3 efficiency", (0.7, 0.85), nvlink_2_or_3, network.intra_node_efficiency),
    constant!("NVLink 4, 5 efficiency", (0.55, 0.85), nvlink_4_or_5, network.intra_node_efficiency),
    constant!("fabric efficiency", (0.3, 0.95), fabric, network.inter_node_efficiency),
    Constant {
        name: "network hop, us",
        range: (5.0, 80.0),
        applies: |s| !efa(s),
        get: |setup| setup.network.inter_node_latency.us(),
        set: |setup, value| setup.network.inter_node_latency = Seconds::from_us(value),
    },
    Constant {
        name: "hop of nanotron's cluster, us",
        range: (150.0, 600.0),
        applies: efa,
        get: |setup| setup.network.inter_node_latency.us(),
        set: |setup, value| setup.network.inter_node_latency = Seconds::from_us(value),
    },
    constant!("efficiency of nanotron's cluster", (0.4, 0.9), efa, network.inter_node_efficiency),
    constant!("TPU v5e matmul", (0.6, 1.0), |s| is(s, "tpu-v5e"), accelerator.efficiency.matmul),
    constant!("TPU v5p matmul", (0.6, 1.0), |s| is(s, "tpu-v5p"), accelerator.efficiency.matmul),
    constant!("TPU v6e matmul", (0.5, 1.0), |s| is(s, "tpu-v6e"), accelerator.efficiency.matmul),
    constant!("TPU7x matmul", (0.5, 1.0), |s| is(s, "tpu-7x"), accelerator.efficiency.matmul),
    constant!("TPU7x matmul 8-bit", (0.3, 1.0), |s| is(s, "tpu-7x"), accelerator.efficiency.matmul_8bit),
    constant!("TPU attention", (0.1, 0.7), tpu, accelerator.efficiency.attention_tuned),
    constant!("TPU half-saturation tokens", (0.0, 600.0), tpu, accelerator.efficiency.half_saturation_tokens),
    constant!("TPU ICI efficiency", (0.4, 1.0), tpu, network.intra_node_efficiency),
    constant!("TPU DCN efficiency", (0.1, 1.0), tpu, network.inter_node_efficiency),
    constant!("TPU DCN decay", (0.0, 0.5), tpu, network.node_decay),
    constant!("element-wise MaxText", (20.0, 250.0), maxtext, overheads.elementwise_bytes),
    constant!("CDNA 2 matmul", (0.2, 0.9), |s| is(s, "mi250"), accelerator.efficiency.matmul),
    constant!(
        "CDNA 3 matmul",
        (0.2, 0.9),
        |s| is(s, "mi3") && s.accelerator.values.generation == Generation::Cdna3,
        accelerator.efficiency.matmul
    ),
    constant!(
        "CDNA 3 matmul 8-bit",
        (0.2, 0.9),
        |s| s.accelerator.values.generation == Generation::Cdna3,
        accelerator.efficiency.matmul_8bit
    ),
    constant!(
        "CDNA 4 matmul",
        (0.2, 0.9),
        |s| s.accelerator.values.generation == Generation::Cdna4,
        accelerator.efficiency.matmul
    ),
    constant!(
        "CDNA 4 matmul 8-bit",
        (0.2, 0.9),
        |s| s.accelerator.values.generation == Generation::Cdna4,
        accelerator.efficiency.matmul_8bit
    ),
    constant!("CDNA attention", (0.1, 0.6), |s| is(s, "mi"), accelerator.efficiency.attention_tuned),
    constant!("Gaudi 2 matmul", (0.3, 1.0), |s| is(s, "gaudi-2"), accelerator.efficiency.matmul),
    constant!("Gaudi 2 matmul 8-bit", (0.2, 1.0), |s| is(s, "gaudi-2"), accelerator.efficiency.matmul_8bit),
    constant!("Gaudi 3 matmul", (0.2, 1.0), |s| is(s, "gaudi-3"), accelerator.efficiency.matmul),
    constant!("Gaudi link efficiency", (0.3, 1.0), |s| is(s, "gaudi"), network.intra_node_efficiency),
    constant!("CDNA first attention", (0.03, 0.6), |s| is(s, "mi3"), accelerator.efficiency.attention),
    constant!("Gaudi attention", (0.1, 0.7), |s| is(s, "gaudi"), accelerator.efficiency.attention_tuned),
    constant!("Trainium matmul", (0.2, 1.0), |s| is(s, "trainium"), accelerator.efficiency.matmul),
    constant!("Trainium attention", (0.05, 0.7), |s| is(s, "trainium"), accelerator.efficiency.attention_tuned),
    constant!(
        "Trainium half-saturation tokens",
        (0.0, 600.0),
        |s| is(s, "trainium"),
        accelerator.efficiency.half_saturation_tokens
    ),
    constant!("Trainium link efficiency", (0.3, 2.0), |s| is(s, "trainium"), network.intra_node_efficiency),
];

/// A row prepared for repeated evaluation.
pub(crate) struct Case {
    pub(crate) source: String,
    pub(crate) scenario: Scenario,
    pub(crate) setup: Setup,
    /// Measured step time, scaled to the tokens of the scenario's step.
    pub(crate) step: f64,
    pub(crate) mfu: f64,
    /// Indices of the constants that affect the row.
    pub(crate) constants: Vec<usize>,
}

impl Case {
    /// Prepares a row; `None` if it has no measured step time.
    pub(crate) fn of(entry: &Entry) -> Option<Self> {
        let prediction = entry.outcome.as_ref().ok()?;
        let (measured, _) = prediction.measured_step?;
        let scale = prediction.report.time.step.get() / prediction.step_time_s;
        let scenario = prediction.scenario;
        let constants = (0..CONSTANTS.len()).filter(|&at| (CONSTANTS[at].applies)(&scenario)).collect();
        Some(Self {
            source: entry.source().to_owned(),
            scenario,
            setup: scenario.setup(),
            step: measured * scale,
            mfu: prediction.measured_mfu.unwrap_or(0.0),
            constants,
        })
    }
}

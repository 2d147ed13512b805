//! Maps each fitted constant to the runs that it affects and to the fields of a setup that it
//! scales.

use engine::fitted;
use engine::model::hardware::{Generation, Host};
use engine::model::setup::Setup;
use engine::model::software::{AttentionKernel, Framework, Graphs};
use engine::model::training::ComputeFormat;
use engine::scenario::Scenario;

/// Effect of a constant: the runs that are affected, and the change of a setup under another value,
/// given as a factor.
pub struct Action {
    /// Key of the constant in `data/fitted.toml`.
    pub key: &'static str,
    /// Returns whether the constant affects a run.
    pub applies: fn(&Scenario) -> bool,
    /// Multiplies the constant in a setup by a factor.
    pub scale: fn(&mut Setup, f64),
}

macro_rules! actions {
    ($($key:ident: $applies:expr, $($($field:ident).+),+;)*) => {
        &[$(Action {
            key: stringify!($key),
            applies: $applies,
            scale: |setup, times| { $(setup.$($field).+ *= times;)+ },
        },)*]
    };
}

/// Returns whether a run uses silicon whose efficiencies are derived from those fitted to another
/// board.
fn follows(s: &Scenario) -> bool {
    s.accelerator.id == "a100-64gb"
        || s.accelerator.values.generation == Generation::Hopper && s.accelerator.values.power < 680.0
}

fn on(s: &Scenario, generation: Generation) -> bool {
    s.accelerator.values.generation == generation && !follows(s)
}

fn blackwell(s: &Scenario) -> bool {
    on(s, Generation::Blackwell) || on(s, Generation::BlackwellUltra)
}

/// Returns whether the accelerator's identifier starts with `id`.
fn is(s: &Scenario, id: &str) -> bool {
    s.accelerator.id.starts_with(id)
}

fn by(s: &Scenario, frameworks: &[Framework]) -> bool {
    frameworks.contains(&s.framework)
}

const PYTORCH: [Framework; 4] =
    [Framework::Torchtitan, Framework::Transformers, Framework::Fsdp1, Framework::DeepSpeed];
const MEGATRON: [Framework; 2] = [Framework::Megatron, Framework::MegatronFsdp];
const OWN_LAYERS: [Framework; 3] = [Framework::Megatron, Framework::MegatronFsdp, Framework::Nanotron];

fn mixture(s: &Scenario) -> bool {
    s.model.architecture().has_experts()
}

fn kernel(s: &Scenario, kernels: &[AttentionKernel]) -> bool {
    kernels.contains(&s.kernels.attention)
}

/// Returns whether the kernel is FlashAttention-2 under any name: on Ampere it is the tuned kernel.
fn second(s: &Scenario) -> bool {
    kernel(
        s,
        &[
            AttentionKernel::Flash,
            AttentionKernel::FlashFirstCuda,
            AttentionKernel::FlashFirst,
            AttentionKernel::FlashTuned,
        ],
    )
}

fn in_few_bits(s: &Scenario) -> bool {
    s.compute_format != ComputeFormat::AsPolicy
}

/// Effects of all constants.
pub const ACTIONS: &[&[Action]] = &[
    actions! {
        matmul_volta: |s| on(s, Generation::Volta), accelerator.efficiency.matmul;
        matmul_ampere: |s| on(s, Generation::Ampere), accelerator.efficiency.matmul;
        matmul_hopper: |s| on(s, Generation::Hopper), accelerator.efficiency.matmul;
        matmul_8bit_hopper: |s| on(s, Generation::Hopper), accelerator.efficiency.matmul_8bit;
        matmul_blackwell: blackwell, accelerator.efficiency.matmul;
        matmul_8bit_blackwell: |s| on(s, Generation::Blackwell), accelerator.efficiency.matmul_8bit;
        matmul_4bit_blackwell: |s| on(s, Generation::Blackwell), accelerator.efficiency.matmul_4bit;
        matmul_8bit_blackwell_ultra: |s| on(s, Generation::BlackwellUltra), accelerator.efficiency.matmul_8bit;
        matmul_4bit_blackwell_ultra: |s| on(s, Generation::BlackwellUltra), accelerator.efficiency.matmul_4bit;
        matmul_cdna3: |s| on(s, Generation::Cdna3), accelerator.efficiency.matmul;
        matmul_8bit_cdna3: |s| on(s, Generation::Cdna3), accelerator.efficiency.matmul_8bit;
        matmul_cdna4: |s| on(s, Generation::Cdna4), accelerator.efficiency.matmul;
        matmul_8bit_cdna4: |s| on(s, Generation::Cdna4), accelerator.efficiency.matmul_8bit;
        matmul_gaudi_2: |s| is(s, "gaudi-2"), accelerator.efficiency.matmul;
        matmul_8bit_gaudi_2: |s| is(s, "gaudi-2"), accelerator.efficiency.matmul_8bit;
        matmul_tpu_v6e: |s| is(s, "tpu-v6e"), accelerator.efficiency.matmul;
        matmul_tpu_7x: |s| is(s, "tpu-7x"), accelerator.efficiency.matmul;
        matmul_8bit_tpu_7x: |s| is(s, "tpu-7x"), accelerator.efficiency.matmul_8bit;
        last_wave: |_| true, accelerator.efficiency.half_saturation_tokens;
        attention_first: |s| kernel(s, &[AttentionKernel::FlashFirst]), accelerator.efficiency.attention;
        attention_hopper: |s| on(s, Generation::Hopper), accelerator.efficiency.attention;
        attention_tuned_hopper: |s| on(s, Generation::Hopper), accelerator.efficiency.attention_tuned;
        attention_tuned_blackwell: blackwell, accelerator.efficiency.attention_tuned;
        attention_cdna3: |s| on(s, Generation::Cdna3) || on(s, Generation::Cdna4), accelerator.efficiency.attention;
        attention_tuned_cdna3: |s| on(s, Generation::Cdna3) || on(s, Generation::Cdna4),
            accelerator.efficiency.attention_tuned;
        memory: |_| true, accelerator.efficiency.memory;
        elementwise_pytorch: |s| by(s, &PYTORCH), overheads.elementwise_bytes;
        elementwise_megatron: |s| by(s, &MEGATRON), overheads.elementwise_bytes;
        elementwise_megatron_2021: |s| by(s, &[Framework::MegatronLegacy]), overheads.elementwise_bytes;
        elementwise_nanotron: |s| by(s, &[Framework::Nanotron]), overheads.elementwise_bytes;
        elementwise_maxtext: |s| by(s, &[Framework::MaxText]), overheads.elementwise_bytes;
        compiled: |s| s.kernels.compile && !by(s, &[Framework::MaxText]), overheads.elementwise_bytes;
        rate_beside: |s| !on(s, Generation::Tpu), overheads.rate_beside;
        launch_pytorch: |s| by(s, &PYTORCH), overheads.launch;
        launch_megatron: |s| by(s, &OWN_LAYERS), overheads.launch;
        launch_megatron_2021: |s| by(s, &[Framework::MegatronLegacy]), overheads.launch;
        launch_backward: |_| true, overheads.launch_backward;
        launch_tensor: |s| s.degrees().tp > 1, overheads.launch_exchange;
        launch_context: |s| by(s, &OWN_LAYERS) && s.degrees().cp > 1, overheads.launch_context;
        launch_experts: |s| by(s, &OWN_LAYERS) && mixture(s), overheads.launch_experts;
        launch_latent: |s| by(s, &OWN_LAYERS) && s.model.architecture().latent.is_used(), overheads.launch_latent;
        launch_expert: |s| mixture(s) && !s.experts.grouped, overheads.launch_expert;
        launch_casts: in_few_bits, overheads.launch_casts;
        launch_beside_graphs: |s| mixture(s) && s.kernels.graphs == Graphs::Layers, overheads.launch_beside_graphs;
        host_sapphire_rapids: |s| s.network.values.host.speed == Host::USUAL.speed && !is(s, "gb"), network.host.speed;
        host_grace: |s| is(s, "gb"), network.host.speed;
        matmul_gaudi_3: |s| is(s, "gaudi-3"), accelerator.efficiency.matmul, accelerator.efficiency.matmul_8bit;
        matmul_tpu_v5e: |s| is(s, "tpu-v5e") || is(s, "tpu-v4"),
            accelerator.efficiency.matmul, accelerator.efficiency.matmul_8bit;
        matmul_tpu_v5p: |s| is(s, "tpu-v5p"), accelerator.efficiency.matmul, accelerator.efficiency.matmul_8bit;
        matmul_trainium: |s| on(s, Generation::Trainium),
            accelerator.efficiency.matmul, accelerator.efficiency.matmul_8bit;
        attention_ampere: |s| (on(s, Generation::Ampere) || on(s, Generation::Volta)) && second(s),
            accelerator.efficiency.attention, accelerator.efficiency.attention_tuned;
        attention_gaudi: |s| on(s, Generation::Gaudi),
            accelerator.efficiency.attention, accelerator.efficiency.attention_tuned;
        attention_tpu: |s| on(s, Generation::Tpu),
            accelerator.efficiency.attention, accelerator.efficiency.attention_tuned;
        attention_trainium: |s| on(s, Generation::Trainium),
            accelerator.efficiency.attention, accelerator.efficiency.attention_tuned;
        host_step_ms: |_| true, overheads.step;
        host_between_steps_ms: |s| by(s, &MEGATRON), overheads.between_steps;
        host_message_ms: |s| by(s, &[Framework::Nanotron]) && s.degrees().pp > 1, overheads.message;
    },
    &[Action {
        key: "contention",
        applies: |_| true,
        // A TPU has dedicated engines for its links.
        scale: |setup, times| {
            if setup.overheads.contention > 1.0 {
                setup.overheads.contention = (setup.overheads.contention * times).max(1.0);
            }
        },
    }],
];

/// Returns the engine's constants with their effects, in the order of `data/fitted.toml`.
///
/// A constant without an action in [`ACTIONS`] is left out; a test checks that there is none.
pub fn constants() -> Vec<(&'static fitted::Fitted, &'static Action)> {
    let find = |key: &str| ACTIONS.iter().flat_map(|list| list.iter()).find(|action| action.key == key);
    fitted::ALL.iter().filter_map(|fitted| Some((fitted, find(fitted.key)?))).collect()
}

//! Labels of choices in pickers and tables.

use core::fmt::Write as _;

use super::{Choice, ParamId};
use crate::model::hardware::Generation;
use crate::model::software::AttentionKernel;
use crate::scenario::Scenario;

/// Returns the picker's label of a strategy, by its index in `Strategy::ALL`.
pub fn strategy(place: usize) -> &'static str {
    label(ParamId::Strategy, |_| place)
}

/// Returns the picker's label of a scenario's recomputation mode.
pub fn recompute(scenario: &Scenario) -> &'static str {
    chosen(ParamId::Recompute, scenario)
}

/// Returns the label of the chosen option in a scenario; empty if the parameter is not a choice.
pub fn chosen(id: ParamId, scenario: &Scenario) -> &'static str {
    label(id, |choice| (choice.get)(scenario))
}

/// Returns the label of an option of a choice in the table of parameters.
fn label(id: ParamId, place: impl FnOnce(&Choice) -> usize) -> &'static str {
    let option = id.param().choice().and_then(|choice| choice.options.get(place(choice)));
    option.map_or("", |option| option.label)
}

/// Names the layout of a scenario: `FSDP FULL_SHARD, tp 2, pp 4`.
pub fn layout(scenario: &Scenario) -> String {
    let mut text = strategy(scenario.strategy.place()).to_owned();
    let mesh = scenario.degrees();
    for (key, degree) in [("tp", mesh.tp), ("cp", mesh.cp), ("pp", mesh.pp), ("ep", mesh.ep)] {
        if degree > 1 {
            // Writing to a string cannot fail.
            let _ = write!(text, ", {key} {degree}");
        }
    }
    text
}

/// Returns the name of an option in a scenario that has it: `FlashAttention-3`, `DualPipe`,
/// `CUDA graphs: layers`.
pub fn option(id: ParamId, option: usize, scenario: &Scenario) -> String {
    let param = id.param();
    let chosen = param.choice().and_then(|choice| choice.options.get(option)).map_or("", |option| option.label);
    match id {
        ParamId::AttentionKernel => attention(scenario).into(),
        ParamId::Compile => compile(scenario).into(),
        ParamId::PipelineSchedule => chosen.to_owned(),
        _ => format!("{}: {}", param.label, chosen.to_lowercase()),
    }
}

/// Returns the name of using `torch.compile`, or not using it.
fn compile(scenario: &Scenario) -> &'static str {
    if scenario.kernels.compile { "torch.compile" } else { "no torch.compile" }
}

/// Returns the name of the attention kernel of a scenario, which depends on its GPU: the kernels
/// tuned to Ampere are FlashAttention-2.
fn attention(scenario: &Scenario) -> &'static str {
    use Generation::{Ada, Ampere, AmpereGddr, Blackwell, BlackwellGddr, BlackwellUltra, Hopper};
    match (scenario.kernels.attention, scenario.accelerator.values.generation) {
        (AttentionKernel::Unfused, _) => "unfused attention",
        (AttentionKernel::FlashFirstCuda, _) => "FlashAttention-1",
        (AttentionKernel::FlashFirst, _) => "Triton's or memory-efficient attention",
        (AttentionKernel::Flash, _) => "FlashAttention-2 (SDPA)",
        (AttentionKernel::FlashTuned, Ampere | AmpereGddr | Ada) => "FlashAttention-2",
        (AttentionKernel::FlashTuned, Hopper) => "FlashAttention-3",
        (AttentionKernel::FlashTuned, Blackwell | BlackwellGddr | BlackwellUltra) => "cuDNN attention",
        (AttentionKernel::FlashTuned, _) => "attention kernels tuned to the GPU",
        (AttentionKernel::Flash8bit, _) => "FP8 attention",
    }
}

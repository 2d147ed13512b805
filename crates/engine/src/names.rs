//! Names of enum variants: in JSON, in figures and in sentences. One row per variant; colours are
//! in the palette of the charts.

use crate::model::hardware::Generation;
use crate::model::report::{Limiter, MemoryPart};
use crate::model::rollout::GenerationPart;
use crate::model::software::Framework;
use crate::model::step::waterfall::StepPart;
use crate::model::transformer::Architecture;
use crate::model::transformer::recurrent::RecurrentKind;

/// The variables of the layout search.
pub const OF_LAYOUTS: &str = "strategy, tp, cp, pp, ep, micro-batch, checkpointing, kernels, compile, loss, schedule; offload where nothing is sure without";

/// Returns the name of a framework inside a sentence.
pub const fn framework(framework: Framework) -> &'static str {
    match framework {
        Framework::Torchtitan => "torchtitan",
        Framework::Transformers => "Hugging Face Trainer",
        Framework::Fsdp1 => "FSDP1",
        Framework::DeepSpeed => "DeepSpeed",
        Framework::Megatron => "Megatron-Core",
        Framework::MegatronFsdp => "Megatron-FSDP",
        Framework::MegatronLegacy => "Megatron-LM of 2021",
        Framework::Nanotron => "nanotron",
        Framework::MaxText => "MaxText",
    }
}

/// The names of a limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimiterNames {
    /// In JSON and CSV: `inter_node_network`.
    pub key: &'static str,
    /// In the cells of a table: `N`.
    pub letter: &'static str,
    /// On a tile: `Network`.
    pub tile: &'static str,
    /// In a list: `network between nodes`.
    pub name: &'static str,
    /// At the end of “limited by …”: `the network between nodes`.
    pub phrase: &'static str,
}

/// Returns the names of a limiter.
pub const fn limiter(limiter: Limiter) -> LimiterNames {
    let (key, letter, tile, name, phrase) = match limiter {
        Limiter::Memory => ("memory", "M", "Memory", "out of memory", "memory"),
        Limiter::InterNode => {
            ("inter_node_network", "N", "Network", "network between nodes", "the network between nodes")
        }
        Limiter::IntraNode => {
            ("intra_node_network", "L", "Node links", "links inside the node", "the links inside a node")
        }
        Limiter::Compute => ("compute", "C", "Compute", "compute", "compute"),
        Limiter::Launch => ("launch", "K", "Launches", "kernel launches", "kernel launches"),
        Limiter::Bubble => ("pipeline_bubble", "B", "Pipeline", "pipeline bubble", "idle pipeline stages"),
        Limiter::Data => ("data", "D", "Data", "waiting for data", "the data loaders"),
        Limiter::Rollout => ("rollout", "R", "Rollout", "rollout", "the rollout"),
    };
    LimiterNames { key, letter, tile, name, phrase }
}

/// The names of a part of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartNames {
    /// In JSON and CSV: `gathered_weights`.
    pub key: &'static str,
    /// The key of the part's card (`explain::card`) in links: `gathered`.
    pub card: &'static str,
    /// In figures: `Gathered weights`.
    pub name: &'static str,
}

/// Returns the names of a part of memory.
pub const fn part(part: MemoryPart) -> PartNames {
    let (key, card, name) = match part {
        MemoryPart::Weights => ("weights", "weights", "Weights"),
        MemoryPart::Gradients => ("gradients", "gradients", "Gradients"),
        MemoryPart::Optimizer => ("optimizer", "optimizer", "Optimizer state"),
        MemoryPart::GatheredWeights => ("gathered_weights", "gathered", "Gathered weights"),
        MemoryPart::UnreducedGradients => ("unreduced_gradients", "unreduced", "Unreduced gradients"),
        MemoryPart::Activations => ("activations", "activations", "Activations"),
        MemoryPart::WorkingSet => ("working_set", "working", "Working set of a layer"),
        MemoryPart::Logits => ("logits", "logits", "Logits and loss"),
        MemoryPart::Context => ("context", "context", "CUDA context and NCCL"),
        MemoryPart::Fragmentation => ("fragmentation", "fragmentation-part", "Fragmentation"),
        MemoryPart::Models => ("other_models", "other-models", "Other models"),
        MemoryPart::Engine => ("rollout_engine", "rollout-engine", "Rollout engine"),
        MemoryPart::Tower => ("tower", "tower-memory", "Encoder of images"),
        MemoryPart::Cache => ("cache", "cache", "Cache (released under pressure)"),
    };
    PartNames { key, card, name }
}

/// Returns the names of a part of memory on hardware of a generation: CUDA and NCCL are NVIDIA's.
pub const fn part_on(of: MemoryPart, generation: Generation) -> PartNames {
    match of {
        MemoryPart::Context if !generation.has_cuda() => PartNames { name: "Runtime and collectives", ..part(of) },
        _ => part(of),
    }
}

/// The names of a part of a step's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepPartNames {
    /// In JSON and CSV: `memory_bound`.
    pub key: &'static str,
    /// In figures, short enough for a phone: `Memory-bound work`.
    pub name: &'static str,
    /// After “lost to”: `memory-bound work`.
    pub lost_to: &'static str,
}

/// Returns the names of a part of a step's time.
pub const fn step_part(part: StepPart) -> StepPartNames {
    let (key, name, lost_to) = match part {
        StepPart::Kernels => ("kernels", "Kernels below peak", "kernels below the peak"),
        StepPart::Padding => ("padding", "Padding", "padding"),
        StepPart::MemoryBound => ("memory_bound", "Memory-bound work", "memory-bound work"),
        StepPart::Optimizer => ("optimizer", "Optimizer", "the optimizer’s update"),
        StepPart::Recomputation => ("recomputation", "Recomputation", "recomputation"),
        StepPart::Passes => ("passes", "Reference models", "passes of reference models"),
        StepPart::Contention => ("contention", "Contention", "compute slowed by collectives"),
        StepPart::AllGather => ("all_gather", "All-gather", "exposed all-gathers"),
        StepPart::ReduceScatter => ("reduce_scatter", "Reduce-scatter", "exposed reduce-scatters"),
        StepPart::AllReduce => ("all_reduce", "All-reduce", "exposed all-reduces"),
        StepPart::Tensor => ("tensor", "Tensor parallelism", "exchanges of tensor parallelism"),
        StepPart::Context => ("context", "Context parallelism", "exchanges of context parallelism"),
        StepPart::Stages => ("stages", "Between stages", "messages between pipeline stages"),
        StepPart::Experts => ("experts", "Expert exchange", "tokens on their way to experts and back"),
        StepPart::HostLink => ("host_link", "Host link", "activations on their way to the host and back"),
        StepPart::Bubble => ("bubble", "Pipeline bubble", "the pipeline bubble"),
        StepPart::UnevenStages => ("uneven_stages", "Uneven stages", "the slowest stage’s work beyond the mean"),
        StepPart::Launches => ("launches", "Kernel launches", "kernel launches"),
        StepPart::Loading => ("loading", "Waiting for data", "waiting for data"),
        StepPart::Useful => ("useful", "MFU", "the model"),
    };
    StepPartNames { key, name, lost_to }
}

/// Returns the names of a part of memory during generation; one card explains all of these parts.
pub const fn generation_part(part: GenerationPart) -> PartNames {
    let (key, name) = match part {
        GenerationPart::Training => ("training", "Training at rest"),
        GenerationPart::Weights => ("weights", "Weights of the engine"),
        GenerationPart::Cache => ("cache", "KV cache"),
        GenerationPart::Overhead => ("overhead", "Buffers and libraries of the engine"),
    };
    PartNames { key, card: "generation-memory", name }
}

/// Returns the name of a recurrent mixer at the end of “layers with …”.
pub fn state_mixer(kind: RecurrentKind) -> &'static str {
    match kind {
        RecurrentKind::Mamba => "Mamba",
        RecurrentKind::Mamba2 => "Mamba-2",
        RecurrentKind::GatedDelta => "a gated delta network",
        RecurrentKind::KimiDelta => "Kimi delta attention",
        RecurrentKind::Lightning => "lightning attention",
        RecurrentKind::RgLru => "an RG-LRU",
        RecurrentKind::ShortConv => "a short convolution",
    }
}

/// Returns the layers of a model by their blocks, if they are a list: “23 with Mamba-2, 6 with
/// attention, 23 with experts”.
///
/// ```
/// # use engine::names::layers;
/// let of = |id: &str| layers(&catalog::model(id).unwrap().architecture);
/// assert_eq!(of("nemotron-3-nano").unwrap(), "23 with Mamba-2, 6 with attention, 23 with experts");
/// assert_eq!(of("llama-3-8b"), None);
/// ```
pub fn layers(shape: &Architecture) -> Option<String> {
    if !shape.pattern.is_used() {
        return None;
    }
    let blocks = shape.blocks();
    let all = [
        (blocks.recurrent, state_mixer(shape.recurrent.kind)),
        (blocks.attention - blocks.window, "attention"),
        (blocks.window, "attention in a window"),
        (blocks.dense, "an MLP"),
        (blocks.experts, "experts"),
    ];
    let some = all.into_iter().filter(|(layers, _)| *layers > 0);
    Some(some.map(|(layers, name)| format!("{layers} with {name}")).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_letters_are_distinct() {
        let limiters = Limiter::ALL.map(limiter);
        let parts = MemoryPart::ALL.map(part);
        let once = |all: &[&str]| all.iter().all(|one| all.iter().filter(|other| *other == one).count() == 1);
        assert!(once(&limiters.map(|names| names.key)) && once(&limiters.map(|names| names.letter)));
        let of_step = StepPart::ALL.map(step_part);
        assert!(once(&of_step.map(|names| names.key)) && once(&of_step.map(|names| names.name)));
        assert!(once(&parts.map(|names| names.key)) && once(&parts.map(|names| names.card)));
    }
}

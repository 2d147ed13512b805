//! Splitting, dispatch and compute of a mixture's experts. These rows only have an effect if the
//! model has experts.

use super::{Group, Param, Scale, Unit, choice, count, number, option, position, switched, whole, with_experts};
use crate::model::experts::{AllToAll, Dispatcher};
use crate::model::training::ComputeFormat;
use crate::scenario::Scenario;

/// For rows about degrees that the user chooses.
fn with_own_degrees(scenario: &Scenario) -> bool {
    with_experts(scenario) && !scenario.expert_choice.degrees
}

/// For degrees of parallelism that split experts.
fn is_expert_split(scenario: &Scenario) -> bool {
    let degrees = scenario.degrees();
    degrees.ep * degrees.etp > 1 && with_own_degrees(scenario)
}

/// For rows about chunks that the user chooses.
fn with_own_chunks(scenario: &Scenario) -> bool {
    with_experts(scenario) && !scenario.expert_choice.chunks
}

/// For rows about grouped products whose inputs are cast.
fn with_casts(scenario: &Scenario) -> bool {
    with_experts(scenario) && scenario.experts.grouped && scenario.compute_format != ComputeFormat::AsPolicy
}

/// For rows about the algorithm of a collective all-to-all.
fn with_collective(scenario: &Scenario) -> bool {
    with_own_chunks(scenario) && scenario.experts.dispatcher == Dispatcher::AllToAll
}

/// A row of a factor.
macro_rules! factor {
    (
        $(#[$doc:meta])* $name:ident, $($field:ident).+, $key:literal, $label:literal, $csv:literal,
        $min:literal ..= $max:literal, [$($special:ident($($value_of:expr),*)),*], $help:literal
    ) => {
        $(#[$doc])*
        pub(in crate::params) const $name: Param = Param {
            key: $key,
            label: $label,
            csv: $csv,
            group: Group::Experts,
            help: $help,
            kind: number(
                Unit::None,
                ($min, $max),
                Scale::Log,
                |scenario| scenario.$($field).+,
                |scenario, value| scenario.$($field).+ = value,
            ),
            applies: with_experts,
            ..Param::DEFAULT
        }
        $(.$special($($value_of),*))*;
    };
}

counted!(
    /// Expert parallelism.
    EP, Experts, ep, "ep", "Expert parallelism", "expert_parallel_gpus", 1.0..=1024.0, [when(with_own_degrees), window(1.0, 1024.0), knob(is_expert_split)],
    "GPUs of a stage among which a layer's experts are split (ep; expert_model_parallel_size in Megatron)."
);
counted!(
    /// Expert tensor parallelism.
    ETP, Experts, etp, "etp", "Expert tensor parallelism", "expert_tensor_parallel_gpus", 1.0..=256.0, [when(with_own_degrees), window(1.0, 64.0), knob(is_expert_split)],
    "GPUs that share each expert's matrices (etp; expert_tensor_parallel_size in Megatron)."
);
switched!(
    /// Whether the page chooses the degrees.
    ADAPTIVE_DEGREES, Experts, expert_choice.degrees, "adaptdegrees", "Adaptive parallelism", "adaptive_parallelism",
    [when(with_experts)], "Whether the page chooses both degrees: those that fit and take the least time, as Tutel does."
);
picked!(
    /// The way in which tokens are sent.
    DISPATCHER, Experts, experts.dispatcher, "dispatcher", "Token dispatcher", "token_dispatcher", [when(with_experts)],
    "How tokens reach the GPUs of their experts (moe_token_dispatcher_type in Megatron).",
    Dispatcher::AllToAll => "alltoall", "All-to-all", "A collective all-to-all of every copy of every token.";
    Dispatcher::Fused => "fused", "Fused (DeepEP, HybridEP)", "Each token is sent once to each GPU and once to each node (flex).";
);
picked!(
    /// The algorithm of the all-to-all.
    ALGORITHM, Experts, experts.algorithm, "a2a", "All-to-all algorithm", "all_to_all_algorithm", [when(with_collective)],
    "The steps of the all-to-all.",
    AllToAll::Linear => "linear", "Linear", "Every GPU sends to every other.";
    AllToAll::TwoDimensional => "2dh", "Two-dimensional (2DH)", "The GPUs of a node gather what goes to another, then send it (Tutel).";
);
counted!(
    /// Chunks of the exchange.
    CHUNKS, Experts, experts.chunks, "chunks", "Exchange chunks", "expert_chunks", 1.0..=8.0, [when(with_own_chunks)],
    "Chunks of the tokens whose exchange overlaps with the experts' compute (Tutel): 1 for no overlap."
);
switched!(
    /// Whether the page chooses the chunks.
    ADAPTIVE_CHUNKS, Experts, expert_choice.chunks, "adaptchunks", "Adaptive pipelining", "adaptive_pipelining", [when(with_experts)],
    "Whether the page chooses the chunks (1, 2, 4 or 8) and the all-to-all's algorithm: the fastest, as Tutel does."
);
switched!(
    /// Exchanges that overlap with another micro-batch.
    EXPERT_OVERLAP, Experts, experts.across_micro_batches, "epoverlap", "Overlap across micro-batches",
    "overlap_moe_expert_parallel_comm", [when(with_experts)],
    "Whether exchanges overlap with the compute of another micro-batch (DualPipe; overlap_moe_expert_parallel_comm in Megatron)."
);
factor!(
    /// The capacity factor.
    CAPACITY, experts.capacity_factor, "capacity", "Capacity factor", "capacity_factor", 1.0..=64.0, [window(1.0, 8.0)],
    "Tokens that an expert takes, relative to an even share (moe_expert_capacity_factor in Megatron): 1 for dropless training. Unused \
     capacity is still computed; tokens beyond it are dropped."
);
factor!(
    /// The load imbalance.
    IMBALANCE, experts.imbalance, "imbalance", "Load imbalance", "load_imbalance", 1.0..=64.0, [window(1.0, 8.0)],
    "Tokens of the busiest GPU's experts over the mean: 1 for perfect balance."
);
switched!(
    /// Grouped products.
    GROUPED, Experts, experts.grouped, "grouped", "Grouped GEMM", "grouped_gemm", [when(with_experts)],
    "Whether the products of all experts on a GPU run as one kernel (moe_grouped_gemm in Megatron) or one by one."
);
switched!(
    /// Fused products.
    FUSED, Experts, experts.fused, "fusedexperts", "Fused experts", "fused_experts", [when(with_casts)],
    "Whether that kernel also applies the activation and casts to 8 or 4 bits (cuDNN's and CuTe's grouped MLPs)."
);
switched!(
    /// Dispatch in 8 bits.
    DISPATCH_8BIT, Experts, experts.dispatch_8bit, "dispatch8", "Dispatch in 8 bits", "dispatch_in_8_bits", [when(with_experts)],
    "Whether tokens are sent to their experts in 8 bits with a scale for every 128, and gradients of results likewise (DeepSeek-V3, \
     DeepEP); what comes back has 16 bits."
);

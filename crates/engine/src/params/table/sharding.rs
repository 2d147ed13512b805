//! The states that are sharded, and the size of the shard group.

use super::{ChoiceOption, Group, Param, Unit, choice, count, option, position, whole, with_shard_group};
use crate::scenario::Strategy;

/// The options, in the order of [`Strategy::ALL`].
const STRATEGY_OPTIONS: &[ChoiceOption] = &[
    option("ddp", "DDP", "DistributedDataParallel, NO_SHARD: every GPU holds everything; gradients are all-reduced."),
    option("zero1", "ZeRO-1", "Optimizer state sharded (DeepSpeed stage 1, Megatron's distributed optimizer)."),
    option(
        "zero1-group",
        "ZeRO-1 in groups",
        "Optimizer state sharded inside a group, replicated across groups (Megatron's num_distributed_optimizer_instances).",
    ),
    option("zero2", "ZeRO-2", "Optimizer state and gradients sharded (DeepSpeed stage 2)."),
    option(
        "shard-grad-op",
        "FSDP SHARD_GRAD_OP",
        "Everything sharded, but weights stay gathered from forward to backward (reshard_after_forward=False).",
    ),
    option(
        "reshard",
        "FSDP reshard to group",
        "Everything sharded; after the forward pass weights are kept sharded over a smaller group \
         (reshard_after_forward=an integer).",
    ),
    option(
        "full-shard",
        "FSDP FULL_SHARD",
        "Everything sharded over all GPUs, weights gathered for each layer twice (ZeRO-3, reshard_after_forward=True).",
    ),
    option(
        "hybrid-shard",
        "FSDP HYBRID_SHARD",
        "Sharded inside a group, replicated across groups (HSDP): more memory, less traffic between nodes.",
    ),
];

/// The strategy.
pub(in crate::params) const STRATEGY: Param = Param {
    key: "strategy",
    label: "Strategy",
    csv: "strategy",
    group: Group::Sharding,
    help: "What data parallelism shards over the GPUs: nothing, optimizer state, gradients, weights.",
    kind: choice(
        STRATEGY_OPTIONS,
        |scenario| position(&Strategy::ALL, &scenario.strategy),
        |scenario, index| scenario.strategy = Strategy::ALL.get(index).copied().unwrap_or(scenario.strategy),
    ),
    ..Param::DEFAULT
};

/// GPUs in the shard group.
pub(in crate::params) const SHARD_SIZE: Param = Param {
    key: "shard",
    label: "Shard group size",
    csv: "shard_group_gpus",
    group: Group::Sharding,
    help: "GPUs that share one copy of the weights: dp_shard of HYBRID_SHARD, or the group that reshard_after_forward \
           names. It divides the number of GPUs; usually the GPUs of one node.",
    kind: count(
        Unit::None,
        (1.0, 131_072.0),
        |scenario| f64::from(scenario.shard_size),
        |scenario, value| scenario.shard_size = whole(value),
    ),
    applies: with_shard_group,
    ..Param::DEFAULT
}
.window(1.0, 1024.0);

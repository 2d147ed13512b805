//! Keys that several formats share: launchers, optimizers, attention kernels, the allocator.

mod attention;

pub(super) use attention::{attention, tuned_attention};
use catalog::names::{gpu_assumed, gpu_named};
use catalog::pick::move_to_accelerator;
use engine::model::software::Segments;
use engine::params::ParamId;

use crate::run::draft::Draft;
use crate::run::keys::{KeyedValue, Keys};
use crate::run::named::is_named;
use crate::run::tree::{LAUNCHER, STARTED, Syntax};

/// Reads the GPUs from the flags of torchrun, srun, accelerate and deepspeed, and from variables of
/// a script.
pub(super) fn launcher(keys: &mut Keys, draft: &mut Draft) {
    // A comment of a script in Python may say how it is started.
    if keys.syntax() != Syntax::Shell && keys.peek(LAUNCHER).is_none() {
        return;
    }
    if let Some(started) = keys.peek(STARTED).filter(|name| !draft.names.iter().any(|other| is_named(other, name))) {
        draft.assume(format!("The file {started}, which the script starts, is not among these."));
    }
    draft.world.launcher = draft.world.launcher.take().or_else(|| keys.peek(LAUNCHER));
    let allocated = allocated_by_slurm(keys, draft);
    // torchrun counts the GPUs itself.
    let of_torchrun = ["nproc_per_node", "nproc-per-node"];
    let counts = of_torchrun.iter().any(|key| keys.peek(key).is_some_and(|word| word == "gpu" || word == "auto"));
    let per_node = if counts {
        keys.skip(&of_torchrun);
        keys.count(&["gpus_per_node", "num_gpus"])
    } else {
        keys.count(&["nproc_per_node", "nproc-per-node", "gpus_per_node", "num_gpus"])
    };
    let (included, hosts) = included(keys, draft);
    let per_node = per_node.or(included).or(allocated).or_else(|| of_tasks(keys));
    let nodes = keys.count(&["nnodes", "num_nodes", "nodes", "N", "num_machines"]);
    // The flags of Slurm and of a launcher repeat each other.
    if nodes.is_some() {
        keys.skip(&["nnodes", "num_nodes", "nodes", "N", "num_machines"]);
    }
    let gpus = keys.count(&["num_processes"]);
    let variables = |keys: &mut Keys, names: &[&str]| keys.count(names);
    let per_node = per_node.or_else(|| {
        variables(keys, &["$GPUS_PER_NODE", "$NPROC_PER_NODE", "$NUM_GPUS", "$NGPU", "$N_GPUS", "$GPU_NUM"])
    });
    let nodes = nodes.or(hosts).or_else(|| variables(keys, &["$NNODES", "$NUM_NODES", "$N_NODES", "$SLURM_NNODES"]));
    let gpus = gpus.or_else(|| of_job(keys, per_node.as_ref(), nodes.as_ref(), counts));
    let gpus = gpus.or_else(|| variables(keys, &["$WORLD_SIZE"]).filter(|_| per_node.is_none()));
    let world = &mut draft.world;
    world.per_node = world.per_node.take().or(per_node);
    world.nodes = world.nodes.take().or(nodes);
    world.gpus = world.gpus.take().or(gpus);
    if let Some(found) = keys.text(&["$PYTORCH_CUDA_ALLOC_CONF", "$PYTORCH_ALLOC_CONF"])
        && found.value.to_ascii_lowercase().contains("expandable_segments:true")
    {
        draft.scenario.segments = Segments::Expandable;
        draft.record(&found, "Allocator: expandable segments");
    }
}

/// Reads `--ntasks-per-node=4 --gpus-per-task=1`: the GPUs of a node.
fn of_tasks(keys: &mut Keys) -> Option<KeyedValue<u32>> {
    let per_task = keys.count(&["gpus_per_task"])?;
    let tasks = keys.count(&["ntasks_per_node"]).map_or(1, |found| found.value);
    let gpus = per_task.value.saturating_mul(tasks);
    Some(per_task.with(gpus))
}

/// Reads Slurm's `--gpus=16` or `-G 16`, the GPUs of the job: where nothing else says them, and
/// torchrun counts them; else only if the launcher's numbers agree.
fn of_job(
    keys: &mut Keys,
    per_node: Option<&KeyedValue<u32>>,
    nodes: Option<&KeyedValue<u32>>,
    counts: bool,
) -> Option<KeyedValue<u32>> {
    let names = ["G", "gpus"];
    let total: u32 = names.iter().find_map(|name| keys.peek(name))?.parse().ok()?;
    let started = per_node.map(|of| of.value.saturating_mul(nodes.map_or(1, |nodes| nodes.value)));
    if counts && per_node.is_none() || started == Some(total) {
        return keys.count(&names);
    }
    None
}

/// Reads `--gres=gpu:h200:4` or `--gpus-per-node=h100:8`: the card, and how many a node has.
fn allocated_by_slurm(keys: &mut Keys, draft: &mut Draft) -> Option<KeyedValue<u32>> {
    let names = ["gres", "gpus_per_node"];
    let name = names.iter().find(|name| keys.peek(name).is_some_and(|value| value.contains(':')))?;
    let found = keys.text(&[name])?;
    let parts: Vec<&str> = found.value.split(',').next()?.split(':').collect();
    let count = parts.last()?.parse().ok().filter(|count: &u32| *count > 0);
    let named = parts.get(..parts.len() - usize::from(count.is_some()))?;
    let entry = |name: &&str| gpu_named(name).map(|found| found.entry).or_else(|| gpu_assumed(name));
    if let Some(gpu) = named.iter().filter(|name| **name != "gpu").find_map(entry) {
        move_to_accelerator(&mut draft.scenario, gpu.id);
        draft.names_gpu = true;
        draft.record(&found, format!("GPU: {}", gpu.name));
        if named.iter().all(|name| gpu_named(name).is_none_or(|named| named.is_taken)) {
            draft.assume(format!("{} = {} is taken to mean {}.", found.key, found.value, gpu.name));
        }
    }
    count.map(|count| found.with(count))
}

/// Reads the devices of DeepSpeed's launcher, `--include worker-0:0,1@worker-1:0,1`: GPUs of a host
/// and hosts (deepspeed/launcher/runner.py, `parse_resource_filter`).
fn included(keys: &mut Keys, draft: &Draft) -> (Option<KeyedValue<u32>>, Option<KeyedValue<u32>>) {
    if draft.world.launcher.as_deref() != Some("deepspeed") {
        return (None, None);
    }
    let Some(found) = keys.text(&["include"]) else { return (None, None) };
    let node = draft.scenario.network.values.gpus_per_node;
    let hosts: Vec<u32> = found
        .value
        .split('@')
        .map(|host| host.split_once(':').map_or(node, |(_, slots)| slots.split(',').count() as u32))
        .collect();
    // Hosts with unequal numbers of GPUs are taken to have that of the first.
    let Some(first) = hosts.first() else { return (None, None) };
    (Some(found.with(*first)), Some(found.with(hosts.len() as u32)).filter(|hosts| hosts.value > 1))
}

/// Returns the strategy of a stage of ZeRO.
pub(super) fn zero_strategy(stage: u32) -> &'static str {
    match stage {
        0 => "ddp",
        1 => "zero1",
        2 => "zero2",
        _ => "full-shard",
    }
}

/// Names of optimizers, in lower case, with their options of links.
const OPTIMIZERS: &[(&str, &str)] = &[
    ("adamw_torch", "adamw"),
    ("adamw_torch_fused", "adamw"),
    ("adamw_torch_xla", "adamw"),
    ("adamw_torch_npu_fused", "adamw"),
    ("adamw_apex_fused", "adamw"),
    ("adamw_hf", "adamw"),
    ("adamw", "adamw"),
    ("adam", "adamw"),
    ("fusedadam", "adamw"),
    ("fused_adam", "adamw"),
    ("adam_pax", "adamw"),
    ("decoupled_adamw", "adamw"),
    ("adam_w", "adamw"),
    ("distributed_fused_adam", "adamw"),
    ("mcore_distributed_optim", "adamw"),
    ("adamw_anyprecision", "adamw"),
    ("onebitadam", "adamw"),
    ("deepspeedcpuadam", "adamw"),
    ("cpuadam", "adamw"),
    ("paged_adamw", "adamw"),
    ("pagedadamw", "adamw"),
    ("paged_adamw_32bit", "adamw"),
    ("pagedadamw32bit", "adamw"),
    ("adamw_8bit", "adamw-8bit"),
    ("adamw8bit", "adamw-8bit"),
    ("adam8bit", "adamw-8bit"),
    ("adamw_bnb_8bit", "adamw-8bit"),
    ("adamw_torch_8bit", "adamw-8bit"),
    ("ao_adamw_8bit", "adamw-8bit"),
    ("paged_adamw_8bit", "adamw-8bit"),
    ("pagedadamw8bit", "adamw-8bit"),
    ("adamw_torch_4bit", "adamw-4bit"),
    ("adamw4bit", "adamw-4bit"),
    ("ao_adamw_4bit", "adamw-4bit"),
    ("adam_mini", "adam-mini"),
    ("galore_adamw", "galore"),
    ("galore_adamw_layerwise", "galore"),
    ("galore_adamw_8bit", "galore-8bit"),
    ("galore_adamw_8bit_layerwise", "galore-8bit"),
    ("sgd", "sgd"),
    ("lomo", "sgd"),
    ("adalomo", "adafactor"),
    ("adafactor", "adafactor"),
    ("lion", "lion"),
    ("lion_32bit", "lion"),
    ("decoupled_lionw", "lion"),
    ("paged_lion_32bit", "lion"),
    ("muon", "muon"),
    ("dist_muon", "muon"),
];

/// Sets the optimizer of a name, and its kernel if the name states one.
pub(super) fn optimizer(found: Option<KeyedValue<String>>, draft: &mut Draft) {
    let Some(found) = found else { return };
    let name = found.value.rsplit(['.', ':']).next().unwrap_or_default().trim_matches('"').to_ascii_lowercase();
    let Some((_, option)) = OPTIMIZERS.iter().find(|(known, _)| *known == name) else {
        draft.not_read(&found, "its states are not known");
        return;
    };
    draft.set_option_from(&found, ParamId::Optimizer, option);
    if matches!(name.as_str(), "adamw_torch" | "adamw_hf" | "adamw_torch_8bit" | "adamw_torch_4bit")
        && *option == "adamw"
    {
        draft.set_option(ParamId::OptimizerKernel, "foreach");
    } else {
        draft.set_option(ParamId::OptimizerKernel, "fused");
    }
    draft.set_option(ParamId::PagedOptimizer, if name.starts_with("paged") { "yes" } else { "no" });
    if name.ends_with("layerwise") || name.contains("lomo") {
        draft.set_option(ParamId::UpdatePlace, "yes");
    }
}

/// Records the micro-batch; a contradicting second value is reported.
pub(super) fn micro(found: Option<KeyedValue<u32>>, draft: &mut Draft) {
    let Some(found) = found else { return };
    match &draft.batch.micro {
        Some(before) if before.value != found.value => {
            let [first, second] = [draft.key(before), draft.key(&found)];
            let said = format!("{first} is {} and {second} is {}: {first} is used.", before.value, found.value);
            draft.contradict(said);
        }
        Some(_) => draft.record(&found, "The micro-batch size, as another file has it"),
        None => draft.batch.micro = Some(found),
    }
}

/// Records the micro-batches per step; a contradicting second value is reported.
pub(super) fn accum(found: Option<KeyedValue<u32>>, draft: &mut Draft) {
    let Some(found) = found else { return };
    match &draft.batch.accum {
        Some(before) if before.value != found.value => {
            let [first, second] = [draft.key(before), draft.key(&found)];
            let said = format!("{first} is {} and {second} is {}: {first} is used.", before.value, found.value);
            draft.contradict(said);
        }
        Some(_) => draft.record(&found, "The gradient accumulation, as another file has it"),
        None => draft.batch.accum = Some(found),
    }
}

/// Records that attention is saved while the rest of a layer is recomputed, which is computed as if
/// all of it were.
pub(super) fn saves_attention<T>(found: &KeyedValue<T>, draft: &mut Draft) {
    draft.record(found, "Layers are recomputed, except attention");
    draft.assume(
        "Attention is computed as recomputed with its layer. The file keeps its output instead: a tensor as large \
         as a layer's input more in each layer, and less time.",
    );
}

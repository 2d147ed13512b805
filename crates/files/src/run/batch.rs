//! Values that follow once all files are read: GPUs, degrees, the batch of a step, tokens.

use engine::params::ParamId;
use engine::params::quantity::group_thousands;
use engine::scenario::Strategy;

use super::MissingValue;
use super::draft::Draft;
use super::formats::teacher_prepared;
use super::keys::KeyedValue;

/// Completes a scenario from the values that the files state.
pub(super) fn finish(draft: &mut Draft) {
    // Before the defaults are taken.
    draft.is_model_alone = is_model_alone(draft);
    world(draft);
    strategy(draft);
    batch(draft);
    tokens(draft);
    draft.base_as_stored();
    teacher_prepared(draft);
    draft.experts_without_modules();
    if !draft.has_model {
        draft.open.push(MissingValue::Model);
        let name = draft.model_name();
        draft.assume(format!("The files name no model that the catalog has: {name} stays."));
    }
    if !draft.has_length {
        draft.open.push(MissingValue::Length);
        let tokens = group_thousands(&draft.scenario.seq_len.to_string());
        draft.assume(format!("The files say no sequence length: {tokens} tokens."));
    }
    // A shard group that no file names is a node, or all GPUs of a smaller run.
    let is_unsaid = !draft.said.contains(&ParamId::ShardSize) && draft.scenario.shard_size == node_of(draft);
    if is_unsaid && draft.scenario.strategy.uses_shard_size() {
        draft.scenario.shard_size = node_of(draft).min(draft.scenario.gpus.max(1));
    }
    // Answers are taken as long as they may be, not as texts of a data set usually are.
    let generates = draft.scenario.objective.task.generates() && draft.scenario.has_texts();
    if generates && !draft.said.contains(&ParamId::MeanTextLength) {
        draft.scenario.texts.mean_length = f64::from(draft.scenario.seq_len);
    }
}

/// Whether files describe a model and no run: no batch, length, optimizer or number of GPUs.
fn is_model_alone(draft: &Draft) -> bool {
    let (batch, world) = (&draft.batch, &draft.world);
    let counts = [&batch.micro, &batch.accum, &batch.global, &batch.local, &world.gpus, &world.nodes, &world.per_node];
    let is_run = counts.iter().any(|count| count.is_some())
        || batch.per_device.is_some()
        || batch.steps.is_some()
        || batch.samples.is_some()
        || [ParamId::Optimizer, ParamId::SequenceLength].iter().any(|id| draft.said.contains(id));
    draft.has_model && !draft.has_length && !is_run
}

fn node_of(draft: &Draft) -> u32 {
    draft.scenario.network.values.gpus_per_node
}

/// Returns the number of GPUs of one replica of the model.
fn per_replica(draft: &Draft) -> u32 {
    let scenario = &draft.scenario;
    scenario.tp.saturating_mul(scenario.cp).saturating_mul(scenario.pp).max(1)
}

fn world(draft: &mut Draft) {
    let world = draft.world.clone();
    let node = draft.scenario.network.values.gpus_per_node.max(1);
    let (nodes, per_node) = (world.nodes, world.per_node);
    let product =
        |by: Option<&KeyedValue<u32>>, other: u32| by.map(|found| found.with(found.value.saturating_mul(other)));
    let of_nodes = match (&nodes, &per_node) {
        (Some(nodes), Some(per_node)) => {
            draft.record(nodes, format!("{} nodes", nodes.value));
            product(Some(per_node), nodes.value)
        }
        (Some(nodes), None) if world.gpus.is_none() && nodes.value > 1 => {
            draft.assume(format!("The files say {} nodes and not their GPUs: {node} each.", nodes.value));
            product(Some(nodes), node)
        }
        (None, Some(per_node)) => Some(per_node.clone()),
        _ => None,
    };
    // With several nodes, a node has as many GPUs as processes.
    let said =
        per_node.as_ref().map(|found| found.value).filter(|_| nodes.as_ref().is_some_and(|nodes| nodes.value > 1));
    let by_count = world.gpus.as_ref().zip(nodes.as_ref()).filter(|(_, nodes)| nodes.value > 1);
    let said = said.or_else(|| by_count.map(|(gpus, nodes)| gpus.value / nodes.value).filter(|each| *each > 0));
    if let Some(each) = said.filter(|each| *each != node) {
        draft.set_number(ParamId::GpusPerNode, f64::from(each));
    }
    if let Some(gpus) = draft.gpus_by_hand {
        draft.scenario.gpus = gpus;
        divides_gpus(draft);
        return;
    }
    if let (Some(gpus), Some(by_nodes)) = (&world.gpus, &of_nodes)
        && gpus.value != by_nodes.value
    {
        draft.contradict(format!(
            "{} says {} GPUs and {} makes {}: {} are used.",
            draft.key(gpus),
            gpus.value,
            draft.key(by_nodes),
            by_nodes.value,
            gpus.value
        ));
    }
    let each = per_replica(draft);
    let of_replicas = world.replicas.as_ref().map(|found| found.with(found.value.saturating_mul(each)));
    let of_mesh = world.shard.as_ref().map(|shard| {
        let replicate = world.replicate.as_ref().map_or(1, |found| found.value);
        shard.with(shard.value.saturating_mul(replicate).saturating_mul(each))
    });
    let gpus = world.gpus.or(of_nodes).or(of_replicas).or(of_mesh);
    if gpus.is_some() {
        draft.number(gpus, ParamId::Gpus);
    } else if world.is_single {
        draft.set_number(ParamId::Gpus, 1.0);
        draft.assume("The files name no launcher: one GPU.");
    } else if let Some(gpus) = gpus_from_batch(draft, each) {
        draft.set_number(ParamId::Gpus, f64::from(gpus));
        draft.assume(format!("The files do not say how many GPUs: {gpus}, which the batch divides."));
    } else {
        draft.open.push(MissingValue::Gpus);
        let mut gpus = draft.scenario.gpus.max(1);
        if !gpus.is_multiple_of(each) {
            gpus = gpus.div_ceil(each).saturating_mul(each);
            draft.set_number(ParamId::Gpus, f64::from(gpus));
        }
        draft.assume(format!(
            "The files do not say how many GPUs: {} of the scenario's cluster.",
            group_thousands(&gpus.to_string())
        ));
    }
    divides_gpus(draft);
}

/// Beginning of the sentence about degrees that do not divide the GPUs.
pub(super) const DEGREES: &str = "tp x cp x pp";

/// Reports degrees whose product does not divide the GPUs.
fn divides_gpus(draft: &mut Draft) {
    let (gpus, each) = (draft.scenario.gpus, per_replica(draft));
    if !gpus.is_multiple_of(each) {
        let scenario = &draft.scenario;
        let keys = draft.said_by(&[ParamId::Tp, ParamId::Cp, ParamId::Pp, ParamId::Gpus]);
        let keys = if keys.is_empty() { String::new() } else { format!(" See {}.", keys.join(", ")) };
        draft.contradict(format!(
            "{DEGREES} = {} x {} x {} = {each} does not divide the {gpus} GPUs.{keys}",
            scenario.tp, scenario.cp, scenario.pp
        ));
    }
}

/// Returns the number of GPUs that follows from the batch: by the stated global batch, micro-batch
/// and accumulation, else the most up to the current number that divides the batch.
fn gpus_from_batch(draft: &Draft, each: u32) -> Option<u32> {
    let said = &draft.batch;
    let global = said.global.as_ref()?.value;
    let micro = said.micro.as_ref().or(said.local.as_ref()).map_or(1, |found| found.value).max(1);
    let step = micro.saturating_mul(said.accum.as_ref().map_or(1, |found| found.value)).max(1);
    let replicas = global / step;
    if said.accum.is_some() && global.is_multiple_of(step) && replicas > 0 {
        return replicas.checked_mul(each);
    }
    let most = (draft.scenario.gpus / each).max(1);
    let is_whole = draft.scenario.gpus.is_multiple_of(each) && global.is_multiple_of(step.saturating_mul(most));
    if is_whole || said.accum.is_some() {
        return None;
    }
    let found = (1..=most.min(65_536)).rev().find(|dp| global.is_multiple_of(step.saturating_mul(*dp)))?;
    found.checked_mul(each)
}

/// Returns the data-parallel degree: all GPUs divided by the GPUs of a replica.
fn replicas(draft: &Draft) -> u32 {
    draft.scenario.degrees().dp.max(1)
}

fn strategy(draft: &mut Draft) {
    let (replicate, shard) = (draft.world.replicate.clone(), draft.world.shard.clone());
    let dp = replicas(draft);
    let replicated = replicate.as_ref().map_or(1, |found| found.value);
    let sharded = shard.as_ref().map_or(dp / replicated.max(1), |found| found.value).max(1);
    if (replicate.is_some() || shard.is_some()) && replicated.saturating_mul(sharded) != dp {
        draft.contradict(format!(
            "Replicas x shards = {replicated} x {sharded} are not the {dp} GPUs that the other degrees leave for data."
        ));
    }
    match (replicate, shard) {
        (Some(replicate), _) if replicated > 1 && sharded > 1 => {
            draft.set_number(ParamId::ShardSize, f64::from(sharded));
            let option = if draft.scenario.strategy == Strategy::Zero1 { "zero1-group" } else { "hybrid-shard" };
            draft.set_option_from(&replicate, ParamId::Strategy, option);
        }
        (Some(replicate), _) if replicated > 1 => draft.set_option_from(&replicate, ParamId::Strategy, "ddp"),
        (_, Some(shard)) if shard.value > 1 && !draft.has_strategy => {
            draft.set_option_from(&shard, ParamId::Strategy, "full-shard");
        }
        _ => {}
    }
}

/// Sets the micro-batch and the number of micro-batches per step.
fn batch(draft: &mut Draft) {
    let said = draft.batch.clone();
    let dp = replicas(draft);
    if let Some(per_device) = said.per_device {
        return by_device(draft, &per_device, said.accum, dp);
    }
    let no_micro = said.micro.is_none() && said.local.is_none();
    let micro = match (&said.micro, &said.local) {
        // A pipeline splits its local batch into the stated micro-batches, else of one sequence.
        (None, Some(local)) if draft.scenario.pp == 1 => Some(local.clone()),
        (micro, _) => micro.clone(),
    };
    if let Some(micro) = &micro {
        let whole = said.global.as_ref().filter(|_| said.is_by_tokens).map(|global| (global.value / dp.max(1)).max(1));
        let parts = |whole: u32| (1..=micro.value).rev().find(|part| whole.is_multiple_of(*part));
        let micro = whole.and_then(parts).map_or_else(|| micro.clone(), |part| micro.with(part));
        draft.number(Some(micro), ParamId::MicroBatchSize);
    } else {
        draft.set_number(ParamId::MicroBatchSize, f64::from(said.default_micro_batch));
    }
    let micro = draft.scenario.micro_batch_size.max(1);
    // Names the file of the micro-batch, if there are several files.
    let is_elsewhere = draft.names.len() > 1;
    let of_micro = said.micro.as_ref().filter(|_| is_elsewhere);
    let of_micro = of_micro.map_or_else(String::new, |micro| format!(" by {}", draft.key(micro)));
    let local = said.local.as_ref().map(|local| {
        let parts = (local.value / micro).max(1);
        if !local.value.is_multiple_of(micro) {
            let key = draft.key(local);
            draft.contradict(format!(
                "{key} is {}, which micro-batches of {micro}{of_micro} do not divide.",
                local.value
            ));
        }
        local.with(parts)
    });
    let per_step = micro.saturating_mul(dp);
    let of_global = said.global.as_ref().map(|global| {
        let steps = (global.value / per_step).max(1);
        if !global.value.is_multiple_of(per_step) {
            draft.contradict(format!(
                "{} is {}, which {dp} replicas with micro-batches of {micro}{of_micro} do not divide: {steps} micro-batches a step are used.",
                draft.key(global),
                global.value
            ));
        }
        global.with(steps)
    });
    match (said.accum, of_global) {
        (Some(accum), Some(global)) => {
            if accum.value == global.value {
                draft.record(&global, format!("{} sequences a step", global.shown));
            } else {
                draft.contradict(format!(
                    "{} is {}, and {} makes {} micro-batches on {dp} replicas: {} are used.",
                    draft.key(&accum),
                    accum.value,
                    draft.key(&global),
                    global.value,
                    accum.value
                ));
            }
            draft.number(Some(accum), ParamId::GradAccumSteps);
        }
        (None, Some(global)) => {
            // A global batch without a micro-batch: one pass, if allowed.
            draft.number(Some(global), ParamId::GradAccumSteps);
        }
        (Some(accum), None) => {
            draft.number(Some(accum), ParamId::GradAccumSteps);
        }
        (None, None) => {
            draft.number(local, ParamId::GradAccumSteps);
        }
    }
    if no_micro {
        draft.assume(format!("The files say no micro-batch size: {micro}, the framework's default."));
    }
}

/// Sets the batch of `MaxText`, which counts sequences per device; a replica has several devices.
fn by_device(draft: &mut Draft, per_device: &KeyedValue<f64>, accum: Option<KeyedValue<u32>>, dp: u32) {
    let sequences = per_device.value * f64::from(draft.scenario.gpus) / f64::from(dp);
    let whole = sequences.round().max(1.0);
    if (sequences - whole).abs() > 1e-6 {
        draft.contradict(format!(
            "{} is {}, which makes {sequences:.2} sequences a replica: {whole} is used.",
            draft.key(per_device),
            per_device.shown
        ));
    }
    draft.number(Some(per_device.with(whole)), ParamId::MicroBatchSize);
    draft.number(accum, ParamId::GradAccumSteps);
}

/// Sets the tokens of the run, from steps or samples.
fn tokens(draft: &mut Draft) {
    let scenario = &draft.scenario;
    let sequences = f64::from(scenario.micro_batch_size)
        * f64::from(scenario.grad_accum_steps)
        * f64::from(scenario.degrees().dp)
        * f64::from(scenario.objective.task.sequences());
    let length = f64::from(scenario.seq_len);
    let (steps, samples) = (draft.batch.steps.clone(), draft.batch.samples.clone());
    let found = match (steps, samples) {
        (Some(steps), _) if steps.value > 0.0 => steps.with(steps.value * sequences * length),
        (_, Some(samples)) if samples.value > 0.0 => samples.with(samples.value * length),
        _ => return,
    };
    let number = ParamId::TrainingTokens.param().number();
    // Three digits are enough for a plan.
    let found = found.with(rounded(found.value));
    let in_bounds = number.is_some_and(|number| found.value >= number.min && found.value <= number.max);
    if in_bounds {
        draft.number(Some(found), ParamId::TrainingTokens);
    } else {
        draft.record(&found, "A run too short to plan: its tokens stay");
    }
}

/// Rounds a number to three significant digits.
fn rounded(value: f64) -> f64 {
    let mut step = 1.0;
    while value / step >= 1000.0 {
        step *= 10.0;
    }
    (value / step).round() * step
}

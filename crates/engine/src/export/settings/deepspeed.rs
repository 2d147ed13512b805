//! DeepSpeed: the JSON that `deepspeed.initialize` takes. JSON has no comments: notes stand beside it alone.

use super::asked::{Asked, either, number};
use super::notes;
use crate::model::software::{AttentionKernel, Graphs, Loss, NormKernel};
use crate::model::training::{ComputeFormat, Optimizer, Recipe, Recompute, Reshard, Sharding};
use crate::scenario::Strategy;

/// The file and its notes.
pub(super) fn write(mut asked: Asked) -> (String, Vec<&'static str>) {
    note(&mut asked);
    let (setup, mesh) = (asked.setup, asked.setup.mesh);
    let mut file = Object::default();
    file.put("train_batch_size", &asked.global_batch());
    file.put("train_micro_batch_size_per_gpu", &number(setup.batch.micro_batch_size));
    file.put("gradient_accumulation_steps", &number(setup.batch.grad_accum_steps));
    file.put("gradient_clipping", "1.0");
    optimizer(&asked, &mut file);
    precision(&asked, &mut file);
    file.put("zero_optimization", &zero(&asked).nested());
    if mesh.tp > 1 {
        let overlap = either(setup.tensor.asynchronous, ["true", "false"]);
        let tensor = Object::of(&[("autotp_size", &number(mesh.tp)), ("tp_overlap_comm", overlap)]);
        file.put("tensor_parallel", &tensor.nested());
    }
    if mesh.cp > 1 {
        file.put("sequence_parallel_size", &number(mesh.cp));
    }
    let recomputed = !matches!(setup.recompute, Recompute::None | Recompute::AttentionCore);
    if mesh.pp > 1 {
        let every = either(recomputed, ["1", "0"]);
        let pipeline = Object::of(&[("stages", &number(mesh.pp)), ("activation_checkpoint_interval", every)]);
        file.put("pipeline", &pipeline.nested());
    }
    if asked.has_experts() && mesh.ep * mesh.etp > 1 {
        let grouped = either(setup.experts.grouped, ["true", "false"]);
        let experts = Object::of(&[
            ("enabled", "true"),
            ("autoep_size", &number(mesh.ep)),
            ("expert_tensor_parallel_size", &number(mesh.etp)),
            ("use_grouped_mm", grouped),
        ]);
        file.put("expert_parallel", &experts.nested());
    }
    if recomputed {
        let offload = either(setup.offload.activations, ["true", "false"]);
        let split = either(mesh.tp > 1, ["true", "false"]);
        let saved = Object::of(&[("partition_activations", split), ("cpu_checkpointing", offload)]);
        file.put("activation_checkpointing", &saved.nested());
    }
    (file.nested() + "\n", asked.notes)
}

fn note(asked: &mut Asked) {
    let (setup, mesh, kernels) = (asked.setup, asked.setup.mesh, asked.setup.kernels);
    let pipelined = mesh.pp > 1;
    asked.note(pipelined, notes::DS_PIPELINE);
    asked.note(pipelined && stage(asked) != wanted(setup.sharding), notes::DS_PIPELINE_ZERO);
    let other_schedule = setup.pipeline.schedule != crate::model::parallel::Schedule::OneForwardOneBackward;
    asked.note(pipelined && other_schedule, notes::DS_SCHEDULE);
    let ends = setup.pipeline.first_stage_layers + setup.pipeline.last_stage_layers > 0;
    asked.note(pipelined && ends, notes::DS_STAGES);
    asked.note(asked.is(Strategy::Zero1Group), notes::DS_ZERO1_GROUP);
    asked.note(asked.is(Strategy::ShardGradOp) && !pipelined, notes::DS_SHARD_GRAD_OP);
    asked.note(asked.is(Strategy::HybridShard) && !pipelined, notes::DS_HYBRID);
    asked.note(mesh.tp > 1, notes::DS_TP);
    asked.note(mesh.tp > 1 && setup.tensor.sequence_parallel, notes::DS_NO_SP);
    asked.note(mesh.cp > 1, notes::DS_ULYSSES);
    asked.note(asked.has_experts() && mesh.ep * mesh.etp > 1, notes::DS_EP);
    let fp32_shards = matches!(setup.recipe, Recipe::Fsdp2MixedBf16 | Recipe::Fsdp2MixedBf16Reduce16);
    asked.note(fp32_shards, notes::DS_MASTER);
    asked.note(setup.recipe == Recipe::PureBf16 && stage(asked) == "0", notes::DS_PURE);
    asked.note(setup.optimizer == Optimizer::AdamW8bit, notes::DS_8BIT);
    asked.note(setup.optimizer == Optimizer::AdamW16bit && setup.recipe != Recipe::PureBf16, notes::NO_ADAMW_16);
    asked.note(setup.offload.optimizer && stage(asked) == "0", notes::DS_OFFLOAD);
    asked.note(setup.offload.parameters && stage(asked) != "3", notes::DS_OFFLOAD_PARAMETERS);
    let recomputed = !matches!(setup.recompute, Recompute::None | Recompute::AttentionCore);
    asked.note(setup.offload.activations && !recomputed, notes::DS_OFFLOAD_ACTIVATIONS);
    asked.note(recomputed, notes::DS_RECOMPUTE);
    asked.note(matches!(setup.recompute, Recompute::Selective | Recompute::Fraction(_)), notes::DS_RECOMPUTE_MODE);
    asked.note(setup.recompute == Recompute::AttentionCore, notes::ATTENTION_IN_MODEL);
    let several = setup.batch.grad_accum_steps > 1;
    let by_default = matches!(stage(asked), "2" | "3");
    asked.note(several && asked.sync.reduce_each != by_default, notes::DS_SYNC);
    asked.note(setup.compute_format != ComputeFormat::Recipe, notes::DS_FP8);
    asked.note(kernels.compile, notes::DS_COMPILE);
    asked.note(kernels.graphs != Graphs::None, notes::NO_GRAPHS);
    asked.note(kernels.attention != AttentionKernel::Flash, notes::ATTENTION_IN_MODEL);
    asked.note(kernels.loss != Loss::Standard, notes::LOSS_IN_CODE);
    asked.note(kernels.norms == NormKernel::Upcast, notes::NORMS_IN_MODEL);
    asked.note(kernels.dropout, notes::DROPOUT_IN_MODEL);
    asked.note(!asked.scenario.run.deferred_init, notes::DS_INIT);
    experts_notes(asked);
    asked.notes.dedup();
}

fn experts_notes(asked: &mut Asked) {
    if asked.has_experts() {
        super::notes::experts(asked);
        let fused = asked.setup.experts.dispatcher == crate::model::experts::Dispatcher::Fused;
        asked.note(fused, notes::DS_DISPATCHER);
        asked.note(
            !asked.setup.experts.grouped && asked.setup.mesh.ep * asked.setup.mesh.etp <= 1,
            notes::GROUPED_IN_MODEL,
        );
    }
}

/// The ZeRO stage that a sharding is.
fn wanted(sharding: Sharding) -> &'static str {
    match sharding {
        Sharding::Ddp => "0",
        Sharding::Zero1 => "1",
        Sharding::Zero2 => "2",
        Sharding::Fsdp(_) => "3",
    }
}

/// The one that DeepSpeed runs: no more than 1 in a pipeline.
fn stage(asked: &Asked) -> &'static str {
    match wanted(asked.setup.sharding) {
        "2" | "3" if asked.setup.mesh.pp > 1 => "1",
        stage => stage,
    }
}

fn zero(asked: &Asked) -> Object {
    let setup = &asked.setup;
    let stage = stage(asked);
    let overlap = either(asked.sync.overlap, ["true", "false"]);
    let mut zero = Object::of(&[("stage", stage), ("overlap_comm", overlap), ("contiguous_gradients", "true")]);
    if stage == "3" {
        match setup.sharding {
            Sharding::Fsdp(Reshard::To(group)) => zero.put("zero_hpz_partition_size", &number(group)),
            Sharding::Fsdp(Reshard::Never) => {
                // Weights stay where they are as long as fewer than this are gathered, or used again within as many.
                let all = (2.0 * setup.architecture.params() as f64).to_string();
                zero.put("stage3_max_live_parameters", &all);
                zero.put("stage3_max_reuse_distance", &all);
            }
            _ => {}
        }
        if asked.is(Strategy::HybridShard) {
            zero.put("zero_hpz_partition_size", &number(setup.mesh.dp_shard));
        }
        let sharded = either(asked.scenario.run.sharded_checkpoint, ["false", "true"]);
        zero.put("stage3_gather_16bit_weights_on_model_save", sharded);
    }
    let host = Object::of(&[("device", "\"cpu\""), ("pin_memory", "true")]).nested();
    if setup.offload.optimizer && stage != "0" {
        zero.put("offload_optimizer", &host);
    }
    if setup.offload.parameters && stage == "3" {
        zero.put("offload_param", &host);
    }
    zero
}

fn optimizer(asked: &Asked, file: &mut Object) {
    let (name, rate, untested) = match asked.setup.optimizer {
        Optimizer::AdamW | Optimizer::AdamW16bit | Optimizer::AdamW8bit => ("\"AdamW\"", "3e-4", false),
        Optimizer::Sgd | Optimizer::SgdMomentum => ("\"SGD\"", "1e-2", true),
        Optimizer::Adafactor => ("\"Adafactor\"", "1e-2", true),
        Optimizer::Lion => ("\"Lion\"", "1e-4", false),
        Optimizer::Muon => ("\"Muon\"", "2e-2", false),
    };
    let mut params = Object::of(&[("lr", rate)]);
    if asked.setup.optimizer == Optimizer::SgdMomentum {
        params.put("momentum", "0.9");
    }
    file.put("optimizer", &Object::of(&[("type", name), ("params", &params.nested())]).nested());
    if untested {
        file.put("zero_allow_untested_optimizer", "true");
    }
}

/// Formats of weights, gradients and what travels.
fn precision(asked: &Asked, file: &mut Object) {
    if asked.is_fp32() {
        file.put("bf16", &Object::of(&[("enabled", "false")]).nested());
        return;
    }
    let half = either(asked.is_volta(), ["fp16", "bf16"]);
    let mut format = Object::of(&[("enabled", "true")]);
    let pure = asked.setup.recipe == Recipe::PureBf16 && stage(asked) != "0";
    if pure && !asked.is_volta() {
        format.put("bf16_master_weights_and_grads", "true");
        format.put("bf16_optimizer_states", "true");
    }
    file.put(half, &format.nested());
    let in_16 = [["\"", half, "\""].concat(), "\"fp32\"".to_owned()];
    let [half, full] = &in_16;
    let (gathered, reduced) = match asked.setup.recipe {
        Recipe::Fsdp2MixedBf16 | Recipe::MegatronMixed => (full, full),
        Recipe::Fsdp2MixedBf16Reduce16 => (full, half),
        Recipe::ZeroMixed | Recipe::PureBf16 | Recipe::Fp32 => (half, half),
    };
    file.put("data_types", &Object::of(&[("grad_accum_dtype", gathered)]).nested());
    file.put("communication_data_type", reduced);
}

/// A JSON object.
#[derive(Default)]
struct Object(Vec<(&'static str, String)>);

impl Object {
    fn of(pairs: &[(&'static str, &str)]) -> Self {
        Self(pairs.iter().map(|(key, value)| (*key, (*value).to_owned())).collect())
    }

    fn put(&mut self, key: &'static str, value: &str) {
        self.0.push((key, value.to_owned()));
    }

    /// Its text, what is inside indented.
    fn nested(&self) -> String {
        let pairs = self.0.iter().map(|(key, value)| ["  \"", key, "\": ", &value.replace('\n', "\n  ")].concat());
        ["{\n", &pairs.collect::<Vec<_>>().join(",\n"), "\n}"].concat()
    }
}

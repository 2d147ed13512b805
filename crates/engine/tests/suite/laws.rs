//! Laws of the engine over random scenarios.

use crate::any::any_scenario;
use crate::cases::cases;
use engine::model::bounds::{Bounds, simplified};
use engine::model::choices::Choices;
use engine::model::compute::unit_times;
use engine::model::experts::ExpertParallel;
use engine::model::flops::recomputed_per_token;
use engine::model::ladder;
use engine::model::layer::Layers;
use engine::model::lengths::Batching;
use engine::model::memory::activations::layer;
use engine::model::memory::{Gathered, PeakTerms};
use engine::model::parallel::Mesh;
use engine::model::report::{Lane, MemoryPart, Report, Work};
use engine::model::run::{RunChoices, RunReport, failures};
use engine::model::setup::Setup;
use engine::model::software::{AttentionKernel, Offload};
use engine::model::states::expert_padding;
use engine::model::step::evaluate;
use engine::model::step::playback::{Playback, spans};
use engine::model::training::{
    MfuConvention, PrecisionPolicy, Recompute, RecomputeModules, Reshard, Sharding, UpdatePlace,
};
use engine::model::transformer::{Architecture, Experts};
use engine::scenario::issue::Severity;
use engine::scenario::{ExpertChoice, Model, Scenario, Strategy};
use engine::units::{Bytes, BytesPerSecond, Seconds};
use links::decode;
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

/// Cases of each law, unless `PROPTEST_CASES` sets another number.
const CASES: u32 = 2_000;

pub(crate) fn laws() -> ProptestConfig {
    cases(CASES)
}

/// Random scenarios that are computed as they are asked for. The engine replaces degrees that do
/// not fit by neighbours, and what is asked of the replacement is another question than what is
/// asked of the scenario.
pub(crate) fn any_valid_scenario() -> impl proptest::strategy::Strategy<Value = Scenario> {
    any_scenario().prop_filter("an error in the scenario", is_valid)
}

fn is_valid(scenario: &Scenario) -> bool {
    engine::validate::issues(scenario).iter().all(|issue| issue.severity == Severity::Note)
}

proptest! {
    #![proptest_config(laws())]

    /// Needed, cache and free are the capacity; where the run needs more, nothing is cached or
    /// free, and it does not fit.
    #[test]
    fn memory_adds_up(scenario in any_scenario()) {
        let memory = scenario.report().memory;
        let near = |one: Bytes, other: Bytes| (one - other).get().abs() <= 1e-9 * memory.capacity.max(memory.peak).get();
        prop_assert!(memory.cache() >= Bytes::ZERO && memory.free() >= Bytes::ZERO, "{:?}", memory);
        prop_assert!(near(memory.parts.total(), memory.peak));
        prop_assert!(near(memory.parts.total() - memory.cache(), memory.needed));
        if memory.is_within() {
            prop_assert!(near(memory.needed + memory.cache() + memory.free(), memory.capacity), "{:?}", memory);
            prop_assert!(near(memory.headroom(), memory.cache() + memory.free()));
        } else {
            prop_assert!(near(memory.needed + memory.headroom(), memory.capacity));
            prop_assert_eq!((memory.cache(), memory.free(), memory.fits()), (Bytes::ZERO, Bytes::ZERO, false));
        }
    }
}

proptest! {
    #![proptest_config(laws())]

    /// The factors that explain a peak make up its parts.
    #[test]
    fn factors_of_the_peak_are_its_parts(scenario in any_scenario()) {
        let setup = scenario.setup();
        let (report, terms) = (scenario.report(), PeakTerms::new(&setup));
        let part = |part| report.memory.parts.get(part).get();
        let [root, layer, mean] = terms.gathered.units;
        let whole = root + terms.stage.params.held.layers * mean;
        let gathered = match terms.gathered.what {
            Gathered::Nothing => 0.0,
            Gathered::Units(root, units) => root + units * layer,
            // A head in a unit of its own leaves the root out of its summand, not of the whole.
            Gathered::Grouped(..) => part(MemoryPart::GatheredWeights) / setup.measured_memory,
            Gathered::All => whole,
            Gathered::Live(params) => terms.gathered.live_bytes * params,
        };
        let activations = terms.activations.layers_kept * terms.activations.kept * terms.activations.tokens;
        let logits = (terms.logits.per_logit + terms.logits.waiting * terms.logits.per_waiting) * terms.logits.count;
        for (name, factors, part) in [
            ("gathered", gathered, part(MemoryPart::GatheredWeights)),
            ("activations", activations, part(MemoryPart::Activations)),
            ("logits", logits, part(MemoryPart::Logits)),
        ] {
            // Logits of further tokens are one more summand.
            prop_assume!(name != "logits" || setup.mtp == 0);
            let factors = factors * setup.measured_memory;
            prop_assert!((factors - part).abs() <= 1e-9 * part.max(1.0), "{name}: {factors} {part} {terms:?}");
        }
    }
}

/// The scenario with the experts' degrees and chunks as it says them: the engine's own choice, the
/// fastest of the layers that fits, may be another where something else changes.
pub(crate) fn as_asked(scenario: &Scenario) -> Scenario {
    Scenario { expert_choice: ExpertChoice::NONE, ..*scenario }
}

/// The scenario with exchanges of experts that nothing hides: what shows of hidden ones is added to
/// the longer of compute and gathers, and grows as compute shrinks.
fn one_after_the_other(scenario: &Scenario) -> Scenario {
    let asked = as_asked(scenario);
    Scenario {
        choices: Choices {
            experts: ExpertParallel { across_micro_batches: false, chunks: 1, ..asked.experts },
            ..asked.choices
        },
        ..asked
    }
}

fn with_recompute(scenario: &Scenario, recompute: Recompute) -> Report {
    // Activations on the host are no memory of the GPU: recomputation saves none, and the input of
    // the layer that it recomputes comes on top.
    let mut scenario = as_asked(scenario);
    (scenario.recompute, scenario.offload.activations) = (recompute, false);
    scenario.report()
}

/// Returns the run with a model whose layers, except the first, have 16 experts each, on up to four
/// GPUs.
fn with_experts(scenario: &Scenario, experts: ExpertParallel) -> Scenario {
    let shape = Experts {
        num_experts: 16,
        num_experts_per_tok: 2,
        moe_intermediate_size: 1024,
        first_k_dense_replace: 1,
        ..Experts::NONE
    };
    let architecture = Architecture { experts: shape, ..scenario.model.architecture() };
    Scenario {
        model: Model::Custom { architecture },
        ep: 4,
        choices: Choices { experts, ..scenario.choices },
        ..*scenario
    }
}

proptest! {
    #![proptest_config(laws())]

    #[test]
    fn every_number_is_finite_and_positive(scenario in any_scenario()) {
        let report = scenario.report();
        for number in [
            report.update.time.step.get(), (report.update.time.forward + report.update.time.backward).get(), report.update.time.optimizer.get(),
            report.update.time.compute.get(), report.update.tokens_per_s_per_gpu, report.update.mfu, report.update.hfu, report.memory.peak.get(),
        ] {
            prop_assert!(number.is_finite() && number > 0.0, "{number} in {report:?}");
        }
        for (part, bytes) in report.memory.parts.iter() {
            prop_assert!(bytes.get().is_finite() && bytes >= Bytes::ZERO, "{part:?} {bytes:?}");
        }
    }

    #[test]
    fn a_step_with_more_accumulation_is_never_shorter(scenario in any_valid_scenario(), more in 1_u32..4) {
        // Without FSDP, replicas with padded texts are apart by `1/sqrt(m)` of m micro-batches. A
        // pipeline's bubble repeats that mean, which falls faster than a micro-batch is added.
        let is_apart = scenario.texts.batching == Batching::Padded && !scenario.strategy.shards_weights();
        prop_assume!(!is_apart || scenario.pp <= 1);
        // An update in the backward pass exists without accumulation alone.
        let choices = Choices { update_place: UpdatePlace::AfterBackward, ..scenario.choices };
        let of = |grad_accum_steps| {
            Scenario { grad_accum_steps, choices, ..as_asked(&scenario) }.report().update.time.step
        };
        let steps = scenario.grad_accum_steps.max(1);
        for (fewer, more) in [(1, 1 + more), (steps, steps.saturating_add(more))] {
            let (short, long) = (of(fewer), of(more));
            prop_assert!(long >= short * (1.0 - 1e-12), "{fewer} {short:?}, {more} {long:?}");
        }
    }

    #[test]
    fn more_recomputation_never_needs_more_memory(scenario in any_valid_scenario()) {
        let shape = scenario.model.architecture();
        let none = with_recompute(&scenario, Recompute::None).memory.allocated;
        let selective = with_recompute(&scenario, Recompute::Selective).memory.allocated;
        let full = with_recompute(&scenario, Recompute::Full).memory.allocated;
        // The mean layer of a list keeps the lesser of two sums, which is not the mean of its
        // kinds' lesser sums: within a percent.
        let slack = if shape.pattern.is_used() { 1e-2 } else { 1e-12 };
        // Of a list, the layer at the peak is chosen without the gradients of its experts: traced
        // steps of Jamba and NemotronH hold so much (errors of 1.5 and 0.7 %; with them 12.8 and
        // 4.0 %). Which layer it is then depends on what is recomputed.
        if !(shape.pattern.is_used() && shape.has_experts()) {
            prop_assert!(full <= selective * (1.0 + slack), "{full:?} {selective:?}");
            prop_assert!(selective <= none * (1.0 + slack), "{selective:?} {none:?}");
        }
    }

    #[test]
    fn a_module_more_keeps_no_more_and_computes_no_less(scenario in any_valid_scenario(), more in 0_usize..7) {
        let mut by_module = scenario.setup();
        by_module.recompute = Recompute::Modules;
        let mut with = by_module;
        let RecomputeModules { core_attn, mlp, moe, moe_act, layernorm, mla_up_proj, shared_experts } =
            &mut with.recompute_modules;
        let all = [core_attn, mlp, moe, moe_act, layernorm, mla_up_proj, shared_experts];
        if let Some(module) = all.into_iter().nth(more) {
            *module = true;
        }
        for moe_share in [0.0, with.architecture.moe_share()] {
            let [with, without] = [with, by_module].map(|setup| layer(&setup, 2.0, &Layers::mixture(moe_share)).kept);
            prop_assert!(with <= without * (1.0 + 1e-12), "{with} {without}");
        }
        let [with, without] = [with, by_module].map(|setup| {
            (recomputed_per_token(&setup, 2048.0), unit_times(&setup, &setup.architecture.layers()).layer_backward)
        });
        prop_assert!(with.0 >= without.0 * (1.0 - 1e-12) && with.1 >= without.1 * (1.0 - 1e-12), "{with:?} {without:?}");
    }

    #[test]
    fn memory_falls_with_the_shard_degree(scenario in any_valid_scenario(), degree in 1_u32..12) {
        // One GPU shards nothing, so that it has no copies of what is gathered.
        let over = |dp_shard| Setup {
            mesh: Mesh::data_parallel(1, dp_shard),
            sharding: Sharding::Fsdp(Reshard::Always),
            ..scenario.setup()
        };
        // More GPUs than a layer has experts are padded.
        prop_assume!(expert_padding(&over(2 << degree)) <= 1.0);
        let sharded = |dp_shard| evaluate(&over(dp_shard)).memory.allocated;
        prop_assert!(sharded(2 << degree) <= sharded(1 << degree));
    }

    #[test]
    fn a_faster_network_never_slows_the_step(scenario in any_scenario(), factor in 1.0..8.0) {
        let scenario = one_after_the_other(&scenario);
        let mut faster = scenario;
        faster.network.values.inter_node = factor * scenario.network.values.inter_node;
        faster.network.values.intra_node = factor * scenario.network.values.intra_node;
        prop_assert!(faster.report().update.time.step <= scenario.report().update.time.step * (1.0 + 1e-12));
    }

    #[test]
    fn a_faster_gpu_never_slows_the_step(scenario in any_valid_scenario(), factor in 1.0..8.0) {
        let scenario = one_after_the_other(&scenario);
        let mut faster = scenario;
        faster.accelerator.values.peak_16bit = factor * scenario.accelerator.values.peak_16bit;
        faster.accelerator.values.peak_32bit = factor * scenario.accelerator.values.peak_32bit;
        prop_assert!(faster.report().update.time.step <= scenario.report().update.time.step * (1.0 + 1e-12));
    }

    #[test]
    fn utilisation_stays_below_one(scenario in any_scenario()) {
        // The full-attention convention counts score pairs that a causal mask never computes, so
        // the law is stated for the convention that counts what runs.
        let mut counted = Scenario { choices: Choices { mfu_convention: MfuConvention::CausalAttention, ..scenario.choices },
..scenario };
        // Attention in 8 bits may exceed the peak in 16 bits, which the utilisation refers to.
        if counted.kernels.attention == AttentionKernel::Flash8bit {
            counted.kernels.attention = AttentionKernel::FlashTuned;
        }
        // Attention runs in 16 bits whatever the format: no GPU is slower in fewer bits.
        let gpu = &mut counted.accelerator.values;
        gpu.peak_8bit = gpu.peak_8bit.max(gpu.peak_16bit);
        gpu.peak_4bit = gpu.peak_4bit.max(gpu.peak_8bit);
        let report = counted.report();
        prop_assert!(report.update.mfu <= report.update.hfu && report.update.hfu <= 1.0, "{} {}", report.update.mfu, report.update.hfu);
    }

    #[test]
    fn one_gpu_communicates_nothing(scenario in any_scenario()) {
        // What is offloaded crosses the link to the host, on one GPU too; so does a teacher in its
        // turn.
        let report = Scenario { gpus: 1,
choices: Choices { offload: Offload::NONE, ..scenario.choices },
..scenario }.report();
        let time = &report.update.time;
        prop_assert!((time.comm - time.host_link).get().abs() <= 1e-12 * time.step.get(), "{time:?}");
        prop_assert!(time.exposed_comm <= time.host_link + time.step * 1e-12, "{time:?}");
    }

    #[test]
    fn the_timeline_adds_up_to_the_step(
        scenario in any_scenario(), steps in 1_u32..5, moe: bool, chunks in 1_u32..5, across_micro_batches: bool,
    ) {
        let scenario = Scenario { grad_accum_steps: steps, ..scenario };
        let experts = ExpertParallel { chunks, across_micro_batches, ..ExpertParallel::USUAL };
        let setup = if moe { with_experts(&scenario, experts) } else { scenario }.setup();
        let report = evaluate(&setup);
        let (mut end, mut compute, mut comm) = (Seconds::ZERO, Seconds::ZERO, Seconds::ZERO);
        spans(&setup, &mut |span| {
            end = end.max(span.end);
            if span.work != Work::Bubble {
                *if span.lane == Lane::Compute { &mut compute } else { &mut comm } += span.end - span.start;
            }
        });
        let close = |a: Seconds, b: Seconds| (a - b).get().abs() <= 1e-9 * report.update.time.step.get();
        prop_assert!(close(end, report.update.time.step), "ends at {end:?}, step {:?}", report.update.time);
        prop_assert!(close(compute, report.update.time.compute), "{compute:?} {:?}", report.update.time);
        prop_assert!(close(comm, report.update.time.comm), "{comm:?} {:?}", report.update.time);
        prop_assert!(close(end - compute - report.update.time.bubble, report.update.time.exposed_comm), "{:?}", report.update.time);
        let playback = Playback::new(&setup);
        prop_assert!(close(playback.end(), report.update.time.step), "{:?} {:?}", playback.end(), report.update.time);
        for micro_batch in 0..playback.micro_batches() {
            let (start, end) = (playback.start(micro_batch), playback.start(micro_batch + 1));
            prop_assert_eq!(playback.at(start + 0.5 * (end - start)), micro_batch);
            let like = playback.like(micro_batch);
            let shift = start - playback.start(like);
            let (mut own, mut other) = (Vec::new(), Vec::new());
            playback.micro_batch(micro_batch, &mut |span| own.push(span));
            playback.micro_batch(like, &mut |span| other.push(span));
            prop_assert_eq!(own.len(), other.len());
            for (one, other) in own.iter().zip(&other) {
                prop_assert!(one.work == other.work && close(one.start, other.start + shift), "{one:?} {other:?}");
                let is_beside = one.start >= end || one.end <= start;
                let apart = matches!(one.work, Work::Bubble | Work::OptimizerStep) || is_beside;
                prop_assert!(apart || one.start >= start - Seconds::from_us(1e-3), "{one:?}");
                prop_assert!(apart || close(one.end.max(end), end), "{one:?}");
            }
        }
    }
}

/// A layer takes as long as the slowest of its kernels, its launches and its transfer to the host,
/// of which none shortens another.
#[test]
fn offloaded_activations_take_as_long_as_their_transfer() {
    let mut setup = decode("model=qwen-3-0.6b&gpus=1&mbs=4&seq=2048&offloadact=yes").scenario.setup();
    setup.accelerator.host_link = BytesPerSecond::new(1e9);
    setup.accelerator.efficiency.launch_per_layer = Seconds::from_us(4000.0);
    let kept = layer(&setup, 2.0, &Layers::DENSE).kept * 8192.0;
    let transfer = 28.0 * kept / 1e9;
    let time = evaluate(&setup).update.time;
    // Far longer than the launches of 28 layers, some 20 ms each, which are longer than the kernels
    // and hide under it.
    assert!(transfer > 4.0 * 28.0 * 0.02, "{transfer}");
    assert_eq!(time.launch_bound, Seconds::ZERO);
    for pass in [time.forward, time.backward] {
        assert!(pass.get() >= transfer && pass.get() < 1.2 * transfer, "{pass:?} {transfer}");
    }
}

/// One step under the simplifications of the bounds, held against every one of them; whether it
/// fits.
fn is_under_every_bound(setup: &Setup) -> bool {
    let report = evaluate(setup);
    if !report.fits() {
        return false;
    }
    let bounds = Bounds { latency: setup.network.inter_node_latency, ..Bounds::from_setup(setup) };
    let slack = 1.0 + 1e-9;
    let tokens = f64::from(setup.batch.micro_batch_size) * f64::from(setup.batch.seq_len);
    assert!(tokens <= bounds.tokens_max(), "E_max: {setup:?}");
    // The paper's activations hold dropout masks of 2 H bytes, which the step model has none of.
    let masks = Bytes::new(2.0 * bounds.kept * bounds.layers * bounds.hidden);
    assert!(tokens <= slack * (bounds.free_memory() / (bounds.activation_bytes() - masks)), "E: {setup:?}");
    assert!(report.update.tokens_per_s_per_gpu <= slack * bounds.throughput_max(), "K_max: {setup:?}");
    assert!(report.update.mfu <= slack * bounds.mfu_max(), "MFU_max: {setup:?}");
    assert!(report.update.mfu <= slack * 3.0 / (4.0 - bounds.kept), "MFU: {setup:?}");
    if let Sharding::Fsdp(reshard) = setup.sharding {
        let forward = bounds.forward_flops().get() * tokens * f64::from(setup.batch.grad_accum_steps);
        let hfu = forward / (report.update.time.forward.get() * bounds.peak.get());
        assert!(hfu <= slack * bounds.hfu_forward_max(), "HFU_fwd_max: {setup:?}");
        // Gathers of all layers but the last and reductions of all; only the latter where nothing
        // is gathered again.
        let again = if reshard == Reshard::Always { 1.0 - 1.0 / bounds.layers } else { 0.0 };
        let reached = Bounds { backward_transfers: 1.0 + again, ..bounds }.reached(tokens);
        assert!(report.update.tokens_per_s_per_gpu <= slack * reached.tokens_per_s_per_gpu, "K: {setup:?}");
        assert!(
            report.update.mfu <= slack * reached.mfu && report.update.hfu <= slack * reached.hfu,
            "MFU, HFU: {setup:?}"
        );
    }
    true
}

/// Over a grid of strategies, models, sequences, clusters, batches and shares of activations kept:
/// wherever the simplified step fits, it stays under every bound.
#[test]
fn no_step_exceeds_the_fsdp_bounds() {
    let start = catalog::default_scenario();
    let strategies = [
        Strategy::FullShard,
        Strategy::ShardGradOp,
        Strategy::ReshardTo,
        Strategy::Zero2,
        Strategy::Zero1,
        Strategy::Ddp,
    ];
    let mut fitting = [0; 6];
    for (strategy, fits) in strategies.into_iter().zip(&mut fitting) {
        for (size, _, _) in ladder::ANCHORS {
            for seq_len in [512, 4096, 32_768, 262_144] {
                for gpus in [4, 64, 1024] {
                    for (gbit, latency) in [(2.0, 0.0), (25.0, 20.0), (200.0, 0.0), (1600.0, 20.0)] {
                        for keep_fraction in [0.0, 0.4, 1.0] {
                            for (micro_batch_size, grad_accum_steps) in [(1, 1), (4, 1), (1, 64), (64, 1), (256, 1)] {
                                let scenario = Scenario {
                                    model: Model::Ladder { size },
                                    choices: Choices { recompute: Recompute::Fraction, keep_fraction, ..start.choices },
                                    ..Scenario { seq_len, gpus, strategy, ..start }
                                };
                                let scenario = Scenario { micro_batch_size, grad_accum_steps, ..scenario };
                                let mut setup = simplified(&scenario.setup());
                                setup.network.inter_node = BytesPerSecond::from_gbit_per_s(gbit);
                                setup.network.inter_node_latency = Seconds::from_us(latency);
                                *fits += u32::from(is_under_every_bound(&setup));
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(fitting.iter().all(|&fits| fits > 40), "{fitting:?} of the grid fit");
}

/// Groups of six on nodes of eight: every second one lies across two nodes, and the network between
/// them sets the pace.
#[test]
fn shard_groups_that_do_not_divide_a_node_cross_nodes() {
    let start = catalog::default_scenario();
    let mut scenario = Scenario { strategy: Strategy::HybridShard, gpus: 48, ..start };
    scenario.network.values.gpus_per_node = 8;
    let crossing = |shard_size| {
        let time = Scenario { shard_size, ..scenario }.report().update.time;
        time.inter_node_comm / time.comm
    };
    assert_eq!(crossing(6), 1.0);
    // Groups of eight stay inside; only the reductions across replicas leave the node.
    assert!((0.1..0.9).contains(&crossing(8)), "{}", crossing(8));
    assert_eq!(Scenario { gpus: 6, shard_size: 6, ..scenario }.report().update.time.inter_node_comm, Seconds::ZERO);
}

/// The root unit of Llama 3 8B is two vocabularies of 128,256 and a norm: 2.1 GB in bf16 and twice
/// that as it is reduced in fp32, all of it alive at the end of the backward pass, whatever the
/// sequence.
#[test]
fn the_peak_holds_the_reduction_of_the_root_unit() {
    let root = 2.0 * 128_256.0 * 4096.0 + 4096.0;
    let scenario =
        decode("v=1&cluster=dgx-h100&model=llama-3-8b&gpus=64&seq=512&recompute=full&rootunit=kept").scenario;
    // Its own gradients at rest come when those are reduced.
    let states = (16.0 * 8_030_261_248.0 - 4.0 * root) / 64.0;
    let allocated = scenario.report().memory.allocated.get();
    assert!((allocated / (states + 6.0 * root) - 1.0).abs() < 1e-9, "{allocated}");
}

/// ZeRO-1 leaves every rank the whole weights, so each gathers them as they rest: 4 bytes a
/// parameter under FSDP2's recipe and 2 under DeepSpeed's, beside a reduction in 4 or 2.
#[test]
fn zero_1_gathers_weights_as_they_rest() {
    let start = Scenario { strategy: Strategy::Zero1, ..catalog::default_scenario() };
    let comm = |recipe| Scenario { choices: Choices { recipe, ..start.choices }, ..start }.report().update.time.comm;
    // 4 + 4, 4 + 2 and 2 + 2 bytes a parameter, and the latencies of as many messages.
    let (fsdp2, reduce16) = (comm(PrecisionPolicy::Fsdp2MixedBf16), comm(PrecisionPolicy::Fsdp2MixedBf16Reduce16));
    let zero = comm(PrecisionPolicy::ZeroMixed);
    let (two_more, four_more) = ((reduce16 - zero).get(), (fsdp2 - zero).get());
    assert!(two_more > 0.0 && (four_more / two_more - 2.0).abs() < 1e-9, "{two_more} {four_more}");
}

/// Scenarios under runs of every kind, absurd ones among them.
fn any_run() -> impl proptest::strategy::Strategy<Value = Scenario> {
    let amount = || prop_oneof![8 => 1e-3..1e6_f64, 1 => Just(0.0), 1 => Just(f64::INFINITY)];
    let time = move || amount().prop_map(Seconds::new);
    let numbers = (amount(), amount(), amount(), amount(), amount(), amount());
    (any_scenario(), numbers, time(), time(), time(), any::<bool>(), any::<bool>()).prop_map(
        |(mut scenario, (tokens, price, pue, grid, storage, critical), mtbf, restart, interval, sharded, deferred)| {
            scenario.run = RunChoices {
                tokens: tokens * 1e6,
                price_per_gpu_hour: price,
                pue,
                grid_intensity: grid,
                storage: BytesPerSecond::from_gb_per_s(storage),
                mtbf: mtbf * 1e6,
                restart,
                checkpoint_interval: interval,
                sharded_checkpoint: sharded,
                deferred_init: deferred,
                critical_batch_tokens: critical * 1e3,
            };
            scenario
        },
    )
}

fn with_run(scenario: &Scenario, change: impl FnOnce(&mut RunChoices)) -> RunReport {
    let mut changed = *scenario;
    change(&mut changed.run);
    changed.run_report()
}

proptest! {
    #![proptest_config(laws())]

    #[test]
    fn a_run_is_never_no_number(scenario in any_run()) {
        let run = scenario.run_report();
        for number in [
            run.steps, run.batch_tokens, run.batch_efficiency, run.ideal_time.get(), run.time.get(), run.gpu_time.get(),
            run.cost.get(), run.energy.get(), run.emissions.get(), run.checkpoint_size.get(), run.write_time.get(),
            run.best_interval.get(), run.interval.get(), run.run_mtbf.get(), run.interruptions, run.goodput,
            run.host.init.get(), run.host.checkpoint.get(), run.host.offload.get(), run.host.needed().get(),
        ] {
            prop_assert!(number >= 0.0, "{number} in {run:?}");
        }
        prop_assert!(run.goodput <= 1.0 && run.batch_efficiency <= 1.0);
        prop_assert!(run.time >= run.ideal_time);
        let batch = scenario.report().tokens_per_step;
        prop_assert!((run.batch_tokens / batch - 1.0).abs() < 1e-12, "{} {batch}", run.batch_tokens);
        prop_assert_eq!(run.finishes(), run.goodput > 0.0);
    }

    #[test]
    fn the_bill_rises_with_tokens_price_and_power(scenario in any_scenario(), factor in 1.0..8.0) {
        let run = scenario.run_report();
        prop_assert!(with_run(&scenario, |run| run.tokens *= factor).time >= run.time);
        prop_assert!(with_run(&scenario, |run| run.price_per_gpu_hour *= factor).cost >= run.cost);
        prop_assert!(with_run(&scenario, |run| run.pue *= factor).energy >= run.energy);
        prop_assert!(with_run(&scenario, |run| run.grid_intensity *= factor).emissions >= run.emissions);
        prop_assert!(with_run(&scenario, |run| run.mtbf *= factor).goodput >= run.goodput);
        prop_assert!(with_run(&scenario, |run| run.storage *= factor).write_time <= run.write_time);
    }

    #[test]
    fn no_interval_beats_the_best(write in 1e-3..1e5, mtbf in 1.0..1e9, restart in 0.0..1e4, factor in 0.01..100.0) {
        let [write, mtbf, restart] = [write, mtbf, restart].map(Seconds::new);
        let best = failures::best_interval(write, mtbf);
        let lost = |interval| failures::overhead(write, interval, mtbf, restart);
        prop_assert!(lost(best) <= lost(best * factor) * (1.0 + 1e-12));
    }

    #[test]
    fn sharded_and_deferred_never_cost_more(scenario in any_run()) {
        let of = |sharded, deferred| {
            with_run(&scenario, |run| (run.sharded_checkpoint, run.deferred_init) = (sharded, deferred))
        };
        let (best, worst) = (of(true, true), of(false, false));
        prop_assert!(best.write_time <= worst.write_time && best.host.checkpoint <= worst.host.checkpoint);
        prop_assert!(best.host.init <= worst.host.init && best.goodput >= worst.goodput);
    }
}

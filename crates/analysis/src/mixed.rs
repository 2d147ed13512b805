//! One run on two kinds of GPUs: the step by the slower kind, the best split of sequences or layers
//! over the kinds, and what each of their GPUs holds (docs/book/model/overlap.md).
//!
//! Each kind is evaluated as if the whole run stood on it, with the kind's own share of the work
//! and the slower of the two networks: a collective of all GPUs waits for the slower kind, so its
//! time is that of the step. Weights, gradients and optimizer state are sharded over all GPUs
//! alike, as no framework shards by the size of a GPU's memory.

use super::change::errors;
use catalog::accelerator;
use engine::model::choices::Choices;
use engine::model::hardware::Network;
use engine::model::memory;
use engine::model::odds::{CEILING, Verdict};
use engine::model::pace;
use engine::model::report::MemoryReport;
use engine::model::setup::Setup;
use engine::model::stages::{Stage, stages};
use engine::model::sync::GradientSyncPlan;
use engine::model::training::HalfFormat;
use engine::scenario::issue::Severity;
use engine::scenario::{Picked, Scenario, Strategy};
use engine::units::Seconds;

/// Most splits that are tried on one way of splitting; of more, every n-th is.
const MOST_SPLITS: u32 = 4096;

/// DeepSpeed: `_batch_assertion` of deepspeed/runtime/config.py at 029f12b3; torchtitan: "global
/// batch size must be multiple of local batch size times data-parallel degree"; Megatron-LM:
/// `num_microbatches_calculator`.
const UNEQUAL: &str = "DeepSpeed, torchtitan and Megatron-LM give every GPU equally many sequences: another split takes a \
                       training loop of your own, in which the loss of each rank is weighted by its sequences.";
const MEETS: &str = "All GPUs gather weights or reduce gradients in each micro-batch: both kinds take equally many \
                     micro-batches, of different size.";
const STAGES: &str = "The first kind is the first stage: its layers are firstlayers of a link.";
const SHARDED: &str = "Every GPU holds an equal share of what is sharded: no framework shards by the size of the memory, \
                       so the smaller GPU decides whether the run fits.";

/// A run on two kinds of GPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixed {
    /// The whole run as if all its GPUs were of one kind: `gpus` are those of both.
    kinds: [Scenario; 2],
    /// The run on the GPUs of each kind alone.
    alone: [Scenario; 2],
    /// GPUs of each kind.
    gpus: [u32; 2],
    /// Replicas of the model on each kind; both stages of a pipeline have as many.
    replicas: [u32; 2],
}

/// How the work is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divided {
    /// Each kind has replicas of the model, with sequences of their own.
    Sequences,
    /// Each kind is a stage of the pipeline, with layers of its own.
    Layers,
}

/// The share of one kind of GPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Sequences of a micro-batch on one replica.
    pub micro_batch: u32,
    /// Micro-batches of a step.
    pub micro_batches: u32,
    /// Layers of one replica on this kind.
    pub layers: u32,
    /// Time that the step takes at the pace of this kind: the other one's GPUs wait where theirs is
    /// less. In a pipeline both kinds have that of the step.
    pub time: Seconds,
    /// Memory of one GPU.
    pub memory: MemoryReport,
}

impl Share {
    /// Returns the odds that the run fits on this kind, 0 to 1.
    pub fn odds(&self) -> f64 {
        self.memory.odds()
    }
}

/// A split of the work over both kinds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// The share of each kind.
    pub shares: [Share; 2],
    /// Time of the step.
    pub step: Seconds,
}

impl Split {
    /// Whether at least half of such runs fit, on both kinds.
    pub fn fits(&self) -> bool {
        self.shares.iter().all(|share| share.memory.fits())
    }

    /// Returns the verdict of the kind on which the run fits less surely.
    pub fn verdict(&self) -> Verdict {
        let odds = self.shares.iter().map(Share::odds).fold(CEILING, f64::min);
        if self.fits() { Verdict::from_odds(odds) } else { Verdict::DoesNotFit }
    }
}

impl Mixed {
    /// Replaces a part of a run's GPUs by another kind: of `others` only the accelerator, the
    /// network and the number of GPUs are read. In a pipeline the other kind is the last stage.
    ///
    /// # Errors
    ///
    /// Returns a sentence for runs that are not modelled.
    pub fn new(run: &Scenario, others: &Scenario) -> Result<Self, String> {
        let total = run.gpus;
        let own = total.saturating_sub(others.gpus);
        if own == 0 || others.gpus == 0 {
            return Err(format!(
                "Of the {total} GPUs of the run, 1 to {} are of another kind, not {}.",
                total.saturating_sub(1),
                others.gpus
            ));
        }
        let in_one_node = run.network == others.network && total <= run.network.values.gpus_per_node;
        let others = &Scenario { accelerator: others.accelerator, network: others.network, gpus: others.gpus, ..*run };
        let run = &Scenario { gpus: own, ..*run };
        let gpus = [run.gpus, others.gpus];
        // A run has one format: bf16 where both kinds have units for it.
        let half = if run.computes_in_bf16() == others.computes_in_bf16() { run.half } else { HalfFormat::Fp16 };
        let networks = [[run, others], [others, run]]
            .map(|[own, other]| joined(&own.network.values, own.gpus, &other.network.values, in_one_node, total));
        let whole = |kind: &Scenario, network| Scenario {
            network: Picked { id: kind.network.id, values: network },
            gpus: total,
            choices: Choices { half, ..kind.choices },
            ..*kind
        };
        let [first, last] = networks;
        let mixed =
            Self { kinds: [whole(run, first), whole(others, last)], alone: [*run, *others], gpus, replicas: [1, 1] };
        if let Some(said) = mixed.refusal(&[run, others]) {
            return Err(said);
        }
        let setup = mixed.kinds[0].setup();
        let of_replica = setup.mesh.tp * setup.mesh.cp;
        Ok(Self { replicas: gpus.map(|gpus| gpus / of_replica.max(1)), ..mixed })
    }

    /// Returns the GPUs of each kind.
    pub fn gpus(&self) -> [u32; 2] {
        self.gpus
    }

    /// Returns the names of the kinds.
    pub fn names(&self) -> [&'static str; 2] {
        self.kinds.each_ref().map(name)
    }

    /// Returns what is divided.
    pub fn divided(&self) -> Divided {
        if self.kinds[0].setup().mesh.pp > 1 { Divided::Layers } else { Divided::Sequences }
    }

    /// Returns the sequences of a step, of all replicas.
    pub fn sequences(&self) -> u32 {
        let [run, _] = &self.kinds;
        let replicas = match self.divided() {
            Divided::Sequences => self.replicas[0].saturating_add(self.replicas[1]),
            Divided::Layers => self.replicas[0],
        };
        replicas.saturating_mul(run.micro_batch_size).saturating_mul(run.grad_accum_steps)
    }

    /// Returns the tokens of a step, without padding.
    pub fn tokens(&self) -> f64 {
        self.kinds[0].report().tokens_per_step
    }

    /// Returns tokens per second of each kind alone, with the micro-batches of the equal split, if
    /// the run fits on it.
    pub fn alone(&self) -> [Option<f64>; 2] {
        self.alone.each_ref().map(|kind| {
            let report = kind.report();
            let is_possible = errors(kind) == 0 && report.fits();
            is_possible.then(|| report.whole().tokens_per_s_per_gpu * f64::from(kind.gpus))
        })
    }

    /// Returns sentences on a split: what it needs of the program, and whether the slower kind is
    /// worth its place.
    pub fn notes(&self, best: Option<&Split>) -> Vec<String> {
        let mut notes = Vec::new();
        let [run, _] = &self.kinds;
        let equal = self.equal();
        match self.divided() {
            Divided::Sequences if best.is_some_and(|best| best != &equal) => {
                notes.push(UNEQUAL.to_owned());
                if self.meets_in_each_micro_batch() {
                    notes.push(MEETS.to_owned());
                }
            }
            Divided::Layers => notes.push(STAGES.to_owned()),
            Divided::Sequences => {}
        }
        if self.divided() == Divided::Sequences && run.strategy != Strategy::Ddp {
            notes.push(SHARDED.to_owned());
        }
        if run.half != self.alone[0].half {
            notes.push("Both kinds compute in fp16, as one of them has no units for bf16.".to_owned());
        }
        let speed = self.tokens() / best.unwrap_or(&equal).step.get();
        for ((alone, name), gpus) in self.alone().into_iter().zip(self.names()).zip(self.gpus) {
            if alone.is_some_and(|alone| alone >= speed) {
                notes.push(format!("The {gpus} {name} alone process more tokens per second than both kinds together."));
            }
        }
        notes
    }

    /// Whether every GPU takes part in a collective in each micro-batch, so that all have equally
    /// many.
    pub fn meets_in_each_micro_batch(&self) -> bool {
        // A single micro-batch reduces in any case.
        let several = Scenario { grad_accum_steps: 2, ..self.kinds[0] };
        let plan = GradientSyncPlan::new(&several.setup());
        plan.gather_each || plan.reduce_each
    }

    /// Returns the split of frameworks: equally many sequences on every GPU, or the scenario's
    /// layers by stage.
    pub fn equal(&self) -> Split {
        match self.divided() {
            Divided::Sequences => self.by_sequences(self.kinds.each_ref().map(batch)),
            Divided::Layers => Self::by_layers(&self.kinds),
        }
    }

    /// Returns the fastest split that fits on both kinds. The sequences of a step stay; so do
    /// either the micro-batch or the number of micro-batches. `None` if no split fits.
    pub fn best(&self) -> Option<Split> {
        let equal = self.equal();
        let found: Vec<Split> = match self.divided() {
            Divided::Sequences => self.splits_of_sequences().map(|batches| self.by_sequences(batches)).collect(),
            Divided::Layers => {
                let layers = self.kinds[0].model.architecture().num_hidden_layers;
                (1..layers).map(|first| Self::by_layers(&self.kinds.map(|kind| with_first(kind, first)))).collect()
            }
        };
        // Of equally fast splits the first counts, and that is the equal one.
        let fitting = core::iter::once(equal).chain(found).filter(Split::fits);
        fitting.reduce(|best, next| if next.step < best.step { next } else { best })
    }

    /// Returns the pairs of micro-batch and number of micro-batches of each kind with the sequences
    /// of the equal split.
    fn splits_of_sequences(&self) -> impl Iterator<Item = [[u32; 2]; 2]> {
        let [size, steps] = batch(&self.kinds[0]);
        let [first, last] = self.replicas;
        // The kinds share `units`, of which each replica has a whole number of at least one.
        let pairs = move |each: u32| {
            let units = (first.saturating_add(last)).saturating_mul(each);
            let most = units.saturating_sub(last) / first.max(1);
            let stride = most.div_ceil(MOST_SPLITS).max(1);
            (1..=most).step_by(stride as usize).filter_map(move |own| {
                let rest = units.checked_sub(first.checked_mul(own)?)?;
                (rest > 0 && rest.is_multiple_of(last)).then_some([own, rest / last])
            })
        };
        let by_size = pairs(size).map(move |sizes| sizes.map(|size| [size, steps]));
        let by_steps = pairs(steps).map(move |counts| counts.map(|steps| [size, steps]));
        let may_count = !self.meets_in_each_micro_batch();
        by_size.chain(by_steps.filter(move |_| may_count))
    }

    /// Evaluates batches of the replicas of each kind.
    fn by_sequences(&self, batches: [[u32; 2]; 2]) -> Split {
        let share = |kind: &Scenario, [micro_batch_size, grad_accum_steps]: [u32; 2]| {
            let report = Scenario { micro_batch_size, grad_accum_steps, ..*kind }.report();
            Share {
                micro_batch: micro_batch_size,
                micro_batches: grad_accum_steps,
                layers: kind.model.architecture().num_hidden_layers,
                time: report.update.time.step,
                memory: report.memory,
            }
        };
        let ([first, last], [of_first, of_last]) = (&self.kinds, batches);
        let shares = [share(first, of_first), share(last, of_last)];
        Split { step: shares[0].time.max(shares[1].time), shares }
    }

    /// Evaluates stages on both kinds.
    fn by_layers(kinds: &[Scenario; 2]) -> Split {
        let setups = kinds.each_ref().map(Scenario::setup);
        let step = pace::of_two_kinds(setups.each_ref());
        let share = |setup: &Setup, stage: &Stage| Share {
            micro_batch: setup.batch.micro_batch_size,
            micro_batches: setup.batch.grad_accum_steps,
            layers: stage.layers,
            time: step,
            memory: memory::stage_memory(setup, stage).scaled(setup.measured_memory),
        };
        let [on_first, on_last] = &setups;
        let last = stages(on_last);
        let shares =
            [share(on_first, &stages(on_first).first), share(on_last, last.last.as_ref().unwrap_or(&last.first))];
        Split { shares, step }
    }

    /// Returns why a run is not modelled.
    fn refusal(&self, own: &[&Scenario; 2]) -> Option<String> {
        let [run, others] = own;
        if run.accelerator.values.generation.has_cuda() != others.accelerator.values.generation.has_cuda() {
            return Some(format!(
                "{} and {} in one run are not modelled: no library of collectives runs on both.",
                name(run),
                name(others)
            ));
        }
        if run.objective.task.generates() {
            return Some("A run that generates its training data is not modelled on two kinds of GPUs.".to_owned());
        }
        // The degrees as chosen: those of one kind alone may be other ones.
        let degrees = self.kinds[0].degrees();
        let is_even = |group: u32| self.gpus.iter().all(|gpus| gpus.is_multiple_of(group.max(1)));
        let counts = || format!("{} {} and {} {}", run.gpus, name(run), others.gpus, name(others));
        for (chosen, what) in [
            (run.tp.saturating_mul(run.cp), "Tensor and context parallelism over two kinds of GPUs are"),
            (
                if degrees.ep > 1 { run.ep.saturating_mul(run.etp.max(1)) } else { 1 },
                "Experts split over two kinds of GPUs are",
            ),
        ] {
            if !is_even(chosen) {
                return Some(format!("{what} not modelled: {chosen} must divide the GPUs of each kind, {}.", counts()));
            }
        }
        if run.pp > 2 {
            return Some(format!(
                "A pipeline over two kinds of GPUs is modelled with two stages, one for each kind, not with {}: choose pp=2, or pp=1.",
                run.pp
            ));
        }
        if run.pp == 2 {
            if run.gpus != others.gpus {
                return Some(format!(
                    "Both stages of a pipeline have as many replicas: its two kinds need equally many GPUs, not {}.",
                    counts()
                ));
            }
            let schedule = run.pipeline.schedule;
            if schedule.is_v_shaped() || schedule.is_dual() {
                return Some(
                    "A pipeline over two kinds of GPUs is not modelled in a V: each kind would hold both ends."
                        .to_owned(),
                );
            }
        } else if run.strategy.uses_shard_size() {
            let group = run.shard_size.saturating_mul(run.tp).saturating_mul(run.cp);
            if !is_even(group) {
                return Some(format!(
                    "Shard groups over two kinds of GPUs are not modelled: {group} must divide the GPUs of each kind, {}.",
                    counts()
                ));
            }
        }
        let wrong = self.kinds.iter().flat_map(engine::validate::issues);
        wrong.into_iter().find(|issue| issue.severity == Severity::Error).map(|issue| issue.message)
    }
}

/// Returns the network of `gpus` GPUs of a kind in a run with others: between nodes the slower of
/// both networks, and nodes no larger than the kind's part of the run.
fn joined(own: &Network, gpus: u32, other: &Network, in_one_node: bool, total: u32) -> Network {
    if in_one_node {
        return *own;
    }
    let slower = if other.inter_node < own.inter_node { other } else { own };
    Network {
        // The last node of a kind may be part of one; a node never holds GPUs of both.
        gpus_per_node: own.gpus_per_node.min(gpus).min(total.saturating_sub(1)).max(1),
        inter_node: slower.inter_node,
        inter_node_latency: slower.inter_node_latency,
        inter_node_efficiency: slower.inter_node_efficiency,
        node_decay: slower.node_decay,
        fabric: slower.fabric,
        ..*own
    }
}

/// Returns micro-batch and number of micro-batches.
fn batch(scenario: &Scenario) -> [u32; 2] {
    [scenario.micro_batch_size.max(1), scenario.grad_accum_steps.max(1)]
}

/// Returns the scenario with `first` layers on its first stage.
fn with_first(mut scenario: Scenario, first: u32) -> Scenario {
    scenario.pipeline.first_stage_layers = first;
    scenario.pipeline.last_stage_layers = 0;
    scenario
}

/// Returns the name of the GPU.
fn name(scenario: &Scenario) -> &'static str {
    accelerator(scenario.accelerator.id).map_or(scenario.accelerator.id, |entry| entry.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use links::decode;

    fn mixed(run: &str, others: &str) -> Result<Mixed, String> {
        Mixed::new(&decode(run).scenario, &decode(&format!("{run}&{others}")).scenario)
    }

    const RUN: &str = "model=llama-3.1-8b&cluster=dgx-h100&gpus=16&seq=4096&mbs=2&accum=4";

    #[test]
    fn two_halves_of_one_kind_are_the_run_on_all_of_it() {
        for more in ["", "&strategy=ddp&train=lora", "&pp=2&tp=2&accum=16&strategy=zero1&framework=megatron", "&tp=8"] {
            let run = format!("{RUN}{more}");
            let both = mixed(&run, "gpus=8").unwrap();
            let (equal, report) = (both.equal(), decode(&run).scenario.report());
            assert!(
                (equal.step / report.whole().time - 1.0).abs() < 1e-9,
                "{more} {} {}",
                equal.step.get(),
                report.whole().time.get()
            );
            let most = equal
                .shares
                .iter()
                .map(|share| share.memory.needed)
                .fold(engine::units::Bytes::ZERO, engine::units::Bytes::max);
            assert_eq!(most, report.memory.needed, "{more}");
            assert_eq!(f64::from(both.sequences()) * 4096.0, report.tokens_per_step, "{more}");
        }
    }

    #[test]
    fn the_slower_kind_sets_the_step_and_gets_less() {
        let both = mixed(&format!("{RUN}&recompute=full"), "cluster=dgx-a100-80&gpus=8").unwrap();
        let (equal, best) = (both.equal(), both.best().unwrap());
        assert_eq!(equal.step, equal.shares[1].time);
        assert!(equal.shares[0].time < equal.shares[1].time && best.step < equal.step, "{equal:?} {best:?}");
        let [own, other] = best.shares;
        assert!(own.micro_batch > other.micro_batch, "{best:?}");
        // FSDP gathers in each micro-batch, on all GPUs together.
        assert!(both.meets_in_each_micro_batch() && own.micro_batches == other.micro_batches);
        let of = |share: &Share| 8 * share.micro_batch * share.micro_batches;
        assert_eq!(of(&own) + of(&other), both.sequences());
        // Under DDP each kind accumulates by itself.
        let lora = mixed(&format!("{RUN}&strategy=ddp&train=lora"), "cluster=dgx-a100-80&gpus=8").unwrap();
        assert!(!lora.meets_in_each_micro_batch());
        assert!(lora.best().unwrap().step < lora.equal().step);
    }

    #[test]
    fn fully_sharded_state_is_equal_on_both_kinds() {
        let both = mixed(RUN, "cluster=dgx-a100-40&gpus=8").unwrap();
        let shares = both.equal().shares;
        let weights = shares.map(|share| share.memory.parts.get(engine::model::report::MemoryPart::Optimizer));
        assert_eq!(weights[0], weights[1]);
        assert!(shares[1].odds() < shares[0].odds());
    }

    #[test]
    fn a_run_has_one_16_bit_format() {
        let both = mixed(RUN, "cluster=dgx-1v&gpus=8").unwrap();
        assert!(both.kinds.iter().all(|kind| !kind.computes_in_bf16()));
        assert!(both.notes(None).iter().any(|note| note.contains("fp16")));
        let ampere = mixed(RUN, "cluster=dgx-a100-80&gpus=8").unwrap();
        assert!(ampere.kinds.iter().all(Scenario::computes_in_bf16) && !ampere.notes(None).concat().contains("fp16"));
    }

    #[test]
    fn the_faster_stage_gets_more_layers() {
        let pipeline = "model=llama-3.1-8b&cluster=dgx-h100&gpus=16&seq=4096&mbs=1&accum=32&pp=2&tp=8&strategy=zero1&framework=megatron";
        let both = mixed(pipeline, "cluster=dgx-a100-80&gpus=8").unwrap();
        let (equal, best) = (both.equal(), both.best().unwrap());
        assert_eq!(equal.shares.map(|share| share.layers), [16, 16]);
        let [own, other] = best.shares.map(|share| share.layers);
        assert!(own > other && own + other == 32 && best.step < equal.step, "{own} {other}");
    }

    #[test]
    fn what_is_not_modelled_is_refused_by_its_name() {
        for (more, others, said) in [
            ("&gpus=24&tp=8", "gpus=4", "Tensor and context parallelism over two kinds"),
            ("&gpus=16&model=mixtral-8x7b&ep=8", "gpus=4", "Experts split over two kinds"),
            ("&pp=4", "gpus=8", "two stages"),
            ("&gpus=12&pp=2&tp=2", "gpus=4", "equally many GPUs"),
            ("&strategy=hybrid-shard&shard=8", "gpus=4", "Shard groups over two kinds"),
            ("", "gpus=16", "1 to 15"),
            ("", "cluster=mi300x-platform&gpus=8", "no library of collectives"),
            ("&objective=grpo", "gpus=8", "generates its training data"),
        ] {
            let refused = mixed(&format!("{RUN}{more}"), others).expect_err(more);
            assert!(refused.contains(said), "{more}: {refused}");
        }
    }

    /// A measured run: its link, the other GPUs, seconds of a step.
    fn measured() -> Vec<(String, String, f64)> {
        let text = include_str!("../../../tests/measured/mixed_gpus.csv");
        let mut rows = csv::Reader::from_reader(text.as_bytes());
        let header = rows.headers().unwrap().clone();
        let column = |name: &str| header.iter().position(|found| found == name).unwrap();
        let [link, others, step] = ["link", "others", "step_time_s"].map(column);
        let row = |row: csv::StringRecord| (row[link].to_owned(), row[others].to_owned(), row[step].parse().unwrap());
        rows.records().map(|record| row(record.unwrap())).collect()
    }

    /// OPT-350M in fp32 by Megatron-DeepSpeed on four GPUs: a tensor-parallel pair of RTX 3090 in
    /// one server and a pair of Titan RTX in another, measured for SOSP'25 (arXiv 2504.17096) and
    /// printed in eth-easl/sailor@cf2c8e3c, `sailor/Planner/simulations/validation/mit/N2`. The
    /// engine's Titan RTX alone is slower than the repository's profile of it, by 22 %, and so is
    /// the step.
    #[test]
    fn two_kinds_take_the_step_that_was_measured() {
        for (link, others, measured) in measured() {
            let both = mixed(&link, &others).unwrap();
            let step = both.equal().step.get();
            assert!((step / measured - 1.0).abs() < 0.2, "{link}: {step} s, {measured} s measured");
            assert_eq!(both.sequences(), 256);
        }
    }

    /// With the profile of the Titan RTX instead of the engine's rates, what is left is the law of
    /// this module. By hand, with 473 ms (RTX 3090) and 1,159 ms (Titan RTX) of a micro-batch
    /// (`sailor/Planner/baselines/Metis/profiles/OPT-350/*/mbs2_tmp2.json`) and 115 MB/s between
    /// both servers (`sailor/providers/multizone_bandwidths_het.json`):
    ///
    /// - two replicas of 64 micro-batches: the Titan's 64 x 1.159 = 74.2 s, and 205 M gradients in
    ///   fp32 of each of two GPUs, 1.64 GB / 115 MB/s = 14.3 s: 88.5 s, measured 91.78 s;
    /// - two stages, 11 and 13 layers, 128 micro-batches: the Titan's 13 layers and head, 0.650 s,
    ///   and two messages of 16.8 MB, 0.292 s: 120.6 s, measured 119.84 s.
    #[test]
    fn the_slower_kind_and_the_wire_are_the_step() {
        let rows = measured();
        let slowed = |times: f64| {
            let (link, others, _) = &rows[0];
            let mut titan = decode(&format!("{link}&{others}")).scenario;
            let efficiency = &mut titan.accelerator.values.efficiency;
            for share in [&mut efficiency.matmul, &mut efficiency.attention, &mut efficiency.memory] {
                *share *= times;
            }
            titan
        };
        let profiled = 64.0 * 1.158_819;
        let (mut low, mut high) = (1.0, 3.0);
        for _ in 0..40 {
            let middle = f64::midpoint(low, high);
            if slowed(middle).report().whole().time.get() > profiled { low = middle } else { high = middle }
        }
        let titan = slowed(low);
        for (link, _, measured) in &rows {
            let step = Mixed::new(&decode(link).scenario, &titan).unwrap().equal().step.get();
            assert!((step / measured - 1.0).abs() < 0.04, "{link}: {step} s, {measured} s measured");
        }
    }
}

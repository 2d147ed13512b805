//! Digests over the reports of 1,000 scenarios: equal natively and in Wasm exactly where every bit
//! of them is.

use catalog::pick::{pick_accelerator, pick_cluster, pick_model};
use catalog::{ACCELERATORS, CLUSTERS, MODELS};
use engine::model::report::Report;
use engine::params::{ParamKind, find};
use engine::scenario::Scenario;
use engine::units::Seconds;

/// Digests, and scenarios in each.
const DIGESTS: usize = 100;
const EACH: usize = 10;

/// The parameters that a scenario is drawn from, by name and in this order: one that is added later
/// changes no scenario.
const DRAWN: [&str; 76] = [
    "mem",
    "link",
    "seq",
    "size",
    "gpus",
    "mbs",
    "accum",
    "recompute",
    "keep",
    "recipe",
    "optimizer",
    "offloadopt",
    "offloadparams",
    "offloadact",
    "strategy",
    "shard",
    "tp",
    "sp",
    "asynctp",
    "cp",
    "cpcomm",
    "pp",
    "schedule",
    "vpp",
    "firstlayers",
    "lastlayers",
    "sync",
    "overlap",
    "ep",
    "etp",
    "adaptdegrees",
    "dispatcher",
    "a2a",
    "chunks",
    "adaptchunks",
    "epoverlap",
    "capacity",
    "imbalance",
    "grouped",
    "fusedexperts",
    "framework",
    "compile",
    "graphs",
    "attnkernel",
    "loss",
    "normkernel",
    "dropout",
    "compute",
    "node",
    "intra",
    "hbm",
    "peak",
    "lat",
    "eff",
    "topology",
    "mfu",
    "tokens",
    "price",
    "pue",
    "co2",
    "storage",
    "mtbf",
    "restart",
    "ckptevery",
    "ckptsharded",
    "deferred",
    "critbatch",
    "segments",
    "optkernel",
    "rcattn",
    "rcmlp",
    "rcmoe",
    "rcmoeact",
    "rcnorm",
    "rcmla",
    "rcshared",
];

/// A fixed sequence of pseudo-random numbers (Knuth's MMIX generator), the same everywhere.
struct Sequence(u64);

impl Sequence {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// 0 to 1, in steps that every build rounds alike.
    fn share(&mut self) -> f64 {
        (self.next() % 1025) as f64 / 1024.0
    }
}

fn scenario(sequence: &mut Sequence) -> Scenario {
    let mut scenario = catalog::default_scenario();
    pick_cluster(&mut scenario, CLUSTERS[sequence.below(CLUSTERS.len())].id);
    if sequence.below(2) == 0 {
        pick_accelerator(&mut scenario, ACCELERATORS[sequence.below(ACCELERATORS.len())].id);
    }
    if sequence.below(2) == 0 {
        pick_model(&mut scenario, MODELS[sequence.below(MODELS.len())].id);
    }
    for _ in 0..sequence.below(12) {
        let share = sequence.share();
        let key = DRAWN[sequence.below(DRAWN.len())];
        match find(key).expect("the key of a parameter").kind {
            ParamKind::Number(number) => {
                // Cubed, so that most values are far below the largest.
                let value = number.min + share * share * share * (number.max - number.min);
                (number.set)(&mut scenario, if number.integer { value.round() } else { value });
            }
            ParamKind::Choice(choice) => (choice.set)(&mut scenario, (share * choice.options.len() as f64) as usize),
        }
    }
    scenario
}

fn numbers(report: &Report) -> impl Iterator<Item = f64> + '_ {
    let time = &report.update.time;
    let times = [time.step, time.forward, time.backward, time.optimizer, time.compute, time.comm, time.exposed_comm];
    let parts = report.memory.parts.iter().map(|(_, bytes)| bytes.get());
    let rest = [
        report.update.tokens_per_s_per_gpu,
        report.update.mfu,
        report.update.hfu,
        report.memory.needed.get(),
        report.tokens_per_step,
    ];
    times.into_iter().map(Seconds::get).chain(parts).chain(rest)
}

/// The digests (FNV-1a over the bits of every number) of this build, in hexadecimal, with spaces
/// between.
pub(crate) fn digests() -> String {
    let mut sequence = Sequence(20_250_403_655);
    let digests = (0..DIGESTS).map(|_| {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for _ in 0..EACH {
            let report = scenario(&mut sequence).report();
            for number in numbers(&report) {
                hash = (hash ^ number.to_bits()).wrapping_mul(0x0100_0000_01b3);
            }
        }
        format!("{hash:016x}")
    });
    digests.collect::<Vec<_>>().join(" ")
}

//! Plans against a plain loop over everything: fifteen questions, each answered twice.

use crate::any::any_scenario;
use crate::laws::laws;
use analysis::held::Held;
use analysis::plan::{
    FastestLayout, Hardware, Laws, Piece, Plan, Question, SearchKind, Terms, break_even, is_tried, outgrows_smaller,
    own_batch, premium, usual_batch,
};
use analysis::settings::{EXECUTION, SAVING};
use catalog::accelerators::prices;
use engine::model::choices::Choices;
use engine::model::memory;
use engine::model::report::MemoryPart;
use engine::model::run::RunReport;
use engine::model::stages::stages;
use engine::model::training::Recompute;
use engine::scenario::issue::Severity;
use engine::scenario::{Scenario, Strategy};
use links::{decode, encode};
use proptest::prelude::*;

/// A layout as values that can be compared.
type Row = (usize, Scenario, f64, f64);

fn scenario(link: &str) -> Scenario {
    decode(link).scenario
}

/// The scenario's own batch and settings, and whatever fits at all.
fn any_terms(scenario: &Scenario) -> Terms {
    let held = Held::NOTHING.and(&EXECUTION).and(&SAVING);
    Terms { batch: own_batch(scenario), sure: 0.0, held }
}

/// The scenario's own hardware and these clusters.
fn hardware(scenario: &Scenario, clusters: &[&str]) -> Vec<Hardware> {
    let cluster = |id: &&str| Hardware::cluster(scenario, catalog::cluster(id).unwrap()).unwrap();
    core::iter::once(Hardware::own(scenario)).chain(clusters.iter().map(cluster)).collect()
}

fn planned(scenario: &Scenario, kind: SearchKind, clusters: &[&str]) -> Plan {
    let mut plan = Plan::over(scenario, kind, any_terms(scenario), hardware(scenario, clusters));
    while !plan.advance(10_000) {}
    plan
}

fn errors(scenario: &Scenario) -> usize {
    engine::validate::issues(scenario).iter().filter(|issue| issue.severity == Severity::Error).count()
}

fn powers(most: u32) -> impl Iterator<Item = u32> {
    (0..31).map(|power| 1 << power).take_while(move |power| *power <= most)
}

/// The largest batch that divides by the odd part of the GPUs and by most powers of two, a quarter
/// smaller at most.
fn divided(most: u32, gpus: u32) -> u32 {
    let odd = gpus >> gpus.trailing_zeros();
    if most.is_multiple_of(odd) || odd > most {
        return most;
    }
    let unit = powers(most).map(|power| odd * power).filter(|unit| unit * 4 <= most).last().unwrap_or(odd);
    let batch = (1..=most).rev().find(|batch| batch.is_multiple_of(unit)).unwrap();
    if 4 * batch >= 3 * most { batch } else { most }
}

/// The batch of a step in sequences.
fn batch(scenario: &Scenario) -> u32 {
    scenario.degrees().dp * scenario.micro_batch_size * scenario.grad_accum_steps
}

/// Returns the fastest valid layout of a step of a number of sequences, by trying all.
fn fastest(base: &Scenario, sequences: u32, largest: u32, accumulates: bool) -> Option<(Scenario, RunReport)> {
    let shape = base.model.architecture();
    let network = base.network.values;
    let mut best: Option<(Scenario, RunReport)> = None;
    let strategies = [
        Strategy::Ddp,
        Strategy::Zero1,
        Strategy::Zero2,
        Strategy::FullShard,
        Strategy::ShardGradOp,
        Strategy::HybridShard,
        Strategy::ReshardTo,
    ];
    let lacks = base.lack().is_some();
    for pp in powers(shape.num_hidden_layers.min(32)) {
        for cp in powers((base.seq_len / 8192).max(1)) {
            for tp in powers(network.gpus_per_node.min(shape.num_attention_heads)) {
                for ep in powers(shape.experts.num_experts.clamp(1, 64)) {
                    if !base.gpus.is_multiple_of(pp * cp * tp) {
                        continue;
                    }
                    let dp = base.gpus / (pp * cp * tp);
                    for strategy in strategies {
                        for recompute in
                            [Recompute::None, Recompute::AttentionCore, Recompute::Selective, Recompute::Full]
                        {
                            for micro_batch_size in powers(largest) {
                                if !sequences.is_multiple_of(dp * micro_batch_size) {
                                    continue;
                                }
                                let grad_accum_steps = sequences / dp / micro_batch_size;
                                let mut one = Scenario {
                                    pp,
                                    cp,
                                    tp,
                                    ep,
                                    strategy,
                                    micro_batch_size,
                                    grad_accum_steps,
                                    choices: Choices { recompute, ..base.choices },
                                    ..*base
                                };
                                let keeps_group =
                                    strategy == base.strategy && one.degrees().dp.is_multiple_of(base.shard_size);
                                if strategy.uses_shard_size() && !keeps_group {
                                    one.shard_size = network.widest_inside(base.gpus, tp * cp);
                                }
                                let is_as_asked = one.degrees().ep == ep && one.degrees().pp == pp;
                                if !is_as_asked || (!accumulates && grad_accum_steps > 1) || grad_accum_steps > 4096 {
                                    continue;
                                }
                                if !one.report().fits() || !lacks && one.lack().is_some() {
                                    continue;
                                }
                                let run = one.run_report();
                                let is_faster = best.as_ref().is_none_or(|(_, best)| run.time < best.time);
                                if is_faster && errors(&one) == 0 {
                                    best = Some((one, run));
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    best
}

/// Every case of a search by the plain loop, in any order.
fn by_brute_force(own: &Scenario, kind: SearchKind, clusters: &[&str]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut take = |place: usize, base: &Scenario, sequences: u32, largest: u32, accumulates: bool| {
        let found = fastest(base, sequences, largest, accumulates);
        rows.extend(found.map(|(one, run)| (place, one, run.time.hours() / 24.0, run.cost.get())));
    };
    match kind {
        SearchKind::Runs => {
            for (place, of) in hardware(own, clusters).iter().enumerate() {
                let node = of.network.values.gpus_per_node;
                for gpus in 1..=of.most_gpus {
                    let nodes = gpus / node;
                    // All of these clusters have nodes of a power of two, but for the rack.
                    let in_rack = gpus.is_power_of_two() && (gpus <= node || node.is_power_of_two() || node == 72);
                    let tried = nodes.is_power_of_two() || (is_tried(nodes) && node != 72);
                    let whole = gpus.is_multiple_of(node) && tried;
                    if in_rack || whole || (place == 0 && gpus == own.gpus) {
                        take(place, &of.holding(own, gpus), divided(batch(own), gpus), 16, true);
                    }
                }
            }
        }
        SearchKind::Contexts => {
            let tokens = batch(own) * own.seq_len;
            for seq_len in (128..=1 << 24).filter(|seq_len| tokens.is_multiple_of(*seq_len) || *seq_len > tokens) {
                let is_longer = seq_len.is_multiple_of(own.seq_len) && seq_len <= tokens;
                let is_half = own.seq_len.is_multiple_of(seq_len) && (own.seq_len / seq_len).is_power_of_two();
                let times = seq_len / own.seq_len;
                let is_beyond = seq_len > tokens && seq_len.is_multiple_of(own.seq_len) && times.is_power_of_two();
                if is_longer || is_half || is_beyond {
                    let least = (tokens / seq_len).max(1);
                    for times in powers(own.gpus) {
                        if times == 1 || least * times <= own.gpus {
                            take(0, &Scenario { seq_len, ..*own }, least * times, 16, true);
                        }
                    }
                }
            }
        }
        SearchKind::Models => {
            for member in own.model.family().unwrap().members {
                let model = catalog::model(member.id).unwrap().pick();
                take(0, &own.with_model(model), batch(own), 16, true);
            }
        }
        SearchKind::Batches => {
            for times in powers(1024) {
                take(0, own, own.gpus * times, 1024, false);
                if times > 1 && own.gpus.is_multiple_of(times) {
                    take(0, own, own.gpus / times, 1024, false);
                }
            }
        }
    }
    rows
}

/// The answers by the plain loop: sorted, one a cluster.
fn answers(own: &Scenario, question: Question, clusters: &[&str]) -> Vec<Row> {
    let mut rows = by_brute_force(own, question.kind(), clusters);
    let hardware = hardware(own, clusters);
    let price = |row: &Row| hardware[row.0].price.map_or(f64::INFINITY, |_| row.3);
    let mut keep = |of: &dyn Fn(&Row) -> bool| rows.retain(of);
    match question {
        Question::Cheapest { days } => keep(&|row| row.2 <= days && price(row).is_finite()),
        Question::Fastest { dollars } => keep(&|row| price(row) <= dollars),
        _ => {}
    }
    let key = |row: &Row| match question {
        Question::FewestGpus => [f64::from(row.1.gpus), price(row), row.2],
        Question::Cheapest { .. } => [price(row), row.2, 0.0],
        Question::Fastest { .. } => [row.2, price(row), 0.0],
        Question::LongestContext => [-f64::from(row.1.seq_len), f64::from(batch(&row.1)), 0.0],
        Question::LargestModel => [-(row.1.model.architecture().params() as f64), 0.0, 0.0],
        Question::LargestBatch => [-f64::from(batch(&row.1)), 0.0, 0.0],
    };
    rows.sort_by(|one, other| key(one).partial_cmp(&key(other)).unwrap());
    if question == Question::LongestContext {
        rows.dedup_by_key(|row| row.1.seq_len);
    }
    if question.kind() == SearchKind::Runs {
        let mut met = Vec::new();
        rows.retain(|row| {
            let is_new = !met.contains(&row.0);
            met.push(row.0);
            is_new
        });
    }
    rows
}

fn row(found: &FastestLayout) -> Row {
    (found.hardware, found.scenario, found.days(), found.dollars())
}

fn asked(link: &str, question: Question, clusters: &[&str]) {
    let own = scenario(link);
    let plan = planned(&own, question.kind(), clusters);
    let rows: Vec<Row> = plan.answers(question).into_iter().map(row).collect();
    let expected = answers(&own, question, clusters);
    assert!(!expected.is_empty(), "{link} {question:?}");
    let said = |rows: &[Row]| {
        let of = |row: &Row| format!("{} {} {:.3} days ${:.0}", row.0, encode(&row.1), row.2, row.3);
        rows.iter().map(of).collect::<Vec<_>>().join("\n")
    };
    assert!(rows == expected, "{link} {question:?}:\n{}\ninstead of\n{}", said(&rows), said(&expected));
    let progress = plan.progress();
    assert!(progress.visited == progress.of && progress.fitting >= rows.len());
}

const LLAMA_8B: &str = "v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=64&accum=8&tokens=1T";
const LLAMA_70B: &str = "v=1&cluster=dgx-a100-80&model=llama-3.1-70b&gpus=128&seq=8k&mbs=1&accum=8&tokens=2T";
const MIXTRAL: &str = "v=1&cluster=dgx-h100&model=mixtral-8x7b&gpus=16&accum=4&tokens=100B";
const QWEN_LORA: &str =
    "v=1&cluster=server-8x-4090&model=qwen-2.5-7b&gpus=8&seq=2k&mbs=1&accum=4&tokens=1B&method=lora";
const CLUSTERS: [&str; 4] = ["dgx-h200", "a100-40gb-200g", "a100-40gb-100g", "gb200-nvl72"];
const SMALL: [&str; 2] = ["workstation-2x-3090", "server-8x-l40s"];

#[test]
fn fewest_gpus() {
    asked("v=1", Question::FewestGpus, &CLUSTERS);
    asked(LLAMA_70B, Question::FewestGpus, &["dgx-h200", "gb200-nvl72"]);
    asked(QWEN_LORA, Question::FewestGpus, &SMALL);
}

#[test]
fn cheapest_by_a_deadline() {
    asked(LLAMA_8B, Question::Cheapest { days: 30.0 }, &CLUSTERS);
    asked("v=1", Question::Cheapest { days: 25.0 }, &CLUSTERS);
    asked(MIXTRAL, Question::Cheapest { days: 14.0 }, &["dgx-h200"]);
    asked(QWEN_LORA, Question::Cheapest { days: 3.0 }, &SMALL);
}

#[test]
fn fastest_within_a_budget() {
    asked(LLAMA_8B, Question::Fastest { dollars: 160_000.0 }, &CLUSTERS);
    asked(LLAMA_70B, Question::Fastest { dollars: 3e6 }, &["dgx-h200", "gb200-nvl72"]);
    asked(QWEN_LORA, Question::Fastest { dollars: 500.0 }, &SMALL);
}

#[test]
fn longest_context() {
    asked("v=1", Question::LongestContext, &[]);
    asked(QWEN_LORA, Question::LongestContext, &[]);
}

#[test]
fn largest_model() {
    asked(LLAMA_8B, Question::LargestModel, &[]);
    asked(QWEN_LORA, Question::LargestModel, &[]);
}

#[test]
fn largest_batch() {
    asked(LLAMA_70B, Question::LargestBatch, &[]);
}

#[test]
fn pieces_find_what_the_whole_finds_and_every_answer_is_a_scenario_of_its_own() {
    let own = scenario(LLAMA_8B);
    let mut pieces = Plan::over(&own, SearchKind::Runs, any_terms(&own), hardware(&own, &CLUSTERS));
    let whole = planned(&own, SearchKind::Runs, &CLUSTERS);
    while !pieces.advance(97) {
        assert!(pieces.progress().visited <= pieces.progress().of);
    }
    assert_eq!((pieces.found(), pieces.progress()), (whole.found(), whole.progress()));
    for found in whole.found() {
        let decoded = decode(&encode(&found.scenario));
        assert_eq!((decoded.scenario, decoded.issues), (found.scenario, vec![]));
        let (batch, asked) = (found.scenario.report().tokens_per_step, own.report().tokens_per_step);
        assert!(batch <= asked && batch >= 0.75 * asked, "{batch}");
        assert!(batch == asked || !found.scenario.gpus.is_power_of_two());
        assert!(found.report.fits() && found.odds > 0.0 && found.band.low < 1.0 && found.band.high > 1.0);
    }
}

/// The front: nothing is both faster and cheaper than what stands on it, and everything else has
/// something that is.
#[test]
fn no_run_beats_the_front_in_days_and_dollars() {
    let plan = planned(&scenario(LLAMA_8B), SearchKind::Runs, &CLUSTERS);
    let front = plan.front();
    assert!(front.len() > 3 && front.windows(2).all(|pair| pair[0].days() < pair[1].days()));
    for found in plan.found().iter().filter(|found| plan.has_price(found)) {
        let beats = |one: &&FastestLayout| one.days() <= found.days() && one.dollars() <= found.dollars();
        let is_on_it = front.iter().any(|one| row(one) == row(found));
        assert_eq!(front.iter().filter(|one| row(one) != row(found)).any(beats), !is_on_it);
    }
}

/// At the break-even price both cost the same, by the definition of it.
#[test]
fn at_the_price_between_two_runs_both_cost_the_same() {
    let question = Question::Cheapest { days: 30.0 };
    let plan = planned(&scenario(LLAMA_8B), SearchKind::Runs, &CLUSTERS);
    let rows = plan.answers(question);
    for other in &rows[1..] {
        let mut moved = other.scenario;
        moved.run.price_per_gpu_hour = break_even(rows[0], other).unwrap();
        let cost = moved.run_report().cost.get();
        assert!((cost / rows[0].dollars() - 1.0).abs() < 1e-12, "{cost}");
        let listed = other.scenario.run.price_per_gpu_hour - rows[0].scenario.run.price_per_gpu_hour;
        assert!(
            premium(rows[0], other).unwrap() <= listed + 1e-9,
            "the first is the cheapest at the prices of the list"
        );
    }
}

#[test]
fn what_no_run_reaches_has_a_nearest_miss() {
    let plan = planned(&scenario(LLAMA_8B), SearchKind::Runs, &CLUSTERS);
    for question in [Question::Cheapest { days: 0.01 }, Question::Fastest { dollars: 10.0 }] {
        assert!(plan.answers(question).is_empty());
        assert!(plan.nearest_miss(question).is_some());
    }
    assert!(plan.answers(Question::LargestModel).is_empty());
}

/// A GPU without FP8 is refused for a run in FP8, with the reason.
#[test]
fn hardware_that_cannot_run_it_says_why() {
    let own = scenario("v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=8&compute=fp8");
    let all = hardware(&own, &["dgx-a100-80", "dgx-b200"]);
    let refused: Vec<bool> = all.iter().map(|of| of.refused.is_some()).collect();
    assert_eq!(refused, [false, true, false], "{all:?}");
}

proptest! {
    #![proptest_config(laws())]

    /// Lets a plan skip the rest of a block: where weights and optimizer state exceed the memory,
    /// no other micro-batch and no recomputation fits, as the states are part of every need. Paged
    /// state is an exception.
    #[test]
    fn states_are_needed_whatever_the_micro_batch_and_the_recomputation(scenario in any_scenario()) {
        let memory = |scenario: &Scenario| scenario.report().memory;
        let parts = memory(&scenario).parts;
        let optimizer = if scenario.offload.paged { 0.0 } else { parts.get(MemoryPart::Optimizer).get() };
        let states = parts.get(MemoryPart::Weights).get() + optimizer;
        for recompute in [Recompute::None, Recompute::AttentionCore, Recompute::Selective, Recompute::Full] {
            for (micro_batch_size, grad_accum_steps) in [(1, 16), (2, 8), (16, 1)] {
                let other = Scenario { micro_batch_size,
grad_accum_steps,
choices: Choices { recompute, ..scenario.choices },
..scenario };
                let needed = memory(&other).needed.get();
                prop_assert!(needed >= states * (1.0 - 1e-9), "{} {} {}", needed, states, encode(&other));
            }
        }
    }

    /// Lets a plan skip further modes of recomputation.
    #[test]
    fn no_recomputation_is_fastest_and_full_recomputation_smallest(scenario in any_scenario()) {
        let laws = Laws::new(&scenario);
        let of = |recompute| Scenario { choices: Choices { recompute, ..scenario.choices },
..scenario }.report();
        let (none, full) = (of(Recompute::None), of(Recompute::Full));
        for recompute in [Recompute::None, Recompute::AttentionCore, Recompute::Selective, Recompute::Full] {
            let other = of(recompute);
            let is_faster = none.update.time.step <= (1.0 + 1e-12) * other.update.time.step;
            let is_smaller = full.memory.needed.get() <= (1.0 + 1e-12) * other.memory.needed.get();
            prop_assert!(is_faster || !laws.none_is_fastest, "{:?} {}", recompute, encode(&scenario));
            prop_assert!(is_smaller || !laws.full_is_smallest, "{:?} {}", recompute, encode(&scenario));
        }
    }

    /// A search that stops where memory ends says the same as one that goes on, and what it says of
    /// the states holds for all.
    #[test]
    fn memory_that_fits_is_the_same_whether_or_not_one_stops_where_it_ends(scenario in any_scenario()) {
        let setup = scenario.setup();
        let stages = stages(&setup);
        let whole = memory::peak(&setup, &stages);
        match memory::peak_that_fits(&setup, &stages) {
            Ok(memory) => prop_assert!(memory == whole && whole.fits(), "{}", encode(&scenario)),
            Err(_) => prop_assert!(!whole.fits(), "{}", encode(&scenario)),
        }
    }

    /// Lets a plan skip larger micro-batches.
    #[test]
    fn a_larger_micro_batch_needs_no_less_memory(scenario in any_scenario()) {
        for recompute in [Recompute::None, Recompute::AttentionCore, Recompute::Selective, Recompute::Full] {
            for (sequences, sizes) in [(64, [1, 2, 32]), (12, [1, 3, 6])] {
                let of = |micro_batch_size| {
                    let grad_accum_steps = sequences / micro_batch_size;
                    Scenario { micro_batch_size,
grad_accum_steps,
choices: Choices { recompute, ..scenario.choices },
..scenario }
                };
                let needed = |scenario: &Scenario| scenario.report().memory.needed.get();
                for [smaller, larger] in [[sizes[0], sizes[1]], [sizes[1], sizes[2]]].map(|pair| pair.map(of)) {
                    let is_larger = needed(&smaller) <= (1.0 + 1e-12) * needed(&larger);
                    prop_assert!(is_larger || !outgrows_smaller(&larger), "{:?} {}", recompute, encode(&larger));
                }
            }
        }
    }
}

/// Pieces that are searched apart, in any order, make the same plan.
#[test]
fn pieces_of_several_threads_are_the_plan() {
    assert_eq!(Piece::from_numbers(&[1, 2, 3]), None);
    assert_eq!(Piece::from_numbers(&[1, 2, 3, 4, 5]), None);
    for (link, kind) in
        [(LLAMA_8B, SearchKind::Runs), (MIXTRAL, SearchKind::Contexts), (QWEN_LORA, SearchKind::Batches)]
    {
        let own = scenario(link);
        let whole = planned(&own, kind, &SMALL);
        let mut plan = Plan::over(&own, kind, any_terms(&own), hardware(&own, &SMALL));
        let mut winners = Vec::new();
        for cases in plan.pieces(20_000).into_iter().rev() {
            let piece = plan.search(cases);
            assert_eq!(Piece::from_numbers(&piece.to_numbers()).as_ref(), Some(&piece));
            plan.count(&piece);
            winners.extend(piece.winners);
        }
        plan.end(winners);
        assert!(plan.is_over() && plan == whole, "{kind:?}");
        assert_eq!((plan.found(), plan.progress()), (whole.found(), whole.progress()));
    }
}

/// The law of a deadline: more days, no fewer answers and better odds; and every answer is as sure
/// as asked for.
#[test]
fn answers_are_as_sure_as_asked_for_and_odds_rise_with_the_days() {
    let own = scenario(LLAMA_8B);
    let plans = [0.5, 0.8, 0.95].map(|sure| {
        let terms = Terms { sure, ..any_terms(&own) };
        let mut plan = Plan::over(&own, SearchKind::Runs, terms, hardware(&own, &CLUSTERS));
        while !plan.advance(10_000) {}
        plan
    });
    for plan in &plans {
        let sure = plan.terms().sure;
        let mut before = 0;
        for days in [5.0, 10.0, 20.0, 30.0, 60.0, 120.0] {
            let answers = plan.answers(Question::Cheapest { days });
            assert!(answers.iter().all(|found| found.odds_in_time(days) >= sure && found.odds >= sure));
            assert!(answers.len() >= before, "{days} {sure}");
            before = answers.len();
        }
        assert!(before > 2);
        for found in plan.found() {
            let odds = [1.0, 10.0, 100.0, 1e4].map(|days| found.odds_in_time(days));
            assert!(odds.windows(2).all(|pair| pair[0] <= pair[1]) && odds[3] <= found.odds, "{odds:?}");
        }
    }
    // Who is content with less finds no less, and nothing slower.
    for pair in plans.windows(2) {
        for found in pair[1].found() {
            let same =
                |other: &&FastestLayout| (other.hardware, other.scenario.gpus) == (found.hardware, found.scenario.gpus);
            let other = pair[0].found().iter().find(same).unwrap();
            assert!(other.days() <= found.days(), "{}", encode(&found.scenario));
        }
    }
}

/// A product of a cloud has that cloud's price or lends its numbers to a row without its name;
/// equal hardware at one price is one row.
#[test]
fn no_row_has_the_price_of_another_provider_and_no_two_rows_are_alike() {
    let own = scenario("v=1&cluster=a100-40gb-100g&model=llama-3.1-8b&gpus=8&accum=8");
    let plan = Plan::new(&own, SearchKind::Runs, Terms::usual(&own));
    let rows = plan.hardware();
    let by_cloud = |id: &str| catalog::cluster(id).is_some_and(catalog::ClusterEntry::is_of_a_cloud);
    for row in rows.iter().filter(|row| !row.is_own && row.price.is_some()) {
        for id in &row.clusters {
            let entry = catalog::cluster(id).unwrap();
            let is_named = row.names().contains(&entry.name);
            let own_price = prices::product_price(id).map(|price| price.usd_per_hour);
            assert!(!is_named || !by_cloud(id) || own_price == row.price, "{} at {:?}", entry.name, row.price);
            assert!(!is_named || !entry.is_of_a_centre(), "{}", entry.name);
        }
        assert!(!row.name().is_empty());
    }
    let p5 = rows.iter().find(|row| row.clusters.contains(&"p5")).unwrap();
    assert_eq!((p5.name().as_str(), p5.price), ("AWS p5.48xlarge", Some(6.88)));
    let mega = rows.iter().find(|row| row.clusters.contains(&"gcp-a3-mega")).unwrap();
    assert_eq!((mega.name().as_str(), mega.price), ("8x H100 SXM, 200\u{2009}Gbit/s", Some(3.99)));
    for (place, one) in rows.iter().enumerate() {
        for other in rows.iter().skip(place + 1) {
            let alike =
                one.accelerator.values == other.accelerator.values && one.network.values == other.network.values;
            assert!(!alike || one.price != other.price, "{} and {}", one.name(), other.name());
        }
    }
    let ids: Vec<_> = rows.iter().flat_map(|row| &row.clusters).collect();
    assert_eq!(ids.len(), catalog::CLUSTERS.len());
}

/// Counts of GPUs between powers of two only add answers.
#[test]
fn more_numbers_of_gpus_never_make_an_answer_worse() {
    let own = scenario(LLAMA_8B);
    let plan = planned(&own, SearchKind::Runs, &CLUSTERS);
    let is_doubled = |found: &FastestLayout| {
        let node = found.scenario.network.values.gpus_per_node;
        found.scenario.gpus.is_power_of_two() || (found.scenario.gpus / node).is_power_of_two()
    };
    let mut finer = 0;
    for days in [8.0, 15.0, 25.0, 40.0] {
        let answers = plan.answers(Question::Cheapest { days });
        for found in plan.found().iter().filter(|found| is_doubled(found) && found.days() <= days) {
            let best = answers.iter().find(|best| best.hardware == found.hardware).unwrap();
            assert!(best.dollars() <= found.dollars());
        }
        finer += answers.iter().filter(|best| !is_doubled(best)).count();
    }
    assert!(finer > 0);
}

/// The batch decides the answer: with a larger one no run is dearer (review of the page, P1).
#[test]
fn a_larger_batch_makes_the_cheapest_run_by_a_deadline_no_dearer() {
    let own = scenario("v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=64&tokens=2T");
    assert_eq!(usual_batch(&own), 4.0 * 1024.0 * 1024.0);
    let cheapest = |batch: f64| {
        let mut plan =
            Plan::over(&own, SearchKind::Runs, Terms { batch, ..any_terms(&own) }, hardware(&own, &["dgx-a100-80"]));
        while !plan.advance(10_000) {}
        plan.answers(Question::Cheapest { days: 45.0 })[0].dollars()
    };
    let [small, usual] = [262_144.0, usual_batch(&own)].map(cheapest);
    assert!(usual < 0.9 * small, "{usual} {small}");
}

/// A run taken from a plan keeps the price shown in the plan, and row names are unique.
#[test]
fn a_row_that_is_taken_keeps_its_price_and_no_two_rows_have_one_name() {
    let scenario = decode("v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=64").scenario;
    let plan = Plan::new(&scenario, SearchKind::Runs, Terms::usual(&scenario));
    let mut names: Vec<String> = plan.hardware().iter().map(Hardware::name).collect();
    for hardware in plan.hardware() {
        let taken = hardware.holding(&scenario, 8);
        assert_eq!(prices::known(&taken), hardware.price, "{}", hardware.name());
        let read = decode(&encode(&taken)).scenario;
        assert_eq!(prices::known(&read), hardware.price, "{}", hardware.name());
    }
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
}

//! One search answers every question: no ranking beats a plan on the same GPUs, and a deadline and
//! a budget are each other's inverse.

use analysis::layouts::LayoutSearch;
use analysis::plan::{FastestLayout, Hardware, Plan, Question, Terms};
use engine::scenario::Scenario;
use links::{decode, encode};

/// Training runs of ten models.
const RUNS: [&str; 10] = [
    "v=1&cluster=dgx-h100&model=llama-3.2-1b&gpus=8&seq=4k&tokens=100B",
    "v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=64&seq=8k&tokens=1T",
    "v=1&cluster=dgx-h100&size=70B&gpus=512&seq=4k&tokens=2T",
    "v=1&cluster=dgx-h100&model=qwen-3-32b&gpus=1&seq=4k&train=lora&base=nf4&framework=transformers&recompute=full",
    "v=1&cluster=server-8x-4090&model=llama-3.1-70b&gpus=2&seq=4k&train=lora&base=nf4&framework=transformers&recompute=full",
    "v=1&cluster=dgx-h100&model=mixtral-8x7b&gpus=64&seq=4k&tokens=200B",
    "v=1&cluster=dgx-b200&model=qwen-3-30b-a3b&gpus=16&seq=4k&tokens=100B",
    "v=1&cluster=mi300x-platform&model=qwen-2.5-7b&gpus=8&seq=8k&tokens=50B",
    "v=1&cluster=dgx-a100-80&model=gemma-2-9b&gpus=16&seq=8k&tokens=100B",
    "v=1&cluster=dgx-h100&model=qwen-2.5-14b&gpus=8&seq=16k&train=lora&framework=transformers",
];
/// Deadlines in days.
const DAYS: [f64; 2] = [20.0, 90.0];
/// Relative difference in time that counts as none.
const SAME: f64 = 0.01;

fn plan(scenario: &Scenario, question: Question) -> Plan {
    let other = catalog::cluster("dgx-h200").and_then(|entry| Hardware::cluster(scenario, entry));
    let hardware = core::iter::once(Hardware::own(scenario)).chain(other).collect();
    let mut plan = Plan::over(scenario, question.kind(), Terms::usual(scenario), hardware);
    while !plan.advance(100_000) {}
    plan
}

/// Asserts that no layout that fits surely is faster than a row by more than a hundredth.
fn is_unbeaten(link: &str, found: &FastestLayout) {
    let mut search = LayoutSearch::of_batch(&found.scenario, found.sequences(), Terms::usual(&found.scenario).held);
    while !search.ranking().is_over() {
        search.advance(100_000);
    }
    let best = search.best().unwrap_or_else(|| panic!("{link}: {} has no layout", encode(&found.scenario)));
    // A safer layout of a case may be slower than its fastest.
    let [then, now] = [&best.report, &found.report].map(|report| report.whole().time);
    let is_as_safe = best.odds >= found.odds - SAME;
    assert!(
        now <= (1.0 + SAME) * then || !is_as_safe || !best.is_sure(),
        "{link}: {} takes {} s, {} {} s",
        encode(&found.scenario),
        now.get(),
        encode(&best.scenario),
        then.get()
    );
}

#[test]
fn no_ranking_beats_a_row_of_a_plan() {
    let mut rows = 0;
    for (place, link) in RUNS.into_iter().enumerate() {
        let scenario = decode(link).scenario;
        let own = [
            Question::FewestGpus,
            Question::Cheapest { days: DAYS[place % DAYS.len()] },
            Question::LongestContext,
            Question::LargestBatch,
        ];
        let questions = if place % 2 == 0 { &own[..2] } else { &own[2..] };
        for question in questions {
            for found in plan(&scenario, *question).answers(*question).into_iter().take(3) {
                // The question about the batch is about one pass, without accumulation.
                if *question != Question::LargestBatch {
                    is_unbeaten(link, found);
                    rows += 1;
                }
            }
        }
    }
    assert!(rows > 15, "{rows}");
}

/// The budget that an answer to a deadline holds with the same odds finds a run that is no slower,
/// and the other way round.
#[test]
fn a_budget_and_a_deadline_are_each_others_inverse() {
    let mut asked = 0;
    for link in RUNS {
        let scenario = decode(link).scenario;
        let plan = plan(&scenario, Question::Cheapest { days: 1.0 });
        for days in DAYS {
            let Some(cheapest) = plan.answers(Question::Cheapest { days }).first().copied() else { continue };
            let dollars = (1..400).map(|step| cheapest.dollars() * (1.0 + f64::from(step) / 100.0));
            let Some(dollars) =
                dollars.into_iter().find(|budget| cheapest.odds_in_budget(*budget) >= plan.terms().sure)
            else {
                continue;
            };
            let fastest = plan.answers(Question::Fastest { dollars })[0];
            assert!(
                fastest.days() <= cheapest.days(),
                "{link}, {days} days: ${dollars:.0} buys {} days",
                fastest.days()
            );
            assert!(fastest.dollars() <= dollars, "{link}");
            let again = (1..400).map(|step| fastest.days() * (1.0 + f64::from(step) / 100.0));
            let Some(days) = again.into_iter().find(|days| fastest.odds_in_time(*days) >= plan.terms().sure) else {
                continue;
            };
            let back = plan.answers(Question::Cheapest { days })[0];
            assert!(back.dollars() <= fastest.dollars(), "{link}: {days} days cost ${:.0}", back.dollars());
            asked += 1;
        }
    }
    assert!(asked > 10, "{asked}");
}

//! Plans backwards from the command line: `cargo run --release -p analysis --example plan
//! -- LINK [days=30|budget=1e6|context|model|batch]`; without a question the fewest GPUs.

use analysis::plan::{FastestLayout, Plan, Question, Terms, premium};
use engine::format;
use links::decode;
use std::time::Instant;

fn main() {
    let mut words = std::env::args().skip(1);
    let scenario = decode(&words.next().unwrap_or_default()).scenario;
    let asked = words.next().unwrap_or_default();
    let (name, value) = asked.split_once('=').unwrap_or((&asked, ""));
    let value = value.parse().unwrap_or(30.0);
    let question = match name {
        "days" => Question::Cheapest { days: value },
        "budget" => Question::Fastest { dollars: value },
        "context" => Question::LongestContext,
        "model" => Question::LargestModel,
        "batch" => Question::LargestBatch,
        _ => Question::FewestGpus,
    };
    let start = Instant::now();
    let mut plan = Plan::new(&scenario, question.kind(), Terms::usual(&scenario));
    while !plan.advance(100_000) {}
    println!("{:?} in {:.2} s", plan.progress(), start.elapsed().as_secs_f64());
    let refused = plan.hardware().iter().filter(|hardware| hardware.refused.is_some()).count();
    println!("{} hardware, {refused} refused, {} cases with a layout", plan.hardware().len(), plan.found().len());
    let answers = plan.answers(question);
    answers.iter().take(20).for_each(|found| print(&plan, found));
    println!("front:");
    plan.front().into_iter().for_each(|found| print(&plan, found));
    for other in answers.iter().skip(1).take(3) {
        println!("{:?}", answers.first().and_then(|first| premium(first, other)));
    }
}

fn print(plan: &Plan, found: &FastestLayout) {
    let scenario = &found.scenario;
    let of = plan.hardware().get(found.hardware);
    println!(
        "{:24} {:6} GPUs seq {:7} batch {:6} params {:8} tp{} cp{} pp{} ep{} {:?} {:?} mbs {} mfu {:.3} {} {} [{:.2} {:.2}] odds {:.2} {}",
        of.and_then(|of| of.clusters.first()).unwrap_or(&"own"),
        scenario.gpus,
        scenario.seq_len,
        found.sequences(),
        format::params(scenario.model.size()),
        scenario.tp,
        scenario.cp,
        scenario.pp,
        scenario.ep,
        scenario.strategy,
        scenario.recompute,
        scenario.micro_batch_size,
        found.report.whole().mfu,
        format::duration(found.run.time),
        format::dollars(found.dollars()),
        found.band.low,
        found.band.high,
        found.odds,
        of.and_then(|of| of.clusters.get(1..)).map(|twins| twins.join(" ")).unwrap_or_default(),
    );
}

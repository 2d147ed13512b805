//! Memory over one step is the step that the report adds up, or a sentence says why it is not
//! drawn: for random scenarios, the examples of the catalog and frozen links.

use crate::any::any_scenario;
use crate::cases::cases;
use catalog::SCENARIOS;
use engine::model::report::MemoryPart;
use engine::scenario::Scenario;
use links::decode;
use proptest::prelude::*;
use trace::{Category, Gap, NotDrawn, RunStep, step_memory};

/// Largest difference from the report, over the report.
const CLOSE: f64 = 0.02;
/// Points of a curve.
const POINTS: usize = 64;

/// Checks the figure of a scenario; returns whether it is drawn.
fn checked(scenario: &Scenario, name: &str) -> bool {
    let setup = scenario.setup();
    let report = scenario.report().memory;
    match step_memory(&setup, RunStep::Steady, POINTS) {
        Ok(memory) => {
            let allocated = report.allocated.get();
            let peak = memory.curve.peak.allocated as f64;
            assert!((peak / allocated - 1.0).abs() < CLOSE + 1e-6, "{name}: {peak:e} of {allocated:e}");
            assert_eq!(memory.report, report, "{name}");
            for point in memory.curve.points.iter().chain([&memory.curve.peak]) {
                assert_eq!(point.by.values().sum::<u64>(), point.allocated, "{name}");
                assert!(point.allocated <= memory.curve.peak.allocated, "{name}");
            }
            for (part, category) in [
                (MemoryPart::Weights, Category::Parameter),
                (MemoryPart::Optimizer, Category::Optimizer),
                (MemoryPart::Models, Category::OtherModel),
            ] {
                let [simulated, sum] = [memory.curve.peak.by[category] as f64, report.parts.get(part).get()];
                assert!((simulated - sum).abs() < CLOSE * allocated + 1.0, "{name}: {part:?} {simulated:e} of {sum:e}");
            }
            let first = step_memory(&setup, RunStep::First, POINTS).unwrap();
            assert!(first.curve.peak.allocated <= memory.curve.peak.allocated, "{name}");
            true
        }
        Err(reason) => {
            let text = reason.to_string();
            let is_sentence = text.starts_with("Not drawn") && text.ends_with('.') && !text.contains("NaN");
            assert!(is_sentence && !text.contains("  "), "{name}: {text}");
            false
        }
    }
}

fn reason(link: &str) -> NotDrawn {
    step_memory(&decode(link).scenario.setup(), RunStep::Steady, POINTS).unwrap_err()
}

proptest! {
    #![proptest_config(cases(400))]
    #[test]
    fn any_step_is_the_report_s_or_has_a_reason(scenario in any_scenario()) {
        checked(&scenario, "any");
    }
}

/// Scenarios whose figure once showed another run than the memory sum. The layouts that the trace
/// carries are drawn, the others are sentences.
#[test]
fn figures_that_once_contradicted_the_sum_agree_or_say_why() {
    let drawn = [
        "cluster=workstation-4x-4090&model=llama-2-13b&gpus=4&recompute=full&offloadopt=yes&offloadparams=yes",
        "cluster=dgx-a100-80&model=mixtral-8x7b&gpus=32&ep=8",
        "cluster=dgx-h100&model=llama-3.1-8b&gpus=16&objective=ppo",
        "cluster=a100-40gb-200g&size=13B&gpus=64&seq=4096",
        "cluster=a100-40gb-200g&size=13B&gpus=64&seq=4096&anchormemory=1.2",
    ];
    for link in drawn {
        assert!(checked(&decode(link).scenario, link), "{link}: {}", reason(link));
    }
    let others = [
        "cluster=dgx-h200&model=deepseek-v3&gpus=256&ep=32&recompute=full",
        "cluster=selene&model=gpt-3-175b&gpus=1024&tp=8&pp=8&strategy=zero1&recompute=full",
        "cluster=dgx-h100&model=llama-3.1-405b&gpus=1024&tp=8&pp=16&strategy=zero1",
    ];
    for link in others {
        assert!(!checked(&decode(link).scenario, link) && reason(link).to_string().contains(" the sum"), "{link}");
    }
}

#[test]
fn a_reason_names_what_is_not_simulated_and_both_numbers() {
    let offloaded = reason("cluster=dgx-h100&model=llama-3-8b&gpus=8&offloadact=yes");
    assert_eq!(offloaded, NotDrawn::Unlike(Gap::Activations));
    let experts = reason("cluster=dgx-h200&model=deepseek-v3&gpus=256&ep=32&recompute=full").to_string();
    for word in ["GiB", "the sum", "Not simulated: ", "exchanges of tokens", "shared experts"] {
        assert!(experts.contains(word), "no {word} in {experts}");
    }
}

/// At least this many of the catalog's examples are drawn: the others are ZeRO-1 under pipelines,
/// DDP, and layers without a trace.
#[test]
fn most_examples_are_drawn() {
    let drawn = SCENARIOS.iter().filter(|entry| checked(&decode(entry.link).scenario, entry.id)).count();
    assert!(4 * drawn >= 3 * SCENARIOS.len(), "{drawn} of {}", SCENARIOS.len());
}

/// A stage of a pipeline without a head has no logits, and keeps the activations of all its
/// micro-batches in flight: GPT-3 on 8 stages has `8 - 1` more on the first (1F1B, arXiv
/// 2104.04473, section 2.2.1).
#[test]
fn a_first_stage_keeps_its_other_micro_batches_and_no_logits() {
    let of = |accum: u32| {
        let link = format!("cluster=selene&model=gpt-3-175b&gpus=64&tp=8&pp=8&accum={accum}&recompute=none");
        let setup = decode(&link).scenario.setup();
        let stage = engine::model::stages::stages(&setup).first;
        let trace = trace::Trace::record(&setup, &stage);
        let curve = trace.curve(RunStep::Steady, trace::allocator::Segments::Fixed, usize::MAX);
        assert!(curve.points.iter().all(|point| point.by[Category::Logits] == 0));
        assert_eq!(curve.points.last().unwrap().by[Category::Activation], 0);
        curve.points.iter().map(|point| point.by[Category::Activation]).max().unwrap() as f64
    };
    let ratio = of(64) / of(1);
    assert!((ratio / 8.0 - 1.0).abs() < 0.1, "{ratio}");
}

/// Every fourth frozen link, most of them random: nearly seven of ten are drawn.
#[test]
fn frozen_links_agree_or_say_why() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/links/guard.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let links: Vec<&str> = text.lines().skip(1).step_by(4).filter_map(|line| line.split(',').next()).collect();
    let drawn = links.iter().filter(|link| checked(&decode(link).scenario, link)).count();
    assert!(links.len() > 400 && 5 * drawn > 3 * links.len(), "{drawn} of {}", links.len());
}

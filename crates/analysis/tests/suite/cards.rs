//! Cards, levers and the best layout, over random scenarios: none promises what it does not keep,
//! and none is left out for a smaller one.

use analysis::advice::{Advice, LEAST_GAIN, advise, is_worth_the_odds, is_worth_the_time, margin};
use analysis::change::{Price, Turn};
use analysis::layouts::{self, LayoutSearch};
use analysis::ranking::Layout;
use analysis::time_reductions::time_reductions;
use catalog::accuracy::Fit;
use engine::model::report::Report;
use engine::model::step::waterfall::waterfall;
use engine::params::ParamId;
use engine::scenario::Scenario;
use links::{decode, encode};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::any::any_scenario;

/// Scenarios that are tried.
const COUNT: usize = 200;
/// GPUs up to which all layouts are searched: beyond, a debug build takes long.
const FEW: u32 = 64;
/// Difference within which two gains are equal.
const ROUNDING: f64 = 1e-9;

/// Choices that the search of layouts makes too.
const SEARCHED: [ParamId; 3] = [ParamId::AttentionKernel, ParamId::Compile, ParamId::PipelineSchedule];
/// Share of a step below which the search leaves kernels as they are.
const SAME_LAYOUT: f64 = 0.01;

/// Scenarios of a fixed seed.
fn scenarios() -> impl Iterator<Item = Scenario> {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    (0..COUNT).map(move |_| any_scenario().new_tree(&mut runner).unwrap().current())
}

fn gain(now: &Report, then: &Report) -> f64 {
    then.whole().tokens_per_s_per_gpu / now.whole().tokens_per_s_per_gpu - 1.0
}

/// Asserts that the link of a card's scenario reproduces the card's report.
fn is_kept(scenario: &Scenario, said: &Report) {
    let opened = decode(&encode(scenario)).scenario;
    assert_eq!(opened, *scenario);
    let report = opened.report();
    assert_eq!(report, *said);
    assert_eq!((report.verdict(), report.odds()), (said.verdict(), said.odds()));
}

fn searched(scenario: &Scenario, report: &Report) -> Option<Layout> {
    let mut search = LayoutSearch::new(scenario);
    while !search.advance(usize::MAX) {}
    search.offered(report)
}

#[test]
fn cards_keep_what_they_promise_and_none_is_worth_less_than_a_lever() {
    let (mut cards_of_fitting, mut found_levers, mut found_layouts) = (0, 0, 0);
    for scenario in scenarios() {
        let report = scenario.report();
        let link = encode(&scenario);
        let cards = advise(&scenario, &report);
        assert!(cards.is_sorted_by_key(|card| card.price), "{link}: {cards:?}");
        let least_odds = margin(&scenario, &report);
        for card in &cards {
            is_kept(&card.scenario, &card.report);
            assert!(card.report.fits(), "{link}: {:?}", card.turn);
            assert!((card.gain - gain(&report, &card.report)).abs() < ROUNDING);
            let same = card.report.tokens_per_step == report.tokens_per_step;
            assert!(same || card.price != Price::Free, "{link}: {:?} changes the batch", card.turn);
            // A run that its host has no memory for is mended at a price.
            let fits = Fit::check(&scenario, &report).fits;
            assert!(!fits || is_worth_the_time(card.gain), "{link}: {:?} costs {}", card.turn, card.gain);
            if fits && least_odds.as_ref() != Some(card) {
                assert!(card.gain >= LEAST_GAIN, "{link}: {:?} {}", card.turn, card.gain);
                assert!(is_worth_the_odds(card.gain, report.odds(), card.report.odds()), "{link}");
            }
        }
        let layouts = if scenario.gpus <= FEW { searched(&scenario, &report) } else { None };
        if let Some(layout) = &layouts {
            is_kept(&layout.scenario, &layout.report);
            assert!(!report.fits() || gain(&report, &layout.report) >= layouts::LEAST_GAIN, "{link}");
        }
        found_layouts += usize::from(layouts.is_some());
        let runs_as_well = |card: &&Advice| card.lack.is_none() && scenario.lack().is_none();
        let kernels = cards.iter().filter(|card| matches!(card.turn, Turn::Option(id, _) if SEARCHED.contains(&id)));
        for card in kernels.filter(runs_as_well) {
            let is_faster = |layout: &Layout| gain(&card.report, &layout.report) >= -SAME_LAYOUT;
            // The first layout is a sure one, if any is.
            let is_surer = card.report.odds() > layouts.map_or(1.0, |layout| layout.odds) || !card.report.is_sure();
            let is_found = layouts.as_ref().is_none_or(is_faster) || is_surer;
            let found: Vec<_> = layouts.iter().map(|layout| (gain(&report, &layout.report), layout.odds)).collect();
            assert!(is_found, "{link}: {:?} {} {found:?}", card.turn, card.gain);
        }
        if !Fit::check(&scenario, &report).fits {
            continue;
        }
        cards_of_fitting += cards.len();
        let best = cards.iter().map(|card| card.gain).fold(LEAST_GAIN, f64::max);
        for lever in time_reductions(&scenario, &report, &waterfall(&scenario.setup(), &report)) {
            let Advice { turn, gain, .. } = lever.advice;
            is_kept(&lever.advice.scenario, &lever.advice.report);
            assert!(gain <= best + ROUNDING, "{link}: {turn:?} gains {gain}, the cards {best}");
            found_levers += 1;
        }
    }
    let found = [cards_of_fitting, found_levers, found_layouts];
    assert!(found.iter().all(|count| *count > COUNT / 8), "{found:?}");
}

/// The runs of the review in which the cards left the largest levers out.
#[test]
fn the_largest_software_levers_are_offered() {
    for (link, wanted) in [
        ("v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=64&seq=32k&cp=4&loss=fused-linear", "flash-tuned"),
        ("v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=8&seq=8k", "flash-tuned"),
        ("v=1&cluster=dgx-h200&model=deepseek-v3&gpus=256&tp=4&pp=32&ep=8", "dualpipe"),
        ("v=1", "compile=yes"),
    ] {
        let scenario = decode(link).scenario;
        let report = scenario.report();
        let cards = advise(&scenario, &report);
        let said: Vec<_> = cards.iter().map(|card| (card.turn, card.price, card.gain, card.report.odds())).collect();
        let is_it = |card: &&Advice| encode(&card.scenario).contains(wanted);
        let place = cards.iter().position(|card| is_it(&card));
        assert!(place.is_some(), "{link}: {} {said:?}", report.odds());
        let bought = cards.iter().position(|card| card.price == Price::Bought);
        assert!(bought.is_none_or(|bought| place.is_some_and(|place| place < bought)), "{link}: {said:?}");
    }
}

//! Pinned scenarios next to the one on screen.

use crate::{after, page, rendered, words};
use engine::params::ParamId;
use engine::scenario::Scenario;
use shardwise::compare::{differences, name};
use shardwise::components::tile::Delta;
use shardwise::panels::pins::words::{FULL, deltas};
use shardwise::state::Action;
use shardwise::view::{Panel, View};
use shardwise::{App, Start};
use yew::Reducible as _;

fn pinned(scenario: &Scenario, pins: Vec<Scenario>) -> String {
    rendered::<App>(Start { scenario: *scenario, pins, issues: Vec::new(), view: View::default(), drawer: false })
}

fn pinned_at(panel: Panel, scenario: &Scenario, pins: Vec<Scenario>) -> String {
    let view = View::default().showing(panel);
    rendered::<App>(Start { scenario: *scenario, pins, issues: Vec::new(), view, drawer: false })
}

#[test]
fn pins_are_choices_that_undo_leaves_alone() {
    let slide = Action::Slide { key: ParamId::SequenceLength, index: 3 };
    let state = after(vec![Action::Pin, Action::Pin, slide, Action::EndGesture, Action::Commit]);
    assert_eq!(state.pins, [catalog::default_scenario()]);
    let moved = state.scenario;
    let undone = state.reduce(Action::Undo);
    assert_eq!((undone.scenario, undone.pins.len()), (catalog::default_scenario(), 1));
    let redone = undone.reduce(Action::Redo);
    assert_eq!((redone.scenario, redone.pins.len()), (moved, 1));
    let swapped = redone.reduce(Action::Swap(0));
    assert_eq!((swapped.scenario, swapped.pins.as_slice()), (catalog::default_scenario(), [moved].as_slice()));
    let nowhere = swapped.reduce(Action::Swap(7)).reduce(Action::Unpin(7));
    assert_eq!(nowhere.pins, [moved]);
    assert_eq!(nowhere.reduce(Action::Unpin(0)).pins, []);
}

#[test]
fn a_fourth_pin_changes_nothing_and_the_page_says_so() {
    let gpus = |gpus: u32| Scenario { gpus, ..catalog::default_scenario() };
    let take = |count: u32| [Action::ReplaceScenario(Box::new(gpus(count))), Action::Pin];
    let state = after([8, 16, 32, 128].into_iter().flat_map(take).collect());
    assert_eq!(state.pins, [8, 16, 32].map(gpus));
    let html = words(&pinned_at(Panel::Compare, &gpus(128), state.pins.clone()));
    assert!(html.contains(FULL));
}

#[test]
fn an_opened_link_brings_its_pins() {
    let link = links::decode("gpus=8&pin=1&gpus=16");
    let arrive = Action::OpenLink { scenario: Box::new(link.scenario), pins: link.pins.clone(), issues: link.issues };
    let state = after(vec![Action::Pin, Action::ShowExample(Some(2)), arrive]);
    assert_eq!((state.scenario.gpus, &state.pins, state.example), (8, &link.pins, None));
}

#[test]
fn pins_of_an_opened_comparison_leave_with_undo() {
    let here = catalog::default_scenario();
    let own = Scenario { gpus: 128, ..here };
    let compared = [8, 16].map(|gpus| Scenario { gpus, ..here });
    let [first, other] = compared;
    let compare = Action::OpenLink { scenario: Box::new(first), pins: vec![other], issues: Vec::new() };
    let pinned = vec![Action::ReplaceScenario(Box::new(own)), Action::Pin, Action::ReplaceScenario(Box::new(here))];
    let state = after(pinned.into_iter().chain([Action::Commit, compare, Action::Commit]).collect());
    assert_eq!((state.scenario, state.pins.as_slice()), (first, [other].as_slice()));
    let undone = state.reduce(Action::Undo);
    assert_eq!((undone.scenario, undone.pins.as_slice()), (here, [own].as_slice()));
    let redone = undone.reduce(Action::Redo);
    assert_eq!((redone.scenario, redone.pins.as_slice()), (first, [other].as_slice()));
    // A comparison with the run on screen is a step of its own.
    let again = Action::OpenLink { scenario: Box::new(first), pins: vec![own, other], issues: Vec::new() };
    assert_eq!(redone.reduce(again).reduce(Action::Undo).pins, [other]);
}

#[test]
fn pinned_scenarios_stand_under_the_figures_with_their_differences() {
    let here = catalog::default_scenario();
    let slow = links::decode("link=100&gpus=32").scenario;
    let html = pinned_at(Panel::Compare, &here, vec![slow, here]);
    assert!(!page(&here, Vec::new()).contains("pin-chip") && pinned(&here, vec![slow]).contains("pin-chip"));
    assert_eq!(html.matches("class=\"tile-delta").count(), 7);
    let said = words(&html).replace('\u{2009}', " ");
    for expected in [
        "A 100 Gbit/s, 32 GPUs",
        "B as on screen",
        " points vs A",
        " % vs A, better",
        " GiB vs A",
        " % time",
        " % cost vs A",
    ] {
        assert!(said.contains(expected), "{expected} not in {said}");
    }
    for name in ["Swap pinned scenario A", "Remove pinned scenario B"] {
        assert!(html.contains(&format!("aria-label=\"{name}\"")), "{name}");
    }
    // The button names the pin of the scenario on screen.
    assert!(said.contains("Pinned as B"));
    // The figures of a run on half the GPUs are compared with this run's, in words.
    for expected in ["This run", "Cost", "Tokens per $"] {
        assert!(said.contains(expected), "{expected} not in {said}");
    }
    // The memory figure and the curves have one line per pin.
    let [memory, curve] = [Panel::Memory, Panel::Curve].map(|panel| pinned_at(panel, &here, vec![slow, here]));
    assert_eq!(memory.matches("class=\"pinned-bar\"").count(), 2);
    assert!(curve.contains("line-pin-0") && curve.contains("Pinned scenario A is at link bandwidth 100"));
    for forbidden in [" style=\"", "NaN", "inf "] {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn differences_are_told_by_entries_and_parameters() {
    let here = catalog::default_scenario();
    let there = |link: &str| {
        let scenario = links::decode(link).scenario;
        let all = differences(&here, &scenario);
        name(0, &all).replace('\u{2009}', " ")
    };
    assert_eq!(there(""), "A: as on screen");
    assert_eq!(there("model=llama-3-8b"), "A: Llama 3 8B");
    assert_eq!(there("cluster=a100-40gb-100g"), "A: 100 Gbit/s");
    assert_eq!(there("strategy=ddp&seq=8192"), "A: 8,192 tokens, DDP");
    assert_eq!(there("gpus=8&seq=8192&size=7B"), "A: 8,192 tokens, 7B and 1 more");
    assert_eq!(there("cluster=dgx-h100"), "A: 64 H100 SXM, 400 Gbit/s and 2 more");
}

#[test]
fn a_difference_has_its_sign_and_says_whether_it_is_better() {
    let now = catalog::default_scenario().report();
    let mut then = now;
    then.update.mfu = now.update.mfu - 0.0524;
    then.update.time.step = 1.25 * now.update.time.step;
    let [mfu, tokens, step, needed] = deltas(&now, &then);
    let said = |delta: &Delta| delta.text.replace('\u{2009}', " ");
    assert_eq!((said(&mfu), mfu.better), ("+5.2 points".into(), Some(true)));
    assert_eq!((said(&step), step.better), ("−20.0 %".into(), Some(true)));
    assert_eq!((said(&tokens), tokens.better), ("±0 %".into(), None));
    assert_eq!(said(&needed), "±0 GiB");
}

#[test]
fn pins_on_other_gpus_are_compared_at_the_same_money() {
    let here = links::decode("cluster=dgx-h100&model=llama-3.1-8b&gpus=64&price=4").scenario;
    let there = links::decode("cluster=dgx-h200&model=llama-3.1-8b&gpus=64&price=8").scenario;
    let said = |pin| words(&pinned_at(Panel::Compare, &here, vec![pin]));
    // The searches of layouts run in the browser.
    assert!(said(there).contains("At equal money, each in its best layout"));
    let longer = Scenario { seq_len: 16_384, ..here };
    assert!(!said(longer).contains("At equal money"), "one kind of GPU has nothing to be compared with");
}

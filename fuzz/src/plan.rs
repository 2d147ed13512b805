//! Plans, the best layouts and advice for any scenario: answers that are scenarios of their own, or
//! a sentence.

use crate::link_of;
use analysis::advice::{advise, margin};
use analysis::layouts::LayoutSearch;
use analysis::plan::{Plan, Question, Terms};
use api::plan::{self, PlanRequest};
use api::rank::{self, RankRequest};
use api::{Given, Reading};
use engine::params;
use engine::scenario::Scenario;
use links::{decode, encode};

/// Layouts of a search that is not run to its end.
const PIECE: usize = 300;
/// GPUs whose layouts are searched to the end.
const FEW: u32 = 4;

/// Asks for plans, layouts and advice of a scenario, and checks each of them.
///
/// # Panics
/// When a check fails.
pub fn check(data: &[u8]) {
    let Some(([kind, limit], rest)) = data.split_first_chunk::<2>() else { return };
    let text = link_of(rest);
    let scenario = decode(&text).scenario;
    let report = scenario.report();
    for advice in advise(&scenario, &report).into_iter().chain(margin(&scenario, &report)) {
        check_scenario(&advice.scenario);
    }
    match kind % 4 {
        0 => {
            let mut search = LayoutSearch::new(&scenario);
            search.advance(PIECE);
            search.ranking().best().iter().for_each(|layout| check_scenario(&layout.scenario));
        }
        1 => {
            let question = Question::ALL[usize::from(kind / 4) % Question::ALL.len()];
            let mut plan = Plan::new(&scenario, question.kind(), Terms::usual(&scenario));
            plan.advance(PIECE);
            let front = plan.front().into_iter().chain(plan.nearest_miss(question));
            plan.answers(question).into_iter().chain(front).for_each(|found| check_scenario(&found.scenario));
        }
        2 if scenario.gpus <= FEW => ranked(&text, *limit),
        _ => asked(&text, *kind, *limit, scenario.gpus <= FEW),
    }
}

/// The best layouts of any batch, with any key held.
fn ranked(text: &str, limit: u8) {
    let hold = [vec![], vec!["tp".to_owned()], vec!["no key".to_owned()]];
    let asked = RankRequest {
        batch: [None, Some(1e6), Some(f64::NAN), Some(0.0)][usize::from(limit / 64)],
        hold: &hold[usize::from(limit) % hold.len()],
        most: 3,
    };
    json(&rank::rank(&Given { reading: Reading::Lenient, ..Given::from(text) }, &asked));
}

/// Any question, with any deadline or budget, of any clusters. What nothing refuses is searched
/// where that is short.
fn asked(text: &str, kind: u8, limit: u8, is_small: bool) {
    let questions = ["fewest", "cheapest", "fastest", "context", "model", "batch", "", "fewest\u{1F600}"];
    let limits =
        [None, Some(0.0), Some(-1.0), Some(f64::NAN), Some(f64::INFINITY), Some(1e-300), Some(1e300), Some(9.0)];
    let clusters = [vec![], vec!["own".to_owned()], vec!["own".to_owned(), "dgx".to_owned()], vec![String::new()]];
    let asked = PlanRequest {
        question: questions[usize::from(kind / 4) % questions.len()],
        limit: limits[usize::from(limit) % limits.len()],
        batch: [None, Some(1e6), Some(f64::NAN), Some(0.0)][usize::from(limit / 64)],
        sure: [None, Some(0.5), Some(2.0), Some(f64::NAN)][usize::from(limit / 16 % 4)],
        clusters: &clusters[usize::from(limit / 8) % clusters.len()],
        hold: &[],
        most: usize::from(kind / 32),
    };
    if is_small || (1..4).contains(&(limit % 8)) || limit / 8 % 4 > 1 || kind / 4 % 8 > 5 {
        json(&plan::plan(&Given { reading: Reading::Lenient, ..Given::from(text) }, &asked));
    }
}

/// JSON, or a sentence.
fn json(answer: &Result<String, api::Refusal>) {
    match answer {
        Ok(json) => assert!(serde_json::from_str::<serde_json::Value>(json).is_ok(), "{json}"),
        Err(refusal) => assert!(refusal.message.ends_with(['.', '?']), "{refusal}"),
    }
}

/// A scenario within its bounds that survives its link.
fn check_scenario(scenario: &Scenario) {
    for param in params::every().filter(|param| params::is_held(param, scenario)) {
        assert!(params::is_within_bounds(param, scenario), "{} in {}", param.key, encode(scenario));
    }
    assert_eq!(decode(&encode(scenario)).scenario, *scenario, "{}", encode(scenario));
}

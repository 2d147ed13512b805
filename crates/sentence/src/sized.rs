//! Questions whose answer is a run: the smallest GPU that holds a model, the largest
//! compute-optimal model for a budget.

use analysis::plan::USUAL_DAYS;
use catalog::names::{gpu_with_memory, usual_node};
use catalog::pick::{LADDER, pick_model};
use catalog::{ACCELERATORS, AcceleratorEntry};
use engine::format;
use engine::model::ladder;
use engine::model::odds::Verdict;
use engine::scenario::data::Length;
use links::v1;

use crate::settle::{OPTIMAL_TOKENS, SettledScenario};

/// Numbers of a card that are tried, in this order.
const CARDS: [u32; 4] = [1, 2, 4, 8];
/// Steps towards the size whose cost is the budget. The cost grows with the square of the size, so
/// that each step leaves only the change of the efficiency.
const STEPS: usize = 8;
/// Share of the budget that the run costs at least when the steps end.
const CLOSE: f64 = 0.97;
/// Maker of the cards that are tried: programs of all kinds run on them.
const MAKER: &str = "NVIDIA";

impl SettledScenario {
    /// Moves the run to the card with the least memory that is sure to hold it: one of them, else
    /// two, four or eight.
    pub(crate) fn smallest_gpu(&mut self, keeps_number: bool) {
        let cards = cards();
        let own = [self.scenario.gpus];
        let numbers: &[u32] = if keeps_number { &own } else { &CARDS };
        for gpus in numbers {
            for card in &cards {
                let mut tried = self.clone();
                let Some(node) = usual_node(card.id) else { continue };
                tried.put(v1::CLUSTER_KEY, node.id);
                tried.put(v1::GPUS_KEY, &gpus.to_string());
                if tried.scenario.report().verdict() != Verdict::Fits {
                    tried.lay_out(false);
                }
                if tried.scenario.report().verdict() == Verdict::Fits {
                    tried.chose(
                        "gpu",
                        format!("{gpus} × {}", card.name),
                        "it has the least memory on which the run is sure to fit",
                    );
                    *self = tried;
                    return;
                }
            }
        }
        self.lay_out(false);
        self.chose("gpu", format::gpus(self.scenario.gpus), "no eight cards of one kind are sure to hold the run");
    }

    /// Sets the largest compute-optimal model for a budget, on as many GPUs as finish in the usual
    /// time unless their number is given.
    pub(crate) fn largest_for(&mut self, dollars: f64, keeps_number: bool) {
        pick_model(&mut self.scenario, LADDER);
        let mut size = self.scenario.model.size();
        let begun = self.clone();
        for _ in 0..STEPS {
            let mut tried = begun.clone();
            tried.scenario.gpus = self.scenario.gpus;
            tried.put("size", &format!("{size:.0}"));
            let tokens = OPTIMAL_TOKENS * tried.scenario.model.architecture().active_params() as f64;
            tried.put("tokens", &format!("{tokens:.0}"));
            tried.lay_out(false);
            let run = tried.scenario.run_report();
            *self = tried;
            let cost = run.cost.get();
            if !(cost.is_finite() && cost > 0.0) {
                break;
            }
            let is_late = run.time.days() > USUAL_DAYS && !keeps_number;
            if is_late {
                let times = (run.time.days() / USUAL_DAYS).log2().ceil().exp2();
                self.scenario.gpus = (f64::from(self.scenario.gpus) * times) as u32;
            } else if (CLOSE * dollars..=dollars).contains(&cost) {
                break;
            }
            size = rounded(size * (dollars / cost).sqrt()).clamp(ladder::SIZES.0, ladder::SIZES.1);
        }
        let (size, tokens) = (self.scenario.model.size(), self.scenario.train_tokens());
        let why = format!("its compute-optimal run costs {}", format::dollars(self.scenario.run_report().cost.get()));
        self.chose("model", format!("a GPT-style model of {}", format::params(size)), why);
        let why = "compute-optimal training takes 20 for each active parameter (arXiv 2203.15556, Table 3)";
        self.chose("tokens", Length::Tokens(tokens).to_string(), why);
        if !keeps_number {
            let why = format!("they finish within {USUAL_DAYS} days");
            self.chose("gpus", format::gpus(self.scenario.gpus), why);
        }
    }
}

/// Rounds a size down to three digits.
fn rounded(size: f64) -> f64 {
    let unit = 10_f64.powf(size.log10().floor() - 2.0);
    (size / unit).floor() * unit
}

/// Returns the cards of the catalog that are sold one by one, or are common, by their memory: one
/// for each.
fn cards() -> Vec<&'static AcceleratorEntry> {
    let gib = |entry: &AcceleratorEntry| entry.values.memory.gib();
    let is_sold = |entry: &&AcceleratorEntry| {
        let is_common = gpu_with_memory(gib(entry)).is_some_and(|common| common.id == entry.id);
        entry.name.starts_with("RTX") || is_common && entry.maker == MAKER
    };
    let mut cards: Vec<_> = ACCELERATORS.iter().filter(is_sold).collect();
    cards.sort_by(|one, other| gib(one).total_cmp(&gib(other)));
    cards.dedup_by_key(|entry| entry.values.memory);
    cards
}

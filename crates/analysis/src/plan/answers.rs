//! Answers to a question: the cases of a search that answer the question, the best first.

use core::cmp::Ordering;

use super::{FastestLayout, Plan, Question};

impl Plan {
    /// Returns the answers found so far, the best first; for questions over clusters, the best of
    /// each cluster.
    pub fn answers(&self, question: Question) -> Vec<&FastestLayout> {
        if question.kind() != self.kind() {
            return Vec::new();
        }
        let mut rows: Vec<&FastestLayout> =
            self.found().iter().filter(|found| self.is_answer(question, found)).collect();
        rows.sort_by(|one, other| self.order(question, one, other));
        if matches!(question, Question::FewestGpus | Question::Cheapest { .. } | Question::Fastest { .. }) {
            let mut met = Vec::with_capacity(self.hardware().len());
            rows.retain(|found| {
                let is_new = !met.contains(&found.hardware);
                met.push(found.hardware);
                is_new
            });
        }
        if question == Question::LongestContext {
            rows.dedup_by_key(|found| found.scenario.seq_len);
        }
        rows
    }

    /// Returns the best answer of a search in a larger batch if it beats the best answer here by a
    /// tenth, so that rounding of the batch does not count. Any answer beats none.
    pub fn answer_in_a_larger_batch<'a>(&self, larger: &'a Self, question: Question) -> Option<&'a FastestLayout> {
        let best = |plan: &'a Self| plan.answers(question).first().copied();
        let then = best(larger)?;
        let figure = |found: &FastestLayout| match question {
            Question::Cheapest { .. } => found.dollars(),
            Question::Fastest { .. } => found.days(),
            _ => f64::from(found.scenario.gpus),
        };
        let now = self.answers(question).first().map_or(f64::INFINITY, |found| figure(found));
        (figure(then) < 0.9 * now).then_some(then)
    }

    /// Returns the run that misses a deadline or a budget by least, if no run meets it: the one
    /// with the best odds of holding it or, where none has any, the fastest or the cheapest.
    pub fn nearest_miss(&self, question: Question) -> Option<&FastestLayout> {
        let priced = || self.found().iter().filter(|found| self.has_price(found));
        let odds = |found: &FastestLayout| (1e3 * found.limit_odds(question).unwrap_or_default()).round();
        let by_odds = |one: &FastestLayout, other: &FastestLayout| odds(other).total_cmp(&odds(one));
        let by_days = |one: &FastestLayout, other: &FastestLayout| one.days().total_cmp(&other.days());
        let by_dollars = |one: &FastestLayout, other: &FastestLayout| one.dollars().total_cmp(&other.dollars());
        match question {
            Question::Cheapest { .. } => priced().min_by(|one, other| by_odds(one, other).then(by_days(one, other))),
            Question::Fastest { .. } => priced().min_by(|one, other| by_odds(one, other).then(by_dollars(one, other))),
            _ => None,
        }
    }

    fn is_answer(&self, question: Question, found: &FastestLayout) -> bool {
        match question {
            Question::Cheapest { days } => {
                self.has_price(found) && found.days() <= days && found.odds_in_time(days) >= self.terms().sure
            }
            Question::Fastest { dollars } => {
                let is_sure = found.odds_in_budget(dollars) >= self.terms().sure;
                self.has_price(found) && found.dollars() <= dollars && is_sure
            }
            Question::FewestGpus | Question::LongestContext | Question::LargestModel | Question::LargestBatch => true,
        }
    }

    fn order(&self, question: Question, one: &FastestLayout, other: &FastestLayout) -> Ordering {
        let by_days = one.days().total_cmp(&other.days());
        // Among equals, runs without a price are last.
        let price = |found: &FastestLayout| if self.has_price(found) { found.dollars() } else { f64::INFINITY };
        let by_dollars = price(one).total_cmp(&price(other));
        let most = |of: fn(&FastestLayout) -> f64| of(other).total_cmp(&of(one));
        match question {
            Question::FewestGpus => one.scenario.gpus.cmp(&other.scenario.gpus).then(by_dollars).then(by_days),
            Question::Cheapest { .. } => by_dollars.then(by_days),
            Question::Fastest { .. } => by_days.then(by_dollars),
            Question::LongestContext => {
                // At equal length, the batch that grows least is first.
                most(|found| f64::from(found.scenario.seq_len)).then(one.batch().total_cmp(&other.batch()))
            }
            Question::LargestModel => most(|found| found.scenario.model.architecture().params() as f64),
            Question::LargestBatch => most(|found| f64::from(found.sequences())),
        }
    }
}

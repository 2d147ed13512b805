//! The answers to a question: the cases of a search that answer it, the best first.

use core::cmp::Ordering;

use super::{Found, Plan, Question};

impl Plan {
    /// Returns the answers that were found so far, the best first; of questions over clusters the best of each.
    pub fn answers(&self, question: Question) -> Vec<&Found> {
        if question.kind() != self.kind() {
            return Vec::new();
        }
        let mut rows: Vec<&Found> = self.found().iter().filter(|found| self.is_answer(question, found)).collect();
        rows.sort_by(|one, other| self.order(question, one, other));
        if matches!(question, Question::FewestGpus | Question::Cheapest { .. } | Question::Fastest { .. }) {
            let mut met = Vec::with_capacity(self.hardware().len());
            rows.retain(|found| {
                let is_new = !met.contains(&found.hardware);
                met.push(found.hardware);
                is_new
            });
        }
        rows
    }

    /// Returns the run that misses a deadline or a budget by least, where none holds it: the fastest, or the cheapest.
    pub fn nearest_miss(&self, question: Question) -> Option<&Found> {
        let priced = || self.found().iter().filter(|found| self.has_price(found));
        match question {
            Question::Cheapest { .. } => priced().min_by(|one, other| one.days().total_cmp(&other.days())),
            Question::Fastest { .. } => priced().min_by(|one, other| one.dollars().total_cmp(&other.dollars())),
            _ => None,
        }
    }

    fn is_answer(&self, question: Question, found: &Found) -> bool {
        match question {
            Question::Cheapest { days } => self.has_price(found) && found.days() <= days,
            Question::Fastest { dollars } => self.has_price(found) && found.dollars() <= dollars,
            Question::FewestGpus | Question::LongestContext | Question::LargestModel | Question::LargestBatch => true,
        }
    }

    fn order(&self, question: Question, one: &Found, other: &Found) -> Ordering {
        let by_days = one.days().total_cmp(&other.days());
        // What has no price is last among equals.
        let price = |found: &Found| if self.has_price(found) { found.dollars() } else { f64::INFINITY };
        let by_dollars = price(one).total_cmp(&price(other));
        let most = |of: fn(&Found) -> f64| of(other).total_cmp(&of(one));
        match question {
            Question::FewestGpus => one.scenario.gpus.cmp(&other.scenario.gpus).then(by_dollars).then(by_days),
            Question::Cheapest { .. } => by_dollars.then(by_days),
            Question::Fastest { .. } => by_days.then(by_dollars),
            Question::LongestContext => most(|found| f64::from(found.scenario.seq_len)),
            Question::LargestModel => most(|found| found.scenario.model.architecture().params() as f64),
            Question::LargestBatch => most(|found| f64::from(found.sequences())),
        }
    }
}

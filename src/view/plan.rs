//! Settings of the plan: the question with its deadline and its budget.

use analysis::plan::{FastestLayout, Plan, Question, SearchKind, Terms, USUAL_DAYS, USUAL_DOLLARS, larger_batch};
use engine::scenario::Scenario;

/// The questions, without their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlanQuestion {
    /// [`Question::FewestGpus`].
    #[default]
    FewestGpus,
    /// [`Question::Cheapest`].
    Cheapest,
    /// [`Question::Fastest`].
    Fastest,
    /// [`Question::LongestContext`].
    LongestContext,
    /// [`Question::LargestModel`].
    LargestModel,
    /// [`Question::LargestBatch`].
    LargestBatch,
}

impl PlanQuestion {
    /// Every question, in display order.
    pub const ALL: [Self; 6] =
        [Self::FewestGpus, Self::Cheapest, Self::Fastest, Self::LongestContext, Self::LargestModel, Self::LargestBatch];

    /// Returns the name of the question in links.
    pub fn key(self) -> &'static str {
        PlanView { asked: self, ..PlanView::default() }.question().key()
    }

    /// Returns the question with this name.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|asked| asked.key() == key)
    }
}

/// Settings of the plan. Deadline and budget are kept while another question is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanView {
    /// The question.
    pub asked: PlanQuestion,
    /// The deadline in days.
    pub days: f64,
    /// The budget in US dollars.
    pub dollars: f64,
    /// Global batch in tokens per step; `None` for the scenario's default.
    pub batch: Option<f64>,
    /// Required odds in percent that an answer fits and meets its limit, one of [`SURE`].
    pub sure: u8,
    /// Accelerator of the shown answers to a question about clusters; `None` for all.
    pub gpu: Option<&'static str>,
}

/// Odds that can be required of an answer, in percent.
pub const SURE: [u8; 3] = [50, 80, 95];

impl Default for PlanView {
    fn default() -> Self {
        Self {
            asked: PlanQuestion::default(),
            days: USUAL_DAYS,
            dollars: USUAL_DOLLARS,
            batch: None,
            sure: SURE[1],
            gpu: None,
        }
    }
}

impl PlanView {
    /// Returns the question with its number.
    pub fn question(self) -> Question {
        match self.asked {
            PlanQuestion::FewestGpus => Question::FewestGpus,
            PlanQuestion::Cheapest => Question::Cheapest { days: self.days },
            PlanQuestion::Fastest => Question::Fastest { dollars: self.dollars },
            PlanQuestion::LongestContext => Question::LongestContext,
            PlanQuestion::LargestModel => Question::LargestModel,
            PlanQuestion::LargestBatch => Question::LargestBatch,
        }
    }

    /// Returns the answers of a plan, the best first, on the chosen accelerator.
    pub fn answers(self, plan: &Plan) -> Vec<&FastestLayout> {
        let mut answers = plan.answers(self.question());
        if let Some(gpu) = self.gpu.filter(|_| plan.kind() == SearchKind::Runs) {
            answers.retain(|found| found.scenario.accelerator.id == gpu);
        }
        answers
    }

    /// Returns the terms that every answer about a scenario must meet.
    pub fn terms(self, scenario: &Scenario) -> Terms {
        let usual = Terms::usual(scenario);
        Terms { batch: self.batch.unwrap_or(usual.batch), sure: f64::from(self.sure) / 100.0, ..usual }
    }

    /// Returns the terms with the batch of published runs, if that batch is larger and the question
    /// is about clusters.
    pub fn larger_terms(self, scenario: &Scenario) -> Option<Terms> {
        let terms = self.terms(scenario);
        let is_of_clusters =
            matches!(self.asked, PlanQuestion::FewestGpus | PlanQuestion::Cheapest | PlanQuestion::Fastest);
        let batch = larger_batch(scenario).filter(|batch| is_of_clusters && *batch > terms.batch)?;
        Some(Terms { batch, ..terms })
    }

    /// Returns the number of the question: its deadline or its budget; `None` for a question
    /// without one.
    pub fn number(self) -> Option<f64> {
        match self.asked {
            PlanQuestion::Cheapest => Some(self.days),
            PlanQuestion::Fastest => Some(self.dollars),
            _ => None,
        }
    }

    /// Returns the settings with another number for the question.
    #[must_use]
    pub fn with_number(self, number: f64) -> Self {
        match self.asked {
            PlanQuestion::Cheapest => Self { days: number, ..self },
            PlanQuestion::Fastest => Self { dollars: number, ..self },
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_belongs_to_its_question() {
        let plan = PlanView { asked: PlanQuestion::Cheapest, ..PlanView::default() };
        assert_eq!(plan.with_number(7.0).question(), Question::Cheapest { days: 7.0 });
        assert_eq!(PlanView::default().with_number(7.0), PlanView::default());
    }
}

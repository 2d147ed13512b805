//! What a sentence asks backwards: from a deadline, a budget or the GPUs at hand to hardware.

use analysis::plan::{Kind, Question, USUAL_DAYS};

use crate::said::Said;

/// A question of a plan, or for the best layout.
#[derive(Clone, Debug, PartialEq)]
pub struct Asks {
    /// What is planned; `None` where only the best layout of the scenario is asked for.
    pub question: Option<Question>,
    /// The clusters of the catalog among which it is planned, by their keys; none for all of them.
    pub clusters: Vec<&'static str>,
    /// The tokens of a step, where the text says them.
    pub batch: Option<f64>,
}

impl Asks {
    /// The query of the page that shows the answer, with its `?`: `?plan=cheapest&days=7`.
    ///
    /// ```
    /// use catalog::default_scenario;
    ///
    /// let read = sentence::understand("70B, 1T tokens, one week, cheapest", &default_scenario());
    /// assert_eq!(read.asks.unwrap().query().as_deref(), Some("?plan=cheapest&days=7"));
    /// ```
    pub fn query(&self) -> Option<String> {
        let question = self.question?;
        let limit = match question {
            Question::Cheapest { days } => format!("&days={days}"),
            Question::Fastest { dollars } => format!("&budget={dollars}"),
            _ => String::new(),
        };
        let batch = self.batch.map_or_else(String::new, |batch| format!("&batch={batch}"));
        Some(format!("?plan={}{limit}{batch}", question.key()))
    }

    /// What is asked, in words.
    ///
    /// ```
    /// use catalog::default_scenario;
    ///
    /// let now = default_scenario();
    /// let read = sentence::understand("longest context for llama 3.1 8b on 8 H100", &now);
    /// assert_eq!(read.asks.unwrap().words(), "the longest sequences on these GPUs");
    /// ```
    pub fn words(&self) -> String {
        match self.question {
            None => "the best layout".to_owned(),
            Some(Question::FewestGpus) => "the fewest GPUs that hold the run".to_owned(),
            Some(Question::Cheapest { days }) => format!("the cheapest run within {days} days"),
            Some(Question::Fastest { dollars }) => {
                format!("the fastest run for at most {}", engine::format::dollars(dollars))
            }
            Some(Question::LongestContext) => "the longest sequences on these GPUs".to_owned(),
            Some(Question::LargestModel) => "the largest model on these GPUs".to_owned(),
            Some(Question::LargestBatch) => "the largest batch on these GPUs".to_owned(),
        }
    }

    /// Whether the answer chooses hardware and layout itself.
    pub(crate) fn chooses_hardware(&self) -> bool {
        self.question.is_some_and(|question| question.kind() == Kind::Runs)
    }
}

/// Hours of a day.
const HOURS: f64 = 24.0;

/// What is asked, with what contradicts itself and what was assumed of the limit.
pub(crate) fn of(said: &Said, notes: &mut Notes) -> Option<Asks> {
    let number = |key: &str| said.number(key);
    let units = [("ask.days", 1.0), ("ask.weeks", 7.0), ("ask.months", 30.0), ("ask.hours", 1.0 / HOURS)];
    let days = units.into_iter().find_map(|(key, factor)| Some(number(key)? * factor));
    let dollars = number("ask.budget");
    let named = said.value("ask.question");
    if days.is_some() && dollars.is_some() {
        let both = "A plan holds one limit: it is planned by the deadline, and its cost stands beside the budget.";
        notes.conflicts.push(both.to_owned());
    }
    let question = match (named, days, dollars) {
        (Some("context"), ..) => Question::LongestContext,
        (Some("model"), ..) => Question::LargestModel,
        (Some("batch"), ..) => Question::LargestBatch,
        (_, Some(days), _) => {
            if named == Some("fewest") {
                notes.assumed.push((
                    "gpus",
                    "the cheapest run in time",
                    "a deadline is met by the run that costs least",
                ));
            }
            Question::Cheapest { days }
        }
        (_, None, Some(dollars)) => Question::Fastest { dollars },
        (Some("fewest"), ..) => Question::FewestGpus,
        (Some("cheapest"), ..) => {
            notes.assumed.push(("deadline", "30 days", "the cheapest run has a deadline, and the text names none"));
            Question::Cheapest { days: USUAL_DAYS }
        }
        (Some(_), ..) | (None, None, None) => {
            let layout = named.is_some() || said.value("ask.layout").is_some();
            return layout.then(|| Asks { question: None, clusters: Vec::new(), batch: None });
        }
    };
    Some(Asks { question: Some(question), clusters: Vec::new(), batch: None })
}

/// What is to say of a question.
#[derive(Default)]
pub(crate) struct Notes {
    /// What contradicts itself.
    pub(crate) conflicts: Vec<String>,
    /// What was assumed: of what, which value, why.
    pub(crate) assumed: Vec<(&'static str, &'static str, &'static str)>,
}

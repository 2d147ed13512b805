//! Planning questions in a sentence: from a deadline, a budget or available GPUs to hardware.

use analysis::plan::{Question, SearchKind, USUAL_DAYS};

use catalog::{CLUSTERS, ClusterEntry};
use engine::scenario::Scenario;

use crate::said::StatedValues;

/// A planning question, or a request for the best layout.
#[derive(Clone, Debug, PartialEq)]
pub struct Asks {
    /// The planning question; `None` for a request for the scenario's best layout.
    pub question: Option<Question>,
    /// Keys of the catalog clusters to plan with; empty for all clusters.
    pub clusters: Vec<&'static str>,
    /// Tokens per step, if the text states them.
    pub batch: Option<f64>,
    /// Accelerator to plan with, if the text names hardware.
    pub gpu: Option<&'static str>,
}

impl Asks {
    /// Returns the query of the page that shows the answer, with its `?`: `?plan=cheapest&days=7`.
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
        let on = self.gpu.map_or_else(String::new, |gpu| format!("&on={gpu}"));
        Some(format!("?plan={}{limit}{batch}{on}", question.key()))
    }

    /// Describes the question in words.
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

    /// Returns the clusters of the catalog to plan with: the named one, those of the named GPU, or
    /// none, which stands for all.
    pub(crate) fn clusters_of(&self, said: &StatedValues, scenario: &Scenario) -> Vec<&'static str> {
        let named = if said.has(&["hw", "card"]) {
            |entry: &&ClusterEntry, scenario: &Scenario| entry.accelerator == scenario.accelerator.id
        } else {
            |entry: &&ClusterEntry, scenario: &Scenario| entry.id == scenario.network.id
        };
        let is_named = self.chooses_hardware() && said.has(&["hw", "card", "cluster"]);
        CLUSTERS.iter().filter(|entry| is_named && named(entry, scenario)).map(|entry| entry.id).collect()
    }

    /// Returns whether the answer chooses hardware and layout.
    pub(crate) fn chooses_hardware(&self) -> bool {
        self.question.is_some_and(|question| question.kind() == SearchKind::Runs)
    }
}

/// A view of the page that answers a question, and what it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The query of the page, with its `?`.
    pub query: &'static str,
    /// The content of the view, as a sentence.
    pub says: &'static str,
}

/// Views by their name in sentences.
const VIEWS: [(&str, Shown); 2] = [
    (
        "network",
        Shown {
            query: "?view=curve&curve=link",
            says: "The curve over the bandwidth of the links marks from where the network no longer limits this run.",
        },
    ),
    (
        "accuracy",
        Shown {
            query: "?view=agreement",
            says: "A run's own log says what slows it: drop it on the page, and its steps are compared with the \
                   prediction. Accuracy lists measured runs like this one, each next to its prediction.",
        },
    ),
];

/// Returns the view that a sentence asks for.
pub(crate) fn find_view(said: &StatedValues) -> Option<Shown> {
    let named = said.value("ask.view")?;
    VIEWS.iter().find(|(name, _)| *name == named).map(|(_, shown)| *shown)
}

/// Returns whether a sentence asks for the largest compute-optimal model of a budget.
pub(crate) fn is_largest_for_money(said: &StatedValues) -> bool {
    said.value("ask.question") == Some("model")
        && said.has(&["ask.budget"])
        && said.has(&["optimal"])
        && !said.has(&["ask.days", "ask.weeks", "ask.months", "ask.hours", "model", "size"])
}

/// Hours in a day.
const HOURS: f64 = 24.0;

/// Returns the question of a sentence, and adds assumptions about its limit to `notes`.
pub(crate) fn find_question(said: &StatedValues, notes: &mut Notes) -> Option<Asks> {
    if is_largest_for_money(said) {
        return None;
    }
    let number = |key: &str| said.number(key);
    let units = [("ask.days", 1.0), ("ask.weeks", 7.0), ("ask.months", 30.0), ("ask.hours", 1.0 / HOURS)];
    let days = units.into_iter().find_map(|(key, factor)| Some(number(key)? * factor));
    let dollars = number("ask.budget");
    let named = said.value("ask.question");
    if days.is_some() && dollars.is_some() {
        let why = "a plan has one limit, and it shows its cost next to the budget";
        notes.assumed.push(("deadline", "the limit, not the budget", why));
    }
    if let Some(sentence) = unanswered(named, days, dollars) {
        notes.unanswered = Some(sentence);
        return None;
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
                    "the answer to a deadline is the cheapest run",
                ));
            }
            Question::Cheapest { days }
        }
        (_, None, Some(dollars)) => Question::Fastest { dollars },
        (Some("fewest"), ..) => Question::FewestGpus,
        (Some("cheapest"), ..) => {
            notes.assumed.push(("deadline", "30 days", "the cheapest run needs a deadline, and the text has none"));
            Question::Cheapest { days: USUAL_DAYS }
        }
        (Some(_), ..) | (None, None, None) => {
            let layout = named.is_some() || said.value("ask.layout").is_some();
            return layout.then(|| Asks { question: None, clusters: Vec::new(), batch: None, gpu: None });
        }
    };
    Some(Asks { question: Some(question), clusters: Vec::new(), batch: None, gpu: None })
}

/// Explains, after the words of a question about the scenario's own GPUs, that no plan answers it
/// within a deadline or a budget.
fn unanswered(named: Option<&str>, days: Option<f64>, dollars: Option<f64>) -> Option<String> {
    let limit = match (days, dollars) {
        (Some(days), _) => format!("in {days} days"),
        (None, Some(dollars)) => format!("for at most {}", engine::format::dollars(dollars)),
        (None, None) => return None,
    };
    let name = match named? {
        "model" => "a size, with “compute-optimal” or its tokens",
        "context" => "a length",
        "batch" => "a batch",
        _ => return None,
    };
    Some(format!("{limit} is not answered: name {name}, and the plan finds GPUs for it"))
}

/// Notes about a question.
#[derive(Default)]
pub(crate) struct Notes {
    /// Explanation of a question that no plan answers, to follow its words.
    pub(crate) unanswered: Option<String>,
    /// Assumptions: key, value and reason.
    pub(crate) assumed: Vec<(&'static str, &'static str, &'static str)>,
}

//! Questions that a plan answers.

/// A question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Question {
    /// The fewest GPUs that can hold the run, on each cluster.
    FewestGpus,
    /// The cheapest run that ends within the deadline, on each cluster.
    Cheapest {
        /// The deadline in days.
        days: f64,
    },
    /// The fastest run that costs no more than the budget, on each cluster.
    Fastest {
        /// The budget in US dollars.
        dollars: f64,
    },
    /// The longest sequences on the scenario's own GPUs.
    LongestContext,
    /// The largest model of the scenario's family on its own GPUs.
    LargestModel,
    /// The largest batch that fits the scenario's own GPUs in one pass, without gradient
    /// accumulation.
    LargestBatch,
}

/// The search that answers a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchKind {
    /// Every cluster with every number of GPUs.
    Runs,
    /// Sequence lengths on the scenario's own GPUs.
    Contexts,
    /// Sizes of the scenario's model on its own GPUs.
    Models,
    /// Batches on the scenario's own GPUs.
    Batches,
}

impl SearchKind {
    /// Every kind of search.
    pub const ALL: [Self; 4] = [Self::Runs, Self::Contexts, Self::Models, Self::Batches];

    /// Returns the key of the kind, for messages between threads.
    pub fn key(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Contexts => "contexts",
            Self::Models => "models",
            Self::Batches => "batches",
        }
    }

    /// Returns the kind with this key.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.key() == key)
    }
}

/// Default deadline, in days.
pub const USUAL_DAYS: f64 = 30.0;
/// Default budget, in US dollars.
pub const USUAL_DOLLARS: f64 = 100_000.0;

impl Question {
    /// Every question, in display order, with its default deadline or budget.
    pub const ALL: [Self; 6] = [
        Self::FewestGpus,
        Self::Cheapest { days: USUAL_DAYS },
        Self::Fastest { dollars: USUAL_DOLLARS },
        Self::LongestContext,
        Self::LargestModel,
        Self::LargestBatch,
    ];

    /// Returns the key of the question in links and programs.
    pub fn key(self) -> &'static str {
        match self {
            Self::FewestGpus => "fewest",
            Self::Cheapest { .. } => "cheapest",
            Self::Fastest { .. } => "fastest",
            Self::LongestContext => "context",
            Self::LargestModel => "model",
            Self::LargestBatch => "batch",
        }
    }

    /// Returns the question with this key, with its default deadline or budget.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|question| question.key() == key)
    }

    /// Returns what an answer leaves to the reader, as a sentence.
    pub fn unchecked(self) -> Option<&'static str> {
        match self {
            Self::FewestGpus | Self::Cheapest { .. } | Self::Fastest { .. } => {
                Some("Whether that many GPUs can be rented is not checked.")
            }
            Self::LongestContext => Some(
                "How far the model\u{2019}s positions reach is not checked: beyond the max_position_embeddings of its \
                 configuration they must be scaled.",
            ),
            Self::LargestModel | Self::LargestBatch => None,
        }
    }

    /// Returns the kind of search that answers the question.
    pub fn kind(self) -> SearchKind {
        match self {
            Self::FewestGpus | Self::Cheapest { .. } | Self::Fastest { .. } => SearchKind::Runs,
            Self::LongestContext => SearchKind::Contexts,
            Self::LargestModel => SearchKind::Models,
            Self::LargestBatch => SearchKind::Batches,
        }
    }
}

/// Parses a deadline or a budget, a positive number: `30`, `1,000`, `$100k`, `2.5M`.
///
/// ```
/// use analysis::plan::amount;
///
/// assert_eq!(amount("$100k"), Some(100_000.0));
/// assert_eq!(amount("soon"), None);
/// ```
pub fn amount(typed: &str) -> Option<f64> {
    let plain: String = typed.chars().filter(|sign| !matches!(sign, ' ' | ',' | '$' | '_')).collect();
    let suffixes = [("k", 1e3), ("K", 1e3), ("m", 1e6), ("M", 1e6), ("b", 1e9), ("B", 1e9)];
    let suffixed = suffixes.into_iter().find_map(|(suffix, factor)| Some((plain.strip_suffix(suffix)?, factor)));
    let (digits, factor) = suffixed.unwrap_or((&plain, 1.0));
    let value = digits.parse::<f64>().ok()? * factor;
    (value > 0.0 && value.is_finite()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_people_write_them() {
        let read = ["30", "1,000", "$100k", "2.5M", " 1e3 ", "0.5"].map(amount);
        assert_eq!(read, [30.0, 1e3, 1e5, 2.5e6, 1e3, 0.5].map(Some));
        for wrong in ["", "k", "-3", "0", "NaN", "inf", "1e999", "soon", "3\u{20ac}"] {
            assert_eq!(amount(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_question_has_its_key() {
        assert_eq!(Question::ALL.map(|question| Question::from_key(question.key())), Question::ALL.map(Some));
        assert_eq!(Question::from_key("soonest"), None);
    }
}

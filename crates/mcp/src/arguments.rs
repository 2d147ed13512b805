//! Arguments of a call, read strictly.

use analysis::plan::amount;
use api::Refusal;
use api::given::Code;
use engine::nearest::{did_you_mean, nearest};
use engine::params::quantity::shorten;
use serde_json::{Map, Value};

/// The arguments of a call.
#[derive(Clone, Copy)]
pub(crate) struct Arguments<'a> {
    given: &'a Map<String, Value>,
}

/// Refuses a value.
pub(crate) fn invalid(message: impl Into<String>) -> Refusal {
    Refusal::new(Code::InvalidValue, message)
}

impl<'a> Arguments<'a> {
    /// Checks that the tool has every argument.
    ///
    /// # Errors
    ///
    /// Returns a refusal that names the unknown argument, and similar ones.
    pub(crate) fn new(given: &'a Map<String, Value>, known: &[&str]) -> Result<Self, Refusal> {
        match given.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(Self { given }),
            Some(name) => {
                let near = did_you_mean(&nearest(name, known.iter().copied()));
                let all = known.join(", ");
                let message = format!("“{}” is no argument of this tool: there are {all}.{near}", shorten(name));
                Err(Refusal::new(Code::UnknownKey, message))
            }
        }
    }

    /// Returns a value; `null` counts as not given.
    pub(crate) fn value(self, name: &str) -> Option<&'a Value> {
        self.given.get(name).filter(|value| !value.is_null())
    }

    /// Returns a text.
    pub(crate) fn text(self, name: &str) -> Result<Option<&'a str>, Refusal> {
        let of = |value: &'a Value| value.as_str().ok_or_else(|| invalid(format!("`{name}` must be a text.")));
        self.value(name).map(of).transpose()
    }

    /// Returns a number above 0, which may be text such as `100k`.
    pub(crate) fn number(self, name: &str) -> Result<Option<f64>, Refusal> {
        let of = |value: &Value| {
            let number = value.as_f64().or_else(|| value.as_str().and_then(amount));
            number.filter(|number| *number > 0.0 && number.is_finite()).ok_or_else(|| {
                invalid(format!("`{name}` must be a number above 0, as in 30, 2.5 or \"100k\", not {value}."))
            })
        };
        self.value(name).map(of).transpose()
    }

    /// Returns a count from 1 to `most`, or `usual`.
    pub(crate) fn count(self, name: &str, usual: usize, most: usize) -> Result<usize, Refusal> {
        let Some(value) = self.value(name) else { return Ok(usual) };
        let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
        let refused = || invalid(format!("`{name}` must be a whole number from 1 to {most}, not {value}."));
        count.filter(|count| (1..=most).contains(count)).ok_or_else(refused)
    }

    /// Returns a list of words: an array of texts, or a text with commas.
    pub(crate) fn words(self, name: &str) -> Result<Vec<String>, Refusal> {
        let refused = || invalid(format!("`{name}` must be a list of texts."));
        match self.value(name) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => {
                Ok(text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect())
            }
            Some(Value::Array(words)) => {
                words.iter().map(|word| word.as_str().map(str::to_owned).ok_or_else(refused)).collect()
            }
            Some(_) => Err(refused()),
        }
    }
}

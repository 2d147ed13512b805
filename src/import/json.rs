//! JSON as far as a config needs it, from whichever parser there is.

use serde_json::Value;

/// What lies deeper than this is not looked at: the values of a list in the text part of a model.
const DEEPEST: u32 = 4;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, however large.
    Number(f64),
    /// Text, and whatever lies too deep to matter.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object, in its order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Whether a value at this depth is not looked at any more.
    pub fn is_too_deep(depth: u32) -> bool {
        depth > DEEPEST
    }

    /// The entries of an object.
    pub fn entries(&self) -> Option<&[(String, Self)]> {
        if let Self::Object(entries) = self { Some(entries) } else { None }
    }

    /// A value of an object.
    pub fn get(&self, key: &str) -> Option<&Self> {
        lookup(self.entries()?, key)
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether it is this number.
    pub fn is(&self, number: f64) -> bool {
        matches!(self, Self::Number(value) if *value == number)
    }

    /// The text.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    fn of(value: &Value, depth: u32) -> Self {
        if Self::is_too_deep(depth) {
            return Self::Text(String::new());
        }
        let of = |value| Self::of(value, depth + 1);
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(number.as_f64().unwrap_or(f64::INFINITY)),
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(values) => Self::List(values.iter().map(of).collect()),
            Value::Object(entries) => {
                Self::Object(entries.iter().map(|(key, value)| (key.clone(), of(value))).collect())
            }
        }
    }
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        Self::of(value, 0)
    }
}

/// A value by its key.
pub(super) fn lookup<'a>(entries: &'a [(String, Json)], key: &str) -> Option<&'a Json> {
    entries.iter().find(|(found, _)| found == key).map(|(_, value)| value)
}

//! JSON as data: read by whichever parser there is (the browser's own on the page, `serde_json` elsewhere), written here.
//!
//! Numbers are written with the fewest digits that are read back as the same ones, so that a report survives its text bit for bit.

mod write;

use serde_json::Value;

/// What lies deeper than this is not read: the values of a list in the text part of a model.
const DEEPEST: u32 = 4;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, however large; one that is infinite or none at all is written as `null`.
    Number(f64),
    /// Text, and whatever lies too deep to matter.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object, in its order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// An object of these entries.
    pub fn object<'a>(entries: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        Self::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

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

impl From<f64> for Json {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<u32> for Json {
    fn from(value: u32) -> Self {
        Self::Number(value.into())
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl<T: Into<Self>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A value by its key.
pub(crate) fn lookup<'a>(entries: &'a [(String, Json)], key: &str) -> Option<&'a Json> {
    entries.iter().find(|(found, _)| found == key).map(|(_, value)| value)
}

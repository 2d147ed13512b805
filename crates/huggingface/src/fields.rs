//! The fields of a config, each read within the bounds of its parameter. The first problem is kept,
//! and reading continues.

use serde_json::{Map, Value};

use engine::params::quantity::{group_thousands, is_valid, shorten, with_unit};
use engine::params::{Number, Param, ParamId, Unit};

/// Longest name of a model that is kept, in characters.
const LONGEST_NAME: usize = 64;

/// A config with the state of reading.
pub(super) struct Fields<'a> {
    /// The nested config of the language model, if there is one.
    inner: Option<&'a Map<String, Value>>,
    /// The config itself.
    outer: &'a Map<String, Value>,
    /// Defaults of the class.
    class: &'a Map<String, Value>,
    used: Vec<&'static str>,
    /// A field that was read already and is treated as absent.
    skipped: Option<&'static str>,
    problem: Option<String>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(
        inner: Option<&'a Map<String, Value>>,
        outer: &'a Map<String, Value>,
        class: &'a Map<String, Value>,
    ) -> Self {
        Self { inner, outer, class, used: Vec::new(), skipped: None, problem: None }
    }

    /// Returns a value, `null` included; the nested config comes first, then the config itself.
    fn given(&self, name: &str) -> Option<&'a Value> {
        self.inner.and_then(|inner| inner.get(name)).or_else(|| self.outer.get(name))
    }

    /// Returns a value, `null` included, or the default of the class.
    pub(super) fn peek(&self, name: &str) -> Option<&'a Value> {
        self.given(name).or_else(|| self.class.get(name))
    }

    /// Treats a field as absent from now on.
    pub(super) fn skip(&mut self, name: &'static str) {
        self.mark(name);
        self.skipped = Some(name);
    }

    /// Returns the first of these fields that the config has, else the first that the class has.
    fn first(&self, names: &[&'static str]) -> Option<&'static str> {
        if self.skipped.is_some_and(|name| names.contains(&name)) {
            return None;
        }
        let holds = |name: &&&'static str| self.given(name).is_some_and(|value| !value.is_null());
        let of_class = |name: &&&'static str| self.given(name).is_none() && self.class.contains_key(**name);
        let silent = names.iter().all(|name| self.given(name).is_none());
        names.iter().find(holds).or_else(|| names.iter().find(of_class).filter(|_| silent)).copied()
    }

    /// Reads a number under the first of `names` that is present, without bounds of a parameter; 0
    /// if none is present.
    pub(super) fn number(&mut self, names: &[&'static str]) -> f64 {
        /// Bound that no shape exceeds: products of three such numbers are whole doubles.
        const MOST: f64 = 1e9;
        for name in names {
            self.mark(name);
        }
        let value = self.first(names).and_then(|name| self.peek(name)).and_then(Value::as_f64).unwrap_or(0.0);
        if value.is_finite() { value.clamp(-MOST, MOST) } else { 0.0 }
    }

    /// Reads a number of the outer config, or of its class, ignoring the nested config.
    pub(super) fn outer_number(&mut self, name: &'static str) -> Option<f64> {
        self.mark(name);
        let class =
            || super::class::values(self.outer.get("model_type").and_then(Value::as_str)?).remove(name)?.as_f64();
        let own = self.outer.get(name).and_then(Value::as_f64);
        own.or_else(class).filter(|value| value.abs() <= 1e9)
    }

    /// Returns the entries of a nested object.
    pub(super) fn object(&mut self, name: &'static str) -> Option<&'a Map<String, Value>> {
        let entries = self.peek(name)?.as_object();
        self.mark(name);
        entries
    }

    /// Returns the texts of a list, without other items.
    pub(super) fn words(&mut self, name: &'static str) -> Option<Vec<&'a str>> {
        let words = self.list(name)?.iter().filter_map(Value::as_str).collect();
        self.mark(name);
        Some(words)
    }

    /// Returns the numbers of a list, without other items.
    pub(super) fn numbers(&mut self, name: &'static str) -> Option<Vec<f64>> {
        let numbers = self.list(name)?.iter().filter_map(Value::as_f64).collect();
        self.mark(name);
        Some(numbers)
    }

    /// Returns a value and marks its field as used; `null` counts as absent.
    fn take(&mut self, name: &'static str) -> Option<&'a Value> {
        let value = self.peek(name)?;
        if !self.used.contains(&name) {
            self.used.push(name);
        }
        (!value.is_null()).then_some(value)
    }

    /// Marks a field as used.
    pub(super) fn mark(&mut self, name: &'static str) {
        self.take(name);
    }

    /// Marks a field as unused again.
    pub(super) fn unmark(&mut self, name: &str) {
        self.used.retain(|used| *used != name);
    }

    /// Whether the value of a field is `null`.
    pub(super) fn is_null(&self, name: &str) -> bool {
        self.peek(name).is_some_and(Value::is_null)
    }

    /// Reads a whole number under the first of `names` that is present, within the bounds of the
    /// parameter. Without the field it returns `usual`, and records a problem if there is no
    /// default.
    pub(super) fn count(&mut self, names: &[&'static str], id: ParamId, usual: Option<u32>) -> u32 {
        let Some(number) = id.number() else { return 0 };
        if let Some(name) = self.first(names)
            && let Some(value) = self.take(name)
        {
            return self.within(name, value, id.param(), number);
        }
        for name in names {
            self.mark(name);
        }
        usual.unwrap_or_else(|| {
            let name = names.join(" or ");
            let help = id.param().help.split([':', '(', ',']).next().unwrap_or_default().trim();
            let mut letters = help.chars();
            let first = letters.next().map(|letter| letter.to_ascii_lowercase());
            let meaning: String = first.into_iter().chain(letters).collect();
            self.fail(format!("The config lacks {name}, a whole number: {}.", meaning.trim_end_matches('.')));
            number.min as u32
        })
    }

    /// Checks a derived number against the bounds of the parameter.
    pub(super) fn checked(&mut self, name: &str, value: f64, id: ParamId) -> u32 {
        id.number().map_or(0, |number| self.within(name, &value.into(), id.param(), number))
    }

    fn within(&mut self, name: &str, value: &Value, param: &Param, number: &Number) -> u32 {
        match value.as_f64() {
            Some(value) if is_valid(number, value) => value as u32,
            _ => {
                let [min, max] = [number.min, number.max].map(|bound| with_unit(Unit::None, bound));
                let label = param.label;
                let shown = shown(value);
                self.fail(format!("{name} is {shown}: {label} must be a whole number from {min} to {max}."));
                number.min as u32
            }
        }
    }

    /// Reads a boolean; `usual` is the default.
    pub(super) fn flag(&mut self, name: &'static str, usual: bool) -> bool {
        match self.take(name) {
            _ if self.skipped == Some(name) => usual,
            None => usual,
            Some(Value::Bool(value)) => *value,
            Some(value) => {
                let shown = shown(value);
                self.fail(format!("{name} is {shown}: it must be true or false."));
                usual
            }
        }
    }

    /// Whether the output head shares the embedding, by the class of the whole model, of which the
    /// language model is a part.
    pub(super) fn tied(&mut self, usual: bool) -> bool {
        const NAME: &str = "tie_word_embeddings";
        // These models contain a language model with its own head, which is tied by the nested
        // configuration.
        const APART: [&str; 3] = ["blip-2", "instructblip", "instructblipvideo"];
        // The class of these says that it ties, yet the library does not tie two matrices that a
        // checkpoint stores: the language model says whether it has one or two.
        const STORED: [&str; 1] = ["mistral3"];
        if self.inner.is_none() {
            return self.flag(NAME, usual);
        }
        self.mark(NAME);
        let of = |entries: &Map<String, Value>| entries.get(NAME).and_then(Value::as_bool);
        if let Some(inner) = self
            .inner
            .filter(|_| self.model_types().is_some_and(|[_, kind]| kind.is_some_and(|kind| APART.contains(&kind))))
        {
            return of(inner).unwrap_or(usual);
        }
        if self.outer.get("model_type").and_then(Value::as_str).is_some_and(|kind| STORED.contains(&kind)) {
            return of(self.outer).or_else(|| self.inner.and_then(of)).unwrap_or(false);
        }
        let class = || of(&super::class::values(self.outer.get("model_type").and_then(Value::as_str)?));
        of(self.outer).or_else(class).unwrap_or(false)
    }

    /// Marks a field as used if it has this value, so that any other is listed as not understood.
    pub(super) fn expect(&mut self, name: &'static str, value: f64) {
        if self.peek(name).is_some_and(|found| *found == value) {
            self.mark(name);
        }
    }

    /// Returns a list.
    pub(super) fn list(&self, name: &str) -> Option<&'a [Value]> {
        self.peek(name)?.as_array().map(Vec::as_slice)
    }

    /// Returns the `model_type` of the nested config and of the config itself.
    pub(super) fn model_types(&self) -> Option<[Option<&'a str>; 2]> {
        let named = |entries: &'a Map<String, Value>| entries.get("model_type").and_then(Value::as_str);
        let types = [self.inner.and_then(named), named(self.outer)];
        types.iter().any(Option::is_some).then_some(types)
    }

    /// Returns the `model_type` of the outer config, if it has parts, and the outer class.
    pub(super) fn outer_kind(&self) -> (Option<&'a str>, Option<&'a str>) {
        let class = self.outer.get("architectures").and_then(Value::as_array).and_then(|classes| classes.first());
        let has_parts = ["vision_config", "audio_config", "encoder_config"]
            .iter()
            .any(|part| self.outer.get(*part).is_some_and(Value::is_object));
        let kind = self.outer.get("model_type").and_then(Value::as_str).filter(|_| has_parts);
        (kind, class.and_then(Value::as_str))
    }

    /// Returns the model's name.
    pub(super) fn name(&self, family: &str) -> String {
        let path = self.outer.get("_name_or_path").and_then(Value::as_str);
        let path = path.and_then(|path| path.trim_end_matches('/').rsplit('/').next()).filter(|name| !name.is_empty());
        let classes = self.outer.get("architectures").and_then(Value::as_array);
        let class = classes.and_then(|classes| classes.first()).and_then(Value::as_str);
        let plain = |letter: &char| !letter.is_control();
        path.or(class).unwrap_or(family).chars().filter(plain).take(LONGEST_NAME).collect()
    }

    /// Iterates over the unused fields of the config and the nested config.
    pub(super) fn unused(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let entries = self.inner.into_iter().flatten().chain(self.outer).map(|(key, value)| (key.as_str(), value));
        entries.filter(|(key, _)| !self.used.contains(key))
    }

    pub(super) fn fail(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    pub(super) fn problem(&mut self) -> Option<String> {
        self.problem.take()
    }

    pub(super) fn into_used(self) -> Vec<&'static str> {
        self.used
    }
}

/// Formats a value for a sentence.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => match number.as_f64().unwrap_or(f64::NAN) {
            number if number.abs() < 1e21 => group_thousands(&number.to_string()),
            number => format!("{number:e}"),
        },
        Value::String(text) => format!("“{}”", shorten(text)),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    }
}

//! The tools: a row each, with the schema of its arguments and the function that answers.

mod estimate;
mod explain;
mod files;
mod plan;
mod rank;
mod run;
mod search;

use api::Refusal;
use api::given::Code;
use engine::nearest::{did_you_mean, nearest};
use engine::params::quantity::shorten;
use engine::scenario::issue::Issue;
use serde_json::{Map, Value, json};

use crate::arguments::Arguments;

/// Access of the tools to the files of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Texts in the call alone.
    Texts,
    /// Files by their paths, too.
    Files,
}

/// A tool.
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// A few words for people.
    pub title: &'static str,
    /// When to use it, and what it returns.
    pub about: &'static str,
    /// Its own arguments, beside those of a run.
    arguments: &'static [Argument],
    /// Whether it is about a run: `scenario`, `link` and `text`.
    run: bool,
    /// JSON schema of its arguments.
    pub schema: fn(Access) -> Value,
    answer: fn(Arguments, Access) -> Result<Value, Refusal>,
}

/// An argument of a tool: its name, the schema of its value, and its meaning.
type Argument = (&'static str, fn() -> Value, &'static str);

/// Every tool.
pub const TOOLS: &[Tool] = &[
    estimate::TOOL,
    rank::TOOL,
    plan::TOOL,
    files::READ,
    files::LINT,
    explain::TOOL,
    search::CATALOG,
    search::PARAMETERS,
];

/// Calls a tool.
///
/// # Errors
///
/// Returns a refusal for a tool or an argument that does not exist, and for a run that cannot be
/// read or lacks what decides.
pub fn call(name: &str, arguments: &Map<String, Value>, access: Access) -> Result<Value, Refusal> {
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        let near = did_you_mean(&nearest(name, names.iter().copied()));
        let message = format!("There is no tool “{}”: there are {}.{near}", shorten(name), names.join(", "));
        return Err(Refusal::new(Code::UnknownName, message));
    };
    let own = tool.arguments.iter().map(|(name, ..)| *name);
    let known: Vec<&str> = own.chain(run::ARGUMENTS.into_iter().filter(|_| tool.run)).collect();
    (tool.answer)(Arguments::new(arguments, &known)?, access)
}

/// Returns the schema of a tool's arguments.
fn schema_of(tool: &Tool, access: Access, required: &[&str]) -> Value {
    let mut properties = if tool.run { run::properties() } else { Map::new() };
    let own = tool.arguments.iter().filter(|(name, ..)| *name != files::PATHS || access == Access::Files);
    for (name, schema, about) in own {
        properties.insert((*name).to_owned(), described(schema(), about));
    }
    json!({
        "type": "object", "additionalProperties": false, "required": required, "properties": properties,
    })
}

fn described(mut schema: Value, about: &str) -> Value {
    if let Some(object) = schema.as_object_mut() {
        object.insert("description".to_owned(), about.into());
    }
    schema
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn words() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

fn amount() -> Value {
    json!({ "type": ["number", "string"] })
}

/// Schema of the number of answers.
fn top() -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": MOST })
}

/// Most answers of a call.
const MOST: usize = 20;

/// Returns the issues of a run as sentences.
fn notes(issues: &[Issue]) -> Value {
    issues.iter().map(|issue| Value::from(issue.text())).collect()
}

/// Returns the fields of an object with these names, in their order.
fn picked(object: &Value, names: &[&str]) -> Map<String, Value> {
    names.iter().filter_map(|name| Some(((*name).to_owned(), shorter(object.get(name)?)))).collect()
}

/// Rounds a number to four significant digits.
fn shorter(value: &Value) -> Value {
    match value.as_f64() {
        Some(number) if !value.is_u64() && !value.is_i64() => {
            format!("{number:.3e}").parse::<f64>().map_or(Value::Null, Value::from)
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_take_little_room_in_a_context() {
        let all: Vec<(usize, &str)> = TOOLS
            .iter()
            .map(|tool| ((tool.schema)(Access::Files).to_string().len() + tool.about.len(), tool.name))
            .collect();
        assert!(all.iter().all(|(size, _)| *size < 6_000), "{all:?}");
        assert!(all.iter().map(|(size, _)| size).sum::<usize>() < 20_000, "{all:?}");
    }

    #[test]
    fn only_a_server_on_a_pipe_opens_paths() {
        let paths = |access| files::LINT.schema_names(access).iter().any(|name| name == files::PATHS);
        assert!(paths(Access::Files) && !paths(Access::Texts));
    }

    impl Tool {
        fn schema_names(&self, access: Access) -> Vec<String> {
            let schema = (self.schema)(access);
            schema["properties"].as_object().unwrap().keys().cloned().collect()
        }
    }
}

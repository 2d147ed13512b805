//! The run that a call is about: `scenario`, `link` or `text`.

use api::given::Code;
use api::sentence::{self, Strict};
use api::{Given, Open, Read, Refusal};
use engine::params::{ParamKind, find, quantity};
use export::summary_json::summary_json;
use links::v1;
use serde_json::{Map, Value, json};

use super::{described, text};
use crate::arguments::{Arguments, invalid};

/// Names of the arguments.
pub(super) const ARGUMENTS: [&str; 3] = ["scenario", "link", "text"];

/// Keys of a scenario that the schema lists; all others are read, too. The tool `parameters` has
/// the rest.
const KEYS: [&str; 22] = [
    v1::MODEL_KEY,
    v1::GPU_KEY,
    v1::CLUSTER_KEY,
    v1::GPUS_KEY,
    "seq",
    "mbs",
    "accum",
    "train",
    "base",
    "rank",
    "objective",
    "strategy",
    "tp",
    "pp",
    "cp",
    "ep",
    "recompute",
    "recipe",
    "compute",
    "optimizer",
    "framework",
    "compile",
];

/// Returns the schemas of the arguments.
pub(super) fn properties() -> Map<String, Value> {
    let keys: Map<String, Value> = KEYS.iter().map(|key| ((*key).to_owned(), key_schema(key))).collect();
    let scenario = json!({
        "type": "object",
        "properties": keys,
        "additionalProperties": { "type": ["string", "number", "boolean"] },
    });
    let about = "The run by its keys. Usual spellings of frameworks are read too (per_device_train_batch_size, \
                 tensor_parallel_degree, zero_stage), values with units as well (\"32k\", \"8xH100\"). With `link`: \
                 values that change it.";
    let mut properties = Map::new();
    properties.insert("scenario".to_owned(), described(scenario, about));
    properties.insert("link".to_owned(), described(text(), "A link, or its fragment `v=1&…`, as answers have it."));
    let about = "The run in words, alone: \"llama 3.1 8b qlora on 2x4090, 8k\".";
    properties.insert("text".to_owned(), described(text(), about));
    properties
}

/// Returns the short schema of a key: label, unit and options by the table of parameters.
fn key_schema(key: &str) -> Value {
    let about = match (key, find(key)) {
        (v1::MODEL_KEY, _) => "Model: catalog id, name or Hugging Face repository".to_owned(),
        (v1::GPU_KEY, _) => "GPU, as in h100, a100-80gb, rtx-4090, mi300x".to_owned(),
        (v1::CLUSTER_KEY, _) => "Cluster or instance, as in dgx-h100, p5.48xlarge; instead of `gpu`".to_owned(),
        (_, None) => String::new(),
        (_, Some(param)) => match &param.kind {
            ParamKind::Number(number) => match quantity::unit_label(number.unit) {
                "" => param.label.to_owned(),
                unit => format!("{}, in {unit}", param.label),
            },
            ParamKind::Choice(choice) => {
                let options: Vec<&str> = choice.options.iter().map(|option| option.key).collect();
                format!("{}: {}", param.label, options.join(", "))
            }
        },
    };
    let is_number = find(key).is_some_and(|param| param.number().is_some());
    let kinds = if is_number { json!(["number", "string"]) } else { json!("string") };
    // Switches are read as yes and no, too.
    let is_switch = find(key).and_then(|param| param.choice()).is_some_and(|choice| choice.options.len() == 2);
    let kinds = if is_switch { json!(["string", "boolean"]) } else { kinds };
    json!({ "type": kinds, "description": about })
}

/// Whether a call names a run.
pub(super) fn is_given(arguments: Arguments) -> bool {
    ARGUMENTS.iter().any(|name| arguments.value(name).is_some())
}

/// Reads the run of a call, of which the values in `asked` decide.
///
/// # Errors
///
/// Returns a refusal for what cannot be read, and questions for what is missing.
pub(super) fn read(arguments: Arguments, asked: &[Open]) -> Result<Strict, Refusal> {
    if let Some(text) = arguments.text("text")? {
        if ["scenario", "link"].iter().any(|name| arguments.value(name).is_some()) {
            return Err(invalid("Give `text` alone: put everything into the sentence, or into `scenario`."));
        }
        return sentence::strict(text);
    }
    let (link, set) = (arguments.text("link")?, scenario(arguments)?);
    let whole;
    let given = match (link, &set) {
        (None, None) => {
            let message = "Which run? Give it as `scenario` ({\"model\": \"llama-3.1-8b\", \"gpu\": \"h100\", \"gpus\": 8, \
                           \"seq\": 8192, \"mbs\": 1}), as `link`, or as `text`.";
            return Err(Refusal::new(Code::Missing, message));
        }
        (None, Some(_)) => {
            whole = arguments.value("scenario").map(Value::to_string).unwrap_or_default();
            Given::from(whole.as_str())
        }
        (Some(link), set) => Given { text: link, set: set.as_deref().unwrap_or_default(), ..Given::default() },
    };
    let read = given.answerable(asked)?;
    Ok(Strict { read, assumed: Vec::new(), asks: None, held: Vec::new() })
}

/// Returns the pairs of `scenario`.
pub(super) fn scenario(arguments: Arguments) -> Result<Option<Vec<(String, String)>>, Refusal> {
    let Some(value) = arguments.value("scenario") else { return Ok(None) };
    let Some(object) = value.as_object() else {
        return Err(invalid("`scenario` must be an object of keys; give a sentence as `text`."));
    };
    let pairs = object.iter().map(|(key, value)| {
        let value = match value {
            Value::String(text) => text.trim().to_owned(),
            Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
            Value::Number(number) => number.to_string(),
            _ => return Err(invalid(format!("The value of `{key}` is neither a number nor text."))),
        };
        Ok((key.trim().to_lowercase(), value))
    });
    pairs.collect::<Result<_, _>>().map(Some)
}

/// Returns the small report of a run.
pub(super) fn summary(read: &Read, assumed: &[String]) -> Value {
    summary_json(&read.scenario, &read.scenario.report(), &read.issues, assumed)
}

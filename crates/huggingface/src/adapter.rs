//! Reads PEFT's `adapter_config.json`: the trained weights, and the frozen model.

use serde_json::{Map, Value};

use catalog::names::refusal;
use catalog::{ModelEntry, hub};
use engine::model::choices::Choices;
use engine::model::trained::{Method, Targets, Trained};
use engine::params::ParamId;
use engine::params::quantity::{is_valid, shorten};
use engine::scenario::{Id, Scenario};

/// Content of an `adapter_config.json`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AdapterConfig {
    trained: Trained,
    model: Option<Id>,
}

/// An imported adapter.
#[derive(Clone, Debug, PartialEq)]
pub struct Adapter {
    found: AdapterConfig,
    /// The fields that were read.
    pub used: Vec<String>,
    /// Sentences about values that could not be read exactly.
    pub remarks: Vec<String>,
}

/// Fields that change neither shape nor memory: scales, initial values, the file itself.
const IRRELEVANT: [&str; 14] = [
    "lora_alpha",
    "alpha_pattern",
    "task_type",
    "inference_mode",
    "revision",
    "auto_mapping",
    "init_lora_weights",
    "fan_in_fan_out",
    "layers_pattern",
    "peft_version",
    "loftq_config",
    "runtime_config",
    "qalora_group_size",
    "megatron_core",
];
/// Most names in a remark.
const MOST_NAMED: usize = 4;

/// Whether a value is an adapter's config.
pub fn is_adapter(json: &Value) -> bool {
    json.get("peft_type").is_some()
}

/// Reads an adapter.
///
/// # Errors
///
/// A sentence if the adapter is not LoRA, or if the rank is invalid.
pub fn import_adapter(json: &Value) -> Result<Adapter, String> {
    let Value::Object(fields) = json else {
        return Err("This JSON is not the config of an adapter: an object in braces with a peft_type.".into());
    };
    let kind = fields.get("peft_type").and_then(Value::as_str).unwrap_or_default();
    if !kind.eq_ignore_ascii_case("lora") {
        return Err(format!("Only adapters of the kind LORA are read; this peft_type is “{}”.", shorten(kind)));
    }
    let mut remarks = Vec::new();
    let model = base(fields, &mut remarks);
    let trained = Trained {
        method: method(fields, &mut remarks),
        rank: rank(fields)?,
        targets: targets(fields, &mut remarks),
        dropout: fields.get("lora_dropout").and_then(Value::as_f64).is_some_and(|share| share > 0.0),
        embeddings: embeddings(fields, &mut remarks),
        frozen_layers: frozen_layers(fields, model, &mut remarks),
        ..Trained::ALL
    };
    if fields.get("bias").and_then(Value::as_str).is_some_and(|bias| bias != "none") {
        remarks.push("Biases also train (bias): they are too few to count.".into());
    }
    let read = |name: &&String| READ.contains(&name.as_str());
    let other = |(name, value): &(&String, &Value)| {
        !READ.contains(&name.as_str()) && !IRRELEVANT.contains(&name.as_str()) && !super::leftover::says_nothing(value)
    };
    let unread: Vec<&str> = fields.iter().filter(other).map(|(name, _)| name.as_str()).collect();
    if !unread.is_empty() {
        remarks.push(format!("Not understood: {}.", named(&unread)));
    }
    Ok(Adapter {
        found: AdapterConfig { trained, model: model.map(|entry| entry.id) },
        used: fields.keys().filter(read).cloned().collect(),
        remarks,
    })
}

/// The fields that are read.
const READ: [&str; 12] = [
    "peft_type",
    "base_model_name_or_path",
    "r",
    "use_dora",
    "use_rslora",
    "target_modules",
    "target_parameters",
    "lora_dropout",
    "modules_to_save",
    "layers_to_transform",
    "bias",
    "ensure_weight_tying",
];

impl Adapter {
    /// Returns the trained weights. The format of the base model is not in the file.
    pub fn trained(&self) -> Trained {
        self.found.trained
    }

    /// Returns the adapter's model, if the catalog has it.
    pub fn model(&self) -> Option<&'static ModelEntry> {
        self.found.model.and_then(catalog::model)
    }

    /// Returns the scenario with this adapter and its model, if the catalog has it; the format of
    /// the base model is unchanged.
    pub fn applied(&self, scenario: &Scenario) -> Scenario {
        let with = match self.model() {
            Some(entry) => scenario.with_model(entry.pick()),
            None => *scenario,
        };
        let Trained { base, products_keep, .. } = scenario.trained;
        Scenario {
            choices: Choices { trained: Trained { base, products_keep, ..self.found.trained }, ..with.choices },
            ..with
        }
    }
}

fn base(fields: &Map<String, Value>, remarks: &mut Vec<String>) -> Option<&'static ModelEntry> {
    let Some(name) = fields.get("base_model_name_or_path").and_then(Value::as_str) else {
        remarks.push("The file names no base model: the model is unchanged.".into());
        return None;
    };
    let found = hub::model_of(name);
    if found.is_none() {
        remarks.push(match refusal(name) {
            Some(says) => format!("The base model “{}” {says} The model is unchanged.", shorten(name)),
            None => format!("The base model “{}” is not in the catalog: the model is unchanged.", shorten(name)),
        });
    }
    found
}

fn method(fields: &Map<String, Value>, remarks: &mut Vec<String>) -> Method {
    let is = |name: &str| fields.get(name) == Some(&Value::Bool(true));
    match (is("use_dora"), is("use_rslora")) {
        (true, true) => {
            remarks.push("DoRA with rsLoRA's scale (use_rslora) is read as DoRA: memory and time are the same.".into());
            Method::Dora
        }
        (true, false) => Method::Dora,
        (false, true) => Method::RsLora,
        (false, false) => Method::Lora,
    }
}

fn rank(fields: &Map<String, Value>) -> Result<u32, String> {
    /// PEFT's default rank.
    const USUAL: u32 = 8;
    match fields.get("r") {
        None | Some(Value::Null) => Ok(USUAL),
        Some(value) => {
            let valid =
                |rank: &f64| *rank >= 1.0 && ParamId::LoraRank.number().is_some_and(|number| is_valid(number, *rank));
            value
                .as_f64()
                .filter(valid)
                .map(|rank| rank as u32)
                .ok_or_else(|| "The rank r of an adapter must be a whole number from 1 to 4,096.".to_owned())
        }
    }
}

/// Kinds of matrices, by names of modules.
#[derive(Clone, Copy, Default, PartialEq)]
struct Kinds {
    query: bool,
    key: bool,
    value: bool,
    output: bool,
    mlp: bool,
}

impl Kinds {
    const fn from_targets(targets: Targets) -> Self {
        let modules = targets.modules();
        Self {
            query: modules.query_value,
            key: modules.key,
            value: modules.query_value,
            output: modules.output,
            mlp: modules.mlp,
        }
    }

    /// Returns the kinds of a module, by the last part of its name.
    fn named(name: &str) -> Option<Self> {
        let none = Self::default();
        Some(match name {
            "q_proj" | "wq" | "query" | "q_a_proj" | "q_b_proj" => Self { query: true, ..none },
            "k_proj" | "wk" | "key" => Self { key: true, ..none },
            "v_proj" | "wv" | "value" => Self { value: true, ..none },
            "kv_a_proj_with_mqa" | "kv_b_proj" => Self { key: true, value: true, ..none },
            "query_key_value" | "qkv_proj" | "c_attn" | "Wqkv" | "W_pack" | "wqkv" => {
                Self { query: true, key: true, value: true, ..none }
            }
            "o_proj" | "out_proj" | "wo" | "dense" | "output_proj" => Self { output: true, ..none },
            // GPT-2 and Qwen 1 use this name for both outputs.
            "c_proj" => Self { output: true, mlp: true, ..none },
            _ if MLP.iter().any(|(_, names)| names.contains(&name)) => Self { mlp: true, ..none },
            _ => return None,
        })
    }

    fn with(self, other: Self) -> Self {
        Self {
            query: self.query || other.query,
            key: self.key || other.key,
            value: self.value || other.value,
            output: self.output || other.output,
            mlp: self.mlp || other.mlp,
        }
    }
}

/// Matrices of MLPs, by class: all names of a row are the whole MLP.
const MLP: [(&str, &[&str]); 7] = [
    ("Llama", &["gate_proj", "up_proj", "down_proj"]),
    ("Phi-3", &["gate_up_proj", "down_proj"]),
    ("GPT-NeoX", &["dense_h_to_4h", "dense_4h_to_h"]),
    ("OPT", &["fc1", "fc2"]),
    ("GPT-2", &["c_fc", "c_proj"]),
    ("Mixtral", &["w1", "w2", "w3"]),
    ("MPT", &["ffn_up_proj", "ffn_down_proj"]),
];

fn targets(fields: &Map<String, Value>, remarks: &mut Vec<String>) -> Targets {
    let names = match fields.get("target_modules") {
        None | Some(Value::Null) if parameters(fields).is_empty() => {
            remarks.push("The file names no target_modules; assumed are PEFT's usual ones, query and value.".into());
            return Targets::QueryValue;
        }
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(all)) if all == "all-linear" => return Targets::AllLinear,
        Some(Value::String(pattern)) => {
            remarks.push(format!(
                "target_modules is an unsupported pattern, “{}”; read as all linear layers.",
                shorten(pattern)
            ));
            return Targets::AllLinear;
        }
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        Some(_) => {
            remarks.push("target_modules is neither a list nor a word; read as all linear layers.".into());
            return Targets::AllLinear;
        }
    };
    let last = |name: &&str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let mut short: Vec<String> = names.iter().map(last).collect();
    short.sort_unstable();
    short.dedup();
    let (mut kinds, mut unknown) = (Kinds::default(), Vec::new());
    for name in &short {
        match Kinds::named(name) {
            Some(kind) => kinds = kinds.with(kind),
            None => unknown.push(name.as_str()),
        }
    }
    let experts = parameters(fields);
    kinds.mlp |= experts.iter().any(|name| name.contains("experts"));
    if !unknown.is_empty() {
        remarks.push(format!("Not counted are adapters of {}.", named(&unknown)));
    }
    if kinds == Kinds::default() {
        remarks.push("No target was understood; read as all linear layers.".into());
        return Targets::AllLinear;
    }
    let all = [Targets::QueryValue, Targets::QueryKeyValue, Targets::Attention, Targets::Mlp, Targets::AllLinear];
    let holds = |targets: &Targets| kinds.with(Kinds::from_targets(*targets)) == Kinds::from_targets(*targets);
    let found = all.into_iter().find(holds).unwrap_or(Targets::AllLinear);
    let in_part = kinds.mlp
        && experts.is_empty()
        && !MLP.iter().any(|(_, names)| names.iter().all(|name| short.iter().any(|own| own == name)));
    if Kinds::from_targets(found) != kinds || in_part {
        remarks.push(format!(
            "The page lacks this choice of target_modules ({}); read as the next larger one.",
            named(&short.iter().map(String::as_str).collect::<Vec<_>>())
        ));
    }
    found
}

/// Returns the parameters with adapters.
fn parameters(fields: &Map<String, Value>) -> Vec<&str> {
    fields.get("target_parameters").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn embeddings(fields: &Map<String, Value>, remarks: &mut Vec<String>) -> bool {
    let names: Vec<&str> = fields
        .get("modules_to_save")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let last = |name: &&str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let is_table = |name: &str| matches!(name, "embed_tokens" | "wte" | "word_embeddings" | "embed_in");
    let is_head = |name: &str| matches!(name, "lm_head" | "embed_out" | "output_layer");
    let short: Vec<String> = names.iter().map(last).collect();
    let [table, head] = [short.iter().any(|name| is_table(name)), short.iter().any(|name| is_head(name))];
    let others: Vec<&str> = short.iter().map(String::as_str).filter(|name| !is_table(name) && !is_head(name)).collect();
    if table != head {
        remarks.push("modules_to_save names only one of embedding and head: both are counted.".into());
    }
    if !others.is_empty() {
        remarks.push(format!("modules_to_save also names {}, which is not counted.", named(&others)));
    }
    table || head
}

fn frozen_layers(fields: &Map<String, Value>, model: Option<&ModelEntry>, remarks: &mut Vec<String>) -> u32 {
    let index = |value: &Value| value.as_u64().and_then(|index| u32::try_from(index).ok());
    let mut layers: Vec<u32> = match fields.get("layers_to_transform") {
        Some(Value::Array(layers)) => layers.iter().filter_map(index).collect(),
        Some(value) => index(value).into_iter().collect(),
        None => Vec::new(),
    };
    layers.sort_unstable();
    layers.dedup();
    let (Some(&first), Some(&last)) = (layers.first(), layers.last()) else { return 0 };
    let gapless = u64::from(last) - u64::from(first) + 1 == layers.len() as u64;
    let to_the_end = model.is_none_or(|entry| last.saturating_add(1) == entry.architecture.num_hidden_layers);
    if !gapless || !to_the_end {
        remarks.push("layers_to_transform also leaves out later layers: adapters are counted in all layers from its first one on.".into());
    }
    let most = ParamId::FrozenLayers.number().map_or(0.0, |number| number.max);
    first.min(most as u32)
}

/// Lists some names, and the number of further ones.
fn named(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(MOST_NAMED).map(|name| shorten(name)).collect();
    match names.len().saturating_sub(MOST_NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

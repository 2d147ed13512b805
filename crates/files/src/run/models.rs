//! Models, by the names in configurations.

use catalog::ModelEntry;
use catalog::names::{model_named, refusal};
use engine::params::ParamId;
use engine::params::quantity::{group_thousands, shorten};
use engine::scenario::Model;
use huggingface::Stored;

use super::draft::Draft;
use super::keys::KeyedValue;

/// Returns the model of a name, and whether the name states more, such as a fine-tuned variant.
pub(super) fn find_model(name: &str) -> Option<(&'static ModelEntry, bool)> {
    model_named(name).map(|found| (found.entry, found.is_taken))
}

/// Returns the model that the name of an unset variable states: `$QWEN3_8B_PATH`.
fn of_variable(value: &str) -> Option<&'static ModelEntry> {
    let name = value.strip_prefix('$')?.trim_start_matches('{').trim_end_matches('}');
    let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let words = name.split('_').filter(|word| !matches!(*word, "MODEL" | "PATH" | "DIR" | "HF" | "NAME" | "CKPT"));
    let name = words.collect::<Vec<_>>().join("-");
    find_model(&name).filter(|_| is_name && name.contains(|letter: char| letter.is_ascii_digit())).map(|found| found.0)
}

/// Converts a recipe's name to a model's: `llama31_8b_pretrain_config` is `llama_3.1_8b`.
pub(super) fn spelled(name: &str) -> String {
    let end = ["_pretrain", "_sft", "_peft", "_finetune", "_lora", "_performance", "_low_precision", "_perf"];
    let name = end.iter().filter_map(|end| name.find(end)).min().and_then(|at| name.get(..at)).unwrap_or(name);
    name.replace("llama31", "llama_3.1")
        .replace("llama32", "llama_3.2")
        .replace("llama33", "llama_3.3")
        .replace("qwen25", "qwen_2.5")
        .replace("qwen2_500m", "qwen2_0.5b")
}

impl Draft {
    /// Sets the model of a name; an unknown one is reported, and the model is unchanged.
    pub(super) fn model_named(&mut self, found: &KeyedValue<String>) {
        let name = found.value.clone();
        self.model_called(found, &name);
    }

    /// Takes the model's own length, the default of a program that cuts off no text before it.
    pub(super) fn length_of_model(&mut self) {
        let Model::Preset { id, .. } = self.scenario.model else { return };
        let Some(entry) = catalog::model(id).filter(|entry| self.has_model && entry.max_position_embeddings > 0) else {
            return;
        };
        self.set_number(ParamId::SequenceLength, f64::from(entry.max_position_embeddings));
        self.has_length = true;
        let tokens = group_thousands(&entry.max_position_embeddings.to_string());
        self.assume(format!("No length is said: texts are cut off at the {tokens} tokens of {}.", entry.name));
    }

    /// Sets the teacher of a distillation; one that the catalog lacks has an unknown size, without
    /// which there is no verdict.
    pub(super) fn teacher_called(&mut self, found: &KeyedValue<String>) {
        let entry = of_variable(&found.value).or_else(|| find_model(&found.value).map(|(entry, _)| entry));
        let Some(entry) = entry else {
            return self.not_read(found, "the catalog has no such teacher, so its size is not known");
        };
        let active = if entry.architecture.has_experts() { entry.architecture.active_params() as f64 } else { 0.0 };
        self.set_number(ParamId::TeacherSize, entry.params as f64);
        self.set_number(ParamId::TeacherActive, active);
        self.record(found, format!("Teacher {}", entry.name));
    }

    /// Sets the model that a key names.
    pub(super) fn model_called<T>(&mut self, found: &KeyedValue<T>, name: &str) {
        if self.has_model {
            self.record(found, "The model, which another file describes");
            return;
        }
        if let Some(entry) = of_variable(name) {
            self.scenario.model = entry.pick();
            self.has_model = true;
            self.record(found, format!("Model {}", entry.name));
            self.assume(format!("“{}” is not set in the files: {}, as its name says.", shorten(name), entry.name));
        } else if let Some((entry, is_more)) = find_model(name) {
            self.scenario.model = entry.pick();
            self.has_model = true;
            self.record(found, format!("Model {}", entry.name));
            self.stored = Stored::of_name(name);
            if is_more {
                self.assume(format!("“{}” is read with the shape of {}.", shorten(name), entry.name));
            }
        } else {
            let (stays, refused, name) = (self.model_name(), refusal(name), shorten(name));
            self.assume(match refused {
                Some(says) => format!("“{name}” {says} So {stays} stays."),
                None => format!("The catalog has no model “{name}”: {stays} stays. Add its config.json to read it."),
            });
            self.record(found, "A model that the catalog lacks");
            self.names_unknown_model = true;
            // An argument or a call is no name.
            self.unknown_model = Some(name).filter(|name| !name.contains(['$', '(', '{']));
        }
    }

    /// Sets the frozen base's format to that in which the repository stores its weights, once all
    /// files are read, unless a key chose another.
    pub(super) fn base_as_stored(&mut self) {
        let Some(stored) = self.stored.filter(|_| !self.said.contains(&ParamId::BaseFormat)) else { return };
        match stored.base {
            Some(option) if !self.scenario.trained.is_all() => {
                self.set_option(ParamId::BaseFormat, option);
                self.assume(format!("The frozen weights are in {}, as the model's repository has them.", stored.name));
            }
            _ => self.assume(stored.says()),
        }
    }

    /// Sets the model from the name of a function or a file, if nothing else names one.
    pub(super) fn model_by_hint(&mut self, names: &[String]) {
        let Some((name, entry)) = names.iter().find_map(|name| Some((name, find_model(name)?.0))) else { return };
        // A key takes precedence over the name of a file, which may say that the key's model has
        // its encoder of images.
        let has_encoder = match self.scenario.model {
            Model::Preset { id, .. } => entry.id.strip_suffix("-vision") == Some(id),
            _ => false,
        };
        if has_encoder || !self.has_model && !self.names_unknown_model {
            self.scenario.model = entry.pick();
            self.has_model = true;
            self.assume(format!("The model is {}, as “{}” says.", entry.name, shorten(name)));
        }
    }

    /// Returns the name of the current model.
    pub(super) fn model_name(&self) -> String {
        match self.scenario.model {
            Model::Preset { id, .. } | Model::Scaled { id, .. } => {
                catalog::model(id).map_or_else(|| "the custom model".to_owned(), |entry| entry.name.to_owned())
            }
            Model::Ladder { .. } => "the model of the ladder".into(),
            Model::Custom { .. } => "the custom model".into(),
        }
    }
}

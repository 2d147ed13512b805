//! PEFT: the `adapter_config.json` that `PeftConfig.from_pretrained` reads. JSON has no comments,
//! so the notes are not in the file.

use serde::Serialize;

use super::adapters::Adapters;
use super::context::ExportContext;
use super::notes;
use engine::model::trained::{BaseFormat, Method};

/// The keys, in the order in which they are written. `None` and empty lists are left out.
#[derive(Serialize)]
struct Config {
    peft_type: &'static str,
    task_type: &'static str,
    base_model_name_or_path: &'static str,
    inference_mode: bool,
    r: u32,
    lora_alpha: u32,
    lora_dropout: f64,
    bias: &'static str,
    target_modules: TargetModules,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    target_parameters: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    layers_to_transform: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    modules_to_save: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ensure_weight_tying: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fan_in_fan_out: Option<bool>,
    use_rslora: bool,
    use_dora: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum TargetModules {
    All(&'static str),
    Named(Vec<&'static str>),
}

/// Writes the file and collects its notes.
pub(super) fn write(mut context: ExportContext) -> (String, Vec<&'static str>) {
    let adapters = Adapters::from_context(&context);
    add_notes(&mut context);
    let json = match adapters {
        Some(adapters) => serde_json::to_string_pretty(&Config::new(&context, adapters)).unwrap_or_default(),
        None => "{}".to_owned(),
    };
    (json + "\n", context.notes)
}

impl Config {
    fn new(context: &ExportContext, adapters: Adapters) -> Self {
        let layers = adapters.layers_to_transform();
        Self {
            peft_type: "LORA",
            task_type: "CAUSAL_LM",
            base_model_name_or_path: context.repository(),
            inference_mode: false,
            r: adapters.rank,
            lora_alpha: adapters.alpha,
            lora_dropout: adapters.dropout.parse().unwrap_or_default(),
            bias: "none",
            // PEFT accepts indices of layers only with a list of names.
            target_modules: if adapters.all_linear && layers.is_none() {
                TargetModules::All("all-linear")
            } else {
                TargetModules::Named(adapters.modules)
            },
            target_parameters: adapters.parameters,
            layers_to_transform: layers,
            ensure_weight_tying: (adapters.is_tied && !adapters.saved.is_empty()).then_some(true),
            modules_to_save: adapters.saved,
            fan_in_fan_out: adapters.transposed.then_some(true),
            use_rslora: adapters.rslora,
            use_dora: adapters.dora,
        }
    }
}

fn add_notes(context: &mut ExportContext) {
    let trained = context.setup.trained;
    context.note_if(trained.is_all(), notes::PEFT_ALL);
    context.note_if(trained.method == Method::Layers, notes::PEFT_LAYERS);
    if trained.has_adapters() {
        context.note_adapters();
        context.note_if(trained.base != BaseFormat::Bf16, notes::PEFT_BASE);
    }
}

impl ExportContext {
    /// Adds the notes that hold wherever PEFT makes the adapters.
    pub(super) fn note_adapters(&mut self) {
        let (trained, experts) = (self.setup.trained, self.has_experts() && self.setup.trained.targets.modules().mlp);
        self.note_if(self.lacks_repository(), notes::NO_REPOSITORY);
        self.note_if(trained.rank == 0, notes::RANK_0);
        self.note_if(experts && trained.method != Method::Dora, notes::PEFT_EXPERTS);
        self.note_if(experts && trained.method == Method::Dora, notes::PEFT_EXPERTS_DORA);
        self.note_if(experts && trained.dropout && trained.method != Method::Dora, notes::PEFT_EXPERTS_DROPOUT);
    }
}

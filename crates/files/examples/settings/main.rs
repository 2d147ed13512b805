//! Writes the settings of many scenarios for every framework, which `tests/exports/check.py` reads
//! with the frameworks' own parsers: `cargo run -p files --example settings [FOLDER]`.
//! With a link or fragment as the second argument only that scenario's settings are written.

mod grid;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use engine::model::adapters::layer_adapter_params;
use engine::model::layer::Layers;
use engine::model::parallel::Mesh;
use engine::model::setup::Setup;
use engine::model::transformer::{AttentionBias, FusedProjections, Norm, QkNorm};
use engine::scenario::Scenario;
use files::settings::{programs, text};
use serde_json::{Value, json};

/// Default output folder.
const FOLDER: &str = "target/exports";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let folder =
        words.next().map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(FOLDER), PathBuf::from);
    let scenarios = match words.next() {
        Some(link) => vec![("link".to_owned(), links::decode::decode(&link).scenario)],
        None => grid::scenarios(),
    };
    match write(&folder, &scenarios) {
        Ok(()) => {
            println!("{} scenarios in {}", scenarios.len(), folder.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("`{}` could not be written: {error}.", folder.display());
            ExitCode::FAILURE
        }
    }
}

/// Writes a folder for each scenario, and a list of all.
fn write(folder: &Path, scenarios: &[(String, Scenario)]) -> std::io::Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    let mut list = Vec::new();
    for (place, (name, scenario)) in scenarios.iter().enumerate() {
        let own = folder.join(format!("{place:03}"));
        std::fs::create_dir_all(&own)?;
        list.push(described(&own, name, scenario)?);
    }
    std::fs::write(folder.join("scenarios.json"), serde_json::to_string_pretty(&list)?)
}

/// Writes the files of a scenario, and returns the values that the check compares them with.
fn described(folder: &Path, name: &str, scenario: &Scenario) -> std::io::Result<Value> {
    let mut notes = serde_json::Map::new();
    for program in programs() {
        let Some(settings) = text(program, scenario) else { continue };
        std::fs::write(folder.join(&*settings.file_name), &settings.body)?;
        let sentences = settings.notes.clone();
        notes.insert(program.name().to_owned(), json!(sentences));
    }
    let setup = scenario.setup();
    let (mesh, batch, shape, trained) = (setup.mesh, setup.batch, setup.architecture, setup.trained);
    // Adapters of a whole dense model: experts are parameters, which PEFT adapts differently.
    let whole = Setup { mesh: Mesh { tp: 1, ep: 1, etp: 1, ..mesh }, ..setup };
    let adapted = f64::from(shape.num_hidden_layers - trained.frozen_layers.min(shape.num_hidden_layers));
    // Shapes that the configuration of LlamaForCausalLM can express.
    let is_llama = shape.gated_mlp
        && shape.norm == Norm::Rms
        && shape.norms_per_layer == 2
        && shape.qk_norm == QkNorm::None
        && shape.attention_bias == AttentionBias::None
        && !shape.mlp_bias
        && !shape.head_bias
        && shape.fused_projections == FusedProjections::None
        && !setup.traits().fused_projections
        && !shape.has_experts()
        && !shape.latent.is_used();
    Ok(json!({
        "name": name,
        "link": links::encode(scenario),
        "folder": folder.file_name().map(|name| name.to_string_lossy()),
        "gpus": mesh.gpus(),
        "mesh": { "dp_replicate": mesh.dp_replicate, "dp_shard": mesh.dp_shard, "cp": mesh.cp, "tp": mesh.tp, "pp": mesh.pp,
            "ep": mesh.ep, "etp": mesh.etp },
        "layers": setup.architecture.num_hidden_layers,
        "gated": setup.architecture.gated_mlp,
        "params": setup.architecture.params(),
        "global_batch": f64::from(mesh.replicas()) * f64::from(batch.micro_batch_size) * f64::from(batch.grad_accum_steps),
        "grad_accum_steps": batch.grad_accum_steps,
        "recipe": format!("{:?}", setup.recipe),
        "compute": format!("{:?}", setup.compute_format),
        "seq": batch.seq_len,
        "micro_batch": batch.micro_batch_size,
        "is_llama": is_llama,
        "shape": { "hidden_size": shape.hidden_size, "num_attention_heads": shape.num_attention_heads,
            "num_key_value_heads": shape.num_key_value_heads, "head_dim": shape.head_dim,
            "intermediate_size": shape.intermediate_size, "vocab_size": shape.vocab_size,
            "tie_word_embeddings": shape.tie_word_embeddings },
        "trained": { "method": format!("{:?}", trained.method), "rank": trained.rank, "base": format!("{:?}", trained.base),
            "embeddings": trained.embeddings, "frozen": trained.frozen_layers.min(shape.num_hidden_layers),
            "targets": format!("{:?}", trained.targets) },
        "adapters": if trained.has_adapters() { adapted * layer_adapter_params(&whole, &Layers::DENSE).layer } else { 0.0 },
        "notes": notes,
    }))
}

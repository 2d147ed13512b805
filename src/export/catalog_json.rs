//! The catalog as JSON: every entry with its numbers and its source.

use crate::catalog::{self, ACCELERATORS, CLUSTERS, INTERCONNECTS, MODELS, SCENARIOS};
use serde_json::{Value, json};

/// Models, accelerators, interconnects, clusters and named scenarios.
pub fn catalog_json() -> Value {
    json!({
        "revision": catalog::REVISION,
        "models": MODELS.iter().map(model).collect::<Vec<_>>(),
        "accelerators": ACCELERATORS.iter().map(accelerator).collect::<Vec<_>>(),
        "interconnects": INTERCONNECTS.iter().map(interconnect).collect::<Vec<_>>(),
        "clusters": CLUSTERS.iter().map(cluster).collect::<Vec<_>>(),
        "scenarios": SCENARIOS.iter().map(scenario).collect::<Vec<_>>(),
    })
}

fn model(entry: &catalog::ModelEntry) -> Value {
    let arch = &entry.architecture;
    json!({
        "id": entry.id,
        "name": entry.name,
        "family": entry.family,
        "params": arch.params(),
        "active_params": arch.active_params(),
        "num_hidden_layers": arch.num_hidden_layers,
        "hidden_size": arch.hidden_size,
        "num_attention_heads": arch.num_attention_heads,
        "num_key_value_heads": arch.num_key_value_heads,
        "head_dim": arch.head_dim,
        "intermediate_size": arch.intermediate_size,
        "vocab_size": arch.vocab_size,
        "tie_word_embeddings": arch.tie_word_embeddings,
        "max_position_embeddings": entry.max_position_embeddings,
        "source": entry.source,
    })
}

fn accelerator(entry: &catalog::AcceleratorEntry) -> Value {
    let values = &entry.values;
    json!({
        "id": entry.id,
        "name": entry.name,
        "memory_gib": values.memory.gib(),
        "memory_bandwidth_gb_per_s": values.memory_bandwidth.gb_per_s(),
        "peak_16bit_tflops": values.peak_16bit.tflops(),
        "peak_8bit_tflops": values.peak_8bit.tflops(),
        "peak_32bit_tflops": values.peak_32bit.tflops(),
        "source": entry.source,
    })
}

fn interconnect(entry: &catalog::InterconnectEntry) -> Value {
    json!({
        "id": entry.id,
        "name": entry.name,
        "scope": if entry.intra_node { "intra_node" } else { "inter_node" },
        "bandwidth_gb_per_s": entry.bandwidth.gb_per_s(),
        "bandwidth_gbit_per_s": entry.bandwidth.gbit_per_s(),
        "latency_us": entry.latency.us(),
        "efficiency": entry.efficiency,
        "source": entry.source,
    })
}

fn cluster(entry: &catalog::ClusterEntry) -> Value {
    json!({
        "id": entry.id,
        "name": entry.name,
        "accelerator": entry.accelerator,
        "gpus_per_node": entry.gpus_per_node,
        "intra_node": entry.intra_node,
        "inter_node": entry.inter_node,
        "source": entry.source,
    })
}

fn scenario(entry: &catalog::ScenarioEntry) -> Value {
    json!({
        "id": entry.id,
        "name": entry.name,
        "notice": entry.notice,
        "link": entry.link,
        "source": entry.source,
    })
}

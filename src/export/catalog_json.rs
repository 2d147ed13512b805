//! The catalog as JSON: every entry with its numbers and its source.

use serde::Serialize;

use crate::catalog::{self, ACCELERATORS, CLUSTERS, INTERCONNECTS, MODELS, SCENARIOS};

/// Models, accelerators, interconnects, clusters and named scenarios.
#[derive(Debug, Serialize)]
pub struct CatalogJson {
    revision: u32,
    models: Vec<ModelJson>,
    accelerators: Vec<AcceleratorJson>,
    interconnects: Vec<InterconnectJson>,
    clusters: Vec<ClusterJson>,
    scenarios: Vec<ScenarioJson>,
}

/// A model: its shape under the names of a Hugging Face `config.json`.
#[derive(Debug, Serialize)]
struct ModelJson {
    id: &'static str,
    name: &'static str,
    family: &'static str,
    params: u64,
    active_params: u64,
    num_hidden_layers: u32,
    hidden_size: u32,
    num_attention_heads: u32,
    num_key_value_heads: u32,
    head_dim: u32,
    intermediate_size: u32,
    vocab_size: u32,
    tie_word_embeddings: bool,
    max_position_embeddings: u32,
    sliding_window: u32,
    global_every: u32,
    source: &'static str,
}

/// An accelerator: dense peaks.
#[derive(Debug, Serialize)]
struct AcceleratorJson {
    id: &'static str,
    name: &'static str,
    memory_gib: f64,
    memory_bandwidth_gb_per_s: f64,
    peak_16bit_tflops: f64,
    peak_8bit_tflops: f64,
    peak_4bit_tflops: f64,
    peak_32bit_tflops: f64,
    host_link_gb_per_s: f64,
    power_w: f64,
    source: &'static str,
}

/// An interconnect: rates per GPU and per direction.
#[derive(Debug, Serialize)]
struct InterconnectJson {
    id: &'static str,
    name: &'static str,
    scope: &'static str,
    bandwidth_gb_per_s: f64,
    bandwidth_gbit_per_s: f64,
    latency_us: f64,
    efficiency: f64,
    source: &'static str,
}

/// A cluster, by the keys of its parts.
#[derive(Debug, Serialize)]
struct ClusterJson {
    id: &'static str,
    name: &'static str,
    accelerator: &'static str,
    gpus_per_node: u32,
    intra_node: &'static str,
    inter_node: &'static str,
    source: &'static str,
}

/// A named scenario.
#[derive(Debug, Serialize)]
struct ScenarioJson {
    id: &'static str,
    name: &'static str,
    notice: &'static str,
    link: &'static str,
    source: &'static str,
}

/// The whole catalog.
pub fn catalog_json() -> CatalogJson {
    CatalogJson {
        revision: catalog::REVISION,
        models: MODELS.iter().map(model).collect(),
        accelerators: ACCELERATORS.iter().map(accelerator).collect(),
        interconnects: INTERCONNECTS.iter().map(interconnect).collect(),
        clusters: CLUSTERS.iter().map(cluster).collect(),
        scenarios: SCENARIOS.iter().map(scenario).collect(),
    }
}

fn model(entry: &catalog::ModelEntry) -> ModelJson {
    let arch = &entry.architecture;
    ModelJson {
        id: entry.id,
        name: entry.name,
        family: entry.family,
        params: arch.params(),
        active_params: arch.active_params(),
        num_hidden_layers: arch.num_hidden_layers,
        hidden_size: arch.hidden_size,
        num_attention_heads: arch.num_attention_heads,
        num_key_value_heads: arch.num_key_value_heads,
        head_dim: arch.head_dim,
        intermediate_size: arch.intermediate_size,
        vocab_size: arch.vocab_size,
        tie_word_embeddings: arch.tie_word_embeddings,
        max_position_embeddings: entry.max_position_embeddings,
        sliding_window: arch.sliding_window,
        global_every: arch.global_every,
        source: entry.source,
    }
}

fn accelerator(entry: &catalog::AcceleratorEntry) -> AcceleratorJson {
    let values = &entry.values;
    AcceleratorJson {
        id: entry.id,
        name: entry.name,
        memory_gib: values.memory.gib(),
        memory_bandwidth_gb_per_s: values.memory_bandwidth.gb_per_s(),
        peak_16bit_tflops: values.peak_16bit.tflops(),
        peak_8bit_tflops: values.peak_8bit.tflops(),
        peak_4bit_tflops: values.peak_4bit.tflops(),
        peak_32bit_tflops: values.peak_32bit.tflops(),
        host_link_gb_per_s: values.host_link.gb_per_s(),
        power_w: values.power,
        source: entry.source,
    }
}

fn interconnect(entry: &catalog::InterconnectEntry) -> InterconnectJson {
    InterconnectJson {
        id: entry.id,
        name: entry.name,
        scope: if entry.intra_node { "intra_node" } else { "inter_node" },
        bandwidth_gb_per_s: entry.bandwidth.gb_per_s(),
        bandwidth_gbit_per_s: entry.bandwidth.gbit_per_s(),
        latency_us: entry.latency.us(),
        efficiency: entry.efficiency,
        source: entry.source,
    }
}

fn cluster(entry: &catalog::ClusterEntry) -> ClusterJson {
    let catalog::ClusterEntry { id, name, accelerator, gpus_per_node, intra_node, inter_node, source } = *entry;
    ClusterJson { id, name, accelerator, gpus_per_node, intra_node, inter_node, source }
}

fn scenario(entry: &catalog::ScenarioEntry) -> ScenarioJson {
    let catalog::ScenarioEntry { id, name, notice, link, source } = *entry;
    ScenarioJson { id, name, notice, link, source }
}

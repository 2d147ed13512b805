//! The catalog as JSON: every entry with its numbers and its source.

use serde::Serialize;

use catalog::{ACCELERATORS, CLUSTERS, INTERCONNECTS, MODELS, SCENARIOS};
use engine::model::transformer::{Architecture, Experts, LatentAttention};

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
    attention_chunks: bool,
    latent_attention: Option<LatentJson>,
    experts: Option<ExpertsJson>,
    source: &'static str,
}

/// The widths of latent attention.
#[derive(Debug, Serialize)]
struct LatentJson {
    kv_lora_rank: u32,
    q_lora_rank: u32,
    qk_nope_head_dim: u32,
    qk_rope_head_dim: u32,
    v_head_dim: u32,
}

/// The experts of a mixture of experts.
#[derive(Debug, Serialize)]
struct ExpertsJson {
    num_experts: u32,
    num_experts_per_tok: u32,
    moe_intermediate_size: u32,
    shared_intermediate_size: u32,
    first_k_dense_replace: u32,
    moe_layer_step: u32,
    n_group: u32,
    topk_group: u32,
    moe_layers: u32,
    params_per_expert: u64,
}

/// An accelerator: dense peaks.
#[derive(Debug, Serialize)]
struct AcceleratorJson {
    id: &'static str,
    name: &'static str,
    memory_gib: f64,
    usable_memory_gib: f64,
    memory_bandwidth_gb_per_s: f64,
    peak_16bit_tflops: f64,
    peak_8bit_tflops: f64,
    peak_4bit_tflops: f64,
    peak_32bit_tflops: f64,
    host_link_gb_per_s: f64,
    power_w: f64,
    /// On-demand price for one hour; null if no provider lists one.
    price: Option<PriceJson>,
    source: &'static str,
}

/// An on-demand list price.
#[derive(Debug, Serialize)]
struct PriceJson {
    usd_per_hour: f64,
    source: &'static str,
    /// Date on which the price was read; empty if unknown.
    date: &'static str,
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

/// A cluster, with the keys of its parts.
#[derive(Debug, Serialize)]
struct ClusterJson {
    id: &'static str,
    name: &'static str,
    accelerator: &'static str,
    gpus_per_node: u32,
    gpus_per_host: u32,
    host_memory_gib: f64,
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
    /// The query of its link; empty if there is none.
    view: &'static str,
    say: &'static str,
    source: &'static str,
}

/// Collects the whole catalog.
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
        attention_chunks: arch.attention_chunks,
        latent_attention: arch.latent.is_used().then(|| latent(arch.latent)),
        experts: arch.has_experts().then(|| experts(arch)),
        source: entry.source,
    }
}

fn latent(latent: LatentAttention) -> LatentJson {
    let LatentAttention { kv_lora_rank, q_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim } = latent;
    LatentJson { kv_lora_rank, q_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim }
}

fn experts(arch: &Architecture) -> ExpertsJson {
    let Experts { num_experts, num_experts_per_tok, moe_intermediate_size, shared_intermediate_size, .. } =
        arch.experts;
    let Experts { first_k_dense_replace, moe_layer_step, n_group, topk_group, .. } = arch.experts;
    ExpertsJson {
        num_experts,
        num_experts_per_tok,
        moe_intermediate_size,
        shared_intermediate_size,
        first_k_dense_replace,
        moe_layer_step,
        n_group,
        topk_group,
        moe_layers: arch.moe_layers(),
        params_per_expert: arch.expert_params(),
    }
}

fn accelerator(entry: &catalog::AcceleratorEntry) -> AcceleratorJson {
    let values = &entry.values;
    AcceleratorJson {
        id: entry.id,
        name: entry.name,
        memory_gib: values.memory.gib(),
        usable_memory_gib: values.usable_memory().gib(),
        memory_bandwidth_gb_per_s: values.memory_bandwidth.gb_per_s(),
        peak_16bit_tflops: values.peak_16bit.tflops(),
        peak_8bit_tflops: values.peak_8bit.tflops(),
        peak_4bit_tflops: values.peak_4bit.tflops(),
        peak_32bit_tflops: values.peak_32bit.tflops(),
        host_link_gb_per_s: values.host_link.gb_per_s(),
        power_w: values.power,
        price: entry.price().map(|price| PriceJson {
            usd_per_hour: price.usd_per_hour,
            source: price.source,
            date: price.date,
        }),
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
    let catalog::ClusterEntry { id, name, accelerator, gpus_per_node, intra_node, inter_node, source, host, .. } =
        *entry;
    ClusterJson {
        id,
        name,
        accelerator,
        gpus_per_node,
        gpus_per_host: if host.gpus == 0 { gpus_per_node } else { host.gpus },
        host_memory_gib: host.memory.gib(),
        intra_node,
        inter_node,
        source,
    }
}

fn scenario(entry: &catalog::ScenarioEntry) -> ScenarioJson {
    let catalog::ScenarioEntry { id, name, notice, link, view, source, say } = *entry;
    ScenarioJson { id, name, notice, link, view, say, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixtures_have_their_experts_and_dense_models_none() {
        let json = serde_json::to_value(catalog_json()).unwrap();
        let models = json["models"].as_array().unwrap();
        let find = |id: &str| models.iter().find(|model| model["id"] == id).unwrap();
        let v3 = find("deepseek-v3");
        assert_eq!((v3["experts"]["moe_layers"].as_u64(), v3["experts"]["n_group"].as_u64()), (Some(58), Some(8)));
        assert_eq!(v3["latent_attention"]["kv_lora_rank"], 512);
        assert_eq!(find("mixtral-8x7b")["active_params"], 12_879_925_248_u64);
        assert!(find("llama-3-8b")["experts"].is_null() && find("llama-3-8b")["latent_attention"].is_null());
    }
}

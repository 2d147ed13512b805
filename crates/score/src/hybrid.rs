//! Reads traced training steps of models with state mixers (`tests/hybrid/trace.py`): Hugging
//! Face's code on fake tensors, with the bytes alive at the peak.

use super::LeftOut;
use super::cells::Cells;
use super::library_step::LibraryStep;
use engine::model::choices::Choices;
use engine::model::software::{Kernels, StateKernel};
use engine::model::transformer::recurrent::{Recurrent, RecurrentKind};
use engine::model::transformer::{Architecture, Experts, LatentAttention};
use engine::scenario::Scenario;
use engine::scenario::layers::read_layers;

/// Reads a row from its cells. The column `model` names the family, as in the library's
/// class name.
///
/// # Errors
///
/// Returns the name of the missing column, or the unsupported value.
pub fn read(cells: &Cells<'_>) -> Result<LibraryStep, LeftOut> {
    let plain = cells.scenario(architecture(cells)?)?;
    let state = if cells.get("state_kernel") == "eager" { StateKernel::Eager } else { StateKernel::Fused };
    cells.step(Scenario { choices: Choices { kernels: Kernels { state, ..plain.kernels }, ..plain.choices }, ..plain })
}

/// Parses the kind of a mixer by its name in links.
fn kind(name: &str) -> Result<RecurrentKind, LeftOut> {
    Ok(match name {
        "mamba" => RecurrentKind::Mamba,
        "mamba2" => RecurrentKind::Mamba2,
        "gated-delta" => RecurrentKind::GatedDelta,
        "kimi-delta" => RecurrentKind::KimiDelta,
        "lightning" => RecurrentKind::Lightning,
        "rg-lru" => RecurrentKind::RgLru,
        "short-conv" => RecurrentKind::ShortConv,
        other => return Err(LeftOut::because("a mixer that is not modelled").about(other)),
    })
}

fn architecture(cells: &Cells<'_>) -> Result<Architecture, LeftOut> {
    let count = |name| cells.count(name);
    let recurrent = Recurrent {
        kind: kind(cells.get("mixer"))?,
        heads: count("mixer_heads"),
        head_dim: count("mixer_head_dim"),
        key_heads: count("mixer_key_heads"),
        key_dim: count("mixer_key_dim"),
        conv_kernel: count("conv_kernel"),
        rank: count("mixer_rank"),
        chunk: count("chunk"),
        ..Recurrent::NONE
    };
    let experts = Experts {
        num_experts: count("experts"),
        num_experts_per_tok: count("top_k").max(1),
        moe_intermediate_size: count("moe_ffn"),
        shared_intermediate_size: count("shared_ffn"),
        ..Experts::NONE
    };
    let latent = LatentAttention {
        kv_lora_rank: count("kv_lora_rank"),
        qk_nope_head_dim: count("head_dim"),
        qk_rope_head_dim: count("qk_rope_head_dim"),
        v_head_dim: count("v_head_dim"),
        ..LatentAttention::NONE
    };
    let pattern =
        read_layers(cells.get("pattern")).map_err(|sentence| LeftOut::because("a list of layers").about(sentence))?;
    cells.with_unnamed(Architecture {
        intermediate_size: count("ffn"),
        tie_word_embeddings: cells.is_yes("tied_embeddings"),
        gated_mlp: cells.is_yes("mlp_gated"),
        // Layers of Nemotron-H have one block each.
        norms_per_layer: if cells.get("model") == "NemotronH" { 1 } else { 2 },
        gated_attention: cells.is_yes("gated_attention"),
        latent: if latent.kv_lora_rank > 0 { latent } else { LatentAttention::NONE },
        experts,
        recurrent,
        pattern,
        ..cells.decoder()?
    })
}

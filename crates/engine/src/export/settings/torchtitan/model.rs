//! The model, from the shapes that torchtitan has: Llama 3's, Qwen 3's with and without experts, DeepSeek V3's.

use crate::export::settings::asked::{Asked, Lines, either, number};
use crate::export::settings::notes;
use crate::model::experts::Dispatcher;
use crate::model::training::ComputeFormat;
use crate::model::transformer::{AttentionBias, Norm, QkNorm};

/// Whose shape a model takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Llama3,
    Qwen3,
    Qwen3Experts,
    DeepSeek,
}

fn family(asked: &Asked) -> Family {
    let shape = &asked.setup.architecture;
    if shape.latent.is_used() {
        Family::DeepSeek
    } else if shape.has_experts() {
        Family::Qwen3Experts
    } else if shape.qk_norm != QkNorm::None
        || shape.head_dim.saturating_mul(shape.num_attention_heads) != shape.hidden_size
    {
        Family::Qwen3
    } else {
        Family::Llama3
    }
}

/// What the families leave out of a shape.
pub(super) fn note(asked: &mut Asked) {
    let shape = asked.setup.architecture;
    let (family, experts) = (family(asked), shape.experts);
    let normed = matches!(family, Family::Qwen3 | Family::Qwen3Experts);
    let other_norms = if normed { shape.qk_norm != QkNorm::PerHead } else { shape.qk_norm != QkNorm::None };
    let dense = experts.first_k_dense_replace > 0 || experts.moe_layer_step > 1;
    let shared = experts.shared_intermediate_size > 0;
    let width = experts.moe_intermediate_size.max(1);
    let is_other = !shape.gated_mlp
        || shape.norm != Norm::Rms
        || shape.norms_per_layer != 2
        || other_norms
        || shape.attention_bias != AttentionBias::None
        || shape.mlp_bias
        || shape.head_bias
        || shape.learned_positions > 0
        || shape.embedding_norm
        || shape.attention_sinks
        || experts.expert_bias
        // The correction of scores is a buffer there.
        || experts.router_bias
        || experts.shared_expert_gate
        || (family == Family::Qwen3Experts && (dense || shared || experts.n_group > 1))
        || (family == Family::DeepSeek
            && (experts.moe_layer_step > 1 || !shared || experts.shared_intermediate_size % width > 0));
    asked.note(is_other, notes::TITAN_SHAPE);
    let heads = shape.num_key_value_heads.is_multiple_of(asked.setup.mesh.tp) || family == Family::DeepSeek;
    asked.note(!heads, notes::TITAN_HEADS);
    asked.note(shape.sliding_window > 0, notes::TITAN_WINDOW);
    asked.note(shape.tie_word_embeddings && asked.setup.mesh.pp > 1, notes::TITAN_TIED);
    asked.note(
        shape.tie_word_embeddings && family == Family::DeepSeek && asked.setup.mesh.pp == 1,
        notes::TITAN_SHAPE_TIED,
    );
    let run = asked.setup.experts;
    if asked.has_experts() {
        asked.note(run.capacity_factor > 1.0, notes::DROPLESS);
        asked.note(run.chunks > 1, notes::NO_CHUNKS);
        asked.note(run.across_micro_batches, notes::NO_ACROSS);
        asked.note(run.algorithm != crate::model::experts::AllToAll::Linear, notes::LINEAR_ONLY);
        asked.note(!run.grouped, notes::ALWAYS_GROUPED);
        asked.note(run.fused, notes::NO_FUSED_EXPERTS);
    }
}

/// What the model's lines name.
pub(super) fn imports(asked: &Asked, text: &mut Lines) {
    let converters = match asked.setup.compute_format {
        ComputeFormat::Recipe => "",
        ComputeFormat::Fp8 | ComputeFormat::Fp8Gather => "Float8LinearConverter",
        ComputeFormat::Fp4 => "NVFP4LinearConverter",
    };
    text.add_if(!converters.is_empty(), &["from torchtitan.components.quantization import ", converters]);
    let (module, names) = match family(asked) {
        Family::Llama3 => ("llama3", "Llama3Model"),
        Family::Qwen3 | Family::Qwen3Experts => ("qwen3", "Qwen3Model"),
        Family::DeepSeek => ("deepseek_v3", "DeepSeekV3Model"),
    };
    text.add(&["from torchtitan.models import ", module, " as shapes"]);
    text.add(&["from torchtitan.models.", module, " import ", names, ", model_registry"]);
    let table = either(names == "Qwen3Model", ["CosSinRoPE", "ComplexRoPE"]);
    text.add(&["from torchtitan.models.common import ", table, ", Embedding, Linear, RMSNorm"]);
}

/// The lines that make `spec`.
pub(super) fn write(asked: &Asked, text: &mut Lines) {
    let shape = &asked.setup.architecture;
    let (family, vocab, dim) = (family(asked), number(shape.vocab_size), number(shape.hidden_size));
    // Torchtitan ties no weights across stages.
    let tied = shape.tie_word_embeddings && asked.setup.mesh.pp == 1 && family != Family::DeepSeek;
    text.add(&["    spec = model_registry(\"debugmodel\")\n    spec.flavor = \"", asked.model_name(), "\""]);
    let class = match family {
        Family::Llama3 => "Llama3Model",
        Family::Qwen3 | Family::Qwen3Experts => "Qwen3Model",
        Family::DeepSeek => "DeepSeekV3Model",
    };
    text.add(&["    spec.model = ", class, ".Config(\n        dim=", &dim, ",\n        vocab_size=", &vocab, ","]);
    text.add_if(tied, &["        enable_weight_tying=True,"]);
    let init = either(tied, ["_EMBEDDING_SKIP_INIT", "_EMBEDDING_INIT"]);
    text.add(&[
        "        tok_embeddings=Embedding.Config(\n            num_embeddings=",
        &vocab,
        ", embedding_dim=",
        &dim,
        ", param_init=shapes.",
        init,
        "\n        ),",
    ]);
    text.add(&["        norm=RMSNorm.Config(normalized_shape=", &dim, ", param_init=shapes._NORM_INIT),"]);
    let head = match family {
        Family::Qwen3 | Family::Qwen3Experts => "_LINEAR_INIT".to_owned(),
        Family::Llama3 | Family::DeepSeek => ["_output_linear_init(", &dim, ")"].concat(),
    };
    text.add(&[
        "        lm_head=Linear.Config(in_features=",
        &dim,
        ", out_features=",
        &vocab,
        ", param_init=shapes.",
        &head,
        "),",
    ]);
    layers(asked, family, text);
    text.add(&["    )"]);
    convert(asked, text);
    text.add_if(asked.setup.mesh.pp > 1, &[PARTS]);
}

/// Sequences longer than the table of positions are refused.
fn rope(asked: &Asked, class: &str, width: u32) -> String {
    let longest = number(asked.setup.batch.seq_len);
    [class, ".Config(dim=", &number(width), ", max_seq_len=", &longest, ", theta=500000.0)"].concat()
}

fn layers(asked: &Asked, family: Family, text: &mut Lines) {
    let (shape, experts) = (&asked.setup.architecture, &asked.setup.architecture.experts);
    let fused = asked.setup.experts.dispatcher == Dispatcher::Fused && asked.setup.mesh.ep > 1;
    let backend = either(fused, ["\"deepep\"", "\"standard\""]);
    let builder = match family {
        Family::Llama3 => "_build_llama3_layers",
        Family::Qwen3 => "_build_qwen3_layers",
        Family::Qwen3Experts => "_build_qwen3_moe_layers",
        Family::DeepSeek => "_build_dsv3_layers",
    };
    text.add(&["        layers=shapes.", builder, "("]);
    let mut count = |name: &str, value: u32| text.add(&["            ", name, "=", &number(value), ","]);
    count("n_layers", shape.num_hidden_layers);
    count("dim", shape.hidden_size);
    count("n_heads", shape.num_attention_heads);
    if family == Family::DeepSeek {
        let latent = &shape.latent;
        count("q_lora_rank", latent.q_lora_rank);
        count("kv_lora_rank", latent.kv_lora_rank);
        count("qk_nope_head_dim", latent.qk_nope_head_dim);
        count("qk_rope_head_dim", latent.qk_rope_head_dim);
        count("v_head_dim", latent.v_head_dim);
        count(
            "n_dense_layers",
            if shape.has_experts() { experts.first_k_dense_replace } else { shape.num_hidden_layers },
        );
        count("dense_hidden_dim", shape.intermediate_size);
        count("num_shared_experts", experts.shared_intermediate_size / experts.moe_intermediate_size.max(1));
        count("router_top_k", experts.top_k().max(1));
        if experts.n_group > 1 {
            count("router_num_expert_groups", experts.n_group);
            count("router_num_limited_groups", experts.topk_group);
        }
    } else {
        count("n_kv_heads", shape.num_key_value_heads);
    }
    if matches!(family, Family::Qwen3 | Family::Qwen3Experts) {
        count("head_dim", shape.head_dim);
    }
    if matches!(family, Family::Qwen3Experts | Family::DeepSeek) {
        count("moe_hidden_dim", experts.moe_intermediate_size.max(1));
        count("num_experts", experts.num_experts.max(1));
    } else {
        count("hidden_dim", shape.intermediate_size);
    }
    if family == Family::Qwen3Experts {
        count("top_k", experts.top_k());
    }
    let table = match family {
        Family::Llama3 => rope(asked, "ComplexRoPE", shape.head_dim),
        Family::Qwen3 | Family::Qwen3Experts => rope(asked, "CosSinRoPE", shape.head_dim),
        Family::DeepSeek => rope(asked, "ComplexRoPE", shape.latent.qk_rope_head_dim),
    };
    text.add(&["            rope=", &table, ",\n            attn_backend=\"flex\","]);
    if matches!(family, Family::Qwen3Experts | Family::DeepSeek) {
        text.add(&["            moe_comm_backend=", backend, ","]);
    }
    text.add_if(family == Family::DeepSeek, &[
        "            mscale=1.0,\n            router_score_func=\"sigmoid\",\n            non_blocking_capacity_factor=None,",
    ]);
    text.add(&["        ),"]);
}

/// Products in 8 or 4 bits.
fn convert(asked: &Asked, text: &mut Lines) {
    let compiled = either(asked.setup.kernels.compile, ["True", "False"]);
    let convert = |class: &str, names: &str| {
        [
            "    spec.model = ",
            class,
            ".Config(",
            names,
            "model_compile_enabled=",
            compiled,
            ").build().convert(spec.model)",
        ]
        .concat()
    };
    match asked.setup.compute_format {
        ComputeFormat::Recipe => {}
        ComputeFormat::Fp8 | ComputeFormat::Fp8Gather => {
            text.add(&[&convert("Float8LinearConverter", "filter_fqns=[\"lm_head\", \"router.gate\"], ")]);
        }
        ComputeFormat::Fp4 => text.add(&[&convert("NVFP4LinearConverter", "fqns=[\"attention\", \"feed_forward\"], ")]),
    }
}

/// Names of the modules of each stage.
const PARTS: &str = r#"
    def parts(layers):
        ends = [sum(layers[: place + 1]) for place in range(len(layers))]
        names = [[f"layers.{index}" for index in range(end - held, end)] for end, held in zip(ends, layers)]
        names[0].insert(0, "tok_embeddings")
        names[-1] += ["norm", "lm_head"]
        return names
"#;

//! Models, their architectures and families.

use serde_json::Value;

use super::rows::{File, Row, merge, place, with_likes};
use super::shape::{Blank, Field, Kind, Shape, array, list, needed};

/// A number that is the base's where a row says nothing.
const fn whole(name: &'static str) -> Field {
    Field(name, name, Kind::Whole, Blank::Base)
}

const fn flag(name: &'static str) -> Field {
    Field(name, name, Kind::Flag, Blank::Base)
}

const fn variant(name: &'static str, of: &'static str) -> Field {
    Field(name, name, Kind::Variant(of), Blank::Base)
}

const fn within(name: &'static str, shape: &'static Shape) -> Field {
    Field(name, name, Kind::Struct(shape), Blank::Base)
}

const ENTRY: Shape = Shape {
    name: "ModelEntry",
    base: "",
    fields: &[
        needed("id", Kind::Text),
        needed("name", Kind::Text),
        needed("family", Kind::Text),
        needed("params", Kind::Whole),
        needed("max_position_embeddings", Kind::Whole),
        needed("source", Kind::Text),
        needed("architecture", Kind::Name),
    ],
};

const ARCHITECTURE: Shape = Shape {
    name: "Architecture",
    base: "",
    fields: &[
        needed("num_hidden_layers", Kind::Whole),
        needed("hidden_size", Kind::Whole),
        needed("num_attention_heads", Kind::Whole),
        needed("num_key_value_heads", Kind::Whole),
        needed("head_dim", Kind::Whole),
        needed("intermediate_size", Kind::Whole),
        needed("vocab_size", Kind::Whole),
        flag("gated_mlp"),
        variant("norm", "Norm"),
        whole("norms_per_layer"),
        variant("qk_norm", "QkNorm"),
        variant("attention_bias", "AttentionBias"),
        flag("mlp_bias"),
        flag("tie_word_embeddings"),
        flag("head_bias"),
        whole("learned_positions"),
        flag("embedding_norm"),
        whole("sliding_window"),
        whole("global_every"),
        flag("attention_chunks"),
        flag("attention_sinks"),
        variant("fused_projections", "FusedProjections"),
        flag("logit_softcap"),
        within("latent", &LATENT),
        flag("gated_attention"),
        within("experts", &EXPERTS),
        within("recurrent", &RECURRENT),
        Field("pattern", "pattern", Kind::By(pattern), Blank::Base),
        within("extra", &EXTRA),
        within("tower", &TOWER),
    ],
};

const LATENT: Shape = Shape {
    name: "LatentAttention",
    base: "LatentAttention::NONE",
    fields: &[
        whole("kv_lora_rank"),
        whole("q_lora_rank"),
        whole("qk_nope_head_dim"),
        whole("qk_rope_head_dim"),
        whole("v_head_dim"),
    ],
};

const EXPERTS: Shape = Shape {
    name: "Experts",
    base: "Experts::NONE",
    fields: &[
        whole("num_experts"),
        whole("num_experts_per_tok"),
        whole("moe_intermediate_size"),
        whole("latent_size"),
        whole("shared_intermediate_size"),
        flag("shared_expert_gate"),
        whole("first_k_dense_replace"),
        whole("moe_layer_step"),
        flag("router_bias"),
        flag("expert_bias"),
        whole("n_group"),
        whole("topk_group"),
    ],
};

const RECURRENT: Shape = Shape {
    name: "Recurrent",
    base: "Recurrent::NONE",
    fields: &[
        variant("kind", "RecurrentKind"),
        whole("heads"),
        whole("head_dim"),
        whole("key_heads"),
        whole("key_dim"),
        whole("conv_kernel"),
        whole("rank"),
        whole("chunk"),
        flag("conv_bias"),
        flag("bias"),
    ],
};

const EXTRA: Shape =
    Shape { name: "ExtraParams", base: "ExtraParams::NONE", fields: &[whole("layers"), whole("outside")] };

const TOWER: Shape = Shape {
    name: "Tower",
    base: "Tower::NONE",
    fields: &[
        whole("layers"),
        whole("hidden_size"),
        whole("heads"),
        whole("mlp_width"),
        flag("gated"),
        whole("patch_size"),
        whole("image_size"),
        whole("merge"),
        whole("fixed_positions"),
        whole("fixed_tokens"),
        flag("in_sequence"),
        whole("window"),
        whole("global_every"),
        whole("params"),
        whole("projector_params"),
    ],
};

/// What says a row of an architecture and is no field of its own.
const OF_ENTRIES: [&str; 6] = ["id", "name", "family", "params", "max_position_embeddings", "source"];

/// The tables of models, of their repositories and other names, and of families.
pub(crate) fn tables(
    architectures: &File,
    models: &File,
    families: &File,
) -> Result<Vec<(&'static str, String)>, String> {
    let architectures = with_likes(architectures.rows("architecture", "name")?)?;
    let (models, mut families) = (models.csv("id")?, families.rows("family", "name")?);
    let (mut entries, mut repositories, mut checkpoints) = (Vec::new(), Vec::new(), Vec::new());
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); families.len()];
    for (index, mut row) in models.iter().cloned().enumerate() {
        let family = row.take_text("family");
        if !family.is_empty() {
            let place = place(&families, &family).and_then(|place| members.get_mut(place));
            place
                .ok_or_else(|| row.error(format!("is of the family {family:?}, which families.toml lacks")))?
                .push(index);
        }
        let repository = row.take_text("hub");
        if !repository.is_empty() {
            repositories.push(format!("({:?}, {repository:?})", row.key));
        }
        checkpoints.extend(row.take_text("also").split_whitespace().map(|also| format!("({also:?}, {:?})", row.key)));
        entries.push((row.key.clone(), entry(row, &architectures)?));
    }
    let mut of_families = Vec::new();
    let mut written = Vec::new();
    for (row, members) in families.iter_mut().zip(members) {
        let first = members.first().and_then(|first| models.get(*first)).ok_or_else(|| row.error("has no model"))?;
        // The size of a checkpoint follows what its family's keys share.
        let shared = first.key.rsplit_once('-').map_or("", |(shared, _)| shared);
        let also = row.take_texts("also");
        of_families.extend(also.iter().map(|also| format!("({also:?}, \"{shared}-\")")));
        let on_ladder = row.take("on_ladder").is_some_and(|on_ladder| on_ladder == true);
        row.only(&["name"])?;
        let members: Vec<String> = members.iter().map(|index| format!("member(&ALL[{index}])")).collect();
        written.push(format!(
            "Family {{ name: {:?}, members: &[{}], on_ladder: {on_ladder} }}",
            row.key,
            members.join(", ")
        ));
    }
    of_families.extend(checkpoints);
    Ok(vec![
        ("models.rs", array("ModelEntry", &entries, &[])),
        ("families.rs", list(&written)),
        ("repositories.rs", list(&repositories)),
        ("checkpoints.rs", list(&of_families)),
    ])
}

/// A model, with what its architecture says.
fn entry(mut row: Row, architectures: &[Row]) -> Result<String, String> {
    let name = row.take_text("architecture");
    let like = architectures.iter().find(|architecture| architecture.key == name);
    let like =
        like.ok_or_else(|| row.error(format!("has the architecture {name:?}, which architectures.toml lacks")))?;
    let mut fields = like.fields.clone();
    for name in ["num_experts", "num_experts_per_tok", "moe_intermediate_size", "shared_intermediate_size"] {
        if let Some(value) = row.take(name) {
            row.set(&format!("experts.{name}"), value);
        }
    }
    merge(&mut fields, Some(&row.fields));
    row.fields = fields;
    let base = match row.take_text("style").as_str() {
        "llama" => "LLAMA_STYLE",
        "gpt" => "GPT_STYLE",
        other => return Err(like.error(format!("has the style {other:?}: llama or gpt"))),
    };
    // As in a config.json, heads fill the width, and each has its own keys.
    let (hidden, heads) = (row.number("hidden_size")?, row.number("num_attention_heads")?);
    row.fields.entry("num_key_value_heads").or_insert(Value::from(heads as u64));
    row.fields.entry("head_dim").or_insert(Value::from((hidden / heads) as u64));
    let mut of_entry = Row { fields: serde_json::Map::new(), ..row.clone() };
    for name in OF_ENTRIES {
        if let Some(value) = row.take(name) {
            of_entry.set(name, value);
        }
    }
    of_entry.set("architecture", ARCHITECTURE.write_over(&row, base)?);
    ENTRY.write(&of_entry)
}

/// The layers of one period: by NVIDIA's letters, or as `3 x Recurrent+Dense`.
fn pattern(value: &Value) -> Result<String, String> {
    let mut written = String::from("Pattern::NONE");
    let mut then = |mixer: &str, mlp: &str, count: usize| {
        let layer = format!(".then(LayerKind {{ mixer: Mixer::{mixer}, mlp: Mlp::{mlp} }})");
        written.push_str(&layer.repeat(count));
    };
    for letter in value.as_str().unwrap_or_default().chars() {
        match letter {
            'M' => then("Recurrent", "None", 1),
            '*' => then("Attention", "None", 1),
            'E' => then("None", "Experts", 1),
            '-' => then("None", "Dense", 1),
            other => return Err(format!("{other} is none of NVIDIA's letters M, *, E and -")),
        }
    }
    for layers in value.as_array().into_iter().flatten().filter_map(Value::as_str) {
        let (count, kind) = layers.split_once(" x ").unwrap_or(("1", layers));
        let kind = kind.split_once('+').zip(count.parse().ok());
        let ((mixer, mlp), count) = kind.ok_or_else(|| format!("{layers} is not of the form 3 x Recurrent+Dense"))?;
        then(mixer, mlp, count);
    }
    Ok(written)
}

//! Generates the tables of models, of their architectures and of families.

use serde_json::Value;

use super::size::{other_size, sizes};
use build::rows::{File, Row, merged, named, place, with_likes};
use build::shape::{Kind, Shape, array, left, list, needed};

const ENTRY: Shape = Shape {
    name: "ModelEntry",
    base: "",
    fields: &[
        needed(Kind::Text, "id name family source"),
        needed(Kind::Whole, "params max_position_embeddings"),
        needed(Kind::Name, "architecture"),
    ],
};

const ARCHITECTURE: Shape = Shape {
    name: "Architecture",
    base: "",
    fields: &[
        needed(Kind::Whole, "num_hidden_layers hidden_size num_attention_heads"),
        needed(Kind::Whole, "num_key_value_heads head_dim intermediate_size vocab_size"),
        left(Kind::Flag, "gated_mlp mlp_bias tie_word_embeddings head_bias embedding_norm"),
        left(Kind::Flag, "attention_chunks attention_sinks logit_softcap gated_attention"),
        left(Kind::Variant("Norm"), "norm"),
        left(Kind::Whole, "norms_per_layer learned_positions sliding_window global_every"),
        left(Kind::Variant("QkNorm"), "qk_norm"),
        left(Kind::Variant("AttentionBias"), "attention_bias"),
        left(Kind::Variant("FusedProjections"), "fused_projections"),
        left(Kind::Struct(&LATENT), "latent"),
        left(Kind::Struct(&EXPERTS), "experts"),
        left(Kind::Struct(&RECURRENT), "recurrent"),
        left(Kind::By(pattern), "pattern"),
        left(Kind::Struct(&EXTRA), "extra"),
        left(Kind::Struct(&TOWER), "tower"),
    ],
};

const LATENT: Shape = Shape {
    name: "LatentAttention",
    base: "LatentAttention::NONE",
    fields: &[left(Kind::Whole, "kv_lora_rank q_lora_rank qk_nope_head_dim qk_rope_head_dim v_head_dim")],
};

const EXPERTS: Shape = Shape {
    name: "Experts",
    base: "Experts::NONE",
    fields: &[
        left(Kind::Whole, "num_experts num_experts_per_tok moe_intermediate_size latent_size"),
        left(Kind::Whole, "shared_intermediate_size first_k_dense_replace moe_layer_step n_group"),
        left(Kind::Whole, "topk_group"),
        left(Kind::Flag, "shared_expert_gate router_bias expert_bias clamped_gate"),
    ],
};

const RECURRENT: Shape = Shape {
    name: "Recurrent",
    base: "Recurrent::NONE",
    fields: &[
        left(Kind::Variant("RecurrentKind"), "kind"),
        left(Kind::Whole, "heads head_dim key_heads key_dim conv_kernel rank chunk"),
        left(Kind::Flag, "conv_bias bias"),
    ],
};

const EXTRA: Shape =
    Shape { name: "ExtraParams", base: "ExtraParams::NONE", fields: &[left(Kind::Whole, "layers outside")] };

const TOWER: Shape = Shape {
    name: "Tower",
    base: "Tower::NONE",
    fields: &[
        left(Kind::Whole, "layers hidden_size heads mlp_width patch_size image_size merge"),
        left(Kind::Whole, "fixed_positions fixed_tokens window global_every params"),
        left(Kind::Whole, "projector_params"),
        left(Kind::Flag, "gated in_sequence"),
    ],
};

/// Generates the tables of models, of their repositories and further names, and of families.
pub(crate) fn tables(
    architectures: &File,
    models: &File,
    families: &File,
) -> Result<Vec<(&'static str, String)>, String> {
    let [architectures] = architectures.rows([("architecture", "name")])?;
    let architectures = with_likes(architectures)?;
    let models = models.csv("id")?;
    let [mut families] = families.rows([("family", "name")])?;
    let (mut entries, mut repositories, mut checkpoints) = (Vec::new(), Vec::new(), Vec::new());
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); families.len()];
    for (index, mut row) in models.iter().cloned().enumerate() {
        let family = row.take_text("family");
        if !family.is_empty() {
            let place = place(&families, "of families.toml", &family, &row)?;
            members.get_mut(place).into_iter().for_each(|members| members.push(index));
        }
        let repository = row.take_text("hub");
        if !repository.is_empty() {
            repositories.push(format!("({:?}, {repository:?})", row.key));
        }
        for also in row.take_text("also").split_whitespace() {
            check_size(also, &row, &repository)?;
            checkpoints.push(format!("({also:?}, {:?})", row.key));
        }
        entries.push((row.key.clone(), entry(row, &architectures)?));
    }
    let mut of_families = Vec::new();
    let mut written = Vec::new();
    for (row, members) in families.iter_mut().zip(members) {
        let first = members.first().and_then(|first| models.get(*first)).ok_or_else(|| row.error("has no model"))?;
        // Names of checkpoints replace the prefix that the family's keys share; the size follows
        // it.
        let shared = first.key.rsplit_once('-').map_or("", |(shared, _)| shared);
        let also = row.take_texts("also");
        if let Some(sized) = also.iter().find(|also| !sizes(also).is_empty()) {
            return Err(row.error(format!("has the further name {sized} with a size: it names every size")));
        }
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

/// Generates the table of models that are refused by name: names, types and the sentence of each.
pub(crate) fn refused(file: &File) -> Result<String, String> {
    let [rows] = file.rows([("refused", "name")])?;
    let mut written = Vec::new();
    for mut row in rows {
        row.take_source()?;
        if !row.text("says")?.ends_with('.') {
            return Err(row.error("has a sentence without its full stop"));
        }
        let (names, types, says) = (row.take_texts("names"), row.take_texts("types"), row.take_text("says"));
        if names.is_empty() && types.is_empty() {
            return Err(row.lacks("list of names or types"));
        }
        if let Some(wrong) = names.iter().find(|name| name.to_ascii_lowercase() != **name || name.contains(['_', ' ']))
        {
            return Err(row.error(format!("has the name {wrong}: write it in lower case, with hyphens")));
        }
        row.only(&["name"])?;
        written.push(format!("(&{names:?}, &{types:?}, {says:?})"));
    }
    Ok(list(&written))
}

/// Fails if a further name says a size that the row has not: such a name is another model's.
fn check_size(also: &str, row: &Row, repository: &str) -> Result<(), String> {
    let params = row.number("params")?;
    let own = [row.key.as_str(), row.text("name")?, repository];
    match other_size(also, params, own.into_iter()) {
        Some(said) => Err(row.error(format!(
            "has the further name {also}, which says {said}B, but its parameters are {:.1}B",
            params / 1e9
        ))),
        None => Ok(()),
    }
}

/// Writes a model, merged with the row of its architecture.
fn entry(mut row: Row, architectures: &[Row]) -> Result<String, String> {
    let name = row.take_text("architecture");
    let like = named(architectures, "of architectures.toml", &name, &row)?;
    for name in ["num_experts", "num_experts_per_tok", "moe_intermediate_size", "shared_intermediate_size"] {
        if let Some(value) = row.take(name) {
            row.set(&format!("experts.{name}"), value);
        }
    }
    row.fields = merged(&like.fields, &row.fields);
    let base = match row.take_text("style").as_str() {
        "llama" => "LLAMA_STYLE",
        "gpt" => "GPT_STYLE",
        other => return Err(like.error(format!("has the style {other:?}: llama or gpt"))),
    };
    // Defaults of a config.json: heads fill the width, and each head has its own keys and values.
    let (hidden, heads) = (row.number("hidden_size")?, row.number("num_attention_heads")?);
    row.fields.entry("num_key_value_heads").or_insert(Value::from(heads as u64));
    row.fields.entry("head_dim").or_insert(Value::from((hidden / heads) as u64));
    let mut of_entry = row.take_all(|name| ENTRY.has(name));
    of_entry.set("architecture", ARCHITECTURE.write_over(&row, base)?);
    ENTRY.write(&of_entry)
}

/// Writes the layers of one period, given as NVIDIA's letters or as `3 x Recurrent+Dense`.
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
            other => return Err(format!("{other} is not one of NVIDIA's letters M, *, E and -")),
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

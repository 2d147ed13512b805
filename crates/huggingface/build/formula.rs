//! Formulas of rows: sums, products and comparisons of values of a shape and a config, translated
//! to Rust over `r`, the reading.

/// Short names of fields of a shape.
const SHORT: [(&str, &str); 8] = [
    ("layers", "num_hidden_layers"),
    ("hidden", "hidden_size"),
    ("heads", "num_attention_heads"),
    ("kv", "num_key_value_heads"),
    ("dim", "head_dim"),
    ("mlp", "intermediate_size"),
    ("vocab", "vocab_size"),
    ("experts", "experts.num_experts"),
];

/// Fields of a shape with their types: the parameter whose bounds a whole number has, `bool`, or an
/// enumeration. `i64` has no bounds.
pub(crate) const FIELDS: &[(&str, &str)] = &[
    ("num_hidden_layers", "Layers"),
    ("hidden_size", "HiddenSize"),
    ("num_attention_heads", "AttentionHeads"),
    ("num_key_value_heads", "KvHeads"),
    ("head_dim", "HeadDim"),
    ("intermediate_size", "MlpWidth"),
    ("vocab_size", "VocabSize"),
    ("norms_per_layer", "NormsPerLayer"),
    ("learned_positions", "LearnedPositions"),
    ("sliding_window", "SlidingWindow"),
    ("global_every", "GlobalEvery"),
    ("latent.kv_lora_rank", "KvRank"),
    ("latent.q_lora_rank", "QueryRank"),
    ("latent.qk_nope_head_dim", "NopeHeadDim"),
    ("latent.qk_rope_head_dim", "RopeHeadDim"),
    ("latent.v_head_dim", "ValueHeadDim"),
    ("experts.num_experts", "Experts"),
    ("experts.num_experts_per_tok", "TopK"),
    ("experts.moe_intermediate_size", "ExpertWidth"),
    ("experts.latent_size", "ExpertLatentSize"),
    ("experts.shared_intermediate_size", "SharedExpertWidth"),
    ("experts.first_k_dense_replace", "FirstDenseLayers"),
    ("experts.moe_layer_step", "MoeStep"),
    ("experts.n_group", "ExpertGroups"),
    ("experts.topk_group", "TopKGroups"),
    ("recurrent.heads", "StateHeads"),
    ("recurrent.head_dim", "StateHeadDim"),
    ("recurrent.key_heads", "StateKeyHeads"),
    ("recurrent.key_dim", "StateKeyDim"),
    ("recurrent.conv_kernel", "ConvWidth"),
    ("recurrent.rank", "StateRank"),
    ("recurrent.chunk", "StateChunk"),
    ("extra.layers", "i64"),
    ("gated_mlp", "bool"),
    ("mlp_bias", "bool"),
    ("tie_word_embeddings", "bool"),
    ("head_bias", "bool"),
    ("embedding_norm", "bool"),
    ("attention_chunks", "bool"),
    ("attention_sinks", "bool"),
    ("logit_softcap", "bool"),
    ("gated_attention", "bool"),
    ("experts.shared_expert_gate", "bool"),
    ("experts.router_bias", "bool"),
    ("experts.expert_bias", "bool"),
    ("experts.clamped_gate", "bool"),
    ("recurrent.conv_bias", "bool"),
    ("recurrent.bias", "bool"),
    ("norm", "Norm"),
    ("qk_norm", "QkNorm"),
    ("attention_bias", "AttentionBias"),
    ("fused_projections", "FusedProjections"),
    ("recurrent.kind", "RecurrentKind"),
];

/// Values that a shape computes, as Rust expressions.
const COUNTED: [(&str, &str); 10] = [
    ("moe_layers", "f64::from(r.shape.moe_layers())"),
    ("attention_params", "(r.shape.attention_params_per_layer() as f64)"),
    ("attention_norms", "(r.shape.attention_norm_params() as f64)"),
    ("norm_params", "(r.shape.norm_params() as f64)"),
    ("inner_width", "r.shape.recurrent.inner_width()"),
    ("key_width", "r.shape.recurrent.key_width()"),
    ("biased", "(r.shape.attention_bias != AttentionBias::None)"),
    ("is_latent", "r.shape.latent.is_used()"),
    ("begins_windowed", "r.layers.kinds().first().is_some_and(|kind| kind.mixer == Mixer::Window)"),
    ("layer", "layer"),
];

/// Queries of a field of a config: `root.key`.
const ASKED: [&str; 12] =
    ["config", "has", "null", "list", "text", "number", "some", "length", "sum", "head", "below", "period"];
/// Queries of a list of words or an object: `root.key.word`.
const WITHIN: [&str; 3] = ["words", "attending", "inner"];
/// Kinds of layers that are counted: `of.kind`.
const LAYERS: [&str; 4] = ["attention", "recurrent", "sparse", "windowed"];
/// Functions of numbers.
const FUNCTIONS: [&str; 6] = ["floor", "ceil", "round", "sqrt", "max", "known"];
/// Functions that evaluate only the argument they need.
const CHOICES: [&str; 2] = ["pick", "first"];

/// Translates a formula to Rust. `known` holds the names that earlier steps set.
pub(crate) fn rust(text: &str, known: &[String]) -> Result<String, String> {
    let mut written = String::new();
    let mut rest = text.trim_start();
    while let Some(start) = rest.chars().next() {
        let of_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
        let length = match start {
            letter if letter.is_alphanumeric() || letter == '_' => rest.find(|letter| !of_word(letter)),
            _ => rest.char_indices().find(|(_, letter)| !"=<>!".contains(*letter)).map(|(place, _)| place.max(1)),
        };
        let (token, more) = rest.split_at(length.unwrap_or(rest.len()));
        rest = more.trim_start();
        let part = match start {
            '0'..='9' => token.parse().map(|number: f64| format!("{number:?}")).map_err(|error| error.to_string())?,
            letter if letter.is_alphabetic() || letter == '_' => word(token, rest.starts_with('('), known)?,
            _ if ["+", "-", "*", "/", "%", "(", ")", ",", "<", ">", "==", "!=", "<=", ">="].contains(&token) => {
                format!(" {token} ")
            }
            _ => return Err(format!("{token} is not part of a formula")),
        };
        written.push_str(&part);
    }
    Ok(written)
}

/// Translates a name of a formula.
fn word(name: &str, is_called: bool, known: &[String]) -> Result<String, String> {
    let of = |table: &[(&'static str, &'static str)]| table.iter().find(|(own, _)| *own == name).map(|(_, is)| *is);
    match name {
        "and" => return Ok(" && ".to_owned()),
        "or" => return Ok(" || ".to_owned()),
        "not" => return Ok("!".to_owned()),
        _ if is_called && FUNCTIONS.contains(&name) => return Ok(format!("math::{name}")),
        _ if is_called && CHOICES.contains(&name) => return Ok(format!("{name}!")),
        _ if known.iter().any(|own| own == name) => return Ok(name.to_owned()),
        _ => {}
    }
    if let Some(counted) = of(&COUNTED) {
        return Ok(counted.to_owned());
    }
    let field = of(&SHORT).unwrap_or(name);
    if let Some((field, kind)) = FIELDS.iter().find(|(own, _)| *own == field) {
        return Ok(match *kind {
            "bool" => format!("r.shape.{field}"),
            "i64" => format!("(r.shape.{field} as f64)"),
            _ => format!("f64::from(r.shape.{field})"),
        });
    }
    let parts: Vec<&str> = name.split('.').collect();
    match parts[..] {
        ["of", kind] if LAYERS.contains(&kind) => Ok(format!("r.layers.{kind}()")),
        [root @ ("here" | "at"), key] => Ok(format!("r.{root}({key:?}, layer)")),
        [root, key] if ASKED.contains(&root) => Ok(format!("r.{root}({key:?})")),
        [root, key, word] if WITHIN.contains(&root) => Ok(format!("r.{root}({key:?}, {word:?})")),
        _ => Err(format!("{name} is neither a field of a shape nor an earlier step")),
    }
}

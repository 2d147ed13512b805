//! Tests of configs of public models, whose shapes have the published parameter counts, and of
//! other texts, which give a sentence.

use catalog::MODELS;
use engine::model::transformer::pattern::Mixer;
use engine::model::transformer::{
    Architecture, AttentionBias, Experts, ExtraParams, FusedProjections, Norm, QkNorm, Tower,
};
use engine::scenario::Model;
use engine::scenario::issue::Severity;
use engine::validate::issues;
use huggingface::{Imported, MOST_CHARACTERS, import, parse};
use links::{decode, encode};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A config, its name, its parameters and active parameters (0: all), the fields that are not
/// understood, and the catalog's entry with this shape. Sources: tests/configs/README.md.
type Known = (&'static str, &'static str, [u64; 2], &'static [&'static str], Option<&'static str>);

macro_rules! config {
    ($file:literal, $name:literal, $params:expr, $left:expr, $entry:expr) => {
        (include_str!(concat!("../../../../tests/configs/", $file, ".json")), $name, $params, $left, $entry)
    };
}

const KNOWN: &[Known] = &[
    config!("llama-3.1-8b", "LlamaForCausalLM", [8_030_261_248, 0], &[], Some("llama-3.1-8b")),
    config!("llama-3.2-1b", "LlamaForCausalLM", [1_235_814_400, 0], &[], Some("llama-3.2-1b")),
    config!(
        "llama-4-scout",
        "Llama4ForConditionalGeneration",
        [108_641_793_536, 18_044_827_136],
        &[],
        Some("llama-4-scout")
    ),
    config!("mistral-7b-v0.1", "MistralForCausalLM", [7_241_732_096, 0], &[], Some("mistral-7b")),
    config!("mistral-nemo-12b", "MistralForCausalLM", [12_247_782_400, 0], &[], Some("mistral-nemo-12b")),
    config!("mixtral-8x7b", "MixtralForCausalLM", [46_702_792_704, 12_879_925_248], &[], Some("mixtral-8x7b")),
    config!("qwen2-7b", "Qwen2ForCausalLM", [7_615_616_512, 0], &[], Some("qwen-2-7b")),
    config!("qwen2.5-0.5b", "Qwen2ForCausalLM", [494_032_768, 0], &[], Some("qwen-2.5-0.5b")),
    config!("qwen2.5-vl-7b", "Qwen2_5_VLForConditionalGeneration", [8_292_166_656, 0], &[], Some("qwen-2.5-7b")),
    config!("qwen3-0.6b", "Qwen3ForCausalLM", [596_049_920, 0], &[], Some("qwen-3-0.6b")),
    config!("qwen3-30b-a3b", "Qwen3MoeForCausalLM", [30_532_122_624, 3_353_032_704], &[], Some("qwen-3-30b-a3b")),
    config!(
        "qwen1.5-moe-a2.7b",
        "Qwen2MoeForCausalLM",
        [14_315_784_192, 2_689_173_504],
        &[],
        Some("qwen-1.5-moe-a2.7b")
    ),
    config!("gemma-2b", "GemmaForCausalLM", [2_506_172_416, 0], &[], Some("gemma-2b")),
    config!("gemma-2-9b", "Gemma2ForCausalLM", [9_241_705_984, 0], &["sliding_window_size"], Some("gemma-2-9b")),
    config!("gemma-3-1b", "Gemma3ForCausalLM", [999_885_952, 0], &[], Some("gemma-3-1b")),
    config!("gemma-3-4b", "Gemma3ForConditionalGeneration", [4_300_079_472, 0], &[], Some("gemma-3-4b")),
    config!("gpt2", "GPT2LMHeadModel", [124_439_808, 0], &[], Some("gpt-2")),
    config!("gpt-neox-20b", "GPTNeoXForCausalLM", [20_554_567_680, 0], &[], Some("gpt-neox-20b")),
    config!("falcon-7b", "FalconForCausalLM", [6_921_720_704, 0], &[], Some("falcon-7b")),
    config!("phi-2", "phi-2", [2_779_683_840, 0], &[], None),
    config!("phi-4-mini", "Phi-4-mini-instruct", [3_836_021_760, 0], &[], Some("phi-4-mini")),
    config!(
        "deepseek-v2-lite",
        "DeepseekV2ForCausalLM",
        [15_706_484_224, 2_661_150_208],
        &[],
        Some("deepseek-v2-lite")
    ),
    config!("deepseek-v3", "DeepseekV3ForCausalLM", [671_026_404_352, 37_552_282_624], &[], Some("deepseek-v3")),
    config!("gpt-oss-20b", "GptOssForCausalLM", [20_914_757_184, 4_187_440_704], &[], Some("gpt-oss-20b")),
    config!("olmoe-1b-7b", "OlmoeForCausalLM", [6_919_161_856, 1_282_017_280], &[], Some("olmoe-1b-7b")),
    // The catalog counts the norms of queries and keys as two more of width H.
    config!("olmo-2-7b", "Olmo2ForCausalLM", [7_298_617_344, 0], &[], None),
    config!("starcoder2-7b", "Starcoder2ForCausalLM", [7_173_923_840, 0], &[], Some("starcoder-2-7b")),
    config!("glm-4.5-air", "Glm4MoeForCausalLM", [106_852_245_504, 13_424_123_904], &[], Some("glm-4.5-air")),
    config!("opt-1.3b", "opt-1.3b", [1_315_758_080, 0], &["prefix"], Some("opt-1.3b")),
];

/// Published counts: the totals of the checkpoints on the Hub. Ministral 3 8B and Mistral Small 3.1
/// store a head apart from the embedding, whatever the class of the whole says by default.
#[test]
fn a_head_is_tied_as_the_language_model_says_where_the_whole_does_not() {
    let vision = json!({
        "model_type": "pixtral", "hidden_size": 1024, "num_hidden_layers": 24, "intermediate_size": 4096,
        "num_attention_heads": 16, "head_dim": 64, "image_size": 1540, "patch_size": 14
    });
    let whole = |text: Value| {
        let config = json!({ "model_type": "mistral3", "spatial_merge_size": 2, "vision_config": vision,
            "text_config": text });
        import(&config).unwrap().architecture.params()
    };
    let with = |text: &Value, tied: bool| {
        let mut text = text.clone();
        text["tie_word_embeddings"] = tied.into();
        text
    };
    let small = json!({ "model_type": "mistral", "hidden_size": 5120, "intermediate_size": 32_768,
        "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
        "vocab_size": 131_072 });
    assert_eq!(whole(small), 24_011_361_280);
    let ministral = json!({ "model_type": "ministral3" });
    assert_eq!(whole(ministral.clone()), 8_918_026_240);
    assert_eq!(whole(with(&ministral, false)), 8_918_026_240);
    assert_eq!(whole(with(&ministral, true)), 8_918_026_240 - 131_072 * 4096);
    // The 3B model shares them: 3.4B with an encoder of 0.4B.
    let least = json!({ "model_type": "ministral3", "hidden_size": 3072, "num_hidden_layers": 26,
        "intermediate_size": 9216 });
    assert_eq!(whole(with(&least, true)), 3_849_090_048);
}

/// Types that transformers 5.24.0 maps to classes of older families: EXAONE 3.0 7.8B, Sarvam 30B
/// and 105B, with the parameters that it counts.
#[test]
fn types_with_the_class_of_another_family_have_its_parameters() {
    let counts = |config: Value| {
        let imported = import(&config).unwrap();
        assert!(imported.not_understood.is_empty(), "{:?}", imported.not_understood);
        [imported.architecture.params(), imported.architecture.active_params()]
    };
    let exaone = json!({ "model_type": "exaone", "hidden_size": 4096, "intermediate_size": 14_336, "num_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 102_400, "activation_function": "silu",
        "layer_norm_epsilon": 1e-5, "tie_word_embeddings": false });
    assert_eq!(counts(exaone), [7_818_448_896; 2]);
    let sarvam = json!({ "model_type": "sarvam_moe", "hidden_size": 4096, "intermediate_size": 8192,
        "num_hidden_layers": 19, "num_attention_heads": 64, "num_key_value_heads": 4, "vocab_size": 262_144,
        "moe_intermediate_size": 1024, "num_experts": 128, "num_experts_per_tok": 6, "num_shared_experts": 1,
        "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1, "use_qk_norm": true, "use_qkv_bias": false,
        "tie_word_embeddings": false });
    assert_eq!(counts(sarvam), [32_152_648_064, 4_520_573_312]);
    let latent = json!({ "model_type": "sarvam_mla", "hidden_size": 4096, "intermediate_size": 16_384,
        "num_hidden_layers": 32, "num_attention_heads": 64, "vocab_size": 262_144, "moe_intermediate_size": 2048,
        "n_routed_experts": 128, "num_experts_per_tok": 8, "n_shared_experts": 1, "first_k_dense_replace": 1,
        "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
        "tie_word_embeddings": false });
    assert_eq!(counts(latent), [106_031_763_456, 12_414_898_176]);
}

/// K-EXAONE 236B A23B: transformers 5.24.0 counts 236,571,150,336 parameters of its configuration.
#[test]
fn letters_say_which_layers_have_a_window() {
    let moe = |layers: usize| (0..layers).map(|layer| layer > 0).collect::<Vec<_>>();
    let with = |own: Value| {
        let mut config = json!({ "model_type": "exaone_moe", "head_dim": 128, "hidden_size": 6144,
            "intermediate_size": 18_432, "first_last_k_dense_replace": 1, "is_moe_layer": moe(48),
            "moe_intermediate_size": 2048, "num_attention_heads": 64, "num_experts": 128, "num_experts_per_tok": 8,
            "num_hidden_layers": 48, "num_key_value_heads": 8, "num_shared_experts": 1, "sliding_window": 128,
            "sliding_window_pattern": "LLLG", "tie_word_embeddings": false, "vocab_size": 153_600 });
        for (key, value) in own.as_object().unwrap() {
            config[key] = value.clone();
        }
        import(&config)
    };
    let listed = json!(["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"].repeat(12));
    for own in [json!({}), json!({ "layer_types": listed })] {
        let imported = with(own).unwrap();
        let shape = imported.architecture;
        assert_eq!(imported.not_understood, [""; 0]);
        assert_eq!([shape.params(), shape.active_params()], [236_571_150_336, 23_668_279_296]);
        assert_eq!((shape.sliding_window, shape.global_every), (128, 4));
        assert_eq!((shape.experts.first_k_dense_replace, shape.pattern.is_used()), (1, false));
    }
    // The list of the layers is what the class reads; letters alone must say it exactly.
    let alternating = json!(["sliding_attention", "full_attention"].repeat(24));
    assert_eq!(with(json!({ "layer_types": alternating })).unwrap().architecture.global_every, 2);
    assert_eq!(with(json!({ "sliding_window_pattern": "LLLLLG" })).unwrap().architecture.global_every, 6);
    for letters in ["LLGL", "GLLG", "LLLLG", "local"] {
        let said = with(json!({ "sliding_window_pattern": letters })).unwrap_err();
        assert!(said.starts_with(&format!("sliding_window_pattern is “{letters}”: ")), "{said}");
    }
    // Every other layer has experts: 23 x 128 x 3 x 6,144 x 2,048 fewer weights in experts alone.
    let every_other = (0..48).map(|layer| layer % 2 == 1).collect::<Vec<_>>();
    let shape = with(json!({ "is_moe_layer": every_other })).unwrap().architecture;
    assert_eq!((shape.experts.moe_layer_step, shape.moe_layers()), (2, 24));
}

/// The classes of transformers 5.24.0 with their defaults, the language models alone: Mistral Large
/// 4, GLM-5.3 Flash and Muse Glimmer, and fewer layers of each with other widths. The whole models
/// are in the record of the families.
#[test]
fn new_types_have_the_parameters_of_their_classes() {
    let count = |kind: &str, own: Value| {
        let mut text = own;
        text["model_type"] = format!("{kind}_text").into();
        let imported = import(&json!({ "model_type": kind, "text_config": text })).unwrap();
        assert_eq!(imported.not_understood, [""; 0], "{kind}");
        imported.architecture.params()
    };
    let large = |own| count("mistral_large4", own);
    assert_eq!(large(json!({})), 1_050_118_202_912);
    let unturned = json!({ "num_hidden_layers": 6, "qk_rope_head_dim": 32, "attention_bias": true,
        "no_rope_layers": [1, 0, 1, 1, 0, 0] });
    assert_eq!(large(unturned), 76_763_237_104);
    let indexed = json!({ "num_hidden_layers": 5, "no_rope_layer_interval": 2,
        "indexer_types": ["full", "shared", "full", "shared", "shared"] });
    assert_eq!(large(indexed), 62_016_026_400);
    let next = |own| count("glm5_next", own);
    assert_eq!(next(json!({})), 313_326_816_766);
    let linear = json!({ "num_hidden_layers": 9, "hc_mult": 2, "index_kpool": 8,
        "linear_attn_config": { "num_heads": 32, "head_dim": 64, "short_conv_kernel_size": 3 } });
    assert_eq!(next(linear), 45_858_913_638);
    // Two layers have attention, and the second has no indexer.
    let indexers = ["full", "full", "full", "full", "shared", "shared", "shared", "shared"];
    assert_eq!(next(json!({ "num_hidden_layers": 8, "indexer_types": indexers })), 39_167_389_488);
    assert_eq!(count("muse_glimmer", json!({})), 27_854_780_928);
    assert_eq!(count("muse_glimmer", json!({ "num_hidden_layers": 6, "attention_bias": true })), 5_593_403_904);
}

/// Layers that share what another has made of keys and values lack a matrix: the field is listed.
#[test]
fn shared_keys_of_mistral_large_4_are_not_understood() {
    let left = |sources: Value| {
        let text = json!({ "model_type": "mistral_large4_text", "num_hidden_layers": 3, "kv_source_layers": sources });
        import(&json!({ "model_type": "mistral_large4", "text_config": text })).unwrap().not_understood
    };
    assert_eq!(left(json!([0, 1, 2])), [""; 0]);
    assert_eq!(left(json!([0, 0, 2])), ["kv_source_layers"]);
}

/// The last of six layers has no window, and so has every fourth one before it: the second.
#[test]
fn layers_without_a_window_are_counted_from_the_last() {
    let text = json!({ "model_type": "muse_glimmer_text", "num_hidden_layers": 6 });
    let shape = import(&json!({ "model_type": "muse_glimmer", "text_config": text })).unwrap().architecture;
    let windowed = shape.pattern.kinds().map(|kind| kind.mixer == Mixer::Window);
    assert_eq!(windowed.collect::<Vec<_>>(), [true, false, true, true]);
    assert_eq!(shape.num_hidden_layers, 6);
}

/// Hunyuan-A13B: 80B parameters, as its card prints; transformers 5.24.0 counts 80,393,183,232.
#[test]
fn the_experts_of_hunyuan_have_a_shared_one() {
    let config = json!({ "model_type": "hunyuan_v1_moe", "hidden_size": 4096, "intermediate_size": 3072,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
        "vocab_size": 128_167, "num_experts": 64, "moe_topk": 8, "tie_word_embeddings": true });
    assert_eq!(import(&config).unwrap().architecture.params(), 80_393_183_232);
}

/// No type is both read and refused.
#[test]
fn encoders_are_refused_by_their_type() {
    for kind in catalog::names::refused_types() {
        let error = import(&json!({ "model_type": kind, "hidden_size": 768, "num_hidden_layers": 12 })).unwrap_err();
        assert!(error.starts_with(&format!("A model of the type “{kind}” ")), "{error}");
    }
    let error = import(&json!({ "model_type": "bert" })).unwrap_err();
    assert!(error.contains("is an encoder") && error.contains("custom model"), "{error}");
}

/// Removes towers, and corrections of a router's scores: buffers in `transformers`, parameters in
/// the catalog.
fn plain(shape: Architecture) -> Architecture {
    let router_bias = shape.experts.router_bias && shape.experts.expert_bias;
    let experts = Experts { router_bias, ..shape.experts };
    Architecture { experts, extra: ExtraParams::NONE, tower: Tower::NONE, ..shape }
}

fn read(text: &str) -> Result<Imported, String> {
    import(&parse(text)?)
}

/// Returns the error of a text, without thin spaces.
fn sentence(text: &str) -> String {
    read(text).unwrap_err().replace('\u{2009}', " ")
}

#[test]
fn configs_of_public_models_have_the_published_parameters() {
    for (text, name, [params, active], not_understood, entry) in KNOWN {
        let imported = read(text).unwrap();
        assert_eq!(imported.name, *name);
        assert_eq!(imported.architecture.params(), *params, "{name}");
        assert_eq!(imported.architecture.active_params(), if *active > 0 { *active } else { *params }, "{name}");
        assert_eq!(imported.not_understood, *not_understood, "{name}");
        assert!(imported.used.len() >= 4, "{:?}", imported.used);
        if let Some(entry) = entry {
            assert_eq!(plain(imported.architecture), plain(catalog::model(entry).unwrap().architecture), "{entry}");
        }
    }
}

#[test]
fn every_imported_model_survives_its_link() {
    for (text, name, ..) in KNOWN {
        let architecture = read(text).unwrap().architecture;
        let scenario = catalog::default_scenario().with_model(Model::Custom { architecture });
        let link = encode(&scenario);
        assert!(link.len() < 320, "{link}");
        let decoded = decode(&link);
        assert_eq!((decoded.issues, decoded.scenario), (vec![], scenario), "{name}");
        let errors: Vec<_> = issues(&scenario).into_iter().filter(|issue| issue.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
    }
}

#[test]
fn whatever_is_no_model_config_gets_a_sentence() {
    assert_eq!(sentence(" \n"), "The input is empty: paste the text of a config.json.");
    assert_eq!(
        sentence("{\"model_type\": \"llama\","),
        "This is not JSON: EOF while parsing a value at line 1 column 23."
    );
    assert_eq!(sentence("{}"), "This JSON is not a model config: it has no model_type.");
    for text in ["3", "[1, 2]", "\"llama\"", "null", "true"] {
        assert!(sentence(text).starts_with("This JSON is not a model config: an object"), "{text}");
    }
    let image = r#"{"architectures": ["ViTForImageClassification"], "model_type": "unheard", "hidden_size": 768, "image_size": 224}"#;
    let said = sentence(image);
    assert!(said.starts_with("The page cannot read configs of the family “unheard”. It reads Llama, "), "{said}");
    assert!(sentence(&"rubbish ".repeat(MOST_CHARACTERS / 8)).starts_with("This is not JSON:"));
    assert!(sentence(&"x".repeat(MOST_CHARACTERS + 1)).starts_with("This text is longer than a million characters"));
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    assert!(sentence(&deep).starts_with("This is not JSON:"));
    let wide = r#"{"model_type": "llama", "hidden_size": 1e400}"#;
    assert_eq!(sentence(wide), "This cannot be read: number out of range at line 1 column 44.");
    let nested =
        json!({ "model_type": "llama", "text_config": { "text_config": { "text_config": { "a": [[[[[1]]]]] } } } });
    assert!(import(&nested).unwrap_err().starts_with("The config lacks num_hidden_layers"));
}

/// Imports Llama's config with another value of one field.
fn llama_with(field: &str, value: Value) -> Result<Imported, String> {
    let mut config: Map<String, Value> = serde_json::from_str(KNOWN[0].0).unwrap();
    config.insert(field.into(), value);
    import(&Value::Object(config))
}

#[test]
fn values_out_of_bounds_get_a_sentence() {
    let said = |field, value| llama_with(field, value).unwrap_err().replace('\u{2009}', " ");
    assert_eq!(
        said("hidden_size", json!(1e300)),
        "hidden_size is 1e300: Hidden size must be a whole number from 1 to 262,144."
    );
    assert_eq!(
        said("num_hidden_layers", json!(-4)),
        "num_hidden_layers is -4: Layers must be a whole number from 1 to 2,048."
    );
    assert_eq!(
        said("num_hidden_layers", json!(0)),
        "num_hidden_layers is 0: Layers must be a whole number from 1 to 2,048."
    );
    assert_eq!(
        said("num_attention_heads", json!(32.5)),
        "num_attention_heads is 32.5: Attention heads must be a whole number from 1 to 4,096."
    );
    assert_eq!(
        said("vocab_size", json!("many")),
        "vocab_size is “many”: Vocabulary size must be a whole number from 1 to 16,777,216."
    );
    assert_eq!(said("tie_word_embeddings", json!("no")), "tie_word_embeddings is “no”: it must be true or false.");
    assert_eq!(
        said("vocab_size", Value::Null),
        "The config lacks vocab_size, a whole number: entries of the vocabulary."
    );
    let mixture = json!({ "model_type": "deepseek_v3", "num_hidden_layers": 4, "hidden_size": 64, "num_attention_heads": 4,
        "intermediate_size": 64, "vocab_size": 99, "n_routed_experts": 8, "num_experts_per_tok": 2,
        "moe_intermediate_size": 1_000_000, "n_shared_experts": 9_999 });
    assert_eq!(
        import(&mixture).unwrap_err(),
        "n_shared_experts times moe_intermediate_size is 9,999,000,000: Shared expert width must be a whole number from 0 to \
         2,000,000."
    );
}

#[test]
fn what_is_left_out_is_what_the_class_has() {
    let of_llama = |field: &str| llama_with(field, Value::Null).unwrap().architecture;
    assert_eq!(of_llama("num_key_value_heads").num_key_value_heads, 32);
    assert_eq!(llama_with("head_dim", json!(64)).unwrap().architecture.head_dim, 64);
    assert_eq!(of_llama("head_dim").head_dim, 128);
    // A field that the class lacks is not read.
    assert_eq!(llama_with("sliding_window", json!(4096)).unwrap().not_understood, ["sliding_window"]);
    assert_eq!(llama_with("attention_bias", json!(true)).unwrap().architecture.attention_bias, AttentionBias::All);

    let small = |kind: &str, more: Value| {
        let mut config = json!({ "model_type": kind, "num_hidden_layers": 12, "hidden_size": 64, "num_attention_heads": 8,
            "intermediate_size": 128, "vocab_size": 1000 });
        config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        import(&config).unwrap()
    };
    let shape = |kind: &str, more: Value| small(kind, more).architecture;
    let tied = |kind| shape(kind, json!({})).tie_word_embeddings;
    assert_eq!(["gemma", "gemma2", "gpt2", "opt", "cohere", "starcoder2", "falcon"].map(tied), [true; 7]);
    assert_eq!(["llama", "mistral", "qwen2", "qwen3", "gpt_neox", "phi", "olmo2"].map(tied), [false; 7]);
    assert_eq!(shape("mistral", json!({})).sliding_window, 4096);
    assert_eq!(shape("mistral", json!({ "sliding_window": null })).sliding_window, 0);
    assert_eq!(shape("mistral", json!({ "max_position_embeddings": 4096 })).sliding_window, 0);
    assert_eq!(shape("qwen3", json!({})).head_dim, 128);
    assert_eq!(shape("gpt2", json!({ "intermediate_size": null })).intermediate_size, 256);
    assert_eq!(shape("falcon", json!({})).num_key_value_heads, 1);
    let fused = |kind| shape(kind, json!({})).fused_projections;
    assert_eq!(["llama", "opt", "phi"].map(fused), [FusedProjections::None; 3]);
    assert_eq!(["gpt2", "falcon", "bloom", "gpt_neox", "internlm2"].map(fused), [FusedProjections::Attention; 5]);
    assert_eq!(fused("phi3"), FusedProjections::All);
    assert_eq!(shape("falcon", json!({ "new_decoder_architecture": true, "num_kv_heads": 2 })).num_key_value_heads, 2);
    assert_eq!(
        shape("deepseek_v3", json!({ "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 8 }))
            .latent
            .kv_lora_rank,
        512
    );

    let alternating = json!(["sliding_attention", "full_attention"].repeat(6));
    let windowed = small("gemma2", json!({ "layer_types": alternating }));
    assert_eq!((windowed.architecture.global_every, windowed.not_understood.len()), (2, 0));
    let full = small("gemma2", json!({ "layer_types": vec!["full_attention"; 12] }));
    assert_eq!(full.architecture.sliding_window, 0);
    let reversed = ["full_attention", "sliding_attention"].repeat(6);
    let odd = small("gemma2", json!({ "layer_types": reversed }));
    assert_eq!(odd.not_understood, ["layer_types"]);

    let switched = json!({ "use_sliding_window": true, "sliding_window": 512, "max_window_layers": 0 });
    let all = small("qwen2", switched);
    assert_eq!((all.architecture.sliding_window, all.architecture.global_every, all.not_understood.len()), (512, 0, 0));
    let some = small("qwen2", json!({ "use_sliding_window": true, "sliding_window": 512, "max_window_layers": 6 }));
    assert_eq!(some.not_understood, ["max_window_layers"]);
}

#[test]
fn names_are_short() {
    let named = |path: &str| llama_with("_name_or_path", json!(path)).unwrap().name;
    assert_eq!(named("meta-llama/Llama-3.1-8B"), "Llama-3.1-8B");
    assert_eq!(named("/data/models/mine/"), "mine");
    assert_eq!(named(""), "LlamaForCausalLM");
}

/// Writes a shape as a config of a family that can express the shape, if there is one.
fn written(shape: &Architecture) -> Option<Value> {
    let mixture = shape.experts.num_experts > 0;
    let kind = match (shape.norm, shape.gated_mlp, shape.qk_norm, shape.norms_per_layer) {
        (Norm::Rms, true, QkNorm::None, 2) if !mixture && shape.attention_bias == AttentionBias::Qkv => "qwen2",
        (Norm::Rms, true, QkNorm::None, 2)
            if mixture
                && shape.attention_bias == AttentionBias::None
                && !shape.latent.is_used()
                && shape.experts.shared_intermediate_size == 0 =>
        {
            "mixtral"
        }
        (Norm::Rms, true, QkNorm::None, 2) if !mixture && shape.sliding_window > 0 => "mistral",
        (Norm::Rms, true, QkNorm::None, 2) if !mixture => "llama",
        (Norm::Rms, true, QkNorm::None, 2) if shape.latent.is_used() && shape.experts.router_bias => "deepseek_v3",
        (Norm::Rms, true, QkNorm::None, 2) if shape.latent.is_used() => "deepseek_v2",
        (Norm::Rms, true, QkNorm::PerHead, 2)
            if mixture && shape.experts.shared_intermediate_size > 0 && !shape.experts.router_bias =>
        {
            "hy_v3"
        }
        (Norm::Rms, true, QkNorm::PerHead, 2) if mixture && !shape.experts.router_bias => "qwen3_moe",
        (Norm::Rms, true, QkNorm::PerHead, 2) if !mixture && shape.sliding_window > 0 => "exaone4",
        (Norm::Rms, true, QkNorm::PerHead, 2) if !mixture => "qwen3",
        (Norm::Rms, true, QkNorm::Full, 2) if mixture => "olmoe",
        (Norm::Rms, true, QkNorm::None, 4) if shape.sliding_window > 0 => "gemma2",
        (Norm::Rms, true, QkNorm::PerHead, 4) => "gemma3_text",
        (Norm::Layer, false, QkNorm::None, 2) if shape.learned_positions == 0 && shape.embedding_norm => "bloom",
        (Norm::Layer, false, QkNorm::None, 2) if shape.learned_positions == 0 && shape.sliding_window > 0 => {
            "starcoder2"
        }
        (Norm::Layer, false, QkNorm::None, 2) if shape.learned_positions == 0 && shape.mlp_bias => "gpt_neox",
        (Norm::Layer, false, QkNorm::None, 2) if shape.learned_positions > 0 => "gpt2",
        (Norm::LayerNoBias, true, QkNorm::None, 1) if shape.sliding_window == 0 => "cohere",
        (Norm::LayerNoBias, true, QkNorm::None, 1) => "cohere2",
        _ => return None,
    };
    let experts = shape.experts;
    let latent = shape.latent;
    Some(json!({
        "model_type": kind, "num_hidden_layers": shape.num_hidden_layers, "hidden_size": shape.hidden_size,
        "num_attention_heads": shape.num_attention_heads, "num_key_value_heads": shape.num_key_value_heads,
        "head_dim": shape.head_dim, "intermediate_size": shape.intermediate_size, "vocab_size": shape.vocab_size,
        "attention_bias": shape.attention_bias != AttentionBias::None, "mlp_bias": shape.mlp_bias,
        "tie_word_embeddings": shape.tie_word_embeddings, "lm_head_bias": shape.head_bias,
        "n_positions": shape.learned_positions, "sliding_window": if shape.sliding_window > 0 { json!(shape.sliding_window) } else { Value::Null },
        "sliding_window_pattern": shape.global_every,
        "num_experts": experts.num_experts, "num_experts_per_tok": experts.num_experts_per_tok,
        "moe_intermediate_size": experts.moe_intermediate_size,
        "n_shared_experts": experts.shared_intermediate_size.checked_div(experts.moe_intermediate_size),
        "first_k_dense_replace": experts.first_k_dense_replace, "decoder_sparse_step": experts.moe_layer_step,
        "n_group": experts.n_group, "topk_group": experts.topk_group,
        "kv_lora_rank": latent.kv_lora_rank, "qk_nope_head_dim": latent.qk_nope_head_dim,
        "q_lora_rank": if latent.q_lora_rank > 0 { json!(latent.q_lora_rank) } else { Value::Null },
        "qk_rope_head_dim": latent.qk_rope_head_dim, "v_head_dim": latent.v_head_dim,
    }))
}

#[test]
fn models_of_the_catalog_written_as_configs_come_back() {
    let mut back = 0;
    for entry in MODELS {
        // Features that configs of older families cannot express.
        if entry.architecture.pattern.is_used() || entry.architecture.extra.layers != 0 {
            continue;
        }
        let Some(config) = written(&entry.architecture) else { continue };
        let found = import(&config).unwrap().architecture;
        // The family represents another one, which may fuse other matrices.
        let expected = Architecture { fused_projections: found.fused_projections, ..entry.architecture };
        assert_eq!(plain(found), plain(expected), "{}: {config}", entry.id);
        back += 1;
    }
    assert!(back >= 140, "{back} of {}", MODELS.len());
}

/// Keys that some family reads, and one that none does.
const KEYS: [&str; 30] = [
    "num_hidden_layers",
    "hidden_size",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "intermediate_size",
    "vocab_size",
    "attention_bias",
    "tie_word_embeddings",
    "sliding_window",
    "sliding_window_pattern",
    "layer_types",
    "max_position_embeddings",
    "num_local_experts",
    "num_experts_per_tok",
    "moe_intermediate_size",
    "n_routed_experts",
    "n_shared_experts",
    "first_k_dense_replace",
    "moe_layers",
    "mlp_only_layers",
    "decoder_sparse_step",
    "kv_lora_rank",
    "q_lora_rank",
    "use_sliding_window",
    "max_window_layers",
    "no_rope_layers",
    "n_positions",
    "text_config",
    "strange",
];

const KINDS: [&str; 12] = [
    "llama",
    "mistral",
    "mixtral",
    "qwen2",
    "qwen3_moe",
    "gemma3",
    "deepseek_v3",
    "gpt_oss",
    "llama4",
    "gpt2",
    "falcon",
    "opt",
];

/// Returns arbitrary values of a field of a config, mostly of a wrong type.
pub(crate) fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0_u32..5000).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        Just(json!([0, 1])),
        Just(json!(["sliding_attention", "full_attention"])),
        Just(json!({ "hidden_size": 64, "num_hidden_layers": 3 })),
        Just(json!(["sliding_attention", "full_attention"])),
        Just(json!({})),
        Just(Value::from("auto")),
    ]
}

proptest! {
    #![proptest_config(crate::cases::cases(256))]

    /// Any config gives a sentence or a shape within the bounds, which a link can hold.
    #[test]
    fn any_config_is_a_sentence_or_a_valid_shape(
        kind in 0..KINDS.len(),
        fields in proptest::collection::vec((0..KEYS.len(), any_value()), 0..24),
    ) {
        let mut config: Map<String, Value> = serde_json::from_str(KNOWN[0].0).unwrap();
        for (key, value) in fields {
            config.insert(KEYS[key].into(), value);
        }
        config.insert("model_type".into(), KINDS[kind].into());
        match import(&Value::Object(config)) {
            Err(said) => prop_assert!(said.ends_with('.') && said.len() > 20, "{said}"),
            Ok(imported) => {
                let scenario = catalog::default_scenario().with_model(Model::Custom { architecture: imported.architecture });
                let link = encode(&scenario);
                let decoded = decode(&link);
                prop_assert_eq!(decoded.issues, vec![], "{}", link);
                prop_assert_eq!(decoded.scenario, scenario);
                prop_assert!(scenario.report().update.time.step.get() > 0.0);
            }
        }
    }
}

/// Returns the config of a Qwen2-VL or Qwen2.5-VL: its type, layers, widths of the residual stream
/// and of the MLPs, heads, key-value heads, vocabulary and longest sequence, and its encoder.
fn qwen_vl(kind: &str, [layers, hidden, ffn, heads, kv, vocab, length]: [u32; 7], encoder: &Value) -> Value {
    json!({
        "model_type": kind, "num_hidden_layers": layers, "hidden_size": hidden, "intermediate_size": ffn,
        "num_attention_heads": heads, "num_key_value_heads": kv, "vocab_size": vocab,
        "max_position_embeddings": length, "tie_word_embeddings": vocab == 151_936, "vision_config": encoder,
    })
}

/// Source: Qwen/Qwen2-VL-*-Instruct, Qwen2.5-VL-*-Instruct and Qwen2.5-Omni-7B config.json.
#[test]
fn rows_of_qwen_with_an_encoder_are_what_their_configs_say() {
    let second = |hidden: u32| {
        json!({
            "depth": 32, "embed_dim": 1280, "mlp_ratio": 4, "num_heads": 16, "in_chans": 3, "hidden_size": hidden,
            "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2,
        })
    };
    let later = |hidden: u32, mlp: u32| {
        json!({
            "depth": 32, "hidden_size": 1280, "intermediate_size": mlp, "num_heads": 16, "in_chans": 3,
            "out_hidden_size": hidden, "patch_size": 14, "spatial_merge_size": 2, "window_size": 112,
            "fullatt_block_indexes": [7, 15, 23, 31], "temporal_patch_size": 2,
        })
    };
    let small = [28, 1536, 8960, 12, 2, 151_936, 32_768];
    let seven = |length| [28, 3584, 18_944, 28, 4, 152_064, length];
    let large = |length| [80, 8192, 29_568, 64, 8, 152_064, length];
    let (three, thirty) = ([36, 2048, 11_008, 16, 2, 151_936, 128_000], [64, 5120, 27_648, 40, 8, 152_064, 128_000]);
    let mut text = qwen_vl("qwen2_5_omni_text", seven(32_768), &Value::Null);
    text.as_object_mut().unwrap().remove("vision_config");
    let thinker = json!({
        "model_type": "qwen2_5_omni_thinker", "text_config": text, "vision_config": later(3584, 3420),
        "audio_config": {
            "d_model": 1280, "encoder_layers": 32, "encoder_attention_heads": 20, "encoder_ffn_dim": 5120,
            "num_mel_bins": 128, "output_dim": 3584,
        },
    });
    for (id, config) in [
        ("qwen-2-vl-2b", qwen_vl("qwen2_vl", small, &second(1536))),
        ("qwen-2-vl-7b", qwen_vl("qwen2_vl", seven(32_768), &second(3584))),
        ("qwen-2-vl-72b", qwen_vl("qwen2_vl", large(32_768), &second(8192))),
        ("qwen-2.5-vl-3b", qwen_vl("qwen2_5_vl", three, &later(2048, 3420))),
        ("qwen-2.5-vl-7b", qwen_vl("qwen2_5_vl", seven(128_000), &later(3584, 3420))),
        ("qwen-2.5-vl-32b", qwen_vl("qwen2_5_vl", thirty, &later(5120, 3456))),
        ("qwen-2.5-vl-72b", qwen_vl("qwen2_5_vl", large(128_000), &later(8192, 3456))),
        ("qwen-2.5-omni-7b", json!({"model_type": "qwen2_5_omni", "thinker_config": thinker})),
    ] {
        let row = catalog::model(id).unwrap().architecture;
        assert_eq!(import(&config).unwrap().architecture, row, "{id}");
    }
}

/// Source: zai-org/GLM-4.5V config.json; the router's corrections of scores are a buffer there.
#[test]
fn rows_of_glm_with_an_encoder_are_what_their_configs_say() {
    let config = json!({
        "model_type": "glm4v_moe",
        "text_config": {
            "model_type": "glm4v_moe_text", "vocab_size": 151_552, "head_dim": 128, "attention_bias": true,
            "first_k_dense_replace": 1, "hidden_size": 4096, "intermediate_size": 10_944,
            "max_position_embeddings": 65_536, "moe_intermediate_size": 1408, "n_routed_experts": 128,
            "n_shared_experts": 1, "num_attention_heads": 96, "num_experts_per_tok": 8, "num_hidden_layers": 46,
            "num_key_value_heads": 8, "use_qk_norm": false,
        },
        "vision_config": {
            "model_type": "glm4v_moe_vision", "depth": 24, "hidden_size": 1536, "image_size": 336,
            "intermediate_size": 10_944, "num_heads": 12, "out_hidden_size": 4096, "patch_size": 14,
            "spatial_merge_size": 2, "temporal_patch_size": 2, "attention_bias": false,
        },
    });
    let mut read = import(&config).unwrap().architecture;
    read.experts.router_bias = true;
    assert_eq!(read, catalog::model("glm-4.5v").unwrap().architecture);
}

#[test]
fn encoders_of_images_are_read_with_their_shapes() {
    let tower = |text: &str| read(text).unwrap().architecture.tower;
    let llava = tower(include_str!("../../../../tests/configs/llava-1.5-7b.json"));
    assert_eq!((llava.layers, llava.hidden_size, llava.mlp_width, llava.tokens(0)), (24, 1024, 4096, 576));
    // Windows of 112 pixels, except in every eighth layer (arXiv 2502.13923, section 2.1).
    let qwen = tower(include_str!("../../../../tests/configs/qwen2.5-vl-7b.json"));
    assert_eq!((qwen.layers, qwen.hidden_size, qwen.gated, qwen.window, qwen.global_every), (32, 1280, true, 8, 8));
    // An image of 224 pixels a side is 64 tokens (arXiv 2409.12191, section 2.1).
    let qwen_2 = tower(include_str!("../../../../tests/configs/qwen2-vl-7b.json"));
    assert_eq!((qwen_2.tokens(224), qwen_2.positions(224), qwen_2.gated), (64, 256, false));
    let gemma = tower(include_str!("../../../../tests/configs/gemma-3-4b.json"));
    assert_eq!((gemma.positions(0), gemma.tokens(0), gemma.merge), (4096, 256, 4));
    let llama = tower(include_str!("../../../../tests/configs/llama-3.2-11b-vision.json"));
    // 1,600 patches, and one for the class, of a tile of 560 pixels (`image_size` of the instruct
    // model).
    assert_eq!((llama.layers, llama.positions(560), llama.in_sequence), (40, 1600, false));
    assert!(llava.params > 300_000_000 && llava.projector_params == 20_979_712, "{llava:?}");
}

//! Tests that every family of decoders in transformers, and random configurations of them, have the
//! parameters counted by the library: `tests/families/recorded.jsonl`, which
//! `tests/families/ask.py` writes.

use crate::config::any_value;
use engine::scenario::Model;
use huggingface::import;
use links::{decode, encode};
use proptest::prelude::*;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

const RECORD: &str = include_str!("../../../../tests/families/recorded.jsonl");

/// Families whose active parameters differ from the record, and why.
const ACTIVE_DIFFER: [(&str, &str); 3] = [
    ("deepseek_v2", "the class does not say how many experts a token is sent to: 6 here, as in the model"),
    ("jetmoe", "the experts of attention count as if a token used them all"),
    ("longcat_flash", "experts that do nothing have matrices in the class, and count as used"),
];

/// Families with encoders that are not read exactly.
const UNREAD: [&str; 9] = [
    "cosmos3_edge",
    "fun_asr_nano",
    "granite_docling",
    "inkling2",
    "inkling_mm_model",
    "kosmos-2.5",
    "lfm3_vl",
    "molmo2",
    "step3p7",
];

/// Merges two configurations, nested ones with a `model_type` recursively.
fn merged(usual: &Value, other: &Value) -> Value {
    let (Value::Object(usual), Value::Object(other)) = (usual, other) else { return other.clone() };
    let mut all: Map<String, Value> = usual.clone();
    for (key, value) in other {
        let within = key.ends_with("_config") && all.get(key).is_some_and(|own| own.get("model_type").is_some());
        let value = if within && value.is_object() { merged(&all[key], value) } else { value.clone() };
        all.insert(key.clone(), value);
    }
    Value::Object(all)
}

/// A line of the record: the family, whether it belongs to `AutoModelForCausalLM`, all and active
/// parameters, and the configuration.
struct Row {
    kind: String,
    causal: bool,
    params: [u64; 2],
    config: Value,
}

/// Reads the families, random configurations, and random configurations of encoders.
fn record() -> [Vec<Row>; 3] {
    let mut usual: BTreeMap<String, Value> = BTreeMap::new();
    let (mut families, mut others, mut seen) = (Vec::new(), Vec::new(), Vec::new());
    for line in RECORD.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let params = ["params", "active"].map(|key| row[key].as_u64().unwrap());
        if let Some(kind) = row["kind"].as_str() {
            usual.insert(kind.into(), row["config"].clone());
            let causal = row["causal"] == true;
            families.push(Row { kind: kind.into(), causal, params, config: row["config"].clone() });
        } else {
            let kind = row["of"].as_str().unwrap().to_owned();
            let config = merged(&usual[&kind], &row["with"]);
            let rows = if row["seen"] == true { &mut seen } else { &mut others };
            rows.push(Row { kind, causal: true, params, config });
        }
    }
    [families, others, seen]
}

/// The configurations of all families.
static RECORDED: LazyLock<Vec<Value>> = LazyLock::new(|| record()[0].iter().map(|row| row.config.clone()).collect());

/// Returns the error of a configuration's count, if any.
fn fault(row: &Row) -> Option<String> {
    let imported = match import(&row.config) {
        Ok(imported) => imported,
        Err(said) => return Some(said),
    };
    let (shape, [params, active]) = (imported.architecture, row.params);
    if shape.params() != params {
        return Some(format!("{} parameters, not {params}", shape.params()));
    }
    let known = ACTIVE_DIFFER.iter().any(|(kind, _)| *kind == row.kind);
    if shape.active_params() != active && !known {
        return Some(format!("{} active parameters, not {active}", shape.active_params()));
    }
    (!imported.not_understood.is_empty()).then(|| format!("not understood: {}", imported.not_understood.join(", ")))
}

/// Returns the faults of all rows, by family.
fn faults(rows: &[Row]) -> Vec<String> {
    rows.iter().filter_map(|row| Some(format!("{}: {}", row.kind, fault(row)?))).collect()
}

#[test]
fn families_of_causal_models_have_the_parameters_that_the_library_counts() {
    let [families, ..] = record();
    let causal: Vec<Row> = families.into_iter().filter(|row| row.causal).collect();
    let wrong = faults(&causal);
    assert!(wrong.is_empty() && causal.len() >= 136, "{} of {}: {}", wrong.len(), causal.len(), wrong.join("\n"));
}

#[test]
fn random_configurations_have_the_parameters_that_the_library_counts() {
    let [_, others, _] = record();
    let wrong = faults(&others);
    assert!(wrong.is_empty() && others.len() >= 200, "{} of {}: {}", wrong.len(), others.len(), wrong.join("\n"));
}

#[test]
fn random_encoders_have_the_parameters_that_the_library_counts() {
    let [.., seen] = record();
    let wrong = faults(&seen);
    assert!(seen.len() >= 150 && wrong.len() <= 24, "{} of {}: {}", wrong.len(), seen.len(), wrong.join("\n"));
    // Every fault of a family that is read exactly.
    let unread: Vec<&String> =
        wrong.iter().filter(|fault| !UNREAD.iter().any(|kind| fault.starts_with(kind))).collect();
    assert!(unread.is_empty(), "{unread:?}");
}

#[test]
fn most_used_models_of_images_have_the_parameters_that_the_library_counts() {
    const AT_LEAST: [&str; 50] = [
        "aria",
        "blip-2",
        "cohere2_vision",
        "deepseek_vl",
        "deepseek_vl_hybrid",
        "ernie4_5_vl_moe",
        "gemma3",
        "gemma4",
        "glm_ocr",
        "glmasr",
        "granite_speech",
        "idefics",
        "instructblip",
        "janus",
        "kosmos-2",
        "minicpmv4_6",
        "molmo2",
        "nemotron_h_omni",
        "ovis2",
        "phi4_multimodal",
        "qwen2_5_omni_thinker",
        "qwen3_asr",
        "qwen3_omni_moe_thinker",
        "voxtral_realtime",
        "glm4v",
        "glm4v_moe",
        "idefics2",
        "idefics3",
        "internvl",
        "kimi_k25",
        "lfm2_vl",
        "llava",
        "llava_next",
        "llava_onevision",
        "mistral3",
        "mistral4",
        "paddleocr_vl",
        "paligemma",
        "qianfan_ocr",
        "qwen2_5_vl",
        "qwen2_audio",
        "qwen2_vl",
        "qwen3_vl",
        "qwen3_vl_moe",
        "smolvlm",
        "vipllava",
        "voxtral",
        "glm5_next",
        "mistral_large4",
        "muse_glimmer",
    ];
    let [families, ..] = record();
    let wrong: Vec<String> = faults(&families);
    for kind in AT_LEAST {
        assert!(families.iter().any(|row| row.kind == kind), "{kind} is recorded");
        assert!(!wrong.iter().any(|fault| fault.starts_with(&format!("{kind}: "))), "{kind}");
    }
    assert!(wrong.len() <= 16, "{}", wrong.join("\n"));
}

/// A published configuration, and its parameters, all and active. Sources: tests/configs/README.md.
macro_rules! published {
    ($file:literal, $params:expr) => {
        ($file, include_str!(concat!("../../../../tests/configs/", $file, ".json")), $params)
    };
}

const PUBLISHED: [(&str, &str, [u64; 2]); 12] = [
    published!("nemotron-3-nano-30b", [31_577_937_344, 3_580_073_408]),
    published!("nemotron-h-8b", [8_100_852_736, 8_100_852_736]),
    published!("kimi-linear-48b", [49_122_675_072, 3_484_453_248]),
    published!("granite-4.0-h-tiny", [6_939_037_248, 1_465_470_528]),
    published!("falcon-h1-0.5b", [521_411_104, 521_411_104]),
    published!("minimax-text-01", [456_089_655_296, 48_403_306_496]),
    published!("recurrentgemma-2b", [2_682_862_080, 2_682_862_080]),
    published!("llava-1.5-7b", [7_063_427_072, 7_063_427_072]),
    published!("qwen2-vl-7b", [8_291_375_616, 8_291_375_616]),
    published!("qwen3-vl-8b", [8_767_123_696, 8_767_123_696]),
    published!("qwen3-next-80b", [79_674_391_296, 3_874_929_408]),
    published!("llama-3.2-11b-vision", [10_642_941_475, 10_642_941_475]),
];

#[test]
fn published_hybrids_and_models_of_images_have_their_parameters() {
    for (name, text, params) in PUBLISHED {
        let imported = import(&serde_json::from_str(text).unwrap()).unwrap();
        let shape = imported.architecture;
        assert_eq!([shape.params(), shape.active_params()], params, "{name}");
        assert_eq!(imported.not_understood, [""; 0], "{name}");
        assert_eq!(imported.architecture.tower.is_used(), text.contains("vision_config"), "{name}");
    }
}

proptest! {
    #![proptest_config(crate::cases::cases(600))]
    /// Any values in the fields of a family give a sentence or a shape within the bounds, which a
    /// link can hold.
    #[test]
    fn any_value_in_any_family_is_a_sentence_or_a_valid_shape(
        which in any::<prop::sample::Index>(),
        fields in proptest::collection::vec((any::<prop::sample::Index>(), any_value()), 0..6),
    ) {
        let row = which.get(&RECORDED);
        let mut config: Map<String, Value> = row.as_object().unwrap().clone();
        for (key, value) in fields {
            let nested = config.get("text_config").is_some_and(|text| text.as_object().is_some_and(|text| text.len() > 3));
            let of = if nested { config["text_config"].as_object_mut().unwrap() } else { &mut config };
            let keys: Vec<String> = of.keys().filter(|key| *key != "model_type").cloned().collect();
            of.insert(key.get(&keys).clone(), value);
        }
        match import(&Value::Object(config)) {
            Err(said) => prop_assert!(said.ends_with('.') && said.len() > 20, "{said}"),
            Ok(imported) => {
                let architecture = imported.architecture;
                let scenario = catalog::default_scenario().with_model(Model::Custom { architecture });
                let link = encode(&scenario);
                let decoded = decode(&link);
                prop_assert_eq!(decoded.issues, vec![], "{}", link);
                prop_assert_eq!(decoded.scenario, scenario);
            }
        }
    }
}

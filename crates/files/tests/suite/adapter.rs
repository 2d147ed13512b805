//! Tests of PEFT's adapter_config.json: the trained weights, and the model.

use engine::model::trained::{BaseFormat, Method, Targets, Trained};
use huggingface::{Adapter, import_adapter, is_adapter, parse};
use links::decode;

fn adapter(text: &str) -> Result<Adapter, String> {
    let json = parse(text)?;
    assert!(is_adapter(&json));
    import_adapter(&json)
}

/// Sources: tests/configs/README.md.
#[test]
fn published_adapters_set_what_trains_and_the_model() {
    let guanaco = adapter(include_str!("../../../../tests/configs/adapters/llama-2-7b-guanaco.json")).unwrap();
    let expected = Trained { method: Method::Lora, rank: 16, targets: Targets::Mlp, dropout: true, ..Trained::ALL };
    assert_eq!((guanaco.trained(), guanaco.remarks.as_slice()), (expected, [].as_slice()));
    assert_eq!(guanaco.model().map(|entry| entry.id), Some("llama-2-7b"));
    let small = adapter(include_str!("../../../../tests/configs/adapters/llama-3.2-1b.json")).unwrap();
    let expected = Trained { rank: 64, targets: Targets::Attention, dropout: false, ..expected };
    assert_eq!((small.trained(), small.model().map(|entry| entry.id)), (expected, Some("llama-3.2-1b")));
    assert_eq!(
        small.remarks,
        ["The page lacks this choice of target_modules (o_proj, q_proj, v_proj); read as the next larger one."]
    );
    // The file does not contain the format of the base model: the scenario keeps its format and all
    // other values.
    let mut before = catalog::default_scenario();
    before.trained.base = BaseFormat::Nf4;
    let after = small.applied(&before);
    assert_eq!((after.trained.base, after.trained.rank, after.gpus), (BaseFormat::Nf4, 64, before.gpus));
}

#[test]
fn what_an_adapter_says_otherwise_becomes_a_sentence() {
    let of = |rest: &str| adapter(&format!("{{\"peft_type\": \"LORA\", {rest}}}")).unwrap();
    let base = r#""base_model_name_or_path": "Qwen/Qwen2.5-7B-Instruct""#;
    let read = of(&format!(
        r#"{base}, "r": 32, "target_modules": "all-linear", "use_dora": true, "layers_to_transform": [26, 27],
           "modules_to_save": ["embed_tokens", "lm_head"]"#
    ));
    let expected = Trained { method: Method::Dora, rank: 32, embeddings: true, frozen_layers: 26, ..Trained::ALL };
    assert_eq!((read.trained(), read.remarks.as_slice()), (expected, [].as_slice()));
    for (rest, targets, part) in [
        (r#""target_modules": ["query_key_value"]"#, Targets::QueryKeyValue, ""),
        (
            r#""target_modules": ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]"#,
            Targets::AllLinear,
            "",
        ),
        (
            r#""target_modules": ["q_proj", "v_proj", "lm_head"]"#,
            Targets::QueryValue,
            "Not counted are adapters of lm_head",
        ),
        (r#""target_modules": ["gate_proj"]"#, Targets::Mlp, "next larger"),
        (r#""target_modules": "model\\..*proj""#, Targets::AllLinear, "is an unsupported pattern"),
        (r#""target_modules": ["a", "b", "c", "d", "e"]"#, Targets::AllLinear, "a, b, c, d and 1 more"),
        (
            r#""target_modules": ["q_proj", "v_proj"], "target_parameters": ["mlp.experts.down_proj"]"#,
            Targets::AllLinear,
            "next larger",
        ),
        (
            r#""target_modules": ["q_proj", "v_proj"], "layers_to_transform": [1, 3]"#,
            Targets::QueryValue,
            "leaves out later layers",
        ),
        (
            r#""target_modules": ["q_proj", "v_proj"], "corda_config": {"a": 1}"#,
            Targets::QueryValue,
            "Not understood: corda_config.",
        ),
    ] {
        let read = of(&format!("{base}, {rest}"));
        assert_eq!(read.trained().targets, targets, "{rest}");
        let said = read.remarks.join(" ");
        assert!(said.contains(part) && (part.is_empty() == said.is_empty()), "{rest}: {said}");
    }
    assert!(of(r#""r": 8"#).remarks.join(" ").contains("names no base model"));
    assert!(adapter(r#"{"peft_type": "IA3"}"#).unwrap_err().contains("“IA3”"));
    assert!(adapter(r#"{"peft_type": "LORA", "r": 0}"#).unwrap_err().starts_with("The rank r"));
}

#[test]
fn what_peft_is_given_comes_back() {
    for link in [
        "train=lora&targets=attention&rank=8",
        "train=dora&targets=qv&loradrop=yes",
        "train=rslora&frozen=4&trainemb=yes",
    ] {
        let scenario = decode(&format!("model=llama-3.1-8b&{link}")).scenario;
        let written = crate::text(catalog::programs::Program::Peft, &scenario).body;
        let read = adapter(&written).unwrap();
        assert_eq!((read.remarks.as_slice(), read.applied(&scenario)), ([].as_slice(), scenario), "{link}");
    }
}

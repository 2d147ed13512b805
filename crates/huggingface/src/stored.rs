//! The format in which a repository stores its weights, where it is not 16 bits: as its name or
//! its `config.json` says.

use serde_json::Value;

/// A format in which weights are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The format's name.
    pub name: &'static str,
    /// The option of a frozen base in links, where adapters are trained on weights as they are
    /// stored.
    pub base: Option<&'static str>,
}

const GPTQ: Stored = Stored { name: "4-bit integers (GPTQ)", base: Some("int4") };
const GPTQ_8: Stored = Stored { name: "8-bit integers (GPTQ)", base: Some("int8") };
const AWQ: Stored = Stored { name: "4-bit integers (AWQ)", base: Some("int4") };
const INT4: Stored = Stored { name: "4-bit integers", base: Some("int4") };
const NF4: Stored = Stored { name: "NF4 (bitsandbytes)", base: Some("nf4") };
const NF4_DOUBLE: Stored = Stored { name: "NF4 with quantized scales (bitsandbytes)", base: Some("nf4dq") };
const INT8: Stored = Stored { name: "LLM.int8() (bitsandbytes)", base: Some("int8") };
const FP8: Stored = Stored { name: "FP8", base: None };
const MXFP4: Stored = Stored { name: "MXFP4", base: None };
const NVFP4: Stored = Stored { name: "NVFP4", base: None };

/// Words, all of which a name must have. Copies in 4 bits by bitsandbytes are Unsloth's, whose
/// scales are quantized (`bnb_4bit_use_double_quant` of their configs).
const WORDS: [(&[&str], Stored); 14] = [
    (&["gptq", "int8"], GPTQ_8),
    (&["gptq", "8bit"], GPTQ_8),
    (&["gptq"], GPTQ),
    (&["awq"], AWQ),
    (&["w4a16"], INT4),
    (&["bnb", "4bit"], NF4_DOUBLE),
    (&["bnb", "8bit"], INT8),
    (&["nvfp4"], NVFP4),
    (&["mxfp4"], MXFP4),
    (&["fp8"], FP8),
    (&["w8a8"], Stored { name: "8 bits, activations too", base: None }),
    (&["aqlm"], Stored { name: "AQLM", base: None }),
    (&["hqq"], Stored { name: "HQQ", base: None }),
    (&["gguf"], Stored { name: "GGUF", base: None }),
];

impl Stored {
    /// Returns the format that a repository's name states.
    pub fn of_name(name: &str) -> Option<Self> {
        let last = name.trim_end_matches('/').rsplit('/').next()?.to_ascii_lowercase();
        let parts: Vec<&str> = last.split(['-', '_', '.']).collect();
        WORDS.into_iter().find(|(words, _)| words.iter().all(|word| parts.contains(word))).map(|(_, stored)| stored)
    }

    /// Returns the format of a config's `quantization_config`, whose `quant_method` is one of
    /// transformers' `QuantizationMethod` (utils/quantization_config.py).
    pub(crate) fn of_config(config: &Value) -> Option<Self> {
        let stated = config.get("quantization_config").filter(|stated| stated.is_object())?;
        let flag = |name: &str| stated.get(name).and_then(Value::as_bool) == Some(true);
        let bits = stated.get("bits").and_then(Value::as_u64);
        let method = stated.get("quant_method").and_then(Value::as_str).unwrap_or("bitsandbytes");
        Some(match (method, bits) {
            ("gptq", Some(8)) => GPTQ_8,
            ("gptq", Some(4) | None) => GPTQ,
            ("awq", Some(4) | None) => AWQ,
            ("bitsandbytes", _) if flag("load_in_8bit") => INT8,
            ("bitsandbytes", _) if flag("bnb_4bit_use_double_quant") => NF4_DOUBLE,
            ("bitsandbytes", _) if flag("load_in_4bit") => NF4,
            ("fp8" | "fbgemm_fp8", _) => FP8,
            ("mxfp4", _) => MXFP4,
            ("modelopt" | "modelopt_fp4", _) => Self { name: "a format of NVIDIA ModelOpt", base: None },
            ("compressed-tensors", _) => Self { name: "compressed-tensors", base: None },
            _ => Self { name: "a quantized format", base: None },
        })
    }

    /// Says what the format means for a run.
    pub fn says(self) -> String {
        let Self { name, base } = self;
        match base {
            Some(base) => format!(
                "The repository stores the weights in {name}: adapters are trained on them as they are (base={base}), \
                 and all weights only from a copy in 16 bits."
            ),
            None => format!(
                "The repository stores the weights in {name}: they are taken to be trained from 16 bits, frozen or not."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Stored;

    #[test]
    fn a_name_and_a_config_say_how_weights_are_stored() {
        let base = |name| Stored::of_name(name).map(|stored| stored.base);
        assert_eq!(base("TechxGenus/Meta-Llama-3-8B-Instruct-GPTQ"), Some(Some("int4")));
        assert_eq!(base("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8"), Some(Some("int8")));
        assert_eq!(base("unsloth/llama-3-8b-bnb-4bit"), Some(Some("nf4dq")));
        assert_eq!(base("Qwen/Qwen3-8B-FP8"), Some(None));
        assert_eq!(base("Qwen/Qwen3-8B"), None);
        let config = |text: &str| Stored::of_config(&serde_json::from_str(text).unwrap()).map(|stored| stored.base);
        // hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4 and unsloth's copies in NF4.
        assert_eq!(config(r#"{"quantization_config": {"bits": 4, "quant_method": "awq"}}"#), Some(Some("int4")));
        let doubled = r#"{"quantization_config": {"load_in_4bit": true, "bnb_4bit_use_double_quant": true}}"#;
        assert_eq!(config(doubled), Some(Some("nf4dq")));
        assert_eq!(config(r#"{"quantization_config": {"quant_method": "fp8"}}"#), Some(None));
        assert_eq!(config(r#"{"quantization_config": null}"#), None);
    }
}

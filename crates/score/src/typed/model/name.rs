//! Parses model names in any spelling: `LLAMA3_70B`, `Llama 3.1 405B`, `Meta-Llama-3-8B`,
//! `GPT3-175B`, `MPT-7b`.

use catalog::{MODELS, ModelEntry};

/// Names of publishers and kinds of releases, which never distinguish two models.
const NOISE: [&str; 16] = [
    "meta",
    "nvidia",
    "mosaicml",
    "mistralai",
    "google",
    "eleutherai",
    "facebook",
    "hf",
    "dense",
    "model",
    "base",
    "instruct",
    "chat",
    "v",
    "benchmark",
    "the",
];
/// Relative difference below which two sizes are equal, as publishers round.
const SAME_SIZE: f64 = 0.06;

/// Parts of a model's name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Name {
    /// Family, with joined words: `llama`, `codellama`, `gptneox`.
    pub family: String,
    /// Version: `3`, `3.1`, `0.3`.
    pub version: Option<String>,
    /// Size in parameters.
    pub size: Option<f64>,
    /// Words after the version: `xl`, `mini`.
    pub words: Vec<String>,
}

impl Name {
    /// Splits a name into its parts. Text in brackets is ignored.
    pub(super) fn parse(text: &str) -> Self {
        let mut name = Self::default();
        let mut numbered = false;
        let outside = text.split(['(', '[']).next().unwrap_or_default().to_ascii_lowercase();
        for token in tokens(&outside) {
            if let Some(size) = size(&token) {
                name.size.get_or_insert(size);
                numbered = true;
            } else if token.starts_with(|first: char| first.is_ascii_digit()) {
                if !numbered && !token.ends_with('k') {
                    name.version.get_or_insert(token);
                    numbered = true;
                }
            } else if !NOISE.contains(&token.as_str()) {
                if numbered { name.words.push(token) } else { name.family.push_str(&token) }
            }
        }
        name
    }

    /// Finds the catalog entry of the name. Among several versions, the best agreement wins, and
    /// the first on a tie.
    pub(super) fn find(&self) -> Option<&'static ModelEntry> {
        let score = |entry: &'static ModelEntry| Some((self.agreement(entry)?, entry));
        MODELS.iter().filter_map(score).reduce(better).map(|(_, entry)| entry)
    }

    /// Rates the agreement with an entry; `None` for another family, size or major version.
    fn agreement(&self, entry: &ModelEntry) -> Option<u32> {
        let known = Self::parse(entry.name);
        if self.family.is_empty() || self.family != known.family {
            return None;
        }
        let version = match (&self.version, &known.version) {
            (Some(ours), Some(theirs)) if ours == theirs => 4,
            (None, None) => 4,
            (Some(ours), Some(theirs)) if major(ours) == major(theirs) => 2,
            (None, Some(_)) => 1,
            _ => return None,
        };
        let word = |word: &String| known.words.contains(word);
        match self.size {
            Some(size) => {
                let known = known.size.unwrap_or(entry.params as f64);
                ((size / known - 1.0).abs() < SAME_SIZE).then_some(version + u32::from(self.words.iter().any(word)))
            }
            // Mixtures are often named only by their version: `DeepSeekV3`, `Kimi K2`.
            None if self.words.is_empty() => (version == 4 && entry.architecture.has_experts())
                .then_some(version + u32::from(known.words.is_empty())),
            None => self.words.iter().all(word).then_some(version),
        }
    }
}

type Scored = (u32, &'static ModelEntry);

fn better(best: Scored, next: Scored) -> Scored {
    if next.0 > best.0 { next } else { best }
}

fn major(version: &str) -> &str {
    version.split('.').next().unwrap_or(version)
}

/// Splits a text into words and numbers, at other characters and between letters and digits.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for chunk in text.split(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '.')) {
        let mut token = String::new();
        for sign in chunk.chars() {
            let starts_number = sign.is_ascii_digit() && token.ends_with(|last: char| last.is_ascii_alphabetic());
            let starts_word = sign.is_ascii_alphabetic()
                && token.ends_with(|last: char| last.is_ascii_digit())
                && !matches!(sign, 'b' | 'm' | 't' | 'k');
            if starts_number && token.len() > 1 && token.ends_with('v') {
                // The `v` of a version, as in `DeepSeekV3`.
                token.pop();
            }
            if starts_number || starts_word {
                tokens.push(core::mem::take(&mut token));
            }
            token.push(sign);
        }
        tokens.push(token);
    }
    tokens.retain(|token| token.chars().any(|sign| sign.is_ascii_alphanumeric()));
    tokens
}

/// Parses a size: `7b`, `350m`, `1.3b`, `1t`.
fn size(token: &str) -> Option<f64> {
    let factor = match token.chars().last()? {
        'm' => 1e6,
        'b' => 1e9,
        't' => 1e12,
        _ => return None,
    };
    let digits: f64 = token.get(..token.len() - 1)?.parse().ok()?;
    Some(digits * factor)
}

#[cfg(test)]
mod tests {
    use super::Name;

    fn id(text: &str) -> &'static str {
        Name::parse(text).find().map_or("", |entry| entry.id)
    }

    #[test]
    fn spellings_of_one_model_find_its_entry() {
        for text in ["Llama3 8B", "LLAMA3_8B", "llama-3-8b", "Meta-Llama-3-8B-Instruct", "LLaMA 3 8b (dense)"] {
            assert_eq!(id(text), "llama-3-8b", "{text}");
        }
        for text in ["LLAMA3-70B", "LLAMA3-70B-LoRa", "Llama3 70B 2-node", "Llama3-70b"] {
            assert_eq!(id(text), "llama-3-70b", "{text}");
        }
        for text in ["Llama 3.1 405B", "LLAMA3.1_405B", "LLAMA3.1-405B", "Llama3 405B"] {
            assert_eq!(id(text), "llama-3.1-405b", "{text}");
        }
        assert_eq!(id("Llama-2-7B"), "llama-2-7b");
        assert_eq!(id("LLAMA2-13B"), "llama-2-13b");
        assert_eq!(id("LLaMA-7B"), "llama-1-7b");
        assert_eq!(id("GPT3-175B"), "gpt-3-175b");
        assert_eq!(id("GPT-3 175B"), "gpt-3-175b");
        assert_eq!(id("MPT-7b"), "mpt-7b");
        assert_eq!(id("Qwen3 8B"), "qwen-3-8b");
        assert_eq!(id("Qwen3 32B"), "qwen-3-32b");
        assert_eq!(id("Qwen2.5 7B"), "qwen-2.5-7b");
        assert_eq!(id("Mistral-7B"), "mistral-7b");
        assert_eq!(id("GPT2-XL"), "gpt-2-xl");
        assert_eq!(id("OPT-175B"), "opt-175b");
        assert_eq!(id("InternLM-7B"), "internlm-7b");
        assert_eq!(id("Falcon 40B"), "falcon-40b");
    }

    #[test]
    fn spellings_of_mixtures_find_their_entries() {
        for text in ["DeepSeekV3", "DeepSeek V3 671B", "DeepSeek-V3"] {
            assert_eq!(id(text), "deepseek-v3", "{text}");
        }
        assert_eq!(id("DeepSeek-V2 236B"), "deepseek-v2");
        assert_eq!(id("DeepSeek-V2-Lite 16B"), "deepseek-v2-lite");
        for text in ["Qwen3_30B", "Qwen3-30B", "Qwen3 MoE 30B", "Qwen3 30B-A3B"] {
            assert_eq!(id(text), "qwen-3-30b-a3b", "{text}");
        }
        assert_eq!(id("Qwen3_235B"), "qwen-3-235b-a22b");
        assert_eq!(id("Mixtral-8x7B"), "mixtral-8x7b");
        assert_eq!(id("Mixtral-8x22B"), "mixtral-8x22b");
        assert_eq!(id("Internal-352B MoE"), "megascale-352b");
        assert_eq!(id("GPT-OSS 20B"), "gpt-oss-20b");
        assert_eq!(id("GPT OSS 120B"), "gpt-oss-120b");
        assert_eq!(id("Kimi K2"), "kimi-k2");
        assert_eq!(id("Moonlight 16B"), "moonlight-16b-a3b");
    }

    #[test]
    fn other_names_find_nothing() {
        for text in ["", "Llama 9 8B", "GPT h20480 3L", "Llama-like 3B (nanotron bench)", "GPT 5.9B", "Llama 2 8B"] {
            assert_eq!(id(text), "", "{text}");
        }
    }
}

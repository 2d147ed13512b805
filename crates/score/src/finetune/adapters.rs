//! What a fine-tuning run trains: the row's own columns, else what its source's code sets.

use super::source::Source;
use crate::Notes;
use crate::row::Row;
use crate::text::has;
use engine::model::trained::{BaseFormat, Method, ProductsKeep, Targets, Trained};

/// Rank, targets and dropout that a source's code sets.
#[derive(Clone, Copy)]
struct Set {
    rank: u32,
    targets: Targets,
    dropout: bool,
    origin: &'static str,
}

const fn set(rank: u32, targets: Targets, dropout: bool, origin: &'static str) -> Set {
    Set { rank, targets, dropout, origin }
}

/// Returns what a row trains.
pub fn trained(row: &Row, notes: &mut Notes) -> Trained {
    let Some(source) = Source::of(row) else { return Trained::ALL };
    if row.trainable == "full" {
        return Trained::ALL;
    }
    let code = of_code(row, source);
    let targets = targets(&row.lora_targets).or(code.map(|code| code.targets));
    let rank = row.lora_rank.or(code.map(|code| code.rank));
    if rank.is_none() || targets.is_none() {
        notes.add(
            "adapters of rank 16 on all matrices where the row does not say them: memory hardly depends on either",
        );
    }
    let (rank, targets) = (rank.unwrap_or(16), targets.unwrap_or(Targets::AllLinear));
    if let Some(code) = code
        && (row.lora_rank.is_none() || row.lora_targets.is_empty())
    {
        notes.add(format!("adapters of rank {rank} as in {}", code.origin));
    }
    Trained {
        method: if has(&row.notes, &["dora"]) { Method::Dora } else { Method::Lora },
        rank,
        targets,
        dropout: code.is_some_and(|code| code.dropout),
        embeddings: has(&row.lora_targets, &["lm_head trainable"]),
        base: base(row, source, notes),
        products_keep: products_keep(row, source),
        ..Trained::ALL
    }
}

/// Returns the targets that a column names: of single matrices the nearest set.
fn targets(text: &str) -> Option<Targets> {
    let text = text.to_ascii_lowercase();
    let names = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if text.is_empty() {
        None
    } else if names(&["default"]) {
        // ms-swift 1.x: `c_attn`, or `qkv` (swift/llm/utils/model.py, `LoRATM`): the one matrix that makes all three.
        Some(Targets::QueryKeyValue)
    } else if names(&["all-linear", "all linear", "gate", "w1,w2", "mlp", "*"]) {
        Some(Targets::AllLinear)
    } else if text == "q,v" {
        Some(Targets::QueryValue)
    } else if names(&["o_proj", "c_proj", "linear_proj", "attention"]) {
        Some(Targets::Attention)
    } else if names(&["qkv", "c_attn", "k_proj"]) {
        Some(Targets::QueryKeyValue)
    } else {
        None
    }
}

/// Returns what the code of a source sets.
fn of_code(row: &Row, source: Source) -> Option<Set> {
    use Targets::{AllLinear, Attention, QueryKeyValue, QueryValue};
    let is_large = has(&row.model, &["70b"]);
    Some(match source {
        // recipes/configs/llama3_1 and llama3_2 (pytorch/torchtune bd2a0fc): `lora_attn_modules: [q_proj, v_proj, output_proj]`,
        // `apply_lora_to_mlp: True`; every matrix but the keys'.
        Source::Torchtune if is_large => set(16, AllLinear, false, "recipes/configs/llama3_1/70B_lora.yaml"),
        Source::Torchtune => set(8, AllLinear, false, "recipes/configs/llama3_1/8B_lora_single_device.yaml"),
        Source::TorchtuneFlags => set(64, AllLinear, false, "recipes/configs/llama3_2/3B_lora_single_device.yaml"),
        // recipes/configs/llama2 (pytorch/torchtune ca0a6de): `[q_proj, v_proj]`; with a quantized base all but the output.
        Source::TorchtuneEarly if row.trainable == "qlora" => {
            set(8, AllLinear, false, "recipes/configs/llama2/7B_qlora_single_device.yaml")
        }
        Source::TorchtuneEarly => set(8, QueryValue, false, "recipes/configs/llama2/7B_lora_single_device.yaml"),
        // finetune.py, `LoraArguments` (QwenLM/Qwen 2df8e8a): w1 and w2 are gate and up, c_proj the outputs of attention and MLP.
        Source::Qwen => set(64, AllLinear, true, "finetune.py, LoraArguments"),
        // swift/llm/utils/argument.py: `lora_dropout: float = 0.05` (1.x: `lora_dropout_p`).
        Source::SwiftBenchmark => set(8, QueryKeyValue, true, "swift/llm/utils/argument.py"),
        // The same in swift/arguments/tuner_args.py and swift/megatron/arguments/megatron_args.py (3602360).
        Source::SwiftExamples => set(8, AllLinear, true, "swift/arguments/tuner_args.py"),
        // train.py: `lora_rank = 64`, `lora_dropout = 0.1`; `all` is every matrix but attention's output
        // (AnswerDotAI/fsdp_qlora 05ed9f2).
        Source::FsdpQlora => set(64, AllLinear, true, "train.py"),
        // finetune/lora.py of 2023: r = 8, dropout 0.05, query and value.
        Source::LitTables => set(8, QueryValue, true, "finetune/lora.py"),
        // config_hub/finetune: Gemma and Phi have adapters everywhere, Phi of rank 8, Gemma of 8 (16 with a quantized base); the
        // others of rank 32 beside query and value (Lightning-AI/litgpt 2685705).
        Source::LitHub if has(&row.model, &["gemma"]) => {
            let rank = if row.trainable == "qlora" || has(&row.model, &["7b"]) { 16 } else { 8 };
            set(rank, AllLinear, true, "config_hub/finetune")
        }
        Source::LitHub if has(&row.model, &["phi"]) => set(8, AllLinear, true, "config_hub/finetune"),
        Source::LitHub => set(32, QueryValue, true, "config_hub/finetune"),
        // examples/causal_language_modeling/peft_lora_clm_accelerate_ds_zero3_offload.py: r = 8, dropout 0.1; BLOOM's default target
        // is query_key_value.
        Source::PeftReadme => set(8, QueryKeyValue, true, "examples/causal_language_modeling"),
        // docs/source/accelerate/fsdp.md: `--lora_dropout 0.1`.
        Source::PeftFsdp => set(8, AllLinear, true, "docs/source/accelerate/fsdp.md"),
        // method_comparison/MetaMathQA/experiments/lora/llama-3.2-3B-rank32: the default targets.
        Source::PeftMethods => set(32, QueryValue, false, "method_comparison/MetaMathQA"),
        // launcher_scripts/conf/peft/llama/squad.yaml of the launcher 24.07: `adapter_dim: 32`, `adapter_dropout: 0.0`; LoRA's
        // default target in NeMo is attention_qkv.
        Source::Nemo => set(32, QueryKeyValue, false, "conf/peft/llama/squad.yaml of NeMo's launcher"),
        // src/megatron/bridge/perf_recipes/llama (067f987): `target_modules = ["linear_qkv"]`; peft/lora.py: dim 32, dropout 0.
        Source::Bridge => set(32, QueryKeyValue, false, "src/megatron/bridge/perf_recipes/llama"),
        // examples/llm_benchmark/llama3_1/llama3_1_8b_peft_benchmark.yaml and others (36044ad): `*_proj`, dim 16; dropout 0.1 there
        // alone.
        Source::Automodel => {
            set(16, AllLinear, has(&row.model, &["llama3 8b"]), "examples/llm_benchmark/*_peft_benchmark.yaml")
        }
        // finetune/configs/lora.yaml: r 8, dropout 0.1, `[q_proj, k_proj, v_proj]`; LLaMA-Factory's default is `all`, r 8.
        Source::Glm if has(&row.framework, &["llama-factory"]) => set(8, AllLinear, false, "LLaMA-Factory's defaults"),
        Source::Glm => set(8, QueryKeyValue, true, "finetune/configs/lora.yaml"),
        // config_lora/llm_lora_config.yaml.
        Source::Universal => set(8, AllLinear, true, "config_lora/llm_lora_config.yaml"),
        // examples: `lora_dropout: 0.05`, and 0 in devstral-small-qlora.yml.
        Source::Axolotl => set(32, AllLinear, !has(&row.model, &["devstral"]), "examples"),
        // README: r = 32 on all matrices; its kernels need dropout 0.
        Source::Unsloth => set(32, AllLinear, false, "the README"),
        // conf/megatron_gpt_peft_tuning_config.yaml of NVIDIA's submission (training_results_v4.0): `adapter_dim: 16`,
        // `target_modules: ['attention']`, `adapter_dropout: 0.1`.
        Source::Mlperf => set(16, Attention, true, "megatron_gpt_peft_tuning_config.yaml"),
        // fsdp_llama2_entry.sh: `--lora_r 16 --lora_target_modules q_proj v_proj k_proj o_proj --lora_dropout 0.05`.
        Source::Atorch => set(16, Attention, true, "atorch/examples/llama2/fsdp_llama2_entry.sh"),
        // scripts/benchmarks/scenarios.yaml and its likes: `r: 16`, `lora_dropout: 0.1`, the four matrices of attention.
        Source::Fms => set(16, Attention, true, "scripts/benchmarks/scenarios.yaml"),
        // NeMo 2's recipes in performance mode (collections/llm/recipes/llama3_8b.py): `target_modules = ['linear_qkv']`, dim 8; dgxc's
        // ft_llama3/llama3_finetune.py sets the same.
        Source::Other if has(&row.framework, &["nemo", "bridge"]) => {
            set(8, QueryKeyValue, false, "NeMo's performance recipes")
        }
        Source::Xtuner | Source::Other => return None,
    })
}

/// Returns the format in which the frozen matrices are stored.
fn base(row: &Row, source: Source, notes: &mut Notes) -> BaseFormat {
    let mut text = row.quantized_base.to_ascii_lowercase();
    // People say it of the precision, of the model's name, or by the method alone.
    if text.is_empty() && has(&row.precision, &["bit base", "nf4"]) {
        text = row.precision.to_ascii_lowercase();
    } else if text.is_empty() && source == Source::Other && row.trainable == "qlora" {
        "nf4-dq".clone_into(&mut text);
    }
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if source == Source::Mlperf {
        // `fp8_params: ${FP8}` in the same file.
        BaseFormat::Fp8
    } else if has(&row.model, &["-awq"]) {
        BaseFormat::Int4
    } else if text.is_empty() {
        // prime-rl and llama-recipes load frozen weights in fp32 too (`optimization_dtype`; `from_pretrained` without a format).
        let wide = source == Source::Other && has(&row.framework, &["prime-rl", "llama-recipes"]);
        let said = has(&row.precision_detail, &["fp32 parameters", "fp32 weights", "frozen base in fp32"]);
        if row.precision == "fp32" || wide || said { BaseFormat::Fp32 } else { BaseFormat::Bf16 }
    } else if says(&["int8", "8-bit", "8bit"]) {
        BaseFormat::Int8
    } else if says(&["int4", "awq", "gptq"]) {
        BaseFormat::Int4
    } else if says(&["nf4-dq"]) {
        BaseFormat::Nf4Double
    } else if says(&["4-bit", "4bit", "nf4"]) {
        // torchtune's `NF4Tensor` quantizes its scales too; so do Axolotl (`bnb_4bit_use_double_quant` where a quantized base is
        // loaded), Unsloth's checkpoints, universal-llm-trainer (config_quant/bnb_4bit.yaml), ms-swift and PEFT's example.
        let single = matches!(source, Source::LitTables | Source::LitHub | Source::FsdpQlora);
        if single { BaseFormat::Nf4 } else { BaseFormat::Nf4Double }
    } else {
        notes.add(format!("a guess: a base in NF4 for `{}`", row.quantized_base));
        BaseFormat::Nf4Double
    }
}

/// Returns what products with the frozen matrices keep in the source's versions.
fn products_keep(row: &Row, source: Source) -> ProductsKeep {
    match source {
        // `AutoGPTQ` through transformers' `GPTQConfig(bits=4, disable_exllama=True)` (finetune.py).
        Source::Qwen => ProductsKeep::Matrices,
        // bitsandbytes before 0.43.2 of July 2024: `LitGPT`'s pyproject.toml has `bitsandbytes==0.42.0` until December 2024, the others are
        // of October 2023 to April 2024.
        Source::LitTables | Source::LitHub | Source::FsdpQlora | Source::PeftFsdp => ProductsKeep::Inputs,
        Source::SwiftBenchmark if has(&row.quantized_base, &["bnb"]) => ProductsKeep::Inputs,
        _ => ProductsKeep::Nothing,
    }
}

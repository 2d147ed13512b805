//! Number formats and kernels that a board lacks: what is computed, what is said, what to write.

use engine::model::software::AttentionKernel;
use engine::model::training::HalfFormat;
use engine::scenario::Scenario;
use files::run::{File, Run, lint, read_run};

const LORA: &str = "model_name_or_path: meta-llama/Llama-3.2-1B\nuse_peft: true\nlora_r: 16\nmax_length: 512\n\
                    per_device_train_batch_size: 1\ngradient_accumulation_steps: 8\ngradient_checkpointing: true\n";

fn on(gpu: &str, text: &str) -> Run {
    let scenario = links::decode_in_node(&format!("gpu={gpu}&gpus=1")).scenario;
    read_run(&[File::new("run.yaml", text)], &scenario).unwrap()
}

fn tokens_per_s(scenario: &Scenario) -> f64 {
    scenario.report().update.tokens_per_s_per_gpu
}

/// A T4 multiplies bf16 at 2.0 to 2.5 TFLOP/s and fp16 at 42 (`tests/one_gpu/boards.csv`). LoRA
/// with recomputation runs 8 FLOPs a token and frozen parameter: two forward passes and the
/// gradient of the input; of 1.24 billion, 2.3e12 / (6 x 1.24e9) = 310 tokens/s at most, in fp16
/// 5,600.
#[test]
fn bf16_on_a_board_without_it_is_slow_and_fp16_is_the_remedy() {
    for (gpu, least) in [("t4", 9.0), ("v100-32gb", 4.0), ("rtx-2080-ti", 3.0)] {
        let [bf16, fp16] = ["bf16: true\n", "fp16: true\n"].map(|key| on(gpu, &format!("{LORA}{key}")).scenario);
        assert_eq!([bf16.half, fp16.half], [HalfFormat::Bf16, HalfFormat::Fp16], "{gpu}");
        let times = tokens_per_s(&fp16) / tokens_per_s(&bf16);
        assert!(times > least && times < 20.0, "{gpu}: {times}");
        // In bf16 PyTorch's memory-efficient kernel does not run there either.
        assert_eq!(bf16.setup().kernels.attention, AttentionKernel::Unfused);
        assert_eq!(fp16.setup().kernels.attention, AttentionKernel::FlashFirst);
        let said: Vec<_> = engine::validate::issues(&bf16).into_iter().map(|issue| issue.message).collect();
        assert!(said.iter().any(|said| said.contains("no bf16 units") && said.contains("Choose fp16")), "{said:?}");
    }
    let in_bf16 = tokens_per_s(&on("t4", &format!("{LORA}bf16: true\n")).scenario);
    assert!((150.0..310.0).contains(&in_bf16), "{in_bf16}");
}

/// On a board with units for both, neither is said and both take the same time.
#[test]
fn on_a_board_with_bf16_the_format_changes_nothing() {
    let [bf16, fp16] = ["bf16: true\n", "fp16: true\n"].map(|key| on("l4", &format!("{LORA}{key}")).scenario);
    assert_eq!([bf16.half, fp16.half], [HalfFormat::OfGpu, HalfFormat::Fp16]);
    assert_eq!(tokens_per_s(&bf16), tokens_per_s(&fp16));
    assert!(engine::validate::issues(&bf16).is_empty());
}

#[test]
fn the_linter_writes_fp16_where_bf16_is_emulated() {
    let run = on("t4", &format!("{LORA}bf16: true\n"));
    let base = links::decode_in_node("gpu=t4&gpus=1").scenario;
    let files = [File::new("run.yaml", format!("{LORA}bf16: true\n"))];
    let found = lint(&run, &files, &base);
    let changes = found.iter().flat_map(|finding| &finding.fix);
    let to_fp16: Vec<_> = changes.filter(|change| change.key == "fp16").map(|change| change.to.as_str()).collect();
    assert!(to_fp16.contains(&"true"), "{found:?}");
    let run = on("l4", &format!("{LORA}bf16: true\n"));
    let base = links::decode_in_node("gpu=l4&gpus=1").scenario;
    let found = lint(&run, &files, &base);
    assert!(found.iter().all(|finding| finding.fix.iter().all(|change| change.key != "fp16")));
}

/// FlashAttention 2 needs Ampere, 3 needs Hopper, 4 Hopper or a B200: elsewhere the program stops.
#[test]
fn a_flash_attention_that_the_board_lacks_is_a_contradiction() {
    for (gpu, kernel, needs) in [
        ("t4", "flash_attention_2", "Ampere"),
        ("v100-32gb", "flash_attention_2", "Ampere"),
        ("t4", "flash_attention_3", "Hopper"),
        ("a100-80gb", "flash_attention_3", "Hopper"),
        ("rtx-4090", "flash_attention_3", "Hopper"),
        ("rtx-5090", "flash_attention_3", "Hopper"),
        ("b200", "flash_attention_3", "Hopper"),
        ("rtx-5090", "flash_attention_4", "B200"),
    ] {
        let run = on(gpu, &format!("{LORA}fp16: true\nattn_implementation: {kernel}\n"));
        let said = run.contradictions.iter().any(|said| said.contains(kernel) && said.contains(needs));
        assert!(said, "{gpu}, {kernel}: {:?}", run.contradictions);
    }
    for (gpu, kernel) in [
        ("a100-80gb", "flash_attention_2"),
        ("rtx-3090", "flash_attention_2"),
        ("h100-sxm", "flash_attention_3"),
        ("b200", "flash_attention_4"),
        ("t4", "sdpa"),
        ("mi300x", "flash_attention_2"),
    ] {
        let run = on(gpu, &format!("{LORA}fp16: true\nattn_implementation: {kernel}\n"));
        assert!(run.contradictions.is_empty(), "{gpu}, {kernel}: {:?}", run.contradictions);
    }
}

/// Products in 8 bits need Ada, Hopper, MI300 or Gaudi, in 4 bits Blackwell or MI350.
#[test]
fn formats_without_units_are_errors_and_those_with_units_are_not() {
    for (gpu, format, lacks) in [
        ("t4", "fp8", true),
        ("v100-32gb", "fp8", true),
        ("a100-80gb", "fp8", true),
        ("rtx-3090", "fp8", true),
        ("rx-7900-xtx", "fp8", true),
        ("rtx-4090", "fp8", false),
        ("l4", "fp8", false),
        ("gaudi-3", "fp8", false),
        ("mi300x", "fp8", false),
        ("h100-sxm", "fp4", true),
        ("mi300x", "fp4", true),
        ("b200", "fp4", false),
        ("mi355x", "fp4", false),
    ] {
        let scenario = links::decode_in_node(&format!("gpu={gpu}&gpus=8&model=llama-3-8b&compute={format}")).scenario;
        let said = engine::validate::issues(&scenario).iter().any(|issue| issue.message.contains("no units for"));
        assert_eq!(said, lacks, "{gpu}, {format}");
    }
}

//! Memory against PyTorch's own FSDP2 memory tracker (`tests/measured/fsdp2_memory.csv`): Hugging Face's Llama with bf16
//! parameters and fp32 reduction, forward and backward without the optimizer step, fake tensors, one row a run.

#![allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]

use shardwise::model::report::MemoryPart;
use shardwise::share::decode;

const ROWS: &str = include_str!("measured/fsdp2_memory.csv");

/// Predicted over tracked bytes less one, with whether activations are checkpointed.
fn errors() -> Vec<(bool, f64)> {
    let mut lines = ROWS.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines.map(|line| error(&header, line)).collect()
}

fn error(header: &[&str], line: &str) -> (bool, f64) {
    let fields: Vec<&str> = line.split(',').collect();
    let field = |name: &str| *fields.get(header.iter().position(|column| *column == name).unwrap()).unwrap();
    let whole = |name: &str| field(name).parse::<u32>().unwrap();
    let strategy = if field("reshard") == "True" { "full-shard" } else { "shard-grad-op" };
    let link = format!(
        "v=1&rev=2&cluster=dgx-h100&model=custom&layers={}&hidden={}&heads={}&kv={}&headdim={}&ffn={}&vocab={}&seq={}&mbs={}\
         &gpus={}&recompute={}&strategy={strategy}",
        field("layers"),
        field("hidden"),
        field("heads"),
        field("kv_heads"),
        whole("hidden") / whole("heads"),
        field("ffn"),
        field("vocab"),
        field("seq"),
        field("micro_batch"),
        field("gpus"),
        field("checkpoint"),
    );
    let decoded = decode(&link);
    assert!(decoded.issues.is_empty(), "{link}: {:?}", decoded.issues);
    assert_eq!(decoded.scenario.model.architecture().params().to_string(), field("params"));
    let memory = decoded.scenario.report().memory;
    // The tracked runs make no optimizer step and so hold no optimizer state.
    let predicted = memory.allocated - memory.parts.get(MemoryPart::Optimizer);
    let tracked: f64 = field("total_bytes").parse().unwrap();
    (field("checkpoint") == "full", predicted.get() / tracked - 1.0)
}

#[test]
fn peaks_agree_with_pytorchs_tracker() {
    let errors = errors();
    assert_eq!(errors.len(), 24);
    for &(checkpointed, error) in &errors {
        println!("{} {:+.1} %", if checkpointed { "full" } else { "none" }, 1e2 * error);
        // Hugging Face's norms keep an fp32 copy of their input, which the model's fused norms do not.
        let band = if checkpointed { -0.06..0.15 } else { -0.18..0.04 };
        assert!(band.contains(&error), "{error} outside {band:?}");
    }
    let mean = errors.iter().map(|(_, error)| error.abs()).sum::<f64>() / errors.len() as f64;
    assert!(mean < 0.09, "mean absolute error {mean}");
}

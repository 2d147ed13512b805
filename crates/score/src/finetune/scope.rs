//! Fine-tuning runs that the engine does not model, or of which a source says too little.

use super::source::Source;
use crate::LeftOut;
use crate::row::Row;
use crate::text::has;

/// Vision-language models of which neither the version nor the images of a sample are said (MiniCPM-V 2.5 or 2.6, of one to ten tiles).
const VISION: [&str; 1] = ["minicpm-v"];
/// Encoder-decoders, T5's kind.
const ENCODER_DECODERS: [&str; 2] = ["t0_3b", "mt0-"];

/// Checks a row about fine-tuning.
///
/// # Errors
///
/// The reason why the row is left out.
pub fn check(row: &Row) -> Result<(), LeftOut> {
    let Some(source) = Source::of(row) else { return Ok(()) };
    let left_out = |reason: &str| Err(LeftOut::because(reason));
    if has(&row.model, &VISION) && !row.is_case() {
        return left_out("the version of a vision-language model and its images are missing");
    }
    if has(&row.model, &ENCODER_DECODERS) {
        return left_out("not a decoder-only transformer");
    }
    if has(&row.trainable, &["ppo"]) {
        return left_out("several models at once (PPO): not modelled");
    }
    if row.trainable.starts_with("adapter") {
        return left_out("adapters other than LoRA (LLaMA-Adapter): not modelled");
    }
    if has(&row.notes, &["velora"]) {
        return left_out("adapters other than LoRA (VeLoRA): not modelled");
    }
    if loads_whole(row, source) && row.failed() {
        return left_out("the peak of loading the model, not of a step");
    }
    if has(&row.framework, &["miles"]) {
        return left_out("lengths of the generated samples are missing");
    }
    Ok(())
}

/// Whether a run loads the whole model on each GPU before it is sharded (`fabric.load_raw` in finetune/lora.py of 2023): its peak is that
/// of the model and a shard, 13.5 + 6.7 of the 22.2 GB that Llama 2 7B takes on two GPUs at any micro-batch.
pub fn loads_whole(row: &Row, source: Source) -> bool {
    source == Source::LitTables && has(&row.sharding, &["fsdp"])
}

/// Whether a run outside its README is of torchtune, whose one recipe for one GPU and everything trained is that.
pub fn is_torchtunes_own(row: &Row) -> bool {
    row.is_case() && has(&row.framework, &["torchtune"])
}

/// Whether the optimizer updates in the backward pass, as torchtune's configurations for one GPU do (`optimizer_in_bwd: True` in
/// recipes/configs/llama3_1/8B_full_single_device.yaml and llama2/7B_full_low_memory.yaml, with paged states).
pub fn is_in_backward(row: &Row, source: Source) -> bool {
    let single = row.trainable == "full" && row.num_gpus.is_none_or(|gpus| gpus == 1);
    has(&row.notes, &["optimizer in backward"])
        || single && (matches!(source, Source::Torchtune | Source::TorchtuneEarly) || is_torchtunes_own(row))
}

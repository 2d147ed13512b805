//! Gaudi: Intel's table of Gaudi 2, whose layout it does not state, and the figures that Optimum Habana's tests hold.

use super::say;
use crate::row::Row;
use crate::stack::Stack;
use crate::text::has;
use crate::{LeftOut, Notes};

/// Whether a row is of Intel's own table.
fn is_intels(row: &Row) -> bool {
    has(&row.location, &["intel.com"])
}

/// Returns the stack.
pub fn stack(row: &Row) -> Stack {
    if is_intels(row) {
        // HabanaAI/Megatron-LM, which the page's models link to.
        Stack::MegatronCore
    } else if has(&row.sharding, &["fsdp"]) {
        Stack::FsdpQlora
    } else if has(&row.model, &["lora"]) {
        Stack::Peft
    } else {
        Stack::DeepSpeed
    }
}

/// Degrees of tensor and pipeline parallelism and sequences a micro-batch of Intel's rows, by model. Not stated; the least that holds
/// the model on 96 GB with its optimizer, as HabanaAI's examples have them.
const LAYOUTS: [(&str, [u32; 3]); 4] =
    [("llama 2 7b", [1, 1, 1]), ("llama 2 13b", [2, 2, 1]), ("llama 2 70b", [8, 2, 1]), ("llama 3.1 70b", [8, 2, 1])];

/// Completes a row.
///
/// # Errors
///
/// A generation that is not in the catalog.
pub fn complete(row: &mut Row, notes: &mut Notes) -> Result<(), LeftOut> {
    if has(&row.gpu, &["gaudi 1"]) {
        return Err(LeftOut::because("the GPU is not in the catalog").about(&row.gpu));
    }
    if is_intels(row) {
        let known = LAYOUTS.iter().find(|(model, _)| has(&row.model, &[model]));
        if let (Some((_, [tp, pp, micro])), Some(gpus)) = (known, row.num_gpus) {
            (row.tp, row.pp, row.cp, row.micro_batch) = (Some(*tp), Some(*pp), Some(1), Some(*micro));
            row.dp = Some(gpus / (tp * pp));
            "ZeRO-1".clone_into(&mut row.sharding);
            notes.add("layout not stated: the least that holds the model, one sequence a micro-batch");
        }
    }
    say(&mut row.attention, "fused", "Habana's fused attention (`--use_flash_attention`)", notes);
    if has(&row.sharding, &["context parallel"]) {
        "DDP".clone_into(&mut row.sharding);
    }
    if has(&row.model, &["lora"]) {
        row.lora_rank = row.lora_rank.or(Some(8));
        if row.trainable.is_empty() {
            "lora".clone_into(&mut row.trainable);
        }
        // `--lora_target_modules "q_proj" "v_proj"` in the tests.
        if row.lora_targets.is_empty() {
            "q,v".clone_into(&mut row.lora_targets);
        }
    }
    Ok(())
}

//! What a row of a tuned model or of a person's run leaves blank and has one likely value: it is taken, said, and the row is read.
//!
//! Nothing here refuses a row. Rows of pretraining keep what they say, as their times hang on it.

pub mod batch;
pub mod degrees;
pub mod hardware;
pub mod host;
pub mod objective;
pub mod program;

use crate::Notes;
use crate::finetune::source::Source;
use crate::row::Row;
use crate::stack::Stack;
use crate::text::has;
use program::Program;

/// Returns a row with the likely values of what it leaves blank.
pub fn completed(mut row: Row, notes: &mut Notes) -> Row {
    batch::lengthen(&mut row, notes);
    if row.trainable.is_empty() && !row.is_case() {
        return row;
    }
    hardware::complete(&mut row, notes);
    batch::complete(&mut row, notes);
    let program = Program::of(&row);
    degrees::spread(&mut row, notes);
    // prime-rl wraps layers by FSDP on one GPU too (`setup_fsdp`): they are cast one by one.
    if program == Some(Program::PrimeRl) && (row.sharding.is_empty() || row.sharding == "none") {
        "FSDP".clone_into(&mut row.sharding);
    }
    let stack = Stack::of(&row);
    degrees::complete(&mut row, stack, program, notes);
    if Source::of(&row).is_none_or(|source| source == Source::Other) {
        checkpointing(&mut row, stack, program, notes);
    }
    row
}

/// Parameters from which a run on few machines recomputes whatever its program's default: what its layers keep does not fit beside
/// its state.
const LARGE: f64 = 30e9;
/// Tokens of a sequence from which tuned models' layers are recomputed.
const LONG: u32 = 16_384;
/// As many machines are few.
const FEW: u32 = 2;
const NODE: u32 = 8;

/// Completes the recomputation by the program's own default, or its examples'.
fn checkpointing(row: &mut Row, stack: Stack, program: Option<Program>, notes: &mut Notes) {
    if !row.act_ckpt.is_empty() && !row.is_case() {
        return;
    }
    // A person's words: every layer but its norms, layers in groups.
    if has(&row.act_ckpt, &["full", "yes", "unsloth"]) || row.act_ckpt == "on" {
        "full".clone_into(&mut row.act_ckpt);
    }
    if !row.act_ckpt.is_empty() || stack.is_megatron() || stack == Stack::Torchtitan {
        return;
    }
    let few = row.num_gpus.unwrap_or(1) <= FEW * NODE;
    let large = row.trainable == "full" && few && degrees::params(row, stack).is_some_and(|params| params >= LARGE);
    let long = row.seq_len.is_some_and(|length| length >= LONG);
    if program.is_some_and(|program| program.recomputes(row)) {
        "full".clone_into(&mut row.act_ckpt);
        notes.add("activation checkpointing assumed, as in the program's defaults and examples");
    } else if large || long {
        "full".clone_into(&mut row.act_ckpt);
        notes.add("a guess: activation checkpointing, as a run of this size and length needs it");
    }
}

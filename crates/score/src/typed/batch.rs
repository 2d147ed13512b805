//! The batch of a row: derives micro-batch, accumulation or global batch from the other two.

use super::model::has_experts;
use super::stack::Stack;
use crate::row::Row;
use crate::{LeftOut, Notes};
use engine::model::training::Batch;

/// Returns the batch of a row on `dp` data-parallel GPUs and `pp` pipeline stages.
///
/// # Errors
///
/// Returns the name of the missing column, or an error if the batch does not divide evenly.
pub(super) fn batch(row: &Row, stack: Stack, dp: u32, pp: u32, notes: &mut Notes) -> Result<Batch, LeftOut> {
    let seq_len = row.seq_len.ok_or_else(|| LeftOut::missing("seq_len"))?;
    let global = row.global_batch.or_else(|| {
        let sequences = row.global_batch_tokens? / f64::from(seq_len);
        (sequences.fract().abs() < 1e-6).then_some(sequences as u32)
    });
    let replica = global.map(|global| f64::from(global) / f64::from(dp.max(1)));
    let (micro, accum) = match (row.micro_batch, row.grad_accum, replica) {
        (Some(micro), Some(accum), _) => (micro, accum),
        (Some(micro), None, Some(replica)) => (micro, steps(replica, micro)?),
        (None, Some(accum), Some(replica)) => (whole(replica / f64::from(accum))?, accum),
        (None, None, Some(1.0)) => (1, 1),
        (None, None, Some(replica)) if stack == Stack::Torchtitan && pp > 1 => {
            notes.add("as many micro-batches as pipeline stages assumed, torchtitan's default");
            (whole(replica / f64::from(pp))?, pp)
        }
        (Some(micro), None, None) if pp == 1 => {
            notes.add("one micro-batch a step assumed, as the row has no global batch");
            (micro, 1)
        }
        (None, None, Some(replica)) if has_experts(row) && stack.is_megatron() && pp > 1 => {
            notes.add("micro-batches of one sequence assumed, as in Megatron's pipelines of mixtures");
            (1, steps(replica, 1)?)
        }
        (Some(_), None, None) => return Err(LeftOut::missing("global_batch_seqs")),
        (None, _, _) => return Err(LeftOut::missing("micro_batch_seqs")),
    };
    Ok(Batch { seq_len, micro_batch_size: micro, grad_accum_steps: accum })
}

/// Returns the number of micro-batches for a replica's sequences; the last micro-batch may be
/// smaller.
fn steps(replica: f64, micro: u32) -> Result<u32, LeftOut> {
    let steps = (replica / f64::from(micro)).ceil();
    if steps >= 1.0 { Ok(steps as u32) } else { whole(replica) }
}

fn whole(number: f64) -> Result<u32, LeftOut> {
    let whole = number.round();
    if whole >= 1.0 && (number - whole).abs() < 1e-3 * number {
        Ok(whole as u32)
    } else {
        Err(LeftOut::because("the batch does not divide over the data-parallel GPUs"))
    }
}

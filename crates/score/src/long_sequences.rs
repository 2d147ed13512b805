//! `NeMo`'s tables of long sequences, which print degrees and FLOP/s and neither batch nor replicas (github NVIDIA/NeMo
//! docs/source/performance/performance_long_sequence.md).

use std::borrow::Cow;

use super::Notes;
use super::row::Row;
use super::text::has;

/// Tokens of a step: the edition of container 25.04 prints batches of 512 sequences of 8K down to 4 of 1M.
const TOKENS: u32 = 1 << 22;

/// Returns a line of the tables with its batch and its replicas.
pub fn completed<'a>(row: Cow<'a, Row>, notes: &mut Notes) -> Cow<'a, Row> {
    let is_of_table = has(&row.source, &["long-sequence"]);
    let (Some(gpus), Some(seq_len), Some(tp), Some(pp), Some(cp)) = (row.num_gpus, row.seq_len, row.tp, row.pp, row.cp)
    else {
        return row;
    };
    let blank = row.global_batch.is_none() && row.global_batch_tokens.is_none() && row.micro_batch.is_none();
    if !is_of_table || !blank {
        return row;
    }
    let replicas = [tp, pp, cp].iter().try_fold(gpus, |left, degree| left.checked_div(*degree));
    notes.add("4M tokens a step as in the table of container 25.04, one sequence a micro-batch, and as many replicas as fill the GPUs");
    Cow::Owned(Row {
        dp: row.dp.or(replicas),
        micro_batch: Some(1),
        global_batch: TOKENS.checked_div(seq_len),
        ..row.into_owned()
    })
}

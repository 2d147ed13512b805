//! How a row's pipeline runs.

use crate::row::Row;
use crate::stack::Stack;
use crate::text::{has, option};
use crate::{LeftOut, Notes};
use engine::model::parallel::{Pipeline, Schedule};

/// Chunks of an interleaved schedule in torchtitan where nothing sets them (`stages_per_rank = 2` of schedules with several stages a
/// rank, torchtitan/distributed/pipeline_parallel.py), and the fewest that there are.
const CHUNKS: u32 = 2;

/// Returns the pipeline of a row of so many stages.
///
/// # Errors
///
/// Megatron's interleaved schedule without its chunks, on which its bubble hangs.
pub(super) fn pipeline(row: &Row, stack: Stack, stages: u32, notes: &mut Notes) -> Result<Pipeline, LeftOut> {
    let chunks = row.vpp.filter(|chunks| *chunks > 1);
    let words = format!("{} {} {}", row.notes, row.framework, row.sharding);
    let interleaved =
        has(&words, &["interleaved 1f1b", "interleaved schedule", "interleaved pipeline", "interleaved1f1b"])
            && !has(&words, &["non-interleaved", "not interleaved"]);
    let schedule = if has(&row.notes, &["zero bubble", "zero-bubble", "zbv"]) {
        Schedule::ZeroBubble
    } else if has(&row.notes, &["gpipe"]) {
        Schedule::GPipe
    } else if chunks.is_some() || interleaved {
        Schedule::Interleaved
    } else {
        Schedule::OneForwardOneBackward
    };
    if schedule == Schedule::Interleaved && chunks.is_none() && stages > 1 {
        if stack.is_megatron() && !row.is_case() {
            return Err(LeftOut::missing("vpp"));
        }
        notes.add(format!("{CHUNKS} chunks a stage assumed, as the interleaved schedule names none"));
    }
    let set = |name: &str| option(&row.notes, name).unwrap_or(0);
    Ok(Pipeline {
        schedule,
        virtual_stages: chunks.unwrap_or(CHUNKS),
        first_stage_layers: set("decoder-first-pipeline-num-layers="),
        last_stage_layers: set("decoder-last-pipeline-num-layers="),
    })
}

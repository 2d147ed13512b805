//! Exchanges and products of one layer in chunks, beside each other (Tutel's pipelining, arXiv 2206.03382, section 3.2).

use crate::units::Seconds;

/// Time of a dispatch, the experts' products and a combine in d `chunks` on two lanes, one for exchanges and one for products:
/// `2 A + C` in one chunk, else `max(2 A s, 2 A/d + C)`.
///
/// `one_way` A is the time of all d messages of the dispatch, and as much of the combine; `compute` C that of all chunks of the
/// products; s >= 1 is by how much exchanges slow down beside products. The lane of exchanges sends all chunks before it
/// takes any back, so it waits for no product from the second chunk on; the lane of products waits for its first chunk, and its
/// last one is still to be sent back.
///
/// ```
/// # use shardwise::model::experts::overlap::pipelined;
/// # use shardwise::units::Seconds;
/// // Tutel, Table 2 at 64 GPUs: 323.8 ms of exchanges and 375.1 ms of compute, 698.9 ms in turn; hidden in full, 1.86 times
/// // as fast.
/// let (one_way, compute) = (Seconds::from_ms(161.9), Seconds::from_ms(375.1));
/// assert!((pipelined(one_way, compute, 1, 1.0).ms() - 698.9).abs() < 0.1);
/// assert!(pipelined(one_way, compute, 8, 1.0).ms() > 698.9 / 1.86);
/// ```
pub fn pipelined(one_way: Seconds, compute: Seconds, chunks: u32, slowdown: f64) -> Seconds {
    let exchanges = WAYS * one_way;
    if chunks <= 1 {
        return exchanges + compute;
    }
    (slowdown * exchanges).max(exchanges / f64::from(chunks) + compute)
}

/// Dispatch and combine.
const WAYS: f64 = 2.0;

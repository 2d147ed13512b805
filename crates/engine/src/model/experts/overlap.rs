//! Overlap of exchanges and products of one layer in chunks (Tutel's pipelining, arXiv 2206.03382,
//! section 3.2).

use crate::units::Seconds;

/// Returns the time of a dispatch, the experts' products and a combine in d `chunks` on two lanes,
/// one for exchanges and one for products: `2 A + C` in one chunk, otherwise `max(2 A s, 2 A/d +
/// C)`.
///
/// `one_way` A is the time of all d messages of the dispatch, and also of the combine; `compute` C
/// is the time of all chunks of the products; s >= 1 is the slowdown of exchanges that overlap with
/// products. The lane of exchanges sends all dispatch chunks before any combine chunk, so from the
/// second chunk on it is never idle for a product. The lane of products idles during the first
/// dispatch chunk, and the last combine chunk follows it.
///
/// ```
/// # use engine::model::experts::overlap::pipelined;
/// # use engine::units::Seconds;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates the two lanes chunk by chunk: dispatches first, in order; a product once its chunk
    /// has arrived; combines in order, each once its product is done.
    fn played(one_way: f64, compute: f64, chunks: u32) -> f64 {
        let (message, product) = (one_way / f64::from(chunks), compute / f64::from(chunks));
        let sent = |chunk: u32| f64::from(chunk + 1) * message;
        let (mut products, mut exchanges) = (0.0_f64, sent(chunks - 1));
        for chunk in 0..chunks {
            products = products.max(sent(chunk)) + product;
            exchanges = exchanges.max(products) + message;
        }
        exchanges
    }

    #[test]
    fn the_formula_is_what_two_lanes_take() {
        for chunks in [1, 2, 4, 8] {
            for compute in [0.0, 0.3, 1.0, 1.7, 2.0, 5.0] {
                let formula = pipelined(Seconds::new(1.0), Seconds::new(compute), chunks, 1.0).get();
                let lanes = played(1.0, compute, chunks);
                assert!((formula - lanes).abs() < 1e-12, "{chunks} {compute}: {formula} {lanes}");
            }
        }
    }
}

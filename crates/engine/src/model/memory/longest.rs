//! Additional memory for the longest batch of texts of varying length.

use super::peak;
use crate::model::lengths::Lengths;
use crate::model::setup::Setup;
use crate::model::stages::stages;
use crate::model::training::Batch;
use crate::units::Bytes;

/// Returns the memory that the longest batch of an epoch needs beyond a typical batch, as a run may
/// need it only after its first steps. `M(longest) - M(typical)`, with the peak M of a step
/// (docs/book/model/peak.md); 0 if all sequences have equal length.
///
/// The typical length is the mean length of the sequences that a step synchronises on
/// ([`Lengths`]): padded batches on many GPUs are longer than one text, as the longest sequence
/// counts.
///
/// ```
/// # use links::decode;
/// # use engine::model::memory::beyond_typical;
/// let gib = |texts: &str| {
///     let link = "cluster=dgx-h100&model=llama-3.1-8b&gpus=8&mbs=1&train=lora&recompute=full";
///     beyond_typical(&decode(&format!("{link}{texts}")).scenario.setup()).gib()
/// };
/// // Texts of 512 tokens on average in batches of like length, the longest 8,192: 7,680 tokens more,
/// // 2 bytes of 4,096 channels for each of 32 layers (1.88 GiB) and 12 bytes of 128,256 logits
/// // (11.0 GiB), and what one layer works with.
/// let grouped = gib("&seq=8192&meanlen=512&texts=grouped");
/// assert!((12.8..15.0).contains(&grouped), "{grouped}");
/// // Full sequences, and texts that are padded to the longest, all have one length.
/// assert_eq!([gib("&seq=8192"), gib("&seq=8192&meanlen=512&texts=padmax")], [0.0, 0.0]);
/// // It grows with the longest text.
/// assert!(gib("&seq=16384&meanlen=512&texts=grouped") > grouped);
/// ```
pub fn beyond_typical(setup: &Setup) -> Bytes {
    let Lengths::OfTexts { .. } = setup.lengths else { return Bytes::ZERO };
    let longest = setup.at_longest();
    // Lengths still vary, so that both setups include the allocator's loss from varying lengths.
    let typical = Setup { batch: Batch { seq_len: setup.batch.seq_len, ..longest.batch }, ..longest };
    let stages = stages(setup);
    let [most, usual] = [&longest, &typical].map(|setup| peak(setup, &stages).needed);
    (most - usual).max(Bytes::ZERO)
}

//! Requests and frees in any order: blocks fill their segments without gap or overlap, and segments
//! are whole once all is freed.

#[path = "../../crates/trace/tests/suite/allocator_play.rs"]
mod allocator_play;

use allocator_play::{Player, Style};
use trace::allocator::{Allocator, Segments};

/// Fixed segments that the device's memory bounds: few requests of up to 256 MiB exceed it.
const CAPACITY: u64 = 1 << 30;

/// Plays the bytes as requests and frees, and checks the allocator after each.
///
/// # Panics
/// When a check fails.
pub fn check(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    let allocator = match kind % 3 {
        0 => Allocator::new(Segments::Fixed),
        1 => Allocator::new(Segments::Expandable),
        _ => Allocator::within(CAPACITY),
    };
    let mut player = Player::new(allocator, Style { limit: 64, frees: 6, mask: 0xFFFFF });
    let mut peaks = (0, 0);
    for word in rest.chunks_exact(4) {
        let [a, b, c, d] = word else { continue };
        player.play(u32::from_le_bytes([*a, *b, *c, *d]));
        player.check();
        let allocator = &player.allocator;
        peaks = (peaks.0.max(allocator.reserved()), peaks.1.max(allocator.allocated()));
        assert_eq!((allocator.peak_reserved(), allocator.peak_allocated()), peaks);
    }
    player.free_all();
    player.check();
    player.check_empty();
}

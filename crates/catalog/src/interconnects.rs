//! Interconnects: the nominal rate of one GPU in one direction, the latency per hop, and the
//! fraction that large collectives reach. Rows of `data/interconnects.toml`.

use super::InterconnectEntry;
use engine::units::{BytesPerSecond, Seconds};

/// Passes of an all-reduce in a ring.
const RING: f64 = 2.0;

/// Every interconnect of the catalog: inside nodes first, then between them.
pub const INTERCONNECTS: &[InterconnectEntry] = &ALL;

include!(concat!(env!("OUT_DIR"), "/interconnects.rs"));

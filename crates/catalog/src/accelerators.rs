//! Accelerators, from their data sheets: dense peaks only, never sparse ones. Rows of
//! `data/accelerators.toml` and `data/silicon.toml`.

pub mod efficiency;
pub mod prices;

use super::AcceleratorEntry;
use super::Price;
use engine::model::hardware::Accelerator;
use engine::units::{Bytes, BytesPerSecond, FlopsPerSecond};

/// Every accelerator of the catalog.
pub const ACCELERATORS: &[AcceleratorEntry] = &ALL;

include!(concat!(env!("OUT_DIR"), "/accelerators.rs"));

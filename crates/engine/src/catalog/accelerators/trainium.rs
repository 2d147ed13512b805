//! AWS's Trainium: degrees of parallelism count its cores, and so does the catalog.

use super::efficiency::TRAINIUM;
use super::{PCIE_4, entry, sheet};
use crate::catalog::AcceleratorEntry;

/// The list.
pub const LIST: &[AcceleratorEntry] = &[entry(
    "trainium-1",
    "Trainium 1 (one of two NeuronCores)",
    sheet([16.0, 16.0], 410.0, [95.0, 95.0, 95.0, 23.75], PCIE_4, 150.0, TRAINIUM),
    "AWS Neuron documentation, Trainium architecture, halved; host link and power not published: assumed",
)];

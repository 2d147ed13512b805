//! AWS's Trainium: degrees of parallelism count its cores, and so does the catalog. Trainium 2 and 3 join two of a chip's eight cores to
//! a logical one by default.

use super::efficiency::TRAINIUM;
use super::{PCIE_4, PCIE_5, entry, sheet};
use crate::catalog::AcceleratorEntry;

/// The list.
pub const LIST: &[AcceleratorEntry] = &[
    entry(
        "trainium-1",
        "Trainium 1 (one of two NeuronCores)",
        sheet([16.0, 16.0], 410.0, [95.0, 95.0, 95.0, 23.75], PCIE_4, 150.0, TRAINIUM),
        "AWS Neuron documentation, Trainium architecture, halved; host link and power not published: assumed",
    ),
    entry(
        "trainium-2",
        "Trainium 2 (one of four logical NeuronCores)",
        sheet([24.0, 24.0], 725.0, [166.75, 324.75, 324.75, 45.25], PCIE_5, 125.0, TRAINIUM),
        "AWS Neuron documentation, Trainium2 architecture, a quarter; host link and power not published: assumed",
    ),
    entry(
        "trainium-3",
        "Trainium 3 (one of four logical NeuronCores)",
        sheet([36.0, 36.0], 1225.0, [167.75, 629.25, 629.25, 45.75], PCIE_5, 250.0, TRAINIUM),
        "AWS Neuron documentation, Trainium3 architecture, a quarter (8 bits are MXFP8); host link and power not published: assumed",
    ),
];

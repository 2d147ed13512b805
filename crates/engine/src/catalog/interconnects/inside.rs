//! Interconnects inside a node.

use super::{
    FABRIC, ICI, ICI_HOP, NEURONLINK, NVLINK, NVLINK_3, NVLINK_4, NVLINK_HOP, PCIE, PCIE_BY_HOST, PCIE_HOP, XGMI,
    intra, on_torus, reducing,
};
use crate::catalog::InterconnectEntry;

/// The list.
pub const LIST: &[InterconnectEntry] = &[
    intra(
        "nvlink2",
        "NVLink 2 (V100)",
        150.0,
        (NVLINK_HOP, NVLINK),
        "NVIDIA V100 data sheet: 6 links, 300 GB/s both ways",
    ),
    NVLINK_3,
    intra(
        "nvlink3-a800",
        "NVLink 3 (A800)",
        200.0,
        (NVLINK_HOP, NVLINK),
        "NVIDIA A800 data sheet: 8 links, 400 GB/s both ways",
    ),
    reducing(intra(
        "nvlink4",
        "NVLink 4 (H100, H200)",
        450.0,
        (NVLINK_HOP, NVLINK_4),
        "NVIDIA H100 data sheet: 18 links, 900 GB/s both ways",
    )),
    reducing(intra(
        "nvlink4-h800",
        "NVLink 4 (H800)",
        200.0,
        (NVLINK_HOP, NVLINK_4),
        "MegaScale-MoE (arXiv 2505.11432, Table 4): 400 GB/s both ways",
    )),
    reducing(intra(
        "nvlink5",
        "NVLink 5 (B200)",
        900.0,
        (NVLINK_HOP, NVLINK_4),
        "NVIDIA Blackwell data sheet: 18 links, 1.8 TB/s both ways",
    )),
    intra(
        "xgmi-mi250x",
        "Infinity Fabric (MI250X die)",
        150.0,
        (NVLINK_HOP, XGMI),
        "ROCm MI250 architecture: three links of 50 GB/s between a die and other modules",
    ),
    intra(
        "xgmi-mi300x",
        "Infinity Fabric (MI300X)",
        448.0,
        (NVLINK_HOP, XGMI),
        "AMD Instinct MI300X platform data sheet: 7 links of 128 GB/s both ways",
    ),
    intra(
        "xgmi-mi350x",
        "Infinity Fabric (MI350X)",
        537.6,
        (NVLINK_HOP, XGMI),
        "AMD Instinct MI350X platform data sheet: 7 links of 153.6 GB/s both ways",
    ),
    intra(
        "gaudi-2-roce",
        "RoCE (Gaudi 2)",
        262.5,
        (PCIE_HOP, FABRIC),
        "Intel Gaudi network documentation: 21 ports of 100 Gbit/s",
    ),
    intra(
        "gaudi-3-roce",
        "RoCE (Gaudi 3)",
        525.0,
        (PCIE_HOP, FABRIC),
        "Intel Gaudi network documentation: 21 ports of 200 Gbit/s",
    ),
    on_torus(
        3,
        intra(
            "ici-v4",
            "ICI (TPU v4)",
            300.0,
            (ICI_HOP, ICI),
            "Cloud TPU v4 documentation: six links of 50 GB/s a direction, 3D torus",
        ),
    ),
    on_torus(
        2,
        intra(
            "ici-v5e",
            "ICI (TPU v5e)",
            200.0,
            (ICI_HOP, ICI),
            "Cloud TPU v5e documentation: 400 GB/s both ways, 2D torus",
        ),
    ),
    on_torus(
        3,
        intra("ici-v5p", "ICI (TPU v5p)", 600.0, (ICI_HOP, ICI), "Cloud TPU v5p documentation: 4,800 Gbit/s, 3D torus"),
    ),
    on_torus(
        2,
        intra(
            "ici-v6e",
            "ICI (TPU v6e)",
            400.0,
            (ICI_HOP, ICI),
            "Cloud TPU v6e documentation: 800 GB/s both ways, 2D torus",
        ),
    ),
    on_torus(
        3,
        intra(
            "ici-7x",
            "ICI (TPU7x)",
            600.0,
            (ICI_HOP, ICI),
            "Cloud TPU7x documentation: 1,200 GB/s both ways, 3D torus",
        ),
    ),
    intra(
        "neuronlink-2",
        "NeuronLink 2 (NeuronCore of Trainium 1)",
        96.0,
        (PCIE_HOP, NEURONLINK),
        "AWS Trn1 architecture: 384 GB/s a chip of two cores, both ways",
    ),
    intra("pcie3-x16", "PCIe 3.0 x16", 15.75, (PCIE_HOP, PCIE), "PCI Express 3.0: 16 lanes at 8 GT/s, 128b/130b"),
    intra("pcie4-x16", "PCIe 4.0 x16", 31.5, (PCIE_HOP, PCIE), "PCI Express 4.0: 16 lanes at 16 GT/s, 128b/130b"),
    intra(
        "pcie4-x16-host",
        "PCIe 4.0 x16 through host memory",
        31.5,
        (PCIE_HOP, PCIE_BY_HOST),
        "PCI Express 4.0: 16 lanes at 16 GT/s, 128b/130b; no access from GPU to GPU",
    ),
    intra("pcie5-x16", "PCIe 5.0 x16", 63.0, (PCIE_HOP, PCIE), "PCI Express 5.0: 16 lanes at 32 GT/s, 128b/130b"),
];

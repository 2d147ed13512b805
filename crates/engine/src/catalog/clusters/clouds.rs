//! Instances rented out by clouds.

use super::{
    A100_40GB_BY_8, A100_80GB_BY_8, B200_BY_8, B300_BY_8, GB200_BY_72, GB300_BY_72, H100_BY_8, H200_BY_8, MI300X_BY_8,
    entry,
};
use crate::catalog::ClusterEntry;

/// The list.
pub const LIST: &[ClusterEntry] = &[
    entry("p4d", "AWS p4d.24xlarge", A100_40GB_BY_8, "efa-p4d", "AWS EC2 P4: 400 Gbit/s"),
    entry("p4de", "AWS p4de.24xlarge", A100_80GB_BY_8, "efa-p4d", "AWS EC2 P4: 400 Gbit/s"),
    entry("p5", "AWS p5.48xlarge", H100_BY_8, "efa-p5", "AWS EC2 P5: 3200 Gbit/s"),
    entry("p5e", "AWS p5e.48xlarge", H200_BY_8, "efa-p5", "AWS EC2 P5: 3200 Gbit/s"),
    entry("p5en", "AWS p5en.48xlarge", H200_BY_8, "efa-p5", "AWS EC2 P5: 3200 Gbit/s (EFA v3)"),
    entry("p6-b200", "AWS p6-b200.48xlarge", B200_BY_8, "efa-p6", "AWS EC2 P6: 3200 Gbit/s"),
    entry("p6-b300", "AWS p6-b300.48xlarge", B300_BY_8, "efa-p6-b300", "AWS EC2 P6: 6400 Gbit/s"),
    entry("p6e-gb200", "AWS p6e-gb200 UltraServer", GB200_BY_72, "efa-p6", "AWS EC2 P6e: 28.8 Tbit/s for 72"),
    entry("g5", "AWS g5.48xlarge", ("a10g", 8, "pcie4-x16"), "ethernet-100-of-8", "AWS EC2 G5: 100 Gbit/s"),
    entry("azure-nd-a100-v4", "Azure ND A100 v4", A100_40GB_BY_8, "ib-200", "Azure ND A100 v4: 200 Gbit/s HDR a GPU"),
    entry(
        "azure-ndm-a100-v4",
        "Azure NDm A100 v4",
        A100_80GB_BY_8,
        "ib-200",
        "Azure NDm A100 v4: 200 Gbit/s HDR a GPU",
    ),
    entry("azure-nd-h100-v5", "Azure ND H100 v5", H100_BY_8, "ib-400", "Azure ND H100 v5: 400 Gbit/s NDR a GPU"),
    entry("azure-nd-h200-v5", "Azure ND H200 v5", H200_BY_8, "ib-400", "Azure ND H200 v5: 400 Gbit/s NDR a GPU"),
    entry("azure-nd-mi300x-v5", "Azure ND MI300X v5", MI300X_BY_8, "ib-400", "Azure ND MI300X v5: 8x400 Gbit/s NDR"),
    entry("azure-nd-gb200-v6", "Azure ND GB200 v6", GB200_BY_72, "ib-400", "Azure ND GB200 v6: 400 Gbit/s NDR a GPU"),
    entry("gcp-a2-high", "Google Cloud A2 High", A100_40GB_BY_8, "ethernet-100-of-8", "Google Cloud A2: 100 Gbit/s"),
    entry("gcp-a2-ultra", "Google Cloud A2 Ultra", A100_80GB_BY_8, "ethernet-100-of-8", "Google Cloud A2: 100 Gbit/s"),
    entry(
        "gcp-a3-high",
        "Google Cloud A3 High",
        H100_BY_8,
        "gpudirect-tcpx",
        "Google Cloud A3 High: 800 Gbit/s for GPUs",
    ),
    entry(
        "gcp-a3-mega",
        "Google Cloud A3 Mega",
        H100_BY_8,
        "gpudirect-tcpxo",
        "Google Cloud A3 Mega: 1600 Gbit/s for GPUs",
    ),
    entry(
        "gcp-a3-ultra",
        "Google Cloud A3 Ultra",
        H200_BY_8,
        "roce-400",
        "Google Cloud A3 Ultra: eight ConnectX-7, RoCE",
    ),
    entry("gcp-a4", "Google Cloud A4", B200_BY_8, "roce-400", "Google Cloud A4: eight ConnectX-7, RoCE"),
    entry(
        "gcp-a4x",
        "Google Cloud A4X",
        GB200_BY_72,
        "roce-400",
        "Google Cloud A4X: four ConnectX-7 a tray of four, RoCE",
    ),
    entry(
        "gcp-a4x-max",
        "Google Cloud A4X Max",
        GB300_BY_72,
        "roce-800",
        "Google Cloud A4X Max: four ConnectX-8 a tray of four, RoCE",
    ),
    entry(
        "oci-a100",
        "OCI BM.GPU.A100-v2.8",
        A100_80GB_BY_8,
        "roce-200",
        "OCI compute shapes: 1600 Gbit/s RoCE; not verified",
    ),
    entry("oci-h100", "OCI BM.GPU.H100.8", H100_BY_8, "roce-400", "OCI compute shapes: 3200 Gbit/s RoCE; not verified"),
    entry(
        "lambda-1cc-h100",
        "Lambda 1-Click Cluster, H100",
        H100_BY_8,
        "ib-400",
        "Lambda 1-Click Clusters: 3200 Gbit/s InfiniBand; not verified",
    ),
];

//! Machines of laboratories and companies, and single servers.

use super::{A100_40GB_BY_4, A100_40GB_BY_8, A100_80GB_BY_8, MI250X_BY_8, RTX_4090_BY_8, V100_BY_4, entry};
use crate::catalog::ClusterEntry;

/// The list.
pub const LIST: &[ClusterEntry] = &[
    entry(
        "selene",
        "Selene",
        A100_80GB_BY_8,
        "ib-200",
        "Narayanan et al. 2021 (arXiv 2104.04473), section 5: eight HDR200 cards a node",
    ),
    entry(
        "grand-teton",
        "Meta Grand Teton, H100 96 GB",
        ("h100-96gb", 8, "nvlink4"),
        "roce-400",
        "torchtitan benchmarks/llama3_h100_202412: 400 Gbit/s a GPU",
    ),
    entry(
        "fsdp-a100",
        "A100 80 GB x8, 2 Tbit/s",
        A100_80GB_BY_8,
        "roce-250",
        "PyTorch FSDP (arXiv 2304.11277), section 5.1",
    ),
    entry(
        "internlm-a100",
        "InternLM A100",
        A100_80GB_BY_8,
        "roce-50",
        "InternLM's training report: four cards of 100 Gbit/s a node",
    ),
    entry("atorch-a100", "ATorch A100", A100_80GB_BY_8, "roce-100", "ATorch's Llama 2 README: 800 Gbit/s a node"),
    entry(
        "edr-v100",
        "V100 16 GB x8, 100 Gbit/s a node",
        ("v100-16gb", 8, "nvlink2"),
        "ib-12.5",
        "OneFlow DLPerf: one EDR card a node",
    ),
    entry(
        "mosaicml-a100-40",
        "MosaicML A100 40 GB",
        A100_40GB_BY_8,
        "roce-200",
        "llm-foundry's benchmark tables: 1600 Gbit/s a node",
    ),
    entry(
        "mosaicml-a100-80",
        "MosaicML A100 80 GB",
        A100_80GB_BY_8,
        "roce-200",
        "llm-foundry's benchmark tables: 1600 Gbit/s a node",
    ),
    entry(
        "juwels-booster",
        "JUWELS Booster",
        A100_40GB_BY_4,
        "ib-200",
        "JUWELS user documentation: four A100 40 GB, four HDR200 cards a node",
    ),
    entry(
        "leonardo-booster",
        "Leonardo Booster",
        ("a100-64gb", 4, "nvlink3"),
        "ib-100",
        "CINECA: two dual-port HDR100 cards, 400 Gbit/s a node",
    ),
    entry(
        "marenostrum-5",
        "MareNostrum 5 ACC",
        ("h100-64gb", 4, "nvlink4"),
        "ib-200",
        "BSC's MareNostrum 5 documentation: four NDR200 cards a node; cards not verified",
    ),
    entry(
        "jupiter-booster",
        "JUPITER Booster",
        ("gh200-96gb", 4, "nvlink4"),
        "ib-200",
        "JUPITER configuration (JSC): four NDR200 cards a node",
    ),
    entry(
        "alps",
        "Alps",
        ("gh200-96gb", 4, "nvlink4"),
        "slingshot-200",
        "CSCS Alps documentation: four Slingshot 11 cards a node",
    ),
    entry(
        "lumi-g",
        "LUMI-G",
        MI250X_BY_8,
        "slingshot-100",
        "LUMI documentation: four Slingshot 11 cards for eight dies",
    ),
    entry(
        "frontier",
        "Frontier",
        MI250X_BY_8,
        "slingshot-100",
        "OLCF Frontier user guide: four Slingshot 11 cards for eight dies",
    ),
    entry(
        "perlmutter",
        "Perlmutter",
        A100_40GB_BY_4,
        "slingshot-200",
        "NERSC Perlmutter architecture: four Slingshot 11 cards a node",
    ),
    entry(
        "jean-zay-v100",
        "Jean Zay V100",
        V100_BY_4,
        "opa-100",
        "IDRIS Jean Zay documentation: four Omni-Path 100 links a node",
    ),
    entry(
        "jean-zay-v100-16gb",
        "Jean Zay V100 16 GB",
        ("v100-16gb", 4, "nvlink2"),
        "opa-100",
        "IDRIS Jean Zay documentation: four Omni-Path 100 links a node",
    ),
    entry(
        "jean-zay-a100",
        "Jean Zay A100",
        A100_80GB_BY_8,
        "opa-50",
        "BigScience tr11 README: four Omni-Path links a node",
    ),
];

/// Single machines.
pub(super) const SERVERS: &[ClusterEntry] = &[
    entry(
        "workstation-2x-3090",
        "Workstation, RTX 3090 x2",
        ("rtx-3090", 2, "pcie4-x16-host"),
        "ethernet-10-of-2",
        "one 10 Gbit/s port",
    ),
    entry(
        "workstation-4x-4090",
        "Workstation, RTX 4090 x4",
        ("rtx-4090", 4, "pcie4-x16-host"),
        "ethernet-10-of-4",
        "one 10 Gbit/s port",
    ),
    entry(
        "server-8x-4090-10g",
        "Server, RTX 4090 x8, 10 Gbit/s",
        RTX_4090_BY_8,
        "ethernet-10-of-8",
        "one 10 Gbit/s port",
    ),
    entry(
        "server-8x-4090-25g",
        "Server, RTX 4090 x8, 25 Gbit/s",
        RTX_4090_BY_8,
        "ethernet-25-of-8",
        "one 25 Gbit/s port",
    ),
    entry("server-8x-4090", "Server, RTX 4090 x8", RTX_4090_BY_8, "ethernet-100-of-8", "one 100 Gbit/s port"),
    entry("server-8x-l40s", "Server, L40S x8", ("l40s", 8, "pcie4-x16"), "ethernet-100-of-8", "one 100 Gbit/s port"),
    entry(
        "server-8x-pro-6000",
        "Server, RTX PRO 6000 x8",
        ("rtx-pro-6000", 8, "pcie5-x16"),
        "ethernet-100-of-8",
        "one 100 Gbit/s port",
    ),
];

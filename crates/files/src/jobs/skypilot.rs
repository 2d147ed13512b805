//! The names that `SkyPilot` has for GPUs.

use catalog::AcceleratorEntry;

/// GPUs of the catalog by the names of `SkyPilot`'s (skypilot-org/skypilot-catalog @ 001ca549,
/// catalogs/v8/common/accelerators.csv; memory by v7's metadata.csv). Several boards may share one.
const NAMES: [(&str, &str); 33] = [
    ("a100-40gb", "A100"),
    ("a100-80gb", "A100-80GB"),
    ("a100-pcie-40gb", "A100"),
    ("a100-pcie-80gb", "A100-80GB"),
    ("a30", "A30"),
    ("a800", "A800"),
    ("h100-sxm", "H100"),
    ("h100-pcie", "H100"),
    ("h100-nvl", "H100-NVL"),
    ("h200", "H200"),
    ("gh200-96gb", "GH200"),
    ("b200", "B200"),
    ("p100", "P100"),
    ("v100-16gb", "V100"),
    ("v100-32gb", "V100-32GB"),
    ("mi300x", "MI300X"),
    ("rtx-3060-12gb", "RTX3060"),
    ("rtx-3080", "RTX3080"),
    ("rtx-3090", "RTX3090"),
    ("rtx-4090", "RTX4090"),
    ("rtx-5090", "RTX5090"),
    ("rtx-a4000", "RTXA4000"),
    ("rtx-a5000", "RTXA5000"),
    ("rtx-a6000", "RTXA6000"),
    ("rtx-4000-ada", "RTX4000-Ada"),
    ("rtx-6000-ada", "RTX6000-Ada"),
    ("a40", "A40"),
    ("a10", "A10"),
    ("a10g", "A10G"),
    ("l4", "L4"),
    ("l40", "L40"),
    ("l40s", "L40S"),
    ("t4", "T4"),
];

/// Returns the name of a GPU, and the other boards that have the same.
pub(super) fn name(gpu: Option<&AcceleratorEntry>) -> Result<(&'static str, Vec<&'static str>), String> {
    let known = gpu.and_then(|gpu| NAMES.iter().find(|(id, _)| *id == gpu.id));
    let Some((id, name)) = known else {
        let name = gpu.map_or("A GPU of your own numbers", |gpu| gpu.name);
        return Err(format!(
            "{name} has no name in SkyPilot’s catalog of clouds: take a GPU that it lists (H100, H200, B200, MI300X, A100-80GB), or \
             write the job for Slurm or Kubernetes."
        ));
    };
    let others = NAMES.iter().filter(|(other, shared)| shared == name && other != id);
    Ok((name, others.filter_map(|(other, _)| catalog::accelerator(other)).map(|other| other.name).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_gpu_of_the_catalog() {
        for (id, _) in NAMES {
            assert!(catalog::accelerator(id).is_some(), "{id}");
        }
        let (name, others) = super::name(catalog::accelerator("h100-sxm")).unwrap();
        assert_eq!((name, others), ("H100", vec!["H100 PCIe"]));
        assert!(super::name(catalog::accelerator("mi250x")).unwrap_err().contains("MI250X"));
    }
}

//! Names of memory parts on each accelerator.

use catalog::ACCELERATORS;
use engine::model::report::MemoryPart;
use engine::names::{part, part_on};

#[test]
fn only_nvidias_gpus_have_a_cuda_context() {
    for entry in ACCELERATORS {
        let is_nvidia = entry.maker == "NVIDIA";
        for of in MemoryPart::ALL {
            let name = part_on(of, entry.values.generation).name;
            assert!(is_nvidia || !name.contains("CUDA") && !name.contains("NCCL"), "{}: {name}", entry.id);
            assert!(!is_nvidia || name == part(of).name, "{}: {name}", entry.id);
        }
    }
}

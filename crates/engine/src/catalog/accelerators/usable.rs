//! What programs can use of a card's memory: the total that the driver reports to them, as PyTorch
//! prints it in its out-of-memory errors, in GiB. The driver keeps a part for itself, and error
//! correction takes a sixteenth of GDDR memory where it is on (of HBM it takes nothing). Versions
//! of the driver differ by 0.1 GiB.

/// Memory in GiB: as the maker names it, and as the driver reports it.
pub type Memory = [f64; 2];

/// Returns the memory of a card of which no report was found: the same share as of another one of
/// its family.
pub const fn as_of([nominal, usable]: Memory, memory: f64) -> Memory {
    [memory, usable / nominal * memory]
}

/// Returns the memory of an AMD card, which reports 0.02 GiB less than it has: 287.98 on gfx950 (github
/// ROCm/TheRock #2118), 191.98 on the MI300X (AMD's ROCm blogs), 23.98 on 24 GB (Tongyi-MAI/Z-Image #103).
pub const fn amd(memory: f64) -> Memory {
    [memory, memory - AMD_KEEPS]
}

const AMD_KEEPS: f64 = 0.02;

/// github TianheWu/CoSeR #10; others report 39.38 to 39.56.
pub const A100_40: Memory = [40.0, 39.5];
/// github levihsu/OOTDiffusion #235, vllm-project/vllm #20581.
pub const A100_80: Memory = [80.0, 79.25];
/// github vllm-project/vllm #27508; others report 79.18 and 79.21.
pub const H100: Memory = [80.0, 79.11];
/// The log of torchtitan's benchmarks/llama3_h100_202412 (tests/measured/torchtitan.csv).
pub const H100_96: Memory = [96.0, 95.04];
/// github modelscope/DiffSynth-Studio #1238.
pub const H20: Memory = [96.0, 95.0];
/// github ali-vilab/VACE #56.
pub const H100_NVL: Memory = [94.0, 93.0];
/// Fine-tuning of Qwen3-30B-A3B and INTELLECT-3 on eight H200, several public logs; others report
/// 139.72 and 139.81.
pub const H200: Memory = [141.0, 139.8];
/// github pytorch/ao #4002. The GB200 keeps to the same share: 184 GiB (sgl-project/sglang #31900).
pub const B200: Memory = [180.0, 178.35];
/// github cvg/nice-slam #43, kchengiva/Shift-GCN #34.
pub const V100_16: Memory = [16.0, 15.78];
/// github liucongg/ChatGLM-Finetuning #73.
pub const V100_32: Memory = [32.0, 31.74];
/// The total that Habana's memory statistics report (Optimum Habana's language modelling example).
pub const GAUDI_2: Memory = [96.0, 94.62];
/// “of 30.75G hbm” in the compiler's error: github erfanzar/EasyDeL #166.
pub const TPU_V4: Memory = [32.0, 30.75];
/// “of 15.75G hbm”, the same error in many public logs.
pub const TPU_V5E: Memory = [16.0, 15.75];
/// “of 95.74G hbm”, the same error: more than the documentation's 95.
pub const TPU_V5P: Memory = [95.0, 95.0];
/// “of 31.25G hbm”, the same error.
pub const TPU_V6E: Memory = [32.0, 31.25];
/// “of 94.75G hbm”, the same error in many public logs, for one of its two cores; of both.
pub const TPU_7X: Memory = [192.0, 189.5];
/// 119.7 GB in public logs of two machines: memory shared with the CPU.
pub const GB10: Memory = [128.0, 119.7];
/// 11,012 MiB in a public log of Ultralytics 8.3.75, which prints what PyTorch reports.
pub const RTX_2080_TI: Memory = [11.0, 10.75];
/// github vllm-project/vllm #2140; others report 23.70.
pub const RTX_3090: Memory = [24.0, 23.69];
/// github nv-tlabs/3dgrut #163; older drivers report 23.64 (ali-vilab/VGen #104).
pub const RTX_4090: Memory = [24.0, 23.49];
/// github TrajectoryCrafter/TrajectoryCrafter #20.
pub const RTX_5090: Memory = [32.0, 31.36];
/// 24,248 MiB in a public log of Ultralytics 8.3.75, without error correction, as it is sold.
pub const RTX_A5000: Memory = [24.0, 23.68];
/// github google-research/semivl #18, without error correction, as it is sold.
pub const RTX_A6000: Memory = [48.0, 47.54];
/// github DINGYANB/MTVCrafter #21, with error correction; 3 GiB more without.
pub const RTX_6000_ADA: Memory = [48.0, 44.43];
/// github antirez/ds4 #431.
pub const RTX_PRO_6000: Memory = [96.0, 94.97];
/// github QwenLM/Qwen3-VL #2097, with error correction. The L40S has the same (46,068 MiB of both
/// in nvidia-smi, modal-labs/modal-client #2797).
pub const L40: Memory = [48.0, 44.4];
/// github ArcInstitute/evo2 #190, with error correction. The A10 has the same but for 6 MiB
/// (23,034 and 23,028 MiB in nvidia-smi, modal-labs/modal-client #2797).
pub const L4: Memory = [24.0, 22.03];
/// github Zheng-Chong/CatVTON #133, with error correction.
pub const T4: Memory = [16.0, 14.56];

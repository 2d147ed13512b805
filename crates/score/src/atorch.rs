//! Runs of atorch over PyTorch's first FSDP, as its example for Llama 2 sets them.

use super::row::Row;
use super::software::Software;
use super::text::has;
use engine::model::software::{Framework, Loss, RootUnit};
use engine::model::trained::{BaseFormat, Trained};
use engine::model::training::{OptimizerKernel, PrecisionPolicy};

/// Whether a row is of atorch over FSDP.
fn is_of(row: &Row) -> bool {
    let named = has(&row.framework, &["atorch"]) || has(&row.source, &["atorch"]);
    named && has(&format!("{} {}", row.framework, row.sharding), &["fsdp", "full_shard"])
}

/// Sets what `atorch/examples/llama2/fsdp_llama2.py` does (dlrover 0ada810): the model is made in fp32 (`from_config`), FSDP1 has
/// no policy of formats, products run under `torch.autocast` (`--precision bf16_amp`, its default), `outputs` with the fp32
/// logits of Hugging Face's models of 2023 live through the backward pass, and `torch.optim.AdamW` is called as it is.
pub(crate) fn complete(row: &Row, software: &mut Software) {
    if !is_of(row) {
        return;
    }
    software.framework = Framework::Fsdp1;
    software.communication.root_unit = RootUnit::Default;
    software.recipe = PrecisionPolicy::AutocastBf16;
    software.kernels.loss = Loss::Fp32Logits;
    software.optimizer_kernel = OptimizerKernel::ForEach;
    if software.trained.has_adapters() {
        software.trained = Trained { base: BaseFormat::Fp32, ..software.trained };
    }
}

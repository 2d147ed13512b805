//! Logits of a tiled loss.

use engine::model::memory::{live_bytes_per_logit, logits};
use engine::model::stages::stages;
use links::decode;

/// A tiled loss of Llama 3.1 8B at 16K tokens saves 14 GiB and more (arXiv 2506.13996, section
/// 3.1), and holds the same at any length.
#[test]
fn a_tiled_loss_holds_one_tile() {
    const GIB: f64 = 1_073_741_824.0;
    let held = |loss: &str, seq: &str| {
        let link = format!("cluster=dgx-h100&model=llama-3.1-8b&gpus=8&seq={seq}&loss={loss}");
        let setup = decode(&link).scenario.setup();
        live_bytes_per_logit(&setup) * logits(&setup, &stages(&setup).first) / GIB
    };
    assert!(held("standard", "16k") - held("tiled", "16k") > 14.0);
    assert!((held("tiled", "1m") - 3.0).abs() < 1e-9 && (held("tiled", "16k") - 3.0).abs() < 1e-9);
    assert_eq!(held("tiled", "1k"), held("standard", "1k"));
}

//! Memory of the longest texts beyond the typical one.

use engine::model::memory::beyond_typical;
use links::decode;

#[test]
fn it_is_never_negative_and_no_less_with_longer_texts() {
    for model in ["llama-3.1-8b&recompute=none", "llama-3.1-8b&train=lora", "mixtral-8x7b&tp=2", "gpt2&mbs=4"] {
        for texts in ["packed", "padded", "grouped", "padmax"] {
            let of = |seq: u32| {
                let link = format!("cluster=dgx-h100&gpus=8&model={model}&meanlen=300&texts={texts}&seq={seq}");
                beyond_typical(&decode(&link).scenario.setup()).get()
            };
            let found = [256, 512, 1024, 4096, 16_384].map(of);
            assert!(found[0] >= 0.0 && found.is_sorted(), "{model} {texts}: {found:?}");
            // Packed and fully padded sequences are of one length, whatever the texts.
            assert_eq!(found[4] > 0.0, matches!(texts, "padded" | "grouped"), "{model} {texts}: {found:?}");
        }
    }
}

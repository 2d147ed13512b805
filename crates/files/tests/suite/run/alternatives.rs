//! Tests of the odds when a fact is missing.

use engine::model::odds::{SURE, Verdict};
use files::run::{Base, File, Spread, read_run, spread};
use links::decode::decode;

fn spread_of(text: &str, over: &[(&str, &str)]) -> Spread {
    let base = Base {
        over: over.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        ..Base::from(&decode("gpu=rtx-5090&gpus=1").scenario)
    };
    let files = [File::new("run.yml", text)];
    let run = read_run(&files, &base).unwrap();
    spread(&run, &files, &base)
}

/// LoRA of 7 billion weights in 16 bits on 32 GB: a narrow fit with checkpointing, impossible
/// without.
const LORA: &str = "base_model: Qwen/Qwen2.5-7B\nadapter: lora\nlora_r: 16\nbf16: true\nsample_packing: true\n";

#[test]
fn what_is_not_said_and_decides_is_named() {
    let script = "model_name_or_path: Qwen/Qwen2.5-7B\nuse_peft_lora: true\nlora_r: 16\nbf16: true\n\
                  per_device_train_batch_size: 1\n";
    let open = spread_of(script, &[]);
    assert!(open.disagrees() && open.odds.len() > 6, "{open:?}");
    let names = |spread: &Spread, what: &str| {
        spread.said.iter().any(|said| said.starts_with(&format!("No file says {what}: ")))
    };
    assert!(names(&open, "what is recomputed") && names(&open, "the length of sequences"), "{open:?}");
    let long = spread_of(&format!("{script}block_size: 4096\n"), &[]);
    assert!(names(&long, "what is recomputed") && !names(&long, "the length of sequences"), "{long:?}");
    // Axolotl's own defaults are known.
    let known = spread_of(LORA, &[("release", "axolotl")]);
    assert!(known.odds.len() == 1, "{known:?}");
    assert!(open.said.iter().all(|said| said.contains("GiB, of ") && said.ends_with('.')), "{open:?}");
    let best = open.odds.iter().copied().fold(0.0, f64::max);
    assert!(open.share() > 0.02 && open.share() < best, "{open:?}");
    assert_eq!(open.verdict(), Verdict::Tight);
}

/// The verdict is tight if twenty of 21 likely runs fit and one does not.
#[test]
fn a_verdict_of_which_the_likely_runs_disagree_is_tight() {
    let of = |odds: &[f64]| Spread { odds: odds.to_vec(), ..Spread::default() }.verdict();
    assert_eq!(of(&[0.98; 3]), Verdict::Fits);
    assert_eq!(of(&[0.02, 0.05]), Verdict::DoesNotFit);
    let mut nearly = vec![0.98; 20];
    nearly.push(0.05);
    assert_eq!((of(&nearly), of(&[0.98, 0.02])), (Verdict::Tight, Verdict::Tight));
    let sum = nearly.iter().sum::<f64>();
    assert!(sum / 21.0 > SURE, "the mean alone would call it fitting: {sum}");
}

#[test]
fn what_is_said_by_a_file_or_by_hand_is_not_asked() {
    let said = format!("{LORA}sequence_len: 2048\nmicro_batch_size: 1\ngradient_checkpointing: true\n");
    let closed = spread_of(&said, &[("release", "axolotl-2025-11")]);
    assert!(!closed.disagrees() && closed.said.is_empty() && closed.odds.len() == 1, "{closed:?}");
    let by_hand = spread_of(LORA, &[("seq", "2048"), ("mbs", "1"), ("recompute", "full"), ("release", "axolotl")]);
    assert_eq!(by_hand.odds.len(), 1, "{by_hand:?}");
}

/// TRL computes the loss in chunks since June 2026: a file that names no release may be up to a
/// year older than the newest.
#[test]
fn the_release_that_no_file_names_is_one_of_a_year() {
    let trl = "model_name_or_path: Qwen/Qwen2.5-7B\nuse_peft: true\nlora_r: 16\nper_device_train_batch_size: 1\nmax_length: 4096\n\
               gradient_checkpointing: true\nbf16: true\nload_in_4bit: true\ndataset_text_field: text\npacking: true\n";
    let open = spread_of(trl, &[]);
    let named = spread_of(trl, &[("release", "trl")]);
    assert!(open.odds.len() > named.odds.len() + 2, "{open:?} {named:?}");
}

//! Activations of a layer, compared with steps measured on one H200 (`tests/one_gpu/steps.csv`):
//! bytes allocated at the end of the forward pass, less those of the model with every block
//! checkpointed.

use crate::published::PUBLISHED;
use engine::model::choices::Choices;
use engine::model::compute::attention::{HALF_KEYS, by_length, by_width};
use engine::model::layer::Layers;
use engine::model::memory::activations::layer;
use engine::model::report::Limiter;
use engine::model::software::{AttentionKernel, Framework, Kernels, NormKernel, RepeatedHeads};
use engine::model::training::{PrecisionPolicy, Recompute};
use engine::model::transformer::{Architecture, Norm};
use engine::scenario::{Model, Scenario};
use engine::stats::median;

const STEPS: &str = include_str!("../../../../tests/one_gpu/steps.csv");

/// Bytes per token and layer that no formula counts: two norms save one number per token each.
const STATISTICS: f64 = 8.0;
/// Tolerance for a layer: rounding of the allocator's blocks.
const CLOSE: f64 = 0.002;

/// A row with access by column name.
struct Step<'a> {
    header: &'a csv::StringRecord,
    cells: csv::StringRecord,
}

impl Step<'_> {
    fn is(&self, column: &str) -> &str {
        let place = self.header.iter().position(|name| name == column).unwrap();
        self.cells.get(place).unwrap()
    }

    fn count(&self, column: &str) -> u32 {
        self.is(column).parse().unwrap()
    }

    /// Returns whether the engine models all settings of the row.
    fn is_modelled(&self) -> bool {
        let plain = [
            ("kind", "own"),
            ("precision", "bf16"),
            ("accum", "1"),
            ("pos", "none"),
            ("bias", "False"),
            ("dropout", "0.0"),
            ("loss", "fp32"),
            ("gqa", "native"),
            ("optimizer", "fused"),
        ];
        plain.iter().all(|(column, value)| self.is(column) == *value)
            && matches!(self.is("attention"), "flash" | "eager")
            && matches!(self.is("norm"), "rms" | "layer")
            && matches!(self.is("compile"), "none" | "block")
            && matches!(self.is("ckpt"), "none" | "selective_second")
    }

    /// Returns the model and its batch.
    fn shape(&self) -> Vec<&str> {
        ["hidden", "layers", "heads", "kv", "ffn", "vocab", "seq", "micro", "mlp", "norm", "precision", "loss"]
            .map(|column| self.is(column))
            .into()
    }

    fn forward_end(&self) -> f64 {
        self.is("later_forward_end_allocated_bytes").parse().unwrap()
    }

    fn scenario(&self) -> Scenario {
        let start = catalog::default_scenario();
        let style = catalog::model("llama-2-7b").unwrap().architecture;
        let (hidden, heads) = (self.count("hidden"), self.count("heads"));
        let architecture = Architecture {
            hidden_size: hidden,
            num_hidden_layers: self.count("layers"),
            num_attention_heads: heads,
            num_key_value_heads: self.count("kv"),
            head_dim: hidden / heads,
            intermediate_size: self.count("ffn"),
            vocab_size: self.count("vocab"),
            gated_mlp: self.is("mlp") == "gated",
            norm: if self.is("norm") == "rms" { Norm::Rms } else { Norm::Layer },
            ..style
        };
        let eager = self.is("attention") == "eager";
        Scenario {
            model: Model::Custom { architecture },
            gpus: 1,
            seq_len: self.count("seq"),
            micro_batch_size: self.count("micro"),
            choices: Choices {
                recipe: PrecisionPolicy::PureBf16,
                recompute: if self.is("ckpt") == "none" { Recompute::None } else { Recompute::Selective },
                // The fp32 softmax is that of transformers; all else is torchtitan's.
                framework: if eager { Framework::Transformers } else { Framework::Torchtitan },
                kernels: Kernels {
                    attention: if eager { AttentionKernel::Unfused } else { AttentionKernel::Flash },
                    norms: NormKernel::Fused,
                    compile: self.is("compile") == "block",
                    repeated_heads: RepeatedHeads::Default,
                    ..start.kernels
                },
                ..start.choices
            },
            ..start
        }
    }
}

#[test]
fn a_layer_keeps_what_was_measured() {
    let mut reader = csv::Reader::from_reader(STEPS.as_bytes());
    let header = reader.headers().unwrap().clone();
    let steps: Vec<Step> = reader.records().map(|cells| Step { header: &header, cells: cells.unwrap() }).collect();
    let (mut compared, mut wrong) = (0, Vec::new());
    for step in steps.iter().filter(|step| step.is_modelled()) {
        let full =
            |other: &&Step| other.is("ckpt") == "full" && other.is("kind") == "own" && other.shape() == step.shape();
        let Some(full) = steps.iter().find(full) else { continue };
        compared += 1;
        let setup = step.scenario().setup();
        let tokens = f64::from(step.count("seq") * step.count("micro") * step.count("layers"));
        let measured = (step.forward_end() - full.forward_end()) / tokens;
        let bytes = layer(&setup, 2.0, &Layers::DENSE);
        let statistics = if step.is("ckpt") == "none" { STATISTICS } else { 0.0 };
        let predicted = bytes.kept + statistics - 2.0 * f64::from(step.count("hidden"));
        if (predicted / measured - 1.0).abs() > CLOSE {
            let of = ["mlp", "norm", "attention", "ckpt", "compile"].map(|column| step.is(column)).join(" ");
            wrong.push(format!("{of}: {predicted} of {measured}"));
        }
    }
    assert!(compared >= 8, "{compared}");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Compares steps predicted with rates of isolated kernels (`tests/rates/h200.json`) with
/// compute-limited published steps on Hopper. The catalog's efficiencies include losses between
/// kernels. The page shows the ratio to users who import measured rates.
#[test]
fn kernels_alone_are_faster_than_whole_steps() {
    let of_hopper = |entry: &::score::summary::Entry| {
        entry.outcome.as_ref().ok()?.step_error()?;
        let scenario = entry.outcome.as_ref().ok()?.scenario;
        let report = scenario.report();
        let counts = matches!(scenario.accelerator.id, "h100-sxm" | "h200") && report.limiter == Limiter::Compute;
        counts.then_some((scenario, report))
    };
    let ratios: Vec<f64> = PUBLISHED
        .training
        .iter()
        .filter_map(of_hopper)
        .map(|(mut own, report)| {
            let reached = &mut own.accelerator.values.efficiency;
            (reached.matmul, reached.attention, reached.attention_tuned) = (0.692, 0.298, 0.523);
            reached.half_saturation_tokens = 371.0;
            own.report().update.time.step / report.update.time.step
        })
        .collect();
    let ratio = median(&ratios).unwrap();
    assert!(ratios.len() > 500 && (ratio - 0.97).abs() < 0.02, "{} steps: {ratio}", ratios.len());
}

/// FlashAttention-2's and cuDNN's isolated causal kernels, by sequence length and head dimension:
/// TFLOP/s over long sequences with 128 channels per head, scaled as in
/// [`engine::model::compute::attention`].
#[test]
fn attention_kernels_scale_with_length_and_width_as_measured() {
    const ATTENTION: &str = include_str!("../../../../tests/one_gpu/attention.csv");
    const OVER_LONG: [(&str, [f64; 2]); 2] = [("flash", [328.0, 306.0]), ("cudnn", [591.0, 548.0])];
    // Heads wider than 128 have separate, far slower backward kernels.
    const WIDEST: u32 = 128;
    let mut reader = csv::Reader::from_reader(ATTENTION.as_bytes());
    let header = reader.headers().unwrap().clone();
    let mut errors = Vec::new();
    for cells in reader.records().map(Result::unwrap) {
        let is = |name: &str| &cells[header.iter().position(|column| column == name).unwrap()];
        let number = |name: &str| is(name).parse::<f64>().unwrap();
        let Some((_, rates)) = OVER_LONG.iter().find(|(kernel, _)| *kernel == is("backend")) else { continue };
        if is("causal") != "True" || number("head_dim") > f64::from(WIDEST) {
            continue;
        }
        for (pass, (rate, half)) in ["forward_tflops", "backward_tflops"].iter().zip(rates.iter().zip(HALF_KEYS)) {
            let head = is("head_dim").parse().unwrap();
            errors.push((rate * by_length(number("length"), half) * by_width(head) / number(pass) - 1.0).abs());
        }
    }
    let of = engine::stats::Errors::from_errors(&errors).unwrap();
    assert!(of.count > 60 && of.median < 0.08 && of.mean < 0.11, "{of:?}");
    assert!(errors.iter().all(|error| *error < 0.45), "{errors:?}");
}

/// Large products of 16 bits, alone, as public submissions measured them on 60 boards
/// (`tests/one_gpu/boards.csv`). A step's share of the peak lies below theirs: boards are cold when
/// products are measured, and the best of several sizes is published. Half of it at least: on
/// boards that power limits most, an L4's warm products fall to 0.8 of its best.
#[test]
fn products_in_a_step_are_slower_than_alone_on_every_board() {
    let mut reader = csv::Reader::from_reader(include_str!("../../../../tests/one_gpu/boards.csv").as_bytes());
    let header = reader.headers().unwrap().clone();
    let mut alone: std::collections::BTreeMap<String, Vec<f64>> = std::collections::BTreeMap::new();
    for cells in reader.records().map(Result::unwrap) {
        let row = Step { header: &header, cells };
        let gpu = catalog::accelerator(row.is("accelerator")).unwrap().values;
        let format = if gpu.emulates_bf16() { "fp16" } else { "bf16" };
        if row.is("format") == format {
            let tflops: f64 = row.is("tflops").parse().unwrap();
            alone.entry(row.is("accelerator").to_owned()).or_default().push(tflops / gpu.peak_16bit.tflops());
        }
    }
    assert!(alone.len() >= 40, "{}", alone.len());
    for (id, shares) in alone {
        let few = shares.len() < 2;
        let (step, alone) = (catalog::accelerator(&id).unwrap().values.efficiency.matmul, median(&shares).unwrap());
        // One submission is known less well.
        let most = if few { 1.1 } else { 1.02 };
        assert!((0.55 * alone..=most * alone).contains(&step), "{id}: {step} in a step, {alone} alone");
    }
}

/// bf16 on boards without units for it, as the same submissions measured it: within a sixth.
#[test]
fn emulated_bf16_runs_as_measured() {
    let mut reader = csv::Reader::from_reader(include_str!("../../../../tests/one_gpu/boards.csv").as_bytes());
    let header = reader.headers().unwrap().clone();
    let mut rows = 0;
    for cells in reader.records().map(Result::unwrap) {
        let row = Step { header: &header, cells };
        let gpu = catalog::accelerator(row.is("accelerator")).unwrap().values;
        if row.is("format") == "bf16" && gpu.emulates_bf16() {
            let (measured, taken) = (row.is("tflops").parse::<f64>().unwrap(), gpu.efficiency.emulated_bf16);
            let ratio = taken * gpu.peak_16bit.tflops() / measured;
            assert!((1.0 - ratio).abs() < 1.0 / 6.0, "{}: {ratio}", row.is("accelerator"));
            rows += 1;
        }
    }
    assert!(rows >= 10, "{rows}");
}

//! What a layer keeps against steps measured on one H200 (`tests/one_gpu/steps.csv`): bytes allocated
//! at the end of the forward pass, over those of the same model with every block checkpointed.

use engine::catalog;
use engine::model::memory::activations::layer;
use engine::model::software::{AttentionKernel, Framework, Kernels, NormKernel, RepeatedHeads};
use engine::model::training::{PrecisionPolicy, Recompute};
use engine::model::transformer::{Architecture, LayerShares, Norm};
use engine::scenario::{Model, Scenario};

const STEPS: &str = include_str!("../../../../tests/one_gpu/steps.csv");

/// Bytes per token and layer that no formula counts: two norms keep a number a token each.
const STATISTICS: f64 = 8.0;
/// How far a layer may be off: rounding of the allocator's blocks.
const CLOSE: f64 = 0.002;

/// A row by its columns.
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

    /// Whether the engine has all that the row does.
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

    /// The model and its batch.
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
            recipe: PrecisionPolicy::PureBf16,
            recompute: if self.is("ckpt") == "none" { Recompute::None } else { Recompute::Selective },
            // Its softmax in fp32 is that of transformers, all else torchtitan's.
            framework: if eager { Framework::Transformers } else { Framework::Torchtitan },
            kernels: Kernels {
                attention: if eager { AttentionKernel::Unfused } else { AttentionKernel::Flash },
                norms: NormKernel::Fused,
                compile: self.is("compile") == "block",
                repeated_heads: RepeatedHeads::Default,
                ..start.kernels
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
        let bytes = layer(&setup, 2.0, &LayerShares::DENSE);
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

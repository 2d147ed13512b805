use super::{Category, Event, Phase, Trace};
use crate::catalog;
use crate::model::software::{Framework, Kernels, NormKernel};
use crate::model::stages::stages;
use crate::model::training::Recompute;
use crate::scenario::{Model, Scenario, Strategy};

/// Llama 2 7B with these choices, one sequence of 2,048 tokens on each of 8 GPUs.
fn llama(layers: u32, framework: Framework, recompute: Recompute) -> Scenario {
    let shape = catalog::model("llama-2-7b").unwrap().architecture;
    let start = catalog::default_scenario();
    Scenario {
        model: Model::Custom {
            architecture: crate::model::transformer::Architecture { num_hidden_layers: layers, ..shape },
        },
        gpus: 8,
        seq_len: 2048,
        micro_batch_size: 1,
        grad_accum_steps: 1,
        strategy: Strategy::FullShard,
        recompute,
        framework,
        kernels: Kernels { norms: NormKernel::Upcast, ..start.kernels },
        ..start
    }
}

/// Bytes of activations alive when the backward pass begins.
fn saved(scenario: &Scenario) -> u64 {
    let setup = scenario.setup();
    let trace = Trace::of(&setup, &stages(&setup).first);
    let mut alive = vec![0; trace.tensors];
    for event in &trace.pass {
        match *event {
            Event::Allocate { moment, .. } if moment.phase == Phase::Backward => break,
            Event::Allocate { tensor, bytes, category: Category::Activation, .. } => alive[tensor as usize] = bytes,
            Event::Allocate { .. } => {}
            Event::Free { tensor } => alive[tensor as usize] = 0,
        }
    }
    alive.iter().sum()
}

/// Bytes that one more layer saves of a token.
fn of_layer(framework: Framework, recompute: Recompute) -> f64 {
    let [fewer, more] = [3, 4].map(|layers| saved(&llama(layers, framework, recompute)) as f64);
    (more - fewer) / 2048.0
}

/// What the tracer of real code finds for Llama in 16 bits, in bytes a token and layer (h hidden, f ffn, k keys, a heads):
/// `8f + 20h + 4k + 4a + 8` of Hugging Face's, `8f + 24h + 4a + 8` of torchtitan's of 2024; by operator `2f + 8h + 2k + 4a`; `2h` where
/// all is recomputed.
#[test]
fn a_layer_saves_the_bytes_that_a_trace_of_real_code_shows() {
    let (h, f, k, a) = (4096.0, 11008.0, 4096.0, 32.0);
    assert_eq!(of_layer(Framework::Transformers, Recompute::None), 8.0 * f + 20.0 * h + 4.0 * k + 4.0 * a + 8.0);
    assert_eq!(of_layer(Framework::Torchtitan, Recompute::None), 8.0 * f + 24.0 * h + 4.0 * a + 8.0);
    assert_eq!(of_layer(Framework::Torchtitan, Recompute::Full), 2.0 * h);
}

/// Whatever is recomputed and however many micro-batches accumulate, nothing but gradients outlives a step.
#[test]
fn every_tensor_is_freed_once() {
    for framework in [Framework::Torchtitan, Framework::Transformers] {
        for recompute in [Recompute::None, Recompute::Selective, Recompute::Full] {
            for (grad_accum_steps, compile) in [(1, false), (3, false), (1, true)] {
                let start = llama(3, framework, recompute);
                let kernels = Kernels { compile, ..start.kernels };
                let scenario = Scenario { grad_accum_steps, kernels, ..start };
                let setup = scenario.setup();
                let trace = Trace::of(&setup, &stages(&setup).first);
                let mut alive = std::collections::BTreeSet::new();
                for event in &trace.pass {
                    match event {
                        Event::Allocate { tensor, .. } => assert!(alive.insert(*tensor)),
                        Event::Free { tensor } => assert!(alive.remove(tensor), "{tensor} was not alive"),
                    }
                }
                let left: Vec<u32> = alive.into_iter().collect();
                let mut gradients = trace.gradients.clone();
                gradients.sort_unstable();
                assert_eq!(left, gradients, "{framework:?} {recompute:?} {grad_accum_steps} {compile}");
            }
        }
    }
}

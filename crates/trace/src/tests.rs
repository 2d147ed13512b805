use super::{Category, Event, Phase, Place, Trace};
use engine::model::choices::Choices;
use engine::model::software::{Framework, Kernels, NormKernel};
use engine::model::stages::stages;
use engine::model::trained::{BaseFormat, Method, Targets, Trained};
use engine::model::training::{PrecisionPolicy, Recompute};
use engine::scenario::{Model, Scenario, Strategy};

/// Returns Llama 2 7B with these choices and one sequence of 2,048 tokens on each of 8 GPUs.
fn llama(layers: u32, framework: Framework, recompute: Recompute) -> Scenario {
    let shape = catalog::model("llama-2-7b").unwrap().architecture;
    let start = catalog::default_scenario();
    Scenario {
        model: Model::Custom {
            architecture: engine::model::transformer::Architecture { num_hidden_layers: layers, ..shape },
        },
        gpus: 8,
        seq_len: 2048,
        micro_batch_size: 1,
        grad_accum_steps: 1,
        strategy: Strategy::FullShard,
        choices: Choices {
            recompute,
            framework,
            kernels: Kernels { norms: NormKernel::Upcast, ..start.kernels },
            ..start.choices
        },
        ..start
    }
}

/// Returns [`llama`] with adapters of rank 16 and a frozen 16-bit base.
fn adapted(layers: u32, recompute: Recompute, trained: Trained) -> Scenario {
    let start = llama(layers, Framework::Transformers, recompute);
    Scenario {
        choices: Choices { trained: Trained { rank: 16, base: BaseFormat::Bf16, ..trained }, ..start.choices },
        ..start
    }
}

/// Returns the bytes of activations alive when the backward pass begins.
fn saved(scenario: &Scenario) -> u64 {
    let setup = scenario.setup();
    let trace = Trace::record(&setup, &stages(&setup).first);
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

/// Returns the bytes per token that one more layer saves.
fn of_layer(framework: Framework, recompute: Recompute) -> f64 {
    a_layer_more(|layers| llama(layers, framework, recompute))
}

fn a_layer_more(of: impl Fn(u32) -> Scenario) -> f64 {
    let [fewer, more] = [3, 4].map(|layers| saved(&of(layers)) as f64);
    (more - fewer) / 2048.0
}

/// Results of tracing real code for Llama in 16 bits, in bytes per token and layer (h hidden, f
/// ffn, k keys, a heads): `8f + 20h + 4k + 4a + 8` for Hugging Face, `8f + 24h + 4a + 8` for
/// torchtitan of 2024, `2f + 8h + 2k + 4a` with selective recomputation, `2h` with full
/// recomputation.
#[test]
fn a_layer_saves_the_bytes_that_a_trace_of_real_code_shows() {
    let (h, f, k, a) = (4096.0, 11008.0, 4096.0, 32.0);
    assert_eq!(of_layer(Framework::Transformers, Recompute::None), 8.0 * f + 20.0 * h + 4.0 * k + 4.0 * a + 8.0);
    assert_eq!(of_layer(Framework::Torchtitan, Recompute::None), 8.0 * f + 24.0 * h + 4.0 * a + 8.0);
    assert_eq!(of_layer(Framework::Torchtitan, Recompute::Full), 2.0 * h);
}

/// A layer with adapters in 16 bits saves neither inputs of frozen matrices nor normalized inputs
/// of frozen norms.
#[test]
fn a_layer_with_adapters_saves_what_their_gradients_need() {
    let (h, f, k, a, r) = (4096.0, 11008.0, 4096.0, 32.0, 16.0);
    let of = |trained: Trained| a_layer_more(|layers| adapted(layers, Recompute::None, trained));
    let lora = |targets| Trained { method: Method::Lora, targets, ..Trained::ALL };
    // Queries, keys, values, attention output, and tensors that attention, norms and the MLP's
    // activation save in any case.
    let without = 6.0 * f + 12.0 * h + 4.0 * k + 4.0 * a + 8.0;
    let attention = without + 2.0 * h;
    assert_eq!(of(lora(Targets::QueryValue)), attention + 2.0 * 2.0 * r);
    assert_eq!(of(lora(Targets::Attention)), attention + 4.0 * 2.0 * r);
    assert_eq!(of(lora(Targets::Mlp)), without + 2.0 * (h + f) + 3.0 * 2.0 * r);
    let all = without + 2.0 * (2.0 * h + f) + 7.0 * 2.0 * r;
    assert_eq!(of(lora(Targets::AllLinear)), all);
    assert_eq!(of(Trained { base: BaseFormat::Nf4, ..lora(Targets::AllLinear) }), all);
    // For the input of each of seven matrices, a dropped copy and a mask.
    let dropout = Trained { dropout: true, ..lora(Targets::AllLinear) };
    assert_eq!(of(dropout), without + 3.0 * (6.0 * h + f) + 7.0 * 2.0 * r);
    // Both terms of each output.
    let dora = Trained { method: Method::Dora, ..lora(Targets::AllLinear) };
    assert_eq!(of(dora), all + 4.0 * (3.0 * h + 2.0 * k + 2.0 * f));
}

/// On one GPU, only PEFT casts for fp32 adapters: it casts their inputs, which autocast casts back.
#[test]
fn adapters_in_32_bits_save_copies_of_their_inputs() {
    let (h, f, k, a, r) = (4096.0, 11008.0, 4096.0, 32.0, 16.0);
    let of = |recipe, base| {
        let trained = Trained { method: Method::Lora, targets: Targets::AllLinear, rank: 16, base, ..Trained::ALL };
        a_layer_more(|layers| {
            let start = llama(layers, Framework::Transformers, Recompute::None);
            Scenario { gpus: 1, choices: Choices { trained, recipe, ..start.choices }, ..start }
        })
    };
    let without = 6.0 * f + 12.0 * h + 4.0 * k + 4.0 * a + 8.0;
    let [four, two] = [4.0, 2.0].map(|bytes| without + bytes * (6.0 * h + f + 7.0 * r));
    assert_eq!(of(PrecisionPolicy::Fsdp2MixedBf16, BaseFormat::Bf16), four);
    // A layer keeps the copies of its adapters' weights that autocast made.
    let copies = 2.0 * r * (9.0 * h + 2.0 * k + 3.0 * f) / 2048.0;
    assert_eq!(of(PrecisionPolicy::AutocastBf16, BaseFormat::Bf16), two + copies);
    // For a 4-bit matrix, only autocast casts: 16-bit inputs are not copied.
    let shared = without + 2.0 * (2.0 * h + f + 7.0 * r);
    assert_eq!(of(PrecisionPolicy::AutocastBf16, BaseFormat::Nf4), shared + copies);
}

/// Layers below the lowest trained layer save nothing, gather nothing in the backward pass and have
/// no gradients.
#[test]
fn a_frozen_prefix_is_left_alone() {
    let of = |frozen_layers, recompute| {
        let trained = Trained { method: Method::Layers, frozen_layers, ..Trained::ALL };
        adapted(4, recompute, trained)
    };
    for recompute in [Recompute::None, Recompute::Full] {
        let saved = [1, 2, 3].map(|frozen| saved(&of(frozen, recompute)) as f64 / 2048.0);
        assert_eq!(saved[0] - saved[1], of_layer(Framework::Transformers, recompute));
        assert_eq!(saved[1] - saved[2], of_layer(Framework::Transformers, recompute));
        let setup = of(2, recompute).setup();
        let trace = Trace::record(&setup, &stages(&setup).first);
        let layer = |event: &Event| match event {
            Event::Allocate { moment, category: Category::Temporary, .. } => Some(moment.place),
            _ => None,
        };
        let places = trace.pass.iter().filter_map(layer);
        assert!(places.into_iter().all(|place| !matches!(place, Place::Layer(0 | 1) | Place::Embedding)));
        let bytes = |wanted: Category| -> u64 {
            let size = |event: &Event| match *event {
                Event::Allocate { bytes, category, .. } if category == wanted => bytes,
                _ => 0,
            };
            trace.pass.iter().chain(&trace.first_update).map(size).sum()
        };
        // Two layers of Llama 2 7B on 8 GPUs: gradients of 4 bytes, moments of 8.
        let trained = 2 * (4 * 4096 * 4096 + 3 * 4096 * 11008 + 2 * 4096) / 8;
        assert_eq!([bytes(Category::Gradient), bytes(Category::Optimizer)], [4 * trained, 8 * trained]);
    }
}

/// Returns all variants of training that the trace models.
fn ways_to_train() -> Vec<Trained> {
    let lora = Trained { method: Method::Lora, ..Trained::ALL };
    let layers = Trained { method: Method::Layers, frozen_layers: 1, ..Trained::ALL };
    vec![
        Trained::ALL,
        lora,
        Trained { targets: Targets::QueryValue, dropout: true, ..lora },
        Trained { targets: Targets::Mlp, embeddings: true, ..lora },
        Trained { frozen_layers: 1, method: Method::RsLora, ..lora },
        Trained { method: Method::Dora, ..lora },
        Trained { method: Method::Dora, dropout: true, ..lora },
        Trained { base: BaseFormat::Nf4Double, ..lora },
        Trained { base: BaseFormat::Fp32, ..lora },
        layers,
        Trained { embeddings: true, ..layers },
        Trained { frozen_layers: 3, ..layers },
    ]
}

/// Only gradients outlive a step, for all variants of training.
#[test]
fn every_tensor_is_freed_once_whatever_trains() {
    let recipes = [PrecisionPolicy::Fsdp2MixedBf16, PrecisionPolicy::AutocastBf16, PrecisionPolicy::PureBf16];
    for trained in ways_to_train() {
        for framework in [Framework::Torchtitan, Framework::Transformers] {
            for recompute in [Recompute::None, Recompute::Selective, Recompute::Full] {
                for recipe in recipes {
                    for (gpus, compile) in [(1, false), (8, false), (8, true)] {
                        let start = llama(3, framework, recompute);
                        let kernels = Kernels { compile, ..start.kernels };
                        assert_freed_once(&Scenario {
                            gpus,
                            grad_accum_steps: 2,
                            choices: Choices { trained, recipe, kernels, ..start.choices },
                            ..start
                        });
                    }
                }
            }
        }
    }
}

fn assert_freed_once(scenario: &Scenario) {
    let setup = scenario.setup();
    let trace = Trace::record(&setup, &stages(&setup).first);
    let mut alive = std::collections::BTreeSet::new();
    for event in &trace.pass {
        match event {
            Event::Allocate { tensor, .. } => assert!(alive.insert(*tensor)),
            Event::Free { tensor } => assert!(alive.remove(tensor), "{tensor} was not alive"),
        }
    }
    let left: Vec<u32> = alive.into_iter().collect();
    let mut gradients = trace.gradients;
    gradients.sort_unstable();
    assert_eq!(left, gradients, "{:?} {:?} {:?}", scenario.framework, scenario.recompute, scenario.trained);
}

/// Only gradients outlive a step, for all kinds of recomputation and numbers of micro-batches.
#[test]
fn every_tensor_is_freed_once() {
    for framework in [Framework::Torchtitan, Framework::Transformers] {
        for recompute in [Recompute::None, Recompute::Selective, Recompute::Full] {
            for (grad_accum_steps, compile) in [(1, false), (3, false), (1, true)] {
                let start = llama(3, framework, recompute);
                let kernels = Kernels { compile, ..start.kernels };
                let scenario = Scenario { grad_accum_steps, choices: Choices { kernels, ..start.choices }, ..start };
                assert_freed_once(&scenario);
            }
        }
    }
}

/// Sizes of extreme batches stay within 64 bits, though products of two of them do not.
#[test]
fn activations_of_an_extreme_batch_are_in_proportion() {
    let of = |micro_batch_size| {
        saved(&Scenario { seq_len: 32_768, micro_batch_size, ..llama(1, Framework::Transformers, Recompute::None) })
    };
    let (one, many) = (of(1) as f64, of(933) as f64);
    assert!((many / one / 933.0 - 1.0).abs() < 1e-2, "{one} {many}");
}

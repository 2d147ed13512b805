//! Formulas against their sources, one line of the model each, which otherwise only recorded
//! figures would check.

use engine::model::choices::Choices;
use engine::model::comm::tp_cp::{Hiding, TpCpComm};
use engine::model::compute::attention::{HALF_KEYS, by_length};
use engine::model::compute::unit_times;
use engine::model::flops::{recomputed, recomputed_per_token};
use engine::model::hardware::Network;
use engine::model::layer::Layers;
use engine::model::memory;
use engine::model::memory::activations::{LayerBytes, layer};
use engine::model::parallel::{ContextExchange, Schedule};
use engine::model::pipeline::{StageTimes, bubble};
use engine::model::report::{MemoryPart, MemoryReport, PeakMoment};
use engine::model::run::host;
use engine::model::setup::Setup;
use engine::model::software::Offload;
use engine::model::stages::{ByStage, stages};
use engine::model::states::optimizer_bytes;
use engine::model::states::recipe_bytes;
use engine::model::step::playback::Playback;
use engine::model::training::{Optimizer, PrecisionPolicy, Recompute};
use engine::model::transformer::Experts;
use engine::units::{BytesPerSecond, Seconds};
use links::decode;

fn setup(link: &str) -> Setup {
    decode(link).scenario.setup()
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-12, "{found} is not {expected}");
}

/// GPipe (arXiv 1811.06965) runs all forward passes and then all backward passes. Two stages of 2 +
/// 1 ms and of 1 + 4 ms and four micro-batches: 4 x 2 + 1 ms forward and 1 + 4 x 4 ms backward, of
/// which the second stage is busy for 4 x 5 ms.
#[test]
fn each_phase_of_gpipe_waits_for_its_own_slowest_stage() {
    let [one, two, four] = [1.0, 2.0, 4.0].map(Seconds::from_ms);
    let stage = |forward, backward| StageTimes { count: 1.0, forward, backward, pipeline_fill: Seconds::ZERO };
    let stages = ByStage { first: stage(two, one), between: None, last: Some(stage(one, four)) };
    close(bubble(Schedule::GPipe, 1, 4.0, &stages).ms(), (4.0 * 2.0 + 1.0) + (1.0 + 4.0 * 4.0) - 4.0 * 5.0);
}

/// DeepSeek-V2-Lite (its config.json) without its experts: queries of 16 heads of 128 + 64 have no
/// rank, keys and values have 512, and 64 rotary dimensions. Of q, kv_a, kv_b, o, gate, up and
/// down, every second is recomputed: kv_a, o and up.
#[test]
fn selective_recomputation_of_queries_without_a_rank() {
    let mut setup = setup("model=deepseek-v2-lite&recompute=selective");
    setup.architecture.experts = Experts::NONE;
    let (hidden, wide) = (2048.0, 10_944.0);
    let query = hidden * 16.0 * (128.0 + 64.0);
    let (down, up, output) = (hidden * (512.0 + 64.0), 512.0 * 16.0 * (128.0 + 128.0), 16.0 * 128.0 * hidden);
    let all = query + down + up + output + 3.0 * hidden * wide;
    close(recomputed(&setup).matmul, (down + output + hidden * wide) / all);
}

/// 34 H + 5 n s bytes a token (arXiv 2205.05198, table 2), and under 1F1B as many micro-batches in
/// flight on the first of eight stages as there are stages (arXiv 2104.04473, section 2.2), on each
/// of the eight GPUs of a node.
#[test]
fn offloaded_activations_of_every_micro_batch_in_flight_are_in_host_memory() {
    let mut setup =
        setup("cluster=dgx-h100&model=gpt-3-175b&gpus=64&pp=8&accum=16&seq=2048&attnkernel=unfused&dropout=yes");
    setup.offload = Offload { activations: true, ..Offload::NONE };
    let a_token = 34.0 * 12_288.0 + 5.0 * 96.0 * 2048.0;
    close(host::offload(&setup).get(), a_token * 2048.0 * 12.0 * 8.0 * 8.0);
}

/// Adafactor (arXiv 1804.04235, section 3) keeps a mean for each row and for each column of a
/// matrix instead of its second moment: 2 H numbers for H x H weights.
#[test]
fn adafactor_keeps_a_row_and_a_column() {
    let mut setup = setup("size=13B");
    (setup.recipe, setup.optimizer) = (PrecisionPolicy::Fp32, Optimizer::Adafactor);
    let hidden = f64::from(setup.architecture.hidden_size);
    let bytes = 4.0 * (hidden + hidden) / (hidden * hidden);
    assert_eq!(optimizer_bytes(&setup), (bytes, bytes));
}

/// Muon keeps one moment of hidden matrices; embedding, head and norms are AdamW's, with two
/// (kellerjordan.github.io/posts/muon).
#[test]
fn muon_leaves_what_is_no_matrix_to_adamw() {
    let mut setup = setup("size=13B");
    (setup.recipe, setup.optimizer) = (PrecisionPolicy::Fp32, Optimizer::Muon);
    assert_eq!(optimizer_bytes(&setup), (4.0, 8.0));
}

fn activations(setup: &Setup, recompute: Recompute) -> LayerBytes {
    layer(&Setup { choices: Choices { recompute, ..setup.choices }, ..*setup }, 2.0, &Layers::DENSE)
}

/// DeepSeek V3 (arXiv 2412.19437, section 4.2): torchtitan's selective mode keeps two tensors of
/// the residual stream, the compressed queries (1,536) and keys and values (512) before and after
/// their norms, the rotary key (64), the output of attention (128 heads of 128) with an fp32
/// statistic a head, and one hidden tensor of the MLP (18,432).
#[test]
fn latent_attention_keeps_its_ranks_before_and_after_their_norms() {
    let kept = activations(&setup("model=deepseek-v3"), Recompute::Selective).kept;
    let latent = 2.0 * (2.0 * (1536.0 + 512.0) + 64.0);
    let attention = 2.0 * 128.0 * 128.0 + 4.0 * 128.0;
    assert_eq!(kept, 2.0 * 2.0 * 7168.0 + latent + attention + 2.0 * 18_432.0);
}

/// A mean of three dense layers for each expert layer keeps as much as three dense layers and one
/// expert layer. An expert layer has no dense MLP, whose width (18,432) only applies to dense
/// layers (arXiv 2412.19437, section 4.2).
#[test]
fn a_layer_on_average_is_the_mean_of_its_kinds() {
    for recompute in [Recompute::None, Recompute::Selective] {
        let mut setup = setup("model=deepseek-v3");
        setup.recompute = recompute;
        let of = |moe_share| layer(&setup, 2.0, &Layers::mixture(moe_share));
        close(of(0.25).whole, 0.75 * of(0.0).whole + 0.25 * of(1.0).whole);
        close(of(0.25).kept, 0.75 * of(0.0).kept + 0.25 * of(1.0).kept);
        let mut wider = setup;
        wider.architecture.intermediate_size *= 2;
        assert_eq!(layer(&wider, 2.0, &Layers::mixture(1.0)), of(1.0));
    }
}

/// Of 34 H + 5 n s bytes a token, recomputing the attention core leaves 34 H (arXiv 2205.05198,
/// section 5).
#[test]
fn recomputing_the_attention_core_drops_the_scores() {
    let setup = setup("model=gpt-3-175b&seq=2048&attnkernel=unfused&dropout=yes");
    assert_eq!(activations(&setup, Recompute::AttentionCore).kept, 34.0 * 12_288.0);
}

/// Dropout after attention and after the MLP keeps a mask of one byte an element each (arXiv
/// 2205.05198, section 4.1).
#[test]
fn dropout_keeps_two_masks() {
    let whole = |dropout| activations(&setup(&format!("model=gpt-3-175b&dropout={dropout}")), Recompute::None).whole;
    assert_eq!(whole("yes") - whole("no"), 2.0 * 12_288.0);
}

/// Llama 3 gathers the keys and values of the whole sequence before attention (arXiv 2407.21783,
/// section 3.3.2): 8 heads of 128 each, of four times as many tokens as a GPU has.
#[test]
fn gathered_keys_and_values_are_of_the_whole_sequence() {
    let gradients = |exchange| {
        let mut setup = setup("cluster=dgx-h100&model=llama-3-8b&gpus=64&cp=4");
        setup.context = exchange;
        activations(&setup, Recompute::None).gradients
    };
    let gathered = gradients(ContextExchange::AllGather) - gradients(ContextExchange::Ring);
    assert_eq!(gathered, 4.0 * 2.0 * (8.0 * 128.0) * 2.0);
}

/// On a fabric on which a byte takes 5 % longer for each node beyond the first, three nodes take 10
/// % longer.
#[test]
fn every_node_beyond_the_first_slows_a_fabric_that_decays() {
    let holds = setup("cluster=dgx-h100&gpus=24").network;
    let decays = Network { node_decay: 0.05, ..holds };
    let rate = |network: &Network, ranks| {
        let group = engine::model::collectives::Group::consecutive(ranks, 24, network);
        engine::model::collectives::bus_bandwidth(network, group)
    };
    close(rate(&holds, 24) / rate(&decays, 24), 1.1);
    assert_eq!(rate(&holds, 8), rate(&decays, 8));
}

const UNHIDDEN: Hiding = Hiding {
    matmul: Seconds::ZERO,
    matmul_backward: Seconds::ZERO,
    attention: Seconds::ZERO,
    attention_backward: Seconds::ZERO,
};

/// An MLP ends in an exchange of tensor parallelism, like attention (arXiv 1909.08053, section 3);
/// routed experts have their own exchanges, and Mixtral has no others (arXiv 2401.04088), while
/// DeepSeek V3 has a shared expert (arXiv 2412.19437).
#[test]
fn a_layer_of_routed_experts_alone_has_one_exchange_less() {
    for (model, less) in [("mixtral-8x7b", 0.5), ("deepseek-v3", 1.0)] {
        let setup = setup(&format!("cluster=dgx-h100&model={model}&gpus=64&tp=8"));
        let of = |moe_share| TpCpComm::new(&setup, 2.0, &UNHIDDEN, &Layers::mixture(moe_share)).layer_forward;
        close(of(1.0) / of(0.0), less);
    }
}

/// Recomputed attention gathers its keys and values again (arXiv 2407.21783, section 3.3.2).
#[test]
fn recomputed_attention_repeats_its_exchange() {
    let base = setup("cluster=dgx-h100&model=llama-3-8b&gpus=64&cp=4");
    let base = Setup { choices: Choices { context: ContextExchange::AllGather, ..base.choices }, ..base };
    let of = |recompute| {
        TpCpComm::new(&Setup { choices: Choices { recompute, ..base.choices }, ..base }, 2.0, &UNHIDDEN, &Layers::DENSE)
    };
    let (none, full) = (of(Recompute::None), of(Recompute::Full));
    close((full.layer_backward - none.layer_backward).get(), none.layer_forward.get());
}

/// Ring attention (arXiv 2310.01889) attends to its own keys first: of cp parts of attention, cp -
/// 1 hide the hops.
#[test]
fn the_last_part_of_attention_hides_no_hop() {
    let mut base = setup("cluster=dgx-h100&model=llama-3-8b&gpus=64&cp=4");
    base.context = ContextExchange::Ring;
    let of = |attention| TpCpComm::new(&base, 2.0, &Hiding { attention, ..UNHIDDEN }, &Layers::DENSE).layer_forward;
    let attention = 0.1 * of(Seconds::ZERO);
    close((of(Seconds::ZERO) - of(attention)).get(), 0.75 * attention.get());
}

/// Backward, keys, values and their gradients pass around the ring under five products a score,
/// against two in the forward pass (arXiv 2205.14135, appendix B).
#[test]
fn hops_of_the_backward_pass_hide_under_two_and_a_half_times_the_attention() {
    let mut base = setup("cluster=dgx-h100&model=llama-3-8b&gpus=64&cp=4&seq=65536");
    base.context = ContextExchange::Ring;
    let units = unit_times(&base, &Layers::DENSE);
    // Both passes by the length of the sequence.
    let [forward, backward] = HALF_KEYS.map(|half| by_length(65_536.0, half));
    close(units.layer_attention_backward / units.layer_attention, 2.5 * forward / backward);
    let of = |attention_backward| {
        TpCpComm::new(&base, 2.0, &Hiding { attention_backward, ..UNHIDDEN }, &Layers::DENSE).layer_backward
    };
    let attention = 0.1 * of(Seconds::ZERO);
    close((of(Seconds::ZERO) - of(attention)).get(), 0.75 * attention.get());
}

/// The traffic of an all-to-all over heads is constant if sequence and GPUs grow together, and that
/// of a gather grows (`DeepSpeed`-Ulysses, arXiv 2309.14509, section 3.3): a share of `(cp - 1)/cp`
/// of `4 H` elements a token against `2 (cp - 1) H`.
#[test]
fn an_all_to_all_over_heads_sends_the_same_however_many_share_the_sequence() {
    let of = |cp: u32, context, sequence_heads| {
        let seq = 65_536 * cp;
        let mut base = setup(&format!("cluster=dgx-h100&model=gpt-3-175b&gpus={cp}&cp={cp}&seq={seq}"));
        base = Setup { choices: Choices { context, sequence_heads, ..base.choices }, ..base };
        base.network.intra_node_latency = Seconds::ZERO;
        TpCpComm::new(&base, 2.0, &UNHIDDEN, &Layers::DENSE).layer_forward.get()
    };
    let heads = |cp| of(cp, ContextExchange::AllToAll, cp);
    assert!((heads(8) / heads(4) / (7.0 / 8.0 / (3.0 / 4.0)) - 1.0).abs() < 0.02);
    let gathered = |cp| of(cp, ContextExchange::AllGather, 1);
    assert!((gathered(8) / gathered(4) / (7.0 / 3.0) - 1.0).abs() < 0.02);
    let sent = 2.0 * 65_536.0 * 12_288.0 * 4.0 * 7.0 / 8.0;
    let rate = setup("cluster=dgx-h100").network.intra_node * setup("cluster=dgx-h100").network.intra_node_efficiency;
    assert!((heads(8) / (sent / rate.get()) - 1.0).abs() < 0.02);
}

/// Llama 3 8B has 32 heads for queries and 8 for keys: implementations of Ulysses distribute up to
/// 32 and repeat keys (arXiv 2506.13996, section 3.2.1), Megatron only whole groups; the rest of
/// the GPUs is a ring.
#[test]
fn heads_limit_an_all_to_all() {
    let of = |link: &str| setup(&format!("cluster=dgx-h100&model=llama-3-8b&gpus=64&seq=1m&{link}")).sequence_heads;
    assert_eq!(of("cp=32&cpcomm=alltoall&framework=deepspeed"), 32);
    assert_eq!(of("cp=64&cpcomm=alltoall&framework=deepspeed"), 32);
    assert_eq!(of("cp=64&cpcomm=alltoall&framework=deepspeed&tp=1"), 32);
    assert_eq!(of("cp=32&cpcomm=alltoall&framework=megatron"), 8);
    assert_eq!(of("cp=32&cpcomm=alltoall&framework=megatron&tp=2"), 4);
    assert_eq!(of("cp=32&cpcomm=mixed&cpheads=4&framework=megatron"), 4);
    assert_eq!(of("cp=32&cpcomm=ring"), 1);
}

/// Gate and up in 8 bits: two bytes a token less for each of the 28,672 elements of Llama 2 70B, in
/// each of its 80 layers. MLPerf Training's runs on a B200 with `FP8_ACT=1` (NVIDIA's
/// configuration with TP, CP and SP off) allocate 168.8 GiB.
#[test]
fn an_activation_that_keeps_its_input_in_8_bits_keeps_half_of_it() {
    let of = |way: &str| {
        let link =
            "cluster=dgx-b200&model=llama-2-70b&seq=8192&gpus=8&train=lora&targets=attention&loradrop=yes&base=fp8";
        let more =
            "recipe=zero-mixed&strategy=zero1&sp=no&asynctp=yes&attnkernel=flash-fp8&loss=fused&compute=fp8-gather";
        let setup = decode(&format!("{link}&{more}&framework=megatron&{way}")).scenario.setup();
        memory::peak(&setup, &stages(&setup))
    };
    let [kept, whole] = ["act8=yes", "act8=no"].map(of);
    let activations = |report: &MemoryReport| report.parts.get(MemoryPart::Activations).get();
    assert_eq!(activations(&whole) - activations(&kept), 2.0 * 28_672.0 * 80.0 * 8192.0);
    assert!((kept.allocated.gib() / 168.827 - 1.0).abs() < 0.02, "{}", kept.allocated.gib());
}

/// A tiled MLP of Llama 3.1 8B at 256K tokens holds at most a tenth of the untiled one (arXiv
/// 2506.13996, section 3.1.1), and the products of its forward pass run once more.
#[test]
fn a_tiled_mlp_holds_one_tile() {
    let whole = setup("cluster=dgx-h100&model=llama-3.1-8b&gpus=8&seq=256k");
    let mut tiled = whole;
    tiled.kernels.tiled_mlp = true;
    let (all, one) = (activations(&whole, Recompute::None), activations(&tiled, Recompute::None));
    // Gate, up, the activation's output, the product.
    let hidden = 4.0 * 14_336.0 * 2.0;
    assert_eq!(all.whole - one.whole, hidden);
    let of_mlp = |layer: LayerBytes, kept: f64| kept + layer.gradients;
    assert!(of_mlp(one, 0.0) < 0.1 * of_mlp(all, hidden), "{one:?}");
    let mlp = 3.0 * 4096.0 * 14_336.0 * 2.0;
    let again = recomputed_per_token(&tiled, 0.0) - recomputed_per_token(&whole, 0.0);
    assert_eq!(again.get(), 32.0 * mlp);
}

/// Weights in host memory cross PCIe (63 GB/s) before they are gathered, on each GPU the 4 bytes of
/// its shard of the root unit, two vocabularies of 128,256 and a norm in Llama 3 8B, and of a layer
/// of `2 H (H + 1,024) + 3 H F + 2 H`; one GPU has all of it.
#[test]
fn the_shard_of_an_offloaded_unit_comes_from_the_host() {
    for gpus in [64, 1] {
        let gather = |offloaded| {
            let mut setup = setup(&format!("cluster=dgx-h100&model=llama-3-8b&gpus={gpus}&strategy=full-shard"));
            setup.accelerator.host_link = BytesPerSecond::from_gb_per_s(63.0);
            setup.offload.parameters = offloaded;
            assert_eq!(recipe_bytes(setup.recipe).weights, 4.0);
            let comm = Playback::new(&setup).plan().comm(true, true);
            [comm.gather_root, comm.gather_layer].map(Seconds::get)
        };
        let root = 2.0 * 128_256.0 * 4096.0 + 4096.0;
        let layer = 2.0 * 4096.0 * (4096.0 + 1024.0) + 3.0 * 4096.0 * 14_336.0 + 2.0 * 4096.0;
        for ((here, there), params) in gather(true).into_iter().zip(gather(false)).zip([root, layer]) {
            let from_host = here - there;
            assert!((from_host / (4.0 * params / f64::from(gpus) / 63e9) - 1.0).abs() < 1e-9, "{from_host}");
        }
    }
}

/// Bytes per logit alive in PyTorch's losses (storages on fake tensors, one by one): log-softmax
/// and gradient, with the logits that the trainer or the model keeps.
#[test]
fn every_loss_holds_the_bytes_of_its_tensors() {
    for (loss, bytes) in [("standard", 12.0), ("kept", 14.0), ("fp32-logits", 16.0), ("bf16", 6.0), ("bf16-kept", 8.0)]
    {
        let report = decode(&format!("model=llama-3.2-1b&gpus=8&mbs=4&recompute=full&loss={loss}")).scenario.report();
        assert_eq!(report.memory.moment, PeakMoment::Loss, "{loss}");
        close(report.memory.parts.get(MemoryPart::Logits).get(), bytes * 4.0 * 4096.0 * 128_256.0);
    }
}

/// With all states in bf16, moments have 16 bits, whatever the format of reduced gradients.
#[test]
fn pure_bf16_keeps_eight_bytes_a_parameter_however_it_reduces() {
    for recipe in [PrecisionPolicy::PureBf16, PrecisionPolicy::PureBf16Reduce32] {
        let mut setup = setup("size=13B");
        setup.recipe = recipe;
        assert_eq!(optimizer_bytes(&setup), (4.0, 4.0));
        assert_eq!((recipe_bytes(recipe).weights, recipe_bytes(recipe).gradients), (2.0, 2.0));
    }
}

/// Megatron-Core pairs one layer's forward pass with another's backward pass
/// (`TransformerModelChunkSchedulePlan.run`), so that a stage holds one layer more; DualPipe keeps
/// a micro-batch more (arXiv 2412.19437, table 2).
#[test]
fn exchanges_beside_another_micro_batch_keep_one_layer_more() {
    let in_flight = |link: &str, overlap: &str| {
        let link = format!("model=mixtral-8x7b&gpus=64&ep=8&accum=64&{link}&epoverlap={overlap}");
        let stages = stages(&setup(&link));
        (stages.first.in_flight, f64::from(stages.first.layers))
    };
    for pipeline in ["pp=1", "pp=4&schedule=interleaved&vpp=4"] {
        for framework in ["megatron", "pytorch"] {
            let link = format!("{pipeline}&framework={framework}");
            let (without, layers) = in_flight(&link, "no");
            let more = if framework == "megatron" { 1.0 } else { layers };
            let found = (in_flight(&link, "yes").0 - without) * layers;
            assert!((found - more).abs() < 1e-9, "{link}: {found} layers more");
        }
    }
}

/// All layers share user buffers: Megatron's asynchronous tensor parallelism keeps no additional
/// tensors of a layer; nanotron's does.
#[test]
fn asynchronous_tensor_parallelism_of_megatron_keeps_nothing_beside() {
    let whole = |framework: &str, overlap: &str| {
        let link = format!("model=llama-3-70b&gpus=64&tp=8&framework={framework}&asynctp={overlap}");
        layer(&setup(&link), 2.0, &Layers::DENSE).whole
    };
    close(whole("megatron", "yes"), whole("megatron", "no"));
    assert!(whole("nanotron", "yes") > whole("megatron", "yes"));
}

/// Inputs of products are kept in their format: 8 bits, or 4 with an 8-bit scale for 16 elements
/// (NVFP4).
#[test]
fn inputs_of_products_are_kept_in_their_format() {
    let whole = |format: &str| {
        layer(&setup(&format!("model=llama-3-8b&framework=megatron&compute={format}")), 2.0, &Layers::DENSE).whole
    };
    // Two norms' outputs, attention's and the MLP's last input.
    let inputs = 2.0 * 4096.0 + 4096.0 + 14_336.0;
    close(whole("recipe") - whole("fp8"), inputs);
    close(whole("recipe") - whole("fp4"), inputs * (2.0 - 0.5625));
}

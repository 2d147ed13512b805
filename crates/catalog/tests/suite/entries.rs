//! The catalog holds what its sources say: counts to the parameter, references that resolve,
//! numbers within reason.

use engine::model::hardware::Generation;
use std::collections::HashSet;

use catalog::{ACCELERATORS, CLUSTERS, INTERCONNECTS, MODELS, SCENARIOS};
use engine::model::ladder;
use engine::model::transformer::Architecture;
use engine::scenario::CUSTOM;
use links::decode;

/// Lower-case words of letters, digits and dots (as in `llama-3.1-8b`), joined by single hyphens.
fn is_kebab_case(id: &str) -> bool {
    let ok = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'.';
    !id.is_empty() && id.split('-').all(|word| !word.is_empty() && word.bytes().all(ok))
}

/// Keys are distinct and fit a link; names are distinct; everything has a source.
fn check_table<'a>(table: &str, rows: impl Iterator<Item = (&'a str, &'a str, &'a str)>) {
    let (mut ids, mut names) = (HashSet::new(), HashSet::new());
    for (id, name, source) in rows {
        assert!(is_kebab_case(id), "{table}: {id}");
        assert_ne!(id, CUSTOM, "{table}");
        assert!(ids.insert(id), "{table}: {id} occurs twice");
        assert!(!name.trim().is_empty() && names.insert(name), "{table}: the name {name} occurs twice");
        assert!(source.trim().len() > 8 && !source.contains("  "), "{table}: {id} has no source: {source}");
    }
    assert!(!ids.is_empty(), "{table}");
}

#[test]
fn keys_are_distinct_kebab_case_and_every_row_has_a_source() {
    check_table("accelerators", ACCELERATORS.iter().map(|row| (row.id, row.name, row.source)));
    check_table("interconnects", INTERCONNECTS.iter().map(|row| (row.id, row.name, row.source)));
    check_table("clusters", CLUSTERS.iter().map(|row| (row.id, row.name, row.source)));
    check_table("models", MODELS.iter().map(|row| (row.id, row.name, row.source)));
    check_table("scenarios", SCENARIOS.iter().map(|row| (row.id, row.name, row.source)));
}

#[test]
fn counts_are_those_of_the_real_implementations() {
    for model in MODELS {
        assert_eq!(model.architecture.params(), model.params, "{}", model.id);
        if !model.architecture.has_experts() {
            assert_eq!(model.architecture.active_params(), model.params, "{}", model.id);
        }
    }
}

/// All parameters, and those that one token uses with the embedding among them: counted from the
/// public configurations. The totals are those of the public checkpoints where these hold nothing
/// else.
#[test]
fn mixtures_of_experts_have_their_total_and_active_counts() {
    let counts = [
        ("mixtral-8x7b", 46_702_792_704, 12_879_925_248),
        ("mixtral-8x22b", 140_620_634_112, 39_152_031_744),
        ("qwen-1.5-moe-a2.7b", 14_315_784_192, 2_689_173_504),
        ("qwen-2-57b-a14b", 57_408_658_944, 14_249_270_784),
        ("qwen-3-30b-a3b", 30_532_122_624, 3_353_032_704),
        ("qwen-3-235b-a22b", 235_093_634_560, 22_190_763_520),
        ("qwen-3-next-80b-a3b", 79_674_391_296, 3_874_929_408),
        // Counted by transformers 5.23.0 on the meta device, as all below that have its class.
        ("qwen-3-coder-480b-a35b", 480_154_875_392, 35_474_765_312),
        ("qwen-3.5-35b-a3b", 34_660_610_688, 3_454_988_928),
        ("qwen-3.5-122b-a10b", 122_111_526_912, 9_771_288_576),
        ("qwen-3.5-397b-a17b", 396_346_350_336, 17_349_040_896),
        ("gemma-4-26b-a4b", 25_233_141_760, 3_822_530_560),
        ("deepseek-v3-16b", 15_706_484_224, 2_661_150_208),
        ("jamba-52b", 51_570_323_328, 12_110_311_296),
        ("minimax-m2", 228_689_748_992, 11_030_537_216),
        ("granite-4-h-tiny", 6_939_037_248, 1_465_470_528),
        ("granite-4-h-small", 32_207_337_984, 8_803_121_664),
        ("kimi-linear-48b-a3b", 49_122_675_072, 3_484_453_248),
        ("minimax-text-01", 456_089_655_296, 48_403_306_496),
        ("deepseek-v2-lite", 15_706_484_224, 2_661_150_208),
        ("deepseek-v2", 235_741_434_880, 21_375_800_320),
        ("deepseek-v3", 671_026_419_200, 37_552_297_472),
        ("moonlight-16b-a3b", 15_960_110_208, 2_914_776_192),
        ("kimi-k2", 1_026_408_232_448, 32_861_500_928),
        ("gpt-oss-20b", 20_914_757_184, 4_187_440_704),
        ("gpt-oss-120b", 116_829_156_672, 5_711_982_912),
        // The checkpoints' totals less the vision tower and its projection, 871,932,416 in both.
        ("llama-4-scout", 108_641_793_536 - 871_932_416, 17_172_894_720),
        ("llama-4-maverick", 401_583_781_376 - 871_932_416, 17_184_691_200),
        ("phi-3.5-moe", 41_873_153_344, 6_640_999_744),
        ("olmoe-1b-7b", 6_919_161_856, 1_282_017_280),
        ("dbrx", 131_596_523_520, 36_469_708_800),
        // The checkpoints' totals less the layer that predicts a second token, with an embedding
        // and a head of its own.
        ("glm-4.5-air", 110_468_824_832 - 2_375_059_584 - 2 * 151_552 * 4096, 13_424_129_664),
        ("glm-4.5", 358_337_791_296 - 3_988_069_792 - 2 * 151_552 * 5120, 33_632_266_144),
        ("nemotron-3-nano", 31_577_937_344, 3_580_073_408),
        ("nemotron-3-super", 120_668_687_360, 12_770_216_960),
        ("nemotron-3-ultra", 549_308_968_960, 56_058_818_560),
        ("grok-1", 315_684_820_992, 83_756_587_008),
        ("megascale-352b", 351_860_133_888, 45_340_397_568),
        // Counted by transformers 5.24.0 on the meta device.
        ("mistral-small-4", 118_972_826_624, 6_632_588_288),
        ("glm-4.7-flash", 29_943_390_976, 3_896_763_136),
        ("glm-5", 743_911_199_232, 41_784_709_632),
        ("hy3", 295_033_528_320, 20_675_715_072),
        ("ernie-4.5-21b-a3b", 21_825_437_888, 3_352_150_208),
        ("lfm2-8b-a1b", 8_339_929_856, 1_557_740_288),
        ("qwen-3-vl-30b-a3b", 31_070_754_032, 3_891_664_112),
        // GLM-4.5-Air's, and an encoder of 858,681,856.
        ("glm-4.5v", 107_710_933_120, 13_424_129_664 + 858_681_856),
        ("glm-4.6v", 107_710_933_120, 13_424_129_664 + 858_681_856),
    ];
    for (id, params, active) in counts {
        let shape = catalog::model(id).expect(id).architecture;
        assert_eq!((shape.params(), shape.active_params()), (params, active), "{id}");
    }
    let mixtures = MODELS.iter().filter(|model| model.architecture.has_experts());
    assert_eq!(mixtures.count(), counts.len());
}

/// Active parameters as printed, in billions. Those of gpt-oss, V2-Lite and GLM are without the
/// embedding.
#[test]
fn active_counts_round_to_the_printed_ones() {
    for (id, billions, embedding) in [
        ("mixtral-8x7b", 12.9, true),      // mistral.ai/news/mixtral-of-experts
        ("mixtral-8x22b", 39.0, true),     // mistral.ai/news/mixtral-8x22b
        ("deepseek-v2-lite", 2.4, false),  // its model card
        ("deepseek-v2", 21.0, true),       // arXiv 2405.04434
        ("deepseek-v3", 37.0, true),       // arXiv 2412.19437
        ("gpt-oss-20b", 3.61, false),      // arXiv 2508.10925, Table 1
        ("gpt-oss-120b", 5.13, false),     // the same
        ("olmoe-1b-7b", 1.28, true),       // arXiv 2409.02060
        ("phi-3.5-moe", 6.6, true),        // its model card
        ("qwen-1.5-moe-a2.7b", 2.7, true), // its model card
        ("qwen-2-57b-a14b", 14.0, true),   // its model card
        ("glm-4.5", 32.0, false),          // its model card
        ("llama-4-scout", 17.0, true),     // its model card
        ("hy3", 21.0, true),               // its model card
    ] {
        let shape = catalog::model(id).expect(id).architecture;
        let counted = shape.active_params() - if embedding { 0 } else { shape.embedding_params() };
        assert!((counted as f64 / 1e9 / billions - 1.0).abs() < 0.03, "{id}: {counted}");
    }
}

/// Counts that model cards, checkpoints' indices and papers print, checked apart from the table.
#[test]
fn counts_are_the_published_ones() {
    for (id, published) in [
        ("llama-2-7b", 6_738_415_616),
        ("llama-2-13b", 13_015_864_320),
        ("llama-2-70b", 68_976_648_192),
        ("llama-3-8b", 8_030_261_248),
        ("llama-3-70b", 70_553_706_496),
        ("llama-3.1-405b", 405_853_388_800),
        ("llama-3.2-1b", 1_235_814_400),
        ("mistral-7b", 7_241_732_096),
        ("qwen-2.5-7b", 7_615_616_512),
        ("qwen-3-8b", 8_190_735_360),
        ("gemma-2-9b", 9_241_705_984),
        ("gpt-2", 124_439_808),
        ("gpt-2-xl", 1_557_611_200),
        ("bloom-176b", 176_247_271_424),
        ("mpt-7b", 6_649_286_656),
        ("mpt-bench-30b", 29_975_214_080),
        ("pythia-12b", 11_846_072_320),
        ("falcon-40b", 41_303_293_952),
        ("falcon-180b", 179_522_565_120),
        ("gemma-3-1b", 999_885_952),
        // The checkpoint's total less the vision tower (416,867,184) and its projection of 1,152
        // into H.
        ("gemma-3-4b", 4_300_079_472 - 416_867_184 - 1152 * 2560),
        ("gemma-3-12b", 12_187_325_040 - 416_867_184 - 1152 * 3840),
        ("gemma-3-27b", 27_432_406_640 - 416_867_184 - 1152 * 5376),
        ("olmo-2-1b", 1_484_916_736),
        ("olmo-2-7b", 7_298_617_344),
        ("olmo-2-13b", 13_716_198_400),
        ("internlm-2-7b", 7_737_708_544),
        ("internlm-2-20b", 19_861_149_696),
        ("yi-9b", 8_829_407_232),
        ("smollm-3-3b", 3_075_098_624),
        ("phi-4-mini", 3_836_021_760),
        ("playbook-80b", 79_995_084_800),
        ("qwen-1-7b", 7_721_324_544),
        ("qwen-1-14b", 14_167_290_880),
        ("chatglm-3-6b", 6_243_584_000),
        ("glm-4-9b-chat", 9_399_951_360),
        ("glm-4-9b-0414", 9_400_279_040),
        ("phi-1.5", 1_418_270_720),
        ("phi-2", 2_779_683_840),
        ("phi-3.5-mini", 3_821_079_552),
        ("ministral-8b", 8_019_808_256),
        ("olmo-3-7b", 7_298_011_136),
        ("stablelm-3b-4e1t", 2_795_443_200),
        // The README counts the norms and the biases after the blocks on each of four
        // tensor-parallel GPUs, of 7B on each of two.
        ("stablelm-alpha-3b", 3_638_525_952 - 3 * (16 * 6 + 2) * 4096),
        ("stablelm-alpha-7b", 7_869_358_080 - (16 * 6 + 2) * 6144),
        // The report on Ministral 3 prints 3.4B, 8.4B and 13.5B for the language models.
        ("ministral-3-8b", 8_918_026_240 - 428_472_320),
        ("gemma-3-270m", 268_098_176),
        ("olmo-2-32b", 32_234_279_936),
        ("seed-oss-36b", 36_151_104_512),
        ("lfm2-1.2b", 1_170_340_608),
        ("qwen-3-vl-8b", 8_767_123_696),
        ("qwen-2-vl-2b", 2_208_985_600),
        ("qwen-2-vl-7b", 8_291_375_616),
        ("qwen-2-vl-72b", 73_405_560_320),
        ("qwen-2.5-vl-3b", 3_754_622_976),
        ("qwen-2.5-vl-7b", 8_292_166_656),
        ("qwen-2.5-vl-32b", 33_452_718_336),
        ("qwen-2.5-omni-7b", 8_931_813_888),
        // The checkpoint's total less the matrices, biases and norms that embed images and sound,
        // and the scale of each layer.
        ("gemma-4-12b", 11_959_730_224 - 52_379_904 - 48),
        ("nemotron-nano-9b-v2", 8_888_227_328),
        // The model card counts 30.95B without the embedding and the head.
        ("exaone-4-32b", 30_954_640_384 + 2 * 102_400 * 5120),
        // The checkpoint's total less the two weights of each layer's activation function.
        ("apertus-8b", 8_053_338_176 - 2 * 32),
    ] {
        assert_eq!(catalog::model(id).map(|model| model.params), Some(published), "{id}");
    }
}

/// GPT-3 (arXiv 2005.14165, Table D.1, millions), Megatron-LM (arXiv 2104.04473, Table 1, billions)
/// and the names and cards of newer models print rounded counts.
#[test]
fn counts_round_to_the_printed_ones() {
    for (id, millions) in [
        ("gpt-3-125m", 125.0),
        ("gpt-3-350m", 356.0),
        ("gpt-3-760m", 760.0),
        ("gpt-3-1.3b", 1320.0),
        ("gpt-3-2.7b", 2650.0),
        ("gpt-3-6.7b", 6660.0),
        ("gpt-3-13b", 12_850.0),
        ("gpt-3-175b", 174_600.0),
        ("ministral-3-3b", 3430.0),
        ("ministral-3-14b", 13_500.0),
        ("mistral-small-4", 119_000.0),
        ("glm-5", 744_000.0),
        ("glm-4.7-flash", 30_000.0),
        ("hy3", 295_000.0),
        ("exaone-4-32b", 32_000.0),
    ] {
        let counted = catalog::model(id).map_or(0.0, |model| model.params as f64 / 1e6);
        assert!((counted / millions - 1.0).abs() < 0.004, "{id}: {counted}");
    }
    for model in MODELS.iter().filter(|model| model.family == "Megatron-LM") {
        let printed: f64 = model.id.trim_start_matches("megatron-").trim_end_matches('b').parse().unwrap();
        assert!((model.params as f64 / 1e9 - printed).abs() < 0.051, "{}: {}", model.id, model.params);
    }
}

#[test]
fn parts_add_up_to_the_whole() {
    for model in MODELS {
        let shape = &model.architecture;
        let blocks = shape.blocks();
        let of = |layers: u32, params: u64| u64::from(layers) * params;
        let attention = shape.attention_params_per_layer() + shape.attention_norm_params();
        let norms = u64::from(shape.norms_per_layer) * shape.norm_params();
        assert_eq!(attention + norms + shape.mlp_params_per_layer(), shape.dense_layer_params(), "{}", model.id);
        let experts = shape.routed_params_per_layer() + shape.router_and_shared_params_per_layer();
        let layers = of(blocks.layers, norms)
            + of(blocks.attention, attention)
            + of(blocks.recurrent, shape.recurrent_params_per_layer())
            + of(blocks.dense, shape.mlp_params_per_layer())
            + of(blocks.experts, experts);
        let ends = shape.embedding_params() + shape.position_params() + shape.head_params() + shape.outer_norm_params();
        let tower = shape.tower.params + shape.tower.projector_params;
        let named = (layers + ends + tower).cast_signed();
        assert_eq!(named + shape.extra.layers + shape.extra.outside, model.params.cast_signed(), "{}", model.id);
    }
}

#[test]
fn an_absurd_shape_saturates() {
    let absurd = Architecture {
        num_hidden_layers: u32::MAX,
        hidden_size: u32::MAX,
        num_attention_heads: u32::MAX,
        num_key_value_heads: u32::MAX,
        head_dim: u32::MAX,
        intermediate_size: u32::MAX,
        vocab_size: u32::MAX,
        ..ladder::architecture(13e9)
    };
    assert_eq!(absurd.params(), u64::MAX);
}

#[test]
fn the_ladder_is_the_one_of_the_model_size_slider() {
    let entries: Vec<_> = MODELS.iter().filter(|model| model.id.starts_with("ladder-")).collect();
    assert_eq!(entries.len(), ladder::ANCHORS.len());
    for (entry, (size, _, _)) in entries.into_iter().zip(ladder::ANCHORS) {
        assert_eq!(entry.id, format!("ladder-{}b", size / 1e9));
        assert_eq!(entry.architecture, ladder::architecture(size), "{}", entry.id);
    }
}

#[test]
fn shapes_are_within_reason() {
    for model in MODELS {
        let shape = &model.architecture;
        assert!((1..=200).contains(&shape.num_hidden_layers), "{}", model.id);
        assert!((128..=32_768).contains(&shape.hidden_size), "{}", model.id);
        assert!((32..=256).contains(&shape.head_dim), "{}", model.id);
        assert!(shape.num_key_value_heads >= 1, "{}", model.id);
        assert_eq!(shape.num_attention_heads % shape.num_key_value_heads, 0, "{}", model.id);
        let experts = shape.experts;
        if shape.has_experts() {
            assert!((4..=512).contains(&experts.num_experts), "{}", model.id);
            assert!((1..=22).contains(&experts.num_experts_per_tok), "{}", model.id);
            assert!((512..=32_768).contains(&experts.moe_intermediate_size), "{}", model.id);
            assert_eq!(experts.num_experts % experts.n_group.max(1), 0, "{}", model.id);
        }
        let dense_layers = shape.blocks().dense > 0;
        assert!(!dense_layers || shape.intermediate_size > shape.hidden_size, "{}", model.id);
        assert!((32_000..=300_000).contains(&shape.vocab_size), "{}", model.id);
        assert!((1024..=1_048_576).contains(&model.max_position_embeddings), "{}", model.id);
        let positions = shape.learned_positions;
        assert!(positions == 0 || positions >= model.max_position_embeddings, "{}", model.id);
        assert!((7e7..1.1e12).contains(&(model.params as f64)), "{}", model.id);
    }
}

#[test]
fn windows_are_the_published_ones() {
    let windows: Vec<_> = MODELS
        .iter()
        .map(|model| (model.id, model.architecture.sliding_window, model.architecture.global_every))
        .filter(|&(_, window, global_every)| window > 0 || global_every > 0)
        .collect();
    assert_eq!(windows.len(), 31);
    for (id, window, global_every) in [
        ("mistral-7b", 4096, 0),
        ("gemma-2-9b", 4096, 2),
        ("gemma-3-1b", 512, 6),
        ("gemma-3-27b", 1024, 6),
        ("gemma-4-12b", 1024, 6),
        ("phi-3-mini", 2047, 0),
        ("starcoder-2-3b", 4096, 0),
        ("command-r7b", 4096, 4),
        ("ministral-8b", 32_768, 4),
        ("olmo-3-7b", 4096, 4),
        ("gpt-oss-20b", 128, 2),
        ("llama-4-maverick", 8192, 4),
    ] {
        assert!(windows.contains(&(id, window, global_every)), "{id}");
    }
}

#[test]
fn families_are_listed_together() {
    let mut seen = HashSet::new();
    let mut last = "";
    for model in MODELS {
        assert!(model.family == last || seen.insert(model.family), "{}: {} again", model.id, model.family);
        last = model.family;
    }
}

#[test]
fn the_catalog_holds_what_it_promises() {
    assert!(ACCELERATORS.len() >= 25 && INTERCONNECTS.len() >= 12 && CLUSTERS.len() >= 12 && MODELS.len() >= 45);
}

#[test]
fn accelerators_are_within_reason() {
    for gpu in ACCELERATORS {
        let values = gpu.values;
        assert!((8.0..=512.0).contains(&values.memory.gib()), "{}", gpu.id);
        // Error correction takes a sixteenth, the driver a few percent, macOS a sixth.
        assert!((83.0..=100.0).contains(&values.usable_percent), "{}: {}", gpu.id, values.usable_percent);
        assert!((200.0..=10_000.0).contains(&values.memory_bandwidth.gb_per_s()), "{}", gpu.id);
        assert!((9.0..=3000.0).contains(&values.peak_16bit.tflops()), "{}", gpu.id);
        let fp8 = values.peak_8bit / values.peak_16bit;
        assert!(fp8 == 1.0 || (1.94..=3.76).contains(&fp8), "{}: {fp8}", gpu.id);
        let fp4 = values.peak_4bit / values.peak_8bit;
        assert!(fp4 == 1.0 || (1.99..=4.01).contains(&fp4), "{}: {fp4}", gpu.id);
        assert!((15.0..=820.0).contains(&values.host_link.gb_per_s()), "{}", gpu.id);
        assert!((60.0..=1400.0).contains(&values.power), "{}", gpu.id);
        // fp32 runs on the vector units: far below the 16-bit peak of matrix units, where there are
        // any.
        let fp32 = values.peak_32bit / values.peak_16bit;
        let has_matrix_units = !matches!(values.generation, Generation::Pascal | Generation::Apple);
        assert!((0.02..=if has_matrix_units { 0.51 } else { 1.0 }).contains(&fp32), "{}: {fp32}", gpu.id);
        let efficiency = values.efficiency;
        for fraction in [efficiency.matmul, efficiency.attention_tuned, efficiency.memory] {
            assert!((0.15..=1.0).contains(&fraction), "{}: {fraction}", gpu.id);
        }
        // AOTriton's kernels on ROCm are slower yet.
        assert!((0.05..=efficiency.attention_tuned).contains(&efficiency.attention), "{}", gpu.id);
        assert!(efficiency.half_saturation_tokens >= 0.0 && efficiency.launch_per_layer.ms() < 1.0, "{}", gpu.id);
    }
}

#[test]
fn interconnects_are_within_reason() {
    for link in INTERCONNECTS {
        assert!((1.0..=8000.0).contains(&link.bandwidth.gbit_per_s()), "{}", link.id);
        assert!((1.0..=500.0).contains(&link.latency.us()), "{}", link.id);
        assert!((0.1..=0.95).contains(&link.efficiency), "{}", link.id);
    }
}

#[test]
fn clusters_refer_to_entries_that_exist() {
    for cluster in CLUSTERS {
        assert!(catalog::accelerator(cluster.accelerator).is_some(), "{}: {}", cluster.id, cluster.accelerator);
        let intra = catalog::interconnect(cluster.intra_node).expect(cluster.intra_node);
        let inter = catalog::interconnect(cluster.inter_node).expect(cluster.inter_node);
        assert!(intra.intra_node && !inter.intra_node, "{}", cluster.id);
        assert!((1..=2048).contains(&cluster.gpus_per_node), "{}", cluster.id);
        let network = cluster.network().expect(cluster.id);
        assert_eq!((network.id, network.values.gpus_per_node), (cluster.id, cluster.gpus_per_node));
        assert!(network.values.intra_node >= network.values.inter_node, "{}", cluster.id);
        assert_eq!(cluster.accelerator().map(|gpu| gpu.id), Some(cluster.accelerator));
    }
}

#[test]
fn the_first_visit_is_a_catalog_cluster_without_issues_and_the_first_scenario() {
    let scenario = catalog::default_scenario();
    let cluster = catalog::cluster(scenario.network.id).expect(scenario.network.id);
    assert_eq!(cluster.network(), Some(scenario.network));
    assert_eq!(cluster.accelerator(), Some(scenario.accelerator));
    assert_eq!(engine::validate::issues(&scenario), []);
    assert_eq!(SCENARIOS.first().map(|first| decode(first.link).scenario), Some(scenario));
}

#[test]
fn scenarios_decode_without_issues_fit_in_memory_and_say_what_to_notice() {
    for scenario in SCENARIOS {
        assert!(scenario.notice.ends_with('.') && scenario.notice.len() > 40, "{}", scenario.id);
        assert!(scenario.link.starts_with("v=1&") && scenario.link.len() < 400, "{}", scenario.id);
        let decoded = decode(scenario.link);
        assert_eq!(decoded.issues, [], "{}", scenario.id);
        assert_eq!(engine::validate::issues(&decoded.scenario), [], "{}", scenario.id);
        assert!(decoded.scenario.report().fits(), "{}", scenario.id);
    }
}

/// The documentation lists the recipes in 8 and 4 bits as the code does.
#[test]
fn the_documentation_has_every_recipe_in_few_bits() {
    const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/model/states.md");
    const MARK: &str = "<!-- low precision -->\n";
    let text = std::fs::read_to_string(DOCUMENT).unwrap();
    let parts: Vec<&str> = text.split(MARK).collect();
    let [before, _, after] = parts.as_slice() else { panic!("two marks") };
    let wanted = [before, MARK, &catalog::low_precision::table(), "\n", MARK, after].concat();
    expect_test::expect_file![DOCUMENT].assert_eq(&wanted);
}

/// Names are unique within a library, and every name of Megatron-Bridge has a recipe.
#[test]
fn recipes_in_few_bits_have_names_of_their_own() {
    use catalog::low_precision::{LOW_PRECISION, Library, MIXED, named};
    for recipe in LOW_PRECISION {
        for spelled in recipe.spelled {
            assert!(named(recipe.library, spelled).is_some_and(|found| found.name == recipe.name), "{spelled}");
        }
    }
    for mixed in MIXED {
        assert!(named(Library::TransformerEngine, mixed.recipe).is_some(), "{}", mixed.name);
    }
}

//! Tests of products in 8 and 4 bits, by the names of recipes.

use engine::model::training::ComputeFormat::{Fp4, Fp8, Fp8Gather};
use engine::scenario::Scenario;
use files::run::{File, Run, read_run};
use links::decode::decode;

fn run(name: &str, text: &str) -> Run {
    read_run(&[File::new(name, text)], &decode("cluster=dgx-b200&gpus=8").scenario).unwrap()
}

fn megatron(flags: &str) -> Run {
    let shape = "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --bf16 --use-distributed-optimizer";
    run("train.sh", &format!("torchrun --nproc_per_node 8 pretrain_gpt.py {shape} {flags}\n"))
}

fn of(scenario: &Scenario) -> (engine::model::training::ComputeFormat, bool, u32) {
    (scenario.compute_format, scenario.gradients_in_16_bits, scenario.layers_in_16_bits)
}

#[test]
fn megatron_s_flags() {
    for (flags, expected, named) in [
        ("--fp8-format hybrid", (Fp8, false, 0), ""),
        (
            "--fp8-format hybrid --fp8-recipe tensorwise --fp8-param-gather",
            (Fp8Gather, false, 0),
            "Float8CurrentScaling",
        ),
        ("--fp8-format e4m3 --fp8-recipe blockwise", (Fp8, false, 0), "Float8BlockScaling"),
        ("--fp8-format hybrid --fp8-recipe delayed --no-fp8-wgrad", (Fp8, true, 0), "DelayedScaling"),
        ("--fp8-format e4m3 --fp8-recipe mxfp8 --first-last-layers-bf16", (Fp8, false, 2), "MXFP8BlockScaling"),
        (
            "--fp4-format e2m1 --fp4-recipe nvfp4 --first-last-layers-bf16 --num-layers-at-start-in-bf16 0 --num-layers-at-end-in-bf16 4",
            (Fp4, false, 4),
            "NVFP4BlockScaling",
        ),
    ] {
        let run = megatron(flags);
        assert_eq!(of(&run.scenario), expected, "{flags}");
        assert!(named.is_empty() || run.understood.iter().any(|line| line.meaning.contains(named)), "{flags}");
        assert!(run.ignored.is_empty(), "{flags}: {:?}", run.ignored);
    }
    let run = megatron("--fp8-format hybrid --fp8-recipe mxfp8 --fp8-param-gather");
    assert!(run.assumed.iter().any(|said| said.contains("MXFP8BlockScaling in 16 bits")), "{:?}", run.assumed);
    let run = megatron("--fp8-format hybrid --fp8-recipe unheard-of");
    assert!(run.assumed.iter().any(|said| said.contains("unheard-of")), "{:?}", run.assumed);
}

#[test]
fn megatron_bridge_s_names() {
    for (name, expected) in [
        ("bf16_with_mxfp8_mixed", (Fp8Gather, false, 0)),
        ("bf16_with_fp8_current_scaling_mixed", (Fp8Gather, false, 2)),
        ("nemotron_h_bf16_with_fp8_current_scaling_mixed", (Fp8Gather, false, 4)),
        ("bf16_with_fp8_subchannel_scaling_mixed", (Fp8, false, 0)),
        ("nemotron_3_super_bf16_with_nvfp4_mixed", (Fp4, false, 14)),
    ] {
        let text = format!(
            "recipe: llama3_8b_pretrain_config\nmixed_precision: {name}\nmodel:\n  seq_length: 4096\n  tensor_model_parallel_size: 1\n"
        );
        let run = run("bridge.yaml", &text);
        assert_eq!(of(&run.scenario), expected, "{name}: {:?}", run.formats);
    }
}

#[test]
fn torchtitan_s_recipes() {
    let of_recipe = |section: &str, recipe: &str, more: &str| {
        let converter = section.rsplit('.').next().unwrap();
        run(
            "train.toml",
            &format!(
                "[model]\nname = \"llama3\"\nflavor = \"8B\"\nconverters = [\"quantize.linear.{converter}\"]\n\n[training]\nlocal_batch_size = 1\nseq_len = 8192\n\n\
                 [{section}]\nrecipe_name = \"{recipe}\"\n{more}"
            ),
        )
    };
    assert_eq!(of(&of_recipe("quantize.linear.float8", "rowwise", "").scenario), (Fp8, false, 0));
    assert_eq!(of(&of_recipe("quantize.linear.float8", "rowwise_with_gw_hp", "").scenario), (Fp8, true, 0));
    assert_eq!(of(&of_recipe("quantize.linear.mx", "mxfp8_cublas", "").scenario), (Fp8, false, 0));
    let gathers = "enable_fsdp_float8_all_gather = true\n";
    assert_eq!(of(&of_recipe("quantize.linear.float8", "tensorwise", gathers).scenario), (Fp8Gather, false, 0));
    // float8 all-gather supports only tensorwise scaling (torchao, float8/config.py).
    let run = of_recipe("quantize.linear.float8", "rowwise", gathers);
    assert_eq!(of(&run.scenario), (Fp8, false, 0));
    assert!(run.contradictions.iter().any(|said| said.contains("rowwise")), "{:?}", run.contradictions);
}

#[test]
fn gradients_of_weights_in_16_bits_take_a_third_of_the_products_at_their_rate() {
    use engine::model::compute::unit_times;
    let of = |link: &str| {
        let setup = decode(&format!("cluster=dgx-h100&model=llama-3.1-70b&gpus=64&mbs=8&matmul=50&matmul8=50&{link}"))
            .scenario
            .setup();
        let times = unit_times(&setup, &setup.architecture.layers());
        (times.layer_matmul + times.layer_matmul_backward).get()
    };
    let (bf16, fp8, mixed) = (of("compute=recipe"), of("compute=fp8"), of("compute=fp8&wgrad16=yes"));
    assert!((bf16 / fp8 - 2.0).abs() < 0.01, "{}", bf16 / fp8);
    assert!((mixed / fp8 - 4.0 / 3.0).abs() < 0.01, "{}", mixed / fp8);
}

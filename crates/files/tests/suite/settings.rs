//! Tests of the frameworks' settings: their text; every parameter is in the text or noted; the
//! degrees multiply to the GPUs; the text parses. `cargo xtask test --exports` runs the frameworks'
//! parsers.

use catalog::programs::Program;
use engine::params::{Param, ParamKind, every};
use engine::scenario::{Model, Scenario};
use files::run::{File, Run, read_run};
use files::settings::programs;
use links::decode::decode;

use crate::run::differing;
use crate::text;

/// A scenario with most features, except experts and a pipeline.
const EXAMPLE: &str = "cluster=dgx-h100&model=llama-3-8b&gpus=64&tp=4&cp=2&accum=8&seq=8192&strategy=hybrid-shard&shard=4&\
                       recompute=full&compile=yes";

/// A scenario with adapters on a frozen model.
const ADAPTERS: &str = "cluster=dgx-h100&model=llama-3.1-8b&gpus=8&accum=8&seq=8192&strategy=full-shard&recompute=full&train=lora&\
                        rank=16&targets=attention&loradrop=yes&base=nf4dq";
/// Folder of the expected texts.
const EXPECTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/exports/expected");

fn scenario(link: &str) -> Scenario {
    decode(link).scenario
}

/// Returns the scenario of a link with a custom model, so that its shape can be changed.
fn custom(link: &str) -> Scenario {
    let mut scenario = scenario(link);
    scenario.model = Model::Custom { architecture: scenario.model.architecture() };
    scenario
}

#[test]
fn the_text_of_one_scenario_is_this() {
    let expected = [
        include_str!("../../../../tests/exports/expected/train_fsdp2.py"),
        include_str!("../../../../tests/exports/expected/shardwise_config.py"),
        include_str!("../../../../tests/exports/expected/ds_config.json"),
        include_str!("../../../../tests/exports/expected/megatron.sh"),
        include_str!("../../../../tests/exports/expected/accelerate.yaml"),
    ];
    for (framework, expected) in programs().into_iter().zip(expected) {
        assert_eq!(text(framework, &scenario(EXAMPLE)).body, expected, "{}", framework.name());
    }
    for framework in programs() {
        let settings = text(framework, &scenario(ADAPTERS));
        let file = format!("{EXPECTED}/adapters/{}", settings.file_name);
        expect_test::expect_file![file].assert_eq(&settings.body);
    }
}

/// Returns scenarios in which parameters have an effect.
fn bases() -> Vec<Scenario> {
    vec![
        custom("model=llama-3-8b&gpus=64&accum=4"),
        custom("model=llama-3-8b&gpus=64&accum=4&strategy=full-shard&compute=fp8&compile=yes&recompute=fraction"),
        scenario(
            "model=llama-3-70b&gpus=128&tp=4&cp=2&pp=4&accum=16&compile=yes&recompute=full&strategy=hybrid-shard&shard=2",
        ),
        scenario("model=llama-3-8b&gpus=32&tp=4&cp=2&accum=4&compile=yes&strategy=reshard&shard=2"),
        scenario("model=llama-3-8b&gpus=32&pp=4&schedule=interleaved&vpp=2&accum=16&strategy=zero1"),
        scenario("model=llama-3-8b&gpus=32&strategy=zero1&accum=8&recompute=selective"),
        scenario("model=llama-3-8b&gpus=32&strategy=ddp&accum=8&tp=2"),
        scenario("model=llama-3-8b&gpus=32&strategy=hybrid-shard&shard=4"),
        custom("model=gemma-2-9b&gpus=32"),
        custom("cluster=dgx-h100&model=qwen-3-30b-a3b&gpus=64&ep=8"),
        custom("cluster=dgx-h100&model=mixtral-8x7b&gpus=64&ep=8&accum=2&seq=4096&compute=fp8"),
        custom("cluster=dgx-h100&model=mixtral-8x7b&gpus=64&ep=4&accum=2&seq=4096&tp=2&strategy=zero1"),
        custom("cluster=dgx-h100&model=deepseek-v3&gpus=256&ep=32&accum=2&seq=4096"),
        scenario("cluster=dgx-h100&model=deepseek-v3&gpus=256&accum=2&seq=4096&recompute=modules"),
        scenario("model=llama-3.1-8b&gpus=8&accum=2&train=lora&targets=attention&recompute=full"),
        scenario("model=llama-3.2-1b&gpus=1&train=lora&base=nf4&offloadact=yes&recompute=full"),
        scenario("model=llama-3.1-8b&gpus=16&accum=2&train=layers&frozen=8&strategy=ddp"),
        scenario("cluster=dgx-h100&model=mixtral-8x7b&gpus=8&train=rslora&targets=mlp"),
        scenario("model=llama-3.2-1b&gpus=1&strategy=ddp&optimizer=galore"),
        scenario("model=llama-3-8b&gpus=8&strategy=full-shard&offloadopt=yes&offloadparams=yes"),
    ]
}

/// Returns the scenario with each other option, or with other numbers.
fn moved(base: &Scenario, param: &Param) -> Vec<Scenario> {
    let with = |change: &dyn Fn(&mut Scenario)| {
        let mut scenario = *base;
        change(&mut scenario);
        scenario
    };
    match param.kind {
        ParamKind::Choice(choice) => {
            (0..choice.options.len()).map(|index| with(&|moved| (choice.set)(moved, index))).collect()
        }
        ParamKind::Number(number) => {
            let now = (number.get)(base);
            let values = [2.0 * now, 0.5 * now, number.min, now + 1.0, 4.0];
            let valid = values.into_iter().filter(|value| (number.min..=number.max).contains(value));
            valid.map(|value| with(&|moved| (number.set)(moved, value))).collect()
        }
    }
}

/// Files that name others are read with them.
fn read(framework: Program, asked: &Scenario) -> Option<Run> {
    let settings = text(framework, asked);
    let mut files = vec![File::new(settings.file_name.clone(), settings.body.clone())];
    for other in programs().into_iter().filter(|other| *other != framework) {
        let beside = text(other, asked);
        if settings.body.contains(beside.file_name.as_ref()) {
            files.push(File::new(beside.file_name, beside.body));
        }
    }
    read_run(&files, asked).ok()
}

/// Parameters that a file of settings does not carry are said: its last note names each that
/// differs when the program's reader reads it. Nothing that is written is unread, ignored or
/// refused.
#[test]
fn what_differs_when_a_file_is_read_is_said() {
    let mut random: u64 = 58;
    let mut next = |count: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % count
    };
    let params: Vec<&Param> = every().filter(|param| param.id.param().key != "gpus").collect();
    let mut scenarios = bases();
    while scenarios.len() < 55 {
        let base = bases()[next(18)];
        let moved = moved(&base, params[next(params.len())]);
        scenarios.push(moved[next(moved.len())]);
    }
    let (mut wrong, mut count) = (Vec::new(), 0);
    for asked in scenarios {
        for framework in programs().into_iter().filter(|framework| *framework != Program::Pytorch) {
            let Some(run) = read(framework, &asked) else { continue };
            count += 1;
            let link = links::encode(&asked);
            let own: Vec<String> = engine::validate::issues(&asked).into_iter().map(|issue| issue.message).collect();
            for said in run.unread.iter().chain(&run.ignored).chain(&run.contradictions) {
                // A format that the GPU lacks, or heads that do not divide, are the scenario's own.
                if !said.starts_with("This GPU") && !own.contains(said) {
                    wrong.push(format!("{}: {said}: {link}", framework.name()));
                }
            }
            let settings = text(framework, &asked);
            let note = settings.notes.iter().find(|note| note.starts_with(&format!("As {} runs", framework.name())));
            let differs = differing(&asked, &run.scenario);
            for key in ["tp", "strategy", "recompute", "optimizer"] {
                let label = params.iter().find(|param| param.key == key).unwrap().label;
                let is_whole = framework.part() == catalog::programs::Part::Run;
                if is_whole && differs.contains(&key) && !note.is_some_and(|note| note.contains(label)) {
                    wrong.push(format!("{}: {key} is not said: {link}", framework.name()));
                }
            }
        }
    }
    assert!(wrong.is_empty() && count > 350, "{count} {wrong:#?}");
}

/// An offloaded optimizer of Megatron-Core is the one that is aware of precision, and both keys are
/// read back.
#[test]
fn an_offloaded_optimizer_under_megatron_is_read_back() {
    let asked = scenario(
        "cluster=dgx-h100&model=llama-3.1-8b&gpus=16&tp=2&pp=2&accum=8&strategy=zero1&offloadopt=yes&framework=megatron",
    );
    for framework in [Program::Accelerate, Program::Trl, Program::LlamaFactory] {
        let run = read(framework, &asked).unwrap();
        assert!(run.unread.is_empty() && run.ignored.is_empty(), "{framework:?} {:?} {:?}", run.unread, run.ignored);
        assert!(run.scenario.offload.optimizer, "{framework:?}");
    }
    assert!(text(Program::Accelerate, &asked).body.contains("megatron_lm_use_precision_aware_optimizer: true"));
}

/// No program's settings have a teacher, which each says by name.
#[test]
fn settings_without_a_teacher_say_so() {
    let asked = scenario("cluster=dgx-h100&model=llama-3.1-8b&gpus=8&objective=distill&teacher=70B");
    for framework in programs() {
        let settings = text(framework, &asked);
        assert!(settings.notes.iter().any(|note| note.starts_with("Distillation is not written")), "{framework:?}");
        assert!(!settings.body.contains("teacher_model"), "{framework:?}");
    }
}

/// Returns the number after a name.
fn degree(body: &str, name: &str) -> u32 {
    let rest = body.split(name).nth(1).unwrap_or_default();
    let digits: String = rest.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

#[test]
fn degrees_multiply_to_the_gpus() {
    for link in
        [EXAMPLE, "model=llama-3-70b&gpus=128&tp=4&pp=4&accum=8", "model=llama-3-8b&gpus=96&cp=3&tp=2&strategy=zero1"]
    {
        let asked = scenario(link);
        let gpus = asked.gpus;
        let titan = text(Program::Torchtitan, &asked).body;
        let names = [
            "data_parallel_replicate",
            "data_parallel_shard",
            "context_parallel",
            "tensor_parallel",
            "pipeline_parallel",
        ];
        let product: u32 = names.iter().map(|name| degree(&titan, &format!("{name}_degree="))).product();
        assert_eq!(product, gpus, "{link}");

        let megatron = text(Program::MegatronLm, &asked).body;
        let inside: u32 = ["tensor-model", "context", "pipeline-model"]
            .iter()
            .map(|name| degree(&megatron, &format!("--{name}-parallel-size")))
            .product();
        let per_replica = degree(&megatron, "--global-batch-size") / asked.grad_accum_steps / asked.micro_batch_size;
        assert_eq!(inside * per_replica, gpus, "{link}");

        let code = text(Program::Pytorch, &asked).body;
        let (_, axes) = code.split_once("init_device_mesh(device_type, (").unwrap();
        let axes = axes.split(')').next().unwrap().split(',').filter_map(|axis| axis.trim().parse::<u32>().ok());
        assert_eq!(axes.product::<u32>(), gpus, "{link}");
    }
    let accelerate = text(Program::Accelerate, &scenario(EXAMPLE)).body;
    let axes = ["dp_replicate", "dp_shard", "cp", "tp"];
    let product: u32 =
        axes.iter().map(|axis| degree(&accelerate, &format!("parallelism_config_{axis}_size: "))).product();
    assert_eq!(product, degree(&accelerate, "num_processes: "));
}

#[test]
fn json_and_yaml_are_well_formed() {
    for base in bases() {
        let json = text(Program::Deepspeed, &base).body;
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert!(value["zero_optimization"]["stage"].is_u64(), "{json}");

        let yaml = text(Program::Accelerate, &base).body;
        for line in yaml.lines().filter(|line| !line.starts_with('#')) {
            let (key, value) = line.split_once(':').unwrap_or_else(|| panic!("no key: {line}"));
            assert!(key.trim().chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{line}");
            assert!(value.is_empty() || value.starts_with(' '), "{line}");
            assert!(key.len() - key.trim_start().len() <= 2, "{line}");
        }
        let python = text(Program::Torchtitan, &base).body;
        assert_eq!(python.matches('(').count(), python.matches(')').count(), "{python}");
    }
}

#[test]
fn what_a_framework_lacks_is_noted() {
    let notes = |framework, link: &str| {
        let settings = text(framework, &scenario(link));
        settings.notes.join(" ")
    };
    assert!(notes(Program::Torchtitan, "gpus=64&strategy=zero1").contains("torchtitan has no ZeRO-1"));
    assert!(
        notes(Program::MegatronLm, "gpus=64&strategy=reshard&shard=4").contains("reshards to the whole group only")
    );
    assert!(notes(Program::Deepspeed, "gpus=64&pp=4&accum=8").contains("exported as ZeRO-1"));
    assert!(
        notes(Program::Pytorch, "cluster=dgx-h100&model=mixtral-8x7b&gpus=64&ep=8")
            .contains("no public expert parallelism")
    );
    // Notes are in the file if its format has comments.
    let settings = text(Program::Torchtitan, &scenario("gpus=64&strategy=zero1"));
    assert!(settings.body.contains("# torchtitan has no ZeRO-1"));
}

#[test]
fn autocast_and_the_optimizer_s_kernels_are_in_the_text() {
    let body = |framework, link: &str| text(framework, &scenario(link)).body;
    let autocast = "model=llama-3-8b&gpus=8&recipe=autocast";
    assert!(body(Program::Pytorch, autocast).contains("torch.autocast(\"cuda\", dtype=torch.bfloat16)(model.forward)"));
    assert!(!body(Program::Pytorch, autocast).contains("MixedPrecisionPolicy"));
    let json: serde_json::Value = serde_json::from_str(&body(Program::Deepspeed, autocast)).unwrap();
    assert_eq!((&json["torch_autocast"]["dtype"], &json["bf16"]["enabled"]), (&"bfloat16".into(), &false.into()));
    let foreach = "model=llama-3-8b&gpus=8&optkernel=foreach&segments=expandable";
    assert!(body(Program::Torchtitan, foreach).contains("implementation=\"foreach\""));
    assert!(body(Program::Pytorch, foreach).contains("foreach=True"));
    let command = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True torchrun";
    assert!(body(Program::MegatronLm, foreach).contains(command));
}

#[test]
fn megatron_names_the_modules_that_it_recomputes() {
    let link = "cluster=dgx-h100&model=deepseek-v3&gpus=256&ep=32&compute=fp8&recompute=modules&rcnorm=yes&rcmla=yes&rcmoeact=yes";
    let settings = text(Program::MegatronLm, &scenario(link));
    let flags =
        "    --recompute-granularity selective\n    --recompute-modules core_attn moe_act layernorm mla_up_proj\n";
    assert!(settings.body.contains(flags), "{}", settings.body);
    // An optimizer on the host requires delayed scaling, with which neither norms nor activations
    // are recomputed.
    let settings = text(Program::MegatronLm, &scenario(&format!("{link}&offloadopt=yes")));
    assert!(settings.body.contains("--recompute-modules core_attn mla_up_proj\n"), "{}", settings.body);
    assert!(settings.notes.iter().any(|note| note.starts_with("Under delayed scaling")), "{:?}", settings.notes);
    let settings = text(Program::MegatronLm, &scenario("model=llama-3-8b&recompute=modules&rcattn=no&rcmla=yes"));
    assert!(!settings.body.contains("recompute"), "{}", settings.body);
}

/// Volta has no bf16, even if the user renames the GPU or edits its other numbers.
#[test]
fn a_v100_of_ones_own_gets_fp16() {
    for gpu in ["v100-32gb&mem=48", "custom&generation=volta&mem=48"] {
        let written = text(Program::Deepspeed, &scenario(&format!("gpu={gpu}&recipe=zero-mixed&strategy=zero2"))).body;
        assert!(written.contains("fp16") && !written.contains("bf16"), "{gpu}: {written}");
    }
}

//! Tests that settings of [`files::settings`] are read back into an equal scenario, except for
//! parameters that a framework's settings cannot express.

use catalog::programs::Program;
use engine::params::{ParamId, ParamKind, every};
use engine::scenario::Scenario;
use files::run::{File, read_run};
use links::decode::decode;

use super::differing;
use crate::text;

/// Scenarios that the frameworks can run.
const LINKS: [(&[Program], &str); 12] = [
    (
        &[Program::Torchtitan],
        "cluster=dgx-h100&model=llama-3.1-8b&gpus=64&tp=4&cp=2&accum=8&seq=8192&strategy=hybrid-shard&shard=4&recompute=full&compile=yes",
    ),
    (&[Program::Torchtitan], "cluster=dgx-h100&model=llama-3.1-70b&gpus=64&tp=8&accum=2&seq=8192&recompute=selective"),
    (
        &[Program::Deepspeed],
        "cluster=dgx-h100&model=llama-3.1-8b&gpus=16&accum=2&mbs=2&strategy=zero2&recipe=zero-mixed&framework=deepspeed",
    ),
    (
        &[Program::Deepspeed],
        "cluster=dgx-h100&model=llama-3.1-8b&gpus=16&offloadopt=yes&offloadparams=yes&recipe=zero-mixed&framework=deepspeed",
    ),
    (
        &[Program::MegatronLm],
        "cluster=dgx-h100&model=llama-3.1-70b&gpus=64&tp=4&pp=4&accum=16&strategy=zero1&framework=megatron&recipe=megatron-mixed&recompute=full&attnkernel=flash-tuned&loss=fused",
    ),
    (
        &[Program::MegatronLm],
        "cluster=dgx-h100&model=mixtral-8x7b&gpus=64&ep=8&accum=4&seq=4096&strategy=zero1&framework=megatron&recipe=megatron-mixed&attnkernel=flash-tuned&loss=bf16&compute=fp8&overlap=no",
    ),
    (&[Program::Accelerate], "cluster=dgx-h100&model=llama-3.1-8b&gpus=16&recompute=full&framework=transformers"),
    (
        &[Program::Accelerate],
        "cluster=dgx-h100&model=llama-3.1-8b&gpus=16&strategy=shard-grad-op&framework=transformers",
    ),
    (
        &[Program::Trl, Program::Accelerate],
        "cluster=dgx-h100&model=llama-3.1-8b&gpus=16&accum=4&mbs=2&train=lora&rank=32&targets=attention&base=nf4dq&framework=transformers&recipe=autocast&recompute=full",
    ),
    (
        &[Program::LlamaFactory, Program::Accelerate],
        "cluster=dgx-h100&model=llama-3.1-8b&gpus=8&accum=4&mbs=2&train=lora&rank=8&strategy=ddp&framework=transformers&recipe=autocast&recompute=full&loss=fused-linear",
    ),
    (
        &[Program::Axolotl],
        "cluster=dgx-h100&model=llama-3.1-8b&gpus=8&accum=4&mbs=2&train=lora&rank=16&strategy=ddp&framework=transformers&recipe=autocast&recompute=full&optimizer=adamw-8bit",
    ),
    (
        &[Program::Torchtune],
        "cluster=dgx-h100&model=llama-3.1-8b&gpus=8&accum=4&mbs=2&train=lora&rank=16&targets=all&recipe=pure-bf16&recompute=full&loss=chunked&compile=yes",
    ),
];

/// Parameters that no framework's settings contain, or that the framework decides: kernels, the
/// allocator, the time of gradient reduction, links, prices, the length of a run within a step, and
/// the name of a model next to its shape.
const UNSAID: [&str; 9] =
    ["tokens", "mtbf", "segments", "optkernel", "sync", "rootunit", "repeatkv", "lossparallel", "embedtp"];

/// Returns the parameters that the settings of one framework cannot express.
fn unsaid(framework: Program) -> &'static [&'static str] {
    match framework {
        // Kernels depend on the trainer: attention, norms and losses are not in the file.
        Program::Accelerate => {
            &["seq", "mbs", "accum", "loss", "normkernel", "attnkernel", "recipe", "ckptsharded", "optimizer"]
        }
        Program::Trl | Program::LlamaFactory | Program::Axolotl => {
            &["loss", "normkernel", "attnkernel", "ckptsharded", "deferred", "framework"]
        }
        Program::Deepspeed => {
            &["seq", "loss", "normkernel", "attnkernel", "recompute", "deferred", "ckptsharded", "framework"]
        }
        // torchtitan's norms and attention follow its version.
        Program::Torchtitan => &["normkernel", "attnkernel", "loss"],
        Program::Torchtune => &["attnkernel", "normkernel", "framework"],
        Program::MegatronLm => &["size", "normkernel", "deferred"],
        _ => &[],
    }
}

#[test]
fn what_settings_write_is_read_into_the_same_scenario() {
    let mut wrong = Vec::new();
    for (frameworks, link) in LINKS {
        let scenario = decode(link).scenario;
        let files: Vec<File> = frameworks
            .iter()
            .map(|framework| {
                let settings = text(*framework, &scenario);
                File::new(settings.file_name, settings.body)
            })
            .collect();
        // Only the cluster is not in the files; GPUs and model are, unless the trainer or the
        // launcher sets them.
        let mut base = decode("cluster=dgx-h100").scenario;
        let has = |framework| frameworks.contains(&framework);
        if [Program::Trl, Program::LlamaFactory, Program::Axolotl, Program::Torchtune, Program::MegatronLm]
            .into_iter()
            .all(|framework| !has(framework))
            && !has(Program::Torchtitan)
        {
            base.model = scenario.model;
        }
        if has(Program::Axolotl) || has(Program::Torchtune) || has(Program::LlamaFactory) {
            base.gpus = scenario.gpus;
        }
        let run = match read_run(&files, &base) {
            Ok(run) => run,
            Err(said) => {
                wrong.push(format!("{frameworks:?} {link}: {said}"));
                continue;
            }
        };
        let expected: Vec<&str> =
            frameworks.iter().flat_map(|framework| unsaid(*framework)).copied().chain(UNSAID).collect();
        let left: Vec<String> = differing(&scenario, &run.scenario)
            .into_iter()
            .filter(|key| !expected.contains(key))
            .map(|key| shown(key, &scenario, &run.scenario))
            .collect();
        if !left.is_empty() || !run.ignored.is_empty() || !run.contradictions.is_empty() {
            wrong.push(format!("{frameworks:?} {link}: {left:?}; ignored {:?}; {:?}", run.ignored, run.contradictions));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn shown(key: &str, before: &Scenario, after: &Scenario) -> String {
    let param = every().find(|param| param.key == key).unwrap();
    match &param.kind {
        ParamKind::Number(number) => format!("{key} {} -> {}", (number.get)(before), (number.get)(after)),
        ParamKind::Choice(choice) => {
            let of = |scenario| choice.options[(choice.get)(scenario)].key;
            format!("{key} {} -> {}", of(before), of(after))
        }
    }
}

#[test]
fn the_batch_of_the_run_is_kept() {
    let scenario = decode("cluster=dgx-h100&model=llama-3.1-8b&gpus=16&accum=4&mbs=2&strategy=zero2").scenario;
    let settings = text(Program::Deepspeed, &scenario);
    let run = read_run(&[File::new(settings.file_name, settings.body)], &scenario).unwrap();
    let get = |id: ParamId| (id.param().number().unwrap().get)(&run.scenario);
    assert_eq!([ParamId::MicroBatchSize, ParamId::GradAccumSteps, ParamId::Gpus].map(get), [2.0, 4.0, 16.0]);
}

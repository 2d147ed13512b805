//! Tests of configurations of runs: reading, bad files, and writing back.

use catalog::default_scenario;
use catalog::programs::Program;
use engine::model::training::{Optimizer, Recompute};
use engine::params::{ParamKind, every};
use engine::scenario::{Scenario, Strategy};
use files::brought::{Item, import_items};
use files::run::{Change, File, Run, lint, read_run, write_back};
use links::{decode::decode, encode};

fn file(name: &str, text: &str) -> File {
    File::new(name, text)
}

fn run(files: &[File]) -> Run {
    read_run(files, &default_scenario()).unwrap()
}

fn said(files: &[File]) -> String {
    read_run(files, &default_scenario()).unwrap_err()
}

#[test]
fn a_file_of_axolotl_with_deepspeeds_is_one_run() {
    let axolotl = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 8192\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\n\
                   optimizer: adamw_bnb_8bit\ngradient_checkpointing: true\nbf16: auto\ndeepspeed: zero3.json\nwandb_project: x\nodd_key: 3\n";
    let deepspeed = r#"{"zero_optimization": {"stage": 3, "overlap_comm": true}, "bf16": {"enabled": "auto"},
        "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto"}"#;
    let run = run(&[file("axolotl.yaml", axolotl), file("zero3.json", deepspeed)]);
    assert_eq!(run.formats, [Program::Axolotl, Program::Deepspeed]);
    let scenario = run.scenario;
    assert_eq!((scenario.seq_len, scenario.micro_batch_size, scenario.grad_accum_steps), (8192, 2, 4));
    assert_eq!((scenario.strategy, scenario.optimizer), (Strategy::FullShard, Optimizer::AdamW8bit));
    assert_eq!((run.ignored, run.contradictions), (vec!["odd_key".to_owned()], vec![]));
    assert!(run.understood.iter().any(|line| line.key == "sequence_len" && line.meaning.contains("8,192")));
    assert!(run.assumed.iter().any(|said| said.contains("GPUs")), "{:?}", run.assumed);
}

#[test]
fn a_shell_script_of_megatron_is_read_with_its_variables() {
    let script = "#!/bin/bash\nTP=${TP:-4}\nPP=2\nNODES=2\nGPUS_PER_NODE=8\nARGS=(\n    --num-layers 32 --hidden-size 4096 \\\n\
        --num-attention-heads 32\n    --seq-length 4096 # tokens\n    --micro-batch-size 1 --global-batch-size $((NODES * 8 * 4))\n\
        --tensor-model-parallel-size $TP --pipeline-model-parallel-size ${PP}\n    --use-distributed-optimizer --bf16 --swiglu\n\
        --recompute-granularity full --recompute-method uniform --recompute-num-layers 1 --vocab-size 32000\n)\n\
        torchrun --nnodes $NODES --nproc_per_node $GPUS_PER_NODE pretrain_gpt.py \"${ARGS[@]}\" --odd-flag 3\n";
    let run = run(&[file("train.sh", script)]);
    let scenario = run.scenario;
    assert_eq!(run.formats, [Program::MegatronLm]);
    assert_eq!((scenario.gpus, scenario.tp, scenario.pp, scenario.grad_accum_steps), (16, 4, 2, 32));
    assert_eq!((scenario.recompute, scenario.strategy), (Recompute::Full, Strategy::Zero1));
    assert_eq!(scenario.model.architecture().num_hidden_layers, 32);
    assert_eq!((run.ignored, run.contradictions), (vec!["odd_flag".to_owned()], vec![]));
}

#[test]
fn a_python_function_of_torchtitan_is_read_and_not_run() {
    let python = "def run() -> Trainer.Config:\n    return Trainer.Config(\n        model=ModelConfig(name=\"llama3\", flavor=\"8B\"),\n\
        training=TrainingConfig(local_batch_size=2, seq_len=8 * 1024, steps=10_000),\n        parallelism=ParallelismConfig(\n\
        data_parallel_shard_degree=8, tensor_parallel_degree=2),\n        activation_checkpoint=FullAC.Config(),\n    )\n";
    let run = run(&[file("config.py", python)]);
    let scenario = run.scenario;
    assert_eq!((run.formats[0], scenario.seq_len, scenario.micro_batch_size), (Program::Torchtitan, 8192, 2));
    assert_eq!((scenario.gpus, scenario.tp, scenario.recompute), (16, 2, Recompute::Full));
}

#[test]
fn a_trainers_file_its_launchers_and_a_models_are_one_run() {
    let trl = "model_name_or_path: ./out/my-model\nmax_length: 2048\nper_device_train_batch_size: 4\ngradient_accumulation_steps: 2\n\
               bf16: true\ngradient_checkpointing: true\npacking: true\nlearning_rate: 1.0e-5\n";
    let launcher = "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_machines: 2\nnum_processes: 16\nmixed_precision: bf16\n\
                    fsdp_config:\n  fsdp_version: 2\n  fsdp_reshard_after_forward: false\n";
    let model = include_str!("../../../../tests/configs/llama-3.1-8b.json");
    let run = run(&[file("sft.yaml", trl), file("accelerate.yaml", launcher), file("config.json", model)]);
    assert_eq!(run.formats, [Program::Trl, Program::Accelerate, Program::ConfigJson]);
    let scenario = run.scenario;
    assert_eq!((scenario.gpus, scenario.micro_batch_size, scenario.strategy), (16, 4, Strategy::ShardGradOp));
    assert_eq!(scenario.model.architecture().num_hidden_layers, 32);
    assert_eq!((run.ignored, run.contradictions), (vec![], vec![]));
}

#[test]
fn recipes_in_python_are_read_through_the_functions_that_they_call() {
    let nemo = "NAME = \"llama3_8b\"\ndef trainer(num_nodes: int = 1, num_gpus_per_node: int = 8):\n    strategy = run.Config(\n        \
                nl.MegatronStrategy, tensor_model_parallel_size=2, context_parallel_size=1, sequence_parallel=True)\n    return run.Config(nl.Trainer, \
                devices=num_gpus_per_node, num_nodes=2, strategy=strategy, max_steps=1000)\n\ndef pretrain_recipe():\n    recipe = run.Partial(\n        \
                fn, model=model(), trainer=trainer(num_nodes=2),\n        data=run.Config(MockDataModule, seq_length=8192, global_batch_size=512, micro_batch_size=1))\n    \
                return recipe\n";
    let nemo = run(&[file("recipe.py", nemo)]);
    assert_eq!(nemo.formats, [Program::Nemo]);
    let scenario = nemo.scenario;
    assert_eq!((scenario.gpus, scenario.tp, scenario.seq_len, scenario.grad_accum_steps), (16, 2, 8192, 64));
    assert!(encode(&scenario).contains("model=llama-3-8b"), "{}", encode(&scenario));
    let bridge = "def llama31_8b_pretrain_config() -> ConfigContainer:\n    cfg = _pretrain_common()\n    cfg.model.tensor_model_parallel_size = 1\n    \
                  cfg.model.context_parallel_size = 2\n    cfg.model.seq_length = 8192\n    cfg.train.global_batch_size = 512\n    cfg.train.micro_batch_size = 1\n    \
                  cfg.train.train_iters = 1_000\n    return cfg\n";
    let bridge = run(&[file("llama3.py", bridge)]);
    assert_eq!(bridge.formats, [Program::MegatronBridge]);
    assert_eq!((bridge.scenario.cp, bridge.scenario.seq_len), (2, 8192));
    assert!(encode(&bridge.scenario).contains("model=llama-3.1-8b"), "{}", encode(&bridge.scenario));
}

#[test]
fn bad_files_are_a_sentence_each() {
    let deep = format!("base_model: x\nsequence_len: {}1{}", "[".repeat(5000), "]".repeat(5000));
    let bomb: String = (0..12)
        .map(|at| {
            if at == 0 {
                "a0: &a0 [x, x, x, x, x, x, x, x]\n".to_owned()
            } else {
                format!("a{at}: &a{at} [{}]\n", vec![format!("*a{}", at - 1); 9].join(", "))
            }
        })
        .collect();
    let long = format!("base_model: {}", "x".repeat(1_000_001));
    for (name, text, what) in [
        ("a.yaml", "", "empty"),
        ("a.yaml", " \n\t\n", "empty"),
        ("a.bin", "\0\u{1}\u{2}ELF", "binary"),
        ("a.yaml", "a: [1, 2", "YAML"),
        ("a.json", "{\"a\": 1,}", "JSON"),
        ("a.toml", "[training\nseq_len = 3", "TOML"),
        ("a.yaml", "Dear all, the run is on Monday.", "configuration"),
        ("a.yaml", "recipe: soup\nserves: 4\n", "configuration"),
        ("a.yaml", bomb.as_str(), "alias"),
        ("a.yaml", deep.as_str(), "nested"),
        ("a.yaml", long.as_str(), "megabyte"),
    ] {
        let said = said(&[file(name, text)]);
        assert!(said.ends_with('.') && said.to_lowercase().contains(&what.to_lowercase()), "{name}: {said}");
    }
    assert!(said(&[]).ends_with('.'));
    assert!(said(&vec![file("a.yaml", "a: 1"); 17]).contains("17"));
}

/// Large inputs that are hard to parse, in each syntax, are answered quickly.
#[test]
fn large_files_take_no_long() {
    let begun = std::time::Instant::now();
    for part in [
        "[",
        "{",
        "(",
        "${",
        "$((",
        "read -r A <<< \"$A\"\n",
        "a: b\n",
        "a=1\n",
        "--a 1 ",
        "\"",
        "'",
        "a: &a *a\n",
        "f(",
        "a.b=[1,",
        "def f(): a=f()\n",
        "- - ",
        "[a]\n",
        "<<: *a\n",
        "| ",
        "\\\n",
        "#SBATCH --a\n",
        "\u{feff}",
        "a = ${a:-${a}}\n",
        "!!a ",
        "? ",
    ] {
        let text = part.repeat(300_000 / part.len());
        for name in ["a.yaml", "a.toml", "a.py", "a.sh"] {
            let many = (0..4_900).map(|at| format!("k{at}{part}")).collect::<Vec<_>>().concat();
            for text in [&text, &many] {
                if let Err(said) = read_run(&[file(name, text)], &default_scenario()) {
                    assert!(said.ends_with('.'), "{said}");
                }
            }
            assert!(begun.elapsed().as_secs() < 120, "{name}: {part:?}");
        }
    }
}

/// A list has as many values as items and a script as many as words, in every syntax.
#[test]
fn more_than_5000_values_are_refused_in_every_syntax() {
    let items = |count: usize| vec!["1"; count].join(",");
    let words = |count: usize| " 1".repeat(count);
    for (name, kind, text) in [
        (
            "a.yaml",
            "YAML",
            &(|count: usize| format!("a: [{}]\nb: [{}]\n", items(count / 2), items(count / 2)))
                as &dyn Fn(usize) -> String,
        ),
        ("a.toml", "TOML", &|count: usize| format!("a = [{}]\nb = [{}]\n", items(count / 2), items(count / 2))),
        ("b.toml", "TOML", &|count: usize| "[[a]]\n".repeat(count)),
        ("a.py", "Python", &|count: usize| format!("a = [{}]\nb = [{}]\n", items(count / 2), items(count / 2))),
        ("a.sh", "a shell script", &|count: usize| format!("torchrun --a{}", words(count))),
        ("b.sh", "a shell script", &|count: usize| "echo -- ".repeat(count / 2)),
    ] {
        let many = said(&[file(name, &text(5_010))]);
        assert!(many.contains(&format!("cannot be read as {kind}: it has more than 5000 values")), "{name}: {many}");
        let few = read_run(&[file(name, &text(4_900))], &default_scenario());
        assert!(few.is_ok() || !few.unwrap_err().contains("5000"), "{name}");
    }
}

/// An import grows with its text: whatever 200 kB hold, it is answered soon.
#[test]
fn an_import_of_200_kb_ends_soon() {
    let launch = "torchrun --nproc_per_node=4 fastchat/train/train_mem.py --model_name_or_path meta-llama/Llama-2-7b-hf \\\n \
                  --per_device_train_batch_size 2 --model_max_length 2048 ";
    let axolotl = "base_model: meta-llama/Llama-3.1-8B\nmicro_batch_size: 1\nsequence_len: 4096\n";
    let torchtitan = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\nseq_len = 4096\n";
    let trainer =
        "from transformers import TrainingArguments\nargs = TrainingArguments(per_device_train_batch_size=2,\n";
    let repeated = |part: &str| part.repeat(200_000 / part.len());
    let numbered = |part: &str| (0..4_900).map(|at| part.replace('#', &at.to_string())).collect::<String>();
    let shapes = [
        (
            "a.sh",
            launch,
            [
                "- ",
                "--a 1 ",
                "(",
                "[ ",
                "${",
                "$(",
                "'",
                "\"' ",
                "\\\n",
                "\\ ",
                "--a\\ b ",
                "cat <<EOF\n--a 1\nEOF\n",
                "x",
                "if [ a\n",
            ]
            .map(repeated)
            .to_vec(),
        ),
        ("a.sh", launch, ["--a# 1 ", "a#=$a\n", "a.b#=1 ", "--gradient_checkpointing\\ "].map(numbered).to_vec()),
        ("a.sh", launch, vec![format!("--a {}\n", "${a:-".repeat(790)).repeat(50)]),
        (
            "a.yaml",
            axolotl,
            ["a: ", "- ", "[", "'", "x", "\"\n", "#\n", "? "].map(|part| format!("a: {}", repeated(part))).to_vec(),
        ),
        ("a.yaml", axolotl, ["a#: &a# 1\n", "a#: ${a}\n", "gradient_checkpointing: true\n"].map(numbered).to_vec()),
        ("a.toml", torchtitan, ["[", "\"", "[[a]]\n", "a.b."].map(repeated).to_vec()),
        ("a.toml", torchtitan, ["a# = 1\n"].map(numbered).to_vec()),
        ("a.py", trainer, ["(", "a=[1,", "\"", "'''", "a=b,", "x", "\\\n"].map(repeated).to_vec()),
        ("a.py", trainer, ["a#=1,", "a=C(b=#),", "a=b#,"].map(numbered).to_vec()),
        ("a.py", "", ["def f#():\n  x = 1\n", "v#=C(a=1)\n"].map(numbered).to_vec()),
    ];
    for (name, head, texts) in shapes {
        for text in texts {
            let shown: String = text.chars().take(30).collect();
            let begun = std::time::Instant::now();
            let item = Item { name: Some(name.into()), bytes: format!("{head}{text}").into_bytes() };
            if let Err(said) = import_items(&[item], &default_scenario()) {
                assert!(said.ends_with('.'), "{said}");
            }
            let seconds = begun.elapsed().as_secs_f64();
            assert!(seconds < 5.0, "{name}, {shown:?}: {seconds} s");
        }
    }
}

/// Keys that refer to each other are left as they are.
#[test]
fn a_circle_of_references_is_not_followed_for_ever() {
    let text =
        "base_model: meta-llama/Llama-3.1-8B\nmicro_batch_size: ${b}\nb: ${micro_batch_size}\nsequence_len: 4096\n";
    let change = Change { file: 0, key: "micro_batch_size".into(), from: None, to: "2".into() };
    assert_eq!(write_back(&file("a.yaml", text), &[change]), text);
}

#[test]
fn contradictory_degrees_are_said_and_the_rest_is_kept() {
    let text = "num_layers: 32\nhidden_size: 4096\nseq_length: 2048\nmicro_batch_size: 3\nglobal_batch_size: 64\n\
                tensor_model_parallel_size: 3\npipeline_model_parallel_size: 5\nmodel_config: 5000\n";
    let run = run(&[file("a.yaml", text)]);
    assert!(run.contradictions.len() >= 2, "{:?}", run.contradictions);
    assert!(run.contradictions.iter().all(|said| said.ends_with('.')), "{:?}", run.contradictions);
    assert_eq!(run.scenario.seq_len, 2048);
    assert!(run.scenario.report().update.time.step.get() > 0.0);
}

/// Texts of each syntax, with comments in different places.
const TEXTS: [(&str, &str, &str, &str, &str); 6] = [
    (
        "a.yaml",
        "# mine\nmicro_batch_size: 1   # small\nb: 2\n",
        "micro_batch_size",
        "4",
        "# mine\nmicro_batch_size: 4   # small\nb: 2\n",
    ),
    (
        "a.yaml",
        "fsdp_config:\n    a: 1\n# end\n",
        "fsdp_config.reshard",
        "true",
        "fsdp_config:\n    reshard: true\n    a: 1\n# end\n",
    ),
    (
        "a.json",
        "{\n  \"zero\": {\n    \"stage\": 3\n  }\n}\n",
        "zero.stage",
        "1",
        "{\n  \"zero\": {\n    \"stage\": 1\n  }\n}\n",
    ),
    (
        "a.toml",
        "[training]\nseq_len = 8192 # long\n",
        "training.seq_len",
        "4096",
        "[training]\nseq_len = 4096 # long\n",
    ),
    (
        "a.sh",
        "TP=4 # of a node\nrun --tp-size $TP \\\n  --bf16\n",
        "tp_size",
        "8",
        "TP=8 # of a node\nrun --tp-size $TP \\\n  --bf16\n",
    ),
    ("a.py", "f(training=T(seq_len=8, x=1)) # f\n", "training.seq_len", "16", "f(training=T(seq_len=16, x=1)) # f\n"),
];

#[test]
fn values_are_written_back_where_they_stand() {
    for (name, text, key, to, expected) in TEXTS {
        let change = Change { file: 0, key: key.to_owned(), from: None, to: to.to_owned() };
        assert_eq!(write_back(&file(name, text), &[change]), expected, "{name}");
    }
    let flag = |text: &str, key: &str, to: &str| {
        let change = Change { file: 0, key: key.to_owned(), from: None, to: to.to_owned() };
        write_back(&file("a.sh", text), &[change])
    };
    let script = "A=(\n  --num-layers 8\n  --recompute-granularity full\n  --bf16\n)\n";
    assert_eq!(flag(script, "recompute_granularity", ""), "A=(\n  --num-layers 8\n  --bf16\n)\n");
    assert_eq!(flag(script, "use_distributed_optimizer", "true").matches("--use-distributed-optimizer").count(), 1);
    assert_eq!(flag(script, "bf16", ""), "A=(\n  --num-layers 8\n  --recompute-granularity full\n)\n");
}

#[test]
fn the_linter_finds_what_is_wasted_and_its_fix_is_in_the_files_own_words() {
    let toml = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 1 # small\nseq_len = 4096\n\n\
                [parallelism]\ndata_parallel_shard_degree = 8\n\n[activation_checkpoint]\nmode = \"full\"\n";
    let base = decode("cluster=dgx-h100&gpus=8").scenario;
    let files = [file("train.toml", toml)];
    let run = read_run(&files, &base).unwrap();
    let findings = lint(&run, &files, &base);
    let full =
        findings.iter().find(|finding| finding.fix.iter().any(|change| change.key == "activation_checkpoint.mode"));
    let full = full.unwrap_or_else(|| panic!("{findings:?}"));
    assert!(full.gain.unwrap() > 0.02 && full.what.ends_with('.'), "{full:?}");
    // The written fix has the stated effect.
    let text = write_back(&files[0], &full.fix);
    assert!(text.contains("# small"), "{text}");
    let fixed = read_run(&[file("train.toml", &text)], &base).unwrap();
    assert!(fixed.scenario.report().fits());
    let speed = |run: &Run| run.scenario.report().update.tokens_per_s_per_gpu;
    assert!((speed(&fixed) / speed(&run) - 1.0 - full.gain.unwrap()).abs() < 1e-9);
}

#[test]
fn a_run_that_does_not_fit_is_told_what_would() {
    let yaml = "model_name_or_path: meta-llama/Llama-3.1-8B\nmax_length: 8192\nper_device_train_batch_size: 16\n\
                gradient_accumulation_steps: 1\nbf16: true\ngradient_checkpointing: false\nuse_peft: true\nlora_r: 16\nlora_target_modules: all-linear\n";
    let base = decode("cluster=dgx-h100&gpus=8").scenario;
    let files = [file("sft.yaml", yaml)];
    let run = read_run(&files, &base).unwrap();
    assert!(!run.scenario.report().fits());
    let findings = lint(&run, &files, &base);
    assert!(findings[0].what.contains("does not fit"), "{findings:?}");
    let fixes: Vec<_> = findings.iter().filter(|finding| !finding.fix.is_empty()).collect();
    assert!(!fixes.is_empty(), "{findings:?}");
    for finding in fixes {
        let text = write_back(&files[0], &finding.fix);
        assert!(read_run(&[file("sft.yaml", &text)], &base).unwrap().scenario.report().fits(), "{finding:?}");
    }
}

/// Returns the parameters that differ between two scenarios.
pub(crate) fn differing(before: &Scenario, after: &Scenario) -> Vec<&'static str> {
    let differs = |param: &&engine::params::Param| match &param.kind {
        ParamKind::Number(number) => (number.get)(before) != (number.get)(after),
        ParamKind::Choice(choice) => (choice.get)(before) != (choice.get)(after),
    };
    every().filter(|param| (param.applies)(before)).filter(differs).map(|param| param.key).collect()
}

#[test]
fn results_are_json() {
    let text = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 2\n";
    let run = run(&[file("a.yaml", text)]);
    let json = serde_json::to_value(&run).unwrap();
    assert_eq!(json["formats"][0], "Axolotl");
    assert_eq!(decode(json["link"].as_str().unwrap()).scenario, run.scenario);
    assert!(differing(&run.scenario, &decode(&encode(&run.scenario)).scenario).is_empty());
}

mod alternatives;
mod bytes;
mod kept;
mod launchers;
mod lint;
mod low_precision;
mod meant;
mod megatron_layers;
mod number_formats;
mod own_hardware;
mod programs;
mod recorded;
mod refusals;
mod releases;
mod round_trip;
mod tables;
mod untrue;
mod values;

//! Tests of the sentences about misleading values and files.

use catalog::default_scenario;
use engine::model::training::Recompute;
use engine::params::ParamId;
use files::brought::{Import, ImportKind, Item, import_items};
use files::run::{File, Run, read_run};
use links::{decode::decode, encode};

fn item(name: &str, bytes: &[u8]) -> Item {
    let name = (!name.is_empty()).then(|| name.to_owned());
    Item { name, bytes: bytes.to_vec() }
}

fn brought(name: &str, text: &str) -> Result<Import, String> {
    import_items(&[item(name, text.as_bytes())], &default_scenario())
}

fn run(name: &str, text: &str) -> Run {
    read_run(&[File::new(name, text)], &decode("cluster=dgx-h100&gpus=8").scenario).unwrap()
}

const ONE: &str = "base_model: Qwen/Qwen2.5-7B\nsequence_len: 2048\nmicro_batch_size: 2\n";
const OTHER: &str = "model_name_or_path: meta-llama/Llama-3.1-8B\nper_device_train_batch_size: 1\nmax_length: 1024\n";

#[test]
fn two_runs_are_two_and_the_parts_of_one_are_one() {
    let log = "step: 10  loss: 7.6  memory: 46.91GiB(59%)  tps: 5,000  tflops: 314.71  mfu: 39.99%\n";
    for others in [&[("b.yaml", OTHER)][..], &[("b.yaml", ONE)], &[("b.yaml", OTHER), ("log.txt", log)]] {
        let files = [("a.yaml", ONE)].iter().chain(others);
        let items: Vec<Item> = files.map(|(name, text)| item(name, text.as_bytes())).collect();
        let said = import_items(&items, &default_scenario()).unwrap_err();
        assert!(said.contains("a.yaml") && said.contains("b.yaml") && said.contains("describe two runs"), "{said}");
    }
    let zero = r#"{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}"#;
    let launcher = "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\n";
    let model = include_str!("../../../../../tests/configs/llama-3.1-8b.json");
    let parts = [("a.yaml", ONE), ("zero3.json", zero), ("launch.yaml", launcher), ("config.json", model)];
    let items: Vec<Item> = parts.iter().map(|(name, text)| item(name, text.as_bytes())).collect();
    assert_eq!(import_items(&items, &default_scenario()).unwrap().kind, ImportKind::Run);
    // Of a run and a file of another program, the second is named.
    let other = "colossalai run --nproc_per_node 8 train.py --plugin zero2\n";
    let said = import_items(&[item("a.yaml", ONE.as_bytes()), item("b.sh", other.as_bytes())], &default_scenario())
        .unwrap_err();
    assert!(said.starts_with("b.sh: This is a configuration of Colossal-AI"), "{said}");
    // Files of two programs are not one run.
    let neox = "pipe-parallel-size: 1\nmodel-parallel-size: 2\nnum-layers: 12\n";
    let said = import_items(&[item("a.yaml", ONE.as_bytes()), item("b.yml", neox.as_bytes())], &default_scenario())
        .unwrap_err();
    assert!(said.contains("a.yaml") && said.contains("b.yml") && said.contains("GPT-NeoX"), "{said}");
}

#[test]
fn a_log_in_a_comment_is_no_log() {
    let lines = [
        "{'train_runtime': 120.5, 'train_samples_per_second': 4.2, 'train_steps_per_second': 0.5}",
        "iter 100: loss 2.5, time 561.94ms, mfu 40.1%",
        "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 79.15 GiB total capacity)",
    ];
    for line in lines {
        let script = format!(
            "# before: {line}\n# {line}\ntorchrun --nproc_per_node 8 train.py --per_device_train_batch_size 1 --model_name_or_path Qwen/Qwen2.5-7B --bf16\n"
        );
        let yaml = format!("# {line}\n{ONE}");
        for (name, text) in [("run.sh", &script), ("", &script), ("a.yaml", &yaml), ("", &yaml)] {
            assert_eq!(brought(name, text).map(|brought| brought.kind), Ok(ImportKind::Run), "{name}: {text}");
        }
    }
    let python = format!(
        "\"\"\"\n{}\n\"\"\"\nfrom transformers import TrainingArguments\nargs = TrainingArguments(per_device_train_batch_size=2)\n",
        lines[1]
    );
    assert_eq!(brought("train.py", &python).map(|brought| brought.kind), Ok(ImportKind::Run));
    let notebook = format!("{{\"cells\": [{{\"outputs\": [\"{}\"]}}], \"nbformat\": 4}}", lines[1]);
    for name in ["a.ipynb", ""] {
        assert!(brought(name, &notebook).unwrap_err().contains("This is a notebook"));
    }
}

#[test]
fn what_is_no_known_log_is_said_to_be_one() {
    let chat: Vec<String> = (1..9)
        .map(|step| format!("step {step:05}/00500 (1.00%) | loss: 3.2 | lrm: 1.00 | dt: 50{step}.10ms | tok/sec: 900,000 | mfu: 41.20 | total time: 0.10m\n"))
        .collect();
    let log = brought("log.txt", &chat.concat()).unwrap();
    assert!(log.kind == ImportKind::Measured && log.read.contains("nanochat"), "{}", log.read);
    let other: Vec<String> =
        (1..9).map(|step| format!("[train] Step: {step} of 90 - Loss = 2.{step} - lr = 0.001: 3 s\n")).collect();
    let other = other.concat();
    for name in ["log.txt", ""] {
        let said = brought(name, &other).unwrap_err();
        assert!(said.contains("no log that is known here") && said.contains("Megatron-LM"), "{said}");
    }
    let long = brought("log.txt", &other.repeat(4000)).unwrap_err();
    assert!(long.contains("no log that is known here") && !long.contains("config.json"), "{long}");
    let table = "  1048576  262144  float  sum  -1  120.5  8.70  17.1  0  120.1  8.73  17.2  0\n".repeat(3);
    for text in [
        table.clone(),
        format!("#  size  count\n{table}"),
        format!("{table}# Avg bus bandwidth : 17\n\nother words: 1 : 2\n"),
    ] {
        let said = brought("nccl.txt", &text).unwrap_err();
        assert!(said.contains("lacks its list of ranks") && said.contains("# Rank"), "{said}");
    }
}

#[test]
fn a_byte_that_is_no_text_costs_its_line() {
    let line = " iteration 43/ 100 | elapsed time per iteration (ms): 5444.9 | global batch size:   128 |\n";
    let mut log = b"50%|\xe2\x96".to_vec();
    for _ in 0..5 {
        log.extend(b"\n");
        log.extend(line.as_bytes());
    }
    let brought = import_items(&[item("log.txt", &log)], &default_scenario()).unwrap();
    assert!(brought.kind == ImportKind::Measured && brought.read.contains("Megatron-LM"), "{}", brought.read);
}

#[test]
fn without_a_model_an_error_says_so_first() {
    let text = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.20 GiB. GPU 0 has a total capacity of 15.00 GiB of which 300.00 MiB is free. Process 77 has 6.00 GiB memory in use. Process 78 has 8.00 GiB memory in use. Of the allocated memory 5.00 GiB is allocated by PyTorch";
    let error = brought("", text).unwrap();
    assert!(error.kind == ImportKind::Error && error.said.starts_with("No model was given"), "{}", error.said);
    assert!(error.missing[0].starts_with("Which model") && error.sections[0].lines == error.missing);
    assert!(error.sections[1].lines.iter().any(|line| line.contains("Other processes")), "{:?}", error.sections);
}

#[test]
fn a_value_that_is_no_count_contradicts() {
    for value in ["-4", ".nan", ".inf", "0", "2.5", "two", "99999999999999999999"] {
        let text = format!("base_model: Qwen/Qwen2.5-7B\nsequence_len: 1024\nmicro_batch_size: {value}\n");
        let run = run("a.yaml", &text);
        assert!(
            run.contradictions.iter().any(|said| said.contains(&format!("micro_batch_size is {value}"))),
            "{value}: {:?}",
            run.contradictions
        );
        assert!(run.understood.iter().all(|line| line.key != "micro_batch_size"), "{value}: {:?}", run.understood);
    }
}

#[test]
fn a_variable_that_is_not_set_is_no_value() {
    let text = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers $L --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 --micro-batch-size 1 --global-batch-size 64 --bf16\n";
    let unset = run("a.sh", text);
    assert!(unset.ignored.contains(&"num_layers".to_owned()), "{:?}", unset.ignored);
    // The default that the script sets for an unset variable is read.
    let set = run("a.sh", &format!(": \"${{L:=24}}\"\n{text}"));
    assert_eq!(set.scenario.model.architecture().num_hidden_layers, 24);
}

#[test]
fn arguments_of_a_trainer_are_read_by_any_name() {
    for name in ["training_args", "train_args", "my_arguments", "self.hf_args"] {
        let text = format!(
            "from transformers import TrainingArguments\n{name} = TrainingArguments(output_dir='o', per_device_train_batch_size=2, gradient_accumulation_steps=4, bf16=True)\n"
        );
        let scenario = run("train.py", &text).scenario;
        assert_eq!((scenario.micro_batch_size, scenario.grad_accum_steps), (2, 4), "{name}");
    }
    let trl = "from trl import SFTConfig, SFTTrainer\ntrainer = SFTTrainer(model='Qwen/Qwen2.5-7B', args=SFTConfig(per_device_train_batch_size=3, max_length=512))\n";
    let scenario = run("sft.py", trl).scenario;
    assert_eq!((scenario.micro_batch_size, scenario.seq_len), (3, 512));
    assert!(encode(&scenario).contains("model=qwen-2.5-7b"));
    let fields = "@dataclass\nclass Arguments(transformers.TrainingArguments):\n    model_name_or_path: str = field(metadata={'help': 'x'}, default='Qwen/Qwen2.5-7B')\n    per_device_train_batch_size: int = field(default=3, metadata={'help': 'y = 4'})\n    bf16: bool = field(default=True)\n    optim: str = field(default='adamw_torch')\n";
    let fields = run("train.py", fields);
    assert_eq!(fields.scenario.micro_batch_size, 3);
    assert!(encode(&fields.scenario).contains("model=qwen-2.5-7b"), "{:?}", fields.understood);
}

#[test]
fn the_file_that_fsdp_config_names_is_part_of_the_run() {
    let options = r#"{"transformer_layer_cls_to_wrap": ["LlamaDecoderLayer"], "activation_checkpointing": true}"#;
    let trl =
        format!("{OTHER}fsdp: full_shard\nfsdp_config: options.json\ngradient_checkpointing: false\nbf16: true\n");
    let alone = run("a.yaml", &trl);
    assert!(alone.assumed.iter().any(|said| said.contains("options.json is not among these")), "{:?}", alone.assumed);
    let items = [item("a.yaml", trl.as_bytes()), item("options.json", options.as_bytes())];
    let both = import_items(&items, &default_scenario()).unwrap();
    let recompute = |link: &str| decode(link).scenario.recompute;
    assert_eq!(alone.scenario.recompute, Recompute::None);
    assert!(both.kind == ImportKind::Run && recompute(&both.scenario) == Recompute::Full, "{}", both.scenario);
}

/// GPUs of a script without a flag: Slurm's variables, set by its `#SBATCH` lines, and the visible
/// devices.
#[test]
fn a_script_says_its_gpus_in_other_ways_too() {
    let gpus = |text: &str| {
        let run = read_run(&[File::new("run.sh", text)], &decode("cluster=p4d&gpus=64").scenario).unwrap();
        assert!(run.contradictions.is_empty(), "{text}: {:?}", run.contradictions);
        run.scenario.gpus
    };
    let megatron = "pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 1024 \
                    --micro-batch-size 1 --global-batch-size 48 --tensor-model-parallel-size 2 --bf16\n";
    let slurm = format!(
        "#!/bin/bash\n#SBATCH --nodes=3\n#SBATCH --gres=gpu:a100:4\ntorchrun --nproc_per_node=4 --nnodes=$SLURM_NNODES {megatron}"
    );
    assert_eq!(gpus(&slurm), 12);
    let trainer = "train.py --model_name_or_path Qwen/Qwen2.5-7B --bf16 True --per_device_train_batch_size 1\n";
    assert_eq!(gpus(&format!("CUDA_VISIBLE_DEVICES=3 python {trainer}")), 1);
    assert_eq!(gpus(&format!("CUDA_VISIBLE_DEVICES=0,1,2 accelerate launch {trainer}")), 3);
}

/// Switches of `hparams/{finetuning,model}_args.py`, release 0.9.5.
#[test]
fn what_llama_factory_has_and_no_figure_has_is_said() {
    let text = "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\nfinetuning_type: full\ncutoff_len: 2048\n\
                per_device_train_batch_size: 1\ntemplate: llama3\n";
    let said = |more: &str| {
        let run = run("llama3_full_sft.yaml", &format!("{text}{more}"));
        assert!(run.ignored.is_empty() && run.contradictions.is_empty(), "{more}: {run:?}");
        run.unread
    };
    let switches =
        ["use_apollo", "use_badam", "use_llama_pro", "shift_attn", "use_kt", "use_mca", "use_hyper_parallel"];
    for switch in switches {
        assert!(said(&format!("{switch}: false\n")).is_empty(), "{switch}");
        let lacks = said(&format!("{switch}: true\n"));
        assert!(lacks.iter().any(|line| line.starts_with(switch) && line.contains("computed")), "{switch}: {lacks:?}");
    }
    for line in ["mixture_of_depths: convert\n", "mixture_of_depths: load\n"] {
        assert_eq!(said(line).len(), 1, "{line}");
    }
    assert!(said("").is_empty());
    let text = text.replace("full", "oft");
    assert!(run("llama3_oft_sft.yaml", &text).unread.iter().any(|line| line.contains("OFT's rotations")));
}

/// `SelectiveCheckpointingConfig` and `precompute_ref_log_probs` of Axolotl 0.21.0.
#[test]
fn what_axolotl_keeps_beside_attention_is_said() {
    let text = "base_model: Qwen/Qwen3-8B\nsequence_len: 2048\nmicro_batch_size: 1\ngradient_checkpointing: true\n";
    for key in ["save_modules: [down_proj]", "save_matmul_min_k: 8192"] {
        let run = run("axolotl.yaml", &format!("{text}selective_checkpointing:\n  {key}\n"));
        assert!(run.contradictions.iter().any(|said| said.contains("keep their outputs")), "{:?}", run.contradictions);
    }
    let attention = run("axolotl.yaml", &format!("{text}selective_checkpointing: true\n"));
    assert!(attention.contradictions.is_empty(), "{:?}", attention.contradictions);
    let reference = |more: &str| {
        let run = run("axolotl.yaml", &format!("{text}rl: dpo\n{more}"));
        ParamId::Reference.option(&run.scenario).to_owned()
    };
    assert_eq!(reference("precompute_ref_log_probs: true\n"), "kept");
    assert_ne!(reference(""), "kept");
}

/// A value of `task_type` that ms-swift 4.6.0 has and 4.3.0 had not.
#[test]
fn a_decision_head_of_ms_swift_is_said() {
    let text = "swift sft --model Qwen/Qwen3-8B --task_type decision --decision_shuffle_fields true";
    let run = run("sft.sh", text);
    assert!(run.unread.iter().any(|said| said.contains("decision head")), "{:?}", run.unread);
    assert!(run.ignored.is_empty(), "{:?}", run.ignored);
}

//! Meanings of a file beyond its keys: the class that is called, the length of texts under a
//! cut-off, the card that Slurm gives, matrices that PEFT finds.

use engine::model::lengths::Batching;
use engine::model::objective::Task;
use engine::model::trained::Targets;
use engine::scenario::Scenario;
use files::run::{Base, File, Run, read_run, spread};
use links::decode::decode;

fn base(link: &str) -> Scenario {
    decode(link).scenario
}

fn run(name: &str, text: &str) -> Run {
    read_run(&[File::new(name, text)], &base("cluster=dgx-h100&gpus=8")).unwrap()
}

/// A script of TRL has its objective in its class, and one of the Trainer is none of TRL's.
#[test]
fn the_class_that_is_called_decides() {
    let script = |class: &str, import: &str| {
        format!(
            "from {import} import {class}Config, {class}Trainer\nmax_length = 1024\n\
             training_args = {class}Config(output_dir=\"o\", per_device_train_batch_size=4)\n\
             trainer = {class}Trainer(model=\"Qwen/Qwen2.5-7B\", args=training_args)\ntrainer.train()\n"
        )
    };
    for (class, task) in [
        ("SFT", Task::NextToken),
        ("DPO", Task::Dpo),
        ("KTO", Task::Kto),
        ("ORPO", Task::Orpo),
        ("GRPO", Task::Grpo),
        ("RLOO", Task::Grpo),
        ("Reward", Task::Reward),
    ] {
        let read = run("train.py", &script(class, "trl"));
        assert_eq!((read.formats[0].name(), read.scenario.objective.task), ("TRL", task), "{class}");
    }
    let plain = "from transformers import Trainer, TrainingArguments, AutoModelForCausalLM\nmax_length = 1024\n\
                 model = AutoModelForCausalLM.from_pretrained(\"Qwen/Qwen3-8B\")\n\
                 trainer = Trainer(model=model, args=TrainingArguments(per_device_train_batch_size=8, bf16=True))\n";
    assert_eq!(run("train.py", plain).formats[0].name(), "Hugging Face Trainer");
    let shell = "torchrun --nproc_per_node=8 train.py --model_name_or_path Qwen/Qwen3-8B --max_seq_length 2048 \
                 --per_device_train_batch_size 1 --bf16\n";
    assert_eq!(run("run.sh", shell).formats[0].name(), "Hugging Face Trainer");
    assert_eq!(run("run.sh", &shell.replace("train.py", "scripts/run_sft.py")).formats[0].name(), "TRL");
}

/// All weights of 8B on an 80 GB GPU, with texts of at most 8,192 tokens.
const CUT_OFF: &str = "base_model: Qwen/Qwen3-8B\nsequence_len: 8192\nmicro_batch_size: 8\nadapter: lora\n\
                       gradient_accumulation_steps: 1\nbf16: true\n";

#[test]
fn a_cut_off_is_not_the_length() {
    let said = |text: &str, over: &[(&str, &str)]| {
        let over = over.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let base = Base { over, ..Base::from(&base("cluster=dgx-h100&gpus=8")) };
        let files = [File::new("run.yml", text)];
        let read = read_run(&files, &base).unwrap();
        spread(&read, &files, &base).said.into_iter().find(|said| said.contains("cut-off"))
    };
    let of_texts = said(CUT_OFF, &[]).unwrap();
    assert!(of_texts.contains("8,192") && of_texts.contains("256") && of_texts.contains("set seq"), "{of_texts}");
    // Packed sequences are full, and a length that is set by hand is the longest text's.
    assert_eq!(said(&format!("{CUT_OFF}sample_packing: true\n"), &[]), None);
    assert_eq!(said(CUT_OFF, &[("seq", "8192")]), None);
}

/// ms-swift's `padding_free` fills no sequence, and its length is the model's own if none is said.
#[test]
fn texts_end_to_end_are_not_packed() {
    let swift =
        "swift sft --model Qwen/Qwen3-8B --per_device_train_batch_size 4 --padding_free true --torch_dtype bfloat16";
    let read = run("run.sh", swift);
    let texts = engine::params::ParamId::Batching.option(&read.scenario);
    assert_eq!((texts, read.scenario.seq_len), ("padfree", 40_960));
    // Fewer tokens than with padding to the longest, and the same one that has to fit.
    let mut padded = read.scenario;
    padded.texts.batching = Batching::Padded;
    let tokens = |scenario: &Scenario| scenario.setup().batch.seq_len;
    assert!(tokens(&read.scenario) < tokens(&padded), "{} {}", tokens(&read.scenario), tokens(&padded));
    assert_eq!(read.scenario.report().memory.needed, padded.report().memory.needed);
}

#[test]
fn a_card_that_slurm_gives_is_the_runs() {
    let text = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gres=gpu:h200:4\nsrun torchrun --nnodes=2 --nproc_per_node=4 train.py \
                --model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size 1 --max_length 8192 --bf16\n";
    let read = run("job.sbatch", text);
    assert!(read.names_gpu);
    assert_eq!((read.scenario.accelerator.id, read.scenario.network.id, read.scenario.gpus), ("h200", "dgx-h200", 8));
}

/// Unsloth's notebook of gpt-oss 20B at rank 8 prints “Trainable parameters = 3,981,312”.
#[test]
fn experts_that_are_parameters_have_no_adapters() {
    let text = "from unsloth import FastLanguageModel\nfrom trl import SFTConfig, SFTTrainer\n\
                model, tokenizer = FastLanguageModel.from_pretrained(model_name='unsloth/gpt-oss-20b', load_in_4bit=True)\n\
                model = FastLanguageModel.get_peft_model(model, r=8, target_modules=['q_proj','k_proj','v_proj','o_proj','gate_proj','up_proj','down_proj'])\n\
                trainer = SFTTrainer(model=model, args=SFTConfig(per_device_train_batch_size=1))\n";
    let read = run("notebook.py", text);
    assert_eq!(read.scenario.trained.targets, Targets::Attention);
    let saved = engine::model::run::checkpoint::saved(&read.scenario.setup());
    assert_eq!(saved.updated.round(), 3_981_312.0);
}

/// vLLM's server is on GPUs that do not train.
#[test]
fn a_server_is_not_on_the_training_gpus() {
    let swift = |mode: &str| {
        format!(
            "swift rlhf --rlhf_type grpo --model Qwen/Qwen2.5-7B --use_vllm true --vllm_mode {mode} --vllm_gpu_memory_utilization 0.6 --torch_dtype bfloat16\n"
        )
    };
    let [server, colocated] = ["server", "colocate"].map(|mode| run("run.sh", &swift(mode)).scenario.objective.engine);
    assert_eq!((server.gpus, colocated.gpus, colocated.memory_share), (1, 0, 0.6));
}

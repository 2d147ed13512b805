//! Values that stand elsewhere: constants and variables of scripts, names of modules, and what the
//! name of a repository says of its weights.

use engine::model::trained::{BaseFormat, Method};
use engine::model::training::Recompute;
use engine::scenario::{Model, Scenario, Strategy};
use files::run::{File, Run, read_run};

use catalog::default_scenario;

fn run(name: &str, text: &str) -> Run {
    read_run(&[File::new(name, text.to_owned())], &default_scenario()).unwrap()
}

fn model(scenario: &Scenario) -> &str {
    match scenario.model {
        Model::Preset { id, .. } => id,
        _ => "none of the catalog",
    }
}

const SCRIPT: &str = r#"
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments, BitsAndBytesConfig
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
NAME = "mistralai/Mistral-7B-v0.3"
BATCH = 2
bits = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True)
tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained(NAME, quantization_config=bits)
model = prepare_model_for_kbit_training(model)
model = get_peft_model(model, LoraConfig(r=64, target_modules="all-linear"))
args = TrainingArguments(output_dir="out", per_device_train_batch_size=BATCH, gradient_checkpointing=True, bf16=True)
Trainer(model=model, args=args).train()
"#;

#[test]
fn a_script_is_read_through_its_constants_and_wrapped_models() {
    let run = run("train.py", SCRIPT);
    let scenario = &run.scenario;
    assert_eq!(model(scenario), "mistral-7b-v0.3");
    let trained = scenario.trained;
    assert_eq!((trained.method, trained.rank, trained.base), (Method::Lora, 64, BaseFormat::Nf4Double));
    assert_eq!(scenario.micro_batch_size, 2);
    assert_eq!(run.ignored, [] as [&str; 0]);
}

#[test]
fn the_dictionary_of_deepspeed_in_a_script_is_its_configuration() {
    let text = r#"
import deepspeed
config = {
    "train_micro_batch_size_per_gpu": 2,
    "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}},
}
model = AutoModelForCausalLM.from_pretrained("facebook/opt-30b", torch_dtype=torch.bfloat16)
model.gradient_checkpointing_enable()
engine, *_ = deepspeed.initialize(model=model, config=config, model_parameters=model.parameters())
"#;
    let scenario = run("train.py", text).scenario;
    assert_eq!((model(&scenario), scenario.micro_batch_size), ("opt-30b", 2));
    assert_eq!((scenario.strategy, scenario.recompute), (Strategy::FullShard, Recompute::Full));
    assert!(scenario.offload.optimizer);
}

#[test]
fn a_recipe_of_nemo_is_of_its_module() {
    for (module, id) in
        [("llama31_70b", "llama-3.1-70b"), ("llama3_8b", "llama-3-8b"), ("mixtral_8x7b", "mixtral-8x7b")]
    {
        let text = format!(
            "import nemo_run as run\nfrom nemo.collections import llm\n\ndef configure():\n    recipe = \
             llm.{module}.pretrain_recipe(name=\"x\", num_nodes=2, num_gpus_per_node=8)\n    \
             recipe.data.micro_batch_size = 1\n    recipe.data.seq_length = 8192\n    return recipe\n"
        );
        let run = run("recipe.py", &text);
        assert_eq!(model(&run.scenario), id);
        assert!(run.unread.is_empty(), "{:?}", run.unread);
    }
}

/// nemo/collections/llm/recipes/llama31_70b.py of NVIDIA-NeMo/NeMo @ 8cfedd7203: 512 sequences of
/// 8,192 tokens, tensor parallelism 4, four stages of five parts, context parallelism 2.
#[test]
fn a_recipe_of_nemo_sets_what_it_sets_itself() {
    let read = |call: &str, more: &str| {
        let text = format!(
            "import nemo_run as run\nfrom nemo.collections import llm\n\ndef configure():\n    recipe = \
             llm.llama31_70b.{call}\n{more}    return recipe\n"
        );
        run("recipe.py", &text)
    };
    let run = read("pretrain_recipe(name=\"x\", num_nodes=8, num_gpus_per_node=8)", "");
    let scenario = run.scenario;
    assert!(run.unread.is_empty() && run.open.is_empty(), "{:?} {:?}", run.unread, run.open);
    assert_eq!((scenario.tp, scenario.pp, scenario.cp, scenario.gpus, scenario.seq_len), (4, 4, 2, 64, 8192));
    // 64 / (4 x 4 x 2) replicas.
    assert_eq!((scenario.micro_batch_size, scenario.grad_accum_steps), (1, 256));
    let own = "    recipe.trainer.strategy.tensor_model_parallel_size = 8\n    recipe.data.global_batch_size = 64\n";
    let own = read("pretrain_recipe(num_nodes=8)", own).scenario;
    assert_eq!((own.tp, own.pp, own.gpus, own.grad_accum_steps), (8, 4, 64, 64));
    for call in ["pretrain_recipe(num_nodes=8, performance_mode=True)", "finetune_recipe(num_nodes=8)"] {
        let run = read(call, "    recipe.data.micro_batch_size = 1\n");
        assert!(run.unread.iter().any(|line| line.starts_with("recipe = ")), "{call}: {:?}", run.unread);
    }
}

#[test]
fn a_configuration_of_torchtitan_names_its_flavor() {
    // pytorch/torchtitan torchtitan/models/*/config_registry.py of 2026.
    for (module, config, id) in [
        ("llama3", "llama3_70b", "llama-3.1-70b"),
        ("llama3", "llama3_8b_float8", "llama-3.1-8b"),
        ("deepseek_v3", "deepseek_v3_671b", "deepseek-v3"),
        ("qwen3", "qwen3_30b_a3b", "qwen-3-30b-a3b"),
    ] {
        let text = format!(
            "torchrun --nproc_per_node 8 -m torchtitan.train --module {module} --config {config} \
             --training.local_batch_size 1 --training.seq_len 8192"
        );
        let run = run("run.sh", &text);
        assert_eq!(model(&run.scenario), id);
        assert_eq!(run.unread.is_empty(), !config.ends_with("float8"), "{:?}", run.unread);
    }
    // llama3_70b has tensor parallelism of 8 and recomputes every layer.
    let text = "torchrun --nnodes 2 --nproc_per_node 8 -m torchtitan.train --module llama3 --config llama3_70b";
    let scenario = run("run.sh", text).scenario;
    let recompute = scenario.recompute;
    assert_eq!((scenario.tp, scenario.seq_len, scenario.micro_batch_size, recompute), (8, 8192, 8, Recompute::Full));
}

#[test]
fn a_frozen_base_is_stored_as_its_repository_says() {
    let read = |name: &str, more: &str| {
        let text = format!(
            "model_name_or_path: {name}\nstage: sft\nfinetuning_type: lora\ncutoff_len: 4096\nbf16: true\n\
             per_device_train_batch_size: 1\n{more}"
        );
        run("run.yaml", &text)
    };
    let base = |name: &str, more: &str| read(name, more).scenario.trained.base;
    assert_eq!(base("TechxGenus/Meta-Llama-3-8B-Instruct-GPTQ", ""), BaseFormat::Int4);
    assert_eq!(base("unsloth/llama-3-8b-bnb-4bit", ""), BaseFormat::Nf4Double);
    assert_eq!(base("meta-llama/Meta-Llama-3-8B", ""), BaseFormat::Bf16);
    // A key takes precedence, and a format on which nothing trains is said.
    assert_eq!(base("unsloth/llama-3-8b-bnb-4bit", "quantization_bit: 8\n"), BaseFormat::Int8);
    let fp8 = read("Qwen/Qwen3-8B-FP8", "");
    assert_eq!(fp8.scenario.trained.base, BaseFormat::Bf16);
    assert!(fp8.assumed.iter().any(|said| said.contains("stores the weights in FP8")), "{:?}", fp8.assumed);
}

#[test]
fn defaults_are_those_of_the_program() {
    let grpo = |more: &str| {
        let text = format!(
            "from trl import GRPOConfig, GRPOTrainer\nargs = GRPOConfig(per_device_train_batch_size=8, num_generations=8, \
             bf16=True, max_completion_length=512, max_prompt_length=512{more})\ntrainer = \
             GRPOTrainer(model=\"Qwen/Qwen2.5-7B-Instruct\", args=args)\n"
        );
        run("grpo.py", &text).scenario.objective.reference
    };
    assert_eq!(grpo(""), grpo(", beta=0.0"));
    assert_ne!(grpo(""), grpo(", beta=0.04"));
    // Axolotl's batch_size is a step's, on one GPU.
    let axolotl = "base_model: Qwen/Qwen2.5-7B\nsequence_len: 2048\nmicro_batch_size: 2\nbatch_size: 64\n";
    let scenario = run("run.yaml", axolotl).scenario;
    assert_eq!((scenario.micro_batch_size, scenario.grad_accum_steps), (2, 32));
    // An optimizer without a row is asked about.
    let other = run("run.yaml", &format!("{axolotl}optimizer: ademamix\n"));
    assert!(other.unread.iter().any(|line| line.starts_with("optimizer = ademamix")), "{:?}", other.unread);
    // Slurm counts GPUs by tasks.
    let slurm = "#SBATCH --nodes=1\n#SBATCH --ntasks-per-node=4\n#SBATCH --gpus-per-task=1\nsrun torchrun sft.py \
                 --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 1 --max_length 1024\n";
    assert_eq!(run("run.sh", slurm).scenario.gpus, 4);
}

const ARGUMENTS: &str = r#"
"""
torchrun --nproc_per_node=4 train.py --batch 2 --bf16
"""
parser = argparse.ArgumentParser()
parser.add_argument("--model", default="Qwen/Qwen2.5-7B")
parser.add_argument("--batch", "-b", type=int, default=8)
parser.add_argument("--total", type=int, default=64)
parser.add_argument("--bf16", action="store_true")
parser.add_argument("--no-recompute", action="store_true")
args = parser.parse_args()
RANK = 4
accum = args.total // args.batch
accum = accum // world_size
model = AutoModelForCausalLM.from_pretrained(
    args.model,
    torch_dtype=torch.bfloat16 if args.bf16 else torch.float32,
)
model = prepared(model)
Trainer(model=model, args=TrainingArguments(
    per_device_train_batch_size=args.batch,
    gradient_accumulation_steps=accum,
    gradient_checkpointing=False if args.no_recompute else True,
    optim="galore_adamw",
    optim_args=f"rank={RANK}, scale=2",
    bf16=args.bf16,
)).train()
"#;

#[test]
fn the_arguments_of_a_script_are_their_defaults_and_those_of_the_command_in_its_comment() {
    use engine::model::training::PrecisionPolicy;
    let read = run("train.py", ARGUMENTS);
    let scenario = &read.scenario;
    assert_eq!((model(scenario), scenario.gpus), ("qwen-2.5-7b", 4));
    assert_eq!((scenario.micro_batch_size, scenario.grad_accum_steps), (2, 32));
    assert_eq!((scenario.recompute, scenario.recipe), (Recompute::Full, PrecisionPolicy::PureBf16));
    assert!(links::encode(scenario).contains("galrank=4"), "{}", links::encode(scenario));
    for part in ["the script's comments are taken: torchrun", "accum = accum // world_size is not calculated: 32"] {
        assert!(read.assumed.iter().any(|said| said.contains(part)), "{part}: {:?}", read.assumed);
    }
    // A command of another script is none of this one.
    let other = ARGUMENTS.replace("train.py --batch", "other.py --part 3 --batch");
    let other = run("train.py", &other).scenario;
    assert_eq!((other.micro_batch_size, other.grad_accum_steps, other.recipe), (8, 8, PrecisionPolicy::Fp32));
    // What has no value is named, and never taken for its first operand.
    let open = run("train.py", &ARGUMENTS.replace("=accum,", "=args.total // (args.batch * world_size),"));
    assert_eq!(open.scenario.grad_accum_steps, 1);
    assert!(
        open.unread.iter().any(|line| line.starts_with("gradient_accumulation_steps = args.total //")),
        "{:?}",
        open.unread
    );
}

#[test]
fn the_class_that_is_called_decides_and_not_the_names_of_variables() {
    let text = "def train(base_model=\"Qwen/Qwen2.5-7B\", micro_batch_size=4, cutoff_len=256):\n    model = \
                LlamaForCausalLM.from_pretrained(base_model, load_in_8bit=True)\n    model = \
                prepare_model_for_int8_training(model)\n    tokenizer(text, max_length=cutoff_len)\n    trainer = \
                transformers.Trainer(model=model, args=transformers.TrainingArguments(\
                per_device_train_batch_size=micro_batch_size, fp16=True))\n";
    let run = run("finetune.py", text);
    assert_eq!(run.formats[0].name(), "Hugging Face Trainer");
    assert_eq!((model(&run.scenario), run.scenario.seq_len), ("qwen-2.5-7b", 256));
    assert_eq!((run.scenario.micro_batch_size, run.scenario.recompute), (4, Recompute::Full));
}

//! Tests of what training programs do by default, by release: the figures are derived by hand, or
//! quoted from the program's own source.

use engine::model::software::{Framework, Loss};
use engine::model::trained::BaseFormat;
use engine::model::training::{PrecisionPolicy, Recompute};
use engine::params::ParamId;
use engine::scenario::Scenario;
use files::run::{Base, File, Run, lint, read_run};

/// Reads a file at a release on eight H100.
fn read_at(release: &str, name: &str, text: &str) -> Run {
    let scenario = links::decode::decode("cluster=dgx-h100&gpus=8").scenario;
    let over = if release.is_empty() { Vec::new() } else { vec![("release".to_owned(), release.to_owned())] };
    read_run(&[File::new(name, text)], Base { over, ..Base::from(&scenario) }).unwrap()
}

fn scenario_at(release: &str, text: &str) -> Scenario {
    read_at(release, "", text).scenario
}

/// The format in which TRL loads a model counts also where the command leaves bf16 to TRL
/// (`create_model_from_path` in trl/trainer/utils.py).
#[test]
fn a_model_that_trl_loads_in_bf16_trains_in_bf16() {
    let needs = |dtype: &str| {
        let run = read_at("", "", &format!("trl sft --model_name_or_path Qwen/Qwen3-8B {dtype}"));
        (run.scenario.recipe, run.scenario.report().memory.needed.gib())
    };
    // 8.19 billion parameters: 16-bit weights, gradients, DDP's buckets and two moments are 10
    // bytes each, 76.3 GiB; fp32 ones are 20 bytes. Before, both were read as the second.
    let (recipe, in_16) = needs("--dtype bfloat16");
    assert!(recipe == PrecisionPolicy::PureBf16 && (76.3..90.0).contains(&in_16), "{recipe:?} {in_16}");
    let (recipe, in_32) = needs("--dtype float32");
    assert!(recipe == PrecisionPolicy::AutocastBf16 && (152.6..170.0).contains(&in_32), "{recipe:?} {in_32}");
    assert_eq!(needs(""), (recipe, in_32));
    assert_eq!(needs("--model_init_kwargs '{\"dtype\": \"bfloat16\"}'").1, in_16);
    let yaml = "model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 8\nmax_length: 1024\n\
                model_init_kwargs:\n  torch_dtype: bfloat16\n";
    assert_eq!(scenario_at("", yaml).report().memory.needed.gib(), in_16);
}

/// `max_completion_length` of `GRPOConfig` and `RLOOConfig` is 256 in the wheel of TRL 1.9.0, 512
/// in that of 1.10.0; prompts have 512 tokens.
#[test]
fn trl_completes_512_tokens_from_august_2026_on() {
    for command in ["grpo", "rloo"] {
        let command = format!("trl {command} --model_name_or_path Qwen/Qwen3-8B");
        let read = |release: &str| {
            let scenario = scenario_at(release, &command);
            (ParamId::Objective.option(&scenario), scenario.seq_len)
        };
        assert_eq!(read("trl-2026-06"), ("grpo", 768), "{command}");
        assert_eq!(read("trl-2026-08"), ("grpo", 1024), "{command}");
    }
}

/// `add_fused_lm_head` of TRL 1.15.0 is in `{sft,dpo,kto,grpo,rloo}_trainer.py`, and not in
/// experimental/orpo.
#[test]
fn trl_fuses_head_and_loss_from_october_2026_on() {
    let loss = |release: &str, command: &str| {
        scenario_at(release, &format!("trl {command} --model_name_or_path Qwen/Qwen3-8B")).kernels.loss
    };
    for command in ["sft --loss_type nll", "sft --loss_type dft", "dpo", "kto", "grpo", "rloo"] {
        assert_eq!(loss("trl-2026-06", command), Loss::Standard, "{command}");
        assert_eq!(loss("", command), Loss::FusedLinear, "{command}");
    }
    assert_eq!(loss("trl-2026-06", "sft"), Loss::FusedLinear);
    let orpo = "model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 1\nmax_prompt_length: 512\n";
    assert_eq!(read_at("", "orpo.yaml", orpo).scenario.kernels.loss, Loss::Standard);
    // fp32 logits of 16,384 tokens and 151,936 entries are 9.3 GiB, and the loss holds three of
    // them.
    let needs = |release: &str| {
        let command = "trl sft --model_name_or_path Qwen/Qwen3-8B --loss_type nll --fsdp full_shard \
                       --max_length 4096 --per_device_train_batch_size 4";
        scenario_at(release, command).report().memory.needed.gib()
    };
    let saved = needs("trl-2026-06") - needs("");
    assert!((20.0..30.0).contains(&saved), "{saved}");
}

/// Keys of one trainer alone, and losses, say the objective; those of several (`beta`) do not.
#[test]
fn files_of_trl_are_told_by_their_keys() {
    for (key, task, is_said) in [
        ("beta: 0.1", "dpo", false),
        ("sync_ref_model: true", "dpo", false),
        ("precompute_ref_log_probs: true", "dpo", false),
        ("beta: 0.1\nf_divergence_type: js_divergence", "dpo", true),
        ("reference_free: true", "dpo", true),
        ("beta: 0.1\nloss_type: ipo", "dpo", true),
        ("loss_type: [sigmoid, bco_pair, sft]", "dpo", true),
        ("desirable_weight: 1.0", "kto", true),
        ("beta: 0.1\nloss_type: apo_zero_unpaired", "kto", true),
        ("beta: 0.04\nloss_type: dr_grpo", "grpo", true),
        ("scale_rewards: false", "grpo", true),
        ("center_rewards_coefficient: 0.01", "reward", true),
        ("assistant_only_loss: true", "lm", true),
    ] {
        let text = format!("model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 8\n{key}\n");
        let run = read_at("", "config.yaml", &text);
        assert_eq!(run.formats, [catalog::programs::Program::Trl], "{key}");
        assert_eq!(ParamId::Objective.option(&run.scenario), task, "{key}");
        assert_eq!(run.unread.is_empty(), is_said, "{key}: {:?}", run.unread);
        // Before, the Trainer's supervised run of 4,096 tokens. `max_length` is 1,024 in TRL.
        assert!(task == "grpo" || run.scenario.seq_len == 1024, "{key}");
    }
    // The name of the file says what shared keys leave open; CPO has no reference model.
    let text = "model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 1\nbeta: 0.1\n";
    let named = |name: &str, more: &str| read_at("", name, &format!("{text}{more}"));
    assert_eq!(ParamId::Objective.option(&named("orpo.yaml", "").scenario), "orpo");
    assert!(named("orpo.yaml", "").unread.is_empty());
    let simple = named("config.yaml", "loss_type: simpo\nsimpo_gamma: 0.5\n").scenario;
    assert_eq!((ParamId::Objective.option(&simple), ParamId::Reference.option(&simple)), ("dpo", "none"));
}

/// TRL's and Axolotl's policies save attention and recompute the rest
/// (trl/models/selective_activation_checkpointing.py of 1.15.0;
/// axolotl/monkeypatch/selective_checkpointing.py @ f51fa20a9).
#[test]
fn selective_checkpointing_that_saves_attention_alone_is_said() {
    let axolotl = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 8192\nmicro_batch_size: 1\n\
                   gradient_checkpointing: true\nselective_checkpointing";
    for value in [": true\n", ":\n  save: [attention]\n  offload: true\n"] {
        let run = read_at("", "axolotl.yaml", &format!("{axolotl}{value}"));
        assert_eq!(run.scenario.recompute, Recompute::Full, "{value}");
        assert!(run.assumed.iter().any(|said| said.starts_with("Attention is computed as recomputed")), "{run:?}");
        assert!(run.ignored.is_empty(), "{:?}", run.ignored);
    }
    let text = "model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 1\nmax_length: 4096\n\
                gradient_checkpointing_kwargs:\n  selective: true\n";
    let run = read_at("", "sft.yaml", text);
    assert_eq!(run.scenario.recompute, Recompute::Full);
    assert!(run.assumed.iter().any(|said| said.starts_with("Attention is computed as recomputed")), "{run:?}");
}

/// transformers 5.23 renamed `gradient_checkpointing` and gave it `every_n_layers` and `offload`
/// (training_args.py of the wheels 5.22.0 and 5.23.0).
#[test]
fn activation_checkpointing_is_gradient_checkpointing() {
    let text = "model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 1\nfsdp: full_shard\nbf16: true\n\
                block_size: 4096\n";
    let read = |more: &str| read_at("", "train.yaml", &format!("{text}{more}"));
    let needs = |more: &str| {
        let run = read(more);
        assert!(run.ignored.is_empty(), "{:?}", run.ignored);
        run.scenario.report().memory.needed.gib()
    };
    // Before, the new name was ignored.
    let (none, old) = (needs(""), needs("gradient_checkpointing: true\n"));
    assert_eq!(needs("activation_checkpointing: true\n"), old);
    assert!(old + 20.0 < none, "{old} {none}");
    let half = needs("activation_checkpointing: true\nactivation_checkpointing_kwargs:\n  every_n_layers: 2\n");
    assert!(old + 5.0 < half && half + 5.0 < none, "{old} {half} {none}");
    // The inputs of 36 layers of 4,096 tokens and 4,096 numbers are 1.125 GiB in 16 bits.
    let off = needs("activation_checkpointing: true\nactivation_checkpointing_kwargs:\n  offload: true\n");
    assert!((0.8..1.2).contains(&(old - off)), "{old} {off}");
    let command = "torchrun --nproc_per_node 8 train.py --model_name_or_path Qwen/Qwen3-8B --fsdp full_shard \
                   --per_device_train_batch_size 1 --bf16 true --activation_checkpointing \
                   --activation_checkpointing_kwargs '{\"every_n_layers\": 3}'";
    let scenario = scenario_at("", command);
    let kept = ParamId::KeepFraction.param().number().map(|number| (number.get)(&scenario));
    assert_eq!((scenario.recompute, kept.map(f64::round)), (Recompute::Fraction, Some(67.0)));
}

/// `fsdp_config.get("version", 1)` in transformers 5.9.0 (20 May 2026), 2 in 5.10.1 (3 June).
#[test]
fn the_trainer_means_fsdp2_from_june_2026_on() {
    let text = "model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 1\nfsdp: full_shard\nbf16: true\n";
    let framework = |release: &str| scenario_at(release, text).framework;
    assert_eq!(framework("transformers-2026-04"), Framework::Fsdp1);
    assert_eq!(framework("transformers-2026-06"), Framework::Transformers);
    assert_eq!(framework(""), Framework::Transformers);
    let trl = "trl sft --model_name_or_path Qwen/Qwen3-8B --fsdp full_shard";
    let framework = |release: &str| scenario_at(release, trl).framework;
    assert_eq!(framework("trl-2026-04"), Framework::Fsdp1);
    assert_eq!(framework("trl-2026-06"), Framework::Transformers);
    // Accelerate 1.14 keeps norm and head gathered under FSDP2 (60b5c258a).
    let unit = |release: &str| {
        let text = format!("{text}fsdp_version: 2\n");
        ParamId::RootUnit.option(&scenario_at(release, &text))
    };
    assert_eq!(unit("transformers-2026-01"), "default");
    assert_eq!(unit("transformers-2026-04"), "head");
}

/// `check_fsdp_version_in_fsdp_config` of Axolotl 0.19.0 takes 1, that of 0.20.0 takes 2 and
/// refuses what only FSDP1 has.
#[test]
fn axolotl_has_fsdp2_alone_from_september_2026_on() {
    let text =
        "base_model: Qwen/Qwen3-8B\nsequence_len: 2048\nmicro_batch_size: 1\nfsdp_config:\n  offload_params: true\n";
    let framework = |release: &str, more: &str| scenario_at(release, &format!("{text}{more}")).framework;
    assert_eq!(framework("axolotl-2025-11", ""), Framework::Fsdp1);
    assert_eq!(framework("", ""), Framework::Transformers);
    assert_eq!(framework("axolotl-2025-11", "fsdp_version: 2\n"), Framework::Transformers);
    for old in ["fsdp:\n  - full_shard\n", "  sharding_strategy: FULL_SHARD\n", "  fsdp_forward_prefetch: true\n"] {
        assert_eq!(framework("", old), Framework::Fsdp1, "{old}");
    }
}

/// `TrainingArguments.__post_init__`: a backend or a mode switches torch.compile on; Inductor
/// captures CUDA graphs by two of its modes.
#[test]
fn a_mode_of_torch_compile_switches_it_on() {
    let read = |more: &str| {
        let text = format!("model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 1\nbf16: true\n{more}");
        let run = read_at("", "", &text);
        assert!(run.ignored.is_empty(), "{more}: {:?}", run.ignored);
        (ParamId::Compile.option(&run.scenario), ParamId::CudaGraphs.option(&run.scenario))
    };
    assert_eq!(read(""), ("no", "none"));
    assert_eq!(read("torch_compile: true\n"), ("yes", "none"));
    assert_eq!(read("torch_compile_backend: inductor\n"), ("yes", "none"));
    assert_eq!(read("torch_compile_mode: default\n"), ("yes", "none"));
    assert_eq!(read("torch_compile_mode: reduce-overhead\n"), ("yes", "layers"));
    assert_eq!(read("torch_compile_mode: max-autotune\n"), ("yes", "layers"));
    assert_eq!(read("torch_compile_mode: max-autotune-no-cudagraphs\n"), ("yes", "none"));
    assert_eq!(read("torch_compile: true\ntorch_compile_backend: aot_eager\n"), ("no", "none"));
}

/// `_configure_torch_compile` of axolotl/core/builders/base.py, 0.21.0.
#[test]
fn axolotl_reads_a_mode_of_torch_compile_where_that_is_on() {
    let read = |more: &str| {
        let text = format!("base_model: Qwen/Qwen3-8B\nsequence_len: 2048\nmicro_batch_size: 1\n{more}");
        let scenario = scenario_at("", &text);
        (ParamId::Compile.option(&scenario), ParamId::CudaGraphs.option(&scenario))
    };
    assert_eq!(read("torch_compile: true\ntorch_compile_mode: reduce-overhead\n"), ("yes", "layers"));
    assert_eq!(read("torch_compile_mode: reduce-overhead\n"), ("no", "none"));
    assert_eq!(read("torch_compile: true\ntorch_compile_backend: eager\n"), ("no", "none"));
}

#[test]
fn accelerate_offloads_the_inputs_of_recomputed_layers() {
    let text = "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_processes: 8\nmixed_precision: bf16\n\
                fsdp_config:\n  fsdp_version: 2\n  fsdp_activation_checkpointing: true\n  \
                fsdp_activation_checkpointing_offload: true\n";
    let run = read_at("", "accelerate.yaml", text);
    assert_eq!(ParamId::OffloadActivations.option(&run.scenario), "yes");
    assert!(run.ignored.is_empty(), "{:?}", run.ignored);
}

/// `disable_cuda_graphs` of torchtitan is false from f84224af0 (13 August 2026) on.
#[test]
fn torchtitan_captures_the_step_from_august_2026_on() {
    let read = |release: &str, more: &str| {
        let text = format!(
            "[model]\nname = \"qwen3\"\nflavor = \"0.6B\"\n[training]\nlocal_batch_size = 1\nseq_len = 1024\n{more}"
        );
        read_at(release, "train.toml", &text).scenario
    };
    let graphs = |scenario: &Scenario| ParamId::CudaGraphs.option(scenario);
    let (before, since) = (read("torchtitan-2026-04", ""), read("torchtitan-2026-08", ""));
    assert_eq!((graphs(&before), graphs(&since)), ("none", "step"));
    // Single launches hold up a model of 0.6 billion parameters: 14,400 tokens a second before.
    let speed = |scenario: &Scenario| scenario.report().update.tokens_per_s_per_gpu;
    assert!(speed(&since) > 1.3 * speed(&before), "{} {}", speed(&since), speed(&before));
    for off in [
        "disable_cuda_graphs = true\n",
        "[parallelism]\npipeline_parallel_degree = 2\n",
        "[parallelism]\nexpert_parallel_degree = 8\n",
        "[parallelism]\nfsdp_reshard_after_forward = \"always\"\n",
    ] {
        assert_eq!(graphs(&read("torchtitan-2026-08", off)), "none", "{off}");
    }
}

/// `--data-parallel-sharding-strategy` was `no_shard` by default before 3499efef8 (1 April 2026).
#[test]
fn megatron_fsdp_shards_by_default_from_april_2026_on() {
    let script = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 \
                  --num-attention-heads 32 --group-query-attention --num-query-groups 8 --swiglu --vocab-size 128256 \
                  --untie-embeddings-and-output-weights --normalization RMSNorm --seq-length 4096 --micro-batch-size 1 \
                  --global-batch-size 8 --bf16 --use-megatron-fsdp";
    let read = |release: &str, more: &str| scenario_at(release, &format!("{script} {more}"));
    let strategy = |scenario: &Scenario| ParamId::Strategy.option(scenario);
    let (before, since) = (read("megatron-lm-2024-06", ""), read("", ""));
    assert_eq!((strategy(&before), strategy(&since)), ("ddp", "full-shard"));
    // 8.03 billion parameters at 18 bytes are 134.6 GiB: before, 41 GiB were said for every
    // release.
    let needs = |scenario: &Scenario| scenario.report().memory.needed.gib();
    assert!((134.6..175.0).contains(&needs(&before)) && needs(&since) < 50.0, "{} {}", needs(&before), needs(&since));
    let said = "--data-parallel-sharding-strategy optim_grads_params";
    assert_eq!(strategy(&read("megatron-lm-2024-06", said)), "full-shard");
}

/// `--train.micro_batch_size` of openrlhf/cli/train_rm.py is 1, that of `train_dpo.py` and
/// `train_sft.py` 8 (3c3be623).
#[test]
fn a_reward_model_of_openrlhf_takes_one_pair_a_micro_batch() {
    let read = |module: &str| {
        let command = format!(
            "deepspeed --module openrlhf.cli.{module} --model.model_name_or_path meta-llama/Meta-Llama-3-8B \
             --data.max_len 4096 --ds.zero_stage 3"
        );
        scenario_at("", &command)
    };
    let reward = read("train_rm");
    assert_eq!((ParamId::Objective.option(&reward), reward.micro_batch_size), ("reward", 1));
    assert_eq!((read("train_sft").micro_batch_size, read("train_dpo").micro_batch_size), (8, 8));
    let said = scenario_at(
        "",
        "deepspeed --module openrlhf.cli.train_rm --model.model_name_or_path meta-llama/Meta-Llama-3-8B \
         --train.micro_batch_size 4",
    );
    assert_eq!(said.micro_batch_size, 4);
}

/// `BaseDataConfig` of prime-rl's configs/sft.py (559b44772): `batch_size` 128, `seq_len` 128.
#[test]
fn supervised_runs_of_prime_rl_have_128_sequences_of_128_tokens() {
    let text = "max_steps = 100\n[model]\nname = \"Qwen/Qwen3-8B\"\n[deployment]\nnum_train_gpus = 8\n[data]\n";
    let run = read_at("", "sft.toml", &format!("{text}name = \"x/y\"\n"));
    let scenario = run.scenario;
    // 128 sequences over eight GPUs of one each are 16 micro-batches; 2,048 tokens and one before.
    assert_eq!((scenario.seq_len, scenario.micro_batch_size, scenario.grad_accum_steps), (128, 1, 16));
    assert!(run.assumed.iter().all(|said| !said.contains("2,048")), "{:?}", run.assumed);
    let said = read_at("", "sft.toml", &format!("{text}seq_len = 4096\nbatch_size = 32\n")).scenario;
    assert_eq!((said.seq_len, said.grad_accum_steps), (4096, 4));
}

/// verl/trainer/config/sft_trainer_engine.yaml of verl-project/verl @ 1dda039b9: 256 sequences of
/// at most 1,024 tokens a step, 8,192 tokens a micro-batch, no padding, FSDP1.
#[test]
fn the_sft_trainer_of_verl_is_read() {
    let read = |more: &str| {
        let command = format!(
            "torchrun --nproc_per_node=8 -m verl.trainer.sft_trainer data.train_files=a.parquet engine=fsdp \
             model.path=Qwen/Qwen3-8B {more}"
        );
        read_at("", "", &command)
    };
    let of = |run: &Run| {
        let scenario = run.scenario;
        let framework = ParamId::Framework.option(&scenario);
        (scenario.seq_len, scenario.micro_batch_size, scenario.grad_accum_steps, framework)
    };
    let run = read("");
    assert!(run.open.is_empty() && run.ignored.is_empty(), "{:?} {:?}", run.open, run.ignored);
    // 8,192 / 1,024 sequences; 256 of them over 8 GPUs of 8 are 4 micro-batches.
    assert_eq!(of(&run), (1024, 8, 4, "fsdp1"));
    assert_eq!(ParamId::GradientSync.option(&run.scenario), "last");
    let said = read(
        "engine.strategy=fsdp2 data.max_length=4096 data.max_token_len_per_gpu=16384 data.train_batch_size=64 \
         data.pad_mode=no_padding",
    );
    assert_eq!(of(&said), (4096, 4, 2, "pytorch"));
    let still = read("data.use_dynamic_bsz=False data.micro_batch_size_per_gpu=2 data.pad_mode=right");
    assert_eq!((of(&still), ParamId::Batching.option(&still.scenario)), ((1024, 2, 16, "fsdp1"), "padmax"));
    assert!(read("engine=veomni").unread.iter().any(|said| said.contains("VeOmni")));
    // The trainer that was removed is of a release before, in which FSDP reduced at each
    // micro-batch.
    let old = "torchrun --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer model.partial_pretrain=Qwen/Qwen3-8B";
    let old = read_at("", "", old);
    assert_eq!(ParamId::GradientSync.option(&old.scenario), "every");
    assert_eq!(of(&old), (1024, 4, 8, "pytorch"));
}

/// v1 of LLaMA-Factory (src/llamafactory/v1 @ ff6d4d12e): fp32 weights, FSDP2 only under torchrun,
/// no autocast; the command says the objective, and `cutoff_len` holds both answers of a pair.
#[test]
fn the_next_version_of_llama_factory_is_read() {
    let run = |name: &str, text: &str| read_at("", name, text);
    let text = "model: Qwen/Qwen3-8B\ntrain_dataset: data.yaml\ncutoff_len: 4096\nmicro_batch_size: 2\n\
                dist_config:\n  name: fsdp2\n";
    let several = run("run.yaml", text).scenario;
    let with_script = |command: &str| {
        let files = [files::run::File::new("run.sh", command), files::run::File::new("run.yaml", text)];
        files::run::read_run(&files, &links::decode::decode("cluster=dgx-h100&gpus=8").scenario).unwrap()
    };
    let one = with_script("CUDA_VISIBLE_DEVICES=0 USE_V1=1 llamafactory-cli sft run.yaml\n");
    assert_eq!(one.formats[0].name(), "LLaMA-Factory v1");
    let of = |scenario: &engine::scenario::Scenario| {
        (ParamId::Recipe.option(scenario), ParamId::Strategy.option(scenario), scenario.gpus)
    };
    assert_eq!(of(&several), ("fsdp2-bf16", "full-shard", 8));
    assert_eq!((of(&one.scenario).0, of(&one.scenario).2), ("fp32", 1));
    let pairs = with_script("USE_V1=1 llamafactory-cli dpo run.yaml\n").scenario;
    assert_eq!((ParamId::Objective.option(&pairs), pairs.seq_len, pairs.micro_batch_size), ("dpo", 2048, 2));
    let plain = run("run.yaml", &text.replace("dist_config:\n  name: fsdp2\n", "")).scenario;
    assert_eq!((of(&plain).0, of(&plain).1), ("fp32", "ddp"));
}

/// Axolotl has `chunked_cross_entropy` since 2025-06-23 (12c826816).
#[test]
fn no_fix_is_newer_than_its_release() {
    let yaml = "base_model: Qwen/Qwen3-8B\nsequence_len: 8192\nmicro_batch_size: 4\ngradient_accumulation_steps: 2\n\
                sample_packing: true\nbf16: true\noptimizer: adamw_torch_fused\nadapter: lora\nlora_r: 16\n";
    let files = [File::new("axolotl.yaml", yaml)];
    let adds = |release: &str| {
        let over = vec![("release".to_owned(), release.to_owned())];
        let base = Base { over, ..Base::from(&links::decode::decode("cluster=dgx-h100&gpus=8").scenario) };
        let run = read_run(&files, base.clone()).unwrap();
        let findings = lint(&run, &files, base);
        let keys: Vec<String> = findings.iter().flat_map(|one| &one.fix).map(|change| change.key.clone()).collect();
        keys.contains(&"chunked_cross_entropy".to_owned())
            || keys.contains(&"liger_fused_linear_cross_entropy".to_owned())
    };
    assert!(adds("axolotl-2026-09") && !adds("axolotl-2023-08"));
}

/// `from_pretrained` without a format loads in fp32 before transformers 5, whatever the checkpoint
/// stores: 6,738,415,616 weights of Llama 2 7B are 25.1 GiB, and 12.6 GiB in 16 bits. DeepSpeed
/// casts the whole model.
#[test]
fn a_frozen_base_without_a_format_is_fp32_before_transformers_5() {
    let script = "torchrun --nproc_per_node=8 train.py --model_name_or_path meta-llama/Llama-2-7b-hf --use_lora True \
                  --lora_r 8 --bf16 True --per_device_train_batch_size 1 --model_max_length 2048";
    let base = |release: &str, more: &str| {
        let scenario = read_at(release, "a.sh", &format!("{script}{more}\n")).scenario;
        (scenario.trained.base, scenario.report().memory.needed.gib())
    };
    let (before, needs) = base("transformers-2025-02", "");
    let (now, needs_now) = base("transformers-2026-11", "");
    assert_eq!([before, now], [BaseFormat::Fp32, BaseFormat::Bf16]);
    assert!((12.0..13.5).contains(&(needs - needs_now)), "{needs} {needs_now}");
    assert_eq!(base("transformers-2025-02", " --deepspeed ds_z2.json").0, BaseFormat::Bf16);
}

/// Fabric turns a module's outputs into fp32 in every precision (`HalfPrecision.convert_output`,
/// Lightning-AI/pytorch-lightning src/lightning/fabric/plugins/precision/half.py @ 2e61a3115), and
/// AutoModel's loss does unless `fp32_upcast` is false (nemo_automodel/components/loss/masked_ce.py
/// @ 36044ad3d).
#[test]
fn the_format_of_the_logits_is_the_wrappers() {
    let litgpt = |precision: &str| {
        let text = format!(
            "checkpoint_dir: checkpoints/meta-llama/Llama-2-7b-hf\nprecision: {precision}\nlora_r: 8\n\
             data:\n  class_path: litgpt.data.Alpaca2k\ntrain:\n  global_batch_size: 8\n  micro_batch_size: 2\n  \
             max_seq_length: 512\n"
        );
        read_at("", "lora.yaml", &text).scenario.kernels.loss
    };
    assert_eq!(litgpt("bf16-true"), Loss::Standard);
    assert_eq!(litgpt("bf16-mixed"), Loss::Standard);
    let automodel = |upcast: &str| {
        let text = format!(
            "recipe: TrainFinetuneRecipeForNextTokenPrediction\nstep_scheduler:\n  global_batch_size: 32\n  \
             local_batch_size: 2\nmodel:\n  _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained\n  \
             pretrained_model_name_or_path: Qwen/Qwen2.5-7B\ndistributed:\n  strategy: fsdp2\nloss_fn:\n  \
             _target_: nemo_automodel.components.loss.masked_ce.MaskedCrossEntropy\n{upcast}"
        );
        read_at("", "qwen.yaml", &text).scenario.kernels.loss
    };
    assert_eq!(automodel(""), Loss::Standard);
    assert_eq!(automodel("  fp32_upcast: true\n"), Loss::Standard);
    assert_eq!(automodel("  fp32_upcast: false\n"), Loss::Bf16);
}

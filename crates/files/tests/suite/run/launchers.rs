//! Tests of what launchers decide: the sharding and the number of GPUs; of shell values; and of
//! files that name each other.

use catalog::default_scenario;
use engine::model::training::Recompute;
use engine::scenario::{Scenario, Strategy};
use files::brought::{Item, import_items, named_files};
use files::run::{File, Run, lint, read_run};
use links::decode::decode;

fn base() -> Scenario {
    decode("cluster=dgx-h100&gpus=8").scenario
}

fn run(name: &str, text: &str) -> Run {
    read_run(&[File::new(name, text)], &base()).unwrap()
}

fn gpus(name: &str, text: &str) -> u32 {
    run(name, text).scenario.gpus
}

fn assumes(run: &Run, part: &str) -> bool {
    run.assumed.iter().any(|said| said.contains(part))
}

const FULL: &str = "model_name_or_path: Qwen/Qwen3-8B\nstage: sft\nfinetuning_type: full\ncutoff_len: 4096\n\
                    per_device_train_batch_size: 1\nbf16: true\n";
const FLAGS: &str = "--model_name_or_path Qwen/Qwen3-8B --per_device_train_batch_size 1 --max_length 2048 --bf16";

#[test]
fn ddp_that_no_file_says_is_an_assumption_and_no_finding() {
    let trl = "model_name_or_path: Qwen/Qwen3-8B\nmax_length: 4096\nper_device_train_batch_size: 1\nbf16: true\n";
    let axolotl = "base_model: Qwen/Qwen3-8B\nsequence_len: 4096\nmicro_batch_size: 1\nbf16: true\n";
    for (name, text) in [("lf.yaml", FULL), ("trl.yaml", trl), ("axolotl.yml", axolotl)] {
        let files = [File::new(name, text)];
        let run = read_run(&files, &base()).unwrap();
        assert_eq!(run.scenario.strategy, Strategy::Ddp, "{name}");
        assert!(run.assumed[0].starts_with("No file says the sharding: DDP"), "{name}: {:?}", run.assumed);
        assert!(run.assumed[0].contains("as ZeRO-3 it would need"), "{name}: {:?}", run.assumed);
        assert!(!run.scenario.report().fits(), "{name}");
        assert!(lint(&run, &files, &base()).iter().all(|finding| finding.code != "SW101"), "{name}");
    }
    // One GPU has nothing to shard.
    let one = read_run(&[File::new("lf.yaml", FULL)], &decode("cluster=dgx-h100&gpus=1").scenario).unwrap();
    assert!(!assumes(&one, "sharding"), "{:?}", one.assumed);
    // A launcher that starts plain processes leaves no file to look for.
    let plain = run("run.sh", &format!("torchrun --nproc_per_node 4 train.py {FLAGS}\n"));
    assert!(assumes(&plain, "torchrun starts the processes") && !assumes(&plain, "No file says"));
}

#[test]
fn the_name_of_accelerates_file_says_the_sharding() {
    let cases = [
        ("examples/fsdp2.json", Strategy::FullShard, "FSDP2, as its name says"),
        ("cfg/fsdp_config.yaml", Strategy::FullShard, "FSDP, as its name says"),
        ("deepspeed_zero3.yaml", Strategy::FullShard, "ZeRO-3, as its name says"),
        ("recipes/accelerate_configs/zero2.yaml", Strategy::Zero2, "ZeRO-2, as its name says"),
        ("zero1.yaml", Strategy::Zero1, "ZeRO-1, as its name says"),
        ("multi_gpu.yaml", Strategy::Ddp, "DDP, as its name says"),
        ("ddp.yaml", Strategy::Ddp, "DDP, as its name says"),
    ];
    for (name, strategy, said) in cases {
        let run = run("run.sh", &format!("accelerate launch --config_file {name} --num_processes 4 sft.py {FLAGS}\n"));
        assert_eq!((run.scenario.strategy, run.scenario.gpus), (strategy, 4), "{name}");
        let sentence = format!("The file {name} is not among these: {said}.");
        assert!(run.assumed.contains(&sentence), "{name}: {:?}", run.assumed);
        assert!(!run.ignored.contains(&"config_file".to_owned()) && !assumes(&run, "No file says the sharding"));
    }
    let other = run("run.sh", &format!("accelerate launch --config_file mine.yaml --num_processes 4 sft.py {FLAGS}\n"));
    assert!(assumes(&other, "its name says no sharding") && assumes(&other, "No file says the sharding"));
    // The file itself counts more than its name.
    let file = "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 2\n\
                num_processes: 4\n";
    let script = format!("accelerate launch --config_file zero3.yaml sft.py {FLAGS}\n");
    let both = read_run(&[File::new("run.sh", script), File::new("zero3.yaml", file)], &base()).unwrap();
    assert_eq!((both.scenario.strategy, both.scenario.gpus), (Strategy::Zero2, 4));
    assert!(!assumes(&both, "is not among these"));
    // Arguments of the launcher say it too.
    for (arguments, strategy) in [
        ("--use_deepspeed --zero_stage 3", Strategy::FullShard),
        ("--use_fsdp --fsdp_sharding_strategy SHARD_GRAD_OP", Strategy::ShardGradOp),
        ("--multi_gpu", Strategy::Ddp),
    ] {
        let run = run("run.sh", &format!("accelerate launch {arguments} --num_processes 4 sft.py {FLAGS}\n"));
        assert_eq!(run.scenario.strategy, strategy, "{arguments}");
        assert!(!assumes(&run, "No file says the sharding"), "{arguments}");
    }
}

#[test]
fn the_number_of_gpus_is_what_the_launcher_starts() {
    let deepspeed = |include: &str| format!("deepspeed --include {include} train.py {FLAGS} --deepspeed zero3.json\n");
    for (include, count) in
        [("localhost:0,1", 2), ("\"localhost:0,1,2\"", 3), ("worker-0:0,1,2,3@worker-1:0,1,2,3", 8), ("a@b", 16)]
    {
        assert_eq!(gpus("run.sh", &deepspeed(include)), count, "{include}");
    }
    assert_eq!(gpus("run.sh", &format!("deepspeed --num_gpus 2 train.py {FLAGS} --deepspeed zero3.json\n")), 2);
    let stage = "llamafactory-cli train --stage sft --finetuning_type lora --cutoff_len 2048";
    for variable in ["CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"] {
        let before = format!("{variable}=0,1,2,3 {stage} {FLAGS}\n");
        let exported = format!("export {variable}=0,1,2,3\n{stage} {FLAGS}\n");
        assert_eq!((gpus("run.sh", &before), gpus("run.sh", &exported)), (4, 4), "{variable}");
    }
    // A process of Python alone uses one.
    assert_eq!(gpus("run.sh", &format!("CUDA_VISIBLE_DEVICES=0,1 python train.py {FLAGS}\n")), 1);
    assert_eq!(gpus("ray.yaml", &format!("{FULL}ray_num_workers: 4\n")), 4);
    let axolotl = "base_model: Qwen/Qwen3-30B-A3B\nsequence_len: 4096\nmicro_batch_size: 1\nadapter: lora\nbf16: true\n\
                   fsdp_version: 2\nfsdp_config:\n  reshard_after_forward: true\n";
    for (degrees, count) in [
        ("expert_parallel_size: 8\ndp_shard_size: 1\n", 8),
        ("dp_shard_size: 4\ntensor_parallel_size: 2\n", 8),
        ("dp_shard_size: 2\ncontext_parallel_size: 2\ndp_replicate_size: 2\n", 8),
        ("use_ray: true\nray_num_workers: 4\n", 4),
    ] {
        let run = run("axolotl.yml", &format!("{axolotl}{degrees}"));
        assert_eq!(run.scenario.gpus, count, "{degrees}");
        assert!(run.contradictions.is_empty(), "{degrees}: {:?}", run.contradictions);
    }
}

#[test]
fn slurm_says_the_card_and_how_many_a_node_has() {
    for (flag, id) in
        [("--gres=gpu:h200:4", "h200"), ("--gpus-per-node=h100:4", "h100-sxm"), ("--gres=gpu:a100:4", "a100-80gb")]
    {
        let script = format!(
            "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH {flag}\nsrun torchrun --nnodes $SLURM_NNODES \
             --nproc_per_node $SLURM_GPUS_ON_NODE train.py {FLAGS} --fsdp full_shard\n"
        );
        let run = read_run(&[File::new("job.sbatch", script)], &default_scenario()).unwrap();
        let scenario = &run.scenario;
        assert_eq!((scenario.accelerator.id, scenario.gpus), (id, 8), "{flag}");
        assert_eq!(scenario.network.values.gpus_per_node, 4, "{flag}");
        assert!(run.ignored.is_empty(), "{flag}: {:?}", run.ignored);
    }
}

#[test]
fn recipes_of_a_single_device_use_one_gpu() {
    let recipe = "model:\n  _component_: torchtune.models.llama2.llama2_7b\ntokenizer:\n  max_seq_len: 2048\n\
                  batch_size: 2\ndtype: bf16\n";
    let adam = "optimizer:\n  _component_: torch.optim.AdamW\n";
    let paged = "optimizer:\n  _component_: bitsandbytes.optim.PagedAdamW\n";
    let usage = "# To launch:\n#   tune run full_finetune_single_device --config mine\n";
    let distributed = "# tune run --nproc_per_node 4 full_finetune_distributed --config mine\n";
    for (text, count) in [
        (format!("{usage}{recipe}{adam}"), 1),
        (format!("{recipe}{paged}"), 1),
        (format!("{distributed}{recipe}{adam}"), 8),
    ] {
        assert_eq!(gpus("mine.yaml", &text), count, "{text}");
    }
}

#[test]
fn a_value_keeps_what_is_known_of_it() {
    let model = |script: &str| {
        let run = run("run.sh", script);
        links::encode(&run.scenario).split("model=").nth(1).and_then(|rest| rest.split('&').next()).map(str::to_owned)
    };
    let rest = "--per_device_train_batch_size 1 --max_length 2048 --bf16";
    for script in [
        format!("M=$HOME/models/Qwen3-8B\ntorchrun --nproc_per_node 2 sft.py --model_name_or_path $M {rest}\n"),
        format!(
            "M=${{M:-$HOME/models/Qwen3-8B/}}\ntorchrun --nproc_per_node 2 sft.py --model_name_or_path \"$M\" {rest}\n"
        ),
        format!("torchrun --nproc_per_node 2 sft.py --model_name_or_path ${{A:-${{B:-Qwen/Qwen3-8B}}}} {rest}\n"),
        format!(
            "go() {{\n  torchrun --nproc_per_node 2 sft.py --model_name_or_path $M {rest}\n}}\nM=Qwen/Qwen3-8B\ngo\n"
        ),
        format!("torchrun --nproc_per_node 2 sft.py --model_name_or_path $QWEN3_8B_PATH {rest}\n"),
        format!("torchrun --nproc_per_node 2 sft.py --model_name_or_path ${{MODELS}}/Qwen3-8B {rest}\n"),
    ] {
        assert_eq!(model(&script).as_deref(), Some("qwen-3-8b"), "{script}");
    }
}

#[test]
fn a_redirection_is_no_argument() {
    for end in ["2>&1 | tee log", "> log 2>&1", "2> err.txt", ">> log", "&> log", "< /dev/null", "2>&1 &", "&", ">log"]
    {
        let script = format!("torchrun --nproc_per_node 2 sft.py {FLAGS} --gradient_accumulation_steps 4 {end}\n");
        let run = run("run.sh", &script);
        assert_eq!(run.scenario.grad_accum_steps, 4, "{end}");
        assert!(run.contradictions.is_empty() && run.ignored.is_empty(), "{end}: {run:?}");
    }
}

#[test]
fn variables_that_a_script_uses_are_no_keys() {
    let script = |uses: &str| format!("my_size=2\nother_size=3\ntorchrun --nproc_per_node {uses} sft.py {FLAGS}\n");
    assert_eq!(run("run.sh", &script("$my_size")).ignored, ["other_size"]);
    assert_eq!(run("run.sh", &script("${my_size}")).scenario.gpus, 2);
    assert_eq!(run("run.sh", &script("2")).ignored, ["my_size", "other_size"]);
}

const CHILD: &str = "defaults: ../base.yaml\ngrpo:\n  num_prompts_per_step: 64\n  num_generations_per_prompt: 32\npolicy:\n  \
                     model_name: meta-llama/Llama-3.3-70B-Instruct\n  train_global_batch_size: 512\n  \
                     train_micro_batch_size: 1\n  max_total_sequence_length: 4096\ncluster:\n  num_nodes: 8\n";
const PARENT: &str = "defaults: root.yaml\ngrpo:\n  num_prompts_per_step: 32\n  num_generations_per_prompt: 16\npolicy:\n  \
                      model_name: Qwen/Qwen2.5-1.5B\n  train_global_batch_size: 512\n  train_micro_batch_size: 4\n  \
                      megatron_cfg:\n    enabled: true\n    activation_checkpointing: true\n    \
                      tensor_model_parallel_size: 4\ncluster:\n  num_nodes: 1\n";
const ROOT: &str = "grpo:\n  num_prompts_per_step: 8\n  num_generations_per_prompt: 4\npolicy:\n  model_name: Qwen/Qwen2.5-1.5B\n  \
                    train_global_batch_size: 32\n  train_micro_batch_size: 4\n  precision: bfloat16\n  megatron_cfg:\n    \
                    activation_checkpointing: false\ncluster:\n  gpus_per_node: 8\n";

#[test]
fn a_file_that_another_continues_fills_what_that_one_leaves_open() {
    let [child, parent, root] =
        [("a/child.yaml", CHILD), ("base.yaml", PARENT), ("root.yaml", ROOT)].map(|(name, text)| File::new(name, text));
    for files in [[child.clone(), parent.clone(), root.clone()], [root, parent.clone(), child.clone()]] {
        let run = read_run(&files, &base()).unwrap();
        let link = links::encode(&run.scenario);
        for part in ["model=llama-3.3-70b", "recompute=full", "tp=4", "group=32"] {
            assert!(link.contains(part), "{part} in {link}");
        }
        let scenario = &run.scenario;
        assert_eq!((scenario.gpus, scenario.micro_batch_size, scenario.seq_len), (64, 1, 4096));
        assert!(!assumes(&run, "is not read here"), "{:?}", run.assumed);
    }
    let alone = read_run(&[child], &base()).unwrap();
    assert!(assumes(&alone, "../base.yaml says, which this file continues, is not read here"), "{:?}", alone.assumed);
    // A file that has next to nothing of its own is of its base's program.
    let small = File::new("small.yaml", "defaults: base.yaml\npolicy:\n  model_name: Qwen/Qwen3-8B\n");
    let items = [&small, &parent].map(|file| Item { name: Some(file.name.clone()), bytes: file.text.clone().into() });
    let brought = import_items(&items, &base()).unwrap();
    assert!(brought.scenario.contains("model=qwen-3-8b&") && brought.scenario.contains("tp=4"), "{}", brought.scenario);
    // Files that continue each other are read as far as they go.
    let circle = [File::new("base.yaml", CHILD), File::new("root.yaml", PARENT.replace("root.yaml", "base.yaml"))];
    let _ = read_run(&circle, &base());
}

#[test]
fn files_that_a_file_names_are_listed() {
    let named = |name: &str, text: &str| named_files(&Item { name: Some(name.into()), bytes: text.into() });
    let axolotl =
        "base_model: ./mine\nsequence_len: 4096\nmicro_batch_size: 1\ndeepspeed: deepspeed_configs/zero3.json\n";
    assert_eq!(named("a.yml", axolotl), ["./mine/config.json", "deepspeed_configs/zero3.json"]);
    let script = format!("accelerate launch --config_file cfg/acc.yaml sft.py {FLAGS}\n");
    assert!(named("a.sh", &script).contains(&"cfg/acc.yaml".to_owned()));
    assert_eq!(named("child.yaml", CHILD)[0], "../base.yaml");
    // Nothing of the machine beyond the file's surroundings, and nothing that a variable decides.
    for path in ["/etc/zero3.json", "~/zero3.json", "$HOME/zero3.json", "https://a.b/zero3.json"] {
        let text = format!("base_model: /data/mine\nsequence_len: 4096\nmicro_batch_size: 1\ndeepspeed: {path}\n");
        assert_eq!(named("a.yml", &text), [""; 0], "{path}");
    }
    assert_eq!(named("a.txt", "no configuration"), [""; 0]);
}

#[test]
fn a_script_and_the_file_that_it_starts_are_one_run() {
    let yaml = File::new("train/sft.yaml", FULL);
    let script = "CUDA_VISIBLE_DEVICES=0,1,2,3 llamafactory-cli train train/sft.yaml > log 2>&1\n";
    assert_eq!(named_files(&Item { name: Some("run.sh".into()), bytes: script.into() }), ["train/sft.yaml"]);
    let run = read_run(&[File::new("run.sh", script), yaml], &base()).unwrap();
    assert_eq!((run.scenario.gpus, run.scenario.seq_len), (4, 4096));
    assert!(assumes(&run, "llamafactory-cli starts the processes"), "{:?}", run.assumed);
    let axolotl = "base_model: Qwen/Qwen3-8B\nsequence_len: 4096\nmicro_batch_size: 1\nbf16: true\n";
    let files = [File::new("run.sh", "axolotl train run.yml\n"), File::new("run.yml", axolotl)];
    assert_eq!(read_run(&files, &base()).unwrap().scenario.seq_len, 4096);
    let alone = read_run(&files[..1], &base()).unwrap();
    assert!(assumes(&alone, "The file run.yml, which the script starts, is not among these."), "{:?}", alone.assumed);
}

#[test]
fn slurm_says_the_gpus_of_a_job_where_torchrun_counts_them_or_agrees() {
    let script =
        |sbatch: &str, launcher: &str| format!("#!/bin/bash\n{sbatch}srun torchrun {launcher} train.py {FLAGS}\n");
    assert_eq!(gpus("a.sh", &script("#SBATCH -G 2\n", "--nproc_per_node=gpu")), 2);
    assert_eq!(gpus("a.sh", &script("#SBATCH --gpus=4\n", "--nproc_per_node auto")), 4);
    let agreed = run("a.sh", &script("#SBATCH --nodes=4\n#SBATCH --gpus=16\n", "--nnodes 4 --nproc_per_node 4"));
    assert_eq!((agreed.scenario.gpus, agreed.unread.as_slice()), (16, [].as_slice()));
    // Numbers that disagree stay a question.
    let other = run("a.sh", &script("#SBATCH --nodes=4\n#SBATCH --gpus=8\n", "--nnodes 4 --nproc_per_node 4"));
    assert!(other.unread.iter().any(|line| line.contains("gpus = 8")), "{:?}", other.unread);
}

#[test]
fn flags_of_accelerate_launch_are_read() {
    let launch = "accelerate launch --multi_gpu --num_processes 4 --mixed_precision bf16 --use_deepspeed --zero_stage 2 \
                  --offload_optimizer_device cpu";
    let run = run("a.sh", &format!("{launch} train.py {FLAGS}\n"));
    assert!(run.unread.is_empty(), "{:?}", run.unread);
    let scenario = run.scenario;
    assert_eq!((scenario.strategy, scenario.gpus), (Strategy::Zero2, 4));
    assert!(links::encode(&scenario).contains("offloadopt=yes"), "{}", links::encode(&scenario));
}

#[test]
fn a_script_that_only_starts_a_file_asks_for_it() {
    let script = File::new("run.sh", "python -m torch.distributed.run --nproc_per_node 8 src/train.py conf/lf.yaml\n");
    let said = read_run(std::slice::from_ref(&script), &base()).unwrap_err();
    assert!(said.contains("give that file beside the script: conf/lf.yaml"), "{said}");
    let both = read_run(&[script, File::new("conf/lf.yaml", FULL)], &base()).unwrap();
    assert_eq!((both.scenario.seq_len, both.scenario.gpus), (4096, 8));
    let tune = "tune run --nproc_per_node 8 full_finetune_distributed --config mine/70B batch_size=1\n";
    let said = read_run(&[File::new("run.sh", tune)], &base()).unwrap_err();
    assert!(said.contains("tune cp mine/70B"), "{said}");
    // Prose names files as well.
    let prose = Item { name: Some("notes.md".into()), bytes: b"See conf/lf.yaml and other.yaml for it.\n".to_vec() };
    assert!(named_files(&prose).is_empty());
}

/// recipes/configs/llama3_1/70B_full.yaml and 8B_qlora_single_device.yaml of torchtune @ bd2a0fc7c,
/// under the values of the command.
#[test]
fn a_configuration_of_torchtune_is_known_by_its_name() {
    let read = |tune: &str| read_run(&[File::new("run.sh", tune)], &base()).unwrap();
    let run = read("tune run --nproc_per_node 8 full_finetune_distributed --config llama3_1/70B_full batch_size=4\n");
    assert!(run.unread.is_empty() && !run.open.iter().any(|open| format!("{open:?}") == "Model"), "{:?}", run.unread);
    let link = links::encode(&run.scenario);
    assert!(link.contains("model=llama-3.1-70b"), "{link}");
    assert_eq!((run.scenario.micro_batch_size, run.scenario.gpus, run.scenario.tp), (4, 8, 1));
    let one = read("tune run lora_finetune_single_device \\\n  --config llama3_1/8B_qlora_single_device\n");
    let link = links::encode(&one.scenario);
    assert!(link.contains("base=nf4dq") && link.contains("train=lora"), "{link}");
    assert_eq!((one.scenario.gpus, one.scenario.micro_batch_size, one.scenario.grad_accum_steps), (1, 2, 8));
    // Another recipe than the configuration's own.
    let other = "tune run generate --config llama3_1/8B_full\n";
    assert!(read_run(&[File::new("run.sh", other)], &base()).is_err());
}

#[test]
fn a_run_beside_the_machine_has_its_gpus() {
    let item = |name: &str, text: &str| Item { name: Some(name.into()), bytes: text.as_bytes().to_vec() };
    let list = "GPU 0: NVIDIA H200 (UUID: GPU-1)\nGPU 1: NVIDIA H200 (UUID: GPU-2)\n";
    for items in [[item("lf.yaml", FULL), item("smi.txt", list)], [item("smi.txt", list), item("lf.yaml", FULL)]] {
        let brought = import_items(&items, &default_scenario()).unwrap();
        let scenario = decode(&brought.scenario).scenario;
        assert!(brought.names_gpus);
        assert_eq!((scenario.accelerator.id, scenario.gpus, scenario.seq_len), ("h200", 2, 4096));
    }
}

#[test]
fn a_test_of_known_values_decides_which_flags_count() {
    let read = |before: &str, test: &str| {
        let text = format!(
            "{before}\nARGS=\"{FLAGS}\"\nif {test}; then\n  ARGS=\"$ARGS --fsdp full_shard\"\nelif [ \"$KIND\" = \
             \"zero\" ]; then\n  ARGS=\"$ARGS --deepspeed zero2.json\"\nfi\ntorchrun --nproc_per_node 8 train.py \
             $ARGS\n"
        );
        run("run.sh", &text)
    };
    let strategy = |before: &str, test: &str| read(before, test).scenario.strategy;
    assert_eq!(strategy("KIND=none", "[[ $KIND == \"fsdp\" ]]"), Strategy::Ddp);
    assert_eq!(strategy("KIND=fsdp", "[[ $KIND == \"fsdp\" ]]"), Strategy::FullShard);
    assert_eq!(strategy("KIND=zero", "[ \"$KIND\" = fsdp ]"), Strategy::Zero2);
    assert_eq!(strategy("N=8\nKIND=none", "[ $N -gt 8 ]"), Strategy::Ddp);
    assert!(!assumes(&read("KIND=none", "[[ $KIND == \"fsdp\" ]]"), "branches"));
    // An argument, and a value of a branch that may not run, are unknown.
    for before in ["KIND=$1", "if check; then\n  KIND=none\nfi"] {
        assert!(assumes(&read(before, "[[ $KIND == \"fsdp\" ]]"), "branches"), "{before}");
    }
}

#[test]
fn the_counts_of_torchrun_may_be_abbreviated() {
    assert_eq!(gpus("run.sh", &format!("torchrun --nproc_per_node=8 --nnode=4 train.py {FLAGS}\n")), 32);
}

#[test]
fn run_clm_has_a_block_of_its_own_and_the_trainers_scripts_are_no_trl() {
    let flags = FLAGS.replace(" --max_length 2048", "");
    let clm = run("run.sh", &format!("torchrun --nproc_per_node 8 run_clm.py {flags}\n"));
    assert_eq!(clm.scenario.seq_len, 1024);
    assert!(assumes(&clm, "run_clm.py takes"), "{:?}", clm.assumed);
    let module = run(
        "run.sh",
        &format!("torchrun --nproc_per_node 8 -m my.train {flags} --max_seq_length 512 --lora True --lora_r 8\n"),
    );
    assert_eq!((module.formats[0].name(), module.scenario.seq_len), ("Hugging Face Trainer", 512));
    assert!(module.scenario.trained.has_adapters() && module.unread.is_empty(), "{:?}", module.unread);
}

/// `fsdp_activation_checkpointing` wraps the layers of the model that `accelerate launch` prepares
/// (src/accelerate/accelerator.py), whatever the script's own switch says.
#[test]
fn checkpointing_of_fsdp_is_on_beside_a_script_that_has_its_own_off() {
    let launcher = |on: bool| {
        format!(
            "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n  fsdp_activation_checkpointing: \
             {on}\n  fsdp_sharding_strategy: FULL_SHARD\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\nnum_processes: 8\n"
        )
    };
    let script = "accelerate launch --config_file fsdp.yaml sft.py --model_name_or_path Qwen/Qwen3-8B --bf16 true \
                  --per_device_train_batch_size 2 --max_length 2048 --gradient_checkpointing false";
    for (on, recompute) in [(true, Recompute::Full), (false, Recompute::None)] {
        let files = [File::new("run.sh", script), File::new("fsdp.yaml", launcher(on))];
        assert_eq!(read_run(&files, &base()).unwrap().scenario.recompute, recompute);
    }
}

//! Tests of imports.

use super::*;
use catalog::default_scenario;
use huggingface::MOST_CHARACTERS;
use links::decode::LONGEST_LINK;

/// Imports a pasted text.
fn brought(text: &str) -> Result<Import, String> {
    import_items(&[Item { name: None, bytes: text.as_bytes().to_vec() }], &default_scenario())
}

/// Returns a long text: pairs of a link.
fn pairs(length: usize) -> String {
    "v=1&gpus=8&".repeat(length.div_ceil(11))
}

#[test]
fn a_text_of_megabytes_is_no_link() {
    let pairs = pairs(MOST_CHARACTERS);
    let svg = format!("<svg><metadata>{}</metadata></svg>", pairs.replace('&', "&amp;"));
    for text in [&pairs, &format!("a,b\n1,2\n# {pairs}\n"), &svg] {
        assert_eq!(brought(text), Err(words::too_long()));
    }
}

#[test]
fn a_link_above_64_kb_brings_a_sentence_and_nothing_else() {
    let link = brought(&pairs(LONGEST_LINK)).unwrap();
    assert_eq!(link.kind, ImportKind::Scenario);
    let decoded = links::decode(&link.scenario);
    assert_eq!((decoded.scenario, decoded.pins), (default_scenario(), vec![]));
    assert_eq!(decoded.issues.len(), 1, "{:?}", decoded.issues);
}

#[test]
fn an_address_is_told_from_json_and_says_where_the_text_is() {
    let said = brought("https://huggingface.co/Qwen/Qwen3-32B\n").unwrap_err();
    assert!(said.contains("https://huggingface.co/Qwen/Qwen3-32B/raw/main/config.json"), "{said}");
    let said = brought("https://example.com/config.json").unwrap_err();
    assert!(said.starts_with("This page fetches nothing") && !said.contains("raw/main"), "{said}");
    let ours = brought("https://example.com/?map=seq.gpus#v=1&gpus=128").unwrap();
    assert_eq!((ours.kind, links::decode(&ours.scenario).scenario.gpus), (ImportKind::Scenario, 128));
}

#[test]
fn an_adapter_is_read_as_one() {
    let text = r#"{"peft_type": "LORA", "r": 64, "base_model_name_or_path": "meta-llama/Llama-3.2-1B"}"#;
    let adapter = brought(text).unwrap();
    let scenario = links::decode(&adapter.scenario).scenario;
    assert_eq!((adapter.kind, scenario.trained.rank), (ImportKind::Adapter, 64));
    assert!(adapter.scenario.contains("model=llama-3.2-1b"), "{}", adapter.scenario);
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_text() {
    let link = brought("\u{feff}v=1&gpus=128").unwrap();
    assert_eq!(links::decode(&link.scenario).scenario.gpus, 128);
}

#[test]
fn a_file_is_named_where_it_cannot_be_read() {
    let file = |bytes: &[u8]| Item { name: Some("x.bin".into()), bytes: bytes.to_vec() };
    let said = import_items(&[file(&[0xff, 0x00, 0x80])], &default_scenario()).unwrap_err();
    assert_eq!(said, format!("“x.bin”: {}", words::NO_TEXT));
    let said = import_items(&[file(&carried::PNG)], &default_scenario()).unwrap_err();
    assert_eq!(said, format!("“x.bin”: {}", words::NO_LINK));
}

#[test]
fn several_files_make_one_scenario() {
    let file = |name: &str, text: &str| Item { name: Some(name.into()), bytes: text.as_bytes().to_vec() };
    let adapter = file("adapter_config.json", r#"{"peft_type": "LORA", "r": 32}"#);
    let lengths = file("lengths.txt", "100 300");
    let brought = import_items(&[adapter, lengths], &default_scenario()).unwrap();
    let scenario = links::decode(&brought.scenario).scenario;
    assert_eq!(scenario.trained.rank, 32);
    assert!(brought.scenario.contains("texts="), "{}", brought.scenario);
    assert!(brought.said.contains("rank 32") && brought.said.contains("2 texts"), "{}", brought.said);
    assert_eq!(import_items(&[], &default_scenario()), Err(words::NOTHING.to_owned()));
}

#[test]
fn a_run_becomes_the_scenario_with_what_would_be_better() {
    let text = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 1\ngradient_accumulation_steps: 8\n\
                gradient_checkpointing: true  # keep\nflash_attention: true\nbf16: true\nadapter: lora\nlora_r: 16\nwarmup: 3\n";
    let item = Item { name: Some("run.yaml".into()), bytes: text.into() };
    let base = links::decode("cluster=dgx-h100&gpus=8").scenario;
    let run = import_items(&[item], &base).unwrap();
    let scenario = links::decode(&run.scenario).scenario;
    assert_eq!((run.kind, scenario.seq_len, scenario.trained.rank), (ImportKind::Run, 4096, 16));
    assert!(run.said.starts_with("A run of Axolotl"), "{}", run.said);
    let titles: Vec<&str> = run.sections.iter().map(|section| section.title.as_str()).collect();
    assert!(titles.contains(&"Understood") && titles.iter().any(|title| title.starts_with("Assumed")), "{titles:?}");
    // An offer holds the files with the change applied, and the scenario read from them.
    let offer = run.offers.iter().find(|offer| !offer.files.is_empty()).unwrap();
    let (name, written) = &offer.files[0];
    assert!(name == "run.yaml" && written != text && written.contains("# keep"), "{written}");
    let again = import_items(&[Item { name: None, bytes: written.clone().into() }], &base).unwrap();
    assert_eq!(Some(again.scenario), offer.scenario);
}

#[test]
fn a_script_that_names_a_signal_is_a_run() {
    let launch = "torchrun --nproc_per_node 8 train.py --model_name_or_path meta-llama/Llama-3.1-8B \
                  --per_device_train_batch_size 2 --bf16 True\n";
    for before in ["timeout -s SIGKILL 3600 ", "srun --oom-kill-step=0 ", "trap 'kill -s SIGKILL $pid' EXIT\n"] {
        let read = brought(&format!("#!/bin/bash\n{before}{launch}")).unwrap();
        assert_eq!(read.kind, ImportKind::Run, "{before}: {}", read.said);
    }
}

#[test]
fn an_error_is_explained_and_the_scenario_stays() {
    let base = links::decode("model=gemma-2-9b&seq=8192&cluster=dgx-h100").scenario;
    let text = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.81 GiB. GPU 0 has a total capacity of 79.15 GiB";
    let error = import_items(&[Item { name: None, bytes: text.into() }], &base).unwrap();
    assert_eq!((error.kind, links::decode(&error.scenario).scenario), (ImportKind::Error, base));
    assert!(error.sections[0].lines[0].contains("8,192"), "{:?}", error.sections);
    assert!(error.offers.iter().all(|offer| offer.scenario.is_some()) && !error.offers.is_empty());
}

#[test]
fn the_model_and_the_gpu_of_an_error_are_asked_for_before_anything_is_offered() {
    let text = "  File \"transformers/models/llama/modeling_llama.py\", line 1, in forward\n\
                torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.81 GiB. GPU 0 has a total capacity of 79.15 GiB";
    let of = |text: &str, link: &str| {
        import_items(&[Item { name: None, bytes: text.into() }], &links::decode(link).scenario).unwrap()
    };
    let error = of(text, "");
    assert_eq!(error.missing[0], "Which model was it? The traceback names modeling_llama.py.");
    assert!(
        error.missing[1].contains("79.2\u{2009}GiB") && error.missing[1].contains("H100 SXM"),
        "{:?}",
        error.missing
    );
    assert!(error.offers.is_empty() && error.sections[0].lines == error.missing, "{error:?}");
    let known = of(text, "model=llama-3.1-8b&cluster=dgx-h100&gpus=8");
    assert!(known.missing.is_empty() && !known.offers.is_empty(), "{known:?}");
    // A process killed on the host raises no question about the model.
    let killed = of("slurmstepd: error: Detected 1 oom_kill event in StepId=11300781.0.", "");
    assert!(killed.missing.is_empty() && killed.said.contains("host's memory"), "{killed:?}");
    // Signal 9 alone does not tell who sent it.
    assert!(of("exitcode  : -9 (pid: 4123)", "").said.contains("the text does not name the sender"));
    // A memory summary next to the message states the fragmentation.
    let summary = "| PyTorch CUDA memory summary, device ID 0 |\n\
        | Allocated memory      |  41235 MiB |  61235 MiB |    912 GiB |    871 GiB |\n\
        | GPU reserved memory   |  77824 MiB |  77824 MiB |  77824 MiB |      0 B   |\n\
        | Non-releasable memory |  16589 MiB |  18000 MiB |    500 GiB |    484 GiB |\n";
    let both = of(&format!("{text}\n{summary}"), "model=llama-3.1-8b&cluster=dgx-h100&gpus=8");
    let said = |section: &Section| {
        section.lines.iter().any(|line| line.contains("35.7\u{2009}GiB without a tensor, 16.2\u{2009}GiB"))
    };
    assert!(both.sections.iter().any(said), "{:?}", both.sections);
}

#[test]
fn logs_without_times_are_refused_by_the_name_of_their_program() {
    let said = brought(
        "{'loss': 1.9, 'grad_norm': 1.2, 'learning_rate': 2e-05, 'epoch': 0.1}\n{'loss': 1.8, 'grad_norm': 1.1, 'learning_rate': 2e-05, 'epoch': 0.2}\n",
    );
    assert!(said.clone().is_err_and(|said| said.contains("Trainer") && said.contains("train_runtime")), "{said:?}");
    let line = "Epoch: 0.01, step: 10, loss: 8.1234, grad_norm: 1.1, lr: 1.0e-4, trace time: 12.30 ms\n";
    let said = brought(&line.repeat(3));
    assert!(
        said.clone().is_err_and(|said| said.contains("torchprime") && said.contains("step_execution_time")),
        "{said:?}"
    );
}

#[test]
fn tables_of_links_are_read_behind_what_launchers_print() {
    let table = [
        "# nThread 1 nGpus 1 minBytes 536870912 maxBytes 1073741824",
        "#  Rank  0 Group  0 Pid   1887 on   worker-1 device  0 [0x8d] NVIDIA H100 80GB HBM3",
        "#  Rank  1 Group  0 Pid   1888 on   worker-1 device  1 [0x91] NVIDIA H100 80GB HBM3",
        "   536870912     134217728     float     sum      -1   2200.0  244.03  244.03      0   2200.0  244.0  244.0      0",
    ];
    let base = links::decode("cluster=dgx-h100&gpus=8").scenario;
    let of = |text: String| import_items(&[Item { name: None, bytes: text.into() }], &base);
    let plain = of(table.join("\n")).unwrap();
    for start in ["[1,0]<stdout>:", "0: ", "[worker-0] ", "2025-03-14T10:00:00.1Z stdout F ", "launcher-x | "] {
        let tagged: Vec<String> = table.iter().map(|line| format!("{start}{line}")).collect();
        assert_eq!(of(tagged.join("\n")).unwrap().scenario, plain.scenario, "{start}");
    }
    // Only the out-of-place columns.
    let short = table.join("\n").replace("  2200.0  244.0  244.0      0", "");
    assert_eq!(of(short).unwrap().scenario, plain.scenario);
}

#[test]
fn a_log_is_held_against_the_scenario_and_offers_its_correction() {
    let base = links::decode("model=llama-3-8b&cluster=dgx-h100&gpus=64&seq=8192").scenario;
    let slow = base.report().update.tokens_per_s_per_gpu / 1.3;
    let text = format!("step: 10  loss: 7.6  memory: 46.91GiB(59%)  tps: {slow:.0}  tflops: 314.71  mfu: 39.99%\n");
    let log = import_items(&[Item { name: None, bytes: text.into_bytes() }], &base).unwrap();
    assert_eq!((log.kind, links::decode(&log.scenario).scenario), (ImportKind::Measured, base));
    let corrected = links::decode(log.offers[0].scenario.as_ref().unwrap()).scenario;
    assert!((corrected.report().update.tokens_per_s_per_gpu / slow - 1.0).abs() < 1e-3);
    assert!(log.sections.iter().any(|section| section.title == "What would explain the time"), "{:?}", log.sections);
}

#[test]
fn measured_links_become_the_cluster_s() {
    // The first of the published tables.
    let tables = include_str!("../../../../tests/logs/links.txt");
    let text = tables.split("\n\n").nth(1).unwrap().lines().skip(2).collect::<Vec<_>>().join("\n");
    let base = links::decode("cluster=dgx-h100&gpus=8").scenario;
    let links = import_items(&[Item { name: None, bytes: text.into_bytes() }], &base).unwrap();
    assert_eq!(links.kind, ImportKind::Links);
    assert_ne!(links::decode(&links.scenario).scenario.network, base.network);
    assert!(!links.sections[0].lines.is_empty());
}

#[test]
fn sentences_name_what_was_read() {
    let imported = Imported {
        name: "Mixtral-8x7B-v0.1".into(),
        architecture: catalog::model("mixtral-8x7b").unwrap().architecture,
        used: vec!["hidden_size"],
        not_understood: vec!["strange".into(), "stranger".into()],
        stored: None,
    };
    assert_eq!(
        words::imported(&imported, None),
        "Mixtral-8x7B-v0.1: 32 layers, 46.7B parameters, 12.9B active. Not understood: strange, stranger."
    );
    assert_eq!(words::list_read_keys(&imported.used), "Read: hidden_size.");
}

#[test]
fn a_model_of_the_catalog_is_known_by_its_shape_and_told_by_its_name() {
    let imported = |name: &str, id| {
        let entry = MODELS.iter().find(|entry| entry.id == id).unwrap();
        Imported {
            name: name.into(),
            architecture: entry.architecture,
            used: Vec::new(),
            not_understood: Vec::new(),
            stored: None,
        }
    };
    let known = |imported: &Imported| in_catalog(imported).map(|entry| entry.id);
    assert_eq!(known(&imported("Llama-3.1-8B", "llama-3-8b")), Some("llama-3.1-8b"));
    assert_eq!(known(&imported("my-model", "qwen-3-8b")), Some("qwen-3-8b"));
    let mut other = imported("Qwen3-8B", "qwen-3-8b");
    other.architecture.num_hidden_layers += 1;
    assert_eq!(known(&other), None);
}

#[test]
fn a_log_alone_says_what_it_measured_and_asks_for_its_run() {
    let line = |step: u32| {
        format!(
            " [2026-08-20 10:11:02.441] iteration       {step}/     100 | consumed samples: 2560 | elapsed time per iteration (ms): \
             4031.6 | throughput per GPU (TFLOP/s/GPU): 612.4 | learning rate: 3.0E-05 | global batch size:   256 | lm loss: 8.1E+00 |\n"
        )
    };
    let text = [line(10), line(20), line(30)].concat();
    let brought = brought(&text).unwrap();
    assert!(brought.said.contains("No run was given to hold it against"), "{}", brought.said);
    assert!(!brought.said.contains("predicted"), "{}", brought.said);
    assert!(brought.offers.is_empty() && !brought.missing.is_empty());
}

#[test]
fn a_time_out_of_a_collective_is_no_matter_of_memory() {
    let text = "[rank0]:[E321 02:07:08.408 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: \
                WorkNCCL(SeqNum=1580, OpType=ALLREDUCE, NumelIn=466119168, NumelOut=466119168, Timeout(ms)=600000) ran for 600060 \
                milliseconds before timing out.";
    let said = brought(text).unwrap().said;
    assert!(said.contains("no matter of memory") && said.contains("600 s"), "{said}");
}

/// Imports a file.
fn file_brought(name: &str, text: &str) -> Result<Import, String> {
    let base = links::decode("cluster=dgx-h100&gpus=8").scenario;
    import_items(&[Item { name: Some(name.to_owned()), bytes: text.as_bytes().to_vec() }], &base)
}

const FACTORY: &str = "model_name_or_path: Qwen/Qwen3-8B\nstage: sft\nfinetuning_type: full\ntemplate: qwen3\n\
                       cutoff_len: 4096\nper_device_train_batch_size: 1\nbf16: true\n";

#[test]
fn what_was_not_read_and_may_decide_comes_first_and_has_no_verdict() {
    for (more, named) in [
        ("use_apollo: true\napollo_rank: 128\n", "use_apollo = true"),
        ("use_mca: true\n", "use_mca = true"),
        ("dist_mode: fsdp2\n", "dist_mode = fsdp2"),
        ("tp: 2\n", "tp = 2"),
    ] {
        let brought = file_brought("run.yaml", &format!("{FACTORY}{more}")).unwrap();
        assert!(brought.unread.iter().any(|line| line.starts_with(named)), "{more}: {:?}", brought.unread);
        assert!(brought.missing[0].starts_with(UNREAD) && brought.missing[0].contains(named), "{:?}", brought.missing);
        assert_eq!(brought.sections[0].lines, brought.missing);
        assert!(brought.offers.is_empty() && brought.spread.is_none(), "{brought:?}");
        assert!(brought.ignored.iter().all(|key| !named.starts_with(key)), "{:?}", brought.ignored);
    }
    // Off, at one, or of no deciding name.
    for more in ["use_apollo: false\n", "tensor_model_parallel_size: 1\n", "ship_name: x\n", "seed: 3\n", ""] {
        let brought = file_brought("run.yaml", &format!("{FACTORY}{more}")).unwrap();
        assert!(brought.unread.is_empty() && brought.missing.is_empty(), "{more}: {:?}", brought.missing);
        assert!(!brought.understood.is_empty() && !brought.assumed.is_empty(), "{brought:?}");
    }
}

#[test]
fn what_was_not_read_is_passed_over_where_that_is_asked_for() {
    let item = Item { name: Some("run.yaml".into()), bytes: format!("{FACTORY}use_new_optimizer: 2\n").into_bytes() };
    let base = Base { assumes: true, ..Base::from(&links::decode("cluster=dgx-h100&gpus=1").scenario) };
    let brought = bring_over(&[item], &base).unwrap();
    assert!(brought.missing.is_empty() && !brought.offers.is_empty(), "{brought:?}");
    assert_eq!((brought.sections[0].title.as_str(), brought.unread.len()), (UNREAD, 1));
}

#[test]
fn of_a_file_that_is_mostly_unknown_any_key_may_decide() {
    let text = "model:\n  _component_: torchtune.models.qwen2_5.qwen2_5_3b\ntokenizer:\n  max_seq_len: 1024\n\
                answers:\n  tokens: 512\n  group: 16\nkeeper:\n  count: 4\n  rooms: 3\n  doors: 5\n";
    let brought = file_brought("async.yaml", text).unwrap();
    assert!(brought.unread.contains(&"keeper.rooms = 3".to_owned()), "{brought:?}");
    assert!(!brought.missing.is_empty());
}

#[test]
fn a_variable_that_the_script_uses_and_a_section_that_is_off_are_no_keys() {
    let script = "micro_batch=2\ntorchrun pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 \
                  --seq-length 4096 --micro-batch-size ${micro_batch} --global-batch-size 16 --bf16\n";
    let brought = file_brought("run.sh", script).unwrap();
    assert!(brought.unread.is_empty(), "{:?}", brought.unread);
    let off = format!("{FACTORY}new:\n  enabled: false\n  offload: all\n");
    assert!(file_brought("run.yaml", &off).unwrap().unread.is_empty());
    let on = format!("{FACTORY}new:\n  enabled: true\n  offload: all\n");
    assert_eq!(file_brought("run.yaml", &on).unwrap().unread, ["new.offload = all"]);
}

#[test]
fn distillation_and_mamba_are_refused_by_name() {
    let nemo = "distillation:\n  num_prompts_per_step: 128\npolicy:\n  model_name: Qwen/Qwen3-1.7B-Base\n  \
                train_global_batch_size: 64\n  train_micro_batch_size: 1\n  max_total_sequence_length: 8192\n  \
                dtensor_cfg:\n    enabled: true\nteacher:\n  model_name: Qwen/Qwen3-4B\n";
    let megatron =
        "megatron rlhf --rlhf_type gkd --model Qwen/Qwen3-8B --teacher_model Qwen/Qwen3-32B --micro_batch_size 1";
    let refused = file_brought("run.sh", megatron).unwrap_err();
    assert!(refused.contains("Distillation from a teacher is not computed"), "{refused}");
    // NeMo RL's is read; a teacher of unknown size leaves no verdict.
    let read = file_brought("distillation_math.yaml", nemo).unwrap().scenario;
    for pair in ["objective=opd", "teacher=4.022468096B", "teacherat=turns", "teachertopk=64"] {
        assert!(read.contains(pair), "{read}");
    }
    let unknown = file_brought("distillation_math.yaml", &nemo.replace("Qwen/Qwen3-4B", "acme/unheard-of")).unwrap();
    let lines: Vec<_> = unknown.sections.iter().flat_map(|section| &section.lines).collect();
    assert!(lines.iter().any(|line| line.contains("no such teacher")), "{lines:?}");
    let mamba = "model:\n  model_config:\n    d_model: 1536\n    is_mamba_config: true\n    num_hidden_layers: 48\n\
                 parallelism:\n  dp: 2\n  pp: 1\n  tp: 2\ntokens:\n  micro_batch_size: 2\n  sequence_length: 2048\n  \
                 batch_accumulation_per_replica: 1\n";
    assert!(file_brought("mamba.yaml", mamba).unwrap_err().contains("Mamba"));
}

/// Returns the link of a file and what is said of it.
fn distillation(name: &str, text: &str) -> (String, String) {
    let brought = file_brought(name, text).unwrap();
    let lines: Vec<_> = brought.sections.iter().flat_map(|section| section.lines.clone()).collect();
    (brought.scenario, lines.join("\n"))
}

const GKD: &str = "python examples/scripts/gkd.py --model_name_or_path Qwen/Qwen2.5-0.5B --teacher_model_name_or_path \
                   Qwen/Qwen2.5-7B --per_device_train_batch_size 2 --max_length 2048 --use_peft false";

#[test]
fn the_teacher_of_trl_is_whole_unless_zero_3_shards_it() {
    let (link, said) = distillation("gkd.sh", &format!("{GKD} --lmbda 0"));
    for pair in ["objective=distill", "teacher=7.615616512B", "teacherat=whole", "divergence=jsd", "loss=fp32-logits"] {
        assert!(link.contains(pair), "{pair}: {link}");
    }
    assert!(link.contains("seq=2048") && said.contains("as the student is"), "{said}");
    let zero = format!(
        "accelerate launch --num_processes 8 {} --lmbda 0 --deepspeed zero3.json",
        GKD.replacen("python ", "", 1)
    );
    let (link, _) = distillation("gkd.sh", &zero);
    assert!(link.contains("loss=bf16") && !link.contains("teacherat") && !link.contains("teacherdtype"), "{link}");
    let fsdp =
        format!("accelerate launch --num_processes 8 {} --lmbda 0 --fsdp full_shard", GKD.replacen("python ", "", 1));
    let (link, said) = distillation("gkd.sh", &fsdp);
    assert!(link.contains("teacherat=whole") && said.contains("does not shard a teacher under FSDP"), "{said}");
}

#[test]
fn the_student_of_trl_generates_as_lmbda_says() {
    let (link, said) = distillation("gkd.sh", &format!("{GKD} --beta 1"));
    assert!(
        link.contains("objective=opd") && link.contains("divergence=reverse") && link.contains("prompt=1920"),
        "{link}"
    );
    assert!(said.contains("half of the batches") && said.contains("Transformers' generate"), "{said}");
    let script = "from trl.experimental.gkd import GKDConfig, GKDTrainer\n\
                  model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen2.5-0.5B')\n\
                  teacher = AutoModelForCausalLM.from_pretrained('Qwen/Qwen2.5-7B', dtype='bfloat16')\n\
                  args = GKDConfig(per_device_train_batch_size=2, lmbda=0.0, beta=0.0, use_liger_kernel=True)\n\
                  GKDTrainer(model=model, teacher_model=teacher, args=args).train()\n";
    let (link, _) = distillation("train.py", script);
    for pair in ["objective=distill", "teacher=7.615616512B", "model=qwen-2.5-0.5b"] {
        assert!(link.contains(pair), "{pair}: {link}");
    }
    assert_eq!(links::decode(&link).scenario.kernels.loss, engine::model::software::Loss::FusedLinear);
    assert!(!link.contains("divergence"), "{link}");
    let unknown = file_brought("train.py", &script.replace("Qwen/Qwen2.5-7B", "acme/unheard-of")).unwrap();
    assert!(unknown.unread.iter().any(|line| line.contains("no such teacher")), "{:?}", unknown.unread);
    let minillm = file_brought("train.py", &script.replace("GKD", "MiniLLM")).unwrap();
    assert!(minillm.unread.iter().any(|line| line.contains("two passes with gradients")), "{:?}", minillm.unread);
}

#[test]
fn distillation_of_swift_verl_and_torchtune_is_read() {
    let swift = "NPROC_PER_NODE=4 swift rlhf --rlhf_type gkd --model Qwen/Qwen2.5-7B --teacher_model \
                 Qwen/Qwen2.5-14B-Instruct --tuner_type full --per_device_train_batch_size 4 --max_length 2048 \
                 --max_completion_length 512 --deepspeed zero3";
    let (link, _) = distillation("full.sh", &format!("{swift} --use_vllm true --lmbda 1"));
    for pair in ["objective=opd", "seq=2560", "prompt=2048", "loss=chunked", "divergence=jsd", "teacher=14.770033664B"]
    {
        assert!(link.contains(pair), "{pair}: {link}");
    }
    let (link, _) = distillation("full.sh", &format!("{swift} --lmbda 0 --teacher_deepspeed zero2"));
    assert!(
        link.contains("objective=distill") && link.contains("seq=2048") && link.contains("teacherat=whole"),
        "{link}"
    );
    for (more, why) in [
        ("--offload_teacher_model true", "for each micro-batch"),
        ("--teacher_deepspeed zero3_offload", "in host memory while it runs"),
    ] {
        let brought = file_brought("full.sh", &format!("{swift} {more}")).unwrap();
        assert!(brought.unread.iter().any(|line| line.contains(why)), "{:?}", brought.unread);
    }
    let verl = "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B \
                data.train_batch_size=64 data.max_prompt_length=1024 data.max_response_length=1024 \
                actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1 \
                distillation.enabled=True distillation.n_gpus_per_node=2 distillation.nnodes=2 \
                +distillation.teacher_models.math.model_path=Qwen/Qwen3-32B";
    let (link, _) = distillation("run.sh", verl);
    for pair in ["objective=opd", "teacher=32.762123264B", "teacherat=engine", "teachergpu=4", "teachertopk=1"] {
        assert!(link.contains(pair), "{pair}: {link}");
    }
    let two = format!("{verl} +distillation.teacher_models.code.model_path=Qwen/Qwen3-14B");
    assert!(file_brought("run.sh", &two).unwrap().unread.iter().any(|line| line.contains("several teachers")));
    let tune = "tune run --nproc_per_node 2 knowledge_distillation_distributed --config \
                llama3_2/8B_to_1B_KD_lora_distributed tokenizer.max_seq_len=2048";
    let (link, _) = distillation("run.sh", tune);
    for pair in ["model=llama-3.2-1b", "objective=distill", "teacher=8.030261248B", "loss=chunked", "gpus=2"] {
        assert!(link.contains(pair), "{pair}: {link}");
    }
}

#[test]
fn a_model_alone_is_no_run() {
    let shape = "MODEL_ARGS=(\n  --num-layers 36\n  --hidden-size 4096\n  --ffn-hidden-size 12288\n  \
                 --num-attention-heads 32\n  --group-query-attention\n  --num-query-groups 8\n  --kv-channels 128\n  \
                 --swiglu\n  --untie-embeddings-and-output-weights\n  --vocab-size 151936\n)\n";
    let brought = file_brought("model.sh", shape).unwrap();
    assert_eq!(brought.kind, ImportKind::Model);
    assert!(brought.said.contains("8.19B parameters") && brought.offers.is_empty(), "{brought:?}");
    let run = shape.replace(")\n", "  --seq-length 4096 --micro-batch-size 1\n)\n");
    assert_eq!(file_brought("model.sh", &run).unwrap().kind, ImportKind::Run);
}

#[test]
fn a_default_that_the_file_overrides_is_not_assumed() {
    let script = "deepspeed --module openrlhf.cli.train_rm --model.model_name_or_path meta-llama/Meta-Llama-3-8B \
                  --train.batch_size 256 --train.micro_batch_size 1 --data.max_len 8192 --ds.zero_stage 3\n";
    let brought = file_brought("train_rm.sh", script).unwrap();
    assert!(brought.assumed.iter().all(|value| !value.why.contains("ZeRO-2")), "{:?}", brought.assumed);
}

//! Tests of Megatron's lists of layers and of stages.

use files::run::{File, Run, read_run};
use links::decode::decode;

fn megatron(flags: &str) -> Run {
    let text = format!(
        "torchrun --nproc_per_node 8 pretrain_mamba.py --seq-length 4096 --bf16 --use-distributed-optimizer {flags}\n"
    );
    read_run(&[File::new("train.sh", text)], &decode("cluster=dgx-h100&gpus=8").scenario).unwrap()
}

/// Nemotron-H 8B of NVIDIA, read from its arguments, has the parameters of its config.json.
#[test]
fn a_hybrid_by_its_letters() {
    let shape = "--hidden-size 4096 --ffn-hidden-size 21504 --num-attention-heads 32 --num-query-groups 8 --group-query-attention --kv-channels 128 \
                 --mamba-num-heads 128 --disable-bias-linear --normalization RMSNorm --position-embedding-type none --untie-embeddings-and-output-weights \
                 --squared-relu --vocab-size 131072";
    let pattern = "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-";
    let run = megatron(&format!("{shape} --hybrid-override-pattern {pattern}"));
    let architecture = run.scenario.model.architecture();
    assert_eq!((architecture.num_hidden_layers, architecture.params()), (52, 8_100_852_736), "{:?}", run.understood);
    assert!(run.understood.iter().any(|line| line.meaning == "Layers: 24 Mamba-2, 4 attention, 24 MLP, 0 experts"));
    let further = megatron(&format!("{shape} --hybrid-layer-pattern {pattern}/M*/M*"));
    assert_eq!((further.scenario.mtp, further.scenario.model.architecture().num_hidden_layers), (2, 52));
}

#[test]
fn a_layout_of_stages() {
    let shape = "--num-layers 61 --hidden-size 4096 --num-attention-heads 32 --pipeline-model-parallel-size 8";
    let run = megatron(&format!("{shape} --pipeline-model-parallel-layout 'Et*3|(tt|)*29m|L'"));
    let scenario = &run.scenario;
    assert_eq!((scenario.pp, scenario.pipeline.virtual_stages), (8, 4), "{:?}", run.assumed);
    assert_eq!((scenario.pipeline.first_stage_layers, scenario.pipeline.last_stage_layers), (9, 6));
    let run = megatron(&format!("{shape} --pipeline-model-parallel-layout 'Et*3|what'"));
    assert!(run.assumed.iter().any(|said| said.contains("not understood")), "{:?}", run.assumed);
}

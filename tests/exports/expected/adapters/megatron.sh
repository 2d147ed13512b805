#!/bin/bash
# Megatron-LM's pretrain_gpt.py has no adapters: everything trains with these flags. LoRA
# and DoRA are in Megatron-Bridge, in Python (megatron.bridge.peft).
# Frozen weights in a format of their own are not offered: they are stored as the others.
# Megatron keeps 16-bit weights beside an fp32 copy, where FSDP2 has fp32 shards alone.
ARGS=(
    --num-layers 32
    --hidden-size 4096
    --ffn-hidden-size 14336
    --num-attention-heads 32
    --kv-channels 128
    --group-query-attention
    --num-query-groups 8
    --position-embedding-type rope
    --max-position-embeddings 8192
    --vocab-size 128256
    --make-vocab-size-divisible-by 1
    --untie-embeddings-and-output-weights
    --normalization RMSNorm
    --swiglu
    --disable-bias-linear
    --seq-length 8192
    --micro-batch-size 1
    --global-batch-size 64
    --train-samples 30016
    --lr 3e-4
    --tensor-model-parallel-size 1
    --context-parallel-size 1
    --pipeline-model-parallel-size 1
    --use-megatron-fsdp
    --data-parallel-sharding-strategy optim_grads_params
    --no-gradient-accumulation-fusion
    --use-distributed-optimizer
    --overlap-grad-reduce
    --overlap-param-gather
    --init-model-with-meta-device
    --ckpt-format fsdp_dtensor
    --bf16
    --accumulate-allreduce-grads-in-fp32
    --optimizer adam
    --recompute-granularity full
    --recompute-method uniform
    --recompute-num-layers 1
    --attention-backend flash
    --attention-dropout 0.0
    --hidden-dropout 0.0
    --tokenizer-type NullTokenizer
    --mock-data
)
torchrun --nnodes 1 --nproc-per-node 8 pretrain_gpt.py "${ARGS[@]}" "$@"

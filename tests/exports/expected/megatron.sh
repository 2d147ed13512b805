#!/bin/bash
# Megatron keeps 16-bit weights beside an fp32 copy, where FSDP2 has fp32 shards alone.
# Megatron-LM fuses with kernels of its own and torch.compile for small functions: the model
# is not compiled as a whole.
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
    --train-samples 122070336
    --lr 3e-4
    --tensor-model-parallel-size 4
    --sequence-parallel
    --context-parallel-size 2
    --cp-comm-type p2p
    --pipeline-model-parallel-size 1
    --use-megatron-fsdp
    --data-parallel-sharding-strategy optim_grads_params
    --no-gradient-accumulation-fusion
    --use-distributed-optimizer
    --num-distributed-optimizer-instances 2
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
torchrun --nnodes 8 --nproc-per-node 8 pretrain_gpt.py "${ARGS[@]}" "$@"

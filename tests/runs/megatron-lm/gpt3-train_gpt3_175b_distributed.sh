# Keys and values of github.com/NVIDIA/Megatron-LM, examples/gpt3/train_gpt3_175b_distributed.sh (d98e8a64dd)
WORLD_SIZE=8
torchrun --nnodes 1 --nproc_per_node 8 train.py \
    --num-layers 96 \
    --seq-length 2048 \
    --tensor-model-parallel-size 8 \
    --pipeline-model-parallel-size 16 \
    --fp16 \
    --attention-backend auto \
    --micro-batch-size 1 \
    --global-batch-size 1536 \
    --train-iters 500000 \
    --hidden-size 12288 \
    --num-attention-heads 96 \
    --max-position-embeddings 2048

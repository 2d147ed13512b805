# Keys and values of github.com/NVIDIA/Megatron-LM, examples/academic_paper_scripts/detxoify_lm/finetune_gpt_distributed-1.3b.sh (d98e8a64dd)
WORLD_SIZE=16
torchrun --nnodes 1 --nproc_per_node 16 train.py \
    --num-layers 24 \
    --seq-length 2048 \
    --fp16 \
    --checkpoint-activations \
    --micro-batch-size 4 \
    --hidden-size 2048 \
    --num-attention-heads 32 \
    --global-batch-size $bs \
    --max-position-embeddings 2048 \
    --train-iters $iter

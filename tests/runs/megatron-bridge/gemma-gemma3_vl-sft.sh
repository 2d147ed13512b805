# Keys and values of github.com/NVIDIA-NeMo/Megatron-Bridge, examples/models/gemma/gemma3_vl/sft.sh (067f987df)
torchrun --nproc_per_node 8 train.py \
    --recipe gemma3_vl_4b_sft_config \
    model.seq_length=4096 \
    model.tensor_model_parallel_size=2 \
    model.pipeline_model_parallel_size=1 \
    train.micro_batch_size=2 \
    train.global_batch_size=32 \
    train.train_iters=50 \
    dataset.seq_length=4096

# Keys and values of github.com/NVIDIA-NeMo/Megatron-Bridge, examples/models/mistral/ministral3/peft_unpacked.sh (067f987df)
torchrun --nproc_per_node 8 train.py \
    --recipe ministral3_3b_peft_config \
    model.seq_length=4096 \
    model.tensor_model_parallel_size=2 \
    model.pipeline_model_parallel_size=1 \
    train.micro_batch_size=1 \
    train.global_batch_size=16 \
    train.train_iters=100 \
    dataset.seq_length=4096

# Keys and values of github.com/NVIDIA-NeMo/Megatron-Bridge, examples/models/gpt_oss/slurm_peft.sh (067f987df)
torchrun --nodes 2 --gpus_per_node 8 train.py \
    --recipe gpt_oss_20b_peft_config \
    model.seq_length=2048 \
    model.tensor_model_parallel_size=2 \
    model.context_parallel_size=1 \
    model.pipeline_model_parallel_size=2 \
    model.expert_model_parallel_size=4 \
    model.expert_tensor_parallel_size=1 \
    model.sequence_parallel=True \
    train.micro_batch_size=1 \
    train.global_batch_size=16 \
    train.train_iters=1000 \
    dataset.seq_length=2048

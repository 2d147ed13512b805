# Keys and values of github.com/NVIDIA-NeMo/Megatron-Bridge, examples/models/nemotron/nemotron_3/nano/slurm_pretrain.sh (067f987df)
torchrun --nodes 4 --gpus_per_node 8 train.py \
    --recipe nemotron_3_nano_pretrain_config \
    model.seq_length=512 \
    model.tensor_model_parallel_size=4 \
    model.context_parallel_size=1 \
    model.pipeline_model_parallel_size=1 \
    model.expert_model_parallel_size=8 \
    model.sequence_parallel=True \
    train.micro_batch_size=1 \
    train.global_batch_size=32 \
    train.train_iters=50 \
    dataset.seq_length=512

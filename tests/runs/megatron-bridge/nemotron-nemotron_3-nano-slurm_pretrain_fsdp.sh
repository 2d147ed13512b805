# Keys and values of github.com/NVIDIA-NeMo/Megatron-Bridge, examples/models/nemotron/nemotron_3/nano/slurm_pretrain_fsdp.sh (067f987df)
torchrun --nodes 8 --gpus_per_node 4 train.py \
    --recipe nemotron_3_nano_pretrain_config \
    model.seq_length=512 \
    model.tensor_model_parallel_size=1 \
    model.context_parallel_size=1 \
    model.pipeline_model_parallel_size=1 \
    model.expert_model_parallel_size=8 \
    model.sequence_parallel=False \
    checkpoint.ckpt_format=fsdp_dtensor \
    model.moe_token_dispatcher_type=flex \
    model.fp8=e4m3 \
    train.micro_batch_size=1 \
    train.global_batch_size=32 \
    train.train_iters=10 \
    ddp.use_megatron_fsdp=True \
    ddp.num_distributed_optimizer_instances=1 \
    ddp.fp8_param_gather=true

# Keys and values of github.com/NVIDIA-NeMo/Megatron-Bridge, examples/models/deepseek_v4/slurm_pretrain.sh (067f987df)
PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
torchrun --nnodes 8 --nproc_per_node 4 --nodes 8 --gpus_per_node 4 train.py \
    --recipe deepseek_v4_flash_pretrain_mxfp8_config \
    model.seq_length=4096 \
    train.micro_batch_size=1 \
    train.global_batch_size=128 \
    train.train_iters=1000 \
    dataset.seq_length=4096 \
    model.tensor_model_parallel_size=$TP \
    model.pipeline_model_parallel_size=$PP \
    model.expert_model_parallel_size=$EP \
    model.context_parallel_size=$CP

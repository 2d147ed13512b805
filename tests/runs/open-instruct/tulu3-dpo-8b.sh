# Keys and values of github.com/allenai/open-instruct, scripts/train/tulu3/dpo_8b.sh (e6c3044aa)
python mason.py \
    --num_nodes 4 \
    --gpus 8 -- accelerate launch \
    --mixed_precision bf16 \
    --num_processes 8 \
    --use_deepspeed \
    --deepspeed_config_file configs/ds_configs/stage3_no_offloading_accelerate.conf \
    --deepspeed_multinode_launcher standard \
    open_instruct/dpo_tune_cache.py \
    --model_name_or_path allenai/Llama-3.1-Tulu-3-8B-SFT \
    --max_seq_length 2048 \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 16 \
    --learning_rate 5e-07 \
    --lr_scheduler_type linear \
    --warmup_ratio 0.1 \
    --weight_decay 0.0 \
    --num_epochs 1 \
    --loss_type dpo_norm \
    --beta 5 \
    --gradient_checkpointing \
    --with_tracking \
    --logging_steps 1 \
    --seed 8

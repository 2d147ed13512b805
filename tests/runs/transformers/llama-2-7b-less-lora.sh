# Keys and values of github.com/princeton-nlp/LESS, less/scripts/train/lora_train.sh with base_training_args.sh and README.md (8abf9628)
model_path=meta-llama/Llama-2-7b-hf
ID=$RANDOM
export header="torchrun --nproc_per_node 1 --nnodes 1 \
--rdzv-id=$ID --rdzv_backend c10d \
-m less.train.train"

export base_training_args="--do_train True \
--max_seq_length 2048 \
--lr_scheduler_type linear \
--warmup_ratio 0.03 \
--weight_decay 0.0 \
--evaluation_strategy no \
--logging_steps 1 \
--num_train_epochs 4 \
--bf16 True \
--tf32 False \
--fp16 False \
--optim adamw_torch \
--seed 0 \
--lora True \
--lora_r 128 \
--lora_alpha 512 \
--lora_dropout 0.1 \
--lora_target_modules q_proj k_proj v_proj o_proj \
--learning_rate 2e-05 \
--per_device_train_batch_size 1 \
--gradient_accumulation_steps 32"

if [[ $model_path == "meta-llama/Llama-2-13b-hf" ]]; then
    base_training_args="$base_training_args --fsdp 'full_shard auto_wrap' --fsdp_config llama2_13b_finetune"
    elif [[ $model_path == "mistralai/Mistral-7B-v0.1" ]]; then
    base_training_args="$base_training_args --fsdp 'full_shard auto_wrap' --fsdp_config mistral_7b_finetune"
fi

training_args="$base_training_args \
--model_name_or_path $model_path"

eval "$header" "$training_args"

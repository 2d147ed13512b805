# Keys and values of github.com/foundation-model-stack/fms-hf-tuning, docs/training.md (d3c30a03)
export CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7; \
accelerate launch \
--config_file ~/fsdp_config.yaml \
-m tuning.sft_trainer \
--model_name_or_path "openai/gpt-oss-120b" \
--gradient_accumulation_steps 1 \
--per_device_train_batch_size 2 \
--num_train_epochs 1 \
--torch_dtype bfloat16 \
--learning_rate 2e-4 \
--warmup_ratio 0.03 \
--lr_scheduler_type "cosine_with_min_lr" \
--lr_scheduler_kwargs '{"min_lr_rate": 0.1}' \
--max_seq_length 4096 \
--logging_steps 1 \
--gradient_checkpointing True \
--peft_method lora \
--lora_r 8 \
--lora_alpha 16 \
--lora_dropout 0.0 \
--target_modules "all-linear" \
--quantization_method mxfp4 --dequantize True \
--use_flash_attn True \
--flash_attn_implementation="kernels-community/vllm-flash-attn3"

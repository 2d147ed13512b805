# Keys and values of github.com/foundation-model-stack/fms-hf-tuning, docs/tuning-techniques.md (d3c30a03)
python tuning/sft_trainer.py \
--model_name_or_path $MODEL_PATH \
--num_train_epochs 40 \
--per_device_train_batch_size 4 \
--learning_rate 1e-4 \
--peft_method "lora" \
--r 8 \
--lora_dropout 0.05 \
--lora_alpha 16 \
--target_modules c_attn c_proj \
--auto_gptq triton_v2 \
--torch_dtype float16 \
--fp16

# Keys and values of github.com/foundation-model-stack/fms-hf-tuning, docs/training.md (d3c30a03)
MODEL_PATH=meta-llama/Llama-2-7b-hf
accelerate launch \
--config_file fixtures/accelerate_fsdp_defaults.yaml \
--num_processes=8 \
--main_process_port=$MASTER_PORT \
tuning/sft_trainer.py \
--model_name_or_path $MODEL_PATH \
--torch_dtype bfloat16 \
--num_train_epochs 5 \
--per_device_train_batch_size 4 \
--gradient_accumulation_steps 4 \
--learning_rate 1e-5

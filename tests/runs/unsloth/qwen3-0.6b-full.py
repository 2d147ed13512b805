# Keys and values of github.com/unslothai/notebooks, python_scripts/Qwen3_(0.6B)-Reasoning-Conversational-ExecuTorch.py (bdda2efc)
MODEL_ID = 'unsloth/Qwen3-0.6B'
QAT_SCHEME = 'int8-int4'
model, tokenizer = FastLanguageModel.from_pretrained(
    model_name = MODEL_ID,
    max_seq_length = 2048,
    dtype = torch.bfloat16,
    load_in_4bit = False,
    full_finetuning = True,
    qat_scheme = QAT_SCHEME,
)
trainer = SFTTrainer(
    model = model,
    args = SFTConfig(
        per_device_train_batch_size = 2,
        gradient_accumulation_steps = 4,
        warmup_steps = 5,
        max_steps = 100,
        learning_rate = 5e-05,
        logging_steps = 1,
        optim = 'adamw_8bit',
        weight_decay = 0.001,
        lr_scheduler_type = 'linear',
        seed = 3407,
    ),
)

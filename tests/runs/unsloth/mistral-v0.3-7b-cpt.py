# Keys and values of github.com/unslothai/notebooks, python_scripts/Mistral_v0.3_(7B)-CPT.py (bdda2efc)
max_seq_length = 2048
dtype = None
load_in_4bit = True
model, tokenizer = FastLanguageModel.from_pretrained(
    model_name = 'unsloth/mistral-7b-v0.3',
    max_seq_length = max_seq_length,
    dtype = dtype,
    load_in_4bit = load_in_4bit,
)
model = FastLanguageModel.get_peft_model(
    model,
    r = 128,
    target_modules = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj', 'embed_tokens', 'lm_head'],
    lora_alpha = 32,
    lora_dropout = 0,
    bias = 'none',
    use_gradient_checkpointing = 'unsloth',
    random_state = 3407,
    use_rslora = True,
    loftq_config = None,
)
trainer = UnslothTrainer(
    model = model,
    max_seq_length = max_seq_length,
    args = UnslothTrainingArguments(
        per_device_train_batch_size = 2,
        gradient_accumulation_steps = 8,
        max_steps = 120,
        warmup_steps = 10,
        learning_rate = 5e-05,
        embedding_learning_rate = 1e-05,
        logging_steps = 1,
        optim = 'adamw_8bit',
        weight_decay = 0.001,
        lr_scheduler_type = 'linear',
        seed = 3407,
    ),
)
trainer = UnslothTrainer(
    model = model,
    max_seq_length = max_seq_length,
    args = UnslothTrainingArguments(
        per_device_train_batch_size = 2,
        gradient_accumulation_steps = 8,
        max_steps = 120,
        warmup_steps = 10,
        learning_rate = 5e-05,
        embedding_learning_rate = 1e-05,
        logging_steps = 1,
        optim = 'adamw_8bit',
        weight_decay = 0.0,
        lr_scheduler_type = 'linear',
        seed = 3407,
    ),
)

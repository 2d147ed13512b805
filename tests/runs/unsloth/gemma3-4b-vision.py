# Keys and values of github.com/unslothai/notebooks, python_scripts/Gemma3_(4B)-Vision.py (bdda2efc)
model, processor = FastVisionModel.from_pretrained(
    'unsloth/gemma-3-4b-pt',
    load_in_4bit = True,
    use_gradient_checkpointing = 'unsloth',
)
model = FastVisionModel.get_peft_model(
    model,
    finetune_vision_layers = True,
    finetune_language_layers = True,
    finetune_attention_modules = True,
    finetune_mlp_modules = True,
    r = 16,
    lora_alpha = 16,
    lora_dropout = 0,
    bias = 'none',
    random_state = 3407,
    use_rslora = False,
    loftq_config = None,
    target_modules = 'all-linear',
)
trainer = SFTTrainer(
    model = model,
    args = SFTConfig(
        per_device_train_batch_size = 1,
        gradient_accumulation_steps = 4,
        gradient_checkpointing = True,
        gradient_checkpointing_kwargs = {'use_reentrant': False},
        max_grad_norm = 0.3,
        warmup_ratio = 0.03,
        max_steps = 30,
        learning_rate = 0.0002,
        logging_steps = 1,
        save_strategy = 'steps',
        optim = 'adamw_torch_fused',
        weight_decay = 0.001,
        lr_scheduler_type = 'cosine',
        seed = 3407,
        remove_unused_columns = False,
        dataset_kwargs = {'skip_prepare_dataset': True},
        max_length = 2048,
    ),
)

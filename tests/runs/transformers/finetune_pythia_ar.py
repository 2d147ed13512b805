# Keys and values of github.com/prasannamayil/Interplay-LM-Reasoning, scripts/gsm_infinity_ft/finetune_pythia_ar.py (26f3c776)
"""
torchrun --nproc_per_node=8 scripts/gsm_infinity_ft/finetune_pythia_ar.py --model_name_or_path EleutherAI/pythia-2.8b --max_steps 10000 --bf16 --mask_prompt_loss
"""
parser = argparse.ArgumentParser()
parser.add_argument("--model_name_or_path", type=str, default="EleutherAI/pythia-2.8b")
parser.add_argument("--max_steps", type=int, default=10000)
parser.add_argument("--per_device_train_batch_size", type=int, default=4)
parser.add_argument("--gradient_accumulation_steps", type=int, default=4)
parser.add_argument("--learning_rate", type=float, default=2e-5)
parser.add_argument("--weight_decay", type=float, default=0.1)
parser.add_argument("--bf16", action="store_true", default=False)
parser.add_argument("--no_fsdp", action="store_true", default=False)
parser.add_argument("--group_by_length", action="store_true", default=False)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained(
    args.model_name_or_path,
    torch_dtype=torch.bfloat16 if args.bf16 else torch.float32,
)
training_args = TrainingArguments(
    max_steps=args.max_steps,
    per_device_train_batch_size=args.per_device_train_batch_size,
    gradient_accumulation_steps=args.gradient_accumulation_steps,
    learning_rate=args.learning_rate,
    weight_decay=args.weight_decay,
    bf16=args.bf16,
    eval_strategy="no",
    ddp_find_unused_parameters=False,
    **({} if args.no_fsdp else {
        "fsdp": "full_shard auto_wrap",
        "fsdp_config": {"fsdp_transformer_layer_cls_to_wrap": "GPTNeoXLayer"},
    }),
    group_by_length=args.group_by_length,
    gradient_checkpointing=True,
)
trainer = Trainer(
    model=model,
    args=training_args,
    data_collator=DataCollatorForSeq2Seq(
        tokenizer, padding=True, return_tensors="pt"
    ),
)

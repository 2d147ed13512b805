from transformers import AutoModelForCausalLM, AutoTokenizer
from trl.experimental.gkd import GKDConfig, GKDTrainer

tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-0.5B-Instruct")
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B-Instruct")
teacher_model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B-Instruct")
training_args = GKDConfig(output_dir="out", per_device_train_batch_size=2, lmbda=0.0, beta=1.0, bf16=True)
trainer = GKDTrainer(model=model, teacher_model=teacher_model, args=training_args, processing_class=tokenizer)
trainer.train()

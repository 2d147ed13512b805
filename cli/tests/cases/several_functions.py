from torchtitan.trainer import Trainer
def llama3_debugmodel() -> Trainer.Config:
    return Trainer.Config(
        hf_assets_path="./assets/hf/Llama-3.1-8B",
        training=TrainingConfig(local_batch_size=8, seq_len=2048, steps=10),
    )
def llama3_debugmodel_float8() -> Trainer.Config:
    config = llama3_debugmodel()
    config.model_converters = ModelConvertersContainer.Config(
        converters=[Float8LinearConverter.Config(recipe_name="rowwise", emulate=True)],
    )
    return config
def llama3_lora() -> Trainer.Config:
    config = llama3_debugmodel()
    config.model_spec = model_registry("8B", converters=[LoRAConverter.Config(rank=8, alpha=16.0)])
    return config
def llama3_8b() -> Trainer.Config:
    return Trainer.Config(
        hf_assets_path="./assets/hf/Llama-3.1-70B",
        training=TrainingConfig(local_batch_size=1, seq_len=8192, steps=1000),
        compile=CompileConfig(enable=True, components=["loss"]),
        activation_checkpoint=SelectiveAC.Config(),
    )

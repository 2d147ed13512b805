//! What is done to the model: tensor parallelism, recomputation, compilation, sharding, stages.

use super::{fsdp_mesh, is_mixed, reshard, schedule};
use crate::export::settings::asked::{Asked, Lines, either, number};
use crate::export::settings::stages;
use crate::model::parallel::Schedule;
use crate::model::software::Graphs;
use crate::model::training::{ComputeFormat, Recipe, Recompute};

/// The function that makes a model one of many GPUs.
pub(super) fn parallelize(asked: &Asked, text: &mut Lines) {
    let setup = &asked.setup;
    if setup.recompute == Recompute::Selective {
        text.0.push_str(POLICY);
    }
    text.add(&["\n\ndef parallelize(model, mesh):"]);
    match setup.compute_format {
        ComputeFormat::Fp8 => {
            text.add(&[
                "    convert_to_float8_training(model.layers, config=Float8LinearConfig.from_recipe_name(\"rowwise\"))",
            ]);
        }
        ComputeFormat::Fp8Gather => {
            text.add(&["    config = Float8LinearConfig(enable_fsdp_float8_all_gather=True)"]);
            text.add(&["    convert_to_float8_training(model.layers, config=config)"]);
        }
        ComputeFormat::Recipe | ComputeFormat::Fp4 => {}
    }
    text.add_if(setup.recipe == Recipe::PureBf16, &["    model.to(torch.bfloat16)"]);
    if setup.mesh.tp > 1 {
        tensor_parallel(asked, text);
    }
    recompute(asked, text);
    if setup.kernels.compile {
        let mode = either(setup.kernels.graphs == Graphs::Layers, ["mode=\"reduce-overhead\"", ""]);
        text.add(&["    for layer in model.layers:\n        layer.compile(", mode, ")"]);
    }
    text.add(&["    fsdp = dict(\n        mesh=", &fsdp_mesh(&setup.mesh), ","]);
    text.add(&["        reshard_after_forward=", &reshard(setup.sharding, setup.mesh.tp), ","]);
    if is_mixed(asked) {
        let half = either(asked.is_volta(), ["torch.float16", "torch.bfloat16"]);
        let in_16 = matches!(setup.recipe, Recipe::Fsdp2MixedBf16Reduce16 | Recipe::ZeroMixed);
        let reduced = if in_16 { half } else { "torch.float32" };
        text.add(&["        mp_policy=MixedPrecisionPolicy(param_dtype=", half, ", reduce_dtype=", reduced, "),"]);
    }
    let offload = setup.offload.parameters || setup.offload.optimizer;
    text.add_if(offload, &["        offload_policy=CPUOffloadPolicy(),"]);
    text.add(&["    )\n    for layer in model.layers:\n        fully_shard(layer, **fsdp)"]);
    text.add(&["    return fully_shard(model, **fsdp)"]);
}

/// The function that makes the model, on the meta device or whole on every rank.
pub(super) fn build(asked: &Asked, text: &mut Lines) {
    text.add(&["\n\ndef build(make_model, mesh, device=\"cuda\"):"]);
    if asked.scenario.run.deferred_init {
        let home = either(asked.setup.offload.parameters || asked.setup.offload.optimizer, ["\"cpu\"", "device"]);
        text.add(&["    with torch.device(\"meta\"):\n        model = make_model()"]);
        text.add(&["    parallelize(model, mesh).to_empty(device=", home, ")"]);
        text.add(&["    model.init_weights()\n    return model"]);
    } else {
        text.add(&["    return parallelize(make_model().to(device), mesh)"]);
    }
}

/// Matrices by columns and rows, norms along the sequence.
fn tensor_parallel(asked: &Asked, text: &mut Lines) {
    let setup = &asked.setup;
    let split = setup.tensor.sequence_parallel;
    text.add_if(
        setup.tensor.asynchronous && setup.kernels.compile,
        &["    torch._inductor.config._micro_pipeline_tp = True  # async TP"],
    );
    text.add(&["    ends = {"]);
    let embedding = either(split, ["input_layouts=Replicate(), output_layouts=Shard(1)", "input_layouts=Replicate()"]);
    text.add_if(split, &["        \"embed_tokens\": RowwiseParallel(", embedding, "),"]);
    text.add_if(split, &["        \"norm\": SequenceParallel(),"]);
    let head = either(split, ["input_layouts=Shard(1), output_layouts=Replicate()", "output_layouts=Replicate()"]);
    text.add(&["        \"lm_head\": ColwiseParallel(", head, "),\n    }"]);
    text.add(&[
        "    parallelize_module(model, mesh[\"tp\"], {k: v for k, v in ends.items() if getattr(model, k) is not None})",
    ]);
    text.add(&["    for layer in model.layers:\n        plan = {"]);
    let all = "PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate())";
    let out = either(split, ["RowwiseParallel(output_layouts=Shard(1))", "RowwiseParallel()"]);
    let gate = if setup.architecture.gated_mlp { "mlp.gate_proj" } else { "" };
    let plan = [
        (split, "input_layernorm", "SequenceParallel()"),
        (split, "self_attn", all),
        (true, "self_attn.q_proj", "ColwiseParallel()"),
        (true, "self_attn.k_proj", "ColwiseParallel()"),
        (true, "self_attn.v_proj", "ColwiseParallel()"),
        (true, "self_attn.o_proj", out),
        (split, "post_attention_layernorm", "SequenceParallel()"),
        (split, "mlp", all),
        (!gate.is_empty(), gate, "ColwiseParallel()"),
        (true, "mlp.up_proj", "ColwiseParallel()"),
        (true, "mlp.down_proj", out),
    ];
    for (is_there, name, style) in plan {
        text.add_if(is_there, &["            \"", name, "\": ", style, ","]);
    }
    text.add(&["        }\n        parallelize_module(layer, mesh[\"tp\"], plan)"]);
}

/// Which activations are recomputed.
fn recompute(asked: &Asked, text: &mut Lines) {
    let setup = &asked.setup;
    let layers = setup.architecture.num_hidden_layers;
    match setup.recompute {
        Recompute::None => {}
        Recompute::AttentionCore => {
            text.add(&[
                "    for layer in model.layers:\n        layer.self_attn = checkpoint_wrapper(layer.self_attn)",
            ]);
        }
        Recompute::Selective => {
            text.add(&["    for place, layer in enumerate(model.layers):"]);
            text.add(&["        model.layers[place] = checkpoint_wrapper(layer, context_fn=every_second_product)"]);
        }
        Recompute::Full => {
            text.add(&["    for place, layer in enumerate(model.layers):"]);
            text.add(&["        model.layers[place] = checkpoint_wrapper(layer)"]);
        }
        Recompute::Fraction(_) => {
            let [some, all] = [asked.recomputed(layers), layers].map(number);
            text.add(&["    # ", &some, " of ", &all, " layers are recomputed."]);
            text.add(&["    for place, layer in enumerate(model.layers):"]);
            text.add(&["        if (place + 1) * ", &some, " // ", &all, " > place * ", &some, " // ", &all, ":"]);
            text.add(&["            model.layers[place] = checkpoint_wrapper(layer)"]);
        }
    }
}

/// torchtitan's selective recomputation: attention and every second matrix product are kept.
const POLICY: &str = r"

def every_second_product():
    products = {False: 0, True: 0}
    kept = {
        torch.ops.aten._scaled_dot_product_flash_attention.default,
        torch.ops.aten._scaled_dot_product_efficient_attention.default,
        torch.ops.aten._scaled_dot_product_cudnn_attention.default,
        torch.ops._c10d_functional.reduce_scatter_tensor.default,
    }

    def policy(ctx, op, *args, **kwargs):
        if op == torch.ops.aten.mm.default:
            products[ctx.is_recompute] += 1
            if products[ctx.is_recompute] % 2:
                return CheckpointPolicy.MUST_SAVE
        return CheckpointPolicy.MUST_SAVE if op in kept else CheckpointPolicy.PREFER_RECOMPUTE

    return create_selective_checkpoint_contexts(policy)
";

/// The function that cuts the model into stages.
pub(super) fn stages(asked: &Asked, text: &mut Lines) {
    let setup = &asked.setup;
    let layers = stages::layers(setup);
    let list: Vec<String> = layers.iter().copied().map(number).collect();
    let (pp, turns) = (number(setup.mesh.pp), setup.pipeline.schedule == Schedule::ZeroBubbleV);
    text.add(&["\n\nLAYERS_OF_STAGES = [", &list.join(", "), "]"]);
    text.add(&["\n\ndef make_schedule(model, mesh, loss_fn, device):"]);
    text.add(&["    rank = mesh.get_local_rank(\"pp\")"]);
    let indices = if turns {
        ["[rank, 2 * ", &pp, " - 1 - rank]"].concat()
    } else {
        ["range(rank, len(LAYERS_OF_STAGES), ", &pp, ")"].concat()
    };
    text.add(&["    stages = []\n    for index in ", &indices, ":"]);
    text.0.push_str(PART);
    let several = !matches!(setup.pipeline.schedule, Schedule::GPipe | Schedule::OneForwardOneBackward);
    let stages = either(several, ["stages", "stages[0]"]);
    text.add(&["    return ", schedule(setup.pipeline.schedule), "(", stages, ", GRAD_ACCUM_STEPS, loss_fn=loss_fn)"]);
}

/// One stage.
const PART: &str = r"        part = copy.deepcopy(model)  # of meta tensors
        start = sum(LAYERS_OF_STAGES[:index])
        part.layers = part.layers[start : start + LAYERS_OF_STAGES[index]]
        if index > 0:
            part.embed_tokens = None
        if index + 1 < len(LAYERS_OF_STAGES):
            part.norm = part.lm_head = None
        part = parallelize(part, mesh)
        stages.append(PipelineStage(part, index, len(LAYERS_OF_STAGES), device, group=mesh.get_group('pp')))
";

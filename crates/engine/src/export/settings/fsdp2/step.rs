//! The optimizer, one step, and a checkpoint.

use crate::export::settings::asked::{Asked, Lines, either};
use crate::model::parallel::ContextExchange;
use crate::model::software::AttentionKernel;
use crate::model::training::Optimizer;

/// The function that makes the optimizer.
pub(super) fn optimizer(asked: &Asked, text: &mut Lines) {
    // PyTorch's fused kernels run on the host as well as on the GPU.
    let made = match asked.setup.optimizer {
        Optimizer::AdamW | Optimizer::AdamW16bit | Optimizer::Lion | Optimizer::Adafactor | Optimizer::Muon => {
            "torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)"
        }
        Optimizer::AdamW8bit => "AdamW8bit(model.parameters(), lr=3e-4)",
        Optimizer::Sgd => "torch.optim.SGD(model.parameters(), lr=1e-2)",
        Optimizer::SgdMomentum => "torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)",
    };
    text.add(&["\n\ndef make_optimizer(model):"]);
    text.add(&["    return [", made, "]"]);
}

/// The function of one step.
pub(super) fn step(asked: &Asked, text: &mut Lines) {
    let setup = &asked.setup;
    let backends = match setup.kernels.attention {
        AttentionKernel::Unfused => "SDPBackend.MATH",
        AttentionKernel::Flash => "SDPBackend.FLASH_ATTENTION",
        AttentionKernel::FlashTuned => "[SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION]",
    };
    let mut within = vec![["sdpa_kernel(", backends, ")"].concat()];
    if setup.mesh.cp > 1 {
        within.push("context_parallel(mesh[\"cp\"], buffers=[tokens, labels], buffer_seq_dims=[1, 1])".to_owned());
    }
    if setup.offload.activations {
        within.push("torch.autograd.graph.save_on_cpu(pin_memory=torch.cuda.is_available())".to_owned());
    }
    let within = within.join(", ");
    if setup.mesh.pp > 1 {
        text.add(&["\n\ndef train_step(schedule, tokens, labels, losses, optimizers, mesh):"]);
        text.add(&["    # All micro-batches at once: the first stage takes tokens, the last labels."]);
    } else {
        text.add(&["\n\ndef train_step(model, micro_batches, loss_fn, optimizers, mesh):"]);
    }
    let rotation = either(setup.context == ContextExchange::Ring, ["alltoall", "allgather"]);
    text.add_if(setup.mesh.cp > 1, &["    set_rotate_method(\"", rotation, "\")"]);
    if setup.mesh.pp > 1 {
        text.add(&["    with ", &within, ":\n        schedule.step(tokens, target=labels, losses=losses)"]);
    } else {
        let several = setup.batch.grad_accum_steps > 1;
        text.add(&["    for place, (tokens, labels) in enumerate(micro_batches):"]);
        text.add_if(
            several && !asked.sync.reduce_each,
            &["        model.set_requires_gradient_sync(place + 1 == GRAD_ACCUM_STEPS)"],
        );
        text.add(&["        with ", &within, ":"]);
        text.add(&["            (loss_fn(model(tokens), labels) / GRAD_ACCUM_STEPS).backward()"]);
    }
    text.add(&["    for optimizer in optimizers:\n        optimizer.step()\n        optimizer.zero_grad()"]);
}

/// The function that writes a checkpoint.
pub(super) fn save(asked: &Asked, text: &mut Lines) {
    let full = either(asked.scenario.run.sharded_checkpoint, ["False", "True"]);
    text.add(&["\n\ndef save(model, optimizers, path):"]);
    text.add(&["    options = StateDictOptions(full_state_dict=", full, ", cpu_offload=True)"]);
    text.add(&["    weights, state = get_state_dict(model, optimizers, options=options)"]);
    if asked.scenario.run.sharded_checkpoint {
        text.add(&["    dcp.save({\"model\": weights, \"optimizers\": state}, checkpoint_id=path)"]);
    } else {
        text.add(&["    if torch.distributed.get_rank() == 0:"]);
        text.add(&["        torch.save({\"model\": weights, \"optimizers\": state}, path)"]);
    }
}

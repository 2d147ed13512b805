//! The closed form, which gives the verdict, against the step played tensor by tensor, which draws the figure of memory.

use engine::model::memory;
use engine::model::setup::Setup;
use engine::model::stages::stages;
use engine::model::transformer::{Architecture, Norm};
use engine::share::decode::decode;

/// Bytes at the peak by the closed form and by the trace.
fn both(setup: &Setup) -> Option<[f64; 2]> {
    let all = stages(setup);
    let traced = memory::simulated(setup, &all.first)?;
    Some([memory::peak(setup, &all).allocated.get(), traced.allocated.get()])
}

/// Every run of the grid, with its name.
fn grid() -> impl Iterator<Item = (String, Setup)> {
    let kernels = ["attnkernel=flash", "attnkernel=unfused"]
        .into_iter()
        .flat_map(|attention| ["compile=no", "compile=yes"].map(|compile| format!("{attention}&{compile}")));
    let shapes = [false, true].into_iter().flat_map(|gated| [Norm::Layer, Norm::Rms].map(|norm| (gated, norm)));
    let frameworks = ["pytorch&normkernel=fused", "transformers&normkernel=upcast", "fsdp1&normkernel=fused"];
    let recomputations = ["none", "full", "selective", "fraction"];
    let trained = ["train=all", "train=lora", "train=all&frozen=16"];
    let links: Vec<String> = kernels
        .flat_map(|kernels| frameworks.map(|framework| format!("{kernels}&framework={framework}")))
        .flat_map(|link| recomputations.map(|recompute| format!("{link}&recompute={recompute}")))
        .flat_map(|link| trained.map(|trained| format!("{link}&{trained}")))
        .collect();
    shapes.flat_map(move |(gated, norm)| {
        let links = links.clone();
        links.into_iter().map(move |link| {
            let text = format!("cluster=dgx-h100&model=llama-2-7b&gpus=16&seq=2048&mbs=2&recipe=fsdp2-bf16&{link}");
            let decoded = decode(&text);
            assert!(decoded.issues.is_empty(), "{text}: {:?}", decoded.issues);
            let setup = decoded.scenario.setup();
            let architecture = Architecture { gated_mlp: gated, norm, ..setup.architecture };
            (format!("{} {norm:?} {link}", if gated { "gated" } else { "plain" }), Setup { architecture, ..setup })
        })
    })
}

#[test]
fn the_verdict_is_the_traced_step_s() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (name, setup) in grid() {
        let Some([closed, traced]) = both(&setup) else { continue };
        compared += 1;
        let error = closed / traced - 1.0;
        if error.abs() > 0.02 {
            wrong.push(format!("{:+.1} % {name}: {closed:.3e} of {traced:.3e}", 100.0 * error));
        }
    }
    assert!(compared > 300, "{compared}");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
}

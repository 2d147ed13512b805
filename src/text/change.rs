//! What a change of the scenario is called.

use charts::names;
use engine::analysis::advice::Advice;
use engine::analysis::change::{Change, Turn};
use engine::analysis::levers::Lever;
use engine::format;
use engine::model::report::Report;
use engine::model::training::Recompute;
use engine::params::{Unit, quantity};
use engine::scenario::Strategy;

/// The change, as the start of a sentence but for its capital.
pub fn change(advice: &Advice) -> String {
    match advice.change {
        Change::Strategy(changed) => strategy(changed),
        Change::Recompute(mode) => recompute(mode).into(),
        Change::Both(changed, mode) => format!("{} with {}", strategy(changed), recompute(mode)),
        Change::MicroBatch(size) => format!("micro-batches of {}", format::count(f64::from(size))),
        Change::TensorParallel(1) => "no tensor parallelism".into(),
        Change::TensorParallel(tp) => format!("tensor parallelism over {tp} GPUs"),
        Change::Pipeline(1) => "no pipeline".into(),
        Change::ExpertParallel(1) => "no expert parallelism".into(),
        Change::ExpertParallel(ep) => format!("expert parallelism of {ep}"),
        Change::FusedDispatcher => "a fused token dispatcher (DeepEP)".into(),
        Change::Pipeline(pp) => format!("a pipeline of {pp} stages"),
        Change::MicroBatches(steps) => format!("{} micro-batches in each step", format::count(f64::from(steps))),
        Change::FusedLoss => "a fused cross-entropy".into(),
        Change::Offload if advice.scenario.offload.parameters => "weights and optimizer state in host memory".into(),
        Change::Offload => "optimizer state in host memory".into(),
        Change::Optimizer8bit => "8-bit AdamW".into(),
        Change::Lora => "LoRA".into(),
        Change::QLora => "QLoRA".into(),
        Change::SeqLen(seq_len) => format!("sequences of {}", quantity::with_unit(Unit::Tokens, f64::from(seq_len))),
        Change::Gpus(gpus) => format!("{} GPUs", format::count(f64::from(gpus))),
        Change::Link(gbit) => format!("links of {}", format::value(Unit::GbitPerS, gbit)),
        Change::ShardSize(size) => format!("shard groups of {size} GPUs"),
        Change::Memory(gib) => format!("GPUs with {}", format::value(Unit::Gib, gib)),
    }
}

/// What a lever is: `selective activation checkpointing`, `Attention kernel: FlashAttention-3`.
pub fn turn(lever: &Lever) -> String {
    let Lever { scenario, report, gain, .. } = *lever;
    match lever.turn {
        Turn::Change(made) => change(&Advice { change: made, scenario, report, gain }),
        Turn::Option(id, option) => {
            let param = id.param();
            let chosen = param.choice().and_then(|choice| choice.options.get(option)).map_or("", |option| option.label);
            format!("{}: {chosen}", param.label)
        }
    }
}

/// What a lever does: `−42 % of it, the step 3.1 % faster`.
pub fn lever(lever: &Lever) -> String {
    let less = format::delta(-lever.less, format::percent);
    format!("{less} of it, {} more tokens a second", format::percent(lever.gain.max(0.0)))
}

/// A gain in percent, below ten of them with one decimal: no prediction is surer than that.
pub fn gained(share: f64) -> String {
    if share.abs() < 0.1 { format!("{:.1}{}%", share * 100.0, format::THIN_SPACE) } else { format::percent(share) }
}

/// What a change alters beside what its name says: the tokens of a step, and the precision of the optimizer's state.
pub fn besides(now: &Report, advice: &Advice) -> Option<String> {
    let tokens = of_batch(now.tokens_per_step, advice.report.tokens_per_step);
    let state = (advice.change == Change::Optimizer8bit).then(|| "moments are rounded to 8 bits".to_owned());
    tokens.or(state)
}

/// The tokens of a step after a change, where they are others than now.
pub fn of_batch(now: f64, then: f64) -> Option<String> {
    let [now, then] = [now, then].map(format::tokens);
    (now != then).then(|| format!("{then} tokens a step instead of {now}"))
}

fn strategy(strategy: Strategy) -> String {
    let within = match strategy {
        Strategy::HybridShard => " within each node",
        Strategy::ReshardTo => " of a node",
        _ => "",
    };
    format!("{}{within}", names::strategy(strategy.place()))
}

/// Activation checkpointing, inside a sentence.
pub fn recompute(mode: Recompute) -> &'static str {
    match mode {
        Recompute::None => "no activation checkpointing",
        Recompute::AttentionCore => "recomputation of the attention core",
        Recompute::Selective => "selective activation checkpointing",
        Recompute::Full => "full activation checkpointing",
        Recompute::Fraction => "checkpointing of a fraction of the activations",
        Recompute::Modules => "recomputation by module",
    }
}

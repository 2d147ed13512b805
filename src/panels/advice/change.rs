//! Names of changes of the scenario.

use analysis::advice::Advice;
use analysis::change::{Change, Price, Turn};
use analysis::settings::settings_beside;
use analysis::time_reductions::TimeReduction;
use charts::names;
use engine::format;
use engine::model::report::Report;
use engine::model::software::Framework;
use engine::params::{Unit, labels, quantity};
use engine::scenario::{Scenario, Strategy};

use crate::calculator::headline::odds;
use crate::fields::write_batch_change;
use crate::words::recompute;

/// Returns the name of a change, as the start of a sentence but without the capital. A change of
/// hardware is prefixed with `hardware:`.
pub fn change(advice: &Advice) -> String {
    let name = match advice.turn {
        Turn::Change(change) => name_change(change, &advice.scenario),
        Turn::Option(id, option) => labels::option(id, option, &advice.scenario),
    };
    if advice.price == Price::Bought { format!("hardware: {name}") } else { name }
}

/// Returns the name of a change that led to a scenario.
pub fn name_change(change: Change, scenario: &Scenario) -> String {
    match change {
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
        Change::Offload if scenario.offload.parameters => "CPU offload (weights and optimizer)".into(),
        Change::Offload => "CPU offload (optimizer)".into(),
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

/// Returns the differences of a layout from the present one:
/// `tp 2, micro-batch 2, FlashAttention-3, torch.compile`.
pub fn laid_out(now: &Scenario, then: &Scenario) -> String {
    let mut turned = Vec::new();
    if (now.strategy, now.shard_size) != (then.strategy, then.shard_size) {
        turned.push(names::strategy(then.strategy.place()).to_owned());
    }
    let [before, after] = [now, then].map(|scenario| {
        let mesh = scenario.degrees();
        [("tp", mesh.tp), ("cp", mesh.cp), ("pp", mesh.pp), ("ep", mesh.ep), ("micro-batch", scenario.micro_batch_size)]
    });
    let counts = before.into_iter().zip(after).filter(|(before, after)| before != after);
    turned.extend(counts.map(|(_, (name, count))| format!("{name} {}", format::count(f64::from(count)))));
    if now.recompute != then.recompute {
        turned.push(recompute(then.recompute).to_owned());
    }
    turned.extend(settings_beside(now, then));
    if turned.is_empty() { names::layout(then) } else { turned.join(", ") }
}

/// Returns the effect of a lever: `−42 % of it, 3.1 % more tokens a second, 95 % of such runs fit`.
pub fn lever(lever: &TimeReduction) -> String {
    let less = format::delta(-lever.less, format::percent);
    format!("{less} of it, {}, {}", faster(lever.advice.gain.max(0.0)), odds(&lever.advice.report))
}

/// Returns the gain in speed: `5.2 % more tokens/s`, and from a doubling on `2.2× the tokens/s`.
pub fn faster(share: f64) -> String {
    if share >= 1.0 { format!("{:.1}× the tokens/s", 1.0 + share) } else { format!("{} more tokens/s", gained(share)) }
}

/// Returns the note on a change that the framework cannot run: `not in torchtitan`.
pub fn not_in(framework: Framework) -> String {
    format!("not in {}", engine::names::framework(framework))
}

/// Returns a gain in percent, below ten percent with one decimal: no prediction is surer than that.
pub fn gained(share: f64) -> String {
    if share.abs() < 0.1 { format!("{:.1}{}%", share * 100.0, format::THIN_SPACE) } else { format::percent(share) }
}

/// Returns the effects of a change that its name does not tell: the tokens of a step, or the
/// precision of the optimizer's state.
pub fn besides(now: &Report, advice: &Advice) -> Option<String> {
    let tokens = write_batch_change(now.tokens_per_step, advice.report.tokens_per_step);
    let state =
        (advice.turn == Turn::Change(Change::Optimizer8bit)).then(|| "moments are rounded to 8 bits".to_owned());
    tokens.or(state)
}

fn strategy(strategy: Strategy) -> String {
    let within = match strategy {
        Strategy::HybridShard => " within each node",
        Strategy::ReshardTo => " of a node",
        _ => "",
    };
    format!("{}{within}", names::strategy(strategy.place()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::advice::advise;
    use links::decode;

    #[test]
    fn from_a_doubling_on_a_gain_is_a_multiple() {
        assert_eq!(faster(0.056), "5.6\u{2009}% more tokens/s");
        assert_eq!(faster(1.2), "2.2× the tokens/s");
    }

    #[test]
    fn kernels_are_called_by_what_runs_on_the_gpu() {
        let named = |link: &str| {
            let scenario = decode(link).scenario;
            advise(&scenario, &scenario.report()).iter().map(change).collect::<Vec<_>>()
        };
        let hopper = named("cluster=dgx-h100&model=llama-3.1-8b&gpus=8&seq=4k");
        assert_eq!(hopper[..2], ["torch.compile", "FlashAttention-3"], "{hopper:?}");
        let ampere = named("mem=60");
        assert_eq!(ampere[0], "torch.compile", "{ampere:?}");
        assert!(ampere[1].starts_with("hardware: links of 400"), "{ampere:?}");
    }
}

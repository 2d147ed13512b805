//! One run on two kinds of GPUs.

use analysis::mixed::{Divided, Mixed, Share, Split};
use engine::scenario::Scenario;
use engine::scenario::issue::Issue;
use export::report_json::issues_json;
use serde_json::{Value, json};

use crate::given::{Code, in_order, refuse};
use crate::{Given, Open, Read, Refusal};

/// Replaces a part of a run's GPUs by another kind: `others` are values of these GPUs, such as
/// `gpu=a100-80gb` and `gpus=8`; everything else is the run's.
///
/// # Errors
///
/// Returns a refusal for values that cannot be read, for other values than those of hardware, and
/// for runs that are not modelled.
pub fn join(run: &Read, others: &[String]) -> Result<(Mixed, Vec<Issue>), Refusal> {
    let pairs: Vec<(String, String)> =
        others.iter().flat_map(|text| text.split('&')).map(pair).collect::<Result<_, _>>()?;
    let mut joined = run.clone();
    joined.issues.clear();
    // Values of the run that the other GPUs replace have been checked with the run.
    (joined.stated.gpus, joined.stated.node) = (false, false);
    for (key, value) in in_order(&pairs) {
        joined.set(key, value);
    }
    if !joined.stated.gpus {
        return Err(Refusal::new(Code::Missing, "How many of the run's GPUs are of the other kind? Give gpus=…."));
    }
    // The layout is that of all GPUs.
    let gpus = core::mem::replace(&mut joined.scenario.gpus, run.scenario.gpus);
    joined.finish();
    refuse(&joined.issues)?;
    let hardware = Scenario {
        accelerator: joined.scenario.accelerator,
        network: joined.scenario.network,
        topology: joined.scenario.topology,
        run: joined.scenario.run,
        // A group of one node follows the node.
        shard_size: joined.scenario.shard_size,
        ..run.scenario
    };
    if hardware != joined.scenario {
        return Err(Refusal::new(
            Code::InvalidValue,
            "Both kinds of GPUs run one program: only GPU, cluster, network and number of GPUs may differ.",
        ));
    }
    let mixed = Mixed::new(&run.scenario, &Scenario { gpus, ..joined.scenario })
        .map_err(|said| Refusal::new(Code::InvalidValue, said))?;
    Ok((mixed, joined.issues))
}

fn pair(text: &str) -> Result<(String, String), Refusal> {
    let (key, value) = text.split_once('=').ok_or_else(|| {
        Refusal::new(Code::InvalidValue, format!("“{text}” is not key=value, as in cluster=dgx-a100-80 and gpus=8."))
    })?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

/// Returns a run on two kinds of GPUs as JSON ([`answer`]).
///
/// # Errors
///
/// Returns a refusal for invalid input or missing values, and the errors of [`join`].
pub fn mixed(given: &Given, others: &[String]) -> Result<String, Refusal> {
    let read = given.answerable(&Open::ALL)?;
    let (mixed, issues) = join(&read, others)?;
    Ok(answer(&mixed, &[read.issues, issues].concat()).to_string())
}

/// Returns the answer as JSON: the `kinds` of GPUs, each with its tokens per second alone (`null`
/// where it does not fit), the `equal` split of frameworks and the `best` that fits (`null` where
/// none does), each with the share of both kinds, `notes`, and issues.
pub fn answer(mixed: &Mixed, issues: &[Issue]) -> Value {
    let best = mixed.best();
    let kinds = mixed.names().into_iter().zip(mixed.gpus()).zip(mixed.alone());
    let kinds = kinds.map(|((gpu, gpus), alone)| json!({ "gpu": gpu, "gpus": gpus, "alone_tokens_per_s": alone }));
    json!({
        "kinds": kinds.collect::<Vec<_>>(),
        "divided": match mixed.divided() {
            Divided::Sequences => "sequences",
            Divided::Layers => "layers",
        },
        "sequences": mixed.sequences(),
        "tokens_per_step": mixed.tokens(),
        "equal": split(mixed, &mixed.equal()),
        "best": best.as_ref().map(|best| split(mixed, best)),
        "notes": mixed.notes(best.as_ref()),
        "issues": issues_json(issues),
    })
}

fn split(mixed: &Mixed, split: &Split) -> Value {
    let share = |share: &Share| {
        json!({
            "micro_batch": share.micro_batch,
            "micro_batches": share.micro_batches,
            "layers": share.layers,
            "step_time_s": share.time.get(),
            "needed_memory_bytes": share.memory.needed.get(),
            "usable_memory_bytes": share.memory.capacity.get(),
            "fit_odds": share.odds(),
            "fits": share.memory.fits(),
        })
    };
    json!({
        "step_time_s": split.step.get(),
        "tokens_per_s": mixed.tokens() / split.step.get(),
        "fits": split.fits(),
        "verdict": split.verdict().key(),
        "shares": split.shares.each_ref().map(share),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "model=llama-3.1-8b&cluster=dgx-h100&gpus=16&seq=4096&mbs=2&accum=4&recompute=full";

    fn said(with: &str) -> Result<Value, String> {
        let answer = mixed(&Given::from(RUN), &[with.to_owned()]).map_err(|refusal| refusal.to_string())?;
        Ok(serde_json::from_str(&answer).unwrap_or_default())
    }

    #[test]
    fn the_best_split_stands_beside_the_equal_one() {
        let answer = said("cluster=dgx-a100-80&gpus=8").expect("modelled");
        let step = |split: &str| answer[split]["step_time_s"].as_f64().expect("a number");
        assert!(step("best") < step("equal"));
        assert_eq!(answer["kinds"][1]["gpu"], "A100 80 GB");
        assert_eq!((answer["sequences"].as_u64(), answer["divided"].as_str()), (Some(128), Some("sequences")));
        assert!(answer["notes"].to_string().contains("training loop of your own"));
        // A GPU alone stands in its usual node.
        assert_eq!(said("gpu=a100-80gb&gpus=8").expect("modelled")["kinds"][1]["gpu"], "A100 80 GB");
    }

    #[test]
    fn values_of_the_program_are_refused() {
        for (with, refused) in [
            ("cluster=dgx-a100-80", "How many"),
            ("cluster=dgx-a100-80&gpus=8&seq=8k", "only GPU, cluster"),
            ("cluster=dgx-a100-80&gpus=8&model=llama-3-70b", "only GPU, cluster"),
            ("cluster=dgx-a1000&gpus=8", "dgx-a100"),
            ("nothing", "key=value"),
        ] {
            let refusal = said(with).expect_err(with);
            assert!(refusal.contains(refused), "{with}: {refusal}");
        }
    }
}

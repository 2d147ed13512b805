//! Effects of a program's release.

use catalog::releases::{Known, Release, predecessor};
use engine::format;
use engine::scenario::Scenario;
use engine::units::Bytes;
use links::release::apply;
use links::{decode, encode};

/// Effect of a release compared with the preceding release.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The preceding release.
    pub before: &'static Release,
    /// Memory of one GPU minus that of the preceding release; negative if the release saves memory.
    pub needed: Bytes,
    /// Step time divided by that of the preceding release, minus 1.
    pub slower: f64,
}

/// Returns the scenario at another release; choices that differ from the scenario's own release
/// stay.
///
/// ```
/// use analysis::releases::at;
/// use catalog::releases::find;
/// use links::decode::decode;
///
/// let scenario = decode("release=torchtitan-2024-10&model=llama-3-8b&segments=fixed").scenario;
/// let later = at(&scenario, find("torchtitan").unwrap());
/// assert!(later.kernels.loss != scenario.kernels.loss && later.segments == scenario.segments);
/// ```
pub fn at(scenario: &Scenario, release: &'static Release) -> Scenario {
    let Some(Known(own)) = scenario.release else {
        let mut other = *scenario;
        apply(release, &mut other, scenario);
        return other;
    };
    let link = encode(scenario).replace(&format!("release={}", own.id), &format!("release={}", release.id));
    decode::decode(&link).scenario
}

/// Returns the effect of a scenario's release; `None` if it has no release or no earlier one.
pub fn change(scenario: &Scenario) -> Option<Change> {
    let before = predecessor(scenario.release?.0)?;
    let [now, then] = [*scenario, at(scenario, before)].map(|scenario| scenario.report());
    let [new, old] = [now.whole().time, then.whole().time].map(engine::units::Seconds::get);
    let slower = if old > 0.0 { new / old - 1.0 } else { 0.0 };
    Some(Change { before, needed: now.memory.needed - then.memory.needed, slower })
}

/// Describes a release and its effect: "Since 2026-04-27: Head and loss run over chunks of the
/// tokens. Against April 2025: -11.7 GiB."
pub fn describe_release(release: &Release, change: Option<&Change>) -> String {
    let says = format!("Since {}: {}", release.since, release.says);
    let Some(change) = change else { return says };
    let needed = change.needed;
    let memory = (needed.gib().abs() >= 0.05).then(|| {
        if needed < Bytes::ZERO {
            format!("-{}", format::bytes(-needed))
        } else {
            format!("+{}", format::bytes(needed))
        }
    });
    let time = (change.slower.abs() >= 0.005).then(|| {
        let word = if change.slower < 0.0 { "faster" } else { "slower" };
        format!("{} {word}", format::percent(change.slower.abs()))
    });
    let changes: Vec<String> = memory.into_iter().chain(time).collect();
    let changes = if changes.is_empty() { "no change".to_owned() } else { changes.join(", ") };
    format!("{says} Against {}: {changes}.", change.before.name)
}

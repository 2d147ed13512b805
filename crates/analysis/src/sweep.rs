//! Evaluates a scenario along one or two of its parameters, into buffers that the caller reuses.

use engine::model::odds::Curve;
use engine::model::parallel::common_divisor;
use engine::model::report::{Limiter, Report};
use engine::params::scale::{slider_index, slider_value};
use engine::params::{Number, Unit};
use engine::scenario::resolve::nearest_divisor;
use engine::scenario::{Model, Scenario};
use engine::units::{Bytes, Seconds};

/// The results of one evaluation that a sweep keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Model FLOPs utilisation, 0 to 1, as if memory were no limit.
    pub mfu: f64,
    /// Throughput of one GPU, as if memory were no limit.
    pub tokens_per_s_per_gpu: f64,
    /// Time of one step, as if memory were no limit.
    pub step: Seconds,
    /// Memory that one GPU needs.
    pub needed: Bytes,
    /// Usable memory of one GPU.
    pub capacity: Bytes,
    /// The odds of fitting, by capacity over needed.
    pub curve: Curve,
    /// The limiter of the step if memory were no limit.
    pub time_limiter: Limiter,
    /// Time of the longest communication lane over compute time, less 1: positive when the network
    /// limits, and smooth across the boundary.
    pub pressure: f64,
}

impl Sample {
    /// Extracts the sample from a report.
    pub fn from_report(report: &Report) -> Self {
        let whole = report.whole();
        Self {
            mfu: whole.mfu,
            tokens_per_s_per_gpu: whole.tokens_per_s_per_gpu,
            step: whole.time,
            needed: report.memory.needed,
            capacity: report.memory.capacity,
            curve: report.memory.curve,
            time_limiter: report.time_limiter(),
            pressure: report.update.time.longest_lane / report.update.time.compute - 1.0,
        }
    }

    /// Capacity less needed; negative when the run needs more than the capacity.
    pub fn headroom(&self) -> Bytes {
        self.capacity - self.needed
    }

    /// Returns the capacity at which half of such runs fit, and from which on the run fits.
    pub fn least_capacity(&self) -> Bytes {
        self.curve.least_capacity(self.needed)
    }

    /// Whether at least half of such runs fit, as [`engine::model::report::MemoryReport::fits`].
    pub fn fits(&self) -> bool {
        self.needed <= self.curve.most_needed(self.capacity)
    }

    /// Returns the odds that the run fits.
    pub fn odds(&self) -> f64 {
        self.curve.odds(self.capacity / self.needed)
    }

    /// Most needed less needed, as a fraction of the capacity: positive when the run fits, and
    /// smooth across the frontier.
    pub fn slack(&self) -> f64 {
        (self.curve.most_needed(self.capacity) - self.needed) / self.capacity
    }

    /// The limiter of the run: memory first, then time.
    pub fn limiter(&self) -> Limiter {
        if self.fits() { self.time_limiter } else { Limiter::Memory }
    }

    /// Whether collectives would take longer than compute if memory were no limit.
    pub fn network_bound(&self) -> bool {
        matches!(self.time_limiter, Limiter::InterNode | Limiter::IntraNode)
    }
}

/// Evaluates one scenario; a run that does not fit still gets a speed and a time limiter.
pub fn sample(scenario: &Scenario) -> Sample {
    Sample::from_report(&scenario.report())
}

/// Sets a parameter to the nearest value that makes sense in a sweep: GPUs as in [`whole_gpus`],
/// experts a multiple of [`experts_together`], expert-parallel degrees a divisor of
/// [`most_groups`].
pub fn assign(scenario: &mut Scenario, number: &Number, value: f64) {
    let value = if number.integer { value.round() } else { value };
    let (gpus, ep, before) = (scenario.gpus, scenario.ep, experts(scenario));
    let Number { min, max, .. } = number.within(scenario);
    (number.set)(scenario, value.max(min).min(max));
    if scenario.gpus != gpus {
        let (replica, whole) = (f64::from(replica(scenario)), f64::from(whole_group(scenario)));
        scenario.gpus = whole_gpus(f64::from(scenario.gpus), replica, whole) as u32;
    }
    if scenario.ep != ep {
        scenario.ep = nearest_divisor(most_groups(scenario), scenario.ep);
    }
    let asked = experts(scenario);
    if asked != before && before > 0 {
        // A multiple of the GPUs over which the experts were split before.
        set_experts(scenario, before);
        let together = experts_together(scenario);
        set_experts(scenario, (asked / together).max(1).saturating_mul(together));
    }
}

/// Sets a parameter to a position of its slider. The position nearest to the model's published size
/// gives that size. A position whose displayed value equals the present one (16.0B for a model of
/// 15.96B) is skipped, so that arrow keys never get stuck there.
pub fn slide(scenario: &mut Scenario, number: &Number, index: u32) {
    let number = number.within(scenario);
    let before = *scenario;
    let from = slider_index(&number, (number.get)(scenario));
    let at = |index| {
        let mut published = scenario.model.published().filter(|_| number.unit == Unit::Params);
        published.find(|size| slider_index(&number, *size) == index).unwrap_or_else(|| slider_value(&number, index))
    };
    let next = if index > from { index.saturating_add(1) } else { index.saturating_sub(1) };
    let (value, further) = (at(index), at(next));
    (number.set)(scenario, value);
    if *scenario == before && index != from {
        (number.set)(scenario, further);
    }
}

fn set_experts(scenario: &mut Scenario, count: u32) {
    if let Model::Custom { architecture } = &mut scenario.model {
        architecture.experts.num_experts = count;
    }
}

/// Number of experts of one layer; 0 for a ladder model.
fn experts(scenario: &Scenario) -> u32 {
    match &scenario.model {
        Model::Ladder { .. } => 0,
        Model::Preset { architecture, .. } | Model::Custom { architecture } | Model::Scaled { architecture, .. } => {
            architecture.experts.num_experts
        }
    }
}

/// Returns the number of which a swept expert count is a multiple: one expert on each GPU of the
/// expert-parallel group, or of the largest possible group if the degree is chosen automatically.
pub fn experts_together(scenario: &Scenario) -> u32 {
    match experts(scenario) {
        0 => 1,
        _ if scenario.expert_choice.degrees => most_groups(scenario),
        _ => scenario.degrees().ep,
    }
}

/// Returns the most GPUs of a stage over which the experts of a layer can be split.
pub fn most_groups(scenario: &Scenario) -> u32 {
    common_divisor(scenario.gpus.max(1) / scenario.degrees().pp, scenario.model.architecture().experts.num_experts)
}

/// Rounds a number of GPUs to one that a real run would use: whole replicas of the model once one
/// fits, and whole groups ([`whole_group`]) once one fits.
pub fn whole_gpus(gpus: f64, replica: f64, whole: f64) -> f64 {
    let group = if gpus > whole {
        whole
    } else if gpus > replica {
        replica
    } else {
        1.0
    };
    (gpus / group).round() * group
}

/// Number of GPUs over which tensor, context and pipeline parallelism split one replica of the
/// model.
pub fn replica(scenario: &Scenario) -> u32 {
    [scenario.tp, scenario.cp, scenario.pp].into_iter().fold(1, |product, degree| product.saturating_mul(degree.max(1)))
}

/// Number of GPUs that a swept GPU count is a multiple of: one node or, if larger, the shard groups
/// of whole replicas.
pub fn whole_group(scenario: &Scenario) -> u32 {
    let shard = if scenario.strategy.uses_shard_size() { scenario.shard_size } else { 1 };
    let group = replica(scenario).saturating_mul(shard.max(1));
    let node = scenario.network.values.gpus_per_node.max(1);
    // If the node does not divide the group, use their least common multiple, unless it exceeds any
    // run.
    (1..=node).map(|times| group.saturating_mul(times)).find(|whole| whole.is_multiple_of(node)).unwrap_or(group)
}

/// Evaluates the scenario with one parameter at one value.
pub fn sample_at(scenario: &Scenario, number: &Number, value: f64) -> Sample {
    let mut moved = *scenario;
    assign(&mut moved, number, value);
    sample(&moved)
}

/// Evaluates one sample for each value of a parameter; `out` is cleared first.
pub fn line(scenario: &Scenario, number: &Number, values: &[f64], out: &mut Vec<Sample>) {
    out.clear();
    out.extend(values.iter().map(|&value| sample_at(scenario, number, value)));
}

/// A parameter and its values in a sweep.
#[derive(Clone, Copy, Debug)]
pub struct ParamRange<'a> {
    /// The parameter.
    pub number: &'a Number,
    /// The values of the parameter.
    pub values: &'a [f64],
}

/// Evaluates one sample for each pair of values, row by row with one y per row; `out` is cleared
/// first.
pub fn grid(scenario: &Scenario, x: ParamRange, y: ParamRange, out: &mut Vec<Sample>) {
    out.clear();
    for &y_value in y.values {
        let mut row = *scenario;
        assign(&mut row, y.number, y_value);
        out.extend(x.values.iter().map(|&value| sample_at(&row, x.number, value)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;
    use engine::params::ParamId;
    use engine::scenario::Strategy;

    fn number(id: ParamId) -> &'static Number {
        id.number().unwrap()
    }

    #[test]
    fn a_sample_agrees_with_the_full_report() {
        for memory in [1.0, 40.0, 500.0] {
            let mut scenario = default_scenario();
            assign(&mut scenario, number(ParamId::GpuMemory), memory);
            let report = scenario.report();
            let sample = sample(&scenario);
            assert_eq!(sample.fits(), report.fits(), "{memory} GiB");
            assert_eq!(sample.limiter(), report.limiter, "{memory} GiB");
            assert_eq!(sample.mfu, report.update.mfu);
            assert_eq!(sample.headroom(), report.memory.headroom());
        }
    }

    #[test]
    fn a_grid_holds_the_same_samples_as_its_lines_and_reuses_the_buffer() {
        let scenario = default_scenario();
        let (xs, ys) = ([1024.0, 4096.0, 16384.0], [1.3e9, 13e9]);
        let (x, y) = (number(ParamId::SequenceLength), number(ParamId::ModelSize));
        let mut cells = Vec::new();
        grid(&scenario, ParamRange { number: x, values: &xs }, ParamRange { number: y, values: &ys }, &mut cells);
        assert_eq!(cells.len(), 6);
        let mut at_13b = scenario;
        assign(&mut at_13b, y, 13e9);
        let mut row = vec![cells[0]; 9];
        line(&at_13b, x, &xs, &mut row);
        assert_eq!(row, cells[3..]);
    }

    #[test]
    fn pressure_has_the_sign_of_the_limiter() {
        let scenario = default_scenario();
        for seq in [512.0, 2048.0, 8192.0, 32768.0, 131_072.0] {
            for link in [10.0, 100.0, 400.0, 3200.0] {
                let mut moved = scenario;
                assign(&mut moved, number(ParamId::SequenceLength), seq);
                assign(&mut moved, number(ParamId::LinkBandwidth), link);
                let sample = sample(&moved);
                assert_eq!(sample.pressure > 0.0, sample.network_bound(), "{seq} {link}");
            }
        }
    }

    #[test]
    fn a_swept_number_of_gpus_is_a_multiple_of_the_shard_group() {
        let mut scenario = default_scenario();
        scenario.strategy = Strategy::HybridShard;
        scenario.shard_size = 8;
        assign(&mut scenario, number(ParamId::Gpus), 131.0);
        assert_eq!(scenario.gpus, 128);
        assign(&mut scenario, number(ParamId::Gpus), 3.0);
        assert_eq!(scenario.gpus, 3);
    }

    #[test]
    fn a_swept_number_of_gpus_holds_whole_replicas_on_whole_nodes() {
        let mut scenario = default_scenario();
        scenario.network.values.gpus_per_node = 8;
        (scenario.tp, scenario.pp) = (2, 3);
        assert_eq!(whole_group(&scenario), 24);
        assign(&mut scenario, number(ParamId::Gpus), 131.0);
        assert_eq!(scenario.gpus, 120);
        let degrees = scenario.degrees();
        assert_eq!((degrees.tp, degrees.cp, degrees.pp, degrees.dp), (2, 1, 3, 20));
        // Between one replica and a whole group, the result is whole replicas; below one replica
        // the number is not rounded up.
        (scenario.strategy, scenario.shard_size) = (Strategy::HybridShard, 8);
        for (wanted, nearest) in [(40.0, 42), (7.0, 6), (5.0, 5)] {
            assign(&mut scenario, number(ParamId::Gpus), wanted);
            assert_eq!(scenario.gpus, nearest);
        }
        scenario.tp = u32::MAX;
        assert_eq!(whole_group(&scenario), u32::MAX);
    }

    #[test]
    fn memory_grows_with_sequence_length() {
        let scenario = default_scenario();
        let short = sample_at(&scenario, number(ParamId::SequenceLength), 1024.0);
        let long = sample_at(&scenario, number(ParamId::SequenceLength), 65536.0);
        assert!(long.needed > short.needed && long.slack() < short.slack());
    }
}

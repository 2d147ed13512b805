//! Notes shown next to the memory figure of a step: loading and saving, the result of the formulas
//! for that step, and the parts of the step that are not simulated.

use analysis::published::MemoryKind;
use engine::format;
use engine::model::memory::largest_stage;
use engine::model::run::host;
use engine::model::states;
use engine::scenario::Scenario;
use trace::{Gap, NotSimulated};

/// Memory before the first step and after the last.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadAndSave {
    /// Memory for loading, in one sentence.
    pub loading: String,
    /// Memory for saving, in one sentence.
    pub saving: String,
}

/// Describes the memory for loading and saving on a GPU and on the host of a node.
pub fn load_and_save(scenario: &Scenario) -> LoadAndSave {
    let (setup, run) = (scenario.setup(), scenario.run_report());
    let params = largest_stage(&setup).params;
    let of_gpu = states::gpu_states(&setup, &params);
    let deferred = scenario.run.deferred_init;
    let other = format::bytes(host::initialisation(&setup, !deferred));
    let how = if deferred {
        format!("layer by layer (deferred initialisation); {other} if every rank builds its whole part")
    } else {
        format!("as every rank builds its whole part; {other} with deferred initialisation")
    };
    let [weights, init, whole, saved] =
        [of_gpu.weights, run.host.init, run.checkpoint_size, run.host.checkpoint].map(format::bytes);
    let loading = format!("Each GPU loads {weights} of weights through {init} of each node's host memory, {how}.");
    let by = if scenario.run.sharded_checkpoint {
        "each node's host holds its part"
    } else {
        "one rank gathers it on its host"
    };
    let saving = format!("A checkpoint is {whole}; {by}: {saved}.");
    LoadAndSave { loading, saving }
}

/// Says what the formulas of the memory bar give, and lists the parts of the setup that the
/// simulation does not model.
pub fn by_formulas(scenario: &Scenario) -> String {
    let (setup, memory) = (scenario.setup(), scenario.report().memory);
    let allocated = format::bytes(MemoryKind::Allocated.predicted(&memory));
    let needed = format::bytes(memory.needed);
    let formulas = format!("The verdict uses closed formulas: {allocated} allocated at the peak, {needed} needed.");
    let left = NotSimulated(Gap::of(&setup).collect()).to_string();
    if left.is_empty() { formulas } else { format!("{left} {formulas}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;
    use engine::model::choices::Choices;
    use engine::model::software::Framework;

    #[test]
    fn loading_and_saving_are_sentences_with_sizes_that_follow_the_choices() {
        let start = default_scenario();
        let said = load_and_save(&start);
        for text in [&said.loading, &said.saving] {
            assert!(text.ends_with('.') && text.contains("GiB") && !text.contains("NaN"), "{text}");
        }
        let mut other = start;
        other.run.deferred_init = !start.run.deferred_init;
        other.run.sharded_checkpoint = !start.run.sharded_checkpoint;
        let changed = load_and_save(&other);
        assert!(changed.loading != said.loading && changed.saving != said.saving);
    }

    #[test]
    fn the_formulas_are_added_and_what_is_not_simulated_is_named() {
        let start = default_scenario();
        let text = by_formulas(&start);
        assert!(text.starts_with("The verdict uses closed formulas: ") && text.ends_with(" needed."), "{text}");
        let own = Scenario { choices: Choices { framework: Framework::MaxText, ..start.choices }, ..start };
        assert!(by_formulas(&own).contains("this framework's own layers and buffers"));
        let pipeline = Scenario { pp: 4, ..start };
        assert!(by_formulas(&pipeline).contains("pipeline"));
        let sharded = Scenario { strategy: engine::scenario::Strategy::Zero1, ..pipeline };
        assert!(by_formulas(&sharded).contains("that are not sharded and warm-up and end of the pipeline."));
    }
}

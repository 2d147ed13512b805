//! Choices without effect: options with results equal to those of the chosen option, found by
//! evaluation.

use super::change::errors;
use super::other_options::others;
use engine::params::{Param, ParamId, every};
use engine::scenario::Scenario;

/// Options of a choice with results equal to those of the chosen option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InertOptions {
    /// The choice.
    pub param: ParamId,
    /// Indices of the options with equal results, without the chosen one.
    pub options: Vec<usize>,
    /// Whether these are all other options of the choice, so that the choice has no effect.
    pub all: bool,
}

/// Returns the choices of the scenario that have an option with an equal result: step, memory and
/// run do not change. Options that the scenario does not allow are ignored.
pub fn inert_options(scenario: &Scenario) -> Vec<InertOptions> {
    let (report, run, errors) = (scenario.report(), scenario.run_report(), errors(scenario));
    let is_same = |changed: &Scenario| changed.report() == report && changed.run_report() == run;
    let of = |param: &Param| {
        let allowed = others(scenario, param, errors);
        let same = allowed.iter().filter(|(_, changed)| is_same(changed));
        let options: Vec<usize> = same.map(|(option, _)| *option).collect();
        let all = options.len() == allowed.len();
        (!options.is_empty()).then_some(InertOptions { param: param.id, options, all })
    };
    every().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use links::decode;

    fn of(link: &str, id: ParamId) -> Option<InertOptions> {
        inert_options(&decode(link).scenario).into_iter().find(|same| same.param == id)
    }

    /// Lists the labels of the options with equal results.
    fn labels(same: &InertOptions) -> Vec<&'static str> {
        let options = same.param.param().choice().unwrap().options;
        same.options.iter().map(|option| options[*option].label).collect()
    }

    #[test]
    fn attention_kernels_differ_where_some_are_tuned_to_the_gpu() {
        let kernel = |link: &str| of(&format!("{link}&model=llama-3-8b"), ParamId::AttentionKernel);
        assert_eq!(kernel("cluster=dgx-h100"), None);
        // The attention kernel tuned to an A100 is FlashAttention-2.
        for link in ["cluster=dgx-a100-80", "cluster=dgx-h100&gpu=mi250x"] {
            let same = kernel(link).unwrap();
            assert!(!same.all && labels(&same) == ["FlashAttention-3/4, cuDNN, TE"], "{:?}", labels(&same));
        }
    }

    #[test]
    fn what_is_between_gpus_has_no_effect_on_one() {
        let alone = inert_options(&decode("cluster=dgx-h100&model=llama-3-8b&gpus=1").scenario);
        let all: Vec<ParamId> = alone.iter().filter(|same| same.all).map(|same| same.param).collect();
        assert!(all.contains(&ParamId::Topology), "{all:?}");
        let many = of("cluster=dgx-h100&model=llama-3-8b&gpus=64", ParamId::Topology);
        assert_eq!(many, None);
    }

    #[test]
    fn what_is_said_to_be_the_same_is_the_same() {
        let scenario = decode("cluster=dgx-h100&model=llama-3-8b&gpus=64&tp=2").scenario;
        for same in inert_options(&scenario) {
            let choice = same.param.param().choice().unwrap();
            for option in &same.options {
                let mut changed = scenario;
                (choice.set)(&mut changed, *option);
                assert!(changed != scenario && changed.report() == scenario.report(), "{:?}", same.param);
            }
        }
    }
}

//! Choices that have no effect: options that give the same result as the chosen one, found by
//! evaluating them.

use super::candidates::errors;
use super::other_options::others;
use engine::params::{Param, ParamId, every};
use engine::scenario::Scenario;

/// Options of a choice that give the result of the chosen one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InertOptions {
    /// The choice.
    pub param: ParamId,
    /// Its options that give the same result, by index; the chosen one is not among them.
    pub options: Vec<usize>,
    /// Whether these are all of its other options: then the choice has no effect.
    pub all: bool,
}

/// Returns the choices of the scenario that have an option with the same result: the same step, the
/// same memory, the same run. An option that the scenario does not allow counts for nothing.
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

    /// The label of each option with the same result.
    fn labels(same: &InertOptions) -> Vec<&'static str> {
        let options = same.param.param().choice().unwrap().options;
        same.options.iter().map(|option| options[*option].label).collect()
    }

    #[test]
    fn attention_kernels_differ_where_some_are_tuned_to_the_gpu() {
        let kernel = |link: &str| of(&format!("{link}&model=llama-3-8b"), ParamId::AttentionKernel);
        assert_eq!(kernel("cluster=dgx-h100"), None);
        // The kernel tuned to an A100 is FlashAttention-2.
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

//! Static choices of one kind along a sweep, beside what adapting picks: who is best where, and what a fixed choice costs.

use super::{Along, at, parallelisms, pipelinings};
use crate::catalog::expert_layers::with_dense_kernels;
use crate::model::experts::layer::{Best, Choice, MoeLayer, best_parallelism, best_pipelining, layer_time};
use crate::units::Seconds;

/// Which choices are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Degrees of Tutel's r, linear and without chunks.
    Parallelism,
    /// Chunks and algorithms, at r = 1.
    Pipelining,
}

impl Family {
    /// The static choices for a layer.
    pub fn choices(self, layer: &MoeLayer) -> Vec<Choice> {
        match self {
            Self::Parallelism => parallelisms(layer),
            Self::Pipelining => pipelinings(Choice::PLAIN.r),
        }
    }

    /// Adapting among them: the fastest.
    pub fn best(self, layer: &MoeLayer) -> Best {
        match self {
            Self::Parallelism => best_parallelism(layer),
            Self::Pipelining => best_pipelining(layer, Choice::PLAIN.r),
        }
    }
}

/// One static choice along a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    /// The choice.
    pub choice: Choice,
    /// Its time at each value; none where fewer than r GPUs share an expert.
    pub times: Vec<Option<Seconds>>,
}

/// The choices of a family along a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Every static choice that there is anywhere along it.
    pub fixed: Vec<Fixed>,
    /// What adapting picks at each value.
    pub adaptive: Vec<Best>,
    /// The baseline's time at each value: the kernels and the layout of Fairseq and DeepSpeed at the time.
    pub baseline: Vec<Seconds>,
}

/// A layer's choices at each of the values.
pub fn compare(layer: &MoeLayer, along: Along, values: &[f64], family: Family) -> Compared {
    let (mut layers, mut most) = (Vec::new(), *layer);
    let mut compared = Compared { fixed: Vec::new(), adaptive: Vec::new(), baseline: Vec::new() };
    for &value in values {
        let moved = at(layer, along, value);
        if moved.gpus_per_expert() > most.gpus_per_expert() {
            most = moved;
        }
        compared.adaptive.push(family.best(&moved));
        compared.baseline.push(layer_time(&with_dense_kernels(moved), Choice::PLAIN).total());
        layers.push(moved);
    }
    for choice in family.choices(&most) {
        let mut times = Vec::new();
        for layer in &layers {
            times.push((choice.r <= layer.gpus_per_expert()).then(|| layer_time(layer, choice).total()));
        }
        compared.fixed.push(Fixed { choice, times });
    }
    compared
}

impl Compared {
    /// Of the choices that there are everywhere, the one that is never far from the best: with the most that it takes longer, as
    /// a factor.
    ///
    /// ```
    /// # use engine::catalog::expert_layers::headline;
    /// # use engine::analysis::experts::{Along, family::{Family, compare}};
    /// // Tutel: from 16 to 256 GPUs every static pipelining loses somewhere (Table 6).
    /// let scales = [16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0];
    /// let (_, loss) = compare(&headline(16), Along::Gpus, &scales, Family::Pipelining).safest().unwrap();
    /// assert!(loss > 1.02);
    /// ```
    pub fn safest(&self) -> Option<(Choice, f64)> {
        let losses = self.fixed.iter().filter_map(|fixed| Some((fixed.choice, self.loss(fixed)?)));
        losses.reduce(|least, next| if next.1 < least.1 { next } else { least })
    }

    /// The most by which a static choice takes longer than the best, as a factor; none where it is missing somewhere.
    fn loss(&self, fixed: &Fixed) -> Option<f64> {
        let mut most = 1.0_f64;
        for (time, best) in fixed.times.iter().zip(&self.adaptive) {
            most = most.max((*time)? / best.time.total());
        }
        Some(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::expert_layers::{figure_12_large, headline};

    #[test]
    fn no_choice_is_faster_than_adapting_and_one_is_as_fast() {
        let factors = [0.5, 1.0, 2.0, 4.0, 8.0];
        for family in [Family::Parallelism, Family::Pipelining] {
            let compared = compare(&figure_12_large(1.0), Along::CapacityFactor, &factors, family);
            for (at, best) in compared.adaptive.iter().enumerate() {
                let times: Vec<f64> = compared.fixed.iter().filter_map(|fixed| Some(fixed.times[at]?.get())).collect();
                assert_eq!(times.iter().copied().fold(f64::MAX, f64::min), best.time.total().get());
            }
        }
    }

    #[test]
    fn experts_are_split_only_where_gpus_share_them() {
        let layer = MoeLayer { experts: 64, ..headline(16) };
        let compared = compare(&layer, Along::GpusAlone, &[16.0, 64.0, 256.0], Family::Parallelism);
        let of = |r: u32| compared.fixed.iter().find(|fixed| fixed.choice.r == r).unwrap();
        assert_eq!(of(4).times.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, true]);
        assert_eq!(
            compared.safest().map(|(choice, _)| choice.r <= 1),
            Some(true),
            "splitting is not possible everywhere"
        );
    }

    #[test]
    fn the_safest_choice_loses_least() {
        let compared = compare(&headline(16), Along::Gpus, &[16.0, 256.0, 2048.0], Family::Pipelining);
        let (safest, least) = compared.safest().unwrap();
        for fixed in &compared.fixed {
            let most = fixed.times.iter().zip(&compared.adaptive).map(|(time, best)| time.unwrap() / best.time.total());
            assert!(most.fold(1.0, f64::max) >= least, "{:?} against {safest:?}", fixed.choice);
        }
    }
}

//! Groups tensors that were alive, and identifies each group.

use super::format::Frame;
use super::moment::Moment;
use crate::error::{Activity, Fit, Sizes, bytes};
use engine::model::report::MemoryPart;
use engine::params::quantity::group_thousands;
use std::collections::HashMap;

/// Maximum bytes that the allocator's rounding adds to a request.
pub(super) const ROUNDED: u64 = 511;
/// Maximum number of groups that are identified; the rest are small.
const LOOKED_UP: usize = 400;
/// Maximum number of groups that are listed.
const NAMED: usize = 8;

/// Tensors of equal size that were allocated by one source line.
struct Group<'a> {
    size: u64,
    count: u64,
    line: Option<&'a Frame<'a>>,
    fit: Option<Fit>,
}

impl Group<'_> {
    fn total(&self) -> u64 {
        self.size.saturating_mul(self.count)
    }
}

/// Groups of tensors that were alive, the largest total first.
pub(super) struct Groups<'a> {
    all: Vec<Group<'a>>,
}

impl<'a> Groups<'a> {
    /// Groups the tensors of a moment. The allocator may have rounded sizes up by less than
    /// `rounded`.
    pub(super) fn new(moment: &'a Moment<'_, 'a>, sizes: &Sizes, rounded: u64) -> Self {
        type Key<'a> = (u64, Option<&'a Frame<'a>>, Option<Activity>);
        let mut counted: HashMap<Key<'a>, (usize, u64)> = HashMap::new();
        let lines = moment.held.iter().any(|held| held.frames.is_some_and(|frames| frames.line.is_some()));
        for (at, held) in moment.held.iter().enumerate() {
            let line = held.frames.and_then(|frames| frames.line.as_ref());
            let doing = held.frames.and_then(|frames| frames.doing);
            // If stacks were recorded, a request without a stack comes from autograd's thread,
            // which runs no Python.
            let autograd = lines && held.is_recorded && line.is_none();
            let key = (held.size, line, doing.or(autograd.then_some(Activity::Backward)));
            counted.entry(key).or_insert((at, 0)).1 += 1;
        }
        let mut counted: Vec<_> = counted.into_iter().collect();
        counted.sort_by_key(|((size, ..), (at, count))| (core::cmp::Reverse(size.saturating_mul(*count)), *at));
        let mut known: HashMap<(u64, Option<Activity>), Option<Fit>> = HashMap::new();
        let all = counted.into_iter().enumerate().map(|(place, ((size, line, doing), (_, count)))| {
            let fit = (place < LOOKED_UP)
                .then(|| known.entry((size, doing)).or_insert_with(|| sizes.identify(size, rounded, doing)).clone());
            Group { size, count, line, fit: fit.flatten() }
        });
        Self { all: all.collect() }
    }

    /// Returns the number of tensors.
    pub(super) fn count(&self) -> u64 {
        self.all.iter().map(|group| group.count).sum()
    }

    /// Returns bytes and tensors of each set of parts that cannot be distinguished, the largest
    /// first. The set is empty for tensors that were not identified.
    fn by_part(&self) -> Vec<(&[MemoryPart], u64, u64)> {
        let mut sums: Vec<(&[MemoryPart], u64, u64)> = Vec::new();
        for group in &self.all {
            let parts = group.fit.as_ref().map_or(&[][..], |fit| &fit.parts);
            match sums.iter_mut().find(|(other, ..)| *other == parts) {
                Some((_, bytes, count)) => {
                    *bytes = bytes.saturating_add(group.total());
                    *count += group.count;
                }
                None => sums.push((parts, group.total(), group.count)),
            }
        }
        sums.sort_by_key(|(_, bytes, _)| core::cmp::Reverse(*bytes));
        sums
    }

    /// Returns the part with the most bytes among the identified tensors.
    pub(super) fn largest_part(&self) -> Option<(MemoryPart, u64)> {
        self.by_part().into_iter().find_map(|(parts, bytes, _)| Some((*parts.first()?, bytes)))
    }

    /// Returns a line per part: bytes alive, and the prediction.
    pub(super) fn parts(
        &self,
        named: impl Fn(MemoryPart) -> &'static str,
        predicted: impl Fn(MemoryPart) -> f64,
    ) -> Vec<String> {
        let line = |(parts, held, count): (&[MemoryPart], u64, u64)| {
            let held = bytes(held as f64);
            let tensors = if count == 1 { "1 tensor".into() } else { group_thousands(&count.to_string()) + " tensors" };
            if parts.is_empty() {
                return format!("Not recognised: {held} in {tensors}");
            }
            let names: Vec<&str> = parts.iter().map(|part| named(*part)).collect();
            let sum: f64 = parts.iter().map(|part| predicted(*part)).sum();
            let predicted = if sum > 0.0 { bytes(sum) } else { "nothing at its peak".into() };
            format!("{}: {held} in {tensors}; predicted {predicted}", names.join(" or "))
        };
        self.by_part().into_iter().map(line).collect()
    }

    /// Returns a line for each of the largest groups.
    pub(super) fn largest(&self, named: impl Fn(MemoryPart) -> &'static str) -> Vec<String> {
        let line = |group: &Group<'_>| {
            let size = bytes(group.size as f64);
            let total = match group.count {
                1 => size,
                count => {
                    format!("{} × {size} = {}", group_thousands(&count.to_string()), bytes(group.total() as f64))
                }
            };
            let what = match &group.fit {
                None => "not recognised".into(),
                Some(Fit { tensor, parts }) => {
                    let other = if tensor.exact { "" } else { ", in a batch other than the scenario's" };
                    let names: Vec<&str> = parts.iter().map(|part| named(*part)).collect();
                    format!("{}{other} ({}), in “{}”", tensor.tensor, tensor.formula, names.join("” or “"))
                }
            };
            let from = group.line.map_or_else(String::new, |line| format!("; {line}"));
            format!("{total}: {what}{from}")
        };
        self.all.iter().take(NAMED).map(line).collect()
    }
}

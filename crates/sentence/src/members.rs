//! Models of the catalog by their size.

use catalog::{MODELS, ModelEntry, model};
use engine::model::ladder;

use crate::words::SMALL;

/// Returns the model whose size is nearest by ratio.
fn nearest(models: impl Iterator<Item = &'static ModelEntry>, size: f64) -> Option<&'static ModelEntry> {
    let off = |entry: &ModelEntry| (entry.params as f64 / size).ln().abs();
    models.min_by(|one, other| off(one).total_cmp(&off(other)))
}

/// Returns the model nearest to a size among those whose name begins with that of a model.
pub(crate) fn member_near(id: &str, size: f64) -> Option<&'static ModelEntry> {
    let is_of =
        |entry: &&ModelEntry| entry.id.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    nearest(MODELS.iter().filter(is_of), size)
}

/// Returns the model nearest to a size of those that differ from a model in size alone.
pub(crate) fn sibling(entry: &'static ModelEntry, size: f64) -> Option<&'static ModelEntry> {
    let family = entry.pick().family()?;
    nearest(family.members.iter().filter_map(|member| model(member.id)), size)
}

/// Returns the model nearest to a size below the GPT-style models, which is scaled to it: of the
/// families that begin below the size, else the smallest.
pub(crate) fn below_ladder(size: f64) -> Option<&'static ModelEntry> {
    let begins_below =
        |entry: &&ModelEntry| MODELS.iter().any(|other| other.family == entry.family && other.params as f64 <= size);
    let small = || SMALL.iter().filter(|_| size < ladder::SIZES.0).filter_map(|id| model(id));
    nearest(small().filter(begins_below), size).or_else(|| small().min_by_key(|entry| entry.params))
}

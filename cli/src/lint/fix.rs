//! Writes fixes into files, or shows them as a diff.

use files::brought::{Changes, Item, SuggestedChange};
use similar::TextDiff;

use super::judge::{Judged, Verdict};
use crate::table::lines;
use crate::write;

/// The written or shown fixes of a run.
pub(super) struct Mended {
    /// Whether there is a fix that is written.
    pub(super) is_written: bool,
    /// Lines about the written files, or why nothing was written.
    pub(super) said: String,
    /// The changes of files, as unified diffs.
    diff: String,
}

/// Writes the first change into the files of a run; with `is_dry` it only shows the change. Without
/// `is_unsafe`, only changes that leave the training unchanged are written.
///
/// # Errors
///
/// A sentence if a file cannot be written; all files are unchanged then.
pub(super) fn first(judged: &Judged, is_unsafe: bool, is_dry: bool) -> Result<Mended, String> {
    let nothing = |said: String| Mended { is_written: false, said, diff: String::new() };
    let Ok(Verdict { brought, items, .. }) = &judged.verdict else { return Ok(nothing(String::new())) };
    if brought.offers.is_empty() {
        return Ok(nothing(String::new()));
    }
    // A file that another one names may be of other runs too.
    let is_named = |item: &Item| item.name.as_ref().is_none_or(|name| judged.files.contains(name));
    let is_own = |name: &String| items.iter().any(|item| item.name.as_ref() == Some(name) && is_named(item));
    let are_own = |offer: &&SuggestedChange| {
        !offer.files.is_empty() && offer.files.iter().all(|(name, _)| name.is_empty() || is_own(name))
    };
    let Some(offer) =
        brought.offers.iter().filter(are_own).find(|offer| is_unsafe || offer.changes == Changes::Nothing)
    else {
        let others = brought.offers.iter().any(|offer| !offer.files.is_empty());
        let others = if others { " The fixes change the training: --unsafe-fixes writes them." } else { "" };
        return Ok(nothing(format!("Nothing was written.{others}\n")));
    };
    let with_items = offer.files.iter().map(|(name, text)| {
        let item = items.iter().find(|item| item.name.as_ref() == Some(name));
        let item = item.ok_or_else(|| "Standard input cannot be written: name the file.".to_owned())?;
        Ok((name, item, text))
    });
    let with_items: Vec<(&String, &Item, &String)> = with_items.collect::<Result<_, String>>()?;
    if is_dry {
        let diff =
            with_items.iter().map(|(name, item, text)| unified(name, &String::from_utf8_lossy(&item.bytes), text));
        return Ok(Mended { is_written: true, said: String::new(), diff: diff.collect() });
    }
    let prepared = with_items.iter().map(|(name, item, text)| write::prepare(name, &item.bytes, text));
    // All new files are complete before the first one replaces its original.
    let prepared: Vec<write::Prepared> = prepared.collect::<Result<_, String>>()?;
    write::replace(prepared)?;
    let said = lines(offer.files.iter().map(|(name, _)| format!("{name} was written.")));
    Ok(Mended { is_written: true, said, diff: String::new() })
}

/// Returns a unified diff with the names that `patch -p1` and `git apply` read.
fn unified(name: &str, before: &str, after: &str) -> String {
    let plain = name.trim_start_matches("./").trim_start_matches('/');
    TextDiff::from_lines(before, after).unified_diff().header(&format!("a/{plain}"), &format!("b/{plain}")).to_string()
}

/// Returns all diffs, and for each run without a verdict why it has none.
pub(super) fn diffs(mended: &[Mended], judged: &[Judged]) -> String {
    let unjudged = judged.iter().filter_map(|one| Some(format!("# {}: {}\n", one.name(), one.verdict.as_ref().err()?)));
    mended.iter().map(|mended| mended.diff.clone()).chain(unjudged).collect()
}

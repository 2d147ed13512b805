//! `shardwise read`: reads files and says what they are.

use clap::Args;
use files::brought::{CONTRADICTS, Import, ImportKind, Section, SuggestedChange, UNREAD};

use crate::Answer;
use crate::input::Input;
use crate::table::{lines, plain};

/// Files to read, and the output format.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// As JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Answer, String> {
        let (brought, _) = self.input.import_files()?;
        let asks = brought.kind == ImportKind::Run && !brought.missing.is_empty();
        Ok(Answer { asks, ..Answer::new(if self.json { json(&brought)? } else { text(&brought) }) })
    }
}

fn json(brought: &Import) -> Result<String, String> {
    let text = serde_json::to_string_pretty(brought).map_err(|cause| format!("It could not be written: {cause}."))?;
    Ok(text + "\n")
}

/// Returns the summary of the files as text.
pub(crate) fn text(brought: &Import) -> String {
    // A scenario from a file needs no description.
    let said = if brought.kind == ImportKind::Scenario { "" } else { &brought.said };
    let is_first = |section: &&Section| section.title == UNREAD || brought.missing == section.lines;
    let first = brought.sections.iter().filter(is_first).flat_map(under_title);
    let said = [said, &brought.read].into_iter().filter(|said| !said.is_empty()).map(str::to_owned);
    let offers = brought.offers.iter().map(|offer| format!("- {}", coded(offer)));
    // A contradiction that is a finding is not repeated as a section.
    let is_found = brought.offers.iter().any(|offer| brought.contradictions.contains(&offer.what));
    let sections = brought.sections.iter().filter(|section| !(is_found && section.title == CONTRADICTS));
    let sections = sections.filter(|section| !is_first(section)).flat_map(under_title);
    plain(&lines(first.chain(said).chain(offers).chain(sections).chain([format!("Scenario: {}", brought.scenario)])))
}

/// Returns the lines of a section below its title.
fn under_title(section: &Section) -> impl Iterator<Item = String> {
    core::iter::once(format!("{}:", section.title)).chain(section.lines.iter().map(|line| format!("  {line}")))
}

/// Returns the description of an offer, with its code first.
pub(crate) fn coded(offer: &SuggestedChange) -> String {
    offer.code.iter().map(String::as_str).chain([offer.what.as_str()]).collect::<Vec<_>>().join(" ")
}

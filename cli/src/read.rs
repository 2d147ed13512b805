//! `shardwise read`: what files say, and what would be better.

use clap::Args;
use files::brought::{Brought, Kind};

use crate::Answer;
use crate::input::Input;
use crate::table::lines;

/// Files, and how what they say is printed.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// The configuration of a run, and how what would be better is printed.
#[derive(Args)]
pub(crate) struct Lint {
    #[command(flatten)]
    input: Input,
    /// As JSON
    #[arg(long)]
    json: bool,
    /// Writes the first change into the files
    #[arg(long)]
    fix: bool,
}

impl Arguments {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Answer, String> {
        let brought = self.input.bring()?;
        Ok(Answer::of(if self.json { json(&brought)? } else { text(&brought) }))
    }
}

impl Lint {
    /// Runs the command: the answer is yes where there is nothing to say.
    pub(crate) fn run(&self) -> Result<Answer, String> {
        let brought = self.input.bring()?;
        if brought.kind != Kind::Run {
            return Err("This is not the configuration of a run: `shardwise read` says what it is.".into());
        }
        let yes = brought.offers.is_empty();
        let mut written = Vec::new();
        let text = if self.json { json(&brought)? } else { text(&brought) };
        if self.fix
            && let Some(offer) = brought.offers.iter().find(|offer| !offer.files.is_empty())
        {
            for (name, changed) in &offer.files {
                let path = self.input.path_of(name).ok_or_else(|| format!("{name} is no file that can be written."))?;
                std::fs::write(path, changed).map_err(|cause| format!("{name} could not be written: {cause}."))?;
                if !self.json {
                    written.push(format!("Written into {name}."));
                }
            }
        }
        Ok(Answer { text: text + &lines(written.into_iter()), yes })
    }
}

fn json(brought: &Brought) -> Result<String, String> {
    let text = serde_json::to_string_pretty(brought).map_err(|cause| format!("It could not be written: {cause}."))?;
    Ok(text + "\n")
}

/// What was read, for people.
fn text(brought: &Brought) -> String {
    let said = [&brought.said, &brought.read].into_iter().filter(|said| !said.is_empty()).cloned();
    let offers = brought.offers.iter().map(|offer| format!("- {}", offer.what));
    let sections = brought.sections.iter().flat_map(|section| {
        core::iter::once(format!("{}:", section.title)).chain(section.lines.iter().map(|line| format!("  {line}")))
    });
    lines(said.chain(offers).chain(sections).chain([format!("Scenario: {}", brought.scenario)]))
}

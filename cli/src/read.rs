//! `shardwise read`: what files say, and what would be better.

use clap::{Args, ValueEnum};
use files::brought::{Brought, Kind};

use crate::input::Input;
use crate::table::{lines, plain};
use crate::{Answer, annotation};

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
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// How findings are printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Writes the first change into the files
    #[arg(long)]
    fix: bool,
}

/// How findings are printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Sentences
    Text,
    /// GitHub's annotations, a line each
    Github,
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
        let is_github = self.format == Format::Github;
        let brought = self.input.bring().and_then(|brought| match brought.kind {
            Kind::Run => Ok(brought),
            _ => Err("This is not the configuration of a run: `shardwise read` says what it is.".into()),
        });
        let brought = match brought {
            Err(problem) if is_github => {
                // The annotation goes where GitHub reads; the status says that nothing was read.
                return Err(annotation::error(self.input.paths().next(), &problem));
            }
            brought => brought?,
        };
        if !brought.missing.is_empty() {
            return Err(brought.missing.join(" "));
        }
        let yes = brought.offers.is_empty();
        let mut written = Vec::new();
        let text = if self.json {
            json(&brought)?
        } else if is_github {
            let given: Vec<(String, String)> =
                self.input.paths().map(|path| (path.to_owned(), text_of(path))).collect();
            lines(brought.offers.iter().map(|offer| annotation::warning(offer, &given)))
        } else {
            text(&brought)
        };
        if self.fix
            && let Some(offer) = brought.offers.iter().find(|offer| !offer.files.is_empty())
        {
            for (name, changed) in &offer.files {
                std::fs::write(name, changed).map_err(|cause| format!("{name} could not be written: {cause}."))?;
                if !self.json {
                    written.push(format!("Written into {name}."));
                }
            }
        }
        Ok(Answer { text: text + &lines(written.into_iter()), yes })
    }
}

/// The text of a file, as far as it is one.
fn text_of(path: &str) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
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
    plain(&lines(said.chain(offers).chain(sections).chain([format!("Scenario: {}", brought.scenario)])))
}

//! `shardwise read` and `shardwise lint`: read files and suggest improvements.

use clap::{Args, ValueEnum};
use files::brought::{CONTRADICTS, Changes, Import, ImportKind, Item, Section, UNREAD};
use files::run::{explain, prefixes};

use crate::input::{HINT, Input};
use crate::table::{lines, plain};
use crate::{Answer, annotation, write};

/// Files to read, and the output format.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Configuration of a run, and the handling of findings.
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
    /// Writes the first change that leaves what is trained as it is (model, data, length, effective
    /// batch, precision)
    #[arg(long)]
    fix: bool,
    /// Writes the first change, whatever it changes of what is trained
    #[arg(long)]
    unsafe_fixes: bool,
    /// Leaves findings out by their codes or the beginnings of codes: --ignore SW201,SW3. What is
    /// left out is not written and does not count for the status
    #[arg(long, value_name = "CODES")]
    ignore: Vec<String>,
    /// Says what a code means, and nothing else: --explain SW101
    #[arg(long, value_name = "CODE", exclusive = true)]
    explain: Option<String>,
}

/// Output format of findings.
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
        let (brought, _) = self.input.import_files()?;
        let asks = brought.kind == ImportKind::Run && !brought.missing.is_empty();
        Ok(Answer { asks, ..Answer::new(if self.json { json(&brought)? } else { text(&brought) }) })
    }
}

impl Lint {
    /// Runs the command. The answer is yes if there are no findings.
    pub(crate) fn run(&self) -> Result<Answer, String> {
        if let Some(code) = &self.explain {
            return Ok(Answer::new(explain(code)? + "\n"));
        }
        let ignored = prefixes(&self.ignore)?;
        let is_github = self.format == Format::Github;
        let brought = self.input.import_files().and_then(|(brought, items)| match brought.kind {
            ImportKind::Run => Ok((brought, items)),
            _ => Err("This is not the configuration of a run: `shardwise read` describes it.".into()),
        });
        let (mut brought, items) = match brought {
            Err(problem) if is_github => {
                // GitHub reads the annotation from the output; the exit status reports that nothing
                // was read.
                return Err(annotation::error(self.input.paths().next(), &problem));
            }
            brought => brought?,
        };
        if !brought.missing.is_empty() {
            return Err(brought.missing.join(" ") + HINT);
        }
        brought.offers.retain(|offer| {
            let code = offer.code.as_deref().unwrap_or_default();
            ignored.iter().all(|prefix| !code.starts_with(prefix.as_str()))
        });
        let yes = brought.offers.is_empty();
        let text = if self.json {
            json(&brought)?
        } else if is_github {
            let given: Vec<(String, String)> =
                self.input.paths().map(|path| (path.to_owned(), text_of(path))).collect();
            lines(brought.offers.iter().map(|offer| annotation::annotated(offer, &given)))
        } else {
            // Contradictions are findings, or were ignored as such.
            brought.sections.retain(|section| section.title != CONTRADICTS);
            text(&brought)
        };
        let written = if self.fix || self.unsafe_fixes { self.write(&brought, &items)? } else { String::new() };
        let written = if self.json { String::new() } else { written };
        Ok(Answer::of(text + &written, yes))
    }

    /// Writes the first change into the files. Without `--unsafe-fixes`, only changes that leave
    /// the training unchanged are written.
    fn write(&self, brought: &Import, items: &[Item]) -> Result<String, String> {
        // A file that another one names may be of other runs too.
        let is_named = |item: &Item| item.name.as_ref().is_none_or(|name| self.input.is_named(name));
        let is_own = |name: &String| items.iter().any(|item| item.name.as_ref() == Some(name) && is_named(item));
        let are_own = |files: &[(String, String)]| files.iter().all(|(name, _)| name.is_empty() || is_own(name));
        let mut offers = brought.offers.iter().filter(|offer| !offer.files.is_empty() && are_own(&offer.files));
        let Some(offer) = offers.find(|offer| self.unsafe_fixes || offer.changes == Changes::Nothing) else {
            let others = brought.offers.iter().any(|offer| !offer.files.is_empty());
            let others = if others { " The fixes change the training: --unsafe-fixes writes them." } else { "" };
            return Ok(format!("Nothing was written.{others}\n"));
        };
        let prepared = offer.files.iter().map(|(name, text)| {
            let item = items.iter().find(|item| item.name.as_ref() == Some(name));
            let item = item.ok_or_else(|| "Standard input cannot be written: name the file.".to_owned())?;
            write::prepare(name, &item.bytes, text)
        });
        // All new files are complete before the first one replaces its original.
        let prepared: Vec<write::Prepared> = prepared.collect::<Result<_, String>>()?;
        write::replace(prepared)?;
        Ok(lines(offer.files.iter().map(|(name, _)| format!("{name} was written."))))
    }
}

/// Returns the text of a file, or an empty text if the file cannot be read.
fn text_of(path: &str) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

fn json(brought: &Import) -> Result<String, String> {
    let text = serde_json::to_string_pretty(brought).map_err(|cause| format!("It could not be written: {cause}."))?;
    Ok(text + "\n")
}

/// Returns the summary of the files as text.
fn text(brought: &Import) -> String {
    // A scenario from a file needs no description.
    let said = if brought.kind == ImportKind::Scenario { "" } else { &brought.said };
    let is_first = |section: &&Section| section.title == UNREAD || brought.missing == section.lines;
    let first = brought.sections.iter().filter(is_first).flat_map(under_title);
    let said = [said, &brought.read].into_iter().filter(|said| !said.is_empty()).map(str::to_owned);
    let offers = brought.offers.iter().map(|offer| format!("- {}", annotation::coded(offer)));
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

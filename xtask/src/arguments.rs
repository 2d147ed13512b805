//! Compares the arguments of training programs on PyPI with those recorded last: names, defaults
//! and choices.
//!
//! A program's `program.toml` names its package and the files of it that define arguments. pip
//! downloads the newest release, and `extract.py` lists them by the syntax tree, so that nothing of
//! a wheel runs. `known` says which of them a reader knows. The record, a table `arguments.csv`
//! next to `program.toml`, is rewritten on demand alone: a difference stays an error until someone
//! has looked at it.

mod known;

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path;

use crate::install::interpreter;
use crate::shell::{entries, fresh, name, program, read_text, root, run as run_program, spelled, step, target, write};
use known::{Known, Standing};

/// Folder of all programs.
const FOLDERS: &str = "crates/programs/tables";
/// File with the recorded arguments of a program, in its folder.
const RECORD: &str = "arguments.csv";
/// Script that lists the arguments of a package.
const SCRIPT: &str = "xtask/src/arguments/extract.py";
/// Minimum minor version of Python 3, which runs pip and the script.
const OLDEST: u32 = 9;
/// The computer that a wheel is for, whatever this one is: most users have it, and a wheel of
/// another would define the same arguments.
const COMPUTER: [&str; 10] = [
    "--python-version",
    "3.12",
    "--implementation",
    "cp",
    "--platform",
    "manylinux_2_28_x86_64",
    "--platform",
    "manylinux_2_17_x86_64",
    "--platform",
    "manylinux1_x86_64",
];

/// Options of the command.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Writes the records instead of failing on differences.
    pub record: bool,
    /// Lists the arguments that no reader knows, recorded or not.
    pub unread: bool,
}

/// Compares the programs of these folders, or all that have a package, with their records.
///
/// # Errors
/// When a package cannot be had, when an argument that a reader knows is gone or has another
/// default or other choices, or when an argument is new that no reader knows.
pub fn run(folders: &[String], options: Options) -> Result<()> {
    let packages = chosen(Package::all()?, folders)?;
    let python = interpreter(OLDEST)?;
    let (mut open, mut failed) = (Vec::new(), Vec::new());
    for package in &packages {
        match package.compare(&python, options) {
            Ok(0) => {}
            Ok(number) => open.push(format!("{number} of {}", package.folder)),
            Err(failure) => failed.push(format!("{} could not be compared: {failure:#}", package.folder)),
        }
    }
    if !open.is_empty() {
        failed.push(format!(
            "Arguments to look at: {}. Read each by keys.toml or the reader, list it in quiet.toml, or add what \
             changed to releases.toml (CONTRIBUTING.md); then `cargo xtask packages --record`.",
            open.join(", ")
        ));
    }
    if failed.is_empty() { Ok(()) } else { bail!("{}", failed.join("\n")) }
}

/// Compares all programs with their records.
///
/// # Errors
/// As [`run`].
pub fn check() -> Result<()> {
    run(&[], Options::default())
}

/// A program's package on PyPI.
struct Package {
    /// Name of the program's folder.
    folder: String,
    /// Name of the package.
    pypi: String,
    /// Whether the package has no wheel that counts: pip then runs its `setup.py` for its version.
    is_source: bool,
    /// Files, classes and functions that define arguments, as `extract.py` reads them.
    patterns: Vec<String>,
}

impl Package {
    /// Returns the packages of all programs that have one, by folder.
    fn all() -> Result<Vec<Self>> {
        let folders = entries(&root().join(FOLDERS))?.into_iter().filter(|path| path.is_dir());
        let packages: Vec<Option<Self>> = folders.map(|folder| Self::read(&folder)).collect::<Result<_>>()?;
        Ok(packages.into_iter().flatten().collect())
    }

    fn read(folder: &Path) -> Result<Option<Self>> {
        let table = toml(&folder.join("program.toml"))?;
        let folder = name(folder);
        let Some(pypi) = table.get("pypi").and_then(Value::as_str) else { return Ok(None) };
        let patterns: Vec<String> = texts(table.get("arguments")).map(str::to_owned).collect();
        if patterns.is_empty() {
            bail!("{FOLDERS}/{folder}/program.toml names the package {pypi} and no `arguments`: name its files.");
        }
        let is_source = table.get("sdist").and_then(Value::as_bool).unwrap_or_default();
        Ok(Some(Self { folder, pypi: pypi.to_owned(), is_source, patterns }))
    }

    /// Prints how the newest release differs from the record. Returns the number of differences
    /// that somebody must look at.
    fn compare(&self, python: &Path, options: Options) -> Result<usize> {
        let file = root().join(FOLDERS).join(&self.folder).join(RECORD);
        let before = if file.is_file() { Recorded::parse(&read_text(&file)?)? } else { Recorded::default() };
        let now = self.newest(python)?;
        let known = Known::of(&self.folder)?;
        let differences = differences(&before, &now);
        let unread: BTreeSet<&str> = now.names().filter(|name| known.standing(name) == Standing::Unknown).collect();
        let was = if before.version.is_empty() { "nothing recorded" } else { &before.version };
        step(&format!(
            "{}: {was} -> {} {}, {} arguments, {} names that no reader knows",
            self.folder,
            self.pypi,
            now.version,
            now.arguments.len(),
            unread.len()
        ));
        for difference in &differences {
            println!("    {difference}: {}", known.standing(difference.name));
        }
        if options.unread {
            for name in &unread {
                println!("    no reader knows {name}");
            }
        }
        if options.record {
            write(&file, now.text(&self.pypi)?)?;
            return Ok(0);
        }
        Ok(differences.iter().filter(|difference| difference.is_open(known.standing(difference.name))).count())
    }

    /// Downloads the newest release, and lists its arguments.
    fn newest(&self, python: &Path) -> Result<Recorded> {
        let folder = target().join("arguments").join(&self.folder);
        fresh(&folder)?;
        let mut pip = program(python);
        pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]);
        if self.is_source {
            pip.args(["--no-binary", &self.pypi]);
        } else {
            pip.args(["--only-binary", ":all:"]).args(COMPUTER);
        }
        run_program(pip.arg(&self.pypi).arg("--dest").arg(&folder))?;
        let archives = entries(&folder)?;
        let [archive] = archives.as_slice() else { bail!("pip downloaded {} files of {}.", archives.len(), self.pypi) };
        let archive_name = name(archive);
        let version = version(&archive_name).with_context(|| format!("{} names no version", archive.display()))?;
        Recorded::new(version, &extract(python, archive, &self.patterns)?)
    }
}

/// Returns the packages of these folders, or all.
fn chosen(packages: Vec<Package>, folders: &[String]) -> Result<Vec<Package>> {
    let known: Vec<&str> = packages.iter().map(|package| package.folder.as_str()).collect();
    if let Some(other) = folders.iter().find(|folder| !known.contains(&folder.as_str())) {
        bail!("{other} is not a program with a package on PyPI: {}.", known.join(", "));
    }
    Ok(packages.into_iter().filter(|package| folders.is_empty() || folders.contains(&package.folder)).collect())
}

/// Returns the version in the name of a wheel or of a source archive.
fn version(archive: &str) -> Option<&str> {
    let name = archive.strip_suffix(".tar.gz").or_else(|| archive.strip_suffix(".whl"))?;
    name.split('-').nth(1)
}

/// Lists the arguments of a package: rows of name, default, choices and place.
fn extract(python: &Path, package: &Path, patterns: &[String]) -> Result<String> {
    let mut script = program(python);
    script.arg(SCRIPT).arg(package).args(patterns);
    let written = script.output().with_context(|| format!("`{}` could not be started", spelled(&script)))?;
    if written.status.success() {
        return String::from_utf8(written.stdout).context("the arguments are not UTF-8");
    }
    Err(anyhow!("{}", String::from_utf8_lossy(&written.stderr).trim()))
}

fn toml(file: &Path) -> Result<Value> {
    toml_edit::de::from_str(&read_text(file)?).with_context(|| format!("{} could not be read", file.display()))
}

/// Returns the texts of a list, or a text alone.
fn texts(list: Option<&Value>) -> impl Iterator<Item = &str> {
    let alone = list.and_then(Value::as_str);
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).chain(alone)
}

/// Returns the rows of a table.
fn rows<'a>(table: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    table.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// The arguments of a release.
#[derive(Debug, Default, PartialEq, Eq)]
struct Recorded {
    version: String,
    /// Defaults and choices by name and place. A class that exists twice can give two.
    arguments: BTreeMap<(String, String), BTreeSet<(String, String)>>,
}

impl Recorded {
    /// Reads rows of name, default, choices and place.
    fn new(version: &str, rows: &str) -> Result<Self> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(rows.as_bytes());
        let mut arguments: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for row in reader.deserialize() {
            let [name, default, choices, place]: [String; 4] =
                row.context("a row is not `name,default,choices,where`")?;
            arguments.entry((name, place)).or_default().insert((default, choices));
        }
        Ok(Self { version: version.to_owned(), arguments })
    }

    /// Reads a record: the version after `# package`, the names of the columns, the rows.
    fn parse(text: &str) -> Result<Self> {
        let mut parts = text.splitn(3, '\n');
        let first = parts.next().unwrap_or_default();
        let version = first.rsplit_once(' ').context("the first line of a record is not `# package version`")?.1;
        Self::new(version, parts.nth(1).unwrap_or_default())
    }

    fn text(&self, package: &str) -> Result<String> {
        let mut rows = csv::Writer::from_writer(Vec::new());
        rows.write_record(["name", "default", "choices", "where"])?;
        for ((name, place), defaults) in &self.arguments {
            for (default, choices) in defaults {
                rows.write_record([name, default, choices, place])?;
            }
        }
        let rows = String::from_utf8(rows.into_inner()?)?;
        Ok(format!("# {package} {}\n{rows}", self.version))
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.arguments.keys().map(|(name, _)| name.as_str())
    }
}

/// How an argument differs from the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    New,
    Gone,
    Changed,
}

/// An argument that differs from the record.
struct Difference<'a> {
    kind: Kind,
    name: &'a str,
    place: &'a str,
    before: String,
    now: String,
}

impl Difference<'_> {
    /// Whether somebody must look at the difference: not at a new argument that is listed already,
    /// nor at one that says nothing about memory and speed.
    fn is_open(&self, standing: Standing) -> bool {
        match self.kind {
            Kind::New => standing == Standing::Unknown,
            Kind::Gone | Kind::Changed => standing == Standing::Read,
        }
    }
}

impl Display for Difference<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, place, before, now, .. } = self;
        match self.kind {
            Kind::New => write!(f, "new      {name} = {now} in {place}"),
            Kind::Gone => write!(f, "gone     {name} = {before} in {place}"),
            Kind::Changed => write!(f, "changed  {name} = {before} -> {now} in {place}"),
        }
    }
}

/// Returns how a release differs from a record, by name and place.
fn differences<'a>(before: &'a Recorded, now: &'a Recorded) -> Vec<Difference<'a>> {
    let both: BTreeSet<_> = before.arguments.keys().chain(now.arguments.keys()).collect();
    let in_words = |defaults: Option<&BTreeSet<(String, String)>>| {
        let words = defaults.into_iter().flatten().map(|(default, choices)| {
            let default = if default.is_empty() { "(required)" } else { default };
            if choices.is_empty() { default.to_owned() } else { format!("{default} of {choices}") }
        });
        words.collect::<Vec<_>>().join(" or ")
    };
    let differing = both.into_iter().filter_map(|key| {
        let (old, new) = (before.arguments.get(key), now.arguments.get(key));
        let kind = match (old, new) {
            (None, _) => Kind::New,
            (_, None) => Kind::Gone,
            (old, new) if old == new => return None,
            _ => Kind::Changed,
        };
        Some(Difference { kind, name: &key.0, place: &key.1, before: in_words(old), now: in_words(new) })
    });
    differing.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    const CODE: &str = r#"
from dataclasses import dataclass, field
KINDS = 4
@dataclass
class Config(Base):
    """Not read."""
    name: str
    size: int = 8
    rate: float = field(default=5e-5, metadata={"help": "x"})
    names: list = field(default_factory=list)
    made: dict = field(default_factory=lambda: {"a": 1})
    kind: Kind = Kind.SMALL
    mode: Optional[Literal["b", "a", None]] = "a"
    total: int = 2 * KINDS
    wide: str = Field(..., description="x")
    plain = 3
    _hidden: int = 1
    shared: ClassVar[int] = 1
    class Inner(BaseModel):
        depth: int | None = Field(default=None)
def parse(parser):
    parser.add_argument("-b", "--batch-size", type=int, default=2)
    parser.add_argument("--fast", "--quick", action="store_true")
    parser.add_argument("--level", choices=["low", "high"], default="low")
    parser.add_argument("script")
@click.option("--on/--off", default=True)
def setup(path: str, steps: int = 10, *, name: str = "a, b"):
    raise SystemExit("this must not run")
"#;

    fn extracted(patterns: &[&str]) -> Result<String> {
        let folder = tempfile(patterns);
        write(&folder.join("package/config.py"), CODE).unwrap();
        let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        extract(&interpreter(OLDEST)?, &folder, &patterns)
    }

    /// Returns a new folder for a test.
    fn tempfile(patterns: &[&str]) -> PathBuf {
        let name: String = patterns.concat().chars().filter(char::is_ascii_alphanumeric).collect();
        let folder = std::env::temp_dir().join(format!("shardwise-arguments-{}-{name}", std::process::id()));
        fresh(&folder.join("package")).unwrap();
        folder
    }

    #[test]
    fn fields_and_options_are_read_without_running_the_package() {
        let found = extracted(&["*/config.py"]).unwrap();
        let expected = "batch-size,2,,package/config.py\ndepth,None,,Inner\nfast,False,,package/config.py\n\
                        kind,Kind.SMALL,,Config\nlevel,'low',high|low,package/config.py\nmade,...,,Config\n\
                        mode,'a',a|b,Config\nname,,,Config\nnames,[],,Config\non,True,,package/config.py\n\
                        quick,False,,package/config.py\nrate,5e-05,,Config\nscript,,,package/config.py\n\
                        size,8,,Config\ntotal,...,,Config\nwide,,,Config\n";
        assert_eq!(found, expected);
        assert_eq!(
            extracted(&["package/config.py:setup"]).unwrap(),
            "name,\"'a, b'\",,setup\npath,,,setup\nsteps,10,,setup\n"
        );
        assert_eq!(extracted(&["package/config.py:Config.Inner"]).unwrap(), "depth,None,,Config.Inner\n");
    }

    #[test]
    fn a_file_or_class_that_is_gone_is_an_error() {
        let of_file = extracted(&["package/other.py"]).unwrap_err().to_string();
        assert!(of_file.contains("has no file package/other.py any more"), "{of_file}");
        let of_class = extracted(&["package/config.py:Other"]).unwrap_err().to_string();
        assert!(of_class.contains("package/config.py has no class or function Other any more"), "{of_class}");
    }

    #[test]
    fn what_is_new_gone_or_changed_is_listed() {
        let before = Recorded::new("1.0", "a,1,,C\nb,2,,C\nc,,,C\nd,1,,C\ne,x,x|y,C\n").unwrap();
        let now = Recorded::new("1.1", "a,1,,C\nb,2,,D\nc,4,,C\nd,1,,C\nd,2,,C\ne,x,x|y|z,C\n").unwrap();
        let lines: Vec<String> = differences(&before, &now).iter().map(ToString::to_string).collect();
        let expected = [
            "gone     b = 2 in C",
            "new      b = 2 in D",
            "changed  c = (required) -> 4 in C",
            "changed  d = 1 -> 1 or 2 in C",
            "changed  e = x of x|y -> x of x|y|z in C",
        ];
        assert_eq!(lines, expected);
        assert!(differences(&now, &now).is_empty());
    }

    #[test]
    fn what_nobody_has_looked_at_is_open() {
        let open = |kind| {
            let difference = Difference { kind, name: "a", place: "C", before: String::new(), now: String::new() };
            [Standing::Read, Standing::Quiet, Standing::Gone, Standing::Unknown]
                .map(|standing| difference.is_open(standing))
        };
        assert_eq!(open(Kind::New), [false, false, false, true]);
        assert_eq!(open(Kind::Gone), [true, false, false, false]);
        assert_eq!(open(Kind::Changed), [true, false, false, false]);
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let now = Recorded::new("1.16.0", "a,\"'x, y'\",,C\na,2,1|2,C\nb,,,f.py\n").unwrap();
        let text = now.text("trl").unwrap();
        assert!(text.starts_with("# trl 1.16.0\nname,default,choices,where\n"), "{text}");
        assert_eq!(Recorded::parse(&text).unwrap(), now);
    }

    #[test]
    fn the_version_is_in_the_name_of_an_archive() {
        assert_eq!(version("ms_swift-4.6.0-py3-none-any.whl"), Some("4.6.0"));
        assert_eq!(version("deepspeed-0.19.8.tar.gz"), Some("0.19.8"));
        assert_eq!(version("readme.txt"), None);
    }

    #[test]
    fn every_record_is_of_a_program_with_a_package_and_can_be_read() {
        let packages = Package::all().unwrap();
        assert!(packages.len() > 10);
        for package in &packages {
            let file = root().join(FOLDERS).join(&package.folder).join(RECORD);
            let text = read_text(&file).unwrap();
            assert!(text.starts_with(&format!("# {} ", package.pypi)), "{}", file.display());
            assert_eq!(Recorded::parse(&text).unwrap().text(&package.pypi).unwrap(), text, "{}", file.display());
        }
        let records =
            entries(&root().join(FOLDERS)).unwrap().into_iter().filter(|folder| folder.join(RECORD).is_file());
        assert_eq!(records.count(), packages.len());
    }

    #[test]
    fn a_program_without_a_package_is_an_error() {
        let error = chosen(Package::all().unwrap(), &["gpt-neox".to_owned()]).err().map(|error| error.to_string());
        assert!(error.is_some_and(|text| text.starts_with("gpt-neox is not a program with a package on PyPI: ")));
    }
}

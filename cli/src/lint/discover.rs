//! From paths to runs: each run is the files that are read as one.

use std::path::{Path, PathBuf};

use api::files::with_named;
use files::brought::{Item, is_whole_run};
use files::run::{File, split_function, values};
use globset::GlobBuilder;
use ignore::WalkBuilder;

use super::configuration::Configuration;
use crate::input::{Input, Options, STANDARD};

/// The files of one run, as typed or found.
pub(super) struct RunFiles {
    pub(super) files: Vec<String>,
    /// Whether a search found it: a file that names no model is no run of its own then.
    pub(super) is_found: bool,
}

/// Runs that were found.
pub(super) struct Found {
    pub(super) runs: Vec<RunFiles>,
    /// Texts of a scenario, for what no file says.
    pub(super) base: Vec<String>,
}

/// Ends of names of files that a folder is searched for. Most Python files that name a program are
/// its sources, so they are named one by one, or by a glob.
const KINDS: [&str; 7] = ["yaml", "yml", "json", "toml", "sh", "slurm", "sbatch"];
/// Ends of names of files that are whole, or wrong.
const DATA: [&str; 4] = ["yaml", "yml", "json", "toml"];
/// Largest file that a search reads, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Returns the runs of paths: a folder and a glob are searched, and each file that is a run is one;
/// named files are one run together, unless each is one.
///
/// # Errors
///
/// A sentence if a path does not exist, or nothing was found.
pub(super) fn runs(paths: &[String], each: bool, configuration: &Configuration) -> Result<Found, String> {
    let present = [".".to_owned()];
    let has_files = paths.iter().any(|path| !is_text(path));
    let searched = if has_files { &[][..] } else { &present[..] };
    let (mut named, mut found, mut base) = (Vec::new(), Vec::new(), Vec::new());
    for path in paths.iter().chain(searched) {
        if Path::new(path).is_dir() {
            found.extend(search(Path::new(path), None, configuration)?);
        } else if is_text(path) {
            base.push(path.clone());
        } else if path == STANDARD || exists(path) {
            named.push(path.clone());
        } else if path.contains(['*', '?', '[']) {
            found.extend(search(&fixed_part(path), Some(path), configuration)?);
        } else {
            return Err(format!("{path} is neither a file, a folder, a link nor a scenario in JSON."));
        }
    }
    let searched = paths.iter().filter(|path| !is_text(path) && !named.contains(path));
    let place = searched.cloned().collect::<Vec<_>>().join(" ");
    if named.is_empty() && found.is_empty() {
        let place = if place.is_empty() { "This folder".to_owned() } else { place };
        return Err(format!("{place} has no configuration of a run that is known: name its files."));
    }
    let excluded = configuration.excluded()?;
    let is_left_out = |path: &String| excluded.iter().any(|glob| configuration.matches(glob, Path::new(path)));
    let mut runs: Vec<RunFiles> = if each {
        let named = distinct(named).into_iter().filter(|path| !is_left_out(path) && (is_run(path) || is_broken(path)));
        named.map(|path| RunFiles { is_found: !is_broken(&path), files: vec![path] }).collect()
    } else {
        grouped(distinct(named), &base)
    };
    let known: Vec<String> = runs.iter().flat_map(|run| run.files.iter().cloned()).collect();
    let found = distinct(known.iter().cloned().chain(found).collect()).split_off(known.len());
    runs.extend(found.into_iter().map(|path| RunFiles { files: vec![path], is_found: true }));
    Ok(Found { runs, base })
}

/// Returns paths without those of a file that is named already.
fn distinct(paths: Vec<String>) -> Vec<String> {
    let mut seen: Vec<PathBuf> = Vec::new();
    let is_new = |path: &String| {
        let whole = Path::new(path).canonicalize().unwrap_or_else(|_| PathBuf::from(path));
        let is_new = !seen.contains(&whole) || path == STANDARD;
        seen.push(whole);
        is_new
    };
    let mut is_new = is_new;
    paths.into_iter().filter(|path| is_new(path)).collect()
}

/// Whether an input is the text of a scenario.
fn is_text(input: &str) -> bool {
    let is_link = input.contains(['=', '#']) || input.trim_start().starts_with('{');
    input.is_empty() || (is_link && !exists(input))
}

fn exists(path: &str) -> bool {
    Path::new(path).exists() || Path::new(split_function(path).0).is_file()
}

/// Whether a file cannot be read, or its text is none of its kind: that is said, whatever it holds.
fn is_broken(path: &str) -> bool {
    let is_data = Path::new(path).extension().is_some_and(|kind| DATA.iter().any(|known| kind == *known));
    let Some(item) = item(Path::new(path)) else { return true };
    is_data && values(&File::new(path, String::from_utf8_lossy(&item.bytes))).is_err()
}

/// Whether a file is a run of its own.
fn is_run(path: &str) -> bool {
    path == STANDARD || item(Path::new(path)).is_some_and(|item| is_whole_run(&item))
}

fn item(path: &Path) -> Option<Item> {
    let is_small = std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= MOST_BYTES);
    let bytes = is_small.then(|| std::fs::read(path).ok()).flatten()?;
    Some(Item { name: Some(path.to_string_lossy().into_owned()), bytes })
}

/// Returns the named files as one run, or each as its own where they are several complete runs.
fn grouped(named: Vec<String>, base: &[String]) -> Vec<RunFiles> {
    let reads = |files: &[String]| {
        let inputs = [files, base].concat();
        Input::new(inputs, Options { assume: true, lenient: true, ..Options::default() }).import_files().is_ok()
    };
    let whole: Vec<String> = named.iter().filter(|path| is_run(path)).cloned().collect();
    if whole.len() < 2 || reads(&named) || !whole.iter().all(|path| reads(core::slice::from_ref(path))) {
        return if named.is_empty() { Vec::new() } else { vec![RunFiles { files: named, is_found: false }] };
    }
    // Parts of these runs are read with the file that names them.
    let joined: Vec<PathBuf> = whole.iter().flat_map(|path| names_of(path)).collect();
    let is_joined = |path: &&String| {
        let own = Path::new(path.as_str()).canonicalize().ok();
        own.is_some_and(|own| joined.contains(&own))
    };
    let alone = named.iter().filter(|path| !whole.contains(path) && !is_joined(path));
    whole.iter().chain(alone).map(|path| RunFiles { files: vec![path.clone()], is_found: false }).collect()
}

/// Returns the files that a file names.
fn names_of(path: &str) -> Vec<PathBuf> {
    let own = item(Path::new(path)).into_iter().collect();
    with_named(own).iter().skip(1).filter_map(|item| Path::new(item.name.as_ref()?).canonicalize().ok()).collect()
}

/// Returns the part of a glob before the first folder with a sign.
fn fixed_part(glob: &str) -> PathBuf {
    let fixed =
        Path::new(glob).components().take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '[']));
    let folder: PathBuf = fixed.collect();
    if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder }
}

/// Searches a folder for runs, as git sees it: without hidden and ignored files.
fn search(folder: &Path, glob: Option<&str>, configuration: &Configuration) -> Result<Vec<String>, String> {
    let glob = glob.map(|glob| GlobBuilder::new(glob.trim_start_matches("./")).literal_separator(true).build());
    let glob = glob.transpose().map_err(|cause| format!("{cause}."))?.map(|glob| glob.compile_matcher());
    let excluded = configuration.excluded()?;
    let mut found = Vec::new();
    for entry in WalkBuilder::new(folder).require_git(false).build() {
        let entry = entry.map_err(|cause| format!("{} could not be searched: {cause}.", folder.display()))?;
        let path = entry.path();
        let path = path.strip_prefix("./").unwrap_or(path);
        let is_kind = path.extension().is_some_and(|kind| KINDS.iter().any(|known| kind == *known));
        let is_wanted = glob.as_ref().map_or(is_kind, |glob| glob.is_match(path));
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let is_left_out = || excluded.iter().any(|glob| configuration.matches(glob, path));
        if is_file && is_wanted && !is_left_out() && item(path).is_some_and(|item| is_whole_run(&item)) {
            found.push(path.to_string_lossy().into_owned());
        }
    }
    Ok(found)
}

//! Sources of the tables as links: `owner/name path @ commit`, several of them with `;` between.

use anyhow::{Result, anyhow};

use super::markdown::prose;

/// The links to all files of a source, each at its commit.
///
/// # Errors
/// When a part of the source names no commit, or the first no repository.
pub(super) fn links(source: &str) -> Result<Vec<String>> {
    let mut repository = "";
    let mut places: Vec<String> = Vec::new();
    let mut links = Vec::new();
    for part in source.split(';').map(str::trim) {
        // A commit alone is a second one of the same files.
        let (place, commit) = part.rsplit_once(" @ ").unwrap_or(("", part));
        let is_repository = |word: &str| word.matches('/').count() == 1 && !word.ends_with(',');
        let paths = match place.split_once(' ') {
            Some((first, rest)) if is_repository(first) => {
                repository = first;
                rest
            }
            _ => place,
        };
        if !paths.is_empty() {
            places = paths.split(", ").flat_map(expanded).collect();
        }
        if repository.is_empty() || !is_commit(commit) {
            return Err(anyhow!("“{part}” is not like “owner/name path @ commit”."));
        }
        links.extend(places.iter().map(|place| link(repository, place, commit)));
    }
    Ok(links)
}

/// The link to a file at its commit; what is no path is a name for the commit's tree.
pub(super) fn link(repository: &str, path: &str, commit: &str) -> String {
    let root = format!("https://github.com/{repository}");
    if path.contains(' ') {
        return format!("[{} @ {commit}]({root}/tree/{commit})", prose(path));
    }
    // A pattern stands in a folder.
    let name = path.rsplit('/').next().unwrap_or(path);
    match path.split_once('*') {
        Some((before, _)) => {
            let folder = before.rsplit_once('/').map_or("", |(folder, _)| folder);
            format!("[{} @ {commit}]({root}/tree/{commit}/{folder})", prose(name))
        }
        None => format!("[{} @ {commit}]({root}/blob/{commit}/{path})", prose(name)),
    }
}

/// Whether it is a commit, or the tag of a version.
pub(super) fn is_commit(text: &str) -> bool {
    let is_hash = text.len() >= 7 && text.chars().all(|sign| sign.is_ascii_hexdigit());
    let is_version = |rest: &str| !rest.is_empty() && rest.chars().all(|sign| sign.is_ascii_digit() || sign == '.');
    is_hash || text.strip_prefix('v').is_some_and(is_version)
}

/// The paths of one with braces: `a/{b,c}.py` is `a/b.py` and `a/c.py`.
fn expanded(path: &str) -> Vec<String> {
    let inner = path.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    let Some((before, (words, after))) = inner else { return vec![path.to_owned()] };
    words.split(',').flat_map(|word| expanded(&format!("{before}{word}{after}"))).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_a_link_to_each_file_at_its_commit() {
        let source = "pytorch/torchtitan a/loss.py, b/{c,d}.py @ bbb1b616e; 9aad9203a; e/f.py @ v4.46.0; \
            o/n x/*.py @ 0123456; the older names @ 8722e16a";
        let github = "https://github.com/pytorch/torchtitan/blob";
        assert_eq!(
            links(source).unwrap(),
            [
                format!("[loss.py @ bbb1b616e]({github}/bbb1b616e/a/loss.py)"),
                format!("[c.py @ bbb1b616e]({github}/bbb1b616e/b/c.py)"),
                format!("[d.py @ bbb1b616e]({github}/bbb1b616e/b/d.py)"),
                format!("[loss.py @ 9aad9203a]({github}/9aad9203a/a/loss.py)"),
                format!("[c.py @ 9aad9203a]({github}/9aad9203a/b/c.py)"),
                format!("[d.py @ 9aad9203a]({github}/9aad9203a/b/d.py)"),
                format!("[f.py @ v4.46.0]({github}/v4.46.0/e/f.py)"),
                "[\\*.py @ 0123456](https://github.com/o/n/tree/0123456/x)".to_owned(),
                "[the older names @ 8722e16a](https://github.com/o/n/tree/8722e16a)".to_owned(),
            ]
        );
        assert!(links("pytorch/torchtitan a.py").is_err() && links("a.py @ bbb1b616e").is_err());
    }
}

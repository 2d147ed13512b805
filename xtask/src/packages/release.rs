//! Checks of a release: one version everywhere, and its part of the changelog.

use anyhow::{Result, anyhow, bail};

use crate::install::locked_version;
use crate::shell::{read_text, root};

/// Checks that a tag is that of the version, and prints its part of the changelog.
///
/// # Errors
/// When the tag is another, or the changelog has no dated part for it.
pub fn notes(tag: Option<&str>) -> Result<()> {
    let version = locked_version("shardwise")?;
    if let Some(tag) = tag.filter(|tag| tag.strip_prefix('v') != Some(&version)) {
        bail!("The tag {tag} is not that of the version {version}: name it v{version}, or change the version.");
    }
    let changelog = read_text(&root().join("CHANGELOG.md"))?;
    let (date, notes) =
        part(&changelog, &version).ok_or_else(|| anyhow!("CHANGELOG.md has no part “## {version} (…)”."))?;
    if tag.is_some() && date.contains("unreleased") {
        bail!("CHANGELOG.md says that {version} is unreleased: give it the date.");
    }
    println!("{}", notes.trim());
    Ok(())
}

/// Returns the date and the text of a version's part.
fn part<'a>(changelog: &'a str, version: &str) -> Option<(&'a str, &'a str)> {
    let (_, after) = changelog.split_once(&format!("## {version} ("))?;
    let (date, text) = after.split_once(")\n")?;
    Some((date, text.split("\n## ").next().unwrap_or(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::sources;

    #[test]
    fn the_changelog_has_the_version() {
        let text = "# Changelog\n\n## 0.2.0 (2026-12-01)\n\n- New.\n\n## 0.1.0 (2026-11-01)\n\n- First.\n";
        assert_eq!(part(text, "0.2.0"), Some(("2026-12-01", "\n- New.\n")));
        assert_eq!(part(text, "0.3.0"), None);
        assert!(notes(None).is_ok());
        assert!(notes(Some("v9")).is_err_and(|said| said.to_string().contains("v9")));
    }

    #[test]
    fn every_package_has_one_version() {
        let all = sources("toml").unwrap();
        let manifests: Vec<_> = all.into_iter().filter(|file| file.ends_with("Cargo.toml")).collect();
        assert!(manifests.len() > 15, "{}", manifests.len());
        for file in manifests {
            let text = read_text(&file).unwrap();
            assert!(text.contains("\nversion.workspace = true\n"), "{} has a version of its own", file.display());
        }
    }

    #[test]
    fn the_hook_installs_the_version() {
        let version = locked_version("shardwise").unwrap();
        let hook = read_text(&root().join("pyproject.toml")).unwrap();
        assert!(
            hook.contains(&format!("\nversion = \"{version}\"\n")) && hook.contains(&format!("shardwise=={version}"))
        );
    }
}

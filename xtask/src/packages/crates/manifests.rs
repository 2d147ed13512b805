//! The manifests of the published crates, made from those of the repository.

use anyhow::{Context as _, Result};
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, value};

/// Tables of a manifest that name what is not published.
const LEFT_OUT: [&str; 4] = ["dev-dependencies", "test", "bench", "example"];

/// Returns the name of a crate on the registry: `shardwise-engine` for `engine`.
pub(super) fn published(own: &str) -> String {
    if own.starts_with("shardwise-") { own.to_owned() } else { format!("shardwise-{own}") }
}

/// Returns the manifest of the workspace of the packages: that of the repository with the crates
/// of these folders alone, under their published names.
///
/// # Errors
/// When it is no manifest of a workspace.
pub(super) fn workspace(own: &str, folders: &BTreeMap<String, PathBuf>, version: &str) -> Result<String> {
    let own: DocumentMut = own.parse()?;
    let mut table = own.get("workspace").and_then(Item::as_table).context("Cargo.toml has no workspace.")?.clone();
    table.insert("members", value(folders.keys().collect::<Array>()));
    let dependencies = table.get_mut("dependencies").and_then(Item::as_table_mut);
    let dependencies = dependencies.context("The workspace has no dependencies.")?;
    dependencies.retain(|name, item| item.get("path").is_none() || folders.contains_key(name));
    for name in folders.keys().filter(|name| dependencies.contains_key(name)).collect::<Vec<_>>() {
        let fields = [("package", published(name)), ("version", format!("={version}")), ("path", name.clone())];
        dependencies.insert(name, value(fields.into_iter().collect::<InlineTable>()));
    }
    let mut manifest = DocumentMut::new();
    manifest.insert("workspace", Item::Table(table));
    Ok(manifest.to_string())
}

/// Returns the manifest of a published crate: its package has another name and all fields of
/// `[workspace.package]`, its library keeps its name, and its tests are left out.
///
/// # Errors
/// When one of both is no manifest.
pub(super) fn staged(own: &str, workspace: &str) -> Result<String> {
    let (mut manifest, workspace): (DocumentMut, DocumentMut) = (own.parse()?, workspace.parse()?);
    let targets = manifest.get_mut("target").and_then(Item::as_table_like_mut);
    for (_, target) in targets.into_iter().flat_map(TableLike::iter_mut) {
        let _ = target.as_table_like_mut().and_then(|target| target.remove("dev-dependencies"));
    }
    for part in LEFT_OUT {
        manifest.remove(part);
    }
    let package = manifest.get_mut("package").and_then(Item::as_table_mut).context("It has no package.")?;
    let name = package.get("name").and_then(Item::as_str).context("It has no name.")?.to_owned();
    package.remove("publish");
    package.insert("name", value(published(&name)));
    package.insert("readme", value("README.md"));
    let shared = workspace.get("workspace").and_then(|table| table.get("package")).and_then(Item::as_table);
    for (field, _) in shared.into_iter().flat_map(Table::iter) {
        if !package.contains_key(field) {
            package.insert(field, value([("workspace", true)].into_iter().collect::<InlineTable>()));
        }
    }
    let library = manifest.entry("lib").or_insert_with(toml_edit::table);
    let library = library.as_table_mut().context("Its lib is no table.")?;
    library.insert("name", value(name.replace('-', "_")));
    Ok(manifest.to_string())
}

/// Returns the page of a crate that has none, on the registry.
///
/// # Errors
/// When the manifest lacks name or description.
pub(super) fn readme(own: &str) -> Result<String> {
    let manifest: DocumentMut = own.parse()?;
    let field = |name: &str| manifest.get("package").and_then(|package| package.get(name)).and_then(Item::as_str);
    let name = published(field("name").context("It has no name.")?);
    let description = field("description").with_context(|| format!("{name} has no description."))?;
    Ok(format!(
        "# {name}\n\n{description}\n\nA part of the command `shardwise`, which `cargo install shardwise-cli` installs. \
         Its interface changes with each version.\n"
    ))
}

/// Returns the manifest of a workspace of unpacked packages, which depend on each other.
pub(super) fn unpacked(folders: &[String]) -> String {
    let mut workspace = Table::new();
    workspace.insert("members", value(folders.iter().collect::<Array>()));
    workspace.insert("resolver", value("3"));
    let mut patches = Table::new();
    for folder in folders {
        let name = folder.rsplit_once('-').map_or(folder.as_str(), |(name, _)| name);
        patches.insert(name, value([("path", folder)].into_iter().collect::<InlineTable>()));
    }
    let mut manifest = DocumentMut::new();
    manifest.insert("workspace", Item::Table(workspace));
    manifest.insert("patch", Item::Table([("crates-io", Item::Table(patches))].into_iter().collect()));
    manifest.to_string()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
mod tests {
    use super::*;

    const WORKSPACE: &str = "[workspace]\nmembers = [\"cli\", \"crates/engine\", \"crates/score\"]\nresolver = \"3\"\n\
        [workspace.package]\nversion = \"1.2.3\"\nrepository = \"https://example.org\"\n\
        [workspace.dependencies]\nengine = { path = \"crates/engine\" }\nscore = { path = \"crates/score\" }\n\
        csv = \"1\"\n[package]\nname = \"shardwise\"\n[profile.release]\nlto = true\n";

    #[test]
    fn the_workspace_has_the_published_crates_alone() {
        let folders = ["engine", "shardwise-cli"].map(|name| (name.to_owned(), PathBuf::new()));
        let made: DocumentMut = workspace(WORKSPACE, &folders.into(), "1.2.3").unwrap().parse().unwrap();
        let dependencies = made["workspace"]["dependencies"].to_string();
        let engine = "engine = { package = \"shardwise-engine\", version = \"=1.2.3\", path = \"engine\" }";
        assert!(dependencies.contains(engine) && !dependencies.contains("score"), "{dependencies}");
        assert_eq!(made["workspace"]["members"].to_string().trim(), "[\"engine\", \"shardwise-cli\"]");
        assert!(made.get("package").is_none() && made.get("profile").is_none());
    }

    #[test]
    fn a_published_crate_has_another_name_and_no_tests() {
        let own = "[package]\nname = \"charts-canvas\"\nversion.workspace = true\npublish = false\n\
            [dependencies]\nengine.workspace = true\n[dev-dependencies]\nscore.workspace = true\n\
            [target.'cfg(unix)'.dependencies]\nxattr = \"1\"\n[target.'cfg(unix)'.dev-dependencies]\npng = \"1\"\n\
            [[bench]]\nname = \"speed\"\n";
        let made: DocumentMut = staged(own, WORKSPACE).unwrap().parse().unwrap();
        assert_eq!(made["package"]["name"].as_str(), Some("shardwise-charts-canvas"));
        assert_eq!(made["lib"]["name"].as_str(), Some("charts_canvas"));
        assert_eq!(made["package"]["repository"]["workspace"].as_bool(), Some(true));
        let text = made.to_string();
        for gone in ["publish", "score", "png", "bench"] {
            assert!(!text.contains(gone), "{gone} is left in\n{text}");
        }
        assert!(text.contains("engine.workspace = true") && text.contains("xattr = \"1\""), "{text}");
        assert!(staged("[dependencies]", WORKSPACE).is_err());
    }

    #[test]
    fn unpacked_packages_take_each_other() {
        let made: DocumentMut = unpacked(&["shardwise-engine-1.2.3".to_owned()]).parse().unwrap();
        let patch = &made["patch"]["crates-io"]["shardwise-engine"]["path"];
        assert_eq!(patch.as_str(), Some("shardwise-engine-1.2.3"));
    }

    #[test]
    fn a_crate_without_a_page_gets_one() {
        let page = readme("[package]\nname = \"engine\"\ndescription = \"Physics.\"\n").unwrap();
        assert!(page.starts_with("# shardwise-engine\n\nPhysics.\n"), "{page}");
        assert!(readme("[package]\nname = \"engine\"\n").unwrap_err().to_string().contains("description"));
    }
}

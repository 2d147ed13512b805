//! The manifests of the workspace: its crates, what they use of each other, and their names.

use anyhow::{Context as _, Result, bail};
use std::collections::BTreeMap;
use std::path::Path;
use toml_edit::{DocumentMut, TableLike};

use super::circle::Graph;
use crate::shell::read_text;

/// Folder of the root package, which is the page.
pub(super) const ROOT: &str = ".";
/// Folders whose packages are named for where they are published.
const PUBLISHED: [(&str, &str); 5] = [
    (ROOT, "shardwise"),
    ("cli", "shardwise-cli"),
    ("npm", "shardwise-js"),
    ("python", "shardwise-python"),
    ("fuzz", "shardwise-fuzz"),
];

/// The manifests by folder, with that of the root package.
pub(super) type Manifests = BTreeMap<String, DocumentMut>;

/// Reads the manifests of the workspace below a folder.
///
/// # Errors
/// When one cannot be read.
pub(super) fn workspace(root: &Path) -> Result<Manifests> {
    let manifest = |folder: &str| -> Result<DocumentMut> {
        let file = root.join(folder).join("Cargo.toml");
        read_text(&file)?.parse().with_context(|| format!("{} is not a manifest", file.display()))
    };
    let own = manifest(ROOT)?;
    let members = own.get("workspace").and_then(|table| table.get("members")?.as_array());
    let members = members.context("Cargo.toml has no members")?.iter().filter_map(|member| member.as_str());
    let folders = members.chain([ROOT]);
    folders.map(|folder| Ok((folder.to_owned(), manifest(folder)?))).collect()
}

/// Returns the crates by folder, with those that they use outside of tests and builds.
pub(super) fn crates(manifests: &Manifests) -> Graph {
    let folders: BTreeMap<&str, &String> =
        manifests.iter().filter_map(|(folder, manifest)| Some((package(manifest)?, folder))).collect();
    let of = |(folder, manifest): (&String, &DocumentMut)| {
        let table = manifest.get("dependencies").and_then(|table| table.as_table_like());
        let names = table.into_iter().flat_map(TableLike::iter).filter_map(|(name, _)| folders.get(name));
        (folder.clone(), names.map(|used| ((*used).clone(), String::new())).collect())
    };
    manifests.iter().map(of).collect()
}

/// Checks that folder, package, library and dependency have one name.
///
/// # Errors
/// When a crate has two.
pub(super) fn check_names(manifests: &Manifests) -> Result<()> {
    for (folder, manifest) in manifests {
        let last = folder.rsplit('/').next().unwrap_or(folder);
        let expected = PUBLISHED.iter().find(|(own, _)| own == folder).map_or(last, |(_, name)| name);
        let package = package(manifest).unwrap_or_default();
        if package != expected {
            bail!("{folder}/Cargo.toml calls the package “{package}”. A crate has one name: call it “{expected}”.");
        }
        let library = manifest.get("lib").and_then(|lib| lib.get("name")?.as_str());
        if let Some(library) = library.filter(|library| *library != expected.replace('-', "_")) {
            bail!(
                "{folder}/Cargo.toml calls the library of “{expected}” “{library}”. A crate has one name: remove the \
                 library's."
            );
        }
        for (name, renamed) in dependencies(manifest.as_table()) {
            if let Some(package) = renamed {
                bail!(
                    "{folder}/Cargo.toml calls the dependency “{package}” “{name}”. A crate has one name: remove \
                     `package`."
                );
            }
        }
    }
    Ok(())
}

fn package(manifest: &DocumentMut) -> Option<&str> {
    manifest.get("package")?.get("name")?.as_str()
}

/// Returns the dependencies of a manifest in all its tables, each with the name of its package if
/// the manifest renames it.
fn dependencies(table: &dyn TableLike) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    for (key, item) in table.iter() {
        let Some(below) = item.as_table_like() else { continue };
        if key.ends_with("dependencies") {
            let renamed = |item: &toml_edit::Item| item.get("package")?.as_str().map(str::to_owned);
            found.extend(below.iter().map(|(name, item)| (name.to_owned(), renamed(item))));
        } else {
            found.extend(dependencies(below));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifests(all: &[(&str, &str)]) -> Manifests {
        all.iter().map(|(folder, text)| ((*folder).to_owned(), text.parse().unwrap())).collect()
    }

    fn refused(folder: &str, text: &str) -> String {
        check_names(&manifests(&[(folder, text)])).unwrap_err().to_string()
    }

    #[test]
    fn a_crate_with_two_names_is_refused() {
        let good = "[package]\nname = \"x-y\"\n[lib]\nname = \"x_y\"\n[dependencies]\nz = { path = \"../z\" }";
        check_names(&manifests(&[("crates/x-y", good), ("cli", "package.name = \"shardwise-cli\"")])).unwrap();
        assert_eq!(
            refused("crates/x-y", "package.name = \"shardwise-x-y\""),
            "crates/x-y/Cargo.toml calls the package “shardwise-x-y”. A crate has one name: call it “x-y”."
        );
        assert!(refused("crates/x", "package.name = \"x\"\nlib.name = \"y\"").contains("the library of “x” “y”"));
        for table in ["dependencies", "dev-dependencies", "workspace.dependencies", "target.'cfg(unix)'.dependencies"] {
            let text = format!("package.name = \"x\"\n[{table}]\nz = {{ package = \"other-z\", path = \"../z\" }}");
            assert!(refused("crates/x", &text).contains("calls the dependency “other-z” “z”"), "{table}");
        }
    }

    #[test]
    fn crates_use_those_of_the_workspace() {
        let a = "package.name = \"a\"\n[dependencies]\nb-c.workspace = true\nanyhow = \"1\"";
        let graph = crates(&manifests(&[("crates/a", a), ("crates/b-c", "package.name = \"b-c\"")]));
        let used: Vec<&str> = graph["crates/a"].keys().map(String::as_str).collect();
        assert_eq!((used, graph["crates/b-c"].len()), (vec!["crates/b-c"], 0));
    }
}

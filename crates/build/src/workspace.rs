//! Files of the repository that the build script of a package reads.
//!
//! The package lists them in its `Cargo.toml`, and `cargo xtask crates` copies them into the
//! package that it publishes:
//!
//! ```toml
//! [package.metadata.build]
//! reads = ["data/models.csv", "crates/programs/tables/*/program.toml"]
//! ```

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::rows::File;

/// Folder of a published package with the files of the repository that its build reads.
pub const FOLDER: &str = "workspace";

/// The files that a package's build may read.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
    reads: Vec<String>,
}

impl Workspace {
    /// Returns the files for the package in a folder: those in its own folder `workspace`, or in
    /// a checkout those below the root of the repository.
    ///
    /// # Errors
    /// When its manifest cannot be read.
    pub fn of(package: &Path) -> Result<Self, String> {
        let manifest = package.join("Cargo.toml");
        let wrong = |error: &dyn std::fmt::Display| format!("{} cannot be read: {error}", manifest.display());
        let text = std::fs::read_to_string(&manifest).map_err(|error| wrong(&error))?;
        let own = Some(package.join(FOLDER)).filter(|folder| folder.is_dir());
        let root = own.unwrap_or_else(|| package.join("../.."));
        Ok(Self { root, reads: listed(&text).map_err(|error| wrong(&error))? })
    }

    /// Reads a file, named by its path in the repository, and reruns the build script when the
    /// file changes.
    ///
    /// # Errors
    /// When the manifest does not list the file, or it cannot be read.
    pub fn read(&self, name: &str) -> Result<File, String> {
        if !self.reads.iter().any(|listed| listed == name) {
            return Err(unlisted(name));
        }
        let path = self.root.join(name);
        println!("cargo:rerun-if-changed={}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| format!("{name} cannot be read: {error}"))?;
        Ok(File { name: name.to_owned(), text })
    }

    /// Returns the path of a folder of the repository.
    ///
    /// # Errors
    /// When the manifest lists no files of the folder.
    pub fn folder(&self, name: &str) -> Result<PathBuf, String> {
        let is_listed = self.reads.iter().any(|listed| Path::new(listed).starts_with(name));
        if is_listed { Ok(self.root.join(name)) } else { Err(unlisted(name)) }
    }

    /// Returns the paths in the repository of all listed files. A `*` of the list is every folder
    /// in its place that has the file.
    ///
    /// # Errors
    /// When a row of the list names no file.
    pub fn files(&self) -> Result<Vec<PathBuf>, String> {
        let mut files = Vec::new();
        for name in &self.reads {
            let mut found = vec![PathBuf::new()];
            for part in name.split('/') {
                found = found.into_iter().flat_map(|path| self.below(&path, part)).collect();
            }
            found.retain(|path| self.root.join(path).is_file());
            if found.is_empty() {
                return Err(format!("{name} is not a file of the repository: correct package.metadata.build.reads"));
            }
            found.sort();
            files.extend(found);
        }
        Ok(files)
    }

    /// Returns the paths below a folder that a part of a listed path names.
    fn below(&self, folder: &Path, part: &str) -> Vec<PathBuf> {
        if part != "*" {
            return vec![folder.join(part)];
        }
        let entries = std::fs::read_dir(self.root.join(folder)).into_iter().flatten().flatten();
        entries.map(|entry| folder.join(entry.file_name())).collect()
    }
}

/// Returns the list of a manifest; empty if there is none.
fn listed(manifest: &str) -> Result<Vec<String>, toml_edit::de::Error> {
    let manifest: Value = toml_edit::de::from_str(manifest)?;
    let reads = manifest.pointer("/package/metadata/build/reads").and_then(Value::as_array);
    Ok(reads.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect())
}

fn unlisted(name: &str) -> String {
    format!(
        "{name} is read, but Cargo.toml does not list it: add it to reads below [package.metadata.build], or the \
         published package lacks it"
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
mod tests {
    use super::*;

    /// Writes a package into a new folder; returns the folder of the repository.
    fn planted(name: &str, reads: &str) -> PathBuf {
        let root = std::env::temp_dir().join(format!("shardwise-{name}-{}", std::process::id()));
        for folder in ["data", "crates/own", "crates/tables/one", "crates/tables/two", "crates/tables/none"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        let files = ["data/rows.csv", "data/other.csv", "crates/tables/one/row.toml", "crates/tables/two/row.toml"];
        for file in files {
            std::fs::write(root.join(file), file).unwrap();
        }
        let manifest = format!("[package]\nname = \"own\"\n[package.metadata.build]\nreads = [{reads}]\n");
        std::fs::write(root.join("crates/own/Cargo.toml"), manifest).unwrap();
        root
    }

    #[test]
    fn a_listed_file_is_read_from_the_package_or_else_from_the_repository() {
        let root = planted("listed", "\"data/rows.csv\", \"crates/tables/*/row.toml\"");
        let package = root.join("crates/own");
        let text = |name: &str| Workspace::of(&package).unwrap().read(name).map(|file| file.text);
        assert_eq!(text("data/rows.csv").unwrap(), "data/rows.csv");
        let files = Workspace::of(&package).unwrap().files().unwrap();
        let expected = ["data/rows.csv", "crates/tables/one/row.toml", "crates/tables/two/row.toml"];
        assert_eq!(files, expected.map(PathBuf::from));
        std::fs::create_dir_all(package.join("workspace/data")).unwrap();
        std::fs::write(package.join("workspace/data/rows.csv"), "published").unwrap();
        assert_eq!(text("data/rows.csv").unwrap(), "published");
        let folder = Workspace::of(&package).unwrap().folder("crates/tables").unwrap();
        assert_eq!(folder, package.join("workspace/crates/tables"));
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_file_that_the_manifest_does_not_list_is_refused() {
        let root = planted("unlisted", "\"data/rows.csv\", \"data/gone.csv\"");
        let workspace = Workspace::of(&root.join("crates/own")).unwrap();
        for error in [workspace.read("data/other.csv").err().unwrap(), workspace.folder("crates/tables").unwrap_err()] {
            assert!(error.contains("add it to reads"), "{error}");
        }
        let gone = workspace.files().unwrap_err();
        assert!(gone.starts_with("data/gone.csv is not a file"), "{gone}");
        std::fs::remove_dir_all(root).unwrap();
    }
}

//! The platforms that a release has packages for.

use anyhow::{Result, anyhow};

/// A platform.
pub(super) struct Platform {
    /// Name as Node says it: system and processor.
    pub(super) name: &'static str,
    /// Target of the compiler for the command alone. On Linux it needs no C library of the system.
    pub(super) command: &'static str,
}

const PLATFORMS: [Platform; 5] = [
    Platform { name: "darwin-arm64", command: "aarch64-apple-darwin" },
    Platform { name: "darwin-x64", command: "x86_64-apple-darwin" },
    Platform { name: "linux-arm64", command: "aarch64-unknown-linux-musl" },
    Platform { name: "linux-x64", command: "x86_64-unknown-linux-musl" },
    Platform { name: "win32-x64", command: "x86_64-pc-windows-msvc" },
];

/// Returns the platform of a name.
///
/// # Errors
/// When there is none.
pub(super) fn platform(name: &str) -> Result<&'static Platform> {
    let known = || PLATFORMS.map(|platform| platform.name).join(", ");
    let found = PLATFORMS.iter().find(|platform| platform.name == name);
    found.ok_or_else(|| anyhow!("No release has packages for {name}: they are for {}.", known()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{read_text, root};

    #[test]
    fn every_platform_is_built_and_named() {
        let workflow = read_text(&root().join(".github/workflows/release.yml")).unwrap();
        let package = read_text(&root().join("npm/js/package.json")).unwrap();
        for Platform { name, .. } in &PLATFORMS {
            assert!(package.contains(&format!("@shardwise/cli-{name}\"")), "npm/js/package.json lacks {name}");
            assert!(workflow.contains(&format!("name: {name},")), "release.yml lacks {name}");
        }
        assert!(platform("plan9-x64").is_err_and(|said| said.to_string().contains("linux-x64")));
    }
}

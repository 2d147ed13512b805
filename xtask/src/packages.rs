//! Installs browsers and web servers with the system's package manager, as they are too large to
//! compile.

use crate::shell::{find, output, program, run, step};
use anyhow::{Result, anyhow, bail};

/// The installation of a program with one package manager.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// The package manager.
    pub manager: &'static str,
    /// The commands, in this order.
    pub commands: &'static [&'static [&'static str]],
    /// Whether the commands need root.
    pub as_root: bool,
}

/// Installs `what` with the first recipe whose package manager exists; `missing` is the sentence
/// that explains why it is needed.
///
/// # Errors
/// When nothing can install it without a person; the sentence has the command.
pub fn install(what: &str, missing: &anyhow::Error, recipes: &[Recipe]) -> Result<()> {
    let Some(recipe) = recipes.iter().find(|recipe| find(&[recipe.manager]).is_some()) else {
        bail!("{missing} Install {what}.");
    };
    let by_hand = format!("{missing} Install {what}: {}", recipe.spelled("sudo "));
    let Some(prefix) = recipe.privilege() else { return Err(anyhow!(by_hand)) };
    step(&format!("Installing {what}: {}", recipe.spelled("")));
    for command in recipe.commands {
        let all: Vec<&str> = prefix.iter().chain(command.iter()).copied().collect();
        let Some((first, rest)) = all.split_first() else { continue };
        let mut command = program(first);
        run(command.args(rest).env("DEBIAN_FRONTEND", "noninteractive"))
            .map_err(|failure| anyhow!("{failure:#} {by_hand}"))?;
    }
    Ok(())
}

/// Whether this is Ubuntu, which names some of Debian's packages differently.
pub fn is_ubuntu() -> bool {
    let system = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    system.lines().any(|line| line == "ID=ubuntu")
}

impl Recipe {
    /// Writes the commands on one line; `sudo` precedes each that needs root.
    fn spelled(&self, sudo: &str) -> String {
        let sudo = if self.as_root { sudo } else { "" };
        self.commands.iter().map(|command| format!("{sudo}{}", command.join(" "))).collect::<Vec<_>>().join(" && ")
    }

    /// Returns the prefix that gives a command root: none for root itself, `sudo -n` if sudo asks
    /// for no password.
    fn privilege(&self) -> Option<&'static [&'static str]> {
        let root = output(program("id").arg("-u")).is_some_and(|id| id.trim() == "0");
        if !self.as_root || root {
            return Some(&[]);
        }
        output(program("sudo").args(["-n", "true"])).map(|_| ["sudo", "-n"].as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: Recipe = Recipe {
        manager: "apt-get",
        commands: &[&["apt-get", "update", "-qq"], &["apt-get", "install", "-y", "-qq", "caddy"]],
        as_root: true,
    };

    #[test]
    fn a_recipe_is_spelled_as_one_would_type_it() {
        assert_eq!(BOTH.spelled("sudo "), "sudo apt-get update -qq && sudo apt-get install -y -qq caddy");
        assert_eq!(
            Recipe { as_root: false, ..BOTH }.spelled("sudo "),
            "apt-get update -qq && apt-get install -y -qq caddy"
        );
    }

    #[test]
    fn without_a_package_manager_the_sentence_says_what_to_install() {
        let recipes = [Recipe { manager: "no-such-manager", ..BOTH }];
        let failure = install("Caddy", &anyhow!("Caddy is missing."), &recipes).err();
        assert_eq!(failure.unwrap().to_string(), "Caddy is missing. Install Caddy.");
    }
}

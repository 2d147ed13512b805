//! What the system's package manager installs for us: browsers and web servers, which nobody should have to compile.

use crate::shell::{find, output, program, run, step};
use anyhow::{Result, anyhow, bail};

/// How one package manager installs something.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// The program that has to be there.
    pub manager: &'static str,
    /// What is run, in this order.
    pub commands: &'static [&'static [&'static str]],
    /// Whether only root may run it.
    pub as_root: bool,
}

/// Installs `what` by the first recipe whose package manager is here; `missing` is the sentence that says why.
///
/// # Errors
/// When nothing here can install it without a person: the sentence has the command.
pub fn install(what: &str, missing: &anyhow::Error, recipes: &[Recipe]) -> Result<()> {
    let Some(recipe) = recipes.iter().find(|recipe| find(&[recipe.manager]).is_some()) else {
        bail!("{missing} Install {what}.");
    };
    let by_hand = format!("{missing} Install {what}: {}", recipe.spelled("sudo "));
    let Some(prefix) = recipe.privilege() else { return Err(anyhow!(by_hand)) };
    step(&format!("Installing {what}: {}", recipe.spelled("")));
    for words in recipe.commands {
        let all: Vec<&str> = prefix.iter().chain(words.iter()).copied().collect();
        let Some((first, rest)) = all.split_first() else { continue };
        let mut command = program(first);
        run(command.args(rest).env("DEBIAN_FRONTEND", "noninteractive"))
            .map_err(|failure| anyhow!("{failure:#} {by_hand}"))?;
    }
    Ok(())
}

/// Whether this is Ubuntu, which calls some of Debian's packages by other names.
pub fn is_ubuntu() -> bool {
    let system = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    system.lines().any(|line| line == "ID=ubuntu")
}

impl Recipe {
    /// The commands on one line; `sudo` goes before each that only root may run.
    fn spelled(&self, sudo: &str) -> String {
        let sudo = if self.as_root { sudo } else { "" };
        self.commands.iter().map(|words| format!("{sudo}{}", words.join(" "))).collect::<Vec<_>>().join(" && ")
    }

    /// The words that go before a command so that it may install: none for root, `sudo -n` where it asks no password.
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

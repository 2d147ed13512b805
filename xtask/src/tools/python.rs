//! Virtual environments of Python, with pinned packages.

use anyhow::{Context as _, Result, anyhow};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{find, output, program, root, run, step};

/// Names of Python interpreters, in order of preference.
const INTERPRETERS: [&str; 5] = ["python3", "python3.12", "python3.13", "python3.14", "python"];

/// A virtual environment.
#[derive(Clone, Copy, Debug)]
pub struct Environment<'a> {
    /// What is installed, as the message says it.
    pub what: &'a str,
    /// The oldest minor version of Python 3 that does.
    pub oldest: u32,
    /// Lists of pinned packages, from the root.
    pub lists: &'a [&'a str],
    /// Lists of packages that are installed without what they depend on.
    pub alone: &'a [&'a str],
}

impl Environment<'_> {
    /// Returns the interpreter of this environment in `place`, which is made anew where it is missing or has other packages.
    ///
    /// # Errors
    /// When Python is missing or too old, or a package cannot be installed.
    pub fn ensure(self, place: &Path) -> Result<PathBuf> {
        let python = interpreter_in(place);
        let stamp = place.join("requirements.txt");
        let read = |list: &&str| {
            std::fs::read_to_string(root().join(list)).with_context(|| format!("`{list}` could not be read"))
        };
        let wanted = self.lists.iter().chain(self.alone).map(read).collect::<Result<String>>()?;
        if python.exists() && std::fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
            return Ok(python);
        }
        step(&format!("Installing {} (once)", self.what));
        let system = interpreter(self.oldest)?;
        run(program(system).args(["-m", "venv", "--clear"]).arg(place)).map_err(|failure| {
            anyhow!("{failure:#} Python's venv may be a package of its own: apt-get install python3-venv")
        })?;
        for list in self.lists {
            run(pip(&python).arg("--requirement").arg(root().join(list)))?;
        }
        for list in self.alone {
            run(pip(&python).arg("--no-deps").arg("--requirement").arg(root().join(list)))?;
        }
        std::fs::write(&stamp, wanted).with_context(|| format!("{} could not be written", stamp.display()))?;
        Ok(python)
    }
}

/// Returns `pip install` of an environment's interpreter.
#[must_use]
pub fn pip(python: &Path) -> Command {
    let mut pip = program(python);
    pip.args(["-m", "pip", "install", "--quiet", "--no-cache-dir", "--disable-pip-version-check"]);
    pip
}

fn interpreter_in(place: &Path) -> PathBuf {
    if cfg!(windows) { place.join("Scripts").join("python.exe") } else { place.join("bin").join("python") }
}

/// Finds a Python interpreter of at least this minor version of 3.
fn interpreter(oldest: u32) -> Result<PathBuf> {
    let version = format!("import sys; sys.exit(sys.version_info < (3, {oldest}))");
    let new = |path: &PathBuf| output(program(path).args(["-c", &version])).is_some();
    let found = INTERPRETERS.iter().filter_map(|name| find(&[name])).find(new);
    found.ok_or_else(|| anyhow!("Python 3.{oldest} or later is missing: install it from python.org."))
}

//! The wheel for Python, which is the library and the command.

use anyhow::{Result, anyhow};
use std::path::PathBuf;

use crate::install::{compiler_target, pip};
use crate::programs::{MATURIN, NODE, PYRIGHT, RELEASE, WHEEL_TESTS};
use crate::shell::{entries, fresh, name, program, root, run, step, target};
use crate::site::Profile;

use super::{LICENCES, command_line, include};

/// The oldest system on which a shipped wheel runs: that of RHEL 8 and Ubuntu 20.04.
const OLDEST_GLIBC: &str = "manylinux_2_28";

/// The oldest musl, that of Alpine 3.12 and later.
const OLDEST_MUSL: &str = "musllinux_1_2";

/// Builds the wheel, for this machine or another target of the compiler; returns it.
///
/// # Errors
/// When Python or maturin is missing, or a tool fails.
pub fn wheel(profile: Profile, triple: Option<&str>) -> Result<PathBuf> {
    // A shipped wheel is linked with the libraries of an old system, and runs on newer ones.
    let is_portable = profile == Profile::Shipped && cfg!(target_os = "linux");
    let mut maturin = program(if is_portable { RELEASE.ensure()? } else { MATURIN.ensure()? });
    step("Building the wheel");
    let wheels = target().join("python").join("wheels");
    fresh(&wheels)?;
    let profile = if profile == Profile::Shipped { "wheel" } else { "dev" };
    let sources = root().join("python");
    // Metadata names the licences that lie beside it.
    include(&LICENCES, &sources)?;
    maturin.args(["-m", "maturin", "build", "--quiet", "--profile", profile, "--out"]).arg(&wheels);
    if let Some(triple) = triple {
        compiler_target(triple)?;
        maturin.args(["--target", triple]);
    }
    if is_portable {
        let is_musl = triple.is_some_and(|triple| triple.ends_with("musl"));
        maturin.args(["--zig", "--compatibility", if is_musl { OLDEST_MUSL } else { OLDEST_GLIBC }]);
    }
    run(maturin.arg("--manifest-path").arg(sources.join("Cargo.toml")))?;
    let wheel = entries(&wheels)?.into_iter().next().ok_or_else(|| anyhow!("maturin has made no wheel."))?;
    println!("{} is ready. pip install {}", name(&wheel), wheel.display());
    Ok(wheel)
}

/// Builds the wheel, installs it into a fresh environment and runs its tests there.
///
/// # Errors
/// When the wheel cannot be built or installed, or a test fails.
pub fn wheel_check(profile: Profile) -> Result<()> {
    let wheel = wheel(profile, None)?;
    let command_line = command_line()?;
    let (node, pyright) = (NODE.find()?, PYRIGHT.ensure()?);
    let folder = WHEEL_TESTS.folder();
    // Only the shipped wheel is worth the time of another environment.
    if profile == Profile::Shipped {
        fresh(&folder)?;
    }
    let python = WHEEL_TESTS.ensure()?;
    step("Installing the wheel");
    run(pip(&python).args(["--force-reinstall", "--no-deps"]).arg(wheel))?;
    step("Testing the installed package");
    let mut tests = program(python);
    // Run in a folder without the sources, which would be imported in place of the package.
    tests.current_dir(&folder).args(["-m", "unittest", "discover", "--start-directory"]);
    tests.arg(root().join("python").join("tests")).env("SHARDWISE_CLI", command_line);
    tests.env("SHARDWISE_NODE", node).env("SHARDWISE_PYRIGHT", pyright);
    run(tests.env("SHARDWISE_TESTS", root().join("tests")))
}

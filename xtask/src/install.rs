//! Finds and installs the external programs of the table (`programs.rs`).
//!
//! A program is found through its environment variable, or else on `PATH` at the right version, or
//! else in `target/tools`, where programs without a system package are installed once.

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::programs::{
    CADDY, CHROMEDRIVER, CHROMIUM, Environment, FIREFOX, GECKODRIVER, MINIBROWSER, NODE, NPM, Program, Source, Version,
    WASM_BINDGEN, WASM_OPT, WEBKITDRIVER, XVFB,
};
use crate::shell::{cargo, find, make, output, program, read_text, root, run, step, target, write};

/// Compilation target of the page.
pub const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// List of npm packages, and lock file with all transitive packages and their hashes.
const NPM_FILES: [(&str, &str); 2] =
    [("package.json", include_str!("../package.json")), ("package-lock.json", include_str!("../package-lock.json"))];

/// Package managers of [`Source::System`]: name, whether root is required, the command before an
/// installation, and the installation command.
const MANAGERS: [(&str, bool, &str, &str); 4] = [
    ("apt-get", true, "apt-get update -qq", "apt-get install -y -qq"),
    ("dnf", true, "", "dnf install -y -q"),
    ("pacman", true, "", "pacman -Sy --noconfirm --needed"),
    ("brew", false, "", "brew install --quiet"),
];

/// Returns the folder of tools that are installed without the system's package manager.
pub fn folder() -> PathBuf {
    target().join("tools")
}

impl Program {
    /// Finds the program.
    ///
    /// # Errors
    /// When it is missing.
    pub fn find(&self) -> Result<PathBuf> {
        let version = self.version()?;
        let is_right =
            |file: &PathBuf| file.is_file() && version.as_ref().is_none_or(|version| at_version(file, version));
        let named = std::env::var_os(self.variable).map(PathBuf::from).filter(|file| file.is_file());
        let on_path = || self.commands.iter().filter_map(|name| find(&[name])).find(is_right);
        let installed = || match self.source {
            Source::Cargo(..) => self.commands.first().map(|name| installed_by_cargo(name)).filter(is_right),
            Source::Npm(package, file) if npm_is_current() => Some(modules().join(package).join(file)),
            _ => None,
        };
        let places = || self.places.iter().map(PathBuf::from).find(|file| file.is_file());
        named.or_else(on_path).or_else(installed).or_else(places).ok_or_else(|| {
            let (name, purpose) = self.name;
            match (self.variable, &self.source) {
                (_, Source::Person(how)) => anyhow!("{name}, {purpose}, is missing. {how}"),
                ("", _) => anyhow!("{name}, {purpose}, is missing."),
                (variable, _) => anyhow!("{name}, {purpose}, is missing; {variable} can name it."),
            }
        })
    }

    /// Returns the program, and installs it first if it is missing.
    ///
    /// # Errors
    /// When it is missing and its installation fails or needs a person.
    pub fn ensure(&self) -> Result<PathBuf> {
        ensure(&[self])?;
        self.find()
    }

    /// Returns the required version, if there is one.
    fn version(&self) -> Result<Option<String>> {
        Ok(match self.version {
            Version::Any => None,
            Version::Exact(version) => Some(version.to_owned()),
            Version::Locked(package) => Some(locked_version(package)?),
            // Binaryen's releases are numbered "132", its npm package "132.0.0".
            Version::Listed(package) => listed_version(package).split('.').next().map(str::to_owned),
        })
    }

    fn install(&self, missing: &anyhow::Error) -> Result<()> {
        match self.source {
            Source::System(packages) => system(self.name.0, missing, &packages),
            Source::Cargo(package, options) => self.compile(package, options),
            Source::Npm(..) => npm(),
            Source::Person(_) => bail!("{missing}"),
        }
    }

    /// Compiles a package with little optimization, as the program runs only for a second.
    fn compile(&self, package: &str, options: &[&str]) -> Result<()> {
        let version = self.version()?.unwrap_or_default();
        step(&format!("Installing {package} {version} into target/tools (once, about a minute)"));
        let mut install = cargo(&["install", package, "--version", &version, "--quiet", "--force"]);
        install.args(options).arg("--root").arg(folder()).arg("--target-dir").arg(build_folder());
        for (name, value) in [("OPT_LEVEL", "0"), ("DEBUG", "false"), ("LTO", "off"), ("CODEGEN_UNITS", "16")] {
            install.env(format!("CARGO_PROFILE_RELEASE_{name}"), value);
        }
        install.env_remove("RUSTFLAGS").env_remove("CARGO_BUILD_TARGET");
        run(&mut install).map_err(|failure| {
            let flags = options.join(" ");
            anyhow!("{failure:#} Install it yourself: cargo install {package} --version {version} {flags}")
        })
    }
}

/// Installs the missing ones of these programs.
///
/// # Errors
/// When one cannot be installed.
pub fn ensure(programs: &[&Program]) -> Result<()> {
    for program in programs {
        if let Err(missing) = program.find() {
            program.install(&missing)?;
        }
    }
    // The build folder is shared by installations, takes gigabytes, and is no longer needed.
    let _ = std::fs::remove_dir_all(build_folder());
    Ok(())
}

fn build_folder() -> PathBuf {
    folder().join("build")
}

fn installed_by_cargo(name: &str) -> PathBuf {
    folder().join("bin").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Returns the command of wasm-opt: the program and its leading arguments.
///
/// # Errors
/// When Node is missing, or npm cannot install binaryen. The site can be built without it.
pub fn wasm_opt() -> Result<Vec<PathBuf>> {
    let found = WASM_OPT.ensure()?;
    let is_script = found.starts_with(modules());
    Ok(if is_script { vec![NODE.find()?, found] } else { vec![found] })
}

/// Returns the version of a package in `Cargo.lock`.
///
/// # Errors
/// When `Cargo.lock` cannot be read or lacks the package.
pub fn locked_version(package: &str) -> Result<String> {
    let lock = read_text(&root().join("Cargo.lock"))?;
    let version = version_in(&lock, package).map(str::to_owned);
    version.ok_or_else(|| anyhow!("Cargo.lock has no {package}: write it with `cargo generate-lockfile`."))
}

fn version_in<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let line = lock.lines().skip_while(|line| *line != name).nth(1)?;
    line.strip_prefix("version = \"")?.strip_suffix('"')
}

/// Returns whether `--version` prints this version: "mdbook v0.5.4", "wasm-opt
/// version 132 (version_132)".
fn at_version(tool: &Path, version: &str) -> bool {
    let is_it = |word: &str| word.strip_prefix('v').unwrap_or(word) == version;
    output(program(tool).arg("--version")).is_some_and(|text| text.split_whitespace().any(is_it))
}

/// Installs packages with the first available package manager of this system that has them, as
/// browsers and servers are too large to compile.
fn system(name: &str, missing: &anyhow::Error, packages: &[&str; 5]) -> Result<()> {
    let [debian, ubuntu, fedora, arch, brew] = packages;
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let debian = if release.lines().any(|line| line == "ID=ubuntu") { ubuntu } else { debian };
    let known = MANAGERS.into_iter().zip([debian, fedora, arch, brew]);
    let Some(((_, as_root, before, install), packages)) =
        known.into_iter().find(|((manager, ..), packages)| !packages.is_empty() && find(&[manager]).is_some())
    else {
        bail!("{missing} Install {name}.");
    };
    let commands = [before.to_owned(), format!("{install} {packages}")];
    let commands: Vec<&String> = commands.iter().filter(|command| !command.is_empty()).collect();
    let spelled = |sudo: &str| commands.iter().map(|command| format!("{sudo}{command}")).collect::<Vec<_>>();
    let by_hand = format!("{missing} Install {name}: {}", spelled(if as_root { "sudo " } else { "" }).join(" && "));
    let is_root = output(program("id").arg("-u")).is_some_and(|id| id.trim() == "0");
    let sudo = if is_root || !as_root { "" } else { "sudo -n " };
    if !sudo.is_empty() && output(program("sudo").args(["-n", "true"])).is_none() {
        bail!(by_hand);
    }
    step(&format!("Installing {name}: {}", spelled("").join(" && ")));
    for command in spelled(sudo) {
        let mut words = command.split(' ');
        let mut command = program(words.next().unwrap_or_default());
        run(command.args(words).env("DEBIAN_FRONTEND", "noninteractive"))
            .map_err(|failure| anyhow!("{failure:#} {by_hand}"))?;
    }
    Ok(())
}

/// Returns the folder of the npm packages.
fn modules() -> PathBuf {
    folder().join("npm").join("node_modules")
}

/// Returns whether all npm packages of the lock file are installed.
fn npm_is_current() -> bool {
    let [_, (name, lock)] = NPM_FILES;
    // npm writes this file last, so it marks a complete installation.
    modules().join(".package-lock.json").is_file()
        && std::fs::read_to_string(folder().join("npm").join(name)).is_ok_and(|text| text == lock)
}

/// Installs all packages of `xtask/package.json`, without running install scripts.
fn npm() -> Result<()> {
    let (npm, place) = (NPM.find()?, folder().join("npm"));
    step("Installing binaryen, axe-core and TypeScript into target/tools");
    make(&place)?;
    let _ = std::fs::remove_dir_all(modules());
    for (name, text) in NPM_FILES {
        write(&place.join(name), text)?;
    }
    run(npm_ci(&npm).current_dir(&place))
}

/// Returns `npm ci` without install scripts.
pub fn npm_ci(npm: &Path) -> Command {
    let mut command = program(npm);
    command.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]);
    command
}

/// Returns the version of a package in the list of npm packages.
fn listed_version(package: &str) -> String {
    let [(_, list), _] = NPM_FILES;
    let list: Value = serde_json::from_str(list).unwrap_or_default();
    list.pointer(&format!("/dependencies/{package}")).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Adds the Wasm target to the Rust installation if it is missing.
///
/// # Errors
/// When it is missing and rustup cannot add it.
pub fn wasm_target() -> Result<()> {
    compiler_target(WASM_TARGET)
}

/// Adds a target to the compiler if it is missing.
///
/// # Errors
/// When rustup cannot add it.
pub fn compiler_target(triple: &str) -> Result<()> {
    let library = output(program("rustc").args(["--print", "target-libdir", "--target", triple]));
    if library.is_some_and(|folder| Path::new(folder.trim()).is_dir()) {
        return Ok(());
    }
    rustup(&["target", "add", triple])
}

/// Adds rustfmt and clippy if they are missing.
///
/// # Errors
/// When one is missing and rustup cannot add it.
pub fn linters() -> Result<()> {
    if ["fmt", "clippy"].iter().all(|tool| output(&mut cargo(&[tool, "--version"])).is_some()) {
        return Ok(());
    }
    rustup(&["component", "add", "rustfmt", "clippy"])
}

fn rustup(arguments: &[&str]) -> Result<()> {
    let spelled = format!("rustup {}", arguments.join(" "));
    step(&format!("Adding to the Rust installation: {spelled}"));
    run(program("rustup").args(arguments)).map_err(|failure| anyhow!("{failure:#} Add it yourself: {spelled}"))
}

/// Browsers that the tests can drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BrowserKind {
    /// Chromium or Chrome, by ChromeDriver.
    Chromium,
    /// Firefox, by geckodriver.
    Firefox,
    /// WebKitGTK's MiniBrowser, by WebKitWebDriver: Safari's engine on Linux.
    Webkit,
}

impl BrowserKind {
    /// Returns the browser and its driver.
    const fn programs(self) -> [&'static Program; 2] {
        match self {
            Self::Chromium => [&CHROMIUM, &CHROMEDRIVER],
            Self::Firefox => [&FIREFOX, &GECKODRIVER],
            Self::Webkit => [&MINIBROWSER, &WEBKITDRIVER],
        }
    }

    /// Returns the name of the driver, for messages.
    pub fn driver(self) -> &'static str {
        let [_, driver] = self.programs();
        driver.name.0
    }
}

/// A browser on this machine.
#[derive(Clone, Debug)]
pub struct Browser {
    /// Kind of the browser.
    pub kind: BrowserKind,
    /// Path of the browser.
    pub browser: PathBuf,
    /// Path of the driver.
    pub driver: PathBuf,
}

impl Browser {
    /// Finds the browser of a kind and its driver.
    ///
    /// # Errors
    /// When one is missing.
    pub fn find(kind: BrowserKind) -> Result<Self> {
        let [browser, driver] = kind.programs();
        Ok(Self { kind, browser: browser.find()?, driver: driver.find()? })
    }

    /// Returns the browser of a kind and its driver, and installs them first if one is missing.
    ///
    /// # Errors
    /// When one is missing and its installation fails or needs a person.
    pub fn ensure(kind: BrowserKind) -> Result<Self> {
        ensure(&kind.programs())?;
        if kind == BrowserKind::Webkit {
            XVFB.ensure()?;
        }
        Self::find(kind)
    }
}

/// Installs every browser that this system supports, and Caddy, for the package `e2e`.
///
/// # Errors
/// When one is missing and its installation fails or needs a person.
pub fn ensure_browsers() -> Result<()> {
    for kind in [BrowserKind::Chromium, BrowserKind::Firefox] {
        Browser::ensure(kind)?;
    }
    if cfg!(target_os = "linux") {
        Browser::ensure(BrowserKind::Webkit)?;
    }
    CADDY.ensure().map(drop)
}

/// Settings for headless Chromium.
pub const SETTINGS: &str = include_str!("../../webdriver.json");

/// Returns a `cargo test` command with these arguments for Wasm in Chromium, using wasm-bindgen's
/// test runner.
///
/// # Errors
/// When the browser or the runner cannot be installed.
pub fn wasm_tests(arguments: &[&str]) -> Result<Command> {
    wasm_target()?;
    let chromium = Browser::ensure(BrowserKind::Chromium)?;
    let name = format!("wasm-bindgen-test-runner{}", std::env::consts::EXE_SUFFIX);
    let runner = WASM_BINDGEN.ensure()?.with_file_name(name);
    if !runner.is_file() {
        bail!("{} is missing: install wasm-bindgen-cli again.", runner.display());
    }
    // The only way to pass the path of the browser to the runner.
    let mut settings: Value = serde_json::from_str(SETTINGS).context("webdriver.json is not JSON")?;
    if let Some(options) = settings.get_mut("goog:chromeOptions").and_then(Value::as_object_mut) {
        options.insert("binary".into(), json!(chromium.browser));
    }
    let file = target().join("webdriver.json");
    write(&file, settings.to_string())?;
    // No `--quiet`: cargo would pass it to the runner, which rejects it.
    let mut tests = cargo(&["test", "--target", WASM_TARGET]);
    tests.args(arguments).env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner);
    tests.env("CHROMEDRIVER", &chromium.driver).env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", file);
    // A slow machine must not fail the tests.
    tests.env("WASM_BINDGEN_TEST_TIMEOUT", "300").env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "30");
    Ok(tests)
}

/// Names of Python interpreters, in order of preference.
const INTERPRETERS: [&str; 5] = ["python3", "python3.12", "python3.13", "python3.14", "python"];

impl Environment {
    /// Returns the folder of the environment.
    pub fn folder(&self) -> PathBuf {
        target().join(self.place)
    }

    /// Returns the interpreter of the environment. The environment is created again if it is
    /// missing or has other packages.
    ///
    /// # Errors
    /// When Python is missing or too old, or a package cannot be installed.
    pub fn ensure(&self) -> Result<PathBuf> {
        let place = self.folder();
        let python = place.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        let stamp = place.join("requirements.txt");
        let alone: Vec<&str> = Some(self.alone).filter(|list| !list.is_empty()).into_iter().collect();
        let all = self.lists.iter().chain(&alone);
        let wanted = all.map(|list| read_text(&root().join(list))).collect::<Result<String>>()?;
        if python.exists() && std::fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
            return Ok(python);
        }
        step(&format!("Installing {} (once)", self.what));
        run(program(interpreter(self.oldest)?).args(["-m", "venv", "--clear"]).arg(&place)).map_err(|failure| {
            anyhow!("{failure:#} Python's venv may be a package of its own: apt-get install python3-venv")
        })?;
        for list in self.lists {
            run(pip(&python).arg("--requirement").arg(root().join(list)))?;
        }
        for list in alone {
            run(pip(&python).arg("--no-deps").arg("--requirement").arg(root().join(list)))?;
        }
        write(&stamp, &wanted)?;
        Ok(python)
    }
}

/// Returns a `pip install` command for an environment's interpreter.
pub fn pip(python: &Path) -> Command {
    let mut pip = program(python);
    pip.args(["-m", "pip", "install", "--quiet", "--no-cache-dir", "--disable-pip-version-check"]);
    pip
}

/// Finds a Python interpreter with at least this minor version of 3.
pub(crate) fn interpreter(oldest: u32) -> Result<PathBuf> {
    let version = format!("import sys; sys.exit(sys.version_info < (3, {oldest}))");
    let new = |path: &PathBuf| output(program(path).args(["-c", &version])).is_some();
    let found = INTERPRETERS.iter().filter_map(|name| find(&[name])).find(new);
    found.ok_or_else(|| anyhow!("Python 3.{oldest} or later is missing: install it from python.org."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::{AXE, PYRIGHT, ROW, TYPESCRIPT};

    #[test]
    fn the_version_is_read_from_the_lock_file() {
        let lock = "[[package]]\nname = \"wasm-bindgen-shared\"\nversion = \"0.1.0\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(version_in(lock, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(version_in(lock, "yew"), None);
        assert!(!at_version(Path::new("no-such-tool"), "1"));
    }

    #[test]
    fn every_npm_package_has_an_exact_version_and_a_hash() {
        let [_, (_, lock)] = NPM_FILES;
        let parsed: Value = serde_json::from_str(lock).unwrap();
        for row in [WASM_OPT, AXE, TYPESCRIPT, PYRIGHT] {
            let Source::Npm(name, _) = row.source else { panic!("{} is of npm", row.name.0) };
            let locked = &parsed["packages"][format!("node_modules/{name}")];
            assert_eq!(locked["version"], listed_version(name), "{name}");
            assert!(locked["integrity"].as_str().unwrap().starts_with("sha512-"), "{name}");
        }
        // The registry is npm's setting, not the lock file's.
        assert!(!lock.contains("\"resolved\""));
    }

    #[test]
    fn what_nothing_can_install_is_said() {
        let failure = system("Caddy", &anyhow!("Caddy is missing."), &[""; 5]).unwrap_err();
        assert_eq!(failure.to_string(), "Caddy is missing. Install Caddy.");
        let none = Program { name: ("Blender", "which draws"), source: Source::Person("Install it."), ..ROW };
        assert_eq!(none.ensure().unwrap_err().to_string(), "Blender, which draws, is missing. Install it.");
    }
}

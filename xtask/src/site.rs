//! From sources to `dist/`: Trunk compiles and assembles, wasm-opt shrinks, and that is all.

mod names;
mod profile;
mod split;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Explain as _, Failure, Result};
use crate::shell::{program, root, run, step};
use crate::tools;

/// The port of `cargo xtask serve`.
pub const PORT: u16 = 8080;

/// The features that current browsers have and rustc uses; `--all-features` makes modules that Chrome refuses.
const WASM_FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// What wasm-opt does, weighed after brotli. Functions that are alike have names that are alike, and compress best side by
/// side; hints of alignment, which no processor of today needs, are in the way of that. Nothing lies in the first kilobyte,
/// which is the far end of the stack.
const OPTIMISATIONS: [&str; 8] = [
    "-O2",
    "--converge",
    "--low-memory-unused",
    "--one-caller-inline-max-function-size=30",
    "--dealign",
    "--reorder-functions-by-name",
    "--strip-producers",
    "--strip-target-features",
];

/// In the messages of the standard library's writers of numbers, which the page does without: `format!` of an `f64`, or
/// `f64::clamp` between bounds that are no constants, would bring them back.
const WRITERS: &[u8] = b"num/flt2dec/";

/// How much the compiler optimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// As shipped.
    Release,
    /// Quick to build, slow to run.
    Dev,
}

/// The folder with the built site.
pub fn folder() -> PathBuf {
    root().join("dist")
}

/// Builds the site into `dist/`.
///
/// # Errors
/// When a tool is missing or fails.
pub fn build() -> Result<()> {
    let mut trunk = trunk("build", Profile::Release)?;
    step("Building the site into dist/ (Trunk, release)");
    run(&mut trunk)?;
    shrink()?;
    println!("dist/ is ready: put it on any static file server, under any path.");
    Ok(())
}

/// Builds the site, serves it, and builds it again on every change, until interrupted.
///
/// # Errors
/// When a tool is missing, the first build fails, or the port is taken.
pub fn serve(profile: Profile, port: u16) -> Result<()> {
    if std::net::TcpListener::bind(("127.0.0.1", port)).is_err() {
        let next = port.wrapping_add(1);
        return Err(Failure::new(format!("Port {port} is taken: cargo xtask serve --port {next}")));
    }
    let mut trunk = trunk("serve", profile)?;
    step(&format!("Building the site and serving it on http://127.0.0.1:{port} (Ctrl-C stops; reload after a change)"));
    if has_display() {
        trunk.arg("--open");
    }
    // Its own folder: a build or a test at the same time must not pull the files from under the browser.
    trunk.args(["--port", &port.to_string(), "--dist"]).arg(root().join("target").join("serve"));
    run(&mut trunk)
}

/// Whether a browser could open here.
fn has_display() -> bool {
    cfg!(any(target_os = "macos", target_os = "windows"))
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some())
}

fn trunk(command: &str, profile: Profile) -> Result<Command> {
    tools::wasm_target()?;
    let mut trunk = program(tools::trunk()?);
    // Offline: it has to take the tools we give it, and none of its own choice.
    trunk.args([command, "--offline", "--config", "Trunk.toml"]).env("PATH", tools::path()?);
    // Its errors are sentences enough.
    trunk.env("RUST_BACKTRACE", "0");
    // Trunk reads NO_COLOR as a boolean and dies of the usual `NO_COLOR=1`.
    trunk.env_remove("NO_COLOR");
    if profile == Profile::Release {
        trunk.args(["--release", "--cargo-profile", "site"]);
    }
    Ok(trunk)
}

/// Runs wasm-opt over every module of `dist/`, or says why not.
fn shrink() -> Result<()> {
    let words = match tools::wasm_opt() {
        Ok(words) => words,
        Err(failure) => {
            step(&format!("Leaving the module as the compiler made it, about a tenth larger. {failure}"));
            return Ok(());
        }
    };
    let Some((first, rest)) = words.split_first() else { return Ok(()) };
    for module in modules(&folder())? {
        let before = size(&module)?;
        let mut optimise = program(first);
        optimise.args(rest).args(WASM_FEATURES).args(OPTIMISATIONS).arg("--output").arg(&module).arg(&module);
        step(&format!("Optimising {} (wasm-opt {})", name(&module), tools::BINARYEN));
        run(&mut optimise)?;
        names::shorten(&words, &WASM_FEATURES, &module)?;
        println!("    {before} -> {} bytes", size(&module)?);
        let bytes = std::fs::read(&module).explain(|| format!("{} could not be read", name(&module)))?;
        if bytes.windows(WRITERS.len()).any(|window| window == WRITERS) {
            step(
                "The standard library's writers of f64 are in the module, a thirtieth of it: see src/decimal/write.rs",
            );
        }
    }
    Ok(())
}

/// The Wasm modules in a folder.
///
/// # Errors
/// When it cannot be read: there is no site yet.
pub fn modules(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)
        .explain(|| format!("{} could not be read; make it with `cargo xtask build`", name(folder)))?;
    let files = entries.flatten().map(|entry| entry.path());
    Ok(files.filter(|file| file.extension().is_some_and(|extension| extension == "wasm")).collect())
}

fn size(file: &Path) -> Result<u64> {
    Ok(std::fs::metadata(file).explain(|| format!("{} could not be read", name(file)))?.len())
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// LAB
#[allow(missing_docs, clippy::pedantic, clippy::unwrap_used)]
pub fn lab(words: &[&str]) -> Result<()> {
    match words {
        ["profile", folder, module, list] => {
            let cold = profile::cold(Path::new(folder), Path::new(module))?;
            std::fs::write(list, split::cold::written(&cold)).unwrap();
        }
        ["split", module, list, hot, rest] => {
            let bytes = std::fs::read(module).unwrap();
            let text = std::fs::read_to_string(list).unwrap();
            let cold = text.lines().map(|line| u32::from_str_radix(line, 16).unwrap()).collect();
            let halves = split::halves(&bytes, &cold)?.unwrap();
            println!("{} moved, {} + {} of {}", halves.moved, halves.hot.len(), halves.rest.len(), bytes.len());
            split::parse(&halves.hot)?;
            split::parse(&halves.rest)?;
            std::fs::write(hot, halves.hot).unwrap();
            std::fs::write(rest, halves.rest).unwrap();
        }
        _ => {}
    }
    Ok(())
}

/// LAB
#[allow(missing_docs, clippy::pedantic, clippy::unwrap_used, clippy::indexing_slicing)]
pub fn blocks(words: &[&str]) -> Result<()> {
    use walrus::ir::*;
    struct Seqs(Vec<InstrSeqId>);
    impl<'i> Visitor<'i> for Seqs {
        fn start_instr_seq(&mut self, seq: &'i InstrSeq) {
            self.0.push(seq.id());
        }
    }
    let [input, output, map] = words else { return Ok(()) };
    let mut module = split::parse(&std::fs::read(input).unwrap())?;
    let functions: Vec<_> = module.funcs.iter().map(|f| (f.id(), f.name.clone())).collect();
    let ty = module.types.add(&[walrus::ValType::I32], &[]);
    let (hit, _) = module.add_import_func("profile", "hit", ty);
    let mut rows = String::new();
    let mut next = 0;
    for (id, name) in functions {
        let walrus::FunctionKind::Local(function) = &mut module.funcs.get_mut(id).kind else { continue };
        let mut seqs = Seqs(vec![]);
        dfs_in_order(&mut seqs, function, function.entry_block());
        for seq in seqs.0 {
            let old = std::mem::take(&mut function.block_mut(seq).instrs);
            let mut new = vec![];
            let mut count = 0;
            let loc = InstrLocId::default();
            new.push((Const { value: Value::I32(next) }.into(), loc));
            new.push((Call { func: hit }.into(), loc));
            for (instr, l) in old {
                let cut = matches!(instr, Instr::Block(_) | Instr::IfElse(_) | Instr::BrIf(_) | Instr::Loop(_));
                new.push((instr, l));
                count += 1;
                if cut {
                    rows += &format!("{next} {count} {}\n", name.as_deref().unwrap_or("?").replace(' ', "_"));
                    count = 0;
                    next += 1;
                    new.push((Const { value: Value::I32(next) }.into(), loc));
                    new.push((Call { func: hit }.into(), loc));
                }
            }
            rows += &format!("{next} {count} {}\n", name.as_deref().unwrap_or("?").replace(' ', "_"));
            next += 1;
            function.block_mut(seq).instrs = new;
        }
    }
    println!("{next} points");
    std::fs::write(output, module.emit_wasm()).unwrap();
    std::fs::write(map, rows).unwrap();
    Ok(())
}

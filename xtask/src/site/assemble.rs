//! Puts the files of the site together as `Trunk.toml` and the `data-trunk` links of `index.html`
//! say, and runs the hooks of `Trunk.toml` by themselves.

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use std::path::Path;
use toml_edit::DocumentMut;

use super::modules::{bind, bind_files, compile, compiled, hash, hash_with};
use super::{Profile, modules, rows_into, split};
use crate::book;
use crate::shell::{cargo, copy, exe, fresh, program, read_text, root, run, target, write};

/// The settings of `Trunk.toml` that assembling needs.
#[derive(Debug)]
pub(super) struct Settings {
    /// Start of every address in the page.
    base: String,
    /// Script element that starts the module, and links that load it early.
    script: String,
    preload: String,
    /// Commands of `cargo xtask` that add files.
    hooks: Vec<String>,
    /// Sources of the site.
    pub(super) watched: Vec<String>,
}

/// Reads the settings.
///
/// # Errors
/// When `Trunk.toml` lacks one, or a hook is no command of `cargo xtask`.
pub(super) fn settings() -> Result<Settings> {
    parsed(&read_text(&root().join("Trunk.toml"))?)
}

fn parsed(text: &str) -> Result<Settings> {
    let trunk: DocumentMut = text.parse().context("Trunk.toml is not TOML")?;
    let build = |key: &str| -> Result<String> {
        let value = trunk.get("build").and_then(|build| build.get(key)?.as_str());
        value.map(str::to_owned).ok_or_else(|| anyhow!("Trunk.toml has no `{key}` of `[build]`."))
    };
    let words = |item: Option<&toml_edit::Item>| -> Vec<String> {
        let list = item.and_then(toml_edit::Item::as_array);
        list.into_iter().flatten().filter_map(|word| word.as_str()).map(str::to_owned).collect()
    };
    let hooks = trunk.get("hooks").and_then(toml_edit::Item::as_array_of_tables);
    let mut commands = Vec::new();
    for hook in hooks.into_iter().flatten() {
        match words(hook.get("command_arguments")).as_slice() {
            [first, command] if first == "xtask" => commands.push(command.clone()),
            other => bail!("A hook of Trunk.toml is `{}`, which is not a command of cargo xtask.", other.join(" ")),
        }
    }
    Ok(Settings {
        base: build("public_url")?,
        script: build("pattern_script")?,
        preload: build("pattern_preload")?,
        hooks: commands,
        watched: words(trunk.get("watch").and_then(|watch| watch.get("watch"))),
    })
}

/// Compiles the modules and writes every file of the site into an empty folder.
///
/// # Errors
/// When something does not compile, a tool is missing, or `index.html` has a link that is not
/// understood.
pub(super) fn assemble(profile: Profile, site: &Path) -> Result<()> {
    let settings = settings()?;
    compile(profile)?;
    fresh(site)?;
    let page = page(&read_text(&root().join("index.html"))?, &settings, profile, site)?;
    write(&site.join("index.html"), with_first_screen(&page, &first_screen()?)?)?;
    for hook in &settings.hooks {
        match hook.as_str() {
            "files" => bind_files(profile, site)?,
            "rows" => rows_into(site)?,
            "book" => book::into(site)?,
            other => bail!("The hook `cargo xtask {other}` of Trunk.toml is unknown: {}", file!()),
        }
    }
    Ok(())
}

/// Copies what the page links to, and returns the page with the final links.
fn page(html: &str, settings: &Settings, profile: Profile, site: &Path) -> Result<String> {
    let (mut lines, mut preload) = (Vec::new(), String::new());
    for line in html.lines() {
        let Some(link) = line.trim().strip_prefix("<link data-trunk ") else {
            lines.push(line.to_owned());
            continue;
        };
        let path = attribute(link, "href").map(|name| root().join(name));
        match (attribute(link, "rel"), path) {
            (Some("css"), Some(path)) => {
                let name = format!("{}-{}.css", stem(&path), hash(&path)?);
                std::fs::copy(&path, site.join(&name)).with_context(|| format!("{} is gone", path.display()))?;
                lines.push(format!("<link rel=\"stylesheet\" href=\"{}{name}\">", settings.base));
            }
            (Some("copy-dir"), Some(path)) => copy(&path, &site.join(stem(&path)), &[])?,
            (Some("rust"), None) => {
                let module = compiled(profile, modules::PAGE);
                let recipe = if profile == Profile::Shipped { split::recipe() } else { String::new() };
                let name = format!("{}-{}", modules::PAGE, hash_with(&module, &recipe)?);
                bind(&module, &name, site)?;
                if profile == Profile::Shipped {
                    split::split_module(&module, site, &name)?;
                }
                let filled = |pattern: &str| {
                    let names = pattern.replace("{js}", &format!("{name}.js"));
                    names.replace("{wasm}", &format!("{name}_bg.wasm")).replace("{base}", &settings.base)
                };
                preload = filled(&settings.preload);
                lines.push(filled(&settings.script));
            }
            _ => bail!("index.html has `{}`, which is not understood: {}", line.trim(), file!()),
        }
    }
    if preload.is_empty() {
        bail!("index.html has no link with data-trunk rel=\"rust\", which names the module.");
    }
    Ok((lines.join("\n") + "\n").replacen("</head>", &format!("{preload}\n</head>"), 1))
}

/// Renders the first screen of a first visit.
fn first_screen() -> Result<String> {
    // Selected among all packages, as the tests are, so that it shares their objects.
    run(&mut cargo(&["build", "--quiet", "--workspace", "--example", FIRST_SCREEN]))?;
    let made = program(target().join("debug").join("examples").join(exe(FIRST_SCREEN))).output();
    let made = made.context("The first screen could not be rendered")?;
    ensure!(made.status.success(), "The first screen is not rendered: {}", String::from_utf8_lossy(&made.stderr));
    String::from_utf8(made.stdout).context("The first screen is not text")
}

/// Name of the program that renders the first screen.
const FIRST_SCREEN: &str = "first_screen";
/// Starts of the lines of `index.html` around the place of the first screen.
const PLACE: [&str; 2] = ["<!-- The build writes the first screen", "<!-- The first screen ends."];

/// Puts the first screen into its place.
fn with_first_screen(page: &str, screen: &str) -> Result<String> {
    let [start, end] = PLACE;
    let parts = page.split_once(start).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
    let Some((before, after)) = parts.and_then(|(before, rest)| Some((before, rest.split_once("-->")?.1))) else {
        bail!("index.html has no place for the first screen, between `{start}` and `{end}`.");
    };
    Ok([before, screen.trim_end(), after].concat())
}

/// Returns the value of an attribute of an element on one line.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    element.split_once(&format!("{name}=\""))?.1.split('"').next()
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hooks_of_trunk_are_known_and_its_patterns_name_the_module() -> Result<()> {
        let settings = settings()?;
        assert_eq!(settings.hooks, ["files", "rows", "book"]);
        assert!(settings.script.contains("{wasm}") && settings.preload.contains("{js}"));
        assert!(settings.watched.iter().all(|path| root().join(path).exists()) && settings.watched.len() > 3);
        Ok(())
    }

    #[test]
    fn the_first_screen_takes_the_place_of_what_stands_between_its_comments() -> Result<()> {
        let page = read_text(&root().join("index.html"))?;
        let whole = with_first_screen(&page, "<div class=\"first\"></div>\n")?;
        assert!(whole.contains("<div class=\"first\"></div>") && !whole.contains("Reading the scenario"), "{whole}");
        assert!(whole.contains("<noscript>") && whole.contains("</body>"));
        assert!(with_first_screen("<body></body>", "").is_err());
        Ok(())
    }

    #[test]
    fn a_hook_that_is_no_command_of_xtask_is_refused() {
        let text = "[build]\n[[hooks]]\ncommand_arguments = [\"run\", \"x\"]\n";
        assert!(parsed(text).unwrap_err().to_string().contains("`run x`"));
    }

    #[test]
    fn attributes_are_read() {
        let link = "rel=\"css\" href=\"static/page.css\">";
        assert_eq!((attribute(link, "rel"), attribute(link, "href")), (Some("css"), Some("static/page.css")));
        assert_eq!(attribute(link, "data-bin"), None);
    }
}

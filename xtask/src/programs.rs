//! The table of external programs: purpose, search, version, and method of installation.
//! [`crate::install`] installs them.
#![allow(missing_docs, reason = "each row names itself")]

/// An external program: a row of the table below.
#[derive(Debug)]
pub struct Program {
    /// Name of the program, and its purpose as a relative clause.
    pub(crate) name: (&'static str, &'static str),
    /// Environment variable with the path; may be empty.
    pub(crate) variable: &'static str,
    /// Command names on `PATH`, in order of preference.
    pub(crate) commands: &'static [&'static str],
    /// Possible paths outside of `PATH`.
    pub(crate) places: &'static [&'static str],
    pub(crate) version: Version,
    pub(crate) source: Source,
}

#[derive(Debug)]
pub(crate) enum Version {
    Any,
    Exact(&'static str),
    /// Version of the package of this name in `Cargo.lock`.
    Locked(&'static str),
    /// Major version of the package of this name in `xtask/package.json`.
    Listed(&'static str),
}

/// Method of installation.
#[derive(Debug)]
pub(crate) enum Source {
    /// The system's package manager, with these arguments after `install` for Debian, Ubuntu,
    /// Fedora, Arch and Homebrew; an empty text means no package.
    System([&'static str; 5]),
    /// `cargo install` of this package, with these options.
    Cargo(&'static str, &'static [&'static str]),
    /// npm: a file of a package of `xtask/package.json`.
    Npm(&'static str, &'static str),
    /// Installed by the user, according to this sentence.
    Person(&'static str),
}

pub(crate) const ROW: Program = Program {
    name: ("", ""),
    variable: "",
    commands: &[],
    places: &[],
    version: Version::Any,
    source: Source::Person(""),
};

/// Both come from one package manager, which keeps their versions equal.
const CHROMIUM_PACKAGES: Source = Source::System([
    "chromium chromium-driver",
    "chromium-browser chromium-chromedriver",
    "chromium chromedriver",
    "chromium",
    "--cask google-chrome chromedriver",
]);
pub const CHROMIUM: Program = Program {
    name: ("Chromium", "which opens the page"),
    variable: "CHROME",
    commands: &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"],
    places: &["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"],
    source: CHROMIUM_PACKAGES,
    ..ROW
};
pub const CHROMEDRIVER: Program = Program {
    name: ("ChromeDriver", "which drives Chromium"),
    variable: "CHROMEDRIVER",
    commands: &["chromedriver"],
    source: CHROMIUM_PACKAGES,
    ..ROW
};
/// Ubuntu's package is a stub for a snap, which geckodriver cannot start with a separate profile.
pub const FIREFOX: Program = Program {
    name: ("Firefox", "which opens the page (on Ubuntu that of packages.mozilla.org, not the snap)"),
    variable: "FIREFOX",
    commands: &["firefox-esr", "firefox"],
    places: &["/Applications/Firefox.app/Contents/MacOS/firefox"],
    source: Source::System(["--no-install-recommends firefox-esr", "", "firefox", "firefox", "--cask firefox"]),
    ..ROW
};
pub const GECKODRIVER: Program = Program {
    name: ("geckodriver", "which drives Firefox"),
    variable: "GECKODRIVER",
    commands: &["geckodriver"],
    version: Version::Exact("0.37.1"),
    source: Source::Cargo("geckodriver", &["--locked"]),
    ..ROW
};
/// On Fedora, the library's package includes browser and driver.
const WEBKIT_PACKAGES: Source = Source::System([
    "--no-install-recommends webkit2gtk-driver xvfb",
    "--no-install-recommends webkit2gtk-driver xvfb",
    "webkitgtk6.0 xorg-x11-server-Xvfb",
    "webkitgtk-6.0 xorg-server-xvfb",
    "",
]);
pub const MINIBROWSER: Program = Program {
    name: ("WebKitGTK's MiniBrowser", "which opens the page as Safari does"),
    variable: "MINIBROWSER",
    places: &[
        "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
        "/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
        "/usr/lib/x86_64-linux-gnu/webkitgtk-6.0/MiniBrowser",
        "/usr/lib/aarch64-linux-gnu/webkitgtk-6.0/MiniBrowser",
        "/usr/libexec/webkitgtk-6.0/MiniBrowser",
        "/usr/lib/webkitgtk-6.0/MiniBrowser",
    ],
    source: WEBKIT_PACKAGES,
    ..ROW
};
pub const WEBKITDRIVER: Program = Program {
    name: ("WebKitWebDriver", "which drives WebKitGTK's MiniBrowser"),
    variable: "WEBKITWEBDRIVER",
    commands: &["WebKitWebDriver"],
    source: WEBKIT_PACKAGES,
    ..ROW
};
pub const XVFB: Program = Program {
    name: ("Xvfb", "the screen of WebKitGTK, which has no headless mode"),
    variable: "XVFB",
    commands: &["Xvfb"],
    source: WEBKIT_PACKAGES,
    ..ROW
};
pub const CADDY: Program = Program {
    name: ("Caddy", "which serves the site to the tests"),
    variable: "CADDY",
    commands: &["caddy"],
    source: Source::System([
        "--no-install-recommends caddy",
        "--no-install-recommends caddy",
        "caddy",
        "caddy",
        "caddy",
    ]),
    ..ROW
};
pub const NGINX: Program = Program {
    name: ("nginx", "whose shipped configuration is compared with Caddy's"),
    variable: "NGINX",
    commands: &["nginx"],
    places: &["/usr/sbin/nginx"],
    source: Source::System([
        "nginx-light libnginx-mod-http-brotli-static",
        "nginx-light libnginx-mod-http-brotli-static",
        "nginx",
        "nginx",
        "nginx",
    ]),
    ..ROW
};
/// Debian installs this with nginx; other systems may not have it.
pub const NGINX_BROTLI: Program = Program {
    name: ("nginx's brotli module", "which serves compressed copies"),
    places: &[
        "/usr/lib/nginx/modules/ngx_http_brotli_static_module.so",
        "/usr/lib64/nginx/modules/ngx_http_brotli_static_module.so",
    ],
    ..ROW
};
/// Without `--locked`, as the package's lock file is outdated.
pub const WASM_BINDGEN: Program = Program {
    name: ("wasm-bindgen", "which writes the JavaScript of a Wasm module"),
    commands: &["wasm-bindgen"],
    version: Version::Locked("wasm-bindgen"),
    source: Source::Cargo(
        "wasm-bindgen-cli",
        &["--no-default-features", "--bin", "wasm-bindgen", "--bin", "wasm-bindgen-test-runner"],
    ),
    ..ROW
};
pub const MDBOOK: Program = Program {
    name: ("mdBook", "which builds the documentation"),
    commands: &["mdbook"],
    version: Version::Exact("0.5.4"),
    source: Source::Cargo("mdbook", &["--locked", "--no-default-features"]),
    ..ROW
};
pub const NODE: Program = Program {
    name: ("Node", "which runs the npm package and tools of JavaScript"),
    commands: &["node"],
    source: Source::Person("Install Node 20 or later with npm from nodejs.org."),
    ..ROW
};
pub const NPM: Program = Program {
    name: ("npm", "which installs tools of JavaScript"),
    commands: &["npm", "npm.cmd"],
    source: Source::Person("Install Node 20 or later with npm from nodejs.org."),
    ..ROW
};
/// The system's program, or else npm's script for Node.
pub const WASM_OPT: Program = Program {
    name: ("wasm-opt", "which makes Wasm modules smaller and faster"),
    commands: &["wasm-opt"],
    version: Version::Listed("binaryen"),
    source: Source::Npm("binaryen", "bin/wasm-opt"),
    ..ROW
};
/// A script that runs in a page.
pub const AXE: Program = Program {
    name: ("axe-core", "which checks the accessibility of a page"),
    source: Source::Npm("axe-core", "axe.min.js"),
    ..ROW
};
/// A script that runs in Node.
pub const TYPESCRIPT: Program = Program {
    name: ("TypeScript", "which checks the types of the npm package"),
    source: Source::Npm("typescript", "bin/tsc"),
    ..ROW
};
/// A script that runs in Node.
pub const PYRIGHT: Program = Program {
    name: ("pyright", "which checks the types of the Python package"),
    source: Source::Npm("pyright", "index.js"),
    ..ROW
};

/// A virtual environment of Python with pinned packages: a row of the table below.
#[derive(Debug)]
pub struct Environment {
    /// Description of the packages, for a message.
    pub(crate) what: &'static str,
    /// Folder below `target`.
    pub(crate) place: &'static str,
    /// Minimum minor version of Python 3.
    pub(crate) oldest: u32,
    /// Lists of pinned packages, relative to the root.
    pub(crate) lists: &'static [&'static str],
    /// List of packages installed without dependencies, as versions of their dependencies conflict;
    /// may be empty.
    pub(crate) alone: &'static str,
}

pub const MATURIN: Environment = Environment {
    what: "maturin",
    place: "tools/maturin",
    oldest: 9,
    lists: &["python/build-requirements.txt"],
    alone: "",
};
/// Zig links with the C library of an old system.
pub const RELEASE: Environment = Environment {
    what: "maturin and Zig",
    place: "tools/release",
    oldest: 9,
    lists: &["python/build-requirements.txt", "python/release-requirements.txt"],
    alone: "",
};
pub const WHEEL_TESTS: Environment = Environment {
    what: "the packages of the tests",
    place: "python/installed",
    oldest: 9,
    lists: &["python/tests/requirements.txt"],
    alone: "",
};
pub const RECIPES: Environment = Environment {
    what: "Sphinx and MkDocs",
    place: "tools/recipes/python",
    oldest: 10,
    lists: &["docs/recipes/sphinx/requirements.txt", "docs/recipes/mkdocs/requirements.txt"],
    alone: "",
};
/// Megatron-Core requires Python 3.12.
pub const FRAMEWORKS: Environment = Environment {
    what: "the frameworks (up to 3 GB)",
    place: "tools/exports",
    oldest: 12,
    lists: &["tests/exports/requirements.txt"],
    alone: "tests/exports/requirements-alone.txt",
};
pub const TRANSFORMERS: Environment = Environment {
    what: "transformers (up to 1 GB)",
    place: "tools/families",
    oldest: 12,
    lists: &["tests/families/requirements.txt"],
    alone: "",
};

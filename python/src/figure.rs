//! Figures of a scenario as SVG: the feasible region over two parameters, or a curve over one; and
//! pictures of them as PNG.

use std::sync::{Arc, LazyLock};

use api::given::Code;
use api::{Given, Open, Refusal};
use charts::paint::{Style, chart_svg};
use charts::palette::Theme;
use charts::spec::AxisKey;
use charts::views::{Metric, Scratch, feasible_region, mfu_curve};
use engine::format::listed;
use engine::params::find;
use engine::scenario::Scenario;
use engine::scenario::issue::Cause;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Source};
use resvg::usvg::{Options, Tree};

/// Draws a figure over one parameter (a curve of `metric`) or two (the feasible region), by any of
/// their names, with the legend, and the scenario's link in its metadata.
///
/// # Errors
///
/// Returns a refusal for scenarios that cannot be read, and for axes and metrics that no figure
/// has.
pub fn draw(given: &Given, axes: &[String], metric: &str, style: &Style) -> Result<String, Refusal> {
    let keys = axes.iter().map(|name| api::axis::key(name)).collect::<Result<Vec<_>, _>>()?;
    // Values without effect are refused here, but those that have one somewhere on the axes.
    api::issues(given, &keys)?;
    let scenario = answerable(given, &keys)?;
    let ids: Vec<_> = keys.iter().filter_map(|key| find(key).filter(|param| param.number().is_some())).collect();
    let (scratch, metric) = (&mut Scratch::default(), metric_named(metric)?);
    let (figure, drawn) = match ids.as_slice() {
        [x] if keys.len() == 1 => {
            let figure = mfu_curve(&scenario, x.id, metric, false, scratch);
            let drawn = vec![figure.x.key];
            (figure, drawn)
        }
        [x, y] if keys.len() == 2 => {
            let figure = feasible_region(&scenario, x.id, y.id, false, scratch);
            let drawn = vec![figure.x.key, figure.y.key];
            (figure, drawn)
        }
        _ => return Err(no_axes(&keys)),
    };
    // A parameter without effect here is replaced by another on the page.
    if !ids.iter().map(|param| Some(AxisKey::Param(param.id))).eq(drawn) {
        return Err(no_axes(&keys));
    }
    let link = links::encode(&scenario);
    chart_svg(&figure, style, Some(&link)).map_err(|error| Refusal::new(Code::InvalidValue, error.to_string()))
}

/// The letters of pictures, which come with the package: a picture is the same on every machine,
/// also on one without fonts. Condensed ones are about as wide as those of browsers.
static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    for font in [dejavu::sans_condensed::regular(), dejavu::sans_condensed::bold()] {
        fonts.load_font_source(Source::Binary(Arc::new(font)));
    }
    fonts.set_sans_serif_family("DejaVu Sans");
    Arc::new(fonts)
});

/// Pixels of the largest picture, 400 MB while it is painted.
const MOST_PIXELS: u64 = 100_000_000;

/// Paints a figure as PNG, with `scale` pixels for one of CSS.
///
/// # Errors
///
/// Returns a refusal for text that is no SVG, and for a picture of no size.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, Refusal> {
    let refused = |what: &str| Refusal::new(Code::InvalidValue, format!("The figure could not be painted: {what}."));
    let options = Options { fontdb: Arc::clone(&FONTS), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| refused(&error.to_string()))?;
    let size = tree.size().to_int_size().scale_by(scale).ok_or_else(|| refused("it has no size"))?;
    let pixels = u64::from(size.width()) * u64::from(size.height());
    let picture = (pixels <= MOST_PIXELS).then(|| Pixmap::new(size.width(), size.height())).flatten();
    let mut picture = picture.ok_or_else(|| refused("it has more than 100 million pixels"))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut picture.as_mut());
    picture.encode_png().map_err(|error| refused(&error.to_string()))
}

/// Returns the scenario, if nothing is missing that decides the answer, but for the axes.
fn answerable(given: &Given, axes: &[String]) -> Result<Scenario, Refusal> {
    let mut read = given.read_scenario()?;
    for key in axes {
        read.stated.add(key);
    }
    read.issues.retain(|issue| issue.cause != Cause::NoEffect);
    read.open(&Open::ALL, given.reading)?;
    Ok(read.scenario)
}

/// Returns the theme for a dark or a light background.
pub const fn theme(dark: bool) -> Theme {
    if dark { Theme::Dark } else { Theme::Light }
}

/// Returns the refusal of axes that the scenario has no figure over.
fn no_axes(keys: &[String]) -> Refusal {
    let message = format!(
        "No figure of this scenario is over {}: give one or two parameters that are numbers and have an effect in it, \
         such as seq, size, gpus, mbs and link.",
        listed(&keys.iter().map(|key| format!("“{key}”")).collect::<Vec<_>>())
    );
    Refusal::new(Code::InvalidValue, message)
}

/// Returns the metric of a key.
fn metric_named(key: &str) -> Result<Metric, Refusal> {
    Metric::ALL.into_iter().find(|metric| metric.key() == key).ok_or_else(|| {
        let known = listed(&Metric::ALL.map(Metric::key));
        Refusal::new(Code::UnknownName, format!("“{key}” is not a metric of a curve: these are {known}."))
    })
}

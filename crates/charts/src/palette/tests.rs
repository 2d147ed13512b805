//! Colours that carry meaning are distinguishable.

use super::*;
use crate::spec::LineRole;
use analysis::published::Set;

/// Returns the relative luminance after WCAG, with a polynomial for the sRGB curve (within 0.4 %).
fn luminance(Rgb(red, green, blue): Rgb) -> f64 {
    let linear = |byte: u8| {
        let c = f64::from(byte) / 255.0;
        c * (c * (c * 0.305_306_011 + 0.682_171_111) + 0.012_522_878)
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

fn contrast(one: Rgb, other: Rgb) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Returns every token with its name and its light and dark value, for the style sheet.
fn style_sheet() -> Vec<(String, Rgb, Rgb)> {
    let (light, dark) = (tokens(Theme::Light), tokens(Theme::Dark));
    let mut names: Vec<(String, Rgb, Rgb)> = [
        ("surface", light.surface, dark.surface),
        ("text", light.text, dark.text),
        ("muted", light.muted, dark.muted),
        ("axis", light.axis, dark.axis),
        ("grid", light.grid, dark.grid),
        ("accent", light.accent, dark.accent),
        ("unfit", light.unfit, dark.unfit),
        ("hatch", light.hatch, dark.hatch),
    ]
    .map(|(name, light, dark)| (name.to_string(), light, dark))
    .into();
    let both = |colour: &dyn Fn(Theme) -> Rgb| (colour(Theme::Light), colour(Theme::Dark));
    for (place, &of) in MemoryPart::ALL.iter().enumerate() {
        let (light, dark) = both(&|theme| part(theme, of));
        names.push((format!("part-{place}"), light, dark));
    }
    for of in StackContent::ALL.into_iter().filter(|of| !matches!(of, StackContent::Part(_))) {
        let (light, dark) = both(&|theme| stack_colour(theme, of));
        names.push((of.class(), light, dark));
    }
    for place in 0..engine::scenario::Strategy::ALL.len() {
        let (light, dark) = both(&|theme| strategy(theme, place));
        names.push((format!("strategy-{place}"), light, dark));
    }
    for place in 0..CHOICES {
        let (light, dark) = both(&|theme| choice(theme, place));
        names.push((format!("choice-{place}"), light, dark));
    }
    for place in 0..MOST_PINS {
        let (light, dark) = both(&|theme| pin(theme, place));
        names.push((format!("pin-{place}"), light, dark));
    }
    for place in 0..Set::ALL.len() {
        let (light, dark) = both(&|theme| set(theme, place));
        names.push((format!("set-{place}"), light, dark));
    }
    for (place, &of) in Limiter::ALL.iter().enumerate() {
        let (light, dark) = both(&|theme| limiter(theme, of));
        names.push((format!("limiter-{place}"), light, dark));
    }
    for (place, &of) in Work::ALL.iter().enumerate() {
        let (light, dark) = both(&|theme| work(theme, of));
        names.push((format!("work-{place}"), light, dark));
    }
    names
}

#[test]
fn text_reads_at_4_5_to_1_and_marks_stand_out_at_3_to_1() {
    for theme in [Theme::Light, Theme::Dark] {
        let tokens = tokens(theme);
        for text in [tokens.text, tokens.muted, tokens.accent, limiter(theme, Limiter::Memory)] {
            for under in [tokens.surface, tokens.unfit] {
                assert!(contrast(text, under) >= 4.5, "{theme:?} {}", text.css());
            }
        }
        let strategies = (0..engine::scenario::Strategy::ALL.len()).map(|place| strategy(theme, place));
        let parts = MemoryPart::ALL.into_iter().map(|of| part(theme, of));
        let limiters = Limiter::ALL.into_iter().map(|of| limiter(theme, of));
        let stacked = StackContent::ALL.into_iter().map(|of| stack_colour(theme, of));
        let choices = (0..CHOICES).map(|place| choice(theme, place));
        let sets = (0..Set::ALL.len()).map(|place| set(theme, place));
        let works = Work::ALL.into_iter().map(|of| work(theme, of));
        let pins = (0..MOST_PINS).map(|place| pin(theme, place));
        for pin in pins {
            assert!(contrast(pin, tokens.surface) >= 4.5 && contrast(readable(pin), pin) >= 4.5, "{}", pin.css());
        }
        let named: Vec<Rgb> = parts.clone().chain(works.clone()).collect();
        for fill in named {
            assert!(contrast(readable(fill), fill) >= 4.5, "{theme:?} text on {}", fill.css());
        }
        for mark in strategies
            .chain(choices)
            .chain(parts)
            .chain(limiters)
            .chain(works)
            .chain(sets)
            .chain(stacked)
            .chain([tokens.axis])
        {
            assert!(contrast(mark, tokens.surface) >= 3.0, "{theme:?} {}", mark.css());
        }
    }
}

#[test]
fn nothing_of_a_kind_shares_a_colour_and_choices_differ_without_colour() {
    for theme in [Theme::Light, Theme::Dark] {
        let sheet = style_sheet();
        for kind in ["part-", "strategy-", "choice-", "pin-", "set-", "limiter-", "work-", "held-"] {
            let of_kind: Vec<Rgb> = sheet
                .iter()
                .filter(|row| row.0.starts_with(kind))
                .map(|row| if theme == Theme::Light { row.1 } else { row.2 })
                .collect();
            assert!(of_kind.iter().enumerate().all(|(at, colour)| !of_kind[..at].contains(colour)));
        }
    }
    let patterns: Vec<_> = (0..crate::spec::CHOICES).map(|place| dashes(LineRole::Choice(place))).collect();
    assert!(patterns.iter().enumerate().all(|(at, pattern)| !patterns[..at].contains(pattern)));
}

#[test]
fn the_style_sheet_has_the_colours_of_every_kind_of_work_and_of_pins() {
    let page = include_str!("../../../../static/page.css");
    for (name, light, dark) in
        style_sheet().into_iter().filter(|row| ["work-", "pin-", "held-"].iter().any(|kind| row.0.starts_with(kind)))
    {
        let line = format!("--{name}: light-dark({}, {});", light.css(), dark.css());
        assert!(page.contains(&line), "page.css lacks {line}");
        let class = if name.starts_with("pin-") {
            format!(".line-{name} {{ stroke: var(--{name}); }}")
        } else {
            format!(".{name} {{ fill: var(--{name}); }}")
        };
        assert!(page.contains(&class), "page.css lacks {class}");
    }
}

#[test]
fn layers_of_a_stack_are_told_apart_and_have_the_colours_of_the_memory_bar() {
    for theme in [Theme::Light, Theme::Dark] {
        let colours = StackContent::ALL.map(|of| stack_colour(theme, of));
        assert!(colours.iter().enumerate().all(|(at, colour)| !colours[..at].contains(colour)));
        let of_bar = StackContent::ALL.into_iter().filter_map(|of| match of {
            StackContent::Part(part) => Some(part as usize),
            _ => None,
        });
        assert!(of_bar.is_sorted());
    }
    for category in trace::Category::ALL {
        assert!(StackContent::ALL.contains(&StackContent::from_category(category)), "{category:?}");
    }
}

#[test]
fn the_ramp_moves_away_from_the_surface_in_even_steps() {
    for theme in [Theme::Light, Theme::Dark] {
        let surface = tokens(theme).surface;
        let contrasts: Vec<f64> = (0..=8).map(|stop| contrast(ramp(theme, f64::from(stop) / 8.0), surface)).collect();
        assert!(contrasts.windows(2).all(|pair| pair[1] > pair[0] * 1.1), "{contrasts:?}");
    }
}

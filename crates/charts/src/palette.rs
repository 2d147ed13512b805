//! Design tokens: every colour of every figure, for light and dark. The style sheet has the same
//! values under the same names. Each memory part, strategy and limiter has one colour everywhere,
//! and colour is never the only cue: dashes, hatching and labels repeat it.

mod lines;
mod ramp;

use super::spec::{CHOICES, StackContent};
use engine::model::report::{Limiter, MemoryPart, Work};
use engine::model::step::waterfall::StepPart;
use engine::scenario::pins::MOST_PINS;
pub use lines::{dashes, line, width};
pub use ramp::ramp;

/// An sRGB colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Creates a colour from `0xrrggbb`.
    const fn hex(code: u32) -> Self {
        Self((code >> 16) as u8, (code >> 8) as u8, code as u8)
    }

    /// Formats the colour for CSS: `#rrggbb`.
    pub fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// Mixes in a fraction of another colour.
    #[must_use]
    pub fn mix(self, other: Self, share: f64) -> Self {
        let mix = |from: u8, to: u8| (f64::from(from) + share * (f64::from(to) - f64::from(from)) + 0.5) as u8;
        Self(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }
}

/// A sum of weighted sRGB bytes above which black text reads better than white.
const BRIGHT: f64 = 118.0;

/// Returns black or white, whichever is more readable on a colour.
pub fn readable(Rgb(red, green, blue): Rgb) -> Rgb {
    let light = 0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue);
    if light > BRIGHT { Rgb::hex(0) } else { Rgb::hex(0xffffff) }
}

/// The colour theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Dark text on a light page.
    #[default]
    Light,
    /// Light text on a dark page.
    Dark,
}

/// The colours that do not represent data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// Background of everything.
    pub surface: Rgb,
    /// Text: at least 7 to 1 on the surface.
    pub text: Rgb,
    /// Text of ticks and notes: at least 4.5 to 1.
    pub muted: Rgb,
    /// Axes: at least 3 to 1.
    pub axis: Rgb,
    /// Grid lines, which have no meaning of their own.
    pub grid: Rgb,
    /// The accent: the scenario on screen, focus, links.
    pub accent: Rgb,
    /// Background of the infeasible part.
    pub unfit: Rgb,
    /// Hatching of the infeasible part.
    pub hatch: Rgb,
}

/// Returns the tokens of a theme.
pub const fn tokens(theme: Theme) -> Tokens {
    match theme {
        Theme::Light => Tokens {
            surface: Rgb::hex(0xffffff),
            text: Rgb::hex(0x1b1f24),
            muted: Rgb::hex(0x57606a),
            axis: Rgb::hex(0x8c959f),
            grid: Rgb::hex(0xd9dee3),
            accent: Rgb::hex(0x0b5cad),
            unfit: Rgb::hex(0xf1f2f4),
            hatch: Rgb::hex(0xb9bfc6),
        },
        Theme::Dark => Tokens {
            surface: Rgb::hex(0x15181c),
            text: Rgb::hex(0xe6e9ed),
            muted: Rgb::hex(0x9aa4af),
            axis: Rgb::hex(0x6b757f),
            grid: Rgb::hex(0x2b3138),
            accent: Rgb::hex(0x6cb0ff),
            unfit: Rgb::hex(0x1c2025),
            hatch: Rgb::hex(0x49515a),
        },
    }
}

/// Selects the light or the dark colour.
const fn pair(theme: Theme, light: u32, dark: u32) -> Rgb {
    match theme {
        Theme::Light => Rgb::hex(light),
        Theme::Dark => Rgb::hex(dark),
    }
}

/// Returns the colour of a memory part: states are blue, gathered weights teal, activations orange,
/// other models violet, the generating engine pink, the image encoder green, the rest grey.
pub const fn part(theme: Theme, part: MemoryPart) -> Rgb {
    match part {
        MemoryPart::Weights => pair(theme, 0x0b4f95, 0x4a90e2),
        MemoryPart::Gradients => pair(theme, 0x2f79c4, 0x78b0ef),
        MemoryPart::Optimizer => pair(theme, 0x5b96d0, 0xa9cdf5),
        MemoryPart::GatheredWeights => pair(theme, 0x00766c, 0x2fae9e),
        MemoryPart::UnreducedGradients => pair(theme, 0x3b9a8b, 0x7fd6c8),
        MemoryPart::Activations => pair(theme, 0xb8500f, 0xe8763a),
        MemoryPart::WorkingSet => pair(theme, 0xcf7430, 0xf5a872),
        MemoryPart::Logits => pair(theme, 0xae8119, 0xe3be62),
        MemoryPart::Context => pair(theme, 0x5f6872, 0x8a949e),
        MemoryPart::Fragmentation => pair(theme, 0x8a929b, 0x646d77),
        MemoryPart::Models => pair(theme, 0x6747b3, 0xc4adfa),
        MemoryPart::Engine => pair(theme, 0xa8327d, 0xf08cc8),
        MemoryPart::Tower => pair(theme, 0x5a7020, 0xa9c45c),
        MemoryPart::Cache => pair(theme, 0x7f8790, 0x717b86),
    }
}

/// Returns the colour of a layer of stacked memory: for a part of the memory bar, the colour of
/// that part.
pub const fn stack_colour(theme: Theme, held: StackContent) -> Rgb {
    match held {
        StackContent::Part(of) => part(theme, of),
        StackContent::Update => pair(theme, 0x2278a8, 0x8fd3f4),
        StackContent::Buffers => pair(theme, 0x7a4fc4, 0xb79cff),
        StackContent::Inputs => pair(theme, 0x7c858e, 0x727b85),
    }
}

/// Returns the colour of a strategy, by its index in `Strategy::ALL`.
pub const fn strategy(theme: Theme, place: usize) -> Rgb {
    match place {
        0 => pair(theme, 0x5b6470, 0xa8b1bb),
        1 => pair(theme, 0x9a6700, 0xe0b040),
        2 => pair(theme, 0x5d7a00, 0xb6cf4a),
        3 => pair(theme, 0xb8500f, 0xff9a5c),
        4 => pair(theme, 0xa8327d, 0xf08cc8),
        5 => pair(theme, 0x7a4fc4, 0xb79cff),
        6 => pair(theme, 0x0b5cad, 0x6cb0ff),
        _ => pair(theme, 0x00766c, 0x4fd0c0),
    }
}

/// Returns the colour of a limiter.
pub const fn limiter(theme: Theme, limiter: Limiter) -> Rgb {
    match limiter {
        Limiter::Memory => pair(theme, 0xb3261e, 0xff8a80),
        Limiter::InterNode => pair(theme, 0x0b5cad, 0x6cb0ff),
        Limiter::IntraNode => pair(theme, 0x2278a8, 0x8fd3f4),
        Limiter::Compute => pair(theme, 0x00766c, 0x4fd0c0),
        Limiter::Launch => pair(theme, 0x7a6a00, 0xd9c74a),
        Limiter::Bubble => pair(theme, 0x8a4a1f, 0xe0a070),
        Limiter::Data => pair(theme, 0x6a3d9a, 0xc9a6f0),
        Limiter::Rollout => pair(theme, 0x9a3d6e, 0xf0a6cb),
    }
}

/// The light and the dark colour of every kind of work, in the order of [`Work::ALL`]. Gathers and
/// reductions have the colour of the memory that they fill; the others differ from their neighbours
/// on a lane.
const WORKS: [(u32, u32); Work::ALL.len()] = [
    (0x5f6872, 0x8a949e),
    (0x0b4f95, 0x4a90e2),
    (0x7a4fc4, 0xb79cff),
    (0x2f79c4, 0x78b0ef),
    (0xae8119, 0xe3be62),
    (0x7c858e, 0x727b85),
    (0xa8327d, 0xf08cc8),
    (0x00766c, 0x2fae9e),
    (0x3b9a8b, 0x7fd6c8),
    (0x5d7a00, 0xb6cf4a),
    (0xb8500f, 0xe8763a),
    (0xcf7430, 0xf5a872),
    (0x2278a8, 0x8fd3f4),
    (0x8a929b, 0x646d77),
];

/// Returns the colour of a kind of work.
pub fn work(theme: Theme, work: Work) -> Rgb {
    let (light, dark) = WORKS.get(work as usize).copied().unwrap_or_default();
    pair(theme, light, dark)
}

/// A share of a step's time, in a coarse split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepShare {
    /// Work that the MFU counts.
    Useful,
    /// Other compute.
    Compute,
    /// Waiting for the host.
    Launches,
    /// Waiting for data.
    Loading,
    /// Exposed communication.
    Comm,
    /// Slow-down of kernels beside communication.
    Slowed,
    /// The pipeline's bubble.
    Bubble,
    /// Generating training data.
    Rollout,
    /// Passes that score the generated data, and the critic.
    Scoring,
}

/// Returns the colour of a share of a step's time: the colour of the corresponding limiter; other
/// compute has a paler colour of compute, slowed kernels one of the network.
pub fn step_share(theme: Theme, share: StepShare) -> Rgb {
    let compute = limiter(theme, Limiter::Compute);
    match share {
        StepShare::Useful => compute,
        StepShare::Compute => tokens(theme).surface.mix(compute, 0.45),
        StepShare::Launches => limiter(theme, Limiter::Launch),
        StepShare::Loading => limiter(theme, Limiter::Data),
        StepShare::Comm => limiter(theme, Limiter::InterNode),
        StepShare::Slowed => tokens(theme).surface.mix(limiter(theme, Limiter::InterNode), 0.45),
        StepShare::Bubble => part(theme, MemoryPart::Activations),
        StepShare::Rollout => part(theme, MemoryPart::Engine),
        StepShare::Scoring => part(theme, MemoryPart::Models),
    }
}

/// Returns the colour of a part of a step's time: communication has the colour of its work, losses
/// of compute are blue and grey, and training work has the accent.
pub fn step_part(theme: Theme, part: StepPart) -> Rgb {
    match part {
        StepPart::Kernels => work(theme, Work::LayerBackward),
        StepPart::Padding => work(theme, Work::EmbeddingBackward),
        StepPart::MemoryBound => work(theme, Work::Head),
        StepPart::Optimizer => work(theme, Work::OptimizerStep),
        StepPart::Recomputation => work(theme, Work::Experts),
        StepPart::Passes => self::part(theme, MemoryPart::Models),
        StepPart::Contention => work(theme, Work::EmbeddingForward),
        StepPart::AllGather => work(theme, Work::AllGather),
        StepPart::ReduceScatter => work(theme, Work::ReduceScatter),
        StepPart::AllReduce => work(theme, Work::AllReduce),
        StepPart::Tensor | StepPart::Context | StepPart::Stages => work(theme, Work::Exchange),
        StepPart::Experts => work(theme, Work::Dispatch),
        StepPart::HostLink => work(theme, Work::Combine),
        StepPart::Bubble => limiter(theme, Limiter::Bubble),
        StepPart::UnevenStages => work(theme, Work::LayerForward),
        StepPart::Launches => limiter(theme, Limiter::Launch),
        StepPart::Loading => limiter(theme, Limiter::Data),
        StepPart::Useful => tokens(theme).accent,
    }
}

/// The pattern over a kind of work, by which neighbours on a lane differ even without colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// No pattern.
    Plain,
    /// Diagonal lines: backward passes, reduce-scatter, combine, and the bubble.
    Hatched,
    /// Lines along the lane.
    Ruled,
}

/// Returns the pattern of a kind of work.
pub const fn pattern(work: Work) -> Pattern {
    match work {
        Work::LayerBackward | Work::EmbeddingBackward | Work::ReduceScatter | Work::Combine | Work::Bubble => {
            Pattern::Hatched
        }
        Work::Experts | Work::OptimizerStep => Pattern::Ruled,
        _ => Pattern::Plain,
    }
}

/// The colours of static choices for a layer of experts, light and dark: four in violet, four in
/// rust.
const CHOICE_COLOURS: [(u32, u32); CHOICES] = [
    (0x2f2b86, 0xcfcbff),
    (0x4d49ad, 0xb1acf5),
    (0x6a66c8, 0x938ee0),
    (0x8480d2, 0x7b76cc),
    (0x6f2418, 0xffcfc4),
    (0x93402f, 0xeeac9c),
    (0xb05c49, 0xd68a76),
    (0xc27a68, 0xb86f5b),
];

/// Returns the colour of a static choice for a layer of experts, by index; the text colour for an
/// index out of range.
pub fn choice(theme: Theme, place: usize) -> Rgb {
    CHOICE_COLOURS.get(place).map_or(tokens(theme).text, |&(light, dark)| pair(theme, light, dark))
}

/// The colours of pinned scenarios, light and dark.
const PIN_COLOURS: [(u32, u32); MOST_PINS] = [(0xb0154a, 0xff8fb0), (0x6b4423, 0xd9b08c), (0x0a6b86, 0x5fc9e8)];

/// Returns the colour of a pinned scenario, by index; the text colour for an index out of range.
pub fn pin(theme: Theme, place: usize) -> Rgb {
    PIN_COLOURS.get(place).map_or(tokens(theme).text, |&(light, dark)| pair(theme, light, dark))
}

/// Returns the colour of a set of measured rows, by index: three colours that also differ in
/// lightness.
const fn set(theme: Theme, place: usize) -> Rgb {
    match place {
        0 => pair(theme, 0x0b5cad, 0x6cb0ff),
        1 => pair(theme, 0xcf7430, 0xc8702c),
        _ => pair(theme, 0x7a1f5c, 0xf5b6de),
    }
}

#[cfg(test)]
mod tests;

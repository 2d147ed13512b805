//! Figures of memory over the course of a step: stacked layers over events, and what happens at
//! each.

use crate::names;
use engine::model::report::MemoryPart;
use trace::Category;

/// What the bytes of one layer of a stack hold: a part of the memory bar, or what the bar counts
/// with other parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Held {
    /// A part of the memory bar.
    Part(MemoryPart),
    /// What the optimizer's update makes and frees.
    Update,
    /// Buffers of gathers and reductions.
    Buffers,
    /// Tokens, labels, and tables that no one trains.
    Inputs,
}

impl Held {
    /// Every layer from the bottom of the stack: the bar's parts in its order, others beside what
    /// they resemble.
    pub const ALL: [Self; 11] = [
        Self::Part(MemoryPart::Weights),
        Self::Part(MemoryPart::Gradients),
        Self::Part(MemoryPart::Optimizer),
        Self::Update,
        Self::Part(MemoryPart::GatheredWeights),
        Self::Part(MemoryPart::UnreducedGradients),
        Self::Buffers,
        Self::Part(MemoryPart::Activations),
        Self::Part(MemoryPart::WorkingSet),
        Self::Part(MemoryPart::Logits),
        Self::Inputs,
    ];

    /// Returns the layer of a category of tensors.
    pub const fn of(category: Category) -> Self {
        match category {
            Category::Parameter => Self::Part(MemoryPart::Weights),
            Category::Gradient => Self::Part(MemoryPart::Gradients),
            Category::Optimizer => Self::Part(MemoryPart::Optimizer),
            Category::OptimizerTemporary => Self::Update,
            Category::UnshardedParameter => Self::Part(MemoryPart::GatheredWeights),
            Category::UnshardedGradient => Self::Part(MemoryPart::UnreducedGradients),
            Category::Communication => Self::Buffers,
            Category::Activation => Self::Part(MemoryPart::Activations),
            Category::Temporary => Self::Part(MemoryPart::WorkingSet),
            Category::Logits => Self::Part(MemoryPart::Logits),
            Category::Buffer | Category::Input => Self::Inputs,
        }
    }

    /// Returns its name in figures.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Part(of) => names::part(of),
            Self::Update => "Temporaries of the update",
            Self::Buffers => "Communication buffers",
            Self::Inputs => "Inputs and tables",
        }
    }

    /// Returns the class in the style sheet: that of the memory bar's part, or `held-0`.
    pub fn class(self) -> String {
        match self {
            Self::Part(part) => format!("part-{}", part as usize),
            Self::Update => "held-0".into(),
            Self::Buffers => "held-1".into(),
            Self::Inputs => "held-2".into(),
        }
    }
}

/// What happens along the horizontal axis of a stack.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// The parts of the step in order.
    pub spans: Vec<Span>,
    /// The moments at which the lines have points, in order.
    pub moments: Vec<Moment>,
    /// Beside the mark of the highest moment.
    pub peak: String,
}

/// A part of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Its name.
    pub name: &'static str,
    /// Where it starts on the horizontal axis.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
}

/// A moment of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Its place on the horizontal axis.
    pub x: f64,
    /// The name of the part of the step that it belongs to.
    pub span: &'static str,
    /// What runs: `backward pass of layer 30 of 40, at mul`.
    pub name: String,
}

impl Course {
    /// Returns the moment nearest to a place.
    pub fn nearest(&self, x: f64) -> Option<&Moment> {
        let after = self.moments.partition_point(|moment| moment.x < x);
        let (before, after) = (after.checked_sub(1).and_then(|at| self.moments.get(at)), self.moments.get(after));
        match (before, after) {
            (Some(before), Some(after)) => Some(if x - before.x < after.x - x { before } else { after }),
            (before, after) => before.or(after),
        }
    }
}

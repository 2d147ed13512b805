//! Figures of memory over a step: stacked layers over allocation events, and the operator at each
//! event.

use crate::names;
use engine::model::report::MemoryPart;
use trace::Category;

/// Content of one layer of a stack: a part of the memory bar, or content that the bar counts with
/// other parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StackContent {
    /// A part of the memory bar.
    Part(MemoryPart),
    /// Temporary tensors of the optimizer's update.
    Update,
    /// Buffers of gathers and reductions.
    Buffers,
    /// Tokens, labels, and tables that are not trained.
    Inputs,
}

impl StackContent {
    /// Every layer from the bottom of the stack: the bar's parts in the order of the bar, with
    /// others next to similar ones.
    pub const ALL: [Self; 12] = [
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
        Self::Part(MemoryPart::Models),
        Self::Inputs,
    ];

    /// Returns the layer of a category of tensors.
    pub const fn from_category(category: Category) -> Self {
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
            Category::OtherModel => Self::Part(MemoryPart::Models),
        }
    }

    /// Whether only a few steps have such a layer.
    pub const fn is_rare(self) -> bool {
        matches!(self, Self::Part(MemoryPart::Models))
    }

    /// Returns the name in figures.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Part(of) => names::part(of),
            Self::Update => "Temporaries of the update",
            Self::Buffers => "Communication buffers",
            Self::Inputs => "Inputs and tables",
        }
    }

    /// Returns the class in the style sheet: the class of the memory bar's part, or `held-0`.
    pub fn class(self) -> String {
        match self {
            Self::Part(part) => format!("part-{}", part as usize),
            Self::Update => "held-0".into(),
            Self::Buffers => "held-1".into(),
            Self::Inputs => "held-2".into(),
        }
    }
}

/// Events along the horizontal axis of a stack.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// The parts of the step in order.
    pub spans: Vec<Span>,
    /// The moments at which the lines have points, in order.
    pub moments: Vec<Moment>,
    /// Text next to the mark of the highest moment.
    pub peak: String,
}

/// A part of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Its name.
    pub name: &'static str,
    /// Start on the horizontal axis.
    pub start: f64,
    /// End on the horizontal axis.
    pub end: f64,
}

/// A moment of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Position on the horizontal axis.
    pub x: f64,
    /// Name of the enclosing part of the step.
    pub span: &'static str,
    /// Running operator: `backward pass of layer 30 of 40, at mul`.
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

//! Points of a step at which memory is counted.

/// A point of a step at which memory is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    /// The optimizer's update.
    Update,
    /// The loss.
    Loss,
    /// The start of the forward pass, when FSDP copies the gathered weights of the root unit.
    Start,
    /// The copy of the head's gathered weights, while the layers' activations are in memory.
    Gather,
    /// The middle of the backward pass of one of [`Points::left`].
    InLayer(usize),
    /// The end of a layer's backward pass, with its gradients ready to reduce.
    AfterLayer(usize),
    /// The end of the head's backward pass.
    AfterHead,
    /// The backward pass of a tied embedding, whose gradient is added to that of the head, the sum
    /// being a third tensor; or of one split by tensor parallelism, whose part is a copy.
    Embedding,
    /// The end of the backward pass, when the root unit's gradients are reduced.
    Root,
    /// The image encoder: its backward pass if it has one, otherwise its forward pass.
    Tower,
}

impl Point {
    /// Every point. Of points with equal memory the first is the peak.
    const ALL: [Self; 16] = [
        Self::Update,
        Self::Loss,
        Self::Start,
        Self::Gather,
        Self::InLayer(0),
        Self::AfterLayer(0),
        Self::InLayer(1),
        Self::AfterLayer(1),
        Self::InLayer(2),
        Self::AfterLayer(2),
        Self::InLayer(3),
        Self::AfterLayer(3),
        Self::AfterHead,
        Self::Embedding,
        Self::Root,
        Self::Tower,
    ];

    /// Returns the place in [`Self::ALL`].
    const fn index(self) -> usize {
        match self {
            Self::Update => 0,
            Self::Loss => 1,
            Self::Start => 2,
            Self::Gather => 3,
            Self::InLayer(layer) => 4 + 2 * layer,
            Self::AfterLayer(layer) => 5 + 2 * layer,
            Self::AfterHead => 12,
            Self::Embedding => 13,
            Self::Root => 14,
            Self::Tower => 15,
        }
    }
}

/// The layers of a stage and those at which memory can peak: in between, memory is linear in the
/// layer.
pub(super) struct Points {
    pub(super) layers: f64,
    /// Layers that gradients do not reach.
    pub(super) below: f64,
    /// Layers left in the backward pass, including the current one: in the last layer, in the one
    /// before it, in the second and in the first; the last layer again in place of each that
    /// coincides with another.
    pub(super) left: [f64; 4],
}

impl Points {
    /// Returns the points of a stage; `second` is the first layer after the last one, in the order
    /// of the backward pass, at which memory can peak.
    pub(super) fn new(layers: f64, below: f64, second: f64) -> Self {
        let last_with_prefetch = if layers > below + 1.0 { below + 2.0 } else { layers };
        Self { layers, below, left: [layers, second, last_with_prefetch, below + 1.0] }
    }
}

/// One value for each point, in the order of [`Point::ALL`].
#[derive(Clone, Copy)]
pub(super) struct ByPoint([f64; 16]);

/// The values of the points outside the layers.
#[derive(Clone, Copy, Default)]
pub(super) struct Ends {
    pub(super) update: f64,
    pub(super) loss: f64,
    pub(super) start: f64,
    pub(super) gather: f64,
    pub(super) after_head: f64,
    pub(super) embedding: f64,
    pub(super) root: f64,
    pub(super) tower: f64,
}

impl ByPoint {
    /// Returns the values of the points outside the layers, in each of [`Points::left`], and at the
    /// end of each.
    pub(super) fn new(ends: Ends, in_layer: [f64; 4], after_layer: [f64; 4]) -> Self {
        let Ends { update, loss, start, gather, after_head, embedding, root, tower } = ends;
        let ([a, b, c, d], [e, f, g, h]) = (in_layer, after_layer);
        Self([update, loss, start, gather, a, e, b, f, c, g, d, h, after_head, embedding, root, tower])
    }

    /// Returns one value for all points.
    pub(super) const fn all(value: f64) -> Self {
        Self([value; 16])
    }

    /// Returns the value of each point.
    pub(super) fn from_points(of: impl FnMut(Point) -> f64) -> Self {
        Self(Point::ALL.map(of))
    }

    /// Returns the value of one point.
    pub(super) fn at(&self, point: Point) -> f64 {
        self.0.get(point.index()).copied().unwrap_or_default()
    }

    /// Returns the values with one of them set.
    #[must_use]
    pub(super) fn with(mut self, point: Point, value: f64) -> Self {
        if let Some(slot) = self.0.get_mut(point.index()) {
            *slot = value;
        }
        self
    }

    /// Returns the values with one of them set, if a condition is met.
    #[must_use]
    pub(super) fn with_if(self, is_met: bool, point: Point, value: f64) -> Self {
        if is_met { self.with(point, value) } else { self }
    }

    /// Returns these values and `times` others.
    #[must_use]
    pub(super) fn plus(mut self, times: f64, other: &Self) -> Self {
        for (value, other) in self.0.iter_mut().zip(&other.0) {
            *value += times * other;
        }
        self
    }

    /// Returns the values changed one by one.
    #[must_use]
    pub(super) fn map(self, of: impl FnMut(f64) -> f64) -> Self {
        Self(self.0.map(of))
    }

    /// Returns the point with the largest value, the first if several are equal, and the value; the
    /// update if none is positive.
    pub(super) fn largest(&self) -> (Point, f64) {
        let mut most = (Point::Update, 0.0);
        for (point, value) in Point::ALL.into_iter().zip(self.0) {
            if value > most.1 {
                most = (point, value);
            }
        }
        most
    }
}

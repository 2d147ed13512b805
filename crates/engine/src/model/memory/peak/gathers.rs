//! Weights gathered for compute at every point of the step.

use super::of_setup::OfSetup;
use super::point::{ByPoint, Ends, Point, Points};
use super::stage_3::live_params;
use super::xla;
use crate::model::per_rank::LocalParams;
use crate::model::software::RootUnit;
use crate::model::states::{FrozenBytes, gathered_layer_bytes};
use crate::model::training::{Reshard, Sharding};

/// Weights gathered for compute, in addition to those at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gathered {
    /// No gathered weights.
    Nothing,
    /// Bytes of the root unit, and a number of layers.
    Units(f64, f64),
    /// Bytes of the root unit and a number of layers, and the whole model sharded over a group of
    /// GPUs; at most the whole model.
    Grouped(f64, f64, f64),
    /// All of the model.
    All,
    /// A number of parameters, gathered module by module.
    Live(f64),
}

/// The weights of a stage that are gathered for compute, in bytes.
pub(super) struct Gathers {
    rule: Rule,
    root_unit: RootUnit,
    /// The root unit, its part that is final norm and head, one layer, and the whole model.
    pub(super) root: f64,
    head: f64,
    is_tied: bool,
    pub(super) layer: f64,
    pub(super) all: f64,
    /// Bytes per parameter that is gathered module by module.
    pub(super) live_bytes: f64,
}

/// Weights that are gathered at each point.
enum Rule {
    Nothing,
    /// All, kept from forward to backward; without sharding these are the 16-bit copies of
    /// autocast. FSDP frees a unit's gathered weights before it reduces the unit's gradients; the
    /// root unit is last.
    All {
        freed_at_root: bool,
    },
    /// Of FSDP, with the size of the prefetched layer over that of the current one: the current and
    /// the prefetched unit, and a group's shards of all units.
    ByUnit {
        neighbour: f64,
        group: Option<f64>,
    },
    /// Of FSDP in a pipeline: units stay gathered after their backward pass.
    FromBackward,
    /// A number of parameters.
    Live(ByPoint),
}

impl Rule {
    fn new(of: &OfSetup<'_>, params: &LocalParams, points: &Points) -> Self {
        let (setup, neighbour) = (of.setup, params.neighbour);
        let casts = of.bytes.gathered < of.bytes.weights || setup.offload.parameters;
        match setup.sharding {
            _ if of.degrees.weights <= 1.0 && !casts => Self::Nothing,
            Sharding::Fsdp(_) if setup.traits().is_one_program => Self::Live(xla::gathered(setup, params)),
            // One GPU gathers from host memory alone.
            Sharding::Fsdp(_) if of.is_deepspeed_zero3 && of.degrees.optimizer <= 1.0 && !setup.offload.parameters => {
                Self::Nothing
            }
            Sharding::Fsdp(_) if of.is_deepspeed_zero3 => Self::Live(live_params(&params.held, points)),
            Sharding::Fsdp(Reshard::Always) if of.keeps_gathered => Self::FromBackward,
            Sharding::Fsdp(Reshard::Always) => Self::ByUnit { neighbour, group: None },
            Sharding::Fsdp(Reshard::To(group)) => Self::ByUnit { neighbour, group: Some(f64::from(group.max(1))) },
            Sharding::Fsdp(Reshard::Never) => Self::All { freed_at_root: !of.keeps_gathered },
            Sharding::Ddp | Sharding::Zero1 | Sharding::Zero2 => Self::All { freed_at_root: false },
        }
    }
}

impl Gathers {
    pub(super) fn new(of: &OfSetup<'_>, params: &LocalParams, points: &Points) -> Self {
        let (setup, padding) = (of.setup, of.padding);
        let (trained, frozen, gathered_layer) = (&params.trained, params.frozen(), gathered_layer_bytes(setup));
        let of_frozen = FrozenBytes::for_compute(setup, of.degrees.weights > 1.0);
        let frozen_layer = of_frozen.layer_bytes(&frozen);
        let root = of.bytes.gathered * trained.root + of_frozen.others * frozen.root;
        let mean_frozen = frozen_layer + of_frozen.matrices * padding * frozen.expert;
        let layers =
            trained.layers * gathered_layer * (trained.layer + padding * trained.expert) + frozen.layers * mean_frozen;
        let all = root + layers;
        Self {
            rule: Rule::new(of, params, points),
            root_unit: of.root_unit,
            root,
            head: of.bytes.gathered * trained.head + of_frozen.others * frozen.head,
            is_tied: setup.architecture.tie_word_embeddings,
            layer: gathered_layer * trained.padded_layer(padding)
                + frozen_layer
                + of_frozen.matrices * padding * frozen.expert_unit,
            all,
            live_bytes: if setup.trained.is_all() { of.bytes.gathered } else { all / params.held.all() },
        }
    }

    /// Returns the gathered bytes at each point, and the part of them that is the prefetched layer,
    /// which FSDP gathers on a stream of its own.
    pub(super) fn bytes(&self, points: &Points) -> (ByPoint, ByPoint) {
        let none = ByPoint::all(0.0);
        match &self.rule {
            Rule::Nothing => (none, none),
            Rule::All { freed_at_root } => {
                let kept = ByPoint::all(self.all).with(Point::Update, 0.0);
                (kept.with_if(*freed_at_root, Point::Root, 0.0), none)
            }
            Rule::Live(params) => (none.plus(self.live_bytes, params), none),
            Rule::FromBackward => {
                let (roots, units) = self.kept_by_backward(points);
                (roots.plus(self.layer, &units), none)
            }
            Rule::ByUnit { neighbour, group } => {
                let (roots, units) = self.units(points, *neighbour);
                let units_alone = roots.plus(self.layer, &units);
                let ahead = units.map(|units| if units > 1.0 { self.layer } else { 0.0 });
                let Some(group) = group else {
                    // Of copied weights half of the bytes are copied already.
                    let copied = |point| roots.at(point) / 2.0 + units.at(point) * self.layer;
                    let (start, gather) = (copied(Point::Start), copied(Point::Gather));
                    return (units_alone, ahead.with(Point::Start, start).with(Point::Gather, gather));
                };
                // With resharding to a group, units are gathered from the group only for the
                // backward pass.
                let here = units_alone.with(Point::Loss, self.root);
                let between = self.all / group;
                let bytes = here.map(|here| if here + between < self.all { here + between } else { self.all });
                (bytes.with(Point::Root, 0.0).with(Point::Update, 0.0), ahead)
            }
        }
    }

    /// Returns the gathered bytes of the root unit and the number of gathered layers, if FSDP
    /// reshards the layers. A single root unit stays gathered through the backward pass; of two,
    /// the head's is freed before the layers' backward pass, and the embedding's is fetched in the
    /// first layer's.
    fn units(&self, points: &Points, neighbour: f64) -> (ByPoint, ByPoint) {
        let (apart, root) = (self.root_unit == RootUnit::Head, self.root);
        let embedding = root - self.head;
        // The all-gather's buffer, and the weights that are copied out of it.
        let (start, gather) = if apart { (2.0 * embedding, 2.0 * self.head) } else { (2.0 * root, 2.0 * root) };
        let loss = match self.root_unit {
            RootUnit::Freed => 0.0,
            RootUnit::Head => self.head,
            RootUnit::Default | RootUnit::Kept | RootUnit::KeptWithLast => root,
        };
        // Below frozen layers there is no backward pass.
        let reaches_embedding = points.below <= 0.0;
        let in_layers = points.left.map(|left| match apart {
            true if left <= 1.0 && reaches_embedding => embedding,
            true => 0.0,
            false => root,
        });
        let after_head = if apart { 0.0 } else { root };
        let looked_up = if apart && !self.is_tied { embedding } else { root };
        let ends = Ends { update: 0.0, loss, start, gather, after_head, embedding: looked_up, root: 0.0, tower: root };
        let roots = ByPoint::new(ends, in_layers, in_layers);

        let is = |is: bool| f64::from(u8::from(is));
        let ends = Ends {
            // The first layer's all-gather has started.
            start: is(!apart),
            // The last layer is never freed, or not yet gathered.
            loss: is(self.root_unit == RootUnit::KeptWithLast),
            // During the head's backward pass the last layer is prefetched.
            after_head: 1.0,
            ..Ends::default()
        };
        let in_layers = points.left.map(|left| if left > 1.0 { 1.0 + neighbour } else { 1.0 });
        (roots, ByPoint::new(ends, in_layers, in_layers))
    }

    /// Returns the gathered bytes of the root unit and the number of gathered layers, if units stay
    /// gathered after their backward pass and FSDP reshards them after the next forward pass.
    fn kept_by_backward(&self, points: &Points) -> (ByPoint, ByPoint) {
        let (after_forward, units_after_forward) = self.units(points, 1.0);
        let (layers, root, is_apart) = (points.layers, self.root, self.root_unit == RootUnit::Head);
        let all = if self.layer > 0.0 { (self.all - root) / self.layer } else { 0.0 };
        let mean = if layers > 0.0 { all / layers } else { 0.0 };
        let roots = points.left.map(|left| if is_apart && left > 1.0 { self.head } else { root });
        let passed = points.left.map(|left| {
            let gathered = (layers - left) * mean + if left > 1.0 { 2.0 } else { 1.0 };
            if gathered < all { gathered } else { all }
        });
        let of = |before: &ByPoint, after_head, all, in_layers| {
            let (loss, gather) = (before.at(Point::Loss), before.at(Point::Gather));
            let ends = Ends { loss, gather, after_head, embedding: all, root: all, tower: all, ..Ends::default() };
            ByPoint::new(ends, in_layers, in_layers)
        };
        let head = if is_apart { self.head } else { root };
        (of(&after_forward, head, root, roots), of(&units_after_forward, 1.0, all, passed))
    }

    /// Returns the weights gathered at a point.
    pub(super) fn at(&self, points: &Points, point: Point) -> Gathered {
        match (&self.rule, point) {
            (Rule::Nothing, _)
            | (Rule::All { .. } | Rule::ByUnit { .. } | Rule::FromBackward, Point::Update)
            | (Rule::All { freed_at_root: true } | Rule::ByUnit { .. }, Point::Root) => Gathered::Nothing,
            (Rule::All { .. }, _) => Gathered::All,
            (Rule::FromBackward, _) => {
                let (roots, units) = self.kept_by_backward(points);
                Gathered::Units(roots.at(point), units.at(point))
            }
            (Rule::Live(params), _) if params.at(point) <= 0.0 => Gathered::Nothing,
            (Rule::Live(params), _) => Gathered::Live(params.at(point)),
            (Rule::ByUnit { group: Some(group), .. }, Point::Loss) => Gathered::Grouped(self.root, 0.0, *group),
            (Rule::ByUnit { group: None, .. }, Point::Loss) if self.root_unit == RootUnit::Freed => Gathered::Nothing,
            (Rule::ByUnit { neighbour, group }, _) => {
                let (roots, units) = self.units(points, *neighbour);
                let (root, units) = (roots.at(point), units.at(point));
                group.map_or(Gathered::Units(root, units), |group| Gathered::Grouped(root, units, group))
            }
        }
    }

    /// Returns two units gathered alternately, including the root unit.
    pub(super) fn alternating(&self) -> f64 {
        // Embedding and head are one unit, or two.
        let embedding = self.root - self.head;
        let of_root = match self.root_unit {
            RootUnit::Head if embedding > self.head => embedding,
            RootUnit::Head => self.head,
            _ => self.root,
        };
        (if of_root > self.layer { of_root } else { self.layer }) + self.layer
    }
}

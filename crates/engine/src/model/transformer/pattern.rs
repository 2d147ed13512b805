//! Models with a list of layers: the blocks of each layer.

#![expect(clippy::indexing_slicing, reason = "the numbers of layers and kinds are below the lengths of their arrays")]

mod counts;
mod layer_set;

pub use counts::BlockCounts;
use layer_set::LayerSet;

/// The token mixer of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mixer {
    /// No mixer: the layer only has an MLP or experts (Nemotron-H).
    None,
    /// Attention over the whole sequence.
    Attention,
    /// Attention within a window of [`super::Architecture::sliding_window`] keys.
    Window,
    /// A recurrent mixer: [`super::Architecture::recurrent`].
    Recurrent,
    /// Attention and a recurrent mixer side by side (Falcon-H1).
    Both,
}

/// The block after the mixer of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mlp {
    /// No MLP: the mixer is the layer (Nemotron-H).
    None,
    /// A dense MLP.
    Dense,
    /// Experts: [`super::Architecture::experts`].
    Experts,
}

/// The blocks of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LayerKind {
    /// The token mixer.
    pub mixer: Mixer,
    /// The block after the mixer.
    pub mlp: Mlp,
}

/// The layers of a model as a list that repeats over [`super::Architecture::num_hidden_layers`];
/// empty if every layer has attention and an MLP or experts, which the other fields then describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    period: u32,
    attention: LayerSet,
    window: LayerSet,
    recurrent: LayerSet,
    dense: LayerSet,
    experts: LayerSet,
    /// The kinds of layers in the list, one bit each: [`KINDS`].
    kinds: u16,
}

/// Every kind of layer.
const KINDS: [LayerKind; 15] = {
    let mixers = [Mixer::None, Mixer::Attention, Mixer::Window, Mixer::Recurrent, Mixer::Both];
    let mlps = [Mlp::None, Mlp::Dense, Mlp::Experts];
    let mut kinds = [LayerKind { mixer: Mixer::None, mlp: Mlp::None }; 15];
    let mut index = 0;
    while index < 15 {
        kinds[index] = LayerKind { mixer: mixers[index / 3], mlp: mlps[index % 3] };
        index += 1;
    }
    kinds
};

impl Pattern {
    /// Maximum number of layers of a list.
    pub const MOST: usize = 256;

    /// The empty list: the other fields of the architecture describe the layers.
    pub const NONE: Self = Self {
        period: 0,
        attention: LayerSet::NONE,
        window: LayerSet::NONE,
        recurrent: LayerSet::NONE,
        dense: LayerSet::NONE,
        experts: LayerSet::NONE,
        kinds: 0,
    };

    /// Returns the list of these layers; layers beyond [`Self::MOST`] are omitted.
    ///
    /// ```
    /// # use engine::model::transformer::pattern::{LayerKind, Mixer, Mlp, Pattern};
    /// // Jamba: one layer of eight has attention, every second one experts (arXiv 2403.19887, section 3.1).
    /// let of = |layer: u32| LayerKind {
    ///     mixer: if layer == 4 { Mixer::Attention } else { Mixer::Recurrent },
    ///     mlp: if layer % 2 == 1 { Mlp::Experts } else { Mlp::Dense },
    /// };
    /// let jamba = Pattern::from_layers((0..8).map(of));
    /// let all = jamba.blocks_among(32);
    /// assert_eq!((all.attention, all.recurrent, all.dense, all.experts), (4, 28, 16, 16));
    /// ```
    pub fn from_layers(layers: impl IntoIterator<Item = LayerKind>) -> Self {
        layers.into_iter().take(Self::MOST).fold(Self::NONE, Self::then)
    }

    /// Returns the list with one more layer; unchanged if it is full.
    #[must_use]
    pub const fn then(self, layer: LayerKind) -> Self {
        let index = self.period as usize;
        if index >= Self::MOST {
            return self;
        }
        let kind = 3 * layer.mixer as u16 + layer.mlp as u16;
        let mut longer = Self { period: self.period + 1, kinds: self.kinds | 1 << kind, ..self };
        match layer.mixer {
            Mixer::None => {}
            Mixer::Attention => longer.attention = longer.attention.with(index),
            Mixer::Window => {
                longer.attention = longer.attention.with(index);
                longer.window = longer.window.with(index);
            }
            Mixer::Recurrent => longer.recurrent = longer.recurrent.with(index),
            Mixer::Both => {
                longer.attention = longer.attention.with(index);
                longer.recurrent = longer.recurrent.with(index);
            }
        }
        match layer.mlp {
            Mlp::None => {}
            Mlp::Dense => longer.dense = longer.dense.with(index),
            Mlp::Experts => longer.experts = longer.experts.with(index),
        }
        longer
    }

    /// Whether the list is not empty.
    pub const fn is_used(&self) -> bool {
        self.period > 0
    }

    /// Returns the last of the first `layers` layers; `None` if there is none, or no list.
    ///
    /// ```
    /// # use engine::scenario::layers::read_layers;
    /// // Three layers of Qwen3-Next end before the fourth, which has attention.
    /// let list = read_layers("3se.ae").unwrap();
    /// let last = |layers| list.last_among(layers).map(|kind| kind == list.kinds().nth(3).unwrap());
    /// assert_eq!([3, 4, 7, 48].map(last), [false, true, false, true].map(Some));
    /// assert_eq!(last(0), None);
    /// ```
    pub fn last_among(&self, layers: u32) -> Option<LayerKind> {
        layers.checked_sub(1)?.checked_rem(self.period).map(|last| self.kind_of(last as usize))
    }

    /// Returns the number of layers in the list, before it repeats.
    pub const fn period(&self) -> u32 {
        self.period
    }

    /// Iterates over the layers of the list.
    pub fn kinds(&self) -> impl Iterator<Item = LayerKind> + '_ {
        (0..self.period as usize).map(|layer| self.kind_of(layer))
    }

    fn kind_of(&self, layer: usize) -> LayerKind {
        LayerKind {
            mixer: match (self.attention.has(layer), self.recurrent.has(layer)) {
                (true, true) => Mixer::Both,
                (true, false) if self.window.has(layer) => Mixer::Window,
                (true, false) => Mixer::Attention,
                (false, true) => Mixer::Recurrent,
                (false, false) => Mixer::None,
            },
            mlp: match (self.dense.has(layer), self.experts.has(layer)) {
                (_, true) => Mlp::Experts,
                (true, false) => Mlp::Dense,
                (false, false) => Mlp::None,
            },
        }
    }

    /// Iterates over the kinds of layers in the list, each once.
    pub fn distinct(&self) -> impl Iterator<Item = LayerKind> + use<> {
        let kinds = self.kinds;
        KINDS.into_iter().enumerate().filter(move |(index, _)| kinds >> index & 1 == 1).map(|(_, kind)| kind)
    }

    /// Iterates over the kinds of layers before or after layers of this kind, each once.
    ///
    /// ```
    /// # use engine::scenario::layers::read_layers;
    /// // Nemotron-H: an MLP has a mixer on either side.
    /// let list = read_layers("s.d.s.d.a.d").unwrap();
    /// let mlp = list.kinds().nth(1).unwrap();
    /// assert!(list.kinds_next_to(mlp).all(|kind| kind != mlp));
    /// assert_eq!(list.kinds_next_to(mlp).count(), 2);
    /// ```
    pub fn kinds_next_to(&self, kind: LayerKind) -> impl Iterator<Item = LayerKind> + use<> {
        let list = *self;
        let own = list.layers_of(kind);
        // A list of one layer repeats.
        let around = if list.period == 1 { own } else { own.shifted() };
        list.distinct().filter(move |&other| around.meets(&list.layers_of(other)))
    }

    /// Returns the layers of one kind.
    fn layers_of(&self, kind: LayerKind) -> LayerSet {
        let all = LayerSet::first(self.period);
        let of_mixer = match kind.mixer {
            Mixer::None => all.minus(&self.attention).minus(&self.recurrent),
            Mixer::Attention => self.attention.minus(&self.window).minus(&self.recurrent),
            Mixer::Window => self.window.minus(&self.recurrent),
            Mixer::Recurrent => self.recurrent.minus(&self.attention),
            Mixer::Both => self.recurrent.and(&self.attention),
        };
        match kind.mlp {
            Mlp::None => of_mixer.minus(&self.dense).minus(&self.experts),
            Mlp::Dense => of_mixer.and(&self.dense).minus(&self.experts),
            Mlp::Experts => of_mixer.and(&self.experts),
        }
    }

    /// Iterates over the kinds among the first `layers` layers, each once: a model may have fewer
    /// layers than its list.
    pub fn distinct_among(&self, layers: u32) -> impl Iterator<Item = LayerKind> + use<> {
        let cut = layers < self.period;
        let kinds = if cut { Self::from_layers(self.kinds().take(layers as usize)).kinds } else { self.kinds };
        Self { kinds, ..Self::NONE }.distinct()
    }

    /// Returns the number of expert layers among the first `layers` layers of a non-empty list.
    pub fn experts_among(&self, layers: u32) -> u32 {
        self.experts.count_among(layers, self.period.max(1))
    }

    /// Returns the blocks of the first `layers` layers of a non-empty list.
    pub fn blocks_among(&self, layers: u32) -> BlockCounts {
        let period = self.period.max(1);
        let of = |set: &LayerSet| set.count_among(layers, period);
        BlockCounts {
            layers,
            attention: of(&self.attention),
            window: of(&self.window),
            recurrent: of(&self.recurrent),
            dense: of(&self.dense),
            experts: of(&self.experts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAMBA: LayerKind = LayerKind { mixer: Mixer::Recurrent, mlp: Mlp::None };
    const EXPERTS: LayerKind = LayerKind { mixer: Mixer::None, mlp: Mlp::Experts };

    #[test]
    fn a_list_repeats_over_the_layers() {
        let two = Pattern::from_layers([MAMBA, EXPERTS]);
        for layers in 0..600 {
            let blocks = two.blocks_among(layers);
            assert_eq!((blocks.recurrent, blocks.experts), (layers.div_ceil(2), layers / 2));
        }
    }

    #[test]
    fn a_list_gives_back_its_layers_and_is_full_at_its_most() {
        let mixers = [Mixer::None, Mixer::Attention, Mixer::Window, Mixer::Recurrent, Mixer::Both];
        let kinds: Vec<_> = (0..300)
            .map(|layer| LayerKind {
                mixer: mixers[layer % 5],
                mlp: [Mlp::None, Mlp::Dense, Mlp::Experts][layer / 5 % 3],
            })
            .collect();
        let pattern = Pattern::from_layers(kinds.iter().copied());
        assert_eq!(pattern.period() as usize, Pattern::MOST);
        assert_eq!(pattern.distinct().count(), 15);
        assert!(pattern.distinct().all(|kind| kinds.contains(&kind)));
        assert!(pattern.kinds().eq(kinds[..Pattern::MOST].iter().copied()));
        assert_eq!(pattern.last_among(Pattern::MOST as u32), Some(kinds[Pattern::MOST - 1]));
        for kind in pattern.distinct() {
            let pairs = kinds[..Pattern::MOST].windows(2);
            let beside = |other| pairs.clone().any(|pair| pair == [kind, other] || pair == [other, kind]);
            let expected: Vec<_> = pattern.distinct().filter(|&other| beside(other)).collect();
            assert!(pattern.kinds_next_to(kind).eq(expected), "{kind:?}");
        }
        let attention = kinds[..77].iter().filter(|kind| !matches!(kind.mixer, Mixer::None | Mixer::Recurrent)).count();
        assert_eq!(pattern.blocks_among(77).attention as usize, attention);
    }
}

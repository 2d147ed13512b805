//! Which layers of a model have which blocks: layers as a list.

#![expect(clippy::indexing_slicing, reason = "the numbers of layers and kinds are below the lengths of their arrays")]

use super::Architecture;

/// What mixes the tokens of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mixer {
    /// Nothing: the layer is an MLP, or experts, alone (Nemotron-H).
    None,
    /// Attention over the whole sequence.
    Attention,
    /// Attention within a window of [`Architecture::sliding_window`] keys.
    Window,
    /// A state of a fixed size: [`Architecture::recurrent`].
    Recurrent,
    /// Attention and a state side by side (Falcon-H1).
    Both,
}

/// What follows the mixer in a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mlp {
    /// Nothing: the mixer is the layer (Nemotron-H).
    None,
    /// A dense MLP.
    Dense,
    /// Experts: [`Architecture::experts`].
    Experts,
}

/// The blocks of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LayerKind {
    /// What mixes its tokens.
    pub mixer: Mixer,
    /// What follows.
    pub mlp: Mlp,
}

/// Layers of a model, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct LayerSet([u64; Self::WORDS]);

impl LayerSet {
    const WORDS: usize = Pattern::MOST / 64;
    const NONE: Self = Self([0; Self::WORDS]);

    const fn with(mut self, layer: usize) -> Self {
        self.0[layer / 64] |= 1 << (layer % 64);
        self
    }

    const fn has(&self, layer: usize) -> bool {
        self.0[layer / 64] >> (layer % 64) & 1 == 1
    }

    /// The first `layers`.
    fn first(layers: u32) -> Self {
        let word = |from: u32| {
            let taken = layers.saturating_sub(from).min(64);
            if taken == 64 { u64::MAX } else { (1 << taken) - 1 }
        };
        Self([word(0), word(64), word(128), word(192)])
    }

    /// Those that are not among others.
    fn without(&self, others: &Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, others.0);
        Self([a & !e, b & !f, c & !g, d & !h])
    }

    /// The layers before and after each.
    fn shifted(&self) -> Self {
        let [a, b, c, d] = self.0;
        Self([
            a << 1 | a >> 1 | b << 63,
            b << 1 | a >> 63 | b >> 1 | c << 63,
            c << 1 | b >> 63 | c >> 1 | d << 63,
            d << 1 | c >> 63 | d >> 1,
        ])
    }

    /// Whether one is among others.
    fn meets(&self, others: &Self) -> bool {
        self.0.iter().zip(others.0).any(|(mine, theirs)| mine & theirs != 0)
    }

    /// Those of the first `layers`, of a list of `period` that repeats.
    fn among(&self, layers: u32, period: u32) -> u32 {
        let (whole, left) = (layers / period, layers % period);
        let mut some = 0;
        let mut all = 0;
        for (index, word) in (0_u32..).step_by(64).zip(self.0) {
            all += word.count_ones();
            let taken = left.saturating_sub(index).min(64);
            let mask = if taken == 64 { u64::MAX } else { (1 << taken) - 1 };
            some += (word & mask).count_ones();
        }
        whole * all + some
    }
}

/// The layers of a model as a list that repeats over [`Architecture::num_hidden_layers`]; empty where every layer has attention and an
/// MLP or experts, as the other fields say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    period: u32,
    attention: LayerSet,
    window: LayerSet,
    recurrent: LayerSet,
    dense: LayerSet,
    experts: LayerSet,
    /// Its kinds of layer, one bit each: [`KINDS`].
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

/// Layers of a part of a model, by the blocks that they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct BlockCounts {
    /// Layers.
    pub layers: u32,
    /// Of them with attention, over the whole sequence or within a window.
    pub attention: u32,
    /// Of these within a window, where the pattern says which.
    pub window: u32,
    /// With a state of a fixed size.
    pub recurrent: u32,
    /// With a dense MLP.
    pub dense: u32,
    /// With experts.
    pub experts: u32,
}

impl BlockCounts {
    /// These layers and those of another part.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            layers: self.layers.saturating_add(other.layers),
            attention: self.attention.saturating_add(other.attention),
            window: self.window.saturating_add(other.window),
            recurrent: self.recurrent.saturating_add(other.recurrent),
            dense: self.dense.saturating_add(other.dense),
            experts: self.experts.saturating_add(other.experts),
        }
    }

    /// What is left without the layers of another part.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self {
            layers: self.layers.saturating_sub(other.layers),
            attention: self.attention.saturating_sub(other.attention),
            window: self.window.saturating_sub(other.window),
            recurrent: self.recurrent.saturating_sub(other.recurrent),
            dense: self.dense.saturating_sub(other.dense),
            experts: self.experts.saturating_sub(other.experts),
        }
    }
}

impl Pattern {
    /// Layers of a list at most.
    pub const MOST: usize = 256;

    /// The empty list: the other fields of the architecture say which layer is which.
    pub const NONE: Self = Self {
        period: 0,
        attention: LayerSet::NONE,
        window: LayerSet::NONE,
        recurrent: LayerSet::NONE,
        dense: LayerSet::NONE,
        experts: LayerSet::NONE,
        kinds: 0,
    };

    /// The list of these layers; those beyond [`Self::MOST`] are left out.
    ///
    /// ```
    /// # use engine::model::transformer::pattern::{LayerKind, Mixer, Mlp, Pattern};
    /// // Jamba: one layer of eight has attention, every second one experts (arXiv 2403.19887, section 3.1).
    /// let of = |layer: u32| LayerKind {
    ///     mixer: if layer == 4 { Mixer::Attention } else { Mixer::Recurrent },
    ///     mlp: if layer % 2 == 1 { Mlp::Experts } else { Mlp::Dense },
    /// };
    /// let jamba = Pattern::of((0..8).map(of));
    /// let all = jamba.among(32);
    /// assert_eq!((all.attention, all.recurrent, all.dense, all.experts), (4, 28, 16, 16));
    /// ```
    pub fn of(layers: impl IntoIterator<Item = LayerKind>) -> Self {
        layers.into_iter().take(Self::MOST).fold(Self::NONE, Self::then)
    }

    /// The list with one more layer; unchanged where it is full.
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

    /// Whether it says which layer is which.
    pub const fn is_used(&self) -> bool {
        self.period > 0
    }

    /// The last layer of the list; `None` of the empty one.
    pub fn last(&self) -> Option<LayerKind> {
        let last = (self.period as usize).checked_sub(1)?;
        self.distinct().find(|kind| self.layers_of(*kind).has(last))
    }

    /// Layers of the list, before it repeats.
    pub const fn period(&self) -> u32 {
        self.period
    }

    /// The layers of the list.
    pub fn kinds(&self) -> impl Iterator<Item = LayerKind> + '_ {
        (0..self.period as usize).map(|layer| LayerKind {
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
        })
    }

    /// The kinds of layer that the list has, each once.
    pub fn distinct(&self) -> impl Iterator<Item = LayerKind> + use<> {
        let kinds = self.kinds;
        KINDS.into_iter().enumerate().filter(move |(index, _)| kinds >> index & 1 == 1).map(|(_, kind)| kind)
    }

    /// The kinds of layer before or after a layer of this kind, each once.
    ///
    /// ```
    /// # use engine::scenario::layers::read_layers;
    /// // Nemotron-H: an MLP has a mixer on either side.
    /// let list = read_layers("s.d.s.d.a.d").unwrap();
    /// let mlp = list.kinds().nth(1).unwrap();
    /// assert!(list.beside(mlp).all(|kind| kind != mlp));
    /// assert_eq!(list.beside(mlp).count(), 2);
    /// ```
    pub fn beside(&self, kind: LayerKind) -> impl Iterator<Item = LayerKind> + use<> {
        let list = *self;
        let own = list.layers_of(kind);
        // A list of one layer repeats.
        let around = if list.period == 1 { own } else { own.shifted() };
        list.distinct().filter(move |&other| around.meets(&list.layers_of(other)))
    }

    /// The layers of one kind.
    fn layers_of(&self, kind: LayerKind) -> LayerSet {
        let all = LayerSet::first(self.period);
        let of_mixer = match kind.mixer {
            Mixer::None => all.without(&self.attention).without(&self.recurrent),
            Mixer::Attention => self.attention.without(&self.window).without(&self.recurrent),
            Mixer::Window => self.window.without(&self.recurrent),
            Mixer::Recurrent => self.recurrent.without(&self.attention),
            Mixer::Both => self.recurrent.without(&self.recurrent.without(&self.attention)),
        };
        match kind.mlp {
            Mlp::None => of_mixer.without(&self.dense).without(&self.experts),
            Mlp::Dense => of_mixer.without(&of_mixer.without(&self.dense)).without(&self.experts),
            Mlp::Experts => of_mixer.without(&of_mixer.without(&self.experts)),
        }
    }

    /// The kinds among the first `layers` layers, each once: a model may have fewer layers than its list.
    pub fn distinct_among(&self, layers: u32) -> impl Iterator<Item = LayerKind> + use<> {
        let cut = layers < self.period;
        let kinds = if cut { Self::of(self.kinds().take(layers as usize)).kinds } else { self.kinds };
        Self { kinds, ..Self::NONE }.distinct()
    }

    /// The blocks of the first `layers` layers; of a list that is not empty.
    pub fn among(&self, layers: u32) -> BlockCounts {
        let period = self.period.max(1);
        let of = |set: &LayerSet| set.among(layers, period);
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

/// Shares of some layers that have a block: what is per layer in the model is the mean over them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerShares {
    /// Attention.
    pub attention: f64,
    /// A state of a fixed size.
    pub recurrent: f64,
    /// An MLP, or experts in its place.
    pub mlp: f64,
    /// Experts.
    pub moe: f64,
}

impl LayerShares {
    /// Layers of attention and a dense MLP.
    pub const DENSE: Self = Self::mixture(0.0);

    /// Layers of attention and an MLP, `moe` of them with experts in its place.
    pub const fn mixture(moe: f64) -> Self {
        Self { attention: 1.0, recurrent: 0.0, mlp: 1.0, moe }
    }

    /// Of some layers, by the blocks that they have.
    pub fn of(counts: BlockCounts) -> Self {
        let share = |some: u32| f64::from(some) / f64::from(counts.layers.max(1));
        Self {
            attention: share(counts.attention),
            recurrent: share(counts.recurrent),
            mlp: share(counts.dense.saturating_add(counts.experts)),
            moe: share(counts.experts),
        }
    }

    /// Of layers of one kind.
    pub fn of_kind(kind: LayerKind) -> Self {
        let one = |is: bool| f64::from(u8::from(is));
        Self {
            attention: one(matches!(kind.mixer, Mixer::Attention | Mixer::Window | Mixer::Both)),
            recurrent: one(matches!(kind.mixer, Mixer::Recurrent | Mixer::Both)),
            mlp: one(kind.mlp != Mlp::None),
            moe: one(kind.mlp == Mlp::Experts),
        }
    }

    /// A dense MLP.
    pub fn dense(&self) -> f64 {
        self.mlp - self.moe
    }

    /// Whether every layer has attention and an MLP or experts.
    pub fn is_uniform(&self) -> bool {
        self.attention == 1.0 && self.recurrent == 0.0 && self.mlp == 1.0
    }
}

impl Architecture {
    /// The blocks of the first `layers` layers.
    ///
    /// ```
    /// # use engine::catalog;
    /// // DeepSeek V3: 61 layers, the first three dense (arXiv 2412.19437, section 4.2).
    /// let v3 = catalog::model("deepseek-v3").unwrap().architecture;
    /// let blocks = v3.blocks_among(61);
    /// assert_eq!((blocks.attention, blocks.dense, blocks.experts), (61, 3, 58));
    /// ```
    pub fn blocks_among(&self, layers: u32) -> BlockCounts {
        if self.pattern.is_used() {
            let blocks = self.pattern.among(layers);
            // A list may name experts that the model does not have: a link was cut.
            return match self.experts.num_experts {
                0 => BlockCounts { dense: blocks.dense + blocks.experts, experts: 0, ..blocks },
                _ => blocks,
            };
        }
        let experts = self.experts.layers_among(layers);
        BlockCounts { layers, attention: layers, window: 0, recurrent: 0, dense: layers - experts, experts }
    }

    /// The blocks of all layers.
    pub fn blocks(&self) -> BlockCounts {
        self.blocks_among(self.num_hidden_layers)
    }

    /// The shares of layers of one kind.
    pub fn shares_of_kind(&self, kind: LayerKind) -> LayerShares {
        let shares = LayerShares::of_kind(kind);
        if self.experts.num_experts == 0 { LayerShares { moe: 0.0, ..shares } } else { shares }
    }

    /// The shares of all layers that have a block.
    pub fn shares(&self) -> LayerShares {
        if self.pattern.is_used() { LayerShares::of(self.blocks()) } else { LayerShares::mixture(self.moe_share()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAMBA: LayerKind = LayerKind { mixer: Mixer::Recurrent, mlp: Mlp::None };
    const EXPERTS: LayerKind = LayerKind { mixer: Mixer::None, mlp: Mlp::Experts };

    #[test]
    fn a_list_repeats_over_the_layers() {
        let two = Pattern::of([MAMBA, EXPERTS]);
        for layers in 0..600 {
            let blocks = two.among(layers);
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
        let pattern = Pattern::of(kinds.iter().copied());
        assert_eq!(pattern.period() as usize, Pattern::MOST);
        assert_eq!(pattern.distinct().count(), 15);
        assert!(pattern.distinct().all(|kind| kinds.contains(&kind)));
        assert!(pattern.kinds().eq(kinds[..Pattern::MOST].iter().copied()));
        assert_eq!(pattern.last(), Some(kinds[Pattern::MOST - 1]));
        for kind in pattern.distinct() {
            let pairs = kinds[..Pattern::MOST].windows(2);
            let beside = |other| pairs.clone().any(|pair| pair == [kind, other] || pair == [other, kind]);
            let expected: Vec<_> = pattern.distinct().filter(|&other| beside(other)).collect();
            assert!(pattern.beside(kind).eq(expected), "{kind:?}");
        }
        let attention = kinds[..77].iter().filter(|kind| !matches!(kind.mixer, Mixer::None | Mixer::Recurrent)).count();
        assert_eq!(pattern.among(77).attention as usize, attention);
    }
}

//! The matrix products of a block.

/// A product's place in its layer. It determines the adapters that the product may have, the tensor
/// that it reads, and the modules whose recomputation repeats it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Queries, from the residual stream.
    Query,
    /// The gate of attention's output, a part of the queries' matrix.
    AttentionGate,
    /// Keys.
    Key,
    /// Values.
    Value,
    /// Attention's output projection.
    Output,
    /// Latent attention: from the residual stream to a low rank.
    ToRank,
    /// Latent attention: queries from their rank, or from the residual stream if they have none.
    QueryFromRank,
    /// Latent attention: keys and values from their rank.
    KeyValueFromRank,
    /// A recurrent mixer's input projection.
    StateInput,
    /// A recurrent mixer's low ranks and block-wise gates.
    StateInner,
    /// A recurrent mixer's output projection.
    StateOutput,
    /// An MLP's gate.
    Gate,
    /// An MLP's projection to its width.
    Up,
    /// An MLP's projection from its width.
    Down,
    /// The scores of the experts.
    Router,
    /// From the residual stream to the latent width of routed experts, and back.
    ExpertLatent,
    /// Matrices that no field of the architecture describes.
    Uncounted,
}

impl Role {
    /// Whether it is a matrix of its own in attention or an MLP.
    const fn is_of_attention_or_mlp(self) -> bool {
        match self {
            Self::Query
            | Self::Key
            | Self::Value
            | Self::Output
            | Self::ToRank
            | Self::QueryFromRank
            | Self::KeyValueFromRank
            | Self::Gate
            | Self::Up
            | Self::Down => true,
            Self::AttentionGate
            | Self::StateInput
            | Self::StateInner
            | Self::StateOutput
            | Self::Router
            | Self::ExpertLatent
            | Self::Uncounted => false,
        }
    }
}

/// The split of a product over the GPUs of tensor parallelism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// Its columns.
    Columns,
    /// Its rows, the contracted dimension: the results are added up.
    Rows,
    /// Not at all: every GPU computes the whole product.
    Whole,
    /// Its tokens: every GPU has the whole matrix.
    Tokens,
}

/// A matrix product, with the widths that one GPU computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operator {
    /// The place in the layer.
    pub role: Role,
    /// Width of the input, which is contracted.
    pub inner: f64,
    /// Width of the output; 0 if the product does not exist.
    pub outer: f64,
    /// Elements of the matrix, `inner outer` but for block-wise matrices.
    pub weights: f64,
    /// Elements of the bias on all GPUs.
    pub bias: f64,
    /// The split over tensor parallelism.
    pub split: Split,
    /// Kernels that compute it: 0 if it is computed in one with the product before it, which has
    /// the same input.
    pub kernels: f64,
}

impl Operator {
    /// No product.
    pub const NONE: Self = Self {
        role: Role::Uncounted,
        inner: 0.0,
        outer: 0.0,
        weights: 0.0,
        bias: 0.0,
        split: Split::Whole,
        kernels: 0.0,
    };

    /// Returns a product of `inner` by `outer` elements on every GPU.
    pub fn whole(role: Role, inner: f64, outer: f64) -> Self {
        Self { role, inner, outer, weights: inner * outer, kernels: 1.0, ..Self::NONE }
    }

    /// Returns a product whose `outer` columns are split over `tp` GPUs.
    pub fn by_columns(role: Role, inner: f64, outer: f64, tp: f64) -> Self {
        Self { split: Split::Columns, ..Self::whole(role, inner, outer / tp) }
    }

    /// Returns a product whose `inner` rows are split over `tp` GPUs.
    pub fn by_rows(role: Role, inner: f64, outer: f64, tp: f64) -> Self {
        Self { split: Split::Rows, ..Self::whole(role, inner / tp, outer) }
    }

    /// Returns the product with a bias of this many elements, if it has one.
    #[must_use]
    pub fn biased(self, elements: f64, is_biased: bool) -> Self {
        Self { bias: if is_biased { elements } else { 0.0 }, ..self }
    }

    /// Returns the product as part of the kernel of the product before it.
    #[must_use]
    pub fn joined(self) -> Self {
        Self { kernels: 0.0, ..self }
    }

    /// Returns the product if it exists.
    #[must_use]
    pub fn when(self, exists: bool) -> Self {
        if exists { self } else { Self::NONE }
    }

    /// Whether the product exists.
    pub fn is_used(&self) -> bool {
        self.outer > 0.0
    }

    /// Returns the elements of the matrix that one of `tp` GPUs holds.
    pub fn held(&self, tp: f64) -> f64 {
        if self.split == Split::Tokens { self.weights * tp } else { self.weights }
    }
}

/// Maximum number of products of a block.
const MOST: usize = 6;

/// The products of one block, in the order of the forward pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Products([Operator; MOST]);

impl Products {
    /// Returns the list of these products.
    pub const fn new(products: [Operator; MOST]) -> Self {
        Self(products)
    }

    /// Returns a list of three products.
    pub const fn three([first, second, third]: [Operator; 3]) -> Self {
        Self([first, second, third, Operator::NONE, Operator::NONE, Operator::NONE])
    }

    /// Returns the first three products.
    pub(super) const fn first_three(&self) -> [Operator; 3] {
        let [first, second, third, ..] = self.0;
        [first, second, third]
    }

    /// Iterates over the products that exist.
    pub fn iter(&self) -> impl Iterator<Item = &Operator> {
        self.0.iter().filter(|product| product.is_used())
    }

    /// Returns the product in a place of the layer; [`Operator::NONE`] if there is none.
    pub fn get(&self, role: Role) -> Operator {
        self.iter().find(|product| product.role == role).copied().unwrap_or(Operator::NONE)
    }

    /// Returns the sum of a quantity over the products.
    pub fn sum(&self, of: impl Fn(&Operator) -> f64) -> f64 {
        self.iter().map(of).sum()
    }

    /// Returns the elements of the matrices that one GPU computes with.
    pub fn weights(&self) -> f64 {
        self.sum(|product| product.weights)
    }

    /// Returns the elements of the biases on all GPUs.
    pub fn biases(&self) -> f64 {
        self.sum(|product| product.bias)
    }

    /// Returns the elements of the matrices that one of `tp` GPUs holds.
    pub fn held(&self, tp: f64) -> f64 {
        self.sum(|product| product.held(tp))
    }

    /// Returns the products of which every second one, beginning with the second, is recomputed
    /// where the outputs of the others are kept (torchtitan's selective recomputation): the
    /// projections of attention, whose gate is a part of the queries, and of MLPs, whose last
    /// output nothing reads.
    pub fn every_second(&self) -> impl Iterator<Item = &Operator> {
        let listed = self.iter().filter(|product| product.role.is_of_attention_or_mlp());
        listed.skip(1).step_by(2).filter(|product| product.role != Role::Down)
    }
}

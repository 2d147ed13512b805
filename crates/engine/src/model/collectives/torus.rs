//! A slice of TPUs: chips on a torus of two or three axes, each with a link to either neighbour on each axis.

/// Share of a chip's links that a group of `ranks` of `chips` on a torus of so many axes uses; 1 without a torus.
///
/// A group that fills the torus uses all links, one that fills an axis those of that axis, 1/2 or 1/3 of all. Between, the share of the
/// axes is taken as that of the bits, `log2 ranks / log2 chips`: JAX lays the axes of its mesh over those of the torus so that each has
/// as many as it needs (`jax.experimental.mesh_utils.create_device_mesh`).
///
/// Source of the rule that a ring over one axis has its two links alone, of three axes six: "How to Scale Your Model", chapter 3,
/// and Cloud TPU's documentation of v5p (4,800 Gbit/s a chip over six links).
///
/// ```
/// # use engine::model::collectives::torus::links;
/// // 16 chips in a row of a v5e's 16 x 16: half of the links. A plane of 4 x 4 x 4: two thirds.
/// assert_eq!(links(16, 256, 2), 0.5);
/// assert!((links(16, 64, 3) - 2.0 / 3.0).abs() < 1e-12);
/// assert_eq!((links(256, 256, 2), links(8, 72, 0)), (1.0, 1.0));
/// ```
pub fn links(ranks: u32, chips: u32, axes: u32) -> f64 {
    if axes < 2 || ranks <= 1 || ranks >= chips {
        return 1.0;
    }
    f64::from(bits(ranks)) / f64::from(bits(chips))
}

/// Axes that a number of chips has: the logarithm to base 2, rounded up.
fn bits(chips: u32) -> u32 {
    chips.next_power_of_two().ilog2().max(1)
}

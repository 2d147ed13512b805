//! A slice of TPUs: chips on a torus of two or three axes, each with a link to either neighbour on
//! each axis.

/// Returns the share of a chip's links that a group of `ranks` of `chips` uses on a torus of `axes`
/// axes; 1 without a torus.
///
/// A group that fills the torus uses all links, one that fills an axis the links of that axis, 1/2
/// or 1/3 of all. In between, the share is that of the bits, `log2 ranks / log2 chips`: JAX maps
/// the axes of its mesh to as many torus axes as each needs
/// (`jax.experimental.mesh_utils.create_device_mesh`).
///
/// Source for a ring over one axis using only its two links, and over three axes six: "How to Scale
/// Your Model", chapter 3, and Cloud TPU's documentation of v5p (4,800 Gbit/s a chip over six
/// links).
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

/// Returns the factor by which the bisection of a torus slows an all-to-all of a group that uses
/// the share `links` of its chips' links, relative to chips that send at the rate of those links:
/// `k u / 4` on u axes of k chips each, and at least 1.
///
/// Half of all bytes cross the middle of the longest axis, over two links a row and direction: `S k
/// / (4 W)` for S bytes a chip, with W the rate of the two links of one axis ("How to Scale Your
/// Model", chapter 3, all-to-all: `V / 4 W` in a ring of V bytes in all, and `max(A, B, C) / N` of
/// that on a torus of N chips).
///
/// ```
/// # use engine::model::collectives::torus::crossing;
/// // A ring of 16, a plane of 16 x 16, and a cube of 4 x 4 x 4, of which two thirds are a plane of 4 x 4.
/// assert_eq!((crossing(16, 0.5, 2), crossing(256, 1.0, 2), crossing(64, 1.0, 3), crossing(16, 2.0 / 3.0, 3)), (4.0, 8.0, 3.0, 2.0));
/// assert_eq!(crossing(64, 1.0, 0), 1.0);
/// ```
pub fn crossing(ranks: u32, links: f64, axes: u32) -> f64 {
    if axes < 2 || ranks <= 1 {
        return 1.0;
    }
    // Rounding leaves 2/3 of three axes a little above two.
    let used = (links * f64::from(axes) - 1e-9).ceil().max(1.0);
    let longest = f64::from(1_u32 << bits(ranks).div_ceil(used as u32).min(30));
    (longest * used / 4.0).max(1.0)
}

/// Returns the bits of a number of chips: its logarithm to base 2, rounded up, at least 1.
fn bits(chips: u32) -> u32 {
    chips.next_power_of_two().ilog2().max(1)
}

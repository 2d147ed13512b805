//! The layouts of a batch of which each is the best at some GPU memory and some link: found once,
//! then evaluated anywhere. Memory decides only which layouts fit, and a link only how fast they
//! are, so that a figure over either asks the same search as everywhere ([`crate::ranking`])
//! without repeating it at every place.

use super::change::errors;
use super::execution::{options, polished, tuned, with_options};
use super::held::Held;
use super::layout_space::{LARGEST_MICRO_BATCH, LayoutSpace, sequences};
use super::layouts::LayoutSearch;
use super::network::with_link;
use super::search::{Objective, Screening, Search};
use super::sweep::Sample;
use engine::model::odds::{Curve, SURE};
use engine::params::ParamId;
use engine::scenario::Scenario;
use engine::units::{Bytes, BytesPerSecond};

/// Halvings that locate the room from which a run fits surely: to a millionth.
const HALVINGS: u32 = 24;
/// Most room considered, in needs: with eight times what it needs every run fits surely.
const MOST_ROOM: f64 = 8.0;
/// Times that a layout's needs are above the memory at which its options are chosen, so that it
/// still fits surely there.
const ABOVE: f64 = 1.001;
/// Times that count as plenty.
const PLENTY: f64 = 2.0;
/// Factor of the links beside the scenario's own on which layouts are compared.
const TWICE: f64 = 2.0;
/// Most combinations of a layout without savers for which several links are searched.
const MOST: usize = 4_000;

/// A layout at one place: its speed, and the memory from which it fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// The place of the layout in its pool.
    layout: usize,
    /// The memory savers that the layout has; layouts with more are tried only where none with
    /// fewer fits surely.
    rung: usize,
    /// Whether the framework cannot run the layout.
    lacks: bool,
    /// The results, with the capacity of the place.
    pub sample: Sample,
    /// The usable memory from which the layout fits.
    pub fits_from: Bytes,
    /// The usable memory from which it fits surely.
    pub sure_from: Bytes,
}

impl Tried {
    fn new((layout, rung): (usize, usize), lacks: bool, sample: Sample, rooms: &mut Rooms) -> Self {
        let fits_from = sample.least_capacity();
        let sure_from = Bytes::new((sample.needed * rooms.sure(sample.curve)).get().max(fits_from.get()));
        Self { layout, rung, lacks, sample, fits_from, sure_from }
    }

    fn is_sure(&self, capacity: Bytes) -> bool {
        self.sure_from <= capacity
    }
}

/// Returns the best of some layouts with a usable memory, by the rules of every search: layouts
/// that the framework can run first, then those that fit surely, then the fastest. `None` if none
/// fits.
pub fn best(tried: &[Tried], capacity: Bytes) -> Option<&Tried> {
    let most = tried.iter().map(|tried| tried.rung).max()?;
    let mut found: Option<&Tried> = None;
    for rung in 0..=most {
        let order = |tried: &&Tried| (tried.lacks, !tried.is_sure(capacity));
        let fitting = tried.iter().filter(|tried| tried.rung <= rung && tried.fits_from <= capacity);
        found = fitting.min_by(|one, other| {
            order(one).cmp(&order(other)).then(one.sample.step.get().total_cmp(&other.sample.step.get()))
        });
        if found.is_some_and(|found| found.is_sure(capacity)) {
            break;
        }
    }
    found
}

/// The room, in needs, from which runs fit surely, of the last curve of odds.
#[derive(Default)]
struct Rooms(Option<(Curve, f64)>);

impl Rooms {
    fn sure(&mut self, curve: Curve) -> f64 {
        match self.0 {
            Some((known, room)) if known == curve => room,
            _ => self.0.insert((curve, sure_room(curve))).1,
        }
    }
}

fn sure_room(curve: Curve) -> f64 {
    let (mut low, mut high) = (1.0, MOST_ROOM);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if curve.odds(middle) >= SURE {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// Step times within which the smaller of two layouts makes the other superfluous.
const SAME: f64 = 1.01;

/// The layouts found around a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutPool {
    /// The layouts, each with the memory savers that it has.
    layouts: Vec<(usize, Scenario)>,
}

impl LayoutPool {
    /// Finds the layouts that are the best at some memory, on the scenario's own link and on a slow
    /// and a fast one, and the best ones of the scenario itself.
    pub fn find(scenario: &Scenario) -> Self {
        let mut layouts: Vec<(usize, Scenario)> = Vec::new();
        let errors = errors(scenario);
        for link in links(scenario) {
            let there = with_link(scenario, link);
            let tuned = tuned(&there, Held::NOTHING);
            let space = LayoutSpace::new(&there, &tuned, sequences(scenario), LARGEST_MICRO_BATCH, Held::NOTHING);
            let savers = if there == *scenario { usize::MAX } else { 1 };
            if there != *scenario && space.rung() > MOST {
                break;
            }
            let savers = if space.rung() > MOST { 1 } else { savers };
            let front = Search::through(&space, Front::new(errors, (space.rung(), savers), &there));
            for (tried, layout) in front.kept {
                // Options may take memory, so they are chosen where it is just enough, and where
                // there is plenty.
                for plenty in [ABOVE, PLENTY] {
                    let mut roomy = layout;
                    let gpu = &mut roomy.accelerator.values;
                    gpu.memory *= plenty * (tried.sure_from / gpu.usable_memory());
                    let polished = polished(&roomy, &there, Held::NOTHING);
                    layouts.extend(unlike(&layouts, tried.rung, laid_out(&polished, scenario)));
                }
            }
        }
        let mut pool = Self { layouts };
        pool.learn(scenario);
        pool.keep_the_best(scenario);
        pool
    }

    /// Creates a pool of layouts that were found elsewhere, each with its memory savers.
    pub fn of(layouts: Vec<(usize, Scenario)>) -> Self {
        Self { layouts }
    }

    /// Returns the layouts, each with the memory savers that it has.
    pub fn layouts(&self) -> &[(usize, Scenario)] {
        &self.layouts
    }

    /// Drops the layouts that are the best nowhere: at no memory, on none of some links.
    fn keep_the_best(&mut self, scenario: &Scenario) {
        let own = scenario.network.values.inter_node;
        let links = links(scenario);
        let between = links.windows(2).filter_map(|pair| match pair {
            [one, other] => Some(BytesPerSecond::new((one.get() * other.get()).sqrt())),
            _ => None,
        });
        let mut is_best = vec![false; self.layouts.len()];
        for link in links.iter().copied().chain(between).chain([own * TWICE, own / TWICE]) {
            let tried = self.evaluate(&with_link(scenario, link));
            for from in tried.iter().flat_map(|one| [one.fits_from, one.sure_from]) {
                if let Some(found) = best(&tried, from).and_then(|found| is_best.get_mut(found.layout)) {
                    *found = true;
                }
            }
        }
        let mut is_best = is_best.into_iter();
        self.layouts.retain(|_| is_best.next().unwrap_or(true));
    }

    /// Adds the best layouts of a scenario, as the search of layouts finds them.
    pub fn learn(&mut self, scenario: &Scenario) {
        let mut search = LayoutSearch::new(scenario);
        while !search.ranking().is_over() {
            search.advance(usize::MAX);
        }
        let bases = LayoutSpace::new(scenario, scenario, 1, 1, Held::NOTHING);
        for layout in search.ranking().best() {
            let rung = bases.rung_of(&layout.scenario);
            self.layouts.extend(unlike(&self.layouts, rung, laid_out(&layout.scenario, scenario)));
        }
    }

    /// Evaluates the layouts on a scenario: the one that they were found around, with another GPU
    /// memory, another link, or another value of a slider. A layout that has no place there, as its
    /// degrees do not divide the GPUs, is left out.
    pub fn evaluate(&self, scenario: &Scenario) -> Vec<Tried> {
        let (mut rooms, sequences) = (Rooms::default(), sequences(scenario));
        let tried = |(place, &(rung, ref layout)): (usize, &(usize, Scenario))| {
            let moved = laid_out(layout, scenario);
            let replicas = moved.degrees().dp;
            let is_same = sequences == moved.micro_batch_size * moved.grad_accum_steps * replicas
                && moved.tp * moved.cp * moved.pp * replicas == moved.gpus;
            is_same.then(|| {
                Tried::new((place, rung), moved.lack().is_some(), Sample::from_report(&moved.report()), &mut rooms)
            })
        };
        self.layouts.iter().enumerate().filter_map(tried).collect()
    }

    /// Number of layouts.
    pub fn len(&self) -> usize {
        self.layouts.len()
    }

    /// Whether no layout was found.
    pub fn is_empty(&self) -> bool {
        self.layouts.is_empty()
    }
}

/// Returns a layout with its savers, if it is none of those known.
fn unlike(known: &[(usize, Scenario)], rung: usize, layout: Scenario) -> Option<(usize, Scenario)> {
    let is_known = known.iter().any(|(_, other)| laid_out(other, &layout) == layout);
    (!is_known).then_some((rung, layout))
}

/// The links on which layouts are searched: the scenario's own, the fast end of a figure's axis,
/// and one between the slow end and its own. A run on one node has only its own.
fn links(scenario: &Scenario) -> Vec<BytesPerSecond> {
    let own = scenario.network.values.inter_node;
    let Some((slow, fast)) = ParamId::LinkBandwidth.param().window else { return vec![own] };
    if scenario.gpus <= scenario.network.values.gpus_per_node {
        return vec![own];
    }
    let between = (slow * own.gbit_per_s()).sqrt();
    let mut links = vec![own];
    links.extend([between, fast].map(BytesPerSecond::from_gbit_per_s));
    links
}

/// Returns a scenario in the layout of another: what a search of layouts sets, and nothing else.
fn laid_out(layout: &Scenario, scenario: &Scenario) -> Scenario {
    let Scenario { micro_batch_size, grad_accum_steps, strategy, tp, cp, pp, ep, shard_size, .. } = *layout;
    let mut moved = with_options(*scenario, options(layout));
    moved.choices.recompute = layout.recompute;
    moved.choices.offload = layout.offload;
    moved.choices.trained.base = layout.trained.base;
    let sequences = sequences(scenario);
    moved = Scenario { micro_batch_size, grad_accum_steps, strategy, tp, cp, pp, ep, shard_size, ..moved };
    let together = micro_batch_size.saturating_mul(moved.degrees().dp).max(1);
    if sequences.is_multiple_of(together) {
        moved.grad_accum_steps = (sequences / together).max(1);
    }
    moved
}

/// The layouts of which none is both faster and smaller, with fewer savers.
struct Front {
    /// Number of errors of the scenario; a layout may have as many.
    errors: usize,
    /// Number of combinations with the same memory savers.
    rung: usize,
    /// Number of times that all combinations are tried, with more and more savers.
    savers: usize,
    /// The usable memory from which nothing smaller is asked for.
    least: Bytes,
    rooms: Rooms,
    kept: Vec<(Tried, Scenario)>,
}

impl Front {
    fn new(errors: usize, (rung, savers): (usize, usize), scenario: &Scenario) -> Self {
        let gpu = scenario.accelerator.values;
        let least = ParamId::GpuMemory
            .param()
            .window
            .map_or(gpu.usable_memory(), |(least, _)| Bytes::from_gib(least) * (gpu.usable_memory() / gpu.memory));
        Self { errors, rung: rung.max(1), savers, least, rooms: Rooms::default(), kept: Vec::new() }
    }

    /// Whether one layout makes another superfluous.
    fn beats(one: &Tried, other: &Tried) -> bool {
        one.rung <= other.rung
            && one.lacks <= other.lacks
            && one.sure_from <= other.sure_from
            && one.fits_from <= other.fits_from
            && one.sample.step <= other.sample.step * SAME
    }
}

impl Objective<Scenario> for Front {
    fn next(&mut self, place: usize) -> usize {
        let is_enough = || {
            place / self.rung >= self.savers
                || best(&self.tried(), self.least).is_some_and(|best| best.is_sure(self.least))
        };
        if place.is_multiple_of(self.rung) && is_enough() { usize::MAX } else { place }
    }

    fn weigh(&mut self, place: usize, candidate: &Scenario) -> Screening {
        let sample = Sample::from_report(&candidate.report());
        let mut tried = Tried::new((place, place / self.rung), false, sample, &mut self.rooms);
        if self.kept.iter().any(|(kept, _)| Self::beats(kept, &tried)) {
            return Screening::Misses;
        }
        tried.lacks = candidate.lack().is_some();
        if self.kept.iter().any(|(kept, _)| Self::beats(kept, &tried)) {
            return Screening::Misses;
        }
        // Hosts and validation are expensive, so they come last.
        if !candidate.host_memory().fits() || errors(candidate) > self.errors {
            return Screening::Misses;
        }
        self.kept.retain(|(kept, _)| !Self::beats(&tried, kept));
        self.kept.push((tried, *candidate));
        Screening::Fits
    }
}

impl Front {
    fn tried(&self) -> Vec<Tried> {
        self.kept.iter().map(|(tried, _)| *tried).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Layout;
    use links::decode;

    const LINKS: [&str; 5] = [
        "",
        "cluster=dgx-h100&model=llama-3.1-8b&gpus=64&seq=8192",
        "v=1&cluster=mi300x-platform&model=llama-3.1-70b&gpus=64&seq=8k",
        "cluster=dgx-h100&model=mixtral-8x7b&gpus=64&ep=8",
        "cluster=server-8x-4090&model=llama-3.1-8b&gpus=8&method=lora",
    ];

    fn searched(scenario: &Scenario) -> Option<Layout> {
        let mut search = LayoutSearch::new(scenario);
        while !search.ranking().is_over() {
            search.advance(usize::MAX);
        }
        search.best().copied()
    }

    fn pool_says(pool: &LayoutPool, scenario: &Scenario) -> Option<f64> {
        best(&pool.evaluate(scenario), scenario.accelerator.values.usable_memory()).map(|best| best.sample.mfu)
    }

    #[test]
    fn at_the_scenario_itself_the_best_is_that_of_the_search() {
        for link in LINKS {
            let scenario = decode(link).scenario;
            let found = searched(&scenario).unwrap().report.whole().mfu;
            let said = pool_says(&LayoutPool::find(&scenario), &scenario).unwrap();
            assert!((said / found - 1.0).abs() < 0.006, "{link}: {said} {found}");
        }
    }

    /// With another memory and another link, a search of its own finds nothing better by more than
    /// the options of execution are worth.
    #[test]
    fn elsewhere_the_best_is_near_that_of_a_search_there() {
        let mut near = 0;
        for link in LINKS {
            let scenario = decode(link).scenario;
            let pool = LayoutPool::find(&scenario);
            for (memory, gbit) in [(0.5, 1.0), (2.0, 1.0), (1.0, 0.25), (1.0, 4.0), (2.0, 2.0)] {
                let mut moved = scenario;
                let gpu = &mut moved.accelerator.values;
                gpu.memory *= memory;
                moved.network.values.inter_node *= gbit;
                let found = searched(&moved).map_or(0.0, |layout| layout.report.whole().mfu);
                let said = pool_says(&pool, &moved).unwrap_or(0.0);
                assert!(said > 0.9 * found && said < 1.01 * found, "{link} {memory} {gbit}: {said} {found}");
                near += usize::from(said > 0.99 * found);
            }
        }
        assert!(near >= 20, "{near} of 25");
    }

    #[test]
    fn more_memory_is_never_slower() {
        let scenario = decode(LINKS[1]).scenario;
        let tried = LayoutPool::find(&scenario).evaluate(&scenario);
        let mfu = |gib: u32| best(&tried, Bytes::from_gib(f64::from(gib))).map_or(0.0, |best| best.sample.mfu);
        // From the memory on that fits one surely: below it, a tight fit counts.
        let sure = (1..300)
            .find(|gib| tried.iter().any(|one| one.rung == 0 && one.is_sure(Bytes::from_gib(f64::from(*gib)))))
            .unwrap();
        let rising: Vec<f64> = (sure..300).map(mfu).collect();
        assert!(rising.is_sorted() && rising.last() > rising.first());
    }
}

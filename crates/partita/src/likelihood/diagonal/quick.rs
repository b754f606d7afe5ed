//! Differences of log densities for a comparison: one logarithm per cluster, not one per column.
//!
//! Where no cell is missing and all columns have the same `kappa` and `shape`, the powers of a cluster's Student t laws are
//! the same in all columns, and the logarithm of the product of their bases will do. Means and rates have the bits that
//! the densities are made of; only logarithms are put together in another way. That is off by rounding, and
//! [`slack`](Normals::slack) is above what it can come to: whoever compares with a number that is nearer asks for the
//! densities themselves.

use super::{Cells, LANES, Lanes, NormalCluster, Normals};
use crate::special::log;

/// What all columns have in common.
#[derive(Debug, Clone)]
pub(super) struct Alike {
    kappa: f64,
    shape: f64,
    /// The rates of the priors; 1 for columns that only fill the lanes.
    rates: Vec<[f64; LANES]>,
    /// The constants of the densities by count, summed over columns, and the sums of these over all smaller counts.
    norms: Vec<f64>,
    sums: Vec<f64>,
    /// `shape * ln rate`, summed over columns.
    base: f64,
    /// The logarithm of a rate, its count and the columns: what an error grows with.
    slack: f64,
    columns: usize,
}

/// What follows from a cluster's statistics, for all columns.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Quick {
    half_shrink: f64,
    /// `kappa_n / kappa_(n-1) / 2`.
    half_grow: f64,
    /// `a_n`.
    shape: f64,
    /// The constants of the densities given the cluster, and given one item less.
    norm: f64,
    norm_less: f64,
    /// The sum of all `ln b_n`; NaN where their product was too much.
    log_rates: f64,
}

/// A product of many positive numbers: `mantissa * 2^exponent`.
#[derive(Debug, Clone, Copy)]
struct Product {
    mantissa: f64,
    exponent: f64,
}

impl Product {
    /// Logarithms of products whose mantissas have neither overflown nor underflown; else none.
    #[inline(always)]
    fn logs<const N: usize>(products: [Product; N]) -> Option<[f64; N]> {
        let (mut logs, mut exponents) = ([0.0; N], [0.0; N]);
        for ((log, exponent), product) in logs.iter_mut().zip(&mut exponents).zip(&products) {
            (*log, *exponent) = (product.mantissa, product.exponent);
        }
        // All are looked at, without a branch for each; the logarithm of others is nothing's.
        let mut fine = true;
        for out in &mut logs {
            let is_fine = (*out > 1e-290) & (*out < 1e290);
            fine &= is_fine;
            *out = log(if is_fine { *out } else { 1.0 });
        }
        for (out, exponent) in logs.iter_mut().zip(exponents) {
            *out += exponent * std::f64::consts::LN_2;
        }
        fine.then_some(logs)
    }
}

/// A product in the making, lane by lane.
#[derive(Clone, Copy)]
struct Products {
    mantissas: [f64; LANES],
    exponents: [f64; LANES],
}

impl Products {
    const ONE: Self = Products { mantissas: [1.0; LANES], exponents: [0.0; LANES] };

    #[inline(always)]
    fn times(&mut self, factors: [f64; LANES]) {
        for (mantissa, factor) in self.mantissas.iter_mut().zip(factors) {
            *mantissa *= factor;
        }
    }

    /// Brings positive mantissas back to between 1 and 2; others become something whose product is not fine.
    #[inline(always)]
    fn reduce(&mut self) {
        for lane in 0..LANES {
            let bits = self.mantissas[lane].to_bits();
            let exponent = f64::from_bits((bits >> 52) | 0x4330_0000_0000_0000);
            let wild = !(self.mantissas[lane] > 1e-290 && self.mantissas[lane] < 1e290);
            let mantissa = f64::from_bits((bits & 0x000F_FFFF_FFFF_FFFF) | 0x3FF0_0000_0000_0000);
            self.mantissas[lane] = if wild { f64::NAN } else { mantissa };
            self.exponents[lane] += exponent - (4_503_599_627_370_496.0 + 1023.0);
        }
    }

    #[inline(always)]
    fn product(&self) -> Product {
        let (m, e) = (self.mantissas, self.exponents);
        Product { mantissa: (m[0] * m[2]) * (m[1] * m[3]), exponent: (e[0] + e[2]) + (e[1] + e[3]) }
    }
}

/// Chunks after which a product is reduced; a table of no more needs no exponents at all.
const BEFORE_REDUCING: usize = 2;

impl Alike {
    /// What the columns of a table have in common; none where they have not.
    pub(super) fn of(normals: &Normals, columns: usize, items: usize) -> Option<Self> {
        let first = normals.priors.first()?;
        let (kappa, shape) = (first.kappa, first.shape);
        let priors = &normals.priors[..columns];
        let cell = |at: usize| normals.cells[at / LANES].seen[at % LANES] > 0.0;
        let whole = |item: usize| (0..columns).all(|column| cell(item * normals.width * LANES + column));
        if !(priors.iter().all(|p| (p.kappa, p.shape) == (kappa, shape)) && (0..items).all(whole)) {
            return None;
        }
        let rates = normals.priors.chunks_exact(LANES);
        let rates = rates.map(|priors| std::array::from_fn(|lane| priors[lane].rate)).collect();
        // One table serves all columns of the same kappa and shape.
        let start = normals.starts[0];
        let norms: Vec<f64> =
            normals.norms[start..=start + items].iter().map(|norm| norm * columns as f64).collect();
        let add = |sum: &mut f64, norm: &f64| {
            let before = *sum;
            *sum += norm;
            Some(before)
        };
        let sums = norms.iter().scan(0.0, add).collect();
        let base = priors.iter().map(|p| p.shape * crate::math::ln(p.rate)).sum();
        let (lanes, power) = ((normals.width * LANES) as f64, shape + 0.5 * items as f64 + 1.0);
        // No logarithm is above 710, and each is right to 2.5e-16; so is the rest, which is of the same order.
        let slack = 1e-13 * 710.0 * lanes * power;
        Some(Alike { kappa, shape, rates, norms, sums, base, slack, columns })
    }
}

impl Normals {
    /// Only sums and the first count where [`settle`](Self::settle) and [`complete`](Self::complete) do the rest. No side
    /// loses its last item, which would take with it what rounding has left in the sums.
    #[inline(always)]
    pub(in super::super) fn shift(&self, from: &mut NormalCluster, to: &mut NormalCluster, item: usize) {
        if self.alike.is_none() {
            self.insert(to, item);
            self.remove(from, item);
            return;
        }
        let row = self.row(item);
        to.lanes[0].count[0] += 1;
        from.lanes[0].count[0] -= 1;
        debug_assert!(from.lanes[0].count[0] > 0, "a side keeps an item");
        for ((from, to), cells) in from.lanes.iter_mut().zip(&mut to.lanes).zip(row) {
            for lane in 0..LANES {
                let x = cells.x[lane];
                to.sum[lane] += x;
                to.square[lane] += x * x;
                from.sum[lane] -= x;
                from.square[lane] -= x * x;
            }
        }
    }

    /// Means, rates, and what all columns have in common.
    #[inline(always)]
    pub(in super::super) fn settle(&self, cluster: &mut NormalCluster) {
        let Some(alike) = &self.alike else { return };
        let n = cluster.lanes[0].count[0];
        let kappa = alike.kappa + f64::from(n);
        let (mut rates, chunks) = (Products::ONE, cluster.lanes.len());
        for (chunk, (lanes, least)) in cluster.lanes.iter_mut().zip(&alike.rates).enumerate() {
            means_and_rates(lanes, least, kappa);
            rates.times(lanes.rate);
            if chunks > BEFORE_REDUCING && chunk % BEFORE_REDUCING == 1 {
                rates.reduce();
            }
        }
        cluster.quick = Quick {
            half_shrink: 0.5 * kappa / (kappa + 1.0),
            half_grow: 0.5 * kappa / (kappa - 1.0),
            shape: alike.shape + 0.5 * f64::from(n),
            norm: alike.norms[n as usize],
            norm_less: alike.norms[(n as usize).saturating_sub(1)],
            log_rates: Product::logs([rates.product()]).map_or(f64::NAN, |[log]| log),
        };
    }

    /// Everything else, after [`shift`](Self::shift).
    #[inline(always)]
    pub(in super::super) fn complete(&self, cluster: &mut NormalCluster) {
        if let Some(alike) = &self.alike {
            let n = cluster.lanes[0].count[0];
            for (chunk, lanes) in cluster.lanes.iter_mut().enumerate() {
                for (lane, count) in lanes.count.iter_mut().enumerate() {
                    *count = if chunk * LANES + lane < alike.columns { n } else { 0 };
                }
                self.follow(lanes, chunk);
            }
        }
    }

    /// The log density of an item given `other` less that given the rest of `own`, in which it is not alone: to within
    /// the slack.
    #[inline(always)]
    pub(in super::super) fn quick_difference(
        &self,
        own: &NormalCluster,
        other: &NormalCluster,
        item: usize,
    ) -> Option<f64> {
        let alike = self.alike.as_ref()?;
        let (here, there) = (&own.quick, &other.quick);
        let (mut before, mut after) = (Products::ONE, Products::ONE);
        let row = self.row(item);
        let chunks = row.len();
        let (own, other, least) = (&own.lanes[..chunks], &other.lanes[..chunks], &alike.rates[..chunks]);
        let (shrink, grow) = (there.half_shrink, here.half_grow);
        // Five to eight columns are many a table's.
        if let ([own, own_too], [other, other_too], [least, least_too], [cells, cells_too]) =
            (own, other, least, row)
        {
            after.times(rates_with(other, cells, shrink));
            after.times(rates_with(other_too, cells_too, shrink));
            before.times(rates_without(own, cells, grow, least));
            before.times(rates_without(own_too, cells_too, grow, least_too));
        } else {
            for chunk in 0..chunks {
                after.times(rates_with(&other[chunk], &row[chunk], shrink));
                before.times(rates_without(&own[chunk], &row[chunk], grow, &least[chunk]));
                if chunks > BEFORE_REDUCING && chunk % BEFORE_REDUCING == 1 {
                    after.reduce();
                    before.reduce();
                }
            }
        }
        let [after, before] = Product::logs([after.product(), before.product()])?;
        let joins = there.norm + there.shape * there.log_rates - (there.shape + 0.5) * after;
        let stays = here.norm_less - here.shape * here.log_rates + (here.shape - 0.5) * before;
        Some(joins - stays)
    }

    /// The error of a quick difference is below this.
    #[inline]
    pub(in super::super) fn slack(&self) -> f64 {
        self.alike.as_ref().map_or(0.0, |alike| alike.slack)
    }

    /// The log density of two clusters apart less that of their union, and how far at most it is from what steps of one item
    /// each come to. A cluster of `n` cells has the density `sum of norms + a_0 ln b_0 - a_n ln b_n`.
    pub(in super::super) fn quick_split(&self, [a, b]: [&NormalCluster; 2]) -> Option<(f64, f64)> {
        let alike = self.alike.as_ref()?;
        let [m, n] = [a, b].map(|cluster| cluster.lanes[0].count[0]);
        let kappa = alike.kappa + f64::from(m + n);
        let (mut rates, chunks, mut spread) = (Products::ONE, self.width, 1.0_f64);
        for (chunk, ((a, b), least)) in a.lanes.iter().zip(&b.lanes).zip(&alike.rates).enumerate() {
            let mut both = *a;
            for (lane, least) in least.iter().enumerate() {
                both.sum[lane] += b.sum[lane];
                both.square[lane] += b.square[lane];
                spread = spread.max(both.square[lane] / least);
            }
            means_and_rates(&mut both, least, kappa);
            rates.times(both.rate);
            if chunks > BEFORE_REDUCING && chunk % BEFORE_REDUCING == 1 {
                rates.reduce();
            }
        }
        let [of_both] = Product::logs([rates.product()])?;
        let (of_a, of_b) = (a.quick.log_rates, b.quick.log_rates);
        let shape = alike.shape + 0.5 * f64::from(m + n);
        let norms = alike.sums[m as usize] + alike.sums[n as usize] - alike.sums[(m + n) as usize];
        let log_ratio = norms + alike.base - a.quick.shape * of_a - b.quick.shape * of_b + shape * of_both;
        // In every cell and step the relative error of a rate is below ten roundings an item of the squares beside the least
        // rate there can be; and a step has the slack of its logarithms.
        let steps = f64::from(m + n);
        let error = steps * (2.5e-15 * steps * spread * shape * alike.columns as f64 + 2.0 * alike.slack);
        Some((log_ratio, error))
    }
}

/// As in the densities, bit by bit.
#[inline(always)]
fn means_and_rates(lanes: &mut Lanes, least: &[f64; LANES], kappa: f64) {
    for (lane, &least) in least.iter().enumerate() {
        let sum = lanes.sum[lane];
        lanes.mean[lane] = sum / kappa;
        let rate = least + 0.5 * (lanes.square[lane] - sum * lanes.mean[lane]);
        lanes.rate[lane] = if rate > least { rate } else { least };
    }
}

/// The rates of a cluster if it held one item more.
#[inline(always)]
fn rates_with(lanes: &Lanes, cells: &Cells, half_shrink: f64) -> [f64; LANES] {
    let mut rates = [0.0; LANES];
    for (lane, rate) in rates.iter_mut().enumerate() {
        let e = cells.x[lane] - lanes.mean[lane];
        *rate = lanes.rate[lane] + half_shrink * (e * e);
    }
    rates
}

/// The rates of a cluster without an item that it holds.
#[inline(always)]
fn rates_without(lanes: &Lanes, cells: &Cells, half_grow: f64, least: &[f64; LANES]) -> [f64; LANES] {
    let mut rates = [0.0; LANES];
    for (lane, out) in rates.iter_mut().enumerate() {
        let e = cells.x[lane] - lanes.mean[lane];
        let rate = lanes.rate[lane] - half_grow * (e * e);
        *out = if rate > least[lane] { rate } else { least[lane] };
    }
    rates
}

#[cfg(test)]
mod tests {
    use super::super::NormalInverseGamma;
    use super::*;
    use proptest::prelude::*;

    /// Rows about `offset`, and two clusters of them by a coin each, the first two items apart.
    fn table(columns: usize, offset: f64, cells: &[f64]) -> (Normals, usize) {
        let values: Vec<f64> = cells.iter().map(|x| offset + x).collect();
        let items = values.len() / columns;
        let rate = |column: usize| NormalInverseGamma {
            mean: 0.1 * column as f64,
            rate: 0.5 + column as f64,
            ..NormalInverseGamma::weak(columns)
        };
        (Normals::new((0..columns).map(rate).collect(), &values[..items * columns], items), items)
    }

    fn bits(cluster: &NormalCluster) -> Vec<String> {
        cluster.lanes.iter().map(|lanes| format!("{lanes:?}")).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Clusters that items were shifted between have the bits of those that they were inserted into and removed from;
        /// differences are right to within the slack, and splits to within their error.
        #[test]
        fn quick_is_right_as_far_as_it_says(
            columns in prop::sample::select(vec![1usize, 4, 5, 8, 9, 13, 30]),
            offset in prop::sample::select(vec![0.0, 3.0, 1e3, 1e40]),
            cells in prop::collection::vec(-2.0..2.0, 300..600),
            moves in prop::collection::vec((0usize..1000, any::<bool>()), 1..60),
        ) {
            let (normals, items) = table(columns, offset, &cells);
            let mut plain = [normals.empty(), normals.empty()];
            let mut sides: Vec<usize> = (0..items).map(|item| item % 2).collect();
            (0..items).for_each(|item| normals.insert(&mut plain[item % 2], item));
            let mut quick = plain.clone();
            for (item, settles) in moves {
                let item = 2 + item % (items - 2);
                let from = sides[item];
                normals.insert(&mut plain[1 - from], item);
                normals.remove(&mut plain[from], item);
                let [a, b] = &mut quick;
                let (old, new) = if from == 0 { (a, b) } else { (b, a) };
                normals.shift(old, new, item);
                sides[item] = 1 - from;
                if !settles {
                    continue;
                }
                quick.iter_mut().for_each(|cluster| normals.settle(cluster));
                for (item, &own) in sides.iter().enumerate().skip(2) {
                    let there = normals.score(&plain[1 - own], item);
                    let exact = there - normals.score_without(&plain[own], item);
                    if let Some(found) = normals.quick_difference(&quick[own], &quick[1 - own], item) {
                        let off = (found - exact).abs();
                        let says_nothing = off.is_nan() && offset > 1e10;
                        prop_assert!(off <= normals.slack() || says_nothing, "{found} for {exact}");
                    } else {
                        prop_assert!(offset > 1e10, "a difference of plain numbers is found");
                    }
                }
                let mut whole = quick.clone();
                whole.iter_mut().for_each(|cluster| normals.complete(cluster));
                prop_assert_eq!(whole.each_ref().map(bits), plain.each_ref().map(bits));
            }
            quick.iter_mut().for_each(|cluster| normals.settle(cluster));
            let Some((found, error)) = normals.quick_split([&quick[0], &quick[1]]) else { return Ok(()) };
            let (mut together, mut exact) = (plain, 0.0);
            for item in (0..items).filter(|&item| sides[item] == 1) {
                let [all, rest] = &mut together;
                exact += normals.score_without(rest, item) - normals.score(all, item);
                normals.insert(all, item);
                normals.remove(rest, item);
            }
            let off = (found - exact).abs();
            let says_nothing = (off.is_nan() || error.is_nan()) && offset > 1e10;
            prop_assert!(off <= error || says_nothing, "{found} for {exact} to within {error}");
        }
    }

    #[test]
    fn columns_that_differ_are_left_to_the_densities() {
        let weak = NormalInverseGamma::weak(1);
        let other = NormalInverseGamma { kappa: 2.0, ..weak };
        assert!(Normals::new(vec![weak, weak], &[0.0, 1.0, 2.0, 3.0], 2).alike.is_some());
        assert!(Normals::new(vec![weak, weak], &[0.0, f64::NAN, 2.0, 3.0], 2).alike.is_none());
        assert!(Normals::new(vec![weak, other], &[0.0, 1.0, 2.0, 3.0], 2).alike.is_none());
        assert!(Normals::new(vec![], &[], 2).alike.is_none());
    }
}

//! Fewer points that look the same: extremes are kept, the rest is sampled, always the same way.

/// How many points a curve may have before it is thinned.
const LONG: usize = 2_000;

/// A fixed scrambling of numbers, for samples that follow no pattern in the data.
fn scramble(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Which of many points to draw, at most about `share`: those beyond the 0.5 % and 99.5 % quantiles of
/// either coordinate, and of the rest one at random from each of so many equal runs.
pub(super) fn scatter(points: &[[f64; 2]], share: usize) -> Vec<usize> {
    if points.len() <= share {
        return (0..points.len()).collect();
    }
    let tail = (points.len() / 200).clamp(1, (share / 10).max(1));
    let mut kept = vec![false; points.len()];
    let mut order: Vec<usize> = (0..points.len()).collect();
    for coordinate in 0..2 {
        order.sort_by(|&i, &j| points[i][coordinate].total_cmp(&points[j][coordinate]).then(i.cmp(&j)));
        // Where very many share the extreme value, the first of them stand for all.
        for &i in order.iter().take(tail).chain(order.iter().rev().take(tail)) {
            kept[i] = true;
        }
    }
    let rest: Vec<usize> = (0..points.len()).filter(|&i| !kept[i]).collect();
    let extremes = points.len() - rest.len();
    let room = share.saturating_sub(extremes).min(4_000).min(rest.len());
    for stratum in 0..room {
        let (from, to) = (stratum * rest.len() / room, (stratum + 1) * rest.len() / room);
        let run = (to - from).max(1) as u64;
        kept[rest[from + (scramble(stratum as u64) % run) as usize]] = true;
    }
    (0..points.len()).filter(|&i| kept[i]).collect()
}

/// A curve in pixels with first, lowest, highest and last point of each pixel column.
pub(super) fn curve(points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    if points.len() <= LONG {
        return points;
    }
    let columns = runs(&points, |i| points[i][0].floor() as i64);
    if columns.len() <= LONG {
        return columns;
    }
    // A curve that runs to and fro: pieces of equal length instead of columns.
    let piece = points.len().div_ceil(LONG / 4);
    runs(&points, |i| (i / piece) as i64)
}

/// First, lowest, highest, last of each run of points with the same key, in their order.
fn runs(points: &[[f64; 2]], key: impl Fn(usize) -> i64) -> Vec<[f64; 2]> {
    let mut out = Vec::new();
    let mut from = 0;
    while from < points.len() {
        let here = key(from);
        let to = (from..points.len()).find(|&i| key(i) != here).unwrap_or(points.len());
        let by = |i: &usize, j: &usize| points[*i][1].total_cmp(&points[*j][1]);
        let low = (from..to).min_by(by).unwrap_or(from);
        let high = (from..to).max_by(by).unwrap_or(from);
        let mut four = [from, low, high, to - 1];
        four.sort_unstable();
        let mut last = usize::MAX;
        for i in four {
            if i != last {
                out.push(points[i]);
            }
            last = i;
        }
        from = to;
    }
    out
}

/// A band in pixels (x, low, high) with one piece for each half pixel, as wide as its widest part there.
pub(super) fn band(points: Vec<[f64; 3]>) -> Vec<[f64; 3]> {
    if points.len() <= LONG {
        return points;
    }
    let mut out: Vec<[f64; 3]> = Vec::new();
    for point in points {
        match out.last_mut() {
            Some(last) if (last[0] * 2.0).floor() == (point[0] * 2.0).floor() => {
                // Pixels grow downwards.
                last[1] = last[1].max(point[1]);
                last[2] = last[2].min(point[2]);
            }
            _ => out.push(point),
        }
    }
    out
}

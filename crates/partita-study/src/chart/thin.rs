//! Fewer points that look the same: extremes are kept, the rest is sampled, always the same way.

use std::collections::BTreeMap;

/// How many points a curve may have before it is thinned.
const LONG: usize = 2_000;

/// Which of many points in pixels to draw, at most `share`: from each small square of the panel no more
/// than so many, evenly over its run. Where few points lie all are kept, and the outermost always; where
/// they crowd, those left out would have been drawn upon one another.
pub(super) fn scatter(points: &[[f64; 2]], share: usize) -> Vec<usize> {
    if points.len() <= share {
        return (0..points.len()).collect();
    }
    let mut outermost = vec![0; 4];
    for (i, point) in points.iter().enumerate() {
        for coordinate in 0..2 {
            let [low, high] = [2 * coordinate, 2 * coordinate + 1];
            if point[coordinate] < points[outermost[low]][coordinate] {
                outermost[low] = i;
            }
            if point[coordinate] > points[outermost[high]][coordinate] {
                outermost[high] = i;
            }
        }
    }
    outermost.sort_unstable();
    outermost.dedup();
    let room = share.saturating_sub(outermost.len());
    let mut side = 2.5;
    loop {
        let cell = |point: &[f64; 2]| ((point[0] / side).floor() as i64, (point[1] / side).floor() as i64);
        let mut cells: BTreeMap<(i64, i64), Vec<usize>> = BTreeMap::new();
        for (i, point) in points.iter().enumerate() {
            cells.entry(cell(point)).or_default().push(i);
        }
        let drawn = |most: usize| cells.values().map(|cell| cell.len().min(most)).sum::<usize>();
        // All of it in one square: that many have to do.
        let most = if cells.len() == 1 {
            room.max(1)
        } else {
            (1..=room).take_while(|&most| drawn(most) <= room).count()
        };
        if most > 0 {
            let mut kept = outermost;
            for cell in cells.values() {
                let count = cell.len().min(most);
                kept.extend((0..count).map(|k| cell[(2 * k + 1) * cell.len() / (2 * count)]));
            }
            kept.sort_unstable();
            kept.dedup();
            return kept;
        }
        side *= 1.5;
    }
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

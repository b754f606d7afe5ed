//! Which values the axes of a panel must reach.

use super::canvas::Frame;
use super::scale::{self, Extent, Span};
use super::{Axis, Mark, Panel, Scale};

/// The spans of both axes, from the ranges given or from the marks.
pub(super) fn spans(panel: &Panel) -> (Span, Span) {
    let mut seen = Seen {
        across: scale::given(&panel.x),
        up: scale::given(&panel.y),
        scales: [panel.x.scale, panel.y.scale],
        x: Extent::default(),
        y: Extent::default(),
    };
    let apart = apart(panel).unwrap_or(1.0);
    for mark in &panel.marks {
        seen.mark(mark, &panel.x, apart);
    }
    (Span::new(&panel.x, seen.x), Span::new(&panel.y, seen.y))
}

struct Seen {
    across: Option<[f64; 2]>,
    up: Option<[f64; 2]>,
    scales: [Scale; 2],
    x: Extent,
    y: Extent,
}

impl Seen {
    /// A point counts where it can be seen: out of a range given for one axis, it does not stretch the other.
    fn pair(&mut self, x: f64, y: f64) {
        let out = |range: Option<[f64; 2]>, v: f64| range.is_some_and(|[lo, hi]| v < lo || v > hi);
        if !x.is_finite() || !y.is_finite() || out(self.across, x) || out(self.up, y) {
            return;
        }
        if scale::usable(self.scales[0], x) {
            self.x.add(x);
        }
        if scale::usable(self.scales[1], y) {
            self.y.add(y);
        }
    }

    fn mark(&mut self, mark: &Mark, axis: &Axis, apart: f64) {
        match mark {
            Mark::Line { points, .. } | Mark::Points { points, .. } | Mark::Steps { points, .. } => {
                points.iter().for_each(|p| self.pair(p[0], p[1]));
            }
            Mark::Band { points, .. } | Mark::StepBand { points, .. } => {
                for &[x, low, high] in points {
                    self.pair(x, low);
                    self.pair(x, high);
                }
            }
            Mark::Whiskers { points, .. } => {
                for &[x, value, low, high] in points {
                    [value, low, high].into_iter().for_each(|y| self.pair(x, y));
                }
            }
            Mark::Bars { bars, .. } => {
                for &[from, to, height] in bars {
                    for x in [from, to] {
                        self.pair(x, height);
                        self.pair(x, 0.0);
                    }
                }
            }
            Mark::Across { at, .. } => {
                if scale::usable(self.scales[1], *at) {
                    self.y.add(*at);
                }
            }
            Mark::Upright { at, .. } => {
                if scale::usable(self.scales[0], *at) {
                    self.x.add(*at);
                }
            }
            Mark::Box { x, five, .. } => {
                let sides = match axis.scale {
                    Scale::Linear => [x - 0.5 * apart, x + 0.5 * apart],
                    Scale::Log => [x / 1.3, x * 1.3],
                };
                for y in five {
                    sides.into_iter().for_each(|x| self.pair(x, *y));
                }
            }
        }
    }
}

fn places(panel: &Panel) -> Vec<f64> {
    let boxes =
        panel.marks.iter().filter_map(|mark| if let Mark::Box { x, .. } = mark { Some(*x) } else { None });
    let mut places: Vec<f64> = boxes.filter(|x| x.is_finite()).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

/// The least distance between two boxes.
fn apart(panel: &Panel) -> Option<f64> {
    places(panel).windows(2).map(|pair| pair[1] - pair[0]).min_by(f64::total_cmp)
}

/// Half the width of the boxes in pixels: neighbours keep a distance.
pub(super) fn half_box(panel: &Panel, frame: &Frame) -> f64 {
    let pixels: Vec<f64> = places(panel).into_iter().filter_map(|x| frame.x(x)).collect();
    let apart = pixels.windows(2).map(|pair| pair[1] - pair[0]).min_by(f64::total_cmp);
    (0.3 * apart.unwrap_or(60.0)).clamp(1.5, 15.0)
}

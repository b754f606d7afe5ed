//! From values to places: the range of an axis, and ticks where people expect them.

use super::number::{self, Label};
use super::{Axis, Scale};

/// Values beyond this are no values: differences of two must be finite.
const VAST: f64 = 1e300;

/// Lowest and highest of the values an axis shall show.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extent(pub(super) Option<[f64; 2]>);

impl Extent {
    pub(super) fn add(&mut self, value: f64) {
        self.0 = Some(match self.0 {
            None => [value, value],
            Some([lo, hi]) => [lo.min(value), hi.max(value)],
        });
    }
}

/// Whether a value has a place on an axis of this scale.
pub(super) fn usable(scale: Scale, value: f64) -> bool {
    value.is_finite() && value.abs() < VAST && (scale == Scale::Linear || value > 1e-300)
}

/// An axis with its range settled: always `lo < hi`, both usable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) scale: Scale,
    pub(super) lo: f64,
    pub(super) hi: f64,
}

impl Span {
    /// The range given, or that of the marks with a little room; never empty.
    pub(super) fn new(axis: &Axis, seen: Extent) -> Self {
        let scale = axis.scale;
        let given = given(axis);
        let [lo, hi] = given.or(seen.0).unwrap_or(match scale {
            Scale::Linear => [0.0, 1.0],
            Scale::Log => [1.0, 10.0],
        });
        let span = Span { scale, lo, hi }.widened();
        if given.is_some() { span } else { span.with_room() }
    }

    fn widened(self) -> Self {
        let Span { scale, lo, hi } = self;
        match scale {
            Scale::Log if hi / lo < 1.0 + 1e-9 => Span { scale, lo: lo / 2.0, hi: hi * 2.0 },
            Scale::Linear if hi - lo <= 1e-10 * lo.abs().max(hi.abs()) || hi - lo < 1e-280 => {
                let room = if hi == 0.0 { 0.5 } else { (0.1 * hi.abs()).max(1e-270) };
                Span { scale, lo: lo - room, hi: hi + room }
            }
            _ => self,
        }
    }

    fn with_room(self) -> Self {
        let Span { scale, lo, hi } = self;
        match scale {
            Scale::Log => {
                let room = (hi / lo).powf(0.04).min(1e12);
                Span { scale, lo: (lo / room).max(1e-307), hi: (hi * room).min(1e307) }
            }
            Scale::Linear => {
                // Room never crosses zero: counts and times begin there.
                let room = 0.04 * (hi - lo);
                let low = if lo >= 0.0 { (lo - room).max(0.0) } else { lo - room };
                let high = if hi <= 0.0 { (hi + room).min(0.0) } else { hi + room };
                Span { scale, lo: low, hi: high }
            }
        }
    }

    /// The place in [0, 1] of a usable value; outside for values out of range.
    pub(super) fn unit(&self, value: f64) -> Option<f64> {
        if !usable(self.scale, value) {
            return None;
        }
        let at = match self.scale {
            Scale::Linear => (value - self.lo) / (self.hi - self.lo),
            Scale::Log => (value.log10() - self.lo.log10()) / (self.hi.log10() - self.lo.log10()),
        };
        at.is_finite().then_some(at)
    }

    pub(super) fn holds(&self, value: f64) -> bool {
        self.unit(value).is_some_and(|at| (-1e-9..=1.0 + 1e-9).contains(&at))
    }
}

/// The range asked for, in order; `None` where it cannot be used.
pub(super) fn given(axis: &Axis) -> Option<[f64; 2]> {
    let [a, b] = axis.range?;
    let (lo, hi) = if a <= b { (a, b) } else { (b, a) };
    match axis.scale {
        Scale::Log if usable(Scale::Log, hi) && lo.is_finite() && lo <= 0.0 => Some([hi * 1e-3, hi]),
        scale => (usable(scale, lo) && usable(scale, hi)).then_some([lo, hi]),
    }
}

/// A tick; without a label it is a small one.
#[derive(Debug, Clone)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) label: Option<Label>,
}

/// Ticks for an axis: the densest nice set of which `fits` says that the labels do not collide.
pub(super) fn ticks(span: &Span, percent: bool, fits: impl Fn(&[Tick]) -> bool) -> Vec<Tick> {
    let mut sparse = Vec::new();
    for candidate in candidates(span, percent) {
        if candidate.is_empty() {
            continue;
        }
        if fits(&candidate) {
            return with_small(span, candidate);
        }
        sparse = candidate;
    }
    sparse.truncate(1);
    sparse
}

fn candidates(span: &Span, percent: bool) -> Vec<Vec<Tick>> {
    let even = || (1..=8).rev().map(|most| even_ticks(span, most, percent)).collect();
    match span.scale {
        Scale::Linear => even(),
        Scale::Log if (span.hi / span.lo).log10() < 0.9 => even(),
        Scale::Log => {
            let mut all = vec![decade_ticks(span, &[1, 2, 5], 1, percent)];
            if decade_ticks(span, &[1], 1, percent).len() < 3 {
                all.push(decade_ticks(span, &[1, 3], 1, percent));
            }
            all.extend(
                [1, 2, 3, 4, 5, 10, 20, 50, 100].map(|every| decade_ticks(span, &[1], every, percent)),
            );
            // Thinned so far that one is left says less than the finer ones do.
            all.retain(|ticks| ticks.len() > 1);
            all
        }
    }
}

/// Ticks a step of 1, 2 or 5 times a power of ten apart, about `most` of them.
fn even_ticks(span: &Span, most: u32, percent: bool) -> Vec<Tick> {
    let raw = (span.hi - span.lo) / f64::from(most);
    let mut exponent = raw.log10().floor() as i32;
    let mantissa = raw / 10f64.powi(exponent);
    let step = match mantissa {
        m if m <= 1.0 + 1e-9 => 1.0,
        m if m <= 2.0 + 1e-9 => 2.0,
        m if m <= 5.0 + 1e-9 => 5.0,
        _ => {
            exponent += 1;
            1.0
        }
    };
    // Whole numbers over a power of ten are the nearest floats; sums of steps are not.
    let place = |i: f64| match exponent {
        0.. => i * step * 10f64.powi(exponent),
        _ => i * step / 10f64.powi(-exponent),
    };
    let width = step * 10f64.powi(exponent);
    let slack = 1e-9 * (span.hi - span.lo);
    let (first, last) = (((span.lo - slack) / width).ceil(), ((span.hi + slack) / width).floor());
    let count = (last - first).clamp(-1.0, 50.0) as i32;
    let values: Vec<f64> = (0..=count).map(|i| place(first + f64::from(i)) + 0.0).collect();
    let labels = number::even(&values, exponent, percent);
    values.into_iter().zip(labels).map(|(at, label)| Tick { at, label: Some(label) }).collect()
}

fn decade_ticks(span: &Span, mantissas: &[u32], every: i32, percent: bool) -> Vec<Tick> {
    let (first, last) = (span.lo.log10().floor() as i32, span.hi.log10().ceil() as i32);
    let mut parts = Vec::new();
    for exponent in (first..=last).filter(|e| e.rem_euclid(every) == 0) {
        let here = mantissas.iter().map(|&m| (m, exponent));
        parts.extend(here.filter(|&(m, e)| span.holds(power(m, e))));
    }
    let labels = number::decades(&parts, percent);
    parts.iter().zip(labels).map(|(&(m, e), label)| Tick { at: power(m, e), label: Some(label) }).collect()
}

fn power(mantissa: u32, exponent: i32) -> f64 {
    match exponent {
        0.. => f64::from(mantissa) * 10f64.powi(exponent),
        _ => f64::from(mantissa) / 10f64.powi(-exponent),
    }
}

/// On a logarithmic axis, small ticks between the labelled ones, where they can be told apart.
fn with_small(span: &Span, mut ticks: Vec<Tick>) -> Vec<Tick> {
    let decades = (span.hi / span.lo).log10();
    if span.scale == Scale::Linear || !(0.9..=40.0).contains(&decades) {
        return ticks;
    }
    let mantissas: &[u32] = if decades <= 5.5 { &[1, 2, 3, 4, 5, 6, 7, 8, 9] } else { &[1] };
    for small in decade_ticks(span, mantissas, 1, false) {
        if !ticks.iter().any(|tick| (tick.at / small.at - 1.0).abs() < 1e-6) {
            ticks.push(Tick { at: small.at, label: None });
        }
    }
    ticks
}

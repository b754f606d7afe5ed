//! Where marks become SVG, and where it is noted which places they take.

use super::scale::Span;
use std::fmt::Write;

/// The side of a cell in which marks are noted, in pixels.
const CELL: f64 = 4.0;

/// A place in pixels, with one decimal and no more signs than needed.
pub(super) fn pixel(value: f64) -> String {
    let tenths = (value.clamp(-1e5, 1e5) * 10.0).round() as i64;
    let sign = if tenths < 0 { "-" } else { "" };
    match (tenths.abs() / 10, tenths.abs() % 10) {
        (whole, 0) => format!("{sign}{whole}"),
        (whole, tenth) => format!("{sign}{whole}.{tenth}"),
    }
}

/// The plotting area: its size in pixels, its axes, its origin at the top left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) x: Span,
    pub(super) y: Span,
}

impl Frame {
    pub(super) fn x(&self, value: f64) -> Option<f64> {
        self.x.unit(value).map(|at| (at * self.width).clamp(-1e5, 1e5))
    }

    pub(super) fn y(&self, value: f64) -> Option<f64> {
        self.y.unit(value).map(|at| ((1.0 - at) * self.height).clamp(-1e5, 1e5))
    }

    /// Where nothing lies on a logarithmic axis: at the bottom, which stands for all below.
    pub(super) fn y_or_floor(&self, value: f64) -> Option<f64> {
        self.y(value).or((value <= 0.0 && value.is_finite()).then_some(self.height))
    }

    pub(super) fn x_or_left(&self, value: f64) -> Option<f64> {
        self.x(value).or((value <= 0.0 && value.is_finite()).then_some(0.0))
    }

    pub(super) fn holds(&self, x: f64, y: f64) -> bool {
        self.x.holds(x) && self.y.holds(y)
    }
}

/// The SVG of a panel's marks, and how much each cell of the panel is covered.
#[derive(Debug)]
pub(super) struct Canvas {
    pub(super) out: String,
    across: usize,
    down: usize,
    covered: Vec<f32>,
    /// Whether anything at all was drawn.
    pub(super) any: bool,
}

impl Canvas {
    pub(super) fn new(frame: &Frame) -> Self {
        let across = (frame.width / CELL).ceil() as usize + 1;
        let down = (frame.height / CELL).ceil() as usize + 1;
        Canvas { out: String::new(), across, down, covered: vec![0.0; across * down], any: false }
    }

    fn cover(&mut self, x: f64, y: f64, weight: f32) {
        if x >= 0.0 && y >= 0.0 {
            let (i, j) = ((x / CELL) as usize, (y / CELL) as usize);
            if i < self.across && j < self.down {
                let cell = &mut self.covered[j * self.across + i];
                *cell = cell.max(weight);
            }
        }
    }

    /// Note a segment as drawn.
    pub(super) fn cover_segment(&mut self, a: [f64; 2], b: [f64; 2]) {
        self.any = true;
        let length = (b[0] - a[0]).abs().max((b[1] - a[1]).abs());
        let steps = (length / (CELL / 2.0)).ceil().clamp(1.0, 4_000.0) as usize;
        for step in 0..=steps {
            let t = step as f64 / steps as f64;
            self.cover(a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), 1.0);
        }
    }

    /// Note a rectangle as filled: heavily, or lightly as by a band.
    pub(super) fn cover_area(&mut self, x: [f64; 2], y: [f64; 2], weight: f32) {
        self.any = true;
        let cells = |a: f64, b: f64, most: usize| {
            let (a, b) = (a.min(b).max(0.0), a.max(b).min(most as f64 * CELL));
            (a / CELL) as usize..(b / CELL).ceil().max(0.0) as usize
        };
        for j in cells(y[0], y[1], self.down) {
            for i in cells(x[0], x[1], self.across) {
                self.cover((i as f64 + 0.5) * CELL, (j as f64 + 0.5) * CELL, weight);
            }
        }
    }

    /// Note a point as drawn.
    pub(super) fn cover_dot(&mut self, at: [f64; 2]) {
        self.any = true;
        self.cover(at[0], at[1], 1.0);
    }

    /// How much of a rectangle is covered, in cells.
    pub(super) fn covering(&self, x: [f64; 2], y: [f64; 2]) -> f64 {
        let cell = |v: f64, most: usize| ((v / CELL).max(0.0) as usize).min(most - 1);
        let mut sum = 0.0;
        for j in cell(y[0], self.down)..=cell(y[1], self.down) {
            for i in cell(x[0], self.across)..=cell(x[1], self.across) {
                sum += f64::from(self.covered[j * self.across + i]);
            }
        }
        sum
    }

    /// A line through the points, in the colours of the group around it.
    pub(super) fn line(&mut self, points: &[[f64; 2]]) {
        let Some(first) = points.first() else { return };
        for pair in points.windows(2) {
            self.cover_segment(pair[0], pair[1]);
        }
        let rest = if points.len() == 1 { points } else { &points[1..] };
        let _ = write!(self.out, r#"<path d="M{} {}L"#, pixel(first[0]), pixel(first[1]));
        self.places(rest);
        self.out.push_str("\"/>");
    }

    /// A closed shape through the points.
    pub(super) fn shape(&mut self, points: &[[f64; 2]]) {
        self.any = true;
        self.out.push_str("<path d=\"M");
        self.places(points);
        self.out.push_str("Z\"/>");
    }

    fn places(&mut self, points: &[[f64; 2]]) {
        for (i, point) in points.iter().enumerate() {
            let gap = if i == 0 { "" } else { " " };
            let _ = write!(self.out, "{gap}{} {}", pixel(point[0]), pixel(point[1]));
        }
    }
}

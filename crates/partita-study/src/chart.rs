//! Static charts as SVG: the figures of the reproduced paper and of the benchmark pages.
//!
//! A [`figure`] is a grid of [`Panel`]s; a panel is two axes and [`Mark`]s. Colours are fixed on a white
//! ground, so that a figure looks the same on its own, in a light or dark page, and in print. The same
//! panels give the same bytes.
//!
//! ```
//! use partita_study::chart::{Axis, Hue, Mark, Panel, Scale, figure};
//! let panel = Panel {
//!     title: "Loss".into(),
//!     x: Axis { label: "replicates".into(), scale: Scale::Log, ..Axis::default() },
//!     y: Axis { label: "mean loss".into(), ..Axis::default() },
//!     marks: vec![Mark::Line {
//!         name: "coupled".into(),
//!         hue: Hue::Blue,
//!         dashed: false,
//!         points: vec![[10.0, 0.5], [100.0, 0.2], [1000.0, 0.1]],
//!     }],
//! };
//! let svg = figure("Loss by replicates", &[panel], 1);
//! assert!(svg.starts_with("<svg"));
//! ```

mod canvas;
mod draw;
mod extent;
mod layout;
mod legend;
mod number;
mod scale;
mod text;
mod thin;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

/// A colour by what it stands for; the palette is safe for the colour-blind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hue {
    /// The first series.
    Blue,
    /// What is set against it.
    Red,
    /// A third.
    Green,
    /// A fourth.
    Orange,
    /// A fifth.
    Purple,
    /// What stands back.
    Grey,
    /// What is known: a truth, a reference.
    Black,
}

impl Hue {
    fn code(self) -> &'static str {
        match self {
            Hue::Blue => "#1c58b8",
            Hue::Red => "#cc2a14",
            Hue::Green => "#1fa860",
            Hue::Orange => "#eda100",
            Hue::Purple => "#9c2c78",
            Hue::Grey => "#949494",
            Hue::Black => "#222222",
        }
    }
}

/// How values become places on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Equal differences are equal distances.
    #[default]
    Linear,
    /// Equal ratios are equal distances; values that are not positive are not shown.
    Log,
}

/// One axis of a panel.
#[derive(Debug, Clone, Default)]
pub struct Axis {
    /// What is measured, with its unit; empty: no label.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// From where to where; `None`: from the marks, with a little room. Marks are cut at a given range.
    pub range: Option<[f64; 2]>,
    /// Show ticks as percent: 0.5 is written 50 %.
    pub percent: bool,
}

/// Something drawn in a panel. A series with a name has its place in the legend; values that are not
/// finite are left out, and break lines.
#[derive(Debug, Clone)]
pub enum Mark {
    /// A line; `name` empty: not in the legend.
    Line {
        /// The name in the legend.
        name: String,
        /// The colour.
        hue: Hue,
        /// Dashed rather than solid.
        dashed: bool,
        /// x, y.
        points: Vec<[f64; 2]>,
    },
    /// A band between two curves: x, low, high.
    Band {
        /// The colour.
        hue: Hue,
        /// x, low, high.
        points: Vec<[f64; 3]>,
    },
    /// A right-continuous step curve (survival), with censoring ticks at given places.
    Steps {
        /// The name in the legend.
        name: String,
        /// The colour.
        hue: Hue,
        /// Dashed rather than solid.
        dashed: bool,
        /// x, and y from there on.
        points: Vec<[f64; 2]>,
        /// x, y of the censoring ticks.
        ticks: Vec<[f64; 2]>,
    },
    /// A step band (survival interval): x, low, high.
    StepBand {
        /// The colour.
        hue: Hue,
        /// x, and low and high from there on.
        points: Vec<[f64; 3]>,
    },
    /// Points. Of very many a sample is drawn, with the extreme ones kept.
    Points {
        /// The name in the legend.
        name: String,
        /// The colour.
        hue: Hue,
        /// x, y.
        points: Vec<[f64; 2]>,
    },
    /// Values with intervals: x, value, low, high, joined by a thin line.
    Whiskers {
        /// The name in the legend.
        name: String,
        /// The colour.
        hue: Hue,
        /// x, value, low, high.
        points: Vec<[f64; 4]>,
    },
    /// Bars from 0: x from, x to, height (histograms).
    Bars {
        /// The name in the legend.
        name: String,
        /// The colour.
        hue: Hue,
        /// x from, x to, height.
        bars: Vec<[f64; 3]>,
    },
    /// A horizontal reference line.
    Across {
        /// The name in the legend.
        name: String,
        /// The colour.
        hue: Hue,
        /// y.
        at: f64,
    },
    /// A vertical reference line.
    Upright {
        /// The name in the legend.
        name: String,
        /// The colour.
        hue: Hue,
        /// x.
        at: f64,
    },
    /// A box plot at position `x` with the given sample's min, q1, median, q3, max. Where a panel has
    /// nothing else along x and every box another name, the names stand under the boxes.
    Box {
        /// The name under the box, or in the legend.
        name: String,
        /// The colour.
        hue: Hue,
        /// The position.
        x: f64,
        /// min, q1, median, q3, max.
        five: [f64; 5],
    },
}

impl Mark {
    fn name(&self) -> &str {
        match self {
            Mark::Band { .. } | Mark::StepBand { .. } => "",
            Mark::Line { name, .. }
            | Mark::Steps { name, .. }
            | Mark::Points { name, .. }
            | Mark::Whiskers { name, .. }
            | Mark::Bars { name, .. }
            | Mark::Across { name, .. }
            | Mark::Upright { name, .. }
            | Mark::Box { name, .. } => name,
        }
    }

    fn hue(&self) -> Hue {
        match self {
            Mark::Line { hue, .. }
            | Mark::Band { hue, .. }
            | Mark::Steps { hue, .. }
            | Mark::StepBand { hue, .. }
            | Mark::Points { hue, .. }
            | Mark::Whiskers { hue, .. }
            | Mark::Bars { hue, .. }
            | Mark::Across { hue, .. }
            | Mark::Upright { hue, .. }
            | Mark::Box { hue, .. } => *hue,
        }
    }
}

/// Two axes and what is drawn between them, in order; bands and bars lie under the rest.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    /// Above the panel; may be empty.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub marks: Vec<Mark>,
}

/// Panels in a grid of so many columns, as one SVG document with a white ground, a `<title>`/`<desc>` for
/// readers who listen.
///
/// The title is not drawn: a figure's caption belongs to the page around it. More than one panel are
/// lettered (a), (b), ...; a series that appears in several panels under one name and colour is in the
/// legend of the first.
pub fn figure(title: &str, panels: &[Panel], columns: usize) -> String {
    layout::document(title, panels, columns)
}

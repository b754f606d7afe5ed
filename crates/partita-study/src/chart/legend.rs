//! The legend: what the colours stand for, in the corner that marks leave free, or above.

use super::canvas::{Canvas, Frame, pixel};
use super::draw::{DASHES, REFERENCE};
use super::{Hue, Mark, Panel, text};
use std::fmt::Write;

/// The size of the letters.
const SIZE: f64 = 10.0;
/// The height of a row.
pub(super) const ROW: f64 = 14.0;
/// The width of a key and of the room after it.
const KEY: f64 = 18.0;
const AFTER_KEY: f64 = 5.0;
const BETWEEN: f64 = 14.0;
/// Room between a legend and what is near it.
const MARGIN: f64 = 5.0;

/// A name with the marks that carry it.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    name: String,
    hue: Hue,
    marks: Vec<&'a Mark>,
    banded: bool,
}

/// What a panel's legend lists: the names not seen in a panel before.
pub(super) fn entries<'a>(panel: &'a Panel, seen: &mut Vec<(String, Hue)>, width: f64) -> Vec<Entry<'a>> {
    let mut entries: Vec<(Entry, &str)> = Vec::new();
    for mark in panel.marks.iter().filter(|mark| !mark.name().trim().is_empty()) {
        let (name, hue) = (mark.name(), mark.hue());
        if seen.iter().any(|(other, colour)| other == name && *colour == hue) {
            continue;
        }
        match entries.iter_mut().find(|(entry, full)| *full == name && entry.hue == hue) {
            Some((entry, _)) => {
                let alike = |other: &&Mark| std::mem::discriminant(*other) == std::mem::discriminant(mark);
                if !entry.marks.iter().any(alike) {
                    entry.marks.push(mark);
                }
            }
            None => {
                let short = text::shorten(name, SIZE, width - KEY - AFTER_KEY);
                let curve = matches!(mark, Mark::Line { .. } | Mark::Steps { .. });
                let banded = curve
                    && panel.marks.iter().any(|other| {
                        other.hue() == hue && matches!(other, Mark::Band { .. } | Mark::StepBand { .. })
                    });
                entries.push((Entry { name: short, hue, marks: vec![mark], banded }, name));
            }
        }
    }
    seen.extend(entries.iter().map(|(entry, full)| ((*full).to_string(), entry.hue)));
    entries.into_iter().map(|(entry, _)| entry).collect()
}

fn entry_width(entry: &Entry) -> f64 {
    KEY + AFTER_KEY + text::width(&entry.name, SIZE)
}

/// A corner that no mark takes: the top left of the legend there.
pub(super) fn corner(entries: &[Entry], frame: &Frame, canvas: &Canvas) -> Option<[f64; 2]> {
    let width = entries.iter().map(entry_width).fold(0.0, f64::max);
    let height = ROW * entries.len() as f64;
    if entries.is_empty() {
        return None;
    }
    if width > 0.8 * frame.width || height > 0.6 * frame.height {
        return None;
    }
    let (right, bottom) = (frame.width - width - 2.0, frame.height - height - MARGIN);
    let (middle, half) = ((frame.width - width) / 2.0, (frame.height - height) / 2.0);
    let places = [
        [right, 2.0],
        [MARGIN, 2.0],
        [right, bottom],
        [MARGIN, bottom],
        [right, half],
        [MARGIN, half],
        [middle, 2.0],
        [middle, bottom],
    ];
    let cost = |&[x, y]: &[f64; 2]| {
        canvas.covering([x - MARGIN, x + width + MARGIN], [y - MARGIN, y + height + MARGIN])
    };
    let mut best: Option<([f64; 2], f64)> = None;
    for place in places {
        let here = cost(&place);
        if here < 1.0 && best.is_none_or(|(_, other)| here < other - 1e-6) {
            best = Some((place, here));
        }
    }
    best.map(|(place, _)| place)
}

/// A white ground for the legend, over the grid and under the marks; out to an edge that is near.
pub(super) fn ground(out: &mut String, entries: &[Entry], frame: &Frame, at: [f64; 2]) {
    let width = entries.iter().map(entry_width).fold(0.0, f64::max);
    let [x, y] = at;
    let left = if x <= MARGIN { 1.0 } else { x - MARGIN };
    let right = if x + width + MARGIN >= frame.width { frame.width + 1.0 } else { x + width + MARGIN };
    let [left, right, top, height] = [left, right - left, y, ROW * entries.len() as f64].map(pixel);
    let _ = writeln!(out, r##"<rect x="{left}" y="{top}" width="{right}" height="{height}" fill="#fff"/>"##);
}

/// Entries one under the other.
pub(super) fn stacked(out: &mut String, entries: &[Entry], at: [f64; 2]) {
    for (i, entry) in entries.iter().enumerate() {
        write_entry(out, entry, [at[0], at[1] + ROW * i as f64]);
    }
}

/// The rows a legend above the plot takes, and where each entry begins in it.
pub(super) fn flow(entries: &[Entry], width: f64) -> (usize, Vec<[f64; 2]>) {
    let (mut x, mut row) = (0.0, 0);
    let mut places = Vec::new();
    for entry in entries {
        let wide = entry_width(entry);
        if x > 0.0 && x + wide > width {
            (x, row) = (0.0, row + 1);
        }
        places.push([x, ROW * row as f64]);
        x += wide + BETWEEN;
    }
    (if entries.is_empty() { 0 } else { row + 1 }, places)
}

/// Entries in rows, the first at `top`.
pub(super) fn flowing(out: &mut String, entries: &[Entry], places: &[[f64; 2]], top: f64) {
    for (entry, place) in entries.iter().zip(places) {
        write_entry(out, entry, [place[0], top + place[1]]);
    }
}

fn write_entry(out: &mut String, entry: &Entry, at: [f64; 2]) {
    let code = entry.hue.code();
    let [x, y] = at;
    let (middle, end, centre) = (pixel(y + ROW / 2.0), pixel(x + KEY), pixel(x + KEY / 2.0));
    let left = pixel(x);
    let patch = |out: &mut String, opacity: &str| {
        let top = pixel(y + ROW / 2.0 - 4.0);
        let _ = write!(
            out,
            r#"<rect x="{left}" y="{top}" width="{KEY}" height="8" fill="{code}" fill-opacity="{opacity}"/>"#
        );
    };
    if entry.banded {
        patch(out, ".18");
    }
    for mark in &entry.marks {
        let dashes = match mark {
            Mark::Line { dashed: true, .. } | Mark::Steps { dashed: true, .. } => DASHES,
            Mark::Across { .. } | Mark::Upright { .. } => REFERENCE,
            _ => "",
        };
        let _ = match mark {
            Mark::Line { .. } | Mark::Steps { .. } => write!(
                out,
                r#"<path d="M{left} {middle}H{end}" stroke="{code}" stroke-width="1.6"{dashes}/>"#
            ),
            Mark::Across { .. } => write!(
                out,
                r#"<path d="M{left} {middle}H{end}" stroke="{code}" stroke-width="1.1"{dashes}/>"#
            ),
            Mark::Upright { .. } => write!(
                out,
                r#"<path d="M{centre} {}v11" stroke="{code}" stroke-width="1.1"{dashes}/>"#,
                pixel(y + ROW / 2.0 - 5.5)
            ),
            Mark::Points { .. } => write!(
                out,
                r#"<circle cx="{centre}" cy="{middle}" r="2.5" fill="{code}" fill-opacity=".6"/>"#
            ),
            Mark::Whiskers { .. } => write!(
                out,
                r#"<path d="M{centre} {}v10" stroke="{code}" stroke-width="1.3"/><circle cx="{centre}" cy="{middle}" r="2.7" fill="{code}"/>"#,
                pixel(y + ROW / 2.0 - 5.0)
            ),
            Mark::Bars { .. } => {
                patch(out, ".45");
                Ok(())
            }
            Mark::Box { .. } => write!(
                out,
                r#"<rect x="{}" y="{}" width="10" height="8" fill="{code}" fill-opacity=".18" stroke="{code}" stroke-width="1.2"/>"#,
                pixel(x + KEY / 2.0 - 5.0),
                pixel(y + ROW / 2.0 - 4.0)
            ),
            Mark::Band { .. } | Mark::StepBand { .. } => Ok(()),
        };
    }
    let _ = write!(
        out,
        r##"<text x="{}" y="{}" font-size="{SIZE}" fill="#222">{}</text>"##,
        pixel(x + KEY + AFTER_KEY),
        pixel(y + ROW / 2.0 + 3.5),
        text::escape(&entry.name)
    );
}

//! Marks as SVG, in the pixels of a panel.

use super::canvas::{Canvas, Frame, pixel};
use super::{Hue, Mark, thin};
use std::fmt::Write;

/// The pattern of dashed lines.
pub(super) const DASHES: &str = r#" stroke-dasharray="5 3""#;
/// The pattern of reference lines.
pub(super) const REFERENCE: &str = r#" stroke-dasharray="3 2.5""#;
/// So few points are drawn with an outline each.
const FEW: usize = 150;

/// How marks of one panel are to be drawn.
pub(super) struct Style {
    /// The attribute that cuts marks at the panel's edge, or nothing.
    pub(super) clip: String,
    /// How many points one mark may draw.
    pub(super) share: usize,
    /// Half the width of a box, in pixels.
    pub(super) half_box: f64,
}

/// Draw the marks: bands and bars first, then the rest in order.
pub(super) fn marks(canvas: &mut Canvas, frame: &Frame, marks: &[Mark], style: &Style) {
    let under = |mark: &&Mark| matches!(mark, Mark::Band { .. } | Mark::StepBand { .. } | Mark::Bars { .. });
    for mark in marks.iter().filter(under) {
        draw(canvas, frame, mark, style);
    }
    for mark in marks.iter().filter(|mark| !under(mark)) {
        draw(canvas, frame, mark, style);
    }
}

fn group(canvas: &mut Canvas, attributes: &str, inside: impl FnOnce(&mut Canvas)) {
    let before = canvas.out.len();
    let _ = write!(canvas.out, "<g{attributes}>");
    let start = canvas.out.len();
    inside(canvas);
    if canvas.out.len() == start {
        canvas.out.truncate(before);
    } else {
        canvas.out.push_str("</g>\n");
    }
}

fn stroke(hue: Hue, width: f64, more: &str) -> String {
    format!(r#" fill="none" stroke="{}" stroke-width="{width}"{more}"#, hue.code())
}

fn draw(canvas: &mut Canvas, frame: &Frame, mark: &Mark, style: &Style) {
    let clip = style.clip.as_str();
    match mark {
        Mark::Line { hue, dashed, points, .. } => {
            let dashes = if *dashed { DASHES } else { "" };
            let pen = stroke(*hue, 1.6, &format!(r#" stroke-linejoin="round"{dashes}{clip}"#));
            let places = points.iter().map(|p| Some([frame.x(p[0])?, frame.y(p[1])?]));
            group(canvas, &pen, |canvas| {
                for piece in pieces(places) {
                    canvas.line(&thin::curve(piece));
                }
            });
        }
        Mark::Steps { hue, dashed, points, ticks, .. } => {
            let dashes = if *dashed { DASHES } else { "" };
            group(canvas, &stroke(*hue, 1.6, &format!("{dashes}{clip}")), |canvas| {
                for piece in descents(frame, points) {
                    canvas.line(&stairs(&thin::curve(piece)));
                }
            });
            censored(canvas, frame, *hue, ticks);
        }
        Mark::Band { hue, points } | Mark::StepBand { hue, points } => {
            let stepped = matches!(mark, Mark::StepBand { .. });
            let paint = format!(r#" fill="{}" fill-opacity=".18"{clip}"#, hue.code());
            group(canvas, &paint, |canvas| {
                let places = if stepped { step_intervals(frame, points) } else { intervals(frame, points) };
                for piece in pieces(places.into_iter()) {
                    band(canvas, &thin::band(piece), stepped);
                }
            });
        }
        Mark::Points { hue, points, .. } => dots(canvas, frame, *hue, points, style.share),
        Mark::Whiskers { hue, points, .. } => whiskers(canvas, frame, *hue, points, style),
        Mark::Bars { hue, bars, .. } => {
            let paint = format!(
                r##" fill="{}" fill-opacity=".45" stroke="#fff" stroke-width=".6"{clip}"##,
                hue.code()
            );
            group(canvas, &paint, |canvas| histogram(canvas, frame, bars));
        }
        Mark::Across { hue, at, .. } => {
            if let Some(y) = frame.y(*at).filter(|_| frame.y.holds(*at)) {
                reference(canvas, *hue, &[[0.0, y], [frame.width, y]]);
            }
        }
        Mark::Upright { hue, at, .. } => {
            if let Some(x) = frame.x(*at).filter(|_| frame.x.holds(*at)) {
                reference(canvas, *hue, &[[x, 0.0], [x, frame.height]]);
            }
        }
        Mark::Box { hue, x, five, .. } => box_plot(canvas, frame, *hue, *x, five, style),
    }
}

/// A reference line, set off from what it crosses.
fn reference(canvas: &mut Canvas, hue: Hue, ends: &[[f64; 2]]) {
    group(canvas, r##" fill="none" stroke="#fff" stroke-opacity=".75" stroke-width="3""##, |canvas| {
        canvas.line(ends)
    });
    group(canvas, &stroke(hue, 1.2, REFERENCE), |canvas| canvas.line(ends));
}

/// Runs without a gap.
fn pieces<const N: usize>(places: impl Iterator<Item = Option<[f64; N]>>) -> Vec<Vec<[f64; N]>> {
    let mut all = vec![Vec::new()];
    for place in places {
        match (place, all.last_mut()) {
            (Some(place), Some(piece)) => piece.push(place),
            _ => all.push(Vec::new()),
        }
    }
    all.retain(|piece| !piece.is_empty());
    all
}

/// The runs of a step curve; on a logarithmic axis a fall to nothing ends at the bottom.
fn descents(frame: &Frame, points: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
    let mut places = Vec::new();
    for &[x, y] in points {
        let at = frame.x_or_left(x);
        match (at, frame.y(y), frame.y_or_floor(y)) {
            (Some(x), Some(y), _) => places.push(Some([x, y])),
            (Some(x), None, Some(floor)) => {
                if let Some(Some(_)) = places.last() {
                    places.push(Some([x, floor]));
                }
                places.push(None);
            }
            _ => places.push(None),
        }
    }
    pieces(places.into_iter())
}

/// The corners of a right-continuous step curve.
fn stairs(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut out: Vec<[f64; 2]> = Vec::with_capacity(2 * points.len());
    for &point in points {
        if let Some(&last) = out.last() {
            if last[1] == point[1] && out.len() > 1 && out[out.len() - 2][1] == point[1] {
                out.pop();
            } else if last[1] != point[1] {
                out.push([point[0], last[1]]);
            }
        }
        out.push(point);
    }
    out
}

fn intervals(frame: &Frame, points: &[[f64; 3]]) -> Vec<Option<[f64; 3]>> {
    let place = |&[x, low, high]: &[f64; 3]| Some([frame.x(x)?, frame.y_or_floor(low)?, frame.y(high)?]);
    points.iter().map(place).collect()
}

/// As [`intervals`]; where all of one has fallen to nothing, the step before reaches up to there.
fn step_intervals(frame: &Frame, points: &[[f64; 3]]) -> Vec<Option<[f64; 3]>> {
    let mut places = Vec::new();
    for &[x, low, high] in points {
        match (frame.x_or_left(x), frame.y_or_floor(low), frame.y(high), frame.y_or_floor(high)) {
            (Some(x), Some(low), Some(high), _) => places.push(Some([x, low, high])),
            (Some(x), Some(floor), None, Some(_)) => places.extend([Some([x, floor, floor]), None]),
            _ => places.push(None),
        }
    }
    places
}

fn band(canvas: &mut Canvas, points: &[[f64; 3]], stepped: bool) {
    for pair in points.windows(2) {
        let (low, high) = match stepped {
            true => (pair[0][1], pair[0][2]),
            false => (pair[0][1].max(pair[1][1]), pair[0][2].min(pair[1][2])),
        };
        canvas.cover_area([pair[0][0], pair[1][0]], [low, high], 0.02);
    }
    let side = |which: usize| {
        let side: Vec<[f64; 2]> = points.iter().map(|p| [p[0], p[which]]).collect();
        if stepped { stairs(&side) } else { side }
    };
    let mut outline = side(2);
    outline.extend(side(1).iter().rev());
    canvas.shape(&outline);
}

/// Small upright ticks, one for each pixel at most.
fn censored(canvas: &mut Canvas, frame: &Frame, hue: Hue, ticks: &[[f64; 2]]) {
    let inside = ticks.iter().filter(|t| frame.holds(t[0], t[1]));
    let mut places: Vec<[i64; 2]> =
        inside.filter_map(|t| Some([frame.x(t[0])?.round() as i64, frame.y(t[1])?.round() as i64])).collect();
    places.sort_unstable();
    places.dedup();
    group(canvas, &stroke(hue, 1.1, ""), |canvas| {
        for [x, y] in places.iter().map(|p| p.map(|v| v as f64)) {
            canvas.cover_dot([x, y]);
            let _ = write!(canvas.out, r#"<path d="M{x} {}v7"/>"#, y - 3.5);
        }
    });
}

fn dots(canvas: &mut Canvas, frame: &Frame, hue: Hue, points: &[[f64; 2]], share: usize) {
    let places: Vec<[f64; 2]> = points
        .iter()
        .filter(|p| frame.holds(p[0], p[1]))
        .filter_map(|p| Some([frame.x(p[0])?, frame.y(p[1])?]))
        .collect();
    let code = hue.code();
    let few = places.len() <= FEW;
    let paint = match few {
        true => format!(r#" fill="{code}" fill-opacity=".35" stroke="{code}" stroke-width=".9""#),
        false => {
            let size = if places.len() <= 1_500 { 4.0 } else { 3.0 };
            // A line of no length with round ends is a dot, in a third of the bytes of a circle.
            stroke(hue, size, r#" stroke-opacity=".35" stroke-linecap="round""#)
        }
    };
    group(canvas, &paint, |canvas| {
        for i in thin::scatter(&places, share) {
            let [x, y] = places[i];
            canvas.cover_dot([x, y]);
            let _ = match few {
                true => write!(canvas.out, r#"<circle cx="{}" cy="{}" r="2.3"/>"#, pixel(x), pixel(y)),
                false => write!(canvas.out, r#"<path d="M{} {}h0"/>"#, pixel(x), pixel(y)),
            };
        }
    });
}

fn whiskers(canvas: &mut Canvas, frame: &Frame, hue: Hue, points: &[[f64; 4]], style: &Style) {
    let values: Vec<_> = points.iter().map(|p| Some([frame.x(p[0])?, frame.y(p[1])?])).collect();
    let join = format!(r#" stroke-opacity=".55"{}"#, style.clip);
    group(canvas, &stroke(hue, 0.8, &join), |canvas| {
        for piece in pieces(values.iter().copied()).into_iter().filter(|piece| piece.len() > 1) {
            canvas.line(&thin::curve(piece));
        }
    });
    let known: Vec<(&[f64; 4], [f64; 2])> =
        points.iter().zip(values).filter_map(|(p, v)| Some((p, v?))).collect();
    let places: Vec<[f64; 2]> = known.iter().map(|&(_, place)| place).collect();
    let chosen: Vec<(&[f64; 4], [f64; 2])> =
        thin::scatter(&places, style.share.min(1_500)).into_iter().map(|i| known[i]).collect();
    group(canvas, &stroke(hue, 1.3, &style.clip), |canvas| {
        for (point, [x, _]) in &chosen {
            if let (Some(low), Some(high)) = (frame.y_or_floor(point[2]), frame.y_or_floor(point[3])) {
                let x = *x;
                canvas.cover_segment([x, low], [x, high]);
                let (x, low, high) = (pixel(x), pixel(low), pixel(high));
                let _ = write!(canvas.out, r#"<path d="M{x} {low}V{high}"/>"#);
            }
        }
    });
    group(canvas, &format!(r##" fill="{}" stroke="#fff" stroke-width=".7""##, hue.code()), |canvas| {
        for &(_, [x, y]) in chosen.iter().filter(|(point, _)| frame.holds(point[0], point[1])) {
            canvas.cover_dot([x, y]);
            let _ = write!(canvas.out, r#"<circle cx="{}" cy="{}" r="2.7"/>"#, pixel(x), pixel(y));
        }
    });
}

fn histogram(canvas: &mut Canvas, frame: &Frame, bars: &[[f64; 3]]) {
    let floor = frame.y(0.0).unwrap_or(frame.height).clamp(0.0, frame.height);
    let places = bars.iter().filter_map(|b| {
        let (from, to) = (frame.x_or_left(b[0])?, frame.x_or_left(b[1])?);
        Some([from.min(to), from.max(to), frame.y_or_floor(b[2])?])
    });
    // Of bars narrower than a pixel, the tallest of the pixel.
    let mut kept: Vec<[f64; 3]> = Vec::new();
    for bar in places {
        match kept.last_mut() {
            Some(last) if bars.len() > 1_000 && last[0].floor() == bar[0].floor() => {
                last[1] = last[1].max(bar[1]);
                if (bar[2] - floor).abs() > (last[2] - floor).abs() {
                    last[2] = bar[2];
                }
            }
            _ => kept.push(bar),
        }
    }
    for [from, to, top] in kept.into_iter().filter(|bar| (bar[2] - floor).abs() > 0.05) {
        canvas.cover_area([from, to], [top, floor], 1.0);
        canvas.shape(&[[from, floor], [from, top], [to, top], [to, floor]]);
    }
}

fn box_plot(canvas: &mut Canvas, frame: &Frame, hue: Hue, x: f64, five: &[f64; 5], style: &Style) {
    let places = (frame.x(x).filter(|_| frame.x.holds(x)), five.map(|v| frame.y_or_floor(v)));
    let (Some(x), [Some(min), Some(q1), Some(median), Some(q3), Some(max)]) = places else { return };
    let (left, right, cap) = (x - style.half_box, x + style.half_box, 0.5 * style.half_box);
    group(canvas, &stroke(hue, 1.2, &style.clip), |canvas| {
        canvas.line(&[[x, max], [x, q3]]);
        canvas.line(&[[x, q1], [x, min]]);
        canvas.line(&[[x - cap, max], [x + cap, max]]);
        canvas.line(&[[x - cap, min], [x + cap, min]]);
        canvas.cover_area([left, right], [q3, q1], 1.0);
        let _ = write!(canvas.out, r#"<g fill="{}" fill-opacity=".18">"#, hue.code());
        canvas.shape(&[[left, q1], [left, q3], [right, q3], [right, q1]]);
        canvas.out.push_str(r#"</g><g stroke-width="2.2">"#);
        canvas.line(&[[left, median], [right, median]]);
        canvas.out.push_str("</g>");
    });
}

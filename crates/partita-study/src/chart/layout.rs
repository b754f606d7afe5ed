//! The figure as a whole: panels of one size in a grid, their edges in line.

use super::canvas::{Canvas, Frame, pixel};
use super::draw::{self, Style};
use super::legend::{self, Entry};
use super::number::Label;
use super::scale::{self, Span, Tick};
use super::{Mark, Panel, Scale, extent, text};
use std::fmt::Write;

const PANEL: f64 = 300.0;
const PLOT_HEIGHT: f64 = 168.0;
const RIGHT: f64 = 12.0;
const GUTTER: f64 = 20.0;
const EDGE: f64 = 10.0;
const TICK_SIZE: f64 = 10.0;
const LABEL_SIZE: f64 = 11.0;
const TITLE_SIZE: f64 = 11.5;
const LINE: f64 = 14.0;
/// How many points a figure draws at most, so that files stay small.
const POINTS: usize = 9_000;
const FONT: &str =
    "-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Helvetica,Arial,'Liberation Sans',sans-serif";
/// Stands for the prefix of all ids until the content is known; escaped text never has it.
const PREFIX: &str = "\u{1}";

/// A panel with all that is known before it has its place.
struct Ready<'a> {
    frame: Frame,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
    /// Names under boxes instead of numbers.
    named: bool,
    title: Vec<String>,
    x_label: Vec<String>,
    y_label: Vec<String>,
    canvas: Canvas,
    entries: Vec<Entry<'a>>,
    corner: Option<[f64; 2]>,
    above: (usize, Vec<[f64; 2]>),
}

pub(super) fn document(title: &str, panels: &[Panel], columns: usize) -> String {
    let nothing = [Panel::default()];
    let panels = if panels.is_empty() { &nothing } else { panels };
    let columns = columns.clamp(1, panels.len());
    let ready = prepare(panels);
    let left = ready.first().map_or(0.0, |ready| PANEL - RIGHT - ready.frame.width);

    let mut body = String::new();
    let mut y = EDGE;
    for (row, panels) in ready.chunks(columns).enumerate() {
        let lettered = usize::from(ready.len() > 1);
        let header = |r: &Ready| LINE * r.title.len().max(lettered) as f64 + legend::ROW * r.above.0 as f64;
        let top = panels.iter().map(header).fold(0.0, f64::max) + 6.0;
        let bottom = panels.iter().map(|r| LINE * r.x_label.len() as f64).fold(0.0, f64::max) + 20.0;
        for (column, panel) in panels.iter().enumerate() {
            let number = row * columns + column;
            let x = EDGE + column as f64 * (PANEL + GUTTER) + left;
            let letter = (ready.len() > 1).then(|| letter(number));
            write_panel(&mut body, panel, number, letter, [x, y + top], [left, top]);
        }
        y += top + PLOT_HEIGHT + bottom + 0.8 * GUTTER;
    }
    let width = 2.0 * EDGE + columns as f64 * (PANEL + GUTTER) - GUTTER;
    let height = y - 0.8 * GUTTER + EDGE;
    let (width, height) = (pixel(width.ceil()), pixel(height.ceil()));
    let svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-labelledby="{PREFIX}-title {PREFIX}-desc" font-family="{FONT}" text-rendering="optimizeLegibility">
<title id="{PREFIX}-title">{}</title>
<desc id="{PREFIX}-desc">{}</desc>
<rect width="{width}" height="{height}" fill="#fff"/>
{body}</svg>
"##,
        text::escape(title),
        text::escape(&spoken(panels)),
    );
    let prefix = format!("c{:012x}", fingerprint(svg.as_bytes()) >> 16);
    svg.replace(PREFIX, &prefix)
}

/// FNV-1a: the same content, the same name.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn letter(number: usize) -> String {
    let last = char::from(b'a' + (number % 26) as u8);
    match number / 26 {
        0 => format!("({last})"),
        before => format!("({}{last})", char::from(b'a' + ((before - 1) % 26) as u8)),
    }
}

/// What a figure shows, in words.
fn spoken(panels: &[Panel]) -> String {
    let mut out = String::new();
    for (number, panel) in panels.iter().enumerate() {
        let mut names: Vec<&str> =
            panel.marks.iter().map(Mark::name).filter(|name| !name.is_empty()).collect();
        names.dedup();
        let points = panel
            .marks
            .iter()
            .map(|mark| if let Mark::Points { points, .. } = mark { points.len() } else { 0 });
        let points: usize = points.sum();
        if panels.len() > 1 {
            let _ = write!(out, "{} ", letter(number));
        }
        let parts = [
            panel.title.clone(),
            if panel.y.label.is_empty() { String::new() } else { format!("vertical: {}", panel.y.label) },
            if panel.x.label.is_empty() { String::new() } else { format!("horizontal: {}", panel.x.label) },
            if names.is_empty() { String::new() } else { format!("shown: {}", names.join(", ")) },
            match points {
                0..=POINTS => String::new(),
                _ => format!("of {points} points a sample is drawn, with the extreme ones kept"),
            },
        ];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let _ = write!(out, "{}. ", parts.join("; "));
    }
    out.trim_end().to_string()
}

fn prepare(panels: &[Panel]) -> Vec<Ready<'_>> {
    let mut spans = Vec::new();
    let mut left: f64 = 20.0;
    for panel in panels {
        let (x, y) = extent::spans(panel);
        let empty = panel.y.range.is_none() && panel.marks.is_empty();
        let ticks = if empty { Vec::new() } else { upright_ticks(&y, panel.y.percent) };
        let labels = ticks.iter().filter_map(|tick| tick.label.as_ref());
        let widest = labels.map(|label| label.width(TICK_SIZE)).fold(0.0, f64::max);
        let y_label = text::balanced(&panel.y.label, LABEL_SIZE, PLOT_HEIGHT + 30.0, 2);
        left =
            left.max(8.0 + widest + if y_label.is_empty() { 0.0 } else { 6.0 + LINE * y_label.len() as f64 });
        spans.push((x, y, ticks, y_label));
    }
    let width = (PANEL - left.ceil() - RIGHT).max(120.0);
    let share = share(panels);
    let mut seen = Vec::new();
    let mut ready = Vec::new();
    for (number, (panel, (x, y, y_ticks, y_label))) in panels.iter().zip(spans).enumerate() {
        let frame = Frame { width, height: PLOT_HEIGHT, x, y };
        let names = box_names(panel, &frame);
        let named = names.is_some();
        let empty = panel.x.range.is_none() && panel.marks.is_empty();
        let x_ticks = names.unwrap_or_else(|| {
            if empty {
                return Vec::new();
            }
            scale::ticks(&x, panel.x.percent, |t| spread(&x, t, width, 9.0, |label| label.width(TICK_SIZE)))
        });
        let mut canvas = Canvas::new(&frame);
        let clip = match panel.x.range.is_some() || panel.y.range.is_some() {
            true => format!(r#" clip-path="url(#{PREFIX}-clip{number})""#),
            false => String::new(),
        };
        let style = Style { clip, share, half_box: extent::half_box(panel, &frame) };
        draw::marks(&mut canvas, &frame, &panel.marks, &style);
        let entries = if named { Vec::new() } else { legend::entries(panel, &mut seen, width) };
        let corner = legend::corner(&entries, &frame, &canvas);
        let above = if corner.is_some() { (0, Vec::new()) } else { above(&entries, width) };
        ready.push(Ready {
            frame,
            x_ticks,
            y_ticks,
            named,
            title: text::wrap(&panel.title, TITLE_SIZE * 1.06, width + RIGHT, 3),
            x_label: text::balanced(&panel.x.label, LABEL_SIZE, width + RIGHT, 2),
            y_label,
            canvas,
            entries,
            corner,
            above,
        });
    }
    ready
}

/// A legend above the plot: in line with it, or with the panel's left edge where that saves rows.
fn above(entries: &[Entry], width: f64) -> (usize, Vec<[f64; 2]>) {
    let (rows, places) = legend::flow(entries, width + RIGHT);
    let (fewer, mut wider) = legend::flow(entries, PANEL);
    if fewer >= rows {
        return (rows, places);
    }
    wider.iter_mut().for_each(|place| place[0] -= PANEL - RIGHT - width);
    (fewer, wider)
}

/// A handful of ticks on the vertical axis; more where a handful would be too few.
fn upright_ticks(span: &Span, percent: bool) -> Vec<Tick> {
    let up_to = |most: usize| {
        scale::ticks(span, percent, |ticks| {
            spread(span, ticks, PLOT_HEIGHT, 15.0, |_| 0.0)
                && (span.scale == Scale::Log || ticks.len() <= most)
        })
    };
    let handful = up_to(6);
    if handful.len() < 3 { up_to(9) } else { handful }
}

/// How many points each mark of points may draw.
fn share(panels: &[Panel]) -> usize {
    let sizes: Vec<usize> = panels
        .iter()
        .flat_map(|panel| &panel.marks)
        .filter_map(|mark| if let Mark::Points { points, .. } = mark { Some(points.len()) } else { None })
        .collect();
    if sizes.iter().sum::<usize>() <= POINTS {
        return POINTS;
    }
    let even = POINTS / sizes.len();
    let small: usize = sizes.iter().filter(|&&size| size <= even).sum();
    let large = sizes.iter().filter(|&&size| size > even).count();
    (POINTS - small) / large.max(1)
}

/// Whether labels of given sizes keep a distance.
fn spread(span: &Span, ticks: &[Tick], length: f64, gap: f64, size: impl Fn(&Label) -> f64) -> bool {
    let mut last = f64::NEG_INFINITY;
    for tick in ticks {
        let (Some(at), Some(label)) = (span.unit(tick.at), &tick.label) else { continue };
        let half = size(label) / 2.0;
        if at * length - half < last + gap {
            return false;
        }
        last = at * length + half;
    }
    true
}

/// Names under the boxes, where boxes are all there is along x and the names fit.
fn box_names(panel: &Panel, frame: &Frame) -> Option<Vec<Tick>> {
    let mut ticks: Vec<Tick> = Vec::new();
    for mark in &panel.marks {
        match mark {
            Mark::Box { name, x, .. } if !name.trim().is_empty() && frame.x.holds(*x) => {
                ticks.push(Tick { at: *x, label: Some(Label::plain(name.trim().to_string())) });
            }
            Mark::Across { name, .. } if name.is_empty() => {}
            _ => return None,
        }
    }
    ticks.sort_by(|a, b| a.at.total_cmp(&b.at));
    let distinct = ticks.iter().enumerate().all(|(i, a)| ticks[..i].iter().all(|b| a.label != b.label));
    let fit = spread(&frame.x, &ticks, frame.width, 6.0, |label| label.width(TICK_SIZE));
    (!ticks.is_empty() && distinct && fit).then_some(ticks)
}

fn write_panel(
    out: &mut String,
    ready: &Ready,
    number: usize,
    letter: Option<String>,
    at: [f64; 2],
    room: [f64; 2],
) {
    let Frame { width, height, .. } = ready.frame;
    let [left, top] = room;
    let _ = writeln!(out, r#"<g transform="translate({} {})">"#, pixel(at[0]), pixel(at[1]));
    let first = -top + 10.0;
    if let Some(letter) = letter {
        let _ = writeln!(
            out,
            r##"<text x="{}" y="{}" font-size="12" font-weight="700" fill="#111">{letter}</text>"##,
            pixel(-left),
            pixel(first)
        );
    }
    for (i, line) in ready.title.iter().enumerate() {
        let _ = writeln!(
            out,
            r##"<text x="0" y="{}" font-size="{TITLE_SIZE}" font-weight="600" fill="#111">{}</text>"##,
            pixel(first + LINE * i as f64),
            text::escape(line)
        );
    }
    let lines = axes(out, ready);
    labels(out, ready, left);
    if !ready.canvas.out.is_empty() {
        if ready.canvas.out.contains("clip-path") {
            let _ = writeln!(
                out,
                r#"<clipPath id="{PREFIX}-clip{number}"><rect x="-1" y="-1" width="{}" height="{}"/></clipPath>"#,
                pixel(width + 2.0),
                pixel(height + 1.5)
            );
        }
        out.push_str(&ready.canvas.out);
    }
    out.push_str(&lines);
    if !ready.canvas.any {
        let _ = writeln!(
            out,
            r##"<text x="{}" y="{}" font-size="{LABEL_SIZE}" font-style="italic" fill="#777" text-anchor="middle">nothing to show</text>"##,
            pixel(width / 2.0),
            pixel(height / 2.0)
        );
    }
    match ready.corner {
        Some(corner) => legend::stacked(out, &ready.entries, corner),
        _ => legend::flowing(out, &ready.entries, &ready.above.1, -4.0 - legend::ROW * ready.above.0 as f64),
    }
    out.push_str("</g>\n");
}

/// Grid and numbers; what it returns, the axes themselves, goes over the marks.
fn axes(out: &mut String, ready: &Ready) -> String {
    let Frame { width, height, x, y } = ready.frame;
    let (mut grid, mut marks, mut words) = (String::new(), String::new(), String::new());
    for tick in &ready.y_ticks {
        let Some(at) = y.unit(tick.at).map(|at| (1.0 - at) * height) else { continue };
        let long = if tick.label.is_some() { 4.0 } else { 2.2 };
        let _ = write!(marks, "M0 {}h-{long}", pixel(at));
        let Some(label) = &tick.label else { continue };
        let _ = write!(grid, "M0 {}H{}", pixel(at), pixel(width));
        let _ = write!(
            words,
            r#"<text x="-7" y="{}" text-anchor="end">{}</text>"#,
            pixel(at + 3.5),
            label.markup(TICK_SIZE)
        );
    }
    for tick in &ready.x_ticks {
        let Some(at) = x.unit(tick.at).map(|at| at * width) else { continue };
        let long = if tick.label.is_some() { 4.0 } else { 2.2 };
        if !ready.named {
            let _ = write!(marks, "M{} {}v{long}", pixel(at), pixel(height));
        }
        let Some(label) = &tick.label else { continue };
        let (at, below) = (pixel(at), pixel(height + 15.5));
        let markup = label.markup(TICK_SIZE);
        let _ = write!(words, r#"<text x="{at}" y="{below}" text-anchor="middle">{markup}</text>"#);
    }
    if !grid.is_empty() {
        let _ = writeln!(out, r##"<path d="{grid}" stroke="#e4e4e4" stroke-width=".8"/>"##);
    }
    if let Some(corner) = ready.corner {
        legend::ground(out, &ready.entries, &ready.frame, corner);
    }
    let (w, h) = (pixel(width), pixel(height));
    if !words.is_empty() {
        let _ = writeln!(out, r##"<g font-size="{TICK_SIZE}" fill="#333">{words}</g>"##);
    }
    format!("<path d=\"M0 0V{h}H{w}{marks}\" fill=\"none\" stroke=\"#444\" stroke-width=\".9\"/>\n")
}

fn labels(out: &mut String, ready: &Ready, left: f64) {
    let Frame { width, height, .. } = ready.frame;
    for (i, line) in ready.x_label.iter().enumerate() {
        let _ = writeln!(
            out,
            r##"<text x="{}" y="{}" font-size="{LABEL_SIZE}" fill="#111" text-anchor="middle">{}</text>"##,
            pixel(width / 2.0),
            pixel(height + 31.0 + LINE * i as f64),
            text::escape(line)
        );
    }
    for (i, line) in ready.y_label.iter().enumerate() {
        let (x, y) = (pixel(-left + 9.0 + LINE * i as f64), pixel(height / 2.0));
        let _ = writeln!(
            out,
            r##"<text transform="translate({x} {y}) rotate(-90)" font-size="{LABEL_SIZE}" fill="#111" text-anchor="middle">{}</text>"##,
            text::escape(line)
        );
    }
}

//! What every figure must hold, whatever the numbers.

use super::canvas::pixel;
use super::scale::{Extent, Span, ticks};
use super::{Axis, Hue, Mark, Panel, Scale, figure, number, samples, text, thin};
use proptest::prelude::*;

/// Every tag closed in its order, every attribute quoted, every `&` a known entity, ids once each.
fn well_formed(svg: &str) {
    let (mut open, mut ids, mut rest) = (Vec::new(), Vec::new(), svg);
    while let Some(start) = rest.find('<') {
        check_text(&rest[..start]);
        let tag = &rest[start + 1..];
        let end = tag.find('>').expect("a tag ends");
        let (inside, after) = (&tag[..end], &tag[end + 1..]);
        rest = after;
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closed in order");
            continue;
        }
        let inside_only = inside.trim_end_matches('/');
        let name = inside_only.split(' ').next().unwrap_or("");
        assert!(!name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric()), "{name}");
        let parts: Vec<&str> = inside_only[name.len()..].split('"').collect();
        assert_eq!(parts.len() % 2, 1, "quotes in pairs: {inside}");
        for pair in parts.chunks_exact(2) {
            assert!(pair[0].starts_with(' ') && pair[0].ends_with('='), "{inside}");
            check_text(pair[1]);
            if pair[0] == " id=" {
                ids.push(pair[1].to_string());
            }
        }
        if !inside.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty());
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "ids once each");
    assert!(!svg.contains("NaN") && !svg.contains("inf\"") && !svg.contains("inf "));
}

fn check_text(text: &str) {
    assert!(!text.contains(['\u{0}', '\u{1}']));
    for piece in text.split('&').skip(1) {
        assert!(["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|entity| piece.starts_with(entity)));
    }
}

fn line(points: Vec<[f64; 2]>) -> Mark {
    Mark::Line { name: "line".into(), hue: Hue::Blue, dashed: false, points }
}

fn panel(marks: Vec<Mark>) -> Panel {
    Panel { marks, ..Panel::default() }
}

#[test]
fn samples_are_well_formed_and_always_the_same() {
    let (first, again) = (samples::all(), samples::all());
    for ((name, svg), (_, same)) in first.iter().zip(&again) {
        well_formed(svg);
        assert_eq!(svg, same, "{name}");
        assert!(svg.len() < 400_000, "{name}: {}", svg.len());
    }
}

#[test]
fn what_people_write_stays_text() {
    let evil = "<script>alert(\"a & 'b'\")</script>\u{1}\u{0}";
    let axis = Axis { label: evil.into(), ..Axis::default() };
    let mark = Mark::Points { name: evil.into(), hue: Hue::Red, points: vec![[0.0, 1.0], [1.0, 2.0]] };
    let boxed = Mark::Box { name: evil.into(), hue: Hue::Red, x: 0.0, five: [1.0, 2.0, 3.0, 4.0, 5.0] };
    let one = Panel { title: evil.into(), x: axis.clone(), y: axis, marks: vec![mark] };
    let svg = figure(evil, &[one, panel(vec![boxed])], 2);
    well_formed(&svg);
    assert!(!svg.contains("<script") && svg.contains("&lt;script&gt;"));
}

#[test]
fn figures_in_one_page_do_not_share_ids() {
    let mut clipped = panel(vec![line(vec![[0.0, 0.0], [1.0, 1.0]])]);
    clipped.x.range = Some([0.2, 0.8]);
    let one = figure("one", std::slice::from_ref(&clipped), 1);
    let two = figure("two", std::slice::from_ref(&clipped), 1);
    assert!(one.contains("<clipPath"));
    let page = format!("<p>{one}{two}</p>");
    well_formed(&page);
}

#[test]
fn nothing_to_show_is_said() {
    for panels in [vec![], vec![Panel::default()], vec![panel(vec![line(vec![[f64::NAN, 1.0]])])]] {
        let svg = figure("", &panels, 0);
        well_formed(&svg);
        assert!(svg.contains("nothing to show"));
    }
}

#[test]
fn zeros_on_logarithmic_axes_are_left_out() {
    let log = || Axis { scale: Scale::Log, ..Axis::default() };
    let points = vec![[0.0, 1.0], [1.0, 0.5], [10.0, -1.0], [100.0, 0.1], [1000.0, 0.0]];
    let three = points.iter().map(|p| [p[0], 0.0, p[1]]).collect::<Vec<_>>();
    let marks = vec![
        line(points.clone()),
        Mark::Points { name: "points".into(), hue: Hue::Red, points: points.clone() },
        Mark::Steps { name: "s".into(), hue: Hue::Red, dashed: true, points: points.clone(), ticks: points },
        Mark::Band { hue: Hue::Green, points: three.clone() },
        Mark::StepBand { hue: Hue::Green, points: three.clone() },
        Mark::Whiskers { name: "w".into(), hue: Hue::Grey, points: vec![[1.0, 1.0, 0.0, 2.0], [0.0; 4]] },
        Mark::Bars { name: "b".into(), hue: Hue::Grey, bars: three },
        Mark::Across { name: "a".into(), hue: Hue::Black, at: 0.0 },
        Mark::Upright { name: "u".into(), hue: Hue::Black, at: -1.0 },
        Mark::Box { name: "box".into(), hue: Hue::Purple, x: 10.0, five: [0.0, 0.1, 0.2, 0.3, 0.4] },
    ];
    for range in [None, Some([0.0, 10.0]), Some([10.0, 1.0]), Some([5.0, 5.0]), Some([f64::NAN, 1.0])] {
        let mut y = log();
        y.range = range;
        let svg = figure("log", &[Panel { x: log(), y, marks: marks.clone(), ..Panel::default() }], 1);
        well_formed(&svg);
        assert!(!svg.contains("nothing to show"));
    }
}

#[test]
fn gaps_break_lines() {
    let svg =
        figure("gap", &[panel(vec![line(vec![[0.0, 0.0], [1.0, f64::NAN], [2.0, 1.0], [3.0, 2.0]])])], 1);
    well_formed(&svg);
    assert!(svg.matches("<path d=\"M").count() >= 2);
}

#[test]
fn many_points_make_a_small_file_with_the_extremes() {
    let mut points: Vec<[f64; 2]> = (0..200_000_u32)
        .map(|i| [f64::from(i), f64::from(i.wrapping_mul(2_654_435_761) >> 12) / 1e6])
        .collect();
    points[77_777][1] = 9.5;
    points[123_456][1] = -7.25;
    let mark = |name: &str| Mark::Points { name: name.into(), hue: Hue::Blue, points: points.clone() };
    let one = figure("many", &[panel(vec![mark("a")])], 1);
    let more = figure("more", &[panel(vec![mark("a"), mark("b")]), panel(vec![mark("c")])], 2);
    for svg in [&one, &more] {
        well_formed(svg);
        assert!(svg.len() < 400_000, "{}", svg.len());
    }
    let pixels: Vec<[f64; 2]> = points.iter().map(|p| [p[0] / 1000.0, p[1] * 20.0]).collect();
    let kept = thin::scatter(&pixels, 5_000);
    assert!(kept.len() <= 5_000 && kept.len() > 2_000);
    assert!([0, 77_777, 123_456, 199_999].iter().all(|i| kept.contains(i)));
    assert!(thin::scatter(&vec![[1.0, 1.0]; 50_000], 300).len() <= 300);
}

#[test]
fn long_curves_are_thinned_and_keep_their_peaks() {
    let mut curve: Vec<[f64; 2]> = (0..50_000).map(|i| [f64::from(i) / 200.0, f64::from(i % 7)]).collect();
    curve[31_415][1] = 99.0;
    curve[27_182][1] = -99.0;
    let thinned = thin::curve(curve.clone());
    assert!(thinned.len() <= 2_000);
    assert!(thinned.contains(&curve[31_415]) && thinned.contains(&curve[27_182]));
    assert_eq!((thinned[0], thinned[thinned.len() - 1]), (curve[0], curve[49_999]));
    let tangle: Vec<[f64; 2]> =
        (0..50_000).map(|i| [f64::from(i * 37 % 211), f64::from(i * 41 % 199)]).collect();
    assert!(thin::curve(tangle).len() <= 2_000);
}

#[test]
fn numbers_as_people_write_them() {
    let words = |label: &number::Label| format!("{}^{}", label.text, label.raised);
    assert_eq!(number::fixed(1000.0, 0), "1,000");
    assert_eq!(number::fixed(-1234567.25, 1), "−1,234,567.2");
    assert_eq!(number::fixed(-0.0001, 2), "0.00");
    assert_eq!(words(&number::even(&[0.1], -1, false)[0]), "0.1^");
    assert_eq!(words(&number::even(&[2e-5], -5, false)[0]), "2×10^−5");
    assert_eq!(words(&number::even(&[0.5], -1, true)[0]), "50\u{a0}%^");
    let decades = number::decades(&[(1, -5), (1, 0), (1, 1), (2, 2)], false);
    assert_eq!(decades.iter().map(words).collect::<Vec<_>>(), ["10^−5", "1^", "10^", "2×10^2"]);
    let markup = decades[0].markup(10.0);
    assert!(markup.starts_with("10<tspan dy=\"-3.6\"") && markup.ends_with(">−5</tspan>"));
    assert_eq!([0.04, -0.04, -1.25, 12.0, 1e9].map(pixel), ["0", "0", "-1.3", "12", "100000"]);
}

#[test]
fn one_legend_for_a_series_in_several_panels() {
    let one = panel(vec![line(vec![[0.0, 0.0], [1.0, 1.0]])]);
    let svg = figure("", &[one.clone(), one], 2);
    assert_eq!(svg.matches(">line</text>").count(), 1);
    assert!(svg.contains(">(a)</text>") && svg.contains(">(b)</text>"));
}

/// A colour as the eye sees it, through a matrix on linear light, in CIE Lab.
fn seen(code: &str, eye: &[[f64; 3]; 3]) -> [f64; 3] {
    let linear = [1, 3, 5].map(|i| {
        let v = f64::from(u8::from_str_radix(&code[i..i + 2], 16).expect("two digits")) / 255.0;
        if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    });
    let times = |m: &[[f64; 3]; 3], v: [f64; 3]| m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
    let light = times(eye, linear).map(|v| v.clamp(0.0, 1.0));
    let xyz = times(&[[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8728]], light);
    let [x, y, z] = xyz.map(|v| if v > 0.008856 { v.cbrt() } else { 7.787 * v + 16.0 / 116.0 });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[test]
fn hues_are_told_apart_by_the_colour_blind() {
    // Machado, Oliveira and Fernandes (2009), full severity: none, protan, deutan, tritan.
    let eyes = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ];
    let hues = [Hue::Blue, Hue::Red, Hue::Green, Hue::Orange, Hue::Purple, Hue::Grey, Hue::Black];
    for eye in &eyes {
        for (i, one) in hues.iter().enumerate() {
            for other in &hues[..i] {
                let (a, b) = (seen(one.code(), eye), seen(other.code(), eye));
                let apart = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                assert!(apart > 20.0, "{one:?} and {other:?}: {apart}");
            }
        }
    }
}

#[test]
fn long_words_are_broken_and_shortened() {
    let lines = text::wrap("one two three four five six", 10.0, 60.0, 2);
    assert!(lines.len() == 2 && lines[1].ends_with('…'));
    assert!(lines.iter().all(|line| text::width(line, 10.0) <= 60.0));
}

proptest! {
    #[test]
    fn ticks_are_nice_and_in_range(a in -300.0..300.0_f64, b in -300.0..300.0_f64, power in -12..12_i32, log in any::<bool>()) {
        let unit = 10f64.powi(power);
        let (a, b) = if log { (10f64.powf(a / 30.0) * unit, 10f64.powf(b / 30.0) * unit) } else { (a * unit, b * unit) };
        let axis = Axis { scale: if log { Scale::Log } else { Scale::Linear }, range: Some([a, b]), ..Axis::default() };
        let span = Span::new(&axis, Extent::default());
        let all = ticks(&span, false, |ticks| ticks.len() <= 9);
        let slack = 1e-8 * (span.hi - span.lo);
        prop_assert!(!all.is_empty());
        for tick in &all {
            prop_assert!(tick.at >= span.lo - slack && tick.at <= span.hi + slack, "{} in {span:?}", tick.at);
        }
        let labelled: Vec<f64> = all.iter().filter(|tick| tick.label.is_some()).map(|tick| tick.at).collect();
        prop_assert!(labelled.len() <= 9);
        if !log {
            prop_assert!(labelled.len() >= 3);
            for pair in labelled.windows(2) {
                let step = pair[1] - pair[0];
                let mantissa = step / 10f64.powf((step * 1.0001).log10().floor());
                prop_assert!([1.0, 2.0, 5.0].iter().any(|nice| (mantissa - nice).abs() < 1e-3), "{mantissa}");
            }
        }
        let mut words: Vec<String> = all.iter().filter_map(|t| t.label.as_ref()).map(|l| l.markup(10.0)).collect();
        let count = words.len();
        words.sort();
        words.dedup();
        prop_assert_eq!(words.len(), count, "no two ticks with one label");
    }

    #[test]
    fn no_numbers_break_a_figure(values in prop::collection::vec(prop_oneof![
        Just(f64::NAN), Just(f64::INFINITY), Just(0.0), Just(-0.0), Just(f64::MAX), Just(f64::MIN_POSITIVE),
        Just(1e300), Just(-1e299), -1e3..1e3_f64, -1e-9..1e-9_f64], 15..40), logs in any::<[bool; 2]>(), ranged in any::<[bool; 2]>()) {
        let v = &values;
        let two: Vec<[f64; 2]> = v.chunks_exact(2).map(|c| [c[0], c[1]]).collect();
        let three: Vec<[f64; 3]> = v.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
        let four: Vec<[f64; 4]> = v.chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect();
        let axis = |log: bool, ranged: bool, at: usize| Axis {
            scale: if log { Scale::Log } else { Scale::Linear },
            range: ranged.then_some([v[at], v[at + 1]]),
            ..Axis::default()
        };
        let marks = vec![
            line(two.clone()),
            Mark::Points { name: "p".into(), hue: Hue::Red, points: two.clone() },
            Mark::Steps { name: "s".into(), hue: Hue::Red, dashed: true, points: two.clone(), ticks: two },
            Mark::Band { hue: Hue::Green, points: three.clone() },
            Mark::StepBand { hue: Hue::Green, points: three.clone() },
            Mark::Bars { name: "b".into(), hue: Hue::Grey, bars: three },
            Mark::Whiskers { name: "w".into(), hue: Hue::Orange, points: four },
            Mark::Across { name: "a".into(), hue: Hue::Black, at: v[0] },
            Mark::Upright { name: "u".into(), hue: Hue::Black, at: v[1] },
            Mark::Box { name: "x".into(), hue: Hue::Purple, x: v[2], five: [v[3], v[4], v[5], v[6], v[7]] },
        ];
        let x = axis(logs[0], ranged[0], 8);
        let y = axis(logs[1], ranged[1], 10);
        well_formed(&figure("any", &[Panel { title: String::new(), x, y, marks }], 1));
    }
}

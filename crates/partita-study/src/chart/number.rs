//! Numbers on the axes, written as people write them.

use super::text;
use std::fmt::Write;

/// A tick's label: plain text, and what stands raised after it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Label {
    pub(super) text: String,
    pub(super) raised: String,
}

/// The size of raised digits beside that of the rest.
pub(super) const RAISED: f64 = 0.76;

impl Label {
    pub(super) fn plain(text: String) -> Self {
        Label { text, raised: String::new() }
    }

    /// A mantissa times a power of ten; without one, the power itself.
    fn power(mantissa: &str, exponent: i32) -> Self {
        let text = match (mantissa, exponent) {
            ("", 0) => return Label::plain("1".into()),
            ("", 1) => return Label::plain("10".into()),
            ("", _) => "10".to_string(),
            _ => format!("{mantissa}×10"),
        };
        Label { text, raised: signed(&exponent.to_string()) }
    }

    pub(super) fn width(&self, size: f64) -> f64 {
        text::width(&self.text, size) + text::width(&self.raised, size * RAISED)
    }

    /// The inside of a `<text>` element.
    pub(super) fn markup(&self, size: f64) -> String {
        let mut out = text::escape(&self.text);
        if !self.raised.is_empty() {
            let _ = write!(
                out,
                r#"<tspan dy="{:.1}" font-size="{:.1}">{}</tspan>"#,
                -0.36 * size,
                RAISED * size,
                text::escape(&self.raised)
            );
        }
        out
    }
}

/// A proper minus sign.
fn signed(digits: &str) -> String {
    digits.replacen('-', "−", 1)
}

/// Fixed decimals, thousands apart, a proper minus; no minus before nothing.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
    let digits = format!("{:.*}", decimals, value.abs());
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut out = String::new();
    if value < 0.0 && digits.bytes().any(|b| (b'1'..=b'9').contains(&b)) {
        out.push('−');
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

/// Labels of evenly spaced ticks, a step of 1, 2 or 5 times `10^exponent` apart.
pub(super) fn even(values: &[f64], exponent: i32, percent: bool) -> Vec<Label> {
    let (factor, exponent) = if percent { (100.0, exponent + 2) } else { (1.0, exponent) };
    let unit = if percent { "\u{a0}%" } else { "" };
    let top = values.iter().fold(0.0_f64, |top, v| top.max(v.abs() * factor));
    let digits = if top > 0.0 { top.log10().floor() as i32 } else { 0 };
    let powers = !percent && (digits >= 6 || exponent < -4) && digits - exponent <= 3;
    let label = |&v: &f64| {
        if powers && v != 0.0 {
            let decimals = usize::try_from(digits - exponent).unwrap_or(0);
            Label::power(&fixed(v / 10f64.powi(digits), decimals), digits)
        } else if v == 0.0 {
            Label::plain(format!("0{unit}"))
        } else {
            let decimals = usize::try_from(-exponent).unwrap_or(0).min(15);
            Label::plain(format!("{}{unit}", fixed(v * factor, decimals)))
        }
    };
    values.iter().map(label).collect()
}

/// Labels on a logarithmic axis: `mantissa * 10^exponent`, in one style for all.
pub(super) fn decades(parts: &[(u32, i32)], percent: bool) -> Vec<Label> {
    let shift = if percent { 2 } else { 0 };
    let unit = if percent { "\u{a0}%" } else { "" };
    let plain = percent && parts.iter().all(|&(_, e)| (-8..8).contains(&e))
        || parts.iter().all(|&(_, e)| (-3..=5).contains(&e));
    let label = |&(mantissa, exponent): &(u32, i32)| {
        let exponent = exponent + shift;
        if plain {
            let decimals = usize::try_from(-exponent).unwrap_or(0);
            let value = f64::from(mantissa) * 10f64.powi(exponent);
            Label::plain(format!("{}{unit}", fixed(value, decimals)))
        } else {
            // Percent of a power of ten has no good name; the fraction has.
            let mantissa = if mantissa == 1 { String::new() } else { mantissa.to_string() };
            Label::power(&mantissa, exponent - shift)
        }
    };
    parts.iter().map(label).collect()
}

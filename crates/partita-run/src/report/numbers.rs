//! Numbers as a reader wants them: rounded to what the error supports, exact beside.

use crate::words::places;

/// The exact number for `data-value` and `title`: the shortest text that reads back equal.
pub(super) fn exact(value: f64) -> String {
    format!("{value}")
}

fn fixed(value: f64, places: i32) -> String {
    if !value.is_finite() {
        return String::from("unknown");
    }
    let text = if places < 0 {
        let unit = 10f64.powi(-places);
        format!("{:.0}", (value / unit).round() * unit)
    } else if places > 9 {
        let digits = places + if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
        format!("{value:.*e}", digits.clamp(0, 16) as usize)
    } else {
        format!("{value:.*}", places as usize)
    };
    let zero = !text.contains(|c: char| matches!(c, '1'..='9'));
    if zero { text.trim_start_matches('-').to_owned() } else { text.replace('-', "\u{2212}") }
}

/// `value` with the places that `error` supports, or five digits where there is no error.
pub(super) fn rounded(value: f64, error: Option<f64>) -> String {
    match error.and_then(places) {
        Some(places) => fixed(value, places),
        None => short(value, 5),
    }
}

/// The error itself, to its own one or two digits.
pub(super) fn error(error: f64) -> String {
    rounded(error, Some(error))
}

/// `value` to so many significant digits, without idle zeros.
pub(super) fn short(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return fixed(value, 0);
    }
    let size = value.abs().log10().floor() as i32;
    let text = fixed(value, digits - 1 - size);
    if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// The standard error behind a 95% interval.
pub(super) fn error_of(interval: Option<[f64; 2]>) -> Option<f64> {
    interval.map(|[low, high]| (high - low) / (2.0 * 1.959_964))
}

/// Thousands apart by a thin space.
pub(super) fn grouped(value: u64) -> String {
    let digits = value.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{2009}');
        }
        out.push(digit);
    }
    out
}

/// A stretch of time in the unit a reader would choose.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.001 => format!("{} µs", short(s * 1e6, 3)),
        s if s < 1.0 => format!("{} ms", short(s * 1e3, 3)),
        s if s < 120.0 => format!("{} s", short(s, 3)),
        s if s < 7200.0 => format!("{} min", short(s / 60.0, 3)),
        s => format!("{} h", short(s / 3600.0, 3)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_decides_the_places() {
        assert_eq!(rounded(0.320_713, Some(0.000_78)), "0.3207");
        assert_eq!(error(0.000_78), "0.0008");
        assert_eq!(rounded(0.320_713, Some(0.001_23)), "0.3207");
        assert_eq!(error(0.001_23), "0.0012");
        assert_eq!(rounded(5.126, Some(0.96)), "5.1");
        assert_eq!(error(0.996), "1.0");
        assert_eq!(rounded(12_345.0, Some(321.0)), "12300");
        assert_eq!(rounded(-0.000_4, Some(0.03)), "0.00");
        assert_eq!(rounded(-0.25, Some(0.03)), "\u{2212}0.25");
    }

    #[test]
    fn no_error_and_no_number_are_shown_plainly() {
        assert_eq!(rounded(4.0, None), "4");
        assert_eq!(rounded(4.0, Some(0.0)), "4");
        assert_eq!(rounded(1.0 / 3.0, None), "0.33333");
        assert_eq!(rounded(f64::NAN, Some(0.1)), "unknown");
        assert_eq!(short(f64::INFINITY, 3), "unknown");
        assert_eq!(rounded(3.21e-12, Some(2e-13)), "3.2e\u{2212}12");
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(grouped(4096), "4096");
        assert_eq!(grouped(1_234_567), "1\u{2009}234\u{2009}567");
        assert_eq!(duration(93.04), "93 s");
        assert_eq!(duration(5400.0), "90 min");
    }
}

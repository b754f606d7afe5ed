//! Small matters of wording: nearest names, plain reasons, readable numbers.

/// The nearest of some names, if one is near enough to be what was meant.
///
/// ```
/// assert_eq!(partita_run::words::closest("gen", ["gene", "seed"]), Some("gene".into()));
/// ```
pub fn closest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(word, name), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 3)
        .min()
        .map(|(_, name)| name.to_string())
}

/// An operating-system error without its number.
///
/// ```
/// let error = std::fs::read("nowhere").unwrap_err();
/// assert!(!partita_run::words::plain(&error).contains("os error"));
/// ```
pub fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(at) => text[..at].to_lowercase(),
        None => text,
    }
}

/// A name of a column for a list: on one line, and cut after 40 characters.
///
/// ```
/// assert_eq!(partita_run::words::one_line("yield\nper  plot"), "yield per plot");
/// ```
pub fn one_line(name: &str) -> String {
    const LONGEST: usize = 40;
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    match name.chars().count() > LONGEST {
        true => name.chars().take(LONGEST - 1).chain(['…']).collect(),
        false => name,
    }
}

/// A text as one types it on a command line, quoted where it must be.
pub(crate) fn typed(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-.:/+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// A text as a cell of CSV, quoted where it must be.
pub(crate) fn csv_cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

/// Places after the point that a standard error supports; negative for tens and hundreds. One digit of the error is kept,
/// two where it begins with 1. What rounding leaves of values that are all equal is no error.
pub(crate) fn places(error: f64) -> Option<i32> {
    if !(error.is_finite() && error > 1e-13) {
        return None;
    }
    let text = format!("{error:.1e}");
    let (mantissa, exponent) = text.split_once('e')?;
    let digits = if mantissa.starts_with('1') { 2 } else { 1 };
    Some(digits - 1 - exponent.parse::<i32>().ok()?)
}

/// A value with the digits that its standard error supports; at most four decimals without one.
///
/// ```
/// assert_eq!(partita_run::words::rounded(0.320_712, 0.000_81), "0.3207");
/// assert_eq!(partita_run::words::rounded(2523.4, 32.0), "2520");
/// ```
pub fn rounded(value: f64, error: f64) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    unsigned_zero(match places(error) {
        None => format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_owned(),
        Some(places @ 0..) => format!("{value:.*}", places.min(12) as usize),
        Some(places) => {
            let unit = 10f64.powi(-places);
            format!("{:.0}", (value / unit).round() * unit)
        }
    })
}

/// Zero has no sign.
fn unsigned_zero(text: String) -> String {
    match text.strip_prefix('-') {
        Some(rest) if !rest.contains(|c: char| matches!(c, '1'..='9')) => rest.into(),
        _ => text,
    }
}

/// A share or a probability in percent, with the digits that its standard error supports; no decimals without one.
///
/// ```
/// assert_eq!(partita_run::words::percent(0.4414, Some(0.0035)), "44.1%");
/// assert_eq!(partita_run::words::percent(0.4414, None), "44%");
/// ```
pub fn percent(share: f64, error: Option<f64>) -> String {
    let digits = error.and_then(|error| places(100.0 * error)).unwrap_or(0).clamp(0, 3) as usize;
    unsigned_zero(format!("{:.digits$}", 100.0 * share)) + "%"
}

/// The value of a summary for a reader: shares of items and probabilities in percent.
///
/// ```
/// assert_eq!(partita_run::words::estimate("top:1", 0.4414, Some(0.0035)), "44.1%");
/// assert_eq!(partita_run::words::estimate("clusters", 4.56, Some(0.09)), "4.56");
/// ```
pub fn estimate(name: &str, value: f64, error: Option<f64>) -> String {
    if is_share(name) { percent(value, error) } else { rounded(value, error.unwrap_or(f64::NAN)) }
}

/// Whether a summary is a share of items or a probability, which people read in percent.
pub(crate) fn is_share(name: &str) -> bool {
    ["top:", "co:", "clusters="].iter().any(|kind| name.starts_with(kind))
}

/// Sizes of clusters in descending order, with the last ones counted: `146, 119, 68 and 4 smaller`.
///
/// ```
/// assert_eq!(partita_run::words::sizes(&[5, 4, 3, 1], 2), "5, 4 and 2 smaller");
/// assert_eq!(partita_run::words::sizes(&[5, 1, 1, 1], 2), "5, 1 and 2 more");
/// assert_eq!(partita_run::words::sizes(&[5, 4, 3], 8), "5, 4 and 3");
/// ```
pub fn sizes(sizes: &[u64], told: usize) -> String {
    let list: Vec<String> = sizes.iter().take(told).map(ToString::to_string).collect();
    match sizes.len().saturating_sub(told) {
        0 => and(&list),
        rest => {
            // Some of the others may be as large as the last one named.
            let kind = if told > 0 && sizes[told] == sizes[told - 1] { "more" } else { "smaller" };
            format!("{} and {rest} {kind}", list.join(", "))
        }
    }
}

/// `1 cell`, `1,234 cells`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    format!("{text} {noun}{}", if number == 1 { "" } else { "s" })
}

/// All of them: `a, b and c`.
pub(crate) fn and(all: &[String]) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Alternatives: `a, b, or c`.
pub(crate) fn or(ways: &[&str]) -> String {
    match ways {
        [] => String::new(),
        [one] => (*one).into(),
        [one, other] => format!("{one} or {other}"),
        [most @ .., last] => format!("{}, or {last}", most.join(", ")),
    }
}

/// Seconds in readable form.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_their_error() {
        assert_eq!(rounded(0.320_712, 0.000_81), "0.3207");
        assert_eq!(rounded(0.320_712, 0.001_23), "0.3207");
        assert_eq!(rounded(4.6, 0.3), "4.6");
        assert_eq!(rounded(1234.5, 250.0), "1200");
        assert_eq!(rounded(2_071_000.4, 512_345.0), "2100000");
        assert_eq!(rounded(3.0, 0.0), "3");
        assert_eq!(rounded(10.0, 1e-17), "10");
        assert_eq!(rounded(1.0 / 3.0, f64::NAN), "0.3333");
        assert_eq!(rounded(-0.3, 9.0), "0");
    }

    #[test]
    fn percentages_have_the_digits_of_their_error() {
        assert_eq!(percent(0.123_456, Some(0.000_2)), "12.35%");
        assert_eq!(percent(0.123_456, Some(0.03)), "12%");
        assert_eq!(percent(-0.000_1, Some(0.004)), "0.0%");
        assert_eq!(percent(-0.02, Some(0.004)), "-2.0%");
        assert_eq!(percent(1.0, Some(0.0)), "100%");
        assert_eq!(percent(1.0, Some(1e-17)), "100%");
    }

    #[test]
    fn the_closest_name_is_near() {
        assert_eq!(closest("burnin", ["lag", "burn_in"]), Some("burn_in".into()));
        assert_eq!(closest("zebra", ["lag", "burn_in"]), None);
    }
}

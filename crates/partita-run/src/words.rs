//! Small matters of wording: nearest names, plain reasons, numbers a person reads.

/// The nearest of some names, if one is near enough to be meant.
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

/// A value with the digits its uncertainty supports: two digits of it.
pub fn rounded(value: f64, uncertainty: f64) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    let digits = if uncertainty.is_finite() && uncertainty > 0.0 {
        (1.0 - uncertainty.log10().floor()).clamp(0.0, 12.0) as usize
    } else {
        4
    };
    format!("{value:.digits$}")
}

/// Sizes of clusters, so many of them told: `146, 119, 68 and 4 smaller`.
///
/// ```
/// assert_eq!(partita_run::words::sizes(&[5, 4, 3, 1], 2), "5, 4 and 2 smaller");
/// ```
pub fn sizes(sizes: &[u64], told: usize) -> String {
    let list: Vec<String> = sizes.iter().take(told).map(ToString::to_string).collect();
    let rest = sizes.len().saturating_sub(told);
    list.join(", ") + &if rest > 0 { format!(" and {rest} smaller") } else { String::new() }
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

/// Seconds as a person says them.
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
        assert_eq!(rounded(0.320_712, 0.000_81), "0.32071");
        assert_eq!(rounded(4.6, 0.3), "4.60");
        assert_eq!(rounded(1234.5, 250.0), "1234");
        assert_eq!(rounded(3.0, 0.0), "3.0000");
    }

    #[test]
    fn the_closest_name_is_near() {
        assert_eq!(closest("burnin", ["lag", "burn_in"]), Some("burn_in".into()));
        assert_eq!(closest("zebra", ["lag", "burn_in"]), None);
    }
}

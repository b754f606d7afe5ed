//! Numbers as people write them: `1,234.5`, `1.234,5`, `12 %`, `$99`.

/// What stands between the whole part of a number and its fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Decimal {
    /// As in `1,234.5`.
    #[default]
    Point,
    /// As in `1.234,5`.
    Comma,
}

/// A number that was written with signs around it or separators in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figure {
    /// The number; that of `12 %` is 12.
    pub value: f64,
    /// The percent or currency sign.
    pub sign: Option<char>,
    /// Whether thousands are set apart.
    pub grouped: bool,
    /// Whether a fraction follows.
    pub fraction: bool,
}

/// Signs before or behind a number that do not change it.
const CURRENCIES: [char; 6] = ['$', '€', '£', '¥', '₹', '₩'];

/// What may set thousands apart beside the mark that is not the decimal one: blanks of three kinds and apostrophes.
const BLANKS: [char; 5] = [' ', '\u{a0}', '\u{202f}', '\'', '’'];

impl Decimal {
    fn mark(self) -> char {
        match self {
            Decimal::Point => '.',
            Decimal::Comma => ',',
        }
    }

    fn separates(self, c: char) -> bool {
        let other = if self == Decimal::Point { ',' } else { '.' };
        c == other || BLANKS.contains(&c)
    }
}

/// Reads a number under one meaning of point and comma; none where it is not written so.
pub(super) fn figure(text: &str, decimal: Decimal) -> Option<Figure> {
    let (minus, rest) = without_minus(text);
    let (sign, rest) = without_sign(rest);
    let (inner, rest) = if minus { (false, rest) } else { without_minus(rest) };
    let (mantissa, exponent) = rest.split_once(['e', 'E']).map_or((rest, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = match mantissa.split_once(decimal.mark()) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if fraction.is_some_and(|fraction| !digits(fraction)) {
        return None;
    }
    let grouped = !digits(whole);
    let whole = if grouped { ungrouped(whole, decimal)? } else { whole.to_owned() };
    let number = format!("{whole}.{}e{}", fraction.unwrap_or("0"), exponent.unwrap_or("0"));
    let value = number.parse::<f64>().ok().filter(|value| value.is_finite())?;
    let value = if minus || inner { -value } else { value };
    Some(Figure { value, sign, grouped, fraction: fraction.is_some() })
}

/// The digits of a whole number whose thousands are set apart, by the same character all along.
fn ungrouped(whole: &str, decimal: Decimal) -> Option<String> {
    let separator = whole.chars().find(|c| !c.is_ascii_digit()).filter(|c| decimal.separates(*c))?;
    let mut groups = whole.split(separator);
    let first = groups.next().filter(|first| matches!(first.len(), 1..=3) && !first.starts_with('0'))?;
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let mut number = digits(first).then(|| first.to_owned())?;
    for group in groups {
        if group.len() != 3 || !digits(group) {
            return None;
        }
        number.push_str(group);
    }
    Some(number)
}

fn without_minus(text: &str) -> (bool, &str) {
    match text.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// The percent or currency sign of a number, and what is left without it.
fn without_sign(text: &str) -> (Option<char>, &str) {
    let currency = |c: &char| CURRENCIES.contains(c);
    if let Some(sign) = text.chars().next().filter(currency) {
        return (Some(sign), text[sign.len_utf8()..].trim_start());
    }
    match text.chars().next_back().filter(|c| *c == '%' || currency(c)) {
        Some(sign) => (Some(sign), text[..text.len() - sign.len_utf8()].trim_end()),
        None => (None, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, decimal: Decimal) -> Option<f64> {
        figure(text, decimal).map(|figure| figure.value)
    }

    #[test]
    fn numbers_with_separators_and_signs() {
        let both = [
            ("1,234", Some(1234.0), Some(1.234)),
            ("1,234,567.25", Some(1_234_567.25), None),
            ("1.234.567,25", None, Some(1_234_567.25)),
            ("1.234", Some(1.234), Some(1234.0)),
            ("3,25", None, Some(3.25)),
            ("0,125", None, Some(0.125)),
            ("1,5e-3", None, Some(0.0015)),
            ("1 234 567", Some(1_234_567.0), Some(1_234_567.0)),
            ("12\u{202f}345,5", None, Some(12_345.5)),
            ("1'234.5", Some(1234.5), None),
            ("12%", Some(12.0), Some(12.0)),
            ("-3.5 %", Some(-3.5), None),
            ("$1,200", Some(1200.0), Some(1.2)),
            ("-$5", Some(-5.0), Some(-5.0)),
            ("$-5", Some(-5.0), Some(-5.0)),
            ("7 €", Some(7.0), Some(7.0)),
            ("−4", Some(-4.0), Some(-4.0)),
        ];
        for (text, point, comma) in both {
            assert_eq!((value(text, Decimal::Point), value(text, Decimal::Comma)), (point, comma), "{text}");
        }
    }

    #[test]
    fn words_are_no_numbers() {
        for text in [
            "",
            "-",
            "%",
            "$",
            "oops",
            "12a",
            "1,23,456",
            "1,2345",
            "01,234",
            "1 23",
            "1.2.3",
            "1-2",
            "$5%",
            "5 kg",
            "1,,234",
            ",5x",
            "1e",
            "12:30",
            "1,234 567",
        ] {
            for decimal in [Decimal::Point, Decimal::Comma] {
                let allowed = ["1,2345", "01,234"].contains(&text) && decimal == Decimal::Comma;
                assert!(figure(text, decimal).is_none() || allowed, "{text}");
            }
        }
    }

    #[test]
    fn what_is_special_about_a_number_is_told() {
        let found = figure("$1,200.50", Decimal::Point).unwrap();
        assert_eq!((found.sign, found.grouped, found.fraction), (Some('$'), true, true));
        let found = figure("12 %", Decimal::Point).unwrap();
        assert_eq!((found.sign, found.grouped, found.fraction), (Some('%'), false, false));
    }
}

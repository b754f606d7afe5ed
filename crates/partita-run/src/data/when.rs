//! Dates and times, as they stand in files.

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Whether a cell is a date, a time, or both. A number alone never is.
pub(super) fn is_date(text: &str) -> bool {
    let text = text.trim();
    if !text.bytes().any(|byte| byte.is_ascii_digit()) || text.len() > 40 || !text.is_ascii() {
        return false;
    }
    if is_time(text) || is_day(text) {
        return true;
    }
    // The time follows the day.
    let cut = text.find('T').filter(|&at| at >= 8).or_else(|| {
        let colon = text.find(':')?;
        text[..colon].rfind(' ')
    });
    cut.is_some_and(|at| is_day(text[..at].trim_end_matches([',', ' '])) && is_time(&text[at + 1..]))
}

/// Whether eight digits are a day: `20090131`.
pub(super) fn is_compact(text: &str) -> bool {
    text.len() == 8
        && number(text).is_some_and(|day| {
            let (year, month, day) = (day / 10_000, day / 100 % 100, day % 100);
            (1800..2200).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day)
        })
}

fn number(text: &str) -> Option<u32> {
    let digits = (1..=8).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// `12:30`, `9:05:00.5 pm`, `23:59:59Z`, `10:00+02:00`.
fn is_time(text: &str) -> bool {
    let text = text.trim();
    let zoneless = text.strip_suffix('Z').or(text.strip_suffix(" UTC")).or(text.strip_suffix(" GMT"));
    let mut clock = zoneless.unwrap_or(text);
    if let Some(at) = clock.rfind(['+', '-']).filter(|&at| at >= 4) {
        let zone = clock[at + 1..].replace(':', "");
        if !matches!(zone.len(), 2 | 4) || number(&zone).is_none() {
            return false;
        }
        clock = &clock[..at];
    }
    let lower = clock.to_ascii_lowercase();
    let clock = lower.strip_suffix("am").or(lower.strip_suffix("pm")).unwrap_or(&lower).trim_end();
    let parts: Vec<&str> = clock.split(':').collect();
    let below = |text: &str, most: u32| text.len() == 2 && number(text).is_some_and(|part| part < most);
    let seconds = |text: &str| {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        below(whole, 61) && !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit())
    };
    let hour = |text: &str| text.len() <= 2 && number(text).is_some_and(|hour| hour <= 24);
    match parts[..] {
        [h, m] => hour(h) && below(m, 60),
        [h, m, s] => hour(h) && below(m, 60) && seconds(s),
        _ => false,
    }
}

/// `2009-01-31`, `31.1.2009`, `1/31/09`, `2009-01`, `Jan 31, 2009`, `31-Jan-09`, `2009 Q1`.
fn is_day(text: &str) -> bool {
    ["-", "/", "."].into_iter().any(|mark| is_numeric_day(text, mark)) || is_named_day(text)
}

fn is_numeric_day(text: &str, mark: &str) -> bool {
    let parts: Option<Vec<(usize, u32)>> =
        text.split(mark).map(|part| number(part).map(|value| (part.len(), value))).collect();
    let year = |(length, value): (usize, u32)| length == 4 && (1000..3000).contains(&value);
    let month = |(length, value): (usize, u32)| length <= 2 && (1..=12).contains(&value);
    let day = |(length, value): (usize, u32)| length <= 2 && (1..=31).contains(&value);
    let day_and_month = |a, b| (day(a) && month(b)) || (month(a) && day(b));
    match parts.as_deref() {
        Some([y, m]) => mark != "." && year(*y) && month(*m),
        Some([a, b, c]) => {
            let short = mark == "/" && c.0 == 2;
            (year(*a) && month(*b) && day(*c)) || ((year(*c) || short) && day_and_month(*a, *b))
        }
        _ => false,
    }
}

/// With the name of a month or a quarter, and one or two numbers beside it.
fn is_named_day(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let quarter = lower.replace([' ', '-'], "");
    if let Some((before, after)) = quarter.split_once('q') {
        let is = |year: &str, quarter: &str| {
            year.len() == 4 && number(year).is_some() && matches!(quarter, "1" | "2" | "3" | "4")
        };
        return is(before, after) || (before.is_empty() && after.len() == 5 && is(&after[1..], &after[..1]));
    }
    let words: Vec<&str> = lower.split([' ', '-', ',', '/', '.']).filter(|word| !word.is_empty()).collect();
    // In full, or its first letters.
    let named =
        |word: &str, names: &[&str]| word.len() >= 3 && names.iter().any(|name| name.starts_with(word));
    let words = match words[..] {
        [first, ..] if named(first, &DAYS) => &words[1..],
        _ => &words[..],
    };
    let months = words.iter().filter(|word| named(word, &MONTHS)).count();
    let numbers = words.iter().filter(|word| word.len() <= 4 && number(word).is_some()).count();
    months == 1 && matches!(numbers, 1 | 2) && months + numbers == words.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times() {
        for text in [
            "2009-01-31",
            "2009/1/31",
            "31.01.2009",
            "31/1/2009",
            "1/31/09",
            "2009-01",
            "2009-01-31T10:00:00Z",
            "2009-01-31 10:00",
            "1/31/2009 9:05 PM",
            "2009-01-31 10:00:00+02:00",
            "Jan 1 2000",
            "January 2000",
            "31-Jan-09",
            "Sat, 31 Jan 2009",
            "Jan 31, 2009",
            "2009 Q1",
            "2009Q4",
            "Q1 2009",
            "12:30",
            "9:05:00.5",
            "2009-01-31 10:00:00.000",
        ] {
            assert!(is_date(text), "{text}");
        }
    }

    #[test]
    fn what_is_none() {
        for text in [
            "",
            "2009",
            "20090131",
            "1.5",
            "-3",
            "2009-13-01",
            "2009-01-32",
            "1999-2000",
            "555-1234",
            "Jan",
            "May",
            "Mayflower 3",
            "March of 4 men",
            "1-2",
            "12:75",
            "25:00",
            "a 2009-01-31",
            "3.10",
            "1.2.3",
            "Q5 2009",
            "10-12",
            "192.168.1.1",
            "Sun",
            "Marriott 12",
            "über 5",
        ] {
            assert!(!is_date(text), "{text}");
        }
        assert!(
            is_compact("20090131")
                && !is_compact("20091331")
                && !is_compact("2009")
                && !is_compact("99999999")
        );
    }
}

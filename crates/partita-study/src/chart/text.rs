//! Words in a chart: escaped for XML, measured without a font, broken into lines.

/// Text as XML has it; characters that XML cannot hold are left out.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// About how wide a text is in a common sans-serif, on the generous side.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let ems: f64 = text
        .chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | 'I' => 0.27,
            ' ' | 'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' => 0.36,
            'm' | 'w' | 'M' | 'W' | '%' | '@' | '—' | '…' => 0.88,
            '0'..='9' => 0.57,
            c if c.is_uppercase() => 0.7,
            c if c.is_ascii() => 0.56,
            c if (c as u32) < 0x2e80 => 0.62,
            _ => 1.0,
        })
        .sum();
    ems * size * 1.04
}

/// Lines no wider than `room`, at most `most` of them; what is too long ends in an ellipsis.
pub(super) fn wrap(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(" ", size) + width(word, size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    if lines.len() > most {
        let rest = lines.split_off(most.max(1) - 1).join(" ");
        lines.push(rest);
    }
    lines.iter().map(|line| shorten(line, size, room)).collect()
}

/// As [`wrap`], with lines of about the same length.
pub(super) fn balanced(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let mut best = wrap(text, size, room, most);
    for tenth in (3..10).rev() {
        let lines = wrap(text, size, room * f64::from(tenth) / 10.0, most);
        if lines.len() != best.len() || lines.iter().any(|line| line.ends_with('…')) {
            break;
        }
        best = lines;
    }
    best
}

/// The text, or as much of it as fits, with an ellipsis.
pub(super) fn shorten(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_string();
    }
    let mut kept: String = text.to_string();
    while !kept.is_empty() && width(&kept, size) + width("…", size) > room {
        kept.pop();
    }
    format!("{}…", kept.trim_end())
}

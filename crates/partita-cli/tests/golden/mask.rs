//! What differs from run to run and from place to place, taken out of what is recorded and compared.

use serde_json::Value;

/// The column of `replicates.csv` that is a wall time.
const COLUMN: &str = "seconds";

/// Keys of JSON objects, at any depth: wall times, the program's version, places on the disk.
const KEYS: [&str; 7] =
    ["seconds", "seconds_per_call", "seconds_estimate", "version", "command", "out", "directory"];

/// A CSV without its wall times.
pub fn csv(text: &str) -> String {
    let header = cells(text.lines().next().unwrap_or_default());
    let Some(masked) = header.iter().position(|name| *name == COLUMN) else { return text.into() };
    let keep = |line: &str| {
        let kept: Vec<&str> =
            cells(line).into_iter().enumerate().filter(|(i, _)| *i != masked).map(|(_, c)| c).collect();
        kept.join(",") + if line.ends_with('\n') { "\n" } else { "" }
    };
    text.split_inclusive('\n').map(keep).collect()
}

/// The cells of a line as they are written, quotes and all; the line's end belongs to none.
fn cells(line: &str) -> Vec<&str> {
    let mut quoted = false;
    line.trim_end_matches('\n')
        .split(|c| {
            quoted ^= c == '"';
            c == ',' && !quoted
        })
        .collect()
}

/// JSON without wall times, versions and places.
pub fn json(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            fields.retain(|key, _| !KEYS.contains(&key.as_str()));
            fields.values_mut().for_each(|field| *field = json(field.take()));
        }
        Value::Array(list) => list.iter_mut().for_each(|element| *element = json(element.take())),
        _ => {}
    }
    value
}

#[test]
fn wall_times_go_and_all_else_stays() {
    assert_eq!(csv("a,seconds,\"co:0,1\"\n1,0.25,2\n3,1e-5,4\n"), "a,\"co:0,1\"\n1,2\n3,4\n");
    // A line that was cut is still one, and a table without the column is not touched.
    assert_eq!(csv("a,seconds\n1,0.25"), "a\n1");
    assert_eq!(csv("a,b\n1,2\n"), "a,b\n1,2\n");
    let found = json(
        serde_json::json!({"n": 1, "seconds": 2.5, "pilot": {"seconds": 1, "pairs": 3}, "l": [{"out": "x"}]}),
    );
    assert_eq!(found, serde_json::json!({"n": 1, "pilot": {"pairs": 3}, "l": [{}]}));
}

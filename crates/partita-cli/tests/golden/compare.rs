//! Where two texts differ, said so that one sees what changed.

use serde_json::Value;

/// Differences told of one file.
const TOLD: usize = 8;

/// Line by line, byte for byte.
pub fn text(recorded: &str, now: &str) -> Vec<String> {
    let (a, b): (Vec<&str>, Vec<&str>) = (recorded.split('\n').collect(), now.split('\n').collect());
    let mut found = Vec::new();
    if a.len() != b.len() {
        found.push(format!("{} lines instead of {}", b.len(), a.len()));
    }
    let lines = a.iter().zip(&b).enumerate().filter(|(_, (a, b))| a != b);
    found.extend(lines.map(|(i, (a, b))| format!("line {}:\n    recorded {a}\n    now      {b}", i + 1)));
    few(found)
}

/// Every key of the record with the same value; others may have been added.
pub fn json(recorded: &Value, now: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk("", recorded, now, &mut found);
    few(found)
}

fn walk(path: &str, recorded: &Value, now: &Value, found: &mut Vec<String>) {
    match (recorded, now) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                let path = format!("{path}.{key}");
                match b.get(key) {
                    Some(other) => walk(&path, value, other, found),
                    None => found.push(format!("{path}: is gone, was {value}")),
                }
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                walk(&format!("{path}[{i}]"), a, b, found);
            }
        }
        // As they are written: 1 is not 1.0, and 0.0 is not -0.0.
        _ => {
            let [a, b] = [recorded, now].map(ToString::to_string);
            if a != b {
                found.push(format!("{path}: {b} instead of {a}"));
            }
        }
    }
}

fn few(mut found: Vec<String>) -> Vec<String> {
    let all = found.len();
    if all > TOLD {
        found.truncate(TOLD);
        found.push(format!("... and {} more", all - TOLD));
    }
    found
}

#[test]
fn texts_differ_by_any_byte() {
    assert!(text("a\nb\n", "a\nb\n").is_empty());
    for other in ["a\nb", "a\nc\n", "a\nb \n", "a\nb\n\n", ""] {
        assert!(!text("a\nb\n", other).is_empty(), "{other:?}");
    }
    assert_eq!(text("1\n".repeat(50).as_str(), "2\n".repeat(50).as_str()).len(), TOLD + 1);
}

#[test]
fn fields_may_be_added_and_nothing_else() {
    let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let recorded = parse(r#"{"a": 1, "b": {"c": [1.5, {"d": null}]}, "e": 0.0}"#);
    for same in [
        r#"{"a": 1, "b": {"c": [1.5, {"d": null}]}, "e": 0.0}"#,
        r#"{"e": 0.0, "new": 3, "b": {"x": [], "c": [1.5, {"d": null, "y": {}}]}, "a": 1}"#,
    ] {
        assert!(json(&recorded, &parse(same)).is_empty(), "{same}");
    }
    for (other, where_) in [
        (r#"{"a": 1.0, "b": {"c": [1.5, {"d": null}]}, "e": 0.0}"#, ".a: 1.0 instead of 1"),
        (
            r#"{"a": 1, "b": {"c": [1.5000000000000002, {"d": null}]}, "e": 0.0}"#,
            ".b.c[0]: 1.5000000000000002 instead of 1.5",
        ),
        (r#"{"a": 1, "b": {"c": [1.5, {}]}, "e": 0.0}"#, ".b.c[1].d: is gone, was null"),
        (
            r#"{"a": 1, "b": {"c": [1.5, {"d": null}, 2]}, "e": 0.0}"#,
            r#".b.c: [1.5,{"d":null},2] instead of [1.5,{"d":null}]"#,
        ),
        (r#"{"a": 1, "b": {"c": [1.5, {"d": null}]}, "e": -0.0}"#, ".e: -0.0 instead of 0.0"),
        (r#"{"a": 1, "e": 0.0}"#, r#".b: is gone, was {"c":[1.5,{"d":null}]}"#),
    ] {
        assert_eq!(json(&recorded, &parse(other)), [where_]);
    }
}

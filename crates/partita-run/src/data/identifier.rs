//! Names of columns that name rows.

/// What columns of row names are called, in small letters without blanks and marks.
const WORDS: [&str; 16] = [
    "index",
    "idx",
    "key",
    "name",
    "names",
    "rowname",
    "rownames",
    "row",
    "rownumber",
    "case",
    "caseno",
    "obs",
    "observation",
    "label",
    "serial",
    "unnamed0",
];

/// What columns of identifiers are called and no others are: whole numbers in them are never quantities.
const IDS: [&str; 10] =
    ["id", "ids", "uid", "uuid", "guid", "identifier", "rowid", "caseid", "subject", "participant"];

/// Whether a column is called as those of row names are: `id`, `ID`, `PassengerId`, `customer_id`, `rownames`.
pub(super) fn is(name: &str) -> bool {
    is_id(name) || WORDS.contains(&plain(name).as_str())
}

/// Whether a column is called as only those of identifiers are: `ID`, `PassengerId`, `subject`, but not `index`.
pub(super) fn is_id(name: &str) -> bool {
    // The last word by its capital or by what sets it apart, so that `solid` and `humid` are none.
    let last = name.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let apart = last.len() < name.len() && last.eq_ignore_ascii_case("id");
    let capital = |end: &str| {
        name.strip_suffix(end)
            .is_some_and(|rest| rest.ends_with(|c: char| c.is_lowercase() || c.is_ascii_digit()))
    };
    IDS.contains(&plain(name).as_str()) || apart || capital("Id") || capital("ID")
}

/// A name in small letters, without blanks and marks.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase()
}

/// Whether R has named a nameless column so when it read it.
pub(super) fn is_stand_in(name: &str) -> bool {
    matches!(name, "X" | "X1" | "...1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_by_their_names() {
        for name in [
            "id",
            "ID",
            "Id",
            "name",
            "rownames",
            "row names",
            "PassengerId",
            "customer_id",
            "case.id",
            "index",
            "Unnamed: 0",
            "rowID",
        ] {
            assert!(is(name), "{name}");
        }
        for name in [
            "solid", "humid", "Grid", "nameless", "x", "year", "madrid", "indexed", "acid", "", "SOLID",
            "width",
        ] {
            assert!(!is(name), "{name}");
        }
        assert!(is_id("site_id") && is_id("Subject") && !is_id("index") && !is_id("case"));
        assert!(is_stand_in("X") && !is_stand_in("x"));
    }
}

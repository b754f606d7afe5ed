//! Names of columns that name rows.

/// What columns of row names are called, in small letters without blanks and marks.
const WORDS: [&str; 24] = [
    "id",
    "ids",
    "uid",
    "uuid",
    "guid",
    "identifier",
    "index",
    "idx",
    "key",
    "name",
    "names",
    "rowname",
    "rownames",
    "row",
    "rowid",
    "rownumber",
    "case",
    "caseid",
    "caseno",
    "obs",
    "observation",
    "label",
    "serial",
    "unnamed0",
];

/// Whether a column is called as those of row names are: `id`, `ID`, `PassengerId`, `customer_id`, `rownames`.
pub(super) fn is(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    // The last word by its capital or by what sets it apart, so that `solid` and `humid` are none.
    let last = name.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let apart = last.len() < name.len() && last.eq_ignore_ascii_case("id");
    let capital = |end: &str| {
        name.strip_suffix(end)
            .is_some_and(|rest| rest.ends_with(|c: char| c.is_lowercase() || c.is_ascii_digit()))
    };
    WORDS.contains(&plain.as_str()) || apart || capital("Id") || capital("ID")
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
        assert!(is_stand_in("X") && !is_stand_in("x"));
    }
}

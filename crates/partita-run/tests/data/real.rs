//! Tables as people have them: row names, dates, numbers with signs and separators, words for missing values.

use super::*;
use partita_run::data::{Cells, Guess, Kind, Role, Words};

fn open() -> ReadOptions {
    ReadOptions { words: Words::Levels, missing: Missing::Keep, guess: Guess::All, ..ReadOptions::default() }
}

fn roles(table: &Table) -> Vec<(&str, Role)> {
    table.understood.columns.iter().map(|column| (column.name.as_str(), column.role)).collect()
}

#[test]
fn unique_words_name_the_rows() {
    let table = read_with("mass,who\n1,ann\n3,bob\n2,cy\n", &open());
    assert_eq!(table.names, ["mass"]);
    assert_eq!(table.ids.as_deref(), Some(&strings(&["ann", "bob", "cy"])[..]));
    assert_eq!(table.understood.sentences(), ["row names taken from column \"who\""]);
    // A word that comes twice is a level.
    let twice = read_with("mass,who\n1,ann\n3,bob\n2,ann\n2,bob\n", &open());
    assert_eq!((twice.columns, twice.ids), (2, None));
    // Nothing is found out unless somebody asks for it.
    let strict = ReadOptions { guess: Guess::Nothing, ..open() };
    assert!(Fixture::new("data.csv", "mass,who\n1,ann\n3,bob\n2,cy\n").read(&strict).is_err());
}

#[test]
fn numbers_name_the_rows_where_the_column_is_called_so() {
    for name in ["id", "ID", "PassengerId", "customer_id", "rownames"] {
        let table = read_with(format!("{name},x\n7,1.5\n3,2\n9,0\n"), &open());
        assert_eq!((table.names[0].as_str(), table.columns), ("x", 1), "{name}");
        assert_eq!(table.ids.as_deref(), Some(&strings(&["7", "3", "9"])[..]));
    }
    // Not unique, not whole, or called otherwise: data.
    for text in ["id,x\n7,1.5\n7,2\n9,0\n7,1\n", "id,x\n7.5,1.5\n3,2\n9,0\n", "year,x\n7,1.5\n3,2\n9,0\n"] {
        assert_eq!(read_with(text, &open()).columns, 2, "{text}");
    }
    // Whole numbers that are called identifiers and nothing else are never data, however often they come; an index may be.
    let visits = "id,index,x\n7,1,1.5\n7,2,2\n9,1,0\n7,2,1\n4,3,1\n9,1,3\n";
    assert_eq!(read_with(visits, &open()).names, ["index", "x"]);
    let words = "id,x\na,1.5\nb,2\na,0\nc,1\nc,1\nb,3\n";
    assert_eq!(read_with(words, &open()).names, ["id", "x"]);
    // Mostly different ones that are called so are identifiers, which nobody clusters.
    let repeated = read_with("id,x\n7,1.5\n7,2\n9,0\n11,2\n12,3\n", &open());
    assert_eq!((repeated.names.len(), repeated.ids.is_none()), (1, true));
    assert_eq!(
        repeated.understood.sentences(),
        ["left out: \"id\" (identifiers, some repeated); `column_type = id=category` would use it anyway"]
    );
    // The name that R gives to a nameless column counts where it numbers the rows.
    assert_eq!(read_with("X,y\n1,0.5\n2,1\n3,7\n", &open()).names, ["y"]);
    assert_eq!(read_with("X,y\n1,0.5\n3,1\n2,7\n", &open()).names, ["X", "y"]);
}

#[test]
fn the_first_of_several_names_the_rows() {
    let table = read_with("url,film,x\na,F,1\nb,G,2\nc,H,4\n", &open());
    assert_eq!(table.ids.as_deref(), Some(&strings(&["a", "b", "c"])[..]));
    assert_eq!(roles(&table), [("url", Role::Names), ("film", Role::Dropped), ("x", Role::Data)]);
    assert_eq!(
        table.understood.sentences(),
        [
            "row names taken from column \"url\"",
            "left out: \"film\" (also row names); `column_type = film=category` would use it anyway"
        ]
    );
    // One that only numbers the rows gives way, whether it has a name or not.
    for first in ["id", ""] {
        let table = read_with(format!("{first},film,x\n1,F,1\n2,G,2\n3,H,4\n"), &open());
        assert_eq!(table.ids.as_deref(), Some(&strings(&["F", "G", "H"])[..]), "{first}");
    }
    // But not where it was asked for.
    let asked = ReadOptions { id_column: Some("id".into()), ..open() };
    let table = read_with("id,film,x\n1,F,1\n2,G,2\n3,H,4\n", &asked);
    assert_eq!(table.ids.as_deref(), Some(&strings(&["1", "2", "3"])[..]));
    assert_eq!(table.names, ["x"]);
}

#[test]
fn what_was_said_overrules() {
    let file = "id,when,x\n7,2001-01-31,1\n3,2001-02-28,2\n9,2001-01-31,4\n";
    let said =
        ReadOptions { kinds: vec![("id".into(), Kind::Normal), ("when".into(), Kind::Category)], ..open() };
    let table = read_with(file, &said);
    assert_eq!((table.names.len(), table.ids), (3, None));
    assert_eq!(table.levels[1], ["2001-01-31", "2001-02-28"]);
    let columns = ReadOptions { columns: Some(strings(&["id", "x"])), ..open() };
    assert_eq!(read_with(file, &columns).names, ["id", "x"]);
    // Names alone are not a table of nothing, but a sentence about names.
    let alone = Fixture::new("data.csv", "who\nann\nbob\ncy\n").read(&open()).unwrap_err().to_string();
    assert!(alone.contains("3 different words in 3 rows are more likely names"), "{alone}");
}

#[test]
fn dates_are_left_out() {
    let table = read_with("date,time,x\n2001-01-31,12:30,1\n2001-02-28,9:05,2\nNA,9:06,4\n", &open());
    assert_eq!(table.names, ["x"]);
    assert_eq!(roles(&table)[..2], [("date", Role::Date), ("time", Role::Date)]);
    assert_eq!(table.understood.columns[0].missing, 1);
    assert_eq!(
        table.understood.sentences(),
        ["left out: \"date\" and \"time\" (dates or times); `column_type = date=category` \
             would use that one anyway"]
    );
    // Eight digits are a day where the column says so.
    assert_eq!(read_with("date,x\n20010131,1\n20010201,2\n", &open()).names, ["x"]);
    assert_eq!(read_with("code,x\n20010131,1\n20010201,2\n", &open()).names, ["code", "x"]);
    // One word among dates, and it is a category.
    let mixed = read_with("d,x\n2001-01-31,1\nsoon,2\nsoon,3\n2001-01-31,3\n", &open());
    assert_eq!(mixed.levels[0], ["2001-01-31", "soon"]);
}

#[test]
fn numbers_as_people_write_them() {
    let table = read_with(
        "pop,share,price\n\"1,234\",12%,$5\n\"12,345,678\",7.5 %,\"$1,200.50\"\n80,0,-$3\n",
        &open(),
    );
    assert_eq!(table.row(0), [1234.0, 12.0, 5.0]);
    assert_eq!(table.row(1), [12_345_678.0, 7.5, 1200.5]);
    assert_eq!(table.row(2), [80.0, 0.0, -3.0]);
    assert_eq!(
        table.understood.sentences(),
        [
            "numbers are read with thousands separators in 3 cells (\"pop\", \"price\"), $ signs in 3 cells (\"price\") and \
          % signs in 2 cells (\"share\")"
        ]
    );
}

#[test]
fn the_decimal_comma_is_found_out_for_the_whole_file() {
    let table = read_with("a;b\n1,5;1.234\n3;2.000\n0,25;7\n", &open());
    assert_eq!([table.row(0), table.row(1), table.row(2)].concat(), [1.5, 1234.0, 3.0, 2000.0, 0.25, 7.0]);
    assert_eq!(
        table.understood.sentences(),
        [
            "numbers are read with decimal commas in 2 cells (\"a\") and thousands separators in 2 cells (\"b\")"
        ]
    );
    // Without a header, too.
    assert_eq!(read_with("1,5;2,5\n3,5;4,5\n", &open()).values, [1.5, 2.5, 3.5, 4.5]);
    // Where points are decimal ones, a comma sets thousands apart, in every column.
    assert_eq!(read_with("a;b\n1.5;1,234\n3;2,000\n", &open()).values, [1.5, 1234.0, 3.0, 2000.0]);
    // Nothing tells: semicolons leave the comma to decimals, other separators do not.
    assert_eq!(read_with("a;b\n1;1,234\n3;2,000\n", &open()).values, [1.0, 1.234, 3.0, 2.0]);
    assert_eq!(read_with("a\tb\n1\t1,234\n3\t2,000\n", &open()).values, [1.0, 1234.0, 3.0, 2000.0]);
    // Both at once is a mistake.
    let both = Fixture::new("data.csv", "a;b\n1,5;1.5\n3;2\n").read(&open()).unwrap_err().to_string();
    assert!(
        both.ends_with("line 2, column \"a\": \"1,5\" is not a number; write decimals with a point"),
        "{both}"
    );
}

#[test]
fn signs_of_one_column_agree() {
    for text in ["a,b\n12%,1\n0.12,2\n", "a,b\n$5,1\n€5,2\n$6,1\n"] {
        let table = Fixture::new("data.csv", text).read(&ReadOptions { words: Words::Refuse, ..open() });
        assert!(table.unwrap_err().to_string().contains("is not a number"), "{text}");
    }
}

#[test]
fn words_for_missing_values_hold_in_the_whole_file() {
    let table = read_with("a,b,c\n*,1,red\n2,unknown,*\n3,4,blue\n4,-,red\n5,6,blue\n", &open());
    assert!(table.row(0)[0].is_nan() && table.row(1)[1].is_nan() && table.row(3)[1].is_nan());
    assert!(table.row(1)[2].is_nan(), "a star is missing in the category as well");
    assert_eq!(
        table.understood.sentences(),
        ["read as missing values: \"*\" (2 cells), \"-\" (1 cell) and \"unknown\" (1 cell)"]
    );
    // Where no number tells otherwise, a word is a level.
    let words = read_with("a,c\n1,unknown\n2,red\n3,unknown\n4,red\n", &open());
    assert_eq!(words.levels[1], ["unknown", "red"]);
    // A real word is none, and the sentence tells the ways out.
    let word =
        Fixture::new("data.csv", "a,b\n*,1\n2,2\noops,3\n4,4\n").read(&open()).unwrap_err().to_string();
    assert!(word.contains("line 4, column \"a\": \"oops\" is not a number"), "{word}");
    assert!(word.ends_with("or treat it as a category with `column_type = a=category`"), "{word}");
}

#[test]
fn several_columns_of_words_that_hardly_repeat_are_told_at_once() {
    let rows: String = (0..9).map(|i| format!("{i}.5,t{},c{}\n", i % 8, i % 7)).collect();
    let sentence =
        Fixture::new("data.csv", format!("x,ticket,cabin no\n{rows}")).read(&open()).unwrap_err().to_string();
    assert!(
        sentence.ends_with(
            "column \"ticket\": 8 different words in 9 rows are more likely names than categories, and so are \
             those of \"cabin no\"; leave them out with `drop = ticket,'cabin no'`, or give their types, as in \
             `column_type = ticket=category`"
        ),
        "{sentence}"
    );
}

/// The same as in a file, but texts are words, whatever they look like.
#[test]
fn names_dates_and_constants_are_found_in_memory() {
    let texts = |texts: &[&str]| Cells::Texts(texts.iter().map(|text| Some(text.to_string())).collect());
    let columns = [
        ("id".to_string(), Cells::Numbers(vec![3.0, 1.0, 2.0])),
        ("who".into(), texts(&["ann", "bob", "cy"])),
        ("born".into(), texts(&["2001-01-31", "2001-01-31", "2002-01-01"])),
        ("mass".into(), Cells::Numbers(vec![0.5, 1.0, 7.0])),
        ("wing".into(), Cells::Numbers(vec![8.5, 9.0, f64::NAN])),
        ("legs".into(), Cells::Numbers(vec![2.0, f64::NAN, 2.0])),
        ("eyes".into(), Cells::Counts(vec![Some(2); 3])),
    ];
    let table = Table::from_columns("frame", &columns, &open()).unwrap();
    assert_eq!(table.names, ["mass", "wing"]);
    assert_eq!(table.ids.as_deref(), Some(&strings(&["3", "1", "2"])[..]));
    assert_eq!(roles(&table)[1..3], [("who", Role::Dropped), ("born", Role::Date)]);
    assert_eq!(roles(&table)[5..], [("legs", Role::Constant), ("eyes", Role::Constant)]);
    let strict = ReadOptions { guess: Guess::Nothing, kinds: vec![("who".into(), Kind::Category)], ..open() };
    assert_eq!(Table::from_columns("frame", &columns, &strict).unwrap().columns, 7);
}

/// Scales from 1 to 5 or 10 lack the zeros that counts of their mean would have.
#[test]
fn ratings_are_no_counts() {
    let column = |cell: &dyn Fn(usize) -> usize, rows: usize| -> Kind {
        let text: String = (0..rows).map(|i| format!("{}\n", cell(i))).collect();
        read_with(format!("n\n{text}"), &open()).settle_kinds()[0]
    };
    let scores = |i: usize| [1, 1, 1, 1, 2, 3, 5, 8, 10, 10][i % 10];
    assert_eq!(column(&scores, 400), Kind::Normal);
    // With a zero they may be counts; few rows do not tell.
    assert_eq!(column(&|i| scores(i) - 1, 400), Kind::Count);
    assert_eq!(column(&scores, 20), Kind::Count);
    // Large counts need not have one.
    assert_eq!(column(&|i| [6, 9, 10, 14, 8, 19, 15, 11, 5, 12][i % 10], 200), Kind::Count);
}

#[test]
fn a_compressed_file_is_read_twice() {
    let fixture = Fixture::new("data.csv.gz", gzip("who,x\nann,1\nbob,2\ncy,4\n"));
    assert_eq!(fixture.read(&open()).unwrap().names, ["x"]);
}

#[test]
fn columns_without_values_are_left_out() {
    let table = read_with("a,b,notes,\n1,2,,NA\n3,5,,\n2,1,,NA\n", &open());
    assert_eq!(table.names, ["a", "b"]);
    assert_eq!(roles(&table)[2..], [("notes", Role::Empty), ("x4", Role::Empty)]);
    assert_eq!(table.understood.sentences(), ["left out: \"notes\" and \"x4\" (no values)"]);
    // Unless somebody said what it holds, and unless nothing else is there.
    let said = ReadOptions { kinds: vec![("notes".into(), Kind::Normal)], ..open() };
    assert_eq!(read_with("a,notes\n1,\n3,\n", &said).columns, 2);
    assert_eq!(read_with("a\nNA\nNA\n", &open()).columns, 1);
}

#[test]
fn a_nameless_first_column_is_told() {
    let told = "row names taken from the first column, which has no name";
    for text in [",x,y\n1,0.5,2\n2,1,3\n3,7,1\n", "x,y\na,0.5,2\nb,1,3\nc,7,1\n"] {
        assert_eq!(read_with(text, &open()).understood.sentences(), [told], "{text}");
    }
    let more = read_with(",x,site\n1,0.5,2\n2,1,2\n3,7,2\n4,3,2\n", &open());
    assert_eq!(more.columns, 2, "a single column of data keeps a constant one beside it");
    let more = read_with(",x,y,site\n1,0.5,2,2\n2,1,3,2\n3,7,1,2\n", &open()).understood.sentences();
    assert_eq!(more[0], told);
    assert!(more[1].starts_with("left out: \"site\" (constant);"), "{more:?}");
}

#[test]
fn years_one_after_the_other_are_names() {
    let table = read_with("place,code,2001,2002,2003\nA,a,1.5,2,3\nB,b,2,2,2\nC,c,3,1,0\n", &open());
    assert_eq!(table.names, ["2001", "2002", "2003"]);
    // Numbers that are no years are data, and so are years in all rows.
    assert_eq!(read_with("A,1,2,3\nB,2,2,2\nB,2,5,2\nA,1,0,3\n", &open()).rows, 4);
    assert_eq!(read_with("A,2001,2002,2003\nB,2002,2003,2004\nB,2001,2002,2003\n", &open()).rows, 3);
}

#[test]
fn a_word_above_numbers_is_a_mistake_too() {
    let units =
        Fixture::new("data.csv", "a,b\ncm,kg\n1,2.5\n3,4\n5,6\n").read(&open()).unwrap_err().to_string();
    assert!(
        units.contains("line 2, column \"a\": \"cm\" is not a number; correct the cell or remove the row"),
        "{units}"
    );
}

#[test]
fn other_encodings() {
    let text = "größe,ort,preis\n1,Köln,5 €\n3,Berlin,7 €\n2,Köln,1 €\n4,Berlin,2 €\n";
    let plain = read_with(text, &open());
    let spreadsheet = encoding_rs::WINDOWS_1252.encode(text).0.into_owned();
    let table = read_with(&spreadsheet, &open());
    assert_eq!((&table.names, &table.values, &table.levels), (&plain.names, &plain.values, &plain.levels));
    assert_eq!(table.levels[1], ["Köln", "Berlin"]);
    let told = table.understood.sentences();
    assert_eq!(
        told.last().unwrap(),
        "the text is not UTF-8; 7 cells with other characters are read as Windows-1252"
    );
    assert_eq!(plain.understood.sentences(), told[..told.len() - 1]);
    // With a mark at its beginning UTF-16 is no guess.
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        let marked: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(order).collect();
        let table = read_with(&marked, &open());
        assert_eq!(
            (table.fingerprint, table.understood),
            (plain.fingerprint.clone(), plain.understood.clone())
        );
    }
}

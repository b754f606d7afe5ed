//! The files that the commands read: small, and the same everywhere, as nothing but sums and products makes them.

use crate::support::{Random, Scratch};

/// Writes them all.
pub fn write(scratch: &Scratch) {
    scratch.write("points.csv", &points());
    scratch.write("new_points.csv", "y,note,x\n0.1,a,-2\n1,b,2.2\n3.4,c,0.3\n1.5,d,-0.2\n");
    scratch.write("bare.csv", &bare());
    scratch.write("line.csv", &line());
    scratch.write("wide.csv", &wide());
    scratch.write("flowers.tsv", &flowers());
    scratch.write("visits.csv", &visits());
    scratch.write("new_visits.csv", "calls,letters,visits\n0,0,0\n18,1,9\n2,7,1\n");
    scratch.write("words.csv", &words());
    scratch
        .write("new_words.csv", "colour,shape,taste\nred,round,sweet\nblue,square,sour\ngreen,round,sour\n");
    scratch.write("animals.csv", &animals());
    scratch.write(
        "animals.toml",
        "id_column = 'name'\ncolumn_type = ['litter=normal', 'tame=category']\nalpha = 1\n",
    );
    scratch.write(
        "new_animals.csv",
        "name,weight,length,litter,coat,tame\nan,1.1,2,5,brown,true\nbo,5,,1,spotted,\nca,,,,,\n",
    );
    scratch.write("friends.txt", FRIENDS);
    scratch.write("petersen.col", PETERSEN);
    std::fs::write(scratch.path.join("points.npy"), npy()).unwrap();
}

/// Roughly normal, with standard deviation 0.58.
fn noise(random: &mut Random) -> f64 {
    (0..4).map(|_| random.unit() - 0.5).sum()
}

const CENTERS: [(f64, f64); 3] = [(-2.0, 0.0), (2.0, 1.0), (0.0, 3.0)];

fn pairs() -> Vec<[f64; 2]> {
    let mut random = Random(21);
    let center = |i: usize| CENTERS[i % 3];
    (0..36)
        .map(|i| [center(i).0 + 1.3 * noise(&mut random), center(i).1 + 1.3 * noise(&mut random)])
        .collect()
}

/// 36 points around three centres, in turn, and which centre it was.
fn points() -> String {
    let row = |(i, [x, y]): (usize, [f64; 2])| format!("{x:.3},{y:.3},g{}\n", i % 3);
    String::from("x,y,kind\n") + &pairs().into_iter().enumerate().map(row).collect::<String>()
}

/// The same without names, with a column between.
fn bare() -> String {
    pairs().iter().enumerate().map(|(i, [x, y])| format!("{x:.3};{i};{y:.3}\n")).collect()
}

/// The same as numbers of 64 bits, not rounded.
fn npy() -> Vec<u8> {
    let mut header = String::from("{'descr': '<f8', 'fortran_order': False, 'shape': (36, 2), }");
    header += &" ".repeat(117 - header.len());
    header.push('\n');
    let numbers = pairs().into_iter().flatten().flat_map(f64::to_le_bytes);
    b"\x93NUMPY\x01\x00\x76\x00".iter().copied().chain(header.into_bytes()).chain(numbers).collect()
}

/// 30 numbers in two groups and some between.
fn line() -> String {
    let mut random = Random(22);
    let row = |i: usize| format!("{:.3}\n", [0.0, 10.0, 14.0][i % 3] + 3.0 * noise(&mut random));
    String::from("height\n") + &(0..30).map(row).collect::<String>()
}

/// 24 rows of 18 columns, two groups.
fn wide() -> String {
    let mut random = Random(23);
    let names: Vec<String> = (0..18).map(|c| format!("c{c}")).collect();
    let mut row = |i: usize| {
        let cell =
            |_| format!("{:.2}", if i.is_multiple_of(2) { 0.8 } else { -0.8 } + 2.0 * noise(&mut random));
        (0..18).map(cell).collect::<Vec<_>>().join(",") + "\n"
    };
    names.join(",") + "\n" + &(0..24).map(&mut row).collect::<String>()
}

/// 30 rows of three columns that go together in one group and against each other in the other.
fn flowers() -> String {
    let mut random = Random(24);
    let mut row = |i: usize| {
        let (size, sign) = (noise(&mut random), if i.is_multiple_of(2) { 1.0 } else { -1.0 });
        let mut cell = |by: f64| format!("{:.3}", by * size + 2.0 * sign + 0.3 * noise(&mut random));
        format!("p{i}\t{}\t{}\t{}\n", cell(1.0), cell(sign), cell(2.0))
    };
    String::from("plant\tpetal\tsepal\tstem\n") + &(0..30).map(&mut row).collect::<String>()
}

/// 30 rows of three counts: busy and quiet days.
fn visits() -> String {
    let mut random = Random(25);
    let mut row = |i: usize| {
        let mut count = |most: f64| (most * random.unit() * random.unit()).floor();
        let most = if i.is_multiple_of(3) { [30.0, 4.0, 20.0] } else { [6.0, 12.0, 3.0] };
        let [calls, letters, visits] = most.map(&mut count);
        format!("{calls},{letters},{visits}\n")
    };
    String::from("calls,letters,visits\n") + &(0..30).map(&mut row).collect::<String>()
}

/// 30 rows of three categories of three, two and two levels.
fn words() -> String {
    let mut random = Random(26);
    let mut row = |i: usize| {
        let mut or = |usual: [&'static str; 2], other: &'static str| {
            if random.unit() < 0.2 { other } else { usual[i % 2] }
        };
        format!(
            "{},{},{}\n",
            or(["red", "blue"], "green"),
            or(["round", "square"], "round"),
            or(["sweet", "sour"], "sour")
        )
    };
    String::from("colour,shape,taste\n") + &(0..30).map(&mut row).collect::<String>()
}

/// 40 rows of two kinds of animals in numbers, counts and words; about a tenth of the cells are missing.
fn animals() -> String {
    let mut random = Random(27);
    let mut text = String::from("name,weight,length,litter,coat,tame\n");
    for i in 0..40 {
        let small = i % 2 == 0;
        let (center, spread) = if small { (1.0, 0.4) } else { (3.0, 0.9) };
        let (weight, length) =
            (center + spread * noise(&mut random), 2.0 * center + spread * noise(&mut random));
        let litter = (random.unit() * if small { 9.0 } else { 3.0 }).floor();
        let coat = random.pick(if small { &["brown", "grey"] } else { &["spotted", "brown", "black"] });
        let tame = if random.unit() < if small { 0.8 } else { 0.2 } { "true" } else { "false" };
        let cells =
            [format!("{weight:.3}"), format!("{length:.3}"), format!("{litter}"), coat.into(), tame.into()];
        let cells = cells.map(|cell: String| if random.unit() < 0.1 { String::new() } else { cell });
        text += &format!("a{i},{}\n", cells.join(","));
    }
    text
}

/// Two circles of friends with a bridge, and one who knows few.
const FRIENDS: &str = "\
ann bob\nann cat\nann dan\nbob cat\nbob dan\ncat dan\n\
eve fay\neve gus\neve hal\nfay gus\nfay hal\ngus hal\n\
dan eve\nann ida\nhal ida\n";

/// Ten vertices of degree three.
const PETERSEN: &str = "\
c The Petersen graph\np edge 10 15\n\
e 1 2\ne 2 3\ne 3 4\ne 4 5\ne 5 1\ne 1 6\ne 2 7\ne 3 8\ne 4 9\ne 5 10\n\
e 6 8\ne 8 10\ne 10 7\ne 7 9\ne 9 6\n";

//! Graphs from files: lists of edges as people write them, and DIMACS colouring instances.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use crate::data::{FileError, Hash, Source, kept, quote};

/// A line may not be longer than this.
const MOST_BYTES: u64 = 1 << 20;

/// A problem line may declare this many vertices whatever edges follow.
const FREE_VERTICES: u64 = 1_000_000;

/// A simple graph, as read from a file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct GraphFile {
    /// Name of each vertex.
    pub names: Vec<String>,
    /// Edges as pairs of positions in `names`, the smaller first, sorted, each once.
    pub edges: Vec<(u32, u32)>,
    /// Thirty-two hexadecimal digits that depend on names and edges alone.
    pub fingerprint: String,
}

/// Why a file could not be read as a graph: one sentence each, with what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// The file could not be opened or decompressed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file has no vertex.
    #[error("{file} has no vertices; write one edge per line, as two names")]
    NoVertices {
        /// The path as given.
        file: String,
    },
    /// An edge joins a vertex to itself.
    #[error(
        "{file}, line {line}: the edge joins {} to itself; remove the line",
        quote(.name)
    )]
    Loop {
        /// The path as given.
        file: String,
        /// Line of the edge.
        line: u64,
        /// The vertex.
        name: String,
    },
    /// A line has a third cell.
    #[error(
        "{file}, line {line}: {} is a third cell, but edges have no weights here; keep only the two \
         names",
        quote(.cell)
    )]
    Weight {
        /// The path as given.
        file: String,
        /// Line of the edge.
        line: u64,
        /// The third cell.
        cell: String,
    },
    /// A line cannot be understood.
    #[error("{file}, line {line}: {} is not {wanted}; correct or remove the line", quote(.text))]
    Malformed {
        /// The path as given.
        file: String,
        /// Number of the line.
        line: u64,
        /// The line.
        text: String,
        /// What it should be.
        wanted: &'static str,
    },
    /// The first line names columns.
    #[error(
        "{file}, line {line}: {} looks like a header above numbered vertices; remove the line or \
         start it with #",
        quote(.text)
    )]
    Header {
        /// The path as given.
        file: String,
        /// Number of the line.
        line: u64,
        /// The two words.
        text: String,
    },
    /// The text is in another encoding, or is not text.
    #[error("{file}, line {line}: the text is not UTF-8; save the file as UTF-8 text")]
    NotUtf8 {
        /// The path as given.
        file: String,
        /// Number of the line.
        line: u64,
    },
    /// A DIMACS edge names a vertex that was not declared.
    #[error(
        "{file}, line {line}: there is no vertex {} among the {vertices} that the problem line \
         declares, numbered from 1; correct the edge or the problem line",
        quote(.vertex)
    )]
    OutOfRange {
        /// The path as given.
        file: String,
        /// Line of the edge.
        line: u64,
        /// The vertex as written.
        vertex: String,
        /// Declared number of vertices.
        vertices: u64,
    },
    /// A DIMACS file does not declare its size before its edges.
    #[error(
        "{file}, line {line}: the problem line is missing; put \"p edge VERTICES EDGES\" before \
         the first edge"
    )]
    NoProblem {
        /// The path as given.
        file: String,
        /// Where it should have come at the latest.
        line: u64,
    },
    /// The graph is too large, or says that it is.
    #[error(
        "{file} declares {vertices} vertices, but with {edges} edges at most {} are allowed; correct the problem \
         line, or list only the vertices that have edges",
        most_vertices(*.edges)
    )]
    TooMany {
        /// The path as given.
        file: String,
        /// Number of vertices.
        vertices: u64,
        /// Number of edges.
        edges: usize,
    },
}

/// So many vertices a graph of so many edges may have.
fn most_vertices(edges: usize) -> u64 {
    FREE_VERTICES.max(2 * edges as u64).min(u64::from(u32::MAX))
}

/// Reads a graph from a list of edges or a DIMACS `.col` file, gzipped or not.
///
/// In a list of edges, each line holds two names separated by blanks or commas; a name alone is a
/// vertex without edges; lines that start with `#` or `%` and blank lines are ignored. Vertices
/// come in order of first appearance or, if every name is a whole number, in numeric order. Only
/// vertices that are named exist: gaps between numbers are not filled.
///
/// A file is DIMACS if its name ends in `.col`, or if its first line that is not a comment is a
/// problem line, `p edge VERTICES EDGES`. Its vertices are `1` to `VERTICES`, with edges or without.
///
/// An edge given again, in either direction, counts once.
///
/// ```
/// # let path = std::env::temp_dir().join(format!("partita-graph-{}.txt", std::process::id()));
/// # std::fs::write(&path, "# friends\nbob ann\nann cleo\nann bob\ndora\n").unwrap();
/// // # friends
/// // bob ann
/// // ann cleo
/// // ann bob
/// // dora
/// let graph = partita_run::graph::read_graph(&path)?;
/// assert_eq!(graph.names, ["bob", "ann", "cleo", "dora"]);
/// assert_eq!(graph.edges, [(0, 1), (1, 2)]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), partita_run::graph::GraphError>(())
/// ```
///
/// # Errors
///
/// Every error is one sentence that says what is wrong, where, and what to do about it.
pub fn read_graph(path: impl AsRef<Path>) -> Result<GraphFile, GraphError> {
    let mut source = Source::open(path.as_ref())?;
    if source.head().starts_with(kept::GRAPH) {
        return kept::read_graph(source);
    }
    source.skip_byte_order_mark();
    let dimacs = source.stem.ends_with(".col") || has_problem_line(source.head());
    let lines =
        Lines { file: source.file.clone(), reader: BufReader::new(source), bytes: Vec::new(), line: 0 };
    if dimacs { read_dimacs(lines) } else { read_edges(lines) }
}

impl GraphFile {
    /// A graph from memory: names of the vertices, and edges as pairs of their positions. An edge given again, in
    /// either direction, counts once. `source` is its name in messages.
    ///
    /// ```
    /// use partita_run::graph::GraphFile;
    /// let names = ["ann", "bob", "cleo"].map(String::from).to_vec();
    /// let graph = GraphFile::from_edges("friends", names.clone(), &[(1, 0), (0, 1), (2, 1)])?;
    /// assert_eq!(graph.edges, [(0, 1), (1, 2)]);
    /// let refused = GraphFile::from_edges("friends", names, &[(0, 1), (2, 2)]).unwrap_err();
    /// assert_eq!(refused.to_string(), "friends, line 2: the edge joins \"cleo\" to itself; remove the line");
    /// # Ok::<(), partita_run::graph::GraphError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// No vertices, or an edge from a vertex to itself or to one that does not exist.
    pub fn from_edges(
        source: &str,
        names: Vec<String>,
        edges: &[(u32, u32)],
    ) -> Result<GraphFile, GraphError> {
        for (at, &(one, other)) in edges.iter().enumerate() {
            let (file, line, last) = (source.to_owned(), at as u64 + 1, one.max(other));
            if last as usize >= names.len() {
                let (vertex, vertices) = (last.to_string(), names.len() as u64);
                return Err(GraphError::OutOfRange { file, line, vertex, vertices });
            }
            if one == other {
                return Err(GraphError::Loop { file, line, name: names[one as usize].clone() });
            }
        }
        finish(source.to_owned(), names, edges.to_vec())
    }
}

/// The words of the first line that is no DIMACS comment.
fn first_words(head: &[u8]) -> Vec<&[u8]> {
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && *line != b"c" && !line.starts_with(b"c "));
    let words = first.unwrap_or_default().split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty()).collect()
}

/// Whether the first line that is no comment is a DIMACS problem line.
fn has_problem_line(head: &[u8]) -> bool {
    let words = first_words(head);
    words.len() > 2 && words[0] == b"p"
}

/// Whether that line is one without doubt, `p edge 6 9`, and not the header of a table.
pub(crate) fn is_dimacs(head: &[u8]) -> bool {
    let number = |word: &&[u8]| word.iter().all(u8::is_ascii_digit);
    matches!(first_words(head)[..], [b"p", _, vertices, edges] if number(&vertices) && number(&edges))
}

/// The lines of a file with their numbers.
struct Lines {
    file: String,
    reader: BufReader<Source>,
    bytes: Vec<u8>,
    line: u64,
}

impl Lines {
    /// Reads the next line without the blanks around it.
    fn next(&mut self) -> Result<Option<&str>, GraphError> {
        self.bytes.clear();
        let mut limited = self.reader.by_ref().take(MOST_BYTES);
        let read: io::Result<usize> = limited.read_until(b'\n', &mut self.bytes);
        let read = read.map_err(|error| self.reader.get_ref().failed(&error))?;
        self.line += 1;
        if read as u64 == MOST_BYTES {
            let start = String::from_utf8_lossy(&self.bytes[..64]).into_owned();
            return Err(self.malformed(&start, "the start of a line shorter than 1 MiB"));
        }
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => Ok((read > 0).then_some(text.trim())),
            Err(_) => Err(GraphError::NotUtf8 { file: self.file.clone(), line: self.line }),
        }
    }

    /// The sentence for a line that cannot be understood.
    fn malformed(&self, text: &str, wanted: &'static str) -> GraphError {
        let (file, line) = (self.file.clone(), self.line);
        GraphError::Malformed { file, line, text: text.to_owned(), wanted }
    }
}

/// Reads a list of edges.
fn read_edges(mut lines: Lines) -> Result<GraphFile, GraphError> {
    let file = lines.file.clone();
    let mut positions: HashMap<String, u32> = HashMap::new();
    let mut edges = Vec::new();
    let mut first_line = None;
    while let Some(text) = lines.next()? {
        if text.is_empty() || text.starts_with(['#', '%']) {
            continue;
        }
        let is_gap = |c: char| c == ',' || c.is_whitespace();
        let mut words = text.split(is_gap).filter(|word| !word.is_empty());
        let cells = [words.next(), words.next(), words.next(), words.next()];
        let mut vertex = |name: &str| match positions.get(name) {
            Some(&position) => Ok(position),
            None => {
                let vertices = positions.len() as u64;
                let position = u32::try_from(vertices).map_err(|_| GraphError::TooMany {
                    file: file.clone(),
                    vertices,
                    edges: edges.len(),
                })?;
                positions.insert(name.to_owned(), position);
                Ok::<u32, GraphError>(position)
            }
        };
        match cells {
            [Some(one), None, ..] => {
                vertex(one)?;
            }
            [Some(one), Some(other), None, _] if one == other => {
                let name = one.to_owned();
                return Err(GraphError::Loop { file, line: lines.line, name });
            }
            [Some(one), Some(other), None, _] => {
                let edge = (vertex(one)?, vertex(other)?);
                edges.push(edge);
            }
            [Some(_), Some(_), Some(third), None] => {
                let cell = third.to_owned();
                return Err(GraphError::Weight { file, line: lines.line, cell });
            }
            _ => {
                let text = text.to_owned();
                return Err(lines.malformed(&text, "an edge of two names or one vertex"));
            }
        }
        first_line.get_or_insert(lines.line);
    }
    let mut names = vec![String::new(); positions.len()];
    for (name, position) in positions {
        names[position as usize] = name;
    }
    if let (Some(line), true) = (first_line, header_above_numbers(&names, &edges)) {
        let text = format!("{} {}", names[0], names[1]);
        return Err(GraphError::Header { file, line, text });
    }
    number_in_order(&mut names, &mut edges);
    finish(file, names, edges)
}

/// Whether the first edge joins two words that appear nowhere else, and every other name is a number.
fn header_above_numbers(names: &[String], edges: &[(u32, u32)]) -> bool {
    let is_number = |name: &String| name.parse::<i64>().is_ok();
    names.len() > 2
        && edges.first() == Some(&(0, 1))
        && !names[..2].iter().any(is_number)
        && names[2..].iter().all(is_number)
        && edges[1..].iter().all(|&(one, other)| one > 1 && other > 1)
}

/// Puts vertices into numeric order if every name is a whole number.
fn number_in_order(names: &mut Vec<String>, edges: &mut [(u32, u32)]) {
    let numbers: Result<Vec<i64>, _> = names.iter().map(|name| name.parse()).collect();
    let Ok(numbers) = numbers else { return };
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    order.sort_unstable_by_key(|&old| (numbers[old as usize], &names[old as usize]));
    let mut new_of = vec![0; names.len()];
    for (new, &old) in order.iter().enumerate() {
        new_of[old as usize] = new as u32;
    }
    *names = order.iter().map(|&old| std::mem::take(&mut names[old as usize])).collect();
    for (one, other) in edges {
        *one = new_of[*one as usize];
        *other = new_of[*other as usize];
    }
}

/// Reads a DIMACS colouring instance.
fn read_dimacs(mut lines: Lines) -> Result<GraphFile, GraphError> {
    const LINE: &str = "a DIMACS line (c TEXT, p edge VERTICES EDGES or e VERTEX VERTEX)";
    let file = lines.file.clone();
    let mut declared: Option<u64> = None;
    let mut edges = Vec::new();
    while let Some(text) = lines.next()? {
        if text.is_empty() || text.starts_with('c') {
            continue;
        }
        let text = text.to_owned();
        let words: Vec<&str> = text.split_whitespace().take(5).collect();
        match (&words[..], declared) {
            (["p", "edge" | "edges" | "col", vertices, count], None) => {
                let (Ok(vertices), Ok(_)) = (vertices.parse(), count.parse::<u64>()) else {
                    return Err(lines.malformed(&text, LINE));
                };
                declared = Some(vertices);
            }
            (["e", _, _], None) => {
                return Err(GraphError::NoProblem { file, line: lines.line });
            }
            (["e", one, other], Some(vertices)) => {
                let vertex = |name: &str| match name.parse::<u64>() {
                    Err(_) => Err(lines.malformed(&text, LINE)),
                    Ok(number) => match u32::try_from(number) {
                        Ok(small) if (1..=vertices).contains(&number) => Ok(small - 1),
                        _ => Err(GraphError::OutOfRange {
                            file: file.clone(),
                            line: lines.line,
                            vertex: name.to_owned(),
                            vertices,
                        }),
                    },
                };
                let edge = (vertex(one)?, vertex(other)?);
                if edge.0 == edge.1 {
                    let name = (*one).to_owned();
                    return Err(GraphError::Loop { file, line: lines.line, name });
                }
                edges.push(edge);
            }
            _ => return Err(lines.malformed(&text, LINE)),
        }
    }
    let Some(vertices) = declared else {
        return Err(GraphError::NoProblem { file, line: lines.line });
    };
    // Isolated vertices take memory and no place in the file, so a slip of the pen must not.
    if vertices > most_vertices(edges.len()) {
        return Err(GraphError::TooMany { file, vertices, edges: edges.len() });
    }
    let names = (1..=vertices).map(|vertex| vertex.to_string()).collect();
    finish(file, names, edges)
}

/// Brings edges into one order, each once, and takes the fingerprint.
fn finish(file: String, names: Vec<String>, mut edges: Vec<(u32, u32)>) -> Result<GraphFile, GraphError> {
    if names.is_empty() {
        return Err(GraphError::NoVertices { file });
    }
    for edge in &mut edges {
        *edge = (edge.0.min(edge.1), edge.0.max(edge.1));
    }
    edges.sort_unstable();
    edges.dedup();
    edges.shrink_to_fit();
    let mut hash = Hash::new(b"partita graph 1");
    hash.texts(&names);
    hash.number(edges.len() as u64);
    for (one, other) in &edges {
        hash.bytes(&one.to_le_bytes());
        hash.bytes(&other.to_le_bytes());
    }
    Ok(GraphFile { names, edges, fingerprint: hash.finish() })
}

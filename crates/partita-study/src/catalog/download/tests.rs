//! Downloads of a made-up data set from a small server on this machine.

use super::super::prepare::{Recipe, Separator};
use super::super::unzip::tests::zip;
use super::*;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicU64, Ordering};

const RAW: &str = "7 1 10\n7 3 30\n";
const PREPARED: &str = "a,b\n-1.0,-1.0\n1.0,1.0\n";

/// Answers so many requests with these bytes; returns its address.
fn serve(answer: Vec<u8>, times: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/raw.txt", listener.local_addr().unwrap());
    answers(listener, answer, times);
    address
}

fn answers(listener: TcpListener, answer: Vec<u8>, times: usize) {
    std::thread::spawn(move || {
        for stream in listener.incoming().take(times) {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            let mut buffer = [0; 1024];
            while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                match stream.read(&mut buffer) {
                    Ok(read) if read > 0 => request.extend_from_slice(&buffer[..read]),
                    _ => break,
                }
            }
            let _ = stream.write_all(&answer);
        }
    });
}

/// A whole answer, or one that promises more than it sends.
fn answer(status: &str, content: &[u8], promised: usize) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {promised}\r\nConnection: close\r\n\r\n");
    [head.as_bytes(), content].concat()
}

fn good(content: &[u8]) -> String {
    serve(answer("200 OK", content, content.len()), 1)
}

/// Whether curl is on this machine, whose words are expected; where it is not, the reason is printed.
fn curl() -> bool {
    let here = std::process::Command::new("curl").arg("--version").output().is_ok();
    if !here {
        println!("skipped: curl is not on this machine");
    }
    here
}

/// Nobody listens there.
fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/raw.txt", listener.local_addr().unwrap())
}

/// A data set with these addresses, and a directory that is not there yet.
fn set(addresses: &[String]) -> (&'static DataSet, Catalog, PathBuf) {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let root = std::env::temp_dir().join(format!("partita-download-{}-{number}", std::process::id()));
    let addresses: Vec<&'static str> = addresses.iter().map(|a| &*a.clone().leak()).collect();
    let set = DataSet {
        name: "made-up",
        title: "made up",
        items: 2,
        columns: 2,
        source: "example.org",
        addresses: addresses.leak(),
        raw: "raw.txt",
        citation: "",
        licence: "",
        terms: "",
        preparation: "",
        checksum: "9e23f27c95d6bc7bc14c4c037a74c4c3c0817fc9722ca26b67cdcce7a53b1f61",
        recipe: Some(Recipe { separator: Separator::Blanks, cells: 3, first: 1, names: &["a", "b"] }),
    };
    let catalog = Catalog::at(Some(root.join("below/data")));
    (Box::leak(Box::new(set)), catalog, root)
}

/// Downloads what must come, and gives the content of the file.
fn comes(addresses: &[String], from: Option<&str>) -> String {
    let (set, catalog, root) = set(addresses);
    let path = catalog.bring(set, from, &mut |_| {}).unwrap();
    let names: Vec<_> = fs::read_dir(catalog.directory()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["made-up.csv"], "nothing but the file is left");
    let content = fs::read_to_string(&path).unwrap();
    let mut said = Vec::new();
    catalog.bring(set, from, &mut |sentence| said.push(sentence.to_string())).unwrap();
    assert_eq!(said, [format!("made-up: already at {}, and right", path.display())]);
    fs::remove_dir_all(root).unwrap();
    content
}

/// Downloads what must not come; why, without the way out. Nothing is left behind.
fn fails(addresses: &[String]) -> String {
    let (set, catalog, root) = set(addresses);
    let sentence = catalog.bring(set, None, &mut |_| {}).unwrap_err().to_string();
    assert!(!root.exists(), "no directory is left");
    let directory = catalog.directory().display();
    let end = format!(
        "; on a machine with a network, fetch {}, then run `data(download = made-up, data_dir = \
         {directory}, from = raw.txt)` here, or copy a prepared made-up.csv to \
         {directory}/made-up.csv",
        addresses[0]
    );
    let reasons = sentence.strip_suffix(&end).unwrap_or_else(|| panic!("{sentence}"));
    let mut reasons = reasons.strip_prefix("made-up cannot be downloaded from ").unwrap().to_string();
    for address in addresses {
        reasons = reasons.replace(host(address), "HOST");
    }
    reasons
}

#[test]
fn a_raw_file_is_fetched_and_prepared() {
    if !curl() {
        return;
    }
    assert_eq!(comes(&[good(RAW.as_bytes())], None), PREPARED);
    assert_eq!(comes(&[good(&zip(&[("x/raw.txt", RAW.as_bytes(), true)]))], None), PREPARED);
    assert_eq!(comes(&[good(PREPARED.as_bytes())], None), PREPARED, "prepared already");
    assert_eq!(comes(&[nobody()], Some(&good(RAW.as_bytes()))), PREPARED, "from a mirror");
}

#[test]
fn the_next_address_helps_out() {
    if !curl() {
        return;
    }
    assert_eq!(comes(&[nobody(), good(b"<html>moved</html>"), good(RAW.as_bytes())], None), PREPARED);
    let moved = serve(
        format!("HTTP/1.1 302 Found\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n", good(RAW.as_bytes()))
            .into(),
        1,
    );
    assert_eq!(comes(&[moved], None), PREPARED, "or where the server points to");
}

#[test]
fn what_goes_wrong_is_said_and_leaves_nothing() {
    if !curl() {
        return;
    }
    assert_eq!(fails(&[nobody()]), "HOST (nobody answers there: there may be no network)");
    let missing = serve(answer("404 Not Found", b"no", 2), 1);
    assert_eq!(fails(&[missing]), "HOST (the server says 404)");
    let cut = serve(answer("200 OK", RAW.as_bytes(), 100), 1);
    assert_eq!(fails(&[cut]), "HOST (the file was cut short on its way)");
    assert_eq!(fails(&[good(b"<html>\n</html>\n")]), "HOST (line 1 has 1 cells where 3 belong)");
    assert_eq!(fails(&[good(b"7 1 10\n")]), "HOST (it has 1 rows where 2 belong)");
    let other = fails(&[good(b"7 1 30\n7 3 10\n")]);
    assert!(other.starts_with("HOST (checksum "), "{other}");
    assert_eq!(fails(&[good(b"PK\x03\x04 and no more")]), "HOST (the zip archive is damaged)");
    assert_eq!(
        fails(&[nobody(), good(b"")]),
        "HOST (nobody answers there: there may be no network), nor from HOST (it has 0 rows where 2 belong)"
    );
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let piece = format!("{head}{:x}\r\n{RAW}\r\n", RAW.len());
    assert_eq!(fails(&[serve(piece.into(), 1)]), "HOST (the file was cut short on its way)");
    let endless = [b"HTTP/1.1 200 OK\r\n\r\n", &vec![b'7'; (64 << 20) + 9][..]].concat();
    assert_eq!(fails(&[serve(endless, 1)]), "HOST (far more was sent than the data set)");
    let twice = serve(answer("503 Busy", b"", 0), 2);
    assert_eq!(fails(&[twice.clone(), twice]), "HOST (the server says 503)");
}

#[test]
fn an_address_that_points_to_itself_is_left() {
    if !curl() {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/raw.txt", listener.local_addr().unwrap());
    let moved = format!(
        "HTTP/1.1 302 Found\r\nLocation: {address}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    answers(listener, moved.into(), 100);
    assert_eq!(fails(&[address]), "HOST (one address points to the next without end)");
}

#[test]
fn a_server_that_falls_silent_is_left() {
    if !curl() {
        return;
    }
    // One never answers, one stops in the middle; both keep the connection.
    for answer in [Vec::new(), answer("200 OK", RAW.as_bytes(), 100)] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/raw.txt", listener.local_addr().unwrap());
        let (done, wait) = std::sync::mpsc::channel::<()>();
        let server = std::thread::spawn(move || {
            let mut stream = listener.accept().unwrap().0;
            let _ = stream.write_all(&answer);
            // Until the client has left.
            let _ = wait.recv();
        });
        assert_eq!(fetch::fetch(&address, 1).unwrap_err(), "it took too long: there may be no network");
        drop(done);
        server.join().unwrap();
    }
}

#[test]
fn a_file_that_is_there_is_only_replaced_by_the_right_one() {
    let (set, catalog, root) = set(&[nobody()]);
    fs::create_dir_all(catalog.directory()).unwrap();
    fs::write(catalog.path(set), "mine").unwrap();
    catalog.bring(set, None, &mut |_| {}).unwrap_err();
    assert_eq!(fs::read_to_string(catalog.path(set)).unwrap(), "mine");
    let raw = root.join("raw.txt");
    fs::write(&raw, RAW).unwrap();
    catalog.bring(set, raw.to_str(), &mut |_| {}).unwrap();
    assert_eq!(fs::read_to_string(catalog.path(set)).unwrap(), PREPARED);
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn files_that_are_given_are_checked_too() {
    let (set, catalog, root) = set(&[nobody()]);
    let about = |file: &str| catalog.bring(set, Some(file), &mut |_| {}).unwrap_err().to_string();
    assert_eq!(
        about("nowhere.txt"),
        "nowhere.txt cannot be read (no such file or directory); check the path in `from`"
    );
    fs::create_dir_all(&root).unwrap();
    let raw = root.join("raw.txt");
    fs::write(&raw, "1 2\n").unwrap();
    assert_eq!(
        about(raw.to_str().unwrap()),
        format!(
            "{} is not the data set made-up (line 1 has 2 cells where 3 belong), so nothing was kept; give \
             raw.txt as it comes from example.org",
            raw.display()
        )
    );
    assert!(!catalog.directory().exists());
    let below = Catalog::at(Some(raw.join("data")));
    fs::write(&raw, RAW).unwrap();
    assert_eq!(
        below.bring(set, raw.to_str(), &mut |_| {}).unwrap_err().to_string(),
        format!(
            "{} cannot be written (not a directory); name another directory with `data_dir`",
            below.directory().display()
        )
    );
    fs::remove_dir_all(root).unwrap();
}

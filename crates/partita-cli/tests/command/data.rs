//! `partita data`: what it tells, what it refuses, and downloads that fail with a sentence.

use crate::support::{Ran, Scratch, finish};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

/// Runs with variables of the environment set.
fn within(scratch: &Scratch, variables: &[(&str, &str)], arguments: &str) -> Ran {
    finish(scratch.command(arguments).envs(variables.iter().copied()).spawn().unwrap())
}

/// Answers one request on this machine; returns its address.
fn serve(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/file", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        // The whole request comes at once: it is small.
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(answer.as_bytes());
    });
    address
}

#[test]
fn the_table_fits_on_the_screen() {
    let scratch = Scratch::new();
    scratch.write("gene.csv", "a,b\n1,2\n3,4\n");
    let ran = scratch.ok("data --data-dir .");
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ran.stdout);
    let words = |line: &str| line.split_whitespace().map(String::from).collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = ran.stdout.lines().map(words).collect();
    assert_eq!(lines[0], "name size licence here from");
    assert_eq!(lines[2], "gene 200 x 50 MIT damaged github.com/tinnguyen96/partition-coupling");
    assert_eq!(lines[3], "seed 210 x 7 CC BY 4.0 no archive.ics.uci.edu/dataset/236/seeds");
    assert_eq!(lines[4], "abalone 4177 x 7 CC BY 4.0 no archive.ics.uci.edu/dataset/1/abalone");
    assert_eq!(lines[6], "data directory: .");
    assert!(lines[7].starts_with("./gene.csv is not the data set gene (2 x 2 numbers where 200 x 50"));
    assert_eq!(ran.stderr, "");
}

#[test]
fn one_set_in_full() {
    let ran = Scratch::new().ok("data seed abalone --data-dir here");
    let long = |line: &str| line.chars().count() > 80 && !line.contains("://");
    assert!(!ran.stdout.lines().any(long), "{}", ran.stdout);
    for part in [
        "seed         kernels of wheat",
        "\ncite         Charytanowicz",
        "\nlicence      CC BY 4.0: creativecommons.org",
        "\npreparation  the last column",
        "\nchecksum     25afafa9cb3fa347208515a7e2f5501b4da7c21a1c51508e4972bc4cd4381942\n",
        "\npath         here/seed.csv\nhere         no\n\nabalone      physical",
    ] {
        assert!(ran.stdout.contains(part), "{part:?}: {}", ran.stdout);
    }
}

#[test]
fn json_is_one_object() {
    let ran = Scratch::new().ok("data --json --data-dir here");
    assert_eq!((ran.stdout.lines().count(), ran.stderr.as_str()), (1, ""));
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["directory"], "here");
    let names: Vec<&str> =
        json["sets"].as_array().unwrap().iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, ["gene", "seed", "abalone"]);
    let seed = &json["sets"][1];
    assert_eq!((&seed["items"], &seed["columns"]), (&210.into(), &7.into()));
    assert_eq!((&seed["present"], &seed["problem"]), (&false.into(), &Value::Null));
    assert_eq!(seed["path"], "here/seed.csv");
    for field in ["title", "source", "citation", "licence", "terms", "preparation", "checksum", "raw"] {
        assert!(seed[field].is_string(), "{field}: {seed}");
    }
    assert!(seed["addresses"][0].as_str().unwrap().starts_with("https://"));
}

#[test]
fn the_data_directory_has_its_places() {
    let scratch = Scratch::new();
    let directory = |variables: &[(&str, &str)], arguments: &str| {
        let ran = within(&scratch, variables, arguments);
        let json: Value = serde_json::from_str(&ran.stdout).unwrap();
        json["directory"].as_str().unwrap().to_string()
    };
    assert_eq!(directory(&[("PARTITA_DATA", "/some/where")], "data --json"), "/some/where");
    assert_eq!(directory(&[("PARTITA_DATA", "/some/where")], "data --json --data-dir x"), "x");
    if cfg!(target_os = "linux") {
        let cache = [("PARTITA_DATA", ""), ("XDG_CACHE_HOME", "/some/cache")];
        assert_eq!(directory(&cache, "data --json"), "/some/cache/partita");
    }
}

#[test]
fn mistakes_are_refused() {
    let scratch = Scratch::new();
    for (arguments, sentence) in [
        ("data sed", "partita: there is no data set \"sed\": did you mean seed?"),
        ("data iris", "partita: there is no data set \"iris\": the names are gene, seed, abalone"),
        (
            "data --download gene abalon --data-dir d",
            "partita: there is no data set \"abalon\": did you mean abalone?",
        ),
        (
            "data --download --from x --data-dir d",
            "partita: --from gives the file of one data set: name the set, as in `partita data --download seed --from \
             seeds_dataset.txt`",
        ),
        (
            "data --download seed --from x --data-dir d",
            "partita: x cannot be read (no such file or directory); check the path in --from",
        ),
    ] {
        assert_eq!(scratch.refused(arguments), sentence, "{arguments}");
    }
    assert!(scratch.refused("data seed --from x").contains("--download"));
}

#[test]
fn a_download_that_fails_ends_with_status_1_and_leaves_nothing() {
    let scratch = Scratch::new();
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let fails = |variables: &[(&str, &str)], address: &str| {
        let ran = within(&scratch, variables, &format!("data --download seed --data-dir d --from {address}"));
        assert_eq!((ran.status, ran.stdout.as_str()), (1, ""), "{ran:?}");
        assert!(!scratch.exists("d"), "{ran:?}");
        let (fetching, sentence) = ran.stderr.trim_end().split_once('\n').unwrap();
        assert_eq!(fetching, format!("seed: fetching {address}"));
        let end = "; on a machine with a network, fetch https://archive.ics.uci.edu/static/public/236/seeds.zip, then \
                   run `partita data --download seed --data-dir d --from seeds.zip` here, or copy a prepared \
                   seed.csv to d/seed.csv";
        let reason = sentence.strip_suffix(end).unwrap_or_else(|| panic!("{sentence}"));
        reason.split_once(" (").unwrap().1.strip_suffix(')').unwrap().to_string()
    };
    let refused = fails(&[], &format!("http://{nobody}/file"));
    assert!(refused.starts_with("nobody answers there"), "{refused}");
    let missing = fails(&[], &serve("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"));
    assert!(["the server says 404", "the server refuses"].contains(&missing.as_str()), "{missing}");
    let other = fails(&[], &serve("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nnot it\r\n"));
    assert_eq!(other, "line 1 has 2 cells where 8 belong");
    let bare = scratch.path.join("bin");
    std::fs::create_dir(&bare).unwrap();
    let path = [("PATH", bare.to_str().unwrap())];
    assert_eq!(fails(&path, &format!("http://{nobody}/file")), "neither curl nor wget is on this machine");
    // wget helps out where there is no curl.
    #[cfg(unix)]
    if let Some(wget) = ["/usr/bin/wget", "/bin/wget"].map(Path::new).into_iter().find(|path| path.exists()) {
        std::os::unix::fs::symlink(wget, bare.join("wget")).unwrap();
        assert!(fails(&path, &format!("http://{nobody}/file")).starts_with("nobody answers there"));
        let missing = fails(&path, &serve("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"));
        assert_eq!(missing, "the server refuses");
        let cut = fails(&path, &serve("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\nnot it\r\n"));
        assert!(cut.contains("cut short"), "{cut}");
        let other = fails(&path, &serve("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nnot it\r\n"));
        assert_eq!(other, "line 1 has 2 cells where 8 belong");
    }
}

/// The proxies that the environment names are asked, unless it takes the host out or the server is on this machine.
#[test]
fn proxies_are_asked() {
    let scratch = Scratch::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let read = stream.read(&mut request).unwrap();
            let _ =
                tell.send(String::from_utf8_lossy(&request[..read]).lines().next().unwrap_or("").to_string());
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\nnot it\r\n");
        }
    });
    let fetch = |variables: &[(&str, &str)], address: &str| {
        let mut command = scratch.command(&format!("data --download seed --data-dir d --from {address}"));
        for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
            command.env_remove(name).env_remove(name.to_uppercase());
        }
        let ran = finish(command.envs(variables.iter().copied()).spawn().unwrap());
        assert_eq!(ran.status, 1, "{ran:?}");
        (ran.stderr, told.try_recv().ok())
    };
    let by_proxy = [("http_proxy", proxy.as_str())];
    let (sentence, asked) = fetch(&by_proxy, "http://data.example/file");
    assert!(sentence.contains("data.example (line 1 has 2 cells where 8 belong)"), "{sentence}");
    assert!(asked.unwrap().starts_with("GET http://data.example/file HTTP/"));
    // Encrypted, a proxy hears no more than the host.
    let (sentence, asked) = fetch(&[("https_proxy", &proxy)], "https://data.example/file");
    assert!(sentence.contains("seed cannot be downloaded from data.example ("), "{sentence}");
    assert!(asked.unwrap().starts_with("CONNECT data.example:443 HTTP/"));
    let (_, asked) = fetch(&[by_proxy[0], ("no_proxy", "data.invalid")], "http://data.invalid/file");
    assert_eq!(asked, None);
    let here = serve("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nnot it\r\n");
    let (sentence, asked) = fetch(&by_proxy, &here);
    assert!(sentence.contains("(line 1 has 2 cells where 8 belong)"), "{sentence}");
    assert_eq!(asked, None);
}

#[test]
fn what_can_be_had_is_had() {
    let Some(authors) = partita_testing::paper_data_dir() else { return };
    let scratch = Scratch::new();
    let gene = authors.join("gene.csv");
    let ran = scratch.ok(&format!("data --download gene --data-dir d --from {}", gene.display()));
    assert_eq!(ran.stderr, "gene: 200 x 50, checked, at d/gene.csv\n");
    assert!(ran.stdout.contains("MIT      yes"), "{}", ran.stdout);
    assert_eq!(scratch.bytes("d/gene.csv"), std::fs::read(&gene).unwrap());
    let ran = scratch.ok("data --download gene --data-dir d");
    assert_eq!(ran.stderr, "gene: already at d/gene.csv, and right\n");
    let ran = scratch.ok(&format!("data --json --data-dir {}", authors.display()));
    assert_eq!(ran.stdout.matches("\"present\":true").count(), 3, "{}", ran.stdout);
}

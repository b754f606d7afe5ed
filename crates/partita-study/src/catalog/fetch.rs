//! A file from an address, by the machine's own `curl` or `wget`.
//!
//! They know the machine's proxies and certificates, and three small files are no reason to carry a
//! TLS library (`docs/decisions/0006-data-catalogue.md`).

use std::io::{ErrorKind, Read};
use std::process::{Child, Command, ExitStatus, Stdio};

/// No file here is nearly as large.
const MOST: u64 = 64 << 20;

/// Whether something is an address and not a path.
pub(super) fn is_address(text: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme))
}

/// What is at an address, whole; or what went wrong, in words.
pub(super) fn fetch(address: &str) -> Result<Vec<u8>, String> {
    let tools: [(&str, &[&str], Explain); 2] = [
        ("curl", &["--fail", "--silent", "--show-error", "--location", "--connect-timeout", "20"], by_curl),
        ("wget", &["-q", "-t", "1", "-T", "20", "-O", "-"], by_wget),
    ];
    for (tool, options, explain) in tools {
        let mut command = Command::new(tool);
        command.args(options);
        if tool == "curl" {
            // A connection that has gone quiet is given up; a slow one is not.
            command.args(["--speed-limit", "1", "--speed-time", "30", "--proto", "=http,https"]);
        }
        if address.starts_with("http://127.0.0.1") {
            // No proxy can know what is on this machine.
            command.args(if tool == "curl" { &["--noproxy", "*"][..] } else { &["--no-proxy"] });
        }
        command.arg(address).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{tool} does not start: {error}")),
            Ok(child) => return collect(child, explain),
        }
    }
    Err("neither curl nor wget is on this machine".into())
}

/// Puts the way a tool ended into words.
type Explain = fn(ExitStatus, &str) -> String;

fn collect(mut child: Child, explain: Explain) -> Result<Vec<u8>, String> {
    let mut content = Vec::new();
    let stdout = child.stdout.take().expect("standard output is piped");
    let read = stdout.take(MOST + 1).read_to_end(&mut content);
    // Nobody reads any more: a tool that has more to say ends here.
    let mut complaint = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        let _ = stderr.read_to_string(&mut complaint);
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    if content.len() as u64 > MOST {
        return Err("far more was sent than the data set".into());
    }
    match read {
        Err(error) => Err(error.to_string()),
        Ok(_) if status.success() => Ok(content),
        Ok(_) => Err(explain(status, complaint.trim())),
    }
}

/// The exit status of curl is documented in its manual.
fn by_curl(status: ExitStatus, complaint: &str) -> String {
    let said = complaint.lines().last().unwrap_or_default();
    let said = said.split_once(") ").map_or(said, |(_, rest)| rest);
    match status.code() {
        Some(5) => "the proxy is not known here".into(),
        Some(6) => "the host is not known here: there may be no network".into(),
        Some(7) => "nobody answers there: there may be no network".into(),
        Some(18) => "the file was cut short on its way".into(),
        Some(22) => match said.rsplit(' ').next().filter(|word| word.parse::<u16>().is_ok()) {
            Some(code) => format!("the server says {code}"),
            None => "the server refuses".into(),
        },
        Some(28) => "it took too long: there may be no network".into(),
        Some(35 | 60) => format!("no connection to be trusted: {said}"),
        Some(_) if !said.is_empty() => said.to_lowercase(),
        Some(code) => format!("curl ended with status {code}"),
        None => "curl was stopped".into(),
    }
}

/// So is that of wget, in less detail.
fn by_wget(status: ExitStatus, complaint: &str) -> String {
    match status.code() {
        Some(4) => "nobody answers there, or the file was cut short: there may be no network".into(),
        Some(5) => "no connection to be trusted".into(),
        Some(8) => "the server refuses".into(),
        Some(code) => match complaint.lines().last() {
            Some(line) => line.to_lowercase(),
            None => format!("wget ended with status {code}"),
        },
        None => "wget was stopped".into(),
    }
}

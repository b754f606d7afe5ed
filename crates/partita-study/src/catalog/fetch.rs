//! A file from an address, by the machine's own `curl` or `wget`.
//!
//! They know the machine's proxies and certificates, and three small files are no reason to carry a
//! TLS library (`docs/decisions/0011-zip-and-downloads.md`).

use std::io::{ErrorKind, Read};
use std::process::{Child, Command, Stdio};

/// No file here is nearly as large.
const MOST: u64 = 64 << 20;

/// After so many seconds without a byte a connection is given up; a slow one is not.
pub(super) const QUIET: u32 = 30;

/// The words for curl, up to where the seconds of quiet belong.
const CURL: &str = "-fsSL --proto =http,https --connect-timeout 20 --speed-limit 1 --speed-time";

/// Those for wget.
const WGET: &str = "-q -t 1 -O - -T";

/// Whether something is an address and not a path.
pub(super) fn is_address(text: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme))
}

/// What is at an address, whole; or what went wrong, in words. Nobody is waited for who is `quiet` so many seconds.
pub(super) fn fetch(address: &str, quiet: u32) -> Result<Vec<u8>, String> {
    let quiet = quiet.to_string();
    let tools: [(&str, &str, Explain); 2] = [("curl", CURL, by_curl), ("wget", WGET, by_wget)];
    for (tool, words, explain) in tools {
        let mut command = Command::new(tool);
        command.args(words.split(' ')).arg(&quiet);
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

/// Puts the way a tool ended into words: its exit status, none if it was stopped, and its complaint.
type Explain = fn(Option<i32>, &str) -> String;

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
        Ok(_) => Err(explain(status.code(), complaint.trim())),
    }
}

/// The exit status of curl is documented in its manual.
fn by_curl(status: Option<i32>, complaint: &str) -> String {
    // As in "curl: (60) SSL certificate problem"; advice may follow.
    let line = complaint.lines().find(|line| line.starts_with("curl: ("));
    let said = line.and_then(|line| line.split_once(") ")).map_or(complaint, |(_, rest)| rest);
    match status {
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
        Some(47) => "one address points to the next without end".into(),
        Some(_) if !said.is_empty() => said.to_lowercase(),
        Some(code) => format!("curl ended with status {code}"),
        None => "curl was stopped".into(),
    }
}

/// So is that of wget, in less detail.
fn by_wget(status: Option<i32>, complaint: &str) -> String {
    match status {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_complaint_is_told_and_not_the_advice() {
        let complaint = "curl: (60) SSL certificate problem: unable to get local issuer certificate\nMore details here: \
                         https://curl.se/docs/sslcerts.html\n\ncurl failed to verify the legitimacy of the server. To \
                         learn more about this situation and\nhow to fix it, please visit the web page mentioned above.";
        assert_eq!(
            by_curl(Some(60), complaint),
            "no connection to be trusted: SSL certificate problem: unable to get local issuer certificate"
        );
        assert_eq!(
            by_curl(Some(22), "curl: (22) The requested URL returned error: 404"),
            "the server says 404"
        );
        assert_eq!(by_curl(Some(56), "curl: (56) Recv failure: broken"), "recv failure: broken");
        assert_eq!(by_curl(Some(99), ""), "curl ended with status 99");
        assert_eq!(
            (by_curl(None, ""), by_wget(None, "")),
            ("curl was stopped".into(), "wget was stopped".into())
        );
        assert_eq!(by_wget(Some(5), "whatever"), "no connection to be trusted");
    }
}

//! One request of the WebDriver protocol: JSON there, JSON back, over plain HTTP on this machine.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use crate::failure::{Explain as _, Failure, Result};

/// Longer than any script of ours runs.
const PATIENCE: Duration = Duration::from_secs(120);
/// A browser that does not close by then is ended.
const GOODBYE: Duration = Duration::from_secs(10);

/// The `value` of the driver's answer.
///
/// # Errors
/// When the driver cannot be reached, or answers with an error: its own words.
pub(super) fn request(port: u16, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
    let answer =
        exchange(port, method, path, body).explain(|| format!("The driver does not answer to {method} {path}"))?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let mut answer: Value =
        serde_json::from_str(body).explain(|| format!("The driver's answer to {path} is not JSON"))?;
    let value = answer.get_mut("value").map(Value::take).unwrap_or_default();
    if head.split(' ').nth(1) == Some("200") {
        return Ok(value);
    }
    let words = |name| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let message = words("message").lines().next().unwrap_or_default();
    Err(Failure::new(format!("The browser says \"{}\": {message}", words("error"))))
}

fn exchange(port: u16, method: &str, path: &str, body: Option<&Value>) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(if method == "DELETE" { GOODBYE } else { PATIENCE }))?;
    let body = body.map(Value::to_string).unwrap_or_default();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json; charset=utf-8\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    let mut answer = Vec::new();
    let mut chunk = [0; 16 * 1024];
    while !complete(&answer) {
        match stream.read(&mut chunk)? {
            0 => break,
            count => answer.extend_from_slice(chunk.get(..count).unwrap_or_default()),
        }
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// The driver may keep the connection open: the answer ends where its length says.
fn complete(answer: &[u8]) -> bool {
    let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(answer.get(..end).unwrap_or_default()).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    length.is_some_and(|length| answer.len() >= end + 4 + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_complete_when_its_length_is_there() {
        assert!(!complete(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n"));
        assert!(!complete(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{"));
        assert!(complete(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"));
    }
}

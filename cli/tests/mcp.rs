//! `shardwise mcp` as a client starts it: lines of JSON over pipes, and HTTP on this machine.
#![cfg(feature = "mcp")]
#![allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

fn started(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shardwise"));
    command.arg("mcp").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } })
}

fn call(id: u32, tool: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

#[test]
fn a_client_on_a_pipe_lists_the_tools_and_calls_them() {
    let file = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 16384\nsample_packing: true\nmicro_batch_size: 8\n\
                gradient_checkpointing: true\nbf16: true\n";
    let path = std::env::temp_dir().join(format!("shardwise-mcp-{}.yaml", std::process::id()));
    std::fs::write(&path, file).unwrap();
    let mut child = started(&[]);
    let messages = [
        initialize(),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }),
        call(2, "estimate", &json!({ "text": "llama 3.1 8b qlora on 2x4090, 8k" })),
        call(3, "estimate", &json!({ "scenario": { "model": "lama-3.1-8b", "gpu": "h100", "gpus": 8 } })),
        call(4, "estimate", &json!({ "scenario": { "model": "llama-3.1-8b", "gpus": 8 } })),
        call(5, "lint", &json!({ "paths": [path], "scenario": { "gpu": "a100-80gb", "gpus": 8 } })),
    ];
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut answers = Vec::new();
    for message in messages {
        writeln!(input, "{message}").unwrap();
        if message.get("id").is_some() {
            answers.push(serde_json::from_str::<Value>(&output.next().unwrap().unwrap()).unwrap());
        }
    }
    // The server ends with its input.
    drop(input);
    assert!(child.wait().unwrap().success());
    std::fs::remove_file(path).unwrap();
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "shardwise");
    assert!(answers[1]["result"]["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "estimate"));
    let result = |at: usize| &answers[at]["result"];
    assert_eq!(result(2)["structuredContent"]["fits"], true);
    assert_eq!(
        (&result(3)["isError"], &result(3)["structuredContent"]["code"]),
        (&json!(true), &json!("unknown-name"))
    );
    assert_eq!((&result(4)["isError"], &result(4)["structuredContent"]["code"]), (&json!(true), &json!("missing")));
    assert_eq!(result(5)["structuredContent"]["findings"][0]["code"], "SW101", "{}", answers[5]);
}

/// Sends a request to the server and returns its status and its body.
fn posted(address: &str, headers: &[(&str, &str)], body: &Value) -> (u16, String) {
    let place = address.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
    let mut stream = TcpStream::connect(place).unwrap();
    let host = headers.iter().find(|(name, _)| *name == "Host").map_or(place, |(_, host)| host);
    let others = headers.iter().filter(|(name, _)| *name != "Host");
    let others = others.fold(String::new(), |text, (name, value)| text + name + ": " + value + "\r\n");
    let body = body.to_string();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\n{others}Content-Type: application/json\r\nAccept: application/json, \
         text/event-stream\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let status = text.split(' ').nth(1).unwrap().parse().unwrap();
    (status, text.split_once("\r\n\r\n").unwrap().1.to_owned())
}

#[test]
fn http_answers_this_machine_and_refuses_pages_of_others() {
    let mut child = started(&["--http", "0"]);
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
    let address = said.trim().strip_prefix("Serving at ").unwrap().to_owned();
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");
    let (status, body) = posted(&address, &[], &initialize());
    assert!(status == 200 && body.contains("\"name\":\"shardwise\""), "{status} {body}");
    let estimate = call(1, "estimate", &json!({ "text": "llama 3.1 8b qlora on 2x4090, 8k" }));
    let (status, body) = posted(&address, &[("MCP-Protocol-Version", "2025-06-18")], &estimate);
    assert!(status == 200 && body.contains("\"fits\":true"), "{status} {body}");
    // Paths of this machine are not for whoever reaches the port.
    let paths = call(2, "read", &json!({ "paths": ["/etc/hostname"] }));
    let (_, body) = posted(&address, &[("MCP-Protocol-Version", "2025-06-18")], &paths);
    assert!(body.contains("opens no paths"), "{body}");
    let port = address.strip_suffix("/mcp").unwrap().rsplit(':').next().unwrap();
    let local = format!("http://localhost:{port}");
    assert_eq!(posted(&address, &[("Origin", &local)], &initialize()).0, 200);
    for refused in
        [("Origin", "https://evil.example"), ("Origin", "null"), ("Host", "evil.example"), ("Host", "localhost:1")]
    {
        assert_eq!(posted(&address, &[refused], &initialize()).0, 403, "{refused:?}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

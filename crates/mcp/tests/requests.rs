//! Requests of agents (`requests.toml`), all over one connection of a client of the SDK.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test stops where its data is wrong")]

use std::collections::BTreeMap;
use std::time::Instant;

use mcp::Server;
use mcp::tools::{Access, TOOLS};
use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
struct Table {
    request: Vec<Request>,
}

/// A call with its expected answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    tool: String,
    arguments: Map<String, Value>,
    fits: Option<bool>,
    #[serde(default)]
    within: BTreeMap<String, [f64; 2]>,
    #[serde(default)]
    says: Vec<String>,
    #[serde(default)]
    silent: Vec<String>,
    refused: Option<String>,
}

/// Largest answer of a tool that returns one small report.
const SMALL: usize = 3_000;

/// Returns what is wrong with a result.
fn wrong(request: &Request, result: &CallToolResult) -> Vec<String> {
    let text =
        result.content.iter().filter_map(|block| block.as_text()).map(|text| text.text.as_str()).collect::<String>();
    let answer = result.structured_content.clone().unwrap_or_default();
    let mut wrong = Vec::new();
    let code = if result.is_error == Some(true) { answer["code"].as_str().map(str::to_owned) } else { None };
    if code != request.refused {
        wrong.push(format!("refused as {code:?}, not as {:?}", request.refused));
    }
    if let Some(fits) = request.fits
        && answer["fits"] != json!(fits)
    {
        wrong.push(format!("fits: {}", answer["fits"]));
    }
    for (path, [low, high]) in &request.within {
        let figure = answer.pointer(path).and_then(Value::as_f64);
        if !figure.is_some_and(|figure| *low <= figure && figure <= *high) {
            wrong.push(format!("{path} is {figure:?}"));
        }
    }
    wrong.extend(request.says.iter().filter(|said| !text.contains(*said)).map(|said| format!("does not say {said:?}")));
    wrong.extend(request.silent.iter().filter(|said| text.contains(*said)).map(|said| format!("says {said:?}")));
    if request.tool == "estimate" && text.len() > SMALL {
        wrong.push(format!("{} bytes", text.len()));
    }
    if !wrong.is_empty() {
        wrong.push(format!("{} {}: {text}", request.tool, Value::from(request.arguments.clone())));
    }
    wrong
}

#[tokio::test]
async fn requests_are_answered_or_refused() {
    let table: Table = toml_edit::de::from_str(include_str!("requests.toml")).unwrap();
    assert!(table.request.len() >= 60);
    assert!(TOOLS.iter().all(|tool| table.request.iter().any(|request| request.tool == tool.name)));
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let server = tokio::spawn(async { Server::new(Access::Files).serve(ours).await.unwrap().waiting().await });
    let client = ().serve(theirs).await.unwrap();
    let listed: Vec<String> = client.list_all_tools().await.unwrap().into_iter().map(|tool| tool.name.into()).collect();
    assert_eq!(listed, TOOLS.iter().map(|tool| tool.name).collect::<Vec<_>>());
    let (mut all, mut slowest) = (Vec::new(), (0.0, String::new()));
    for request in &table.request {
        let began = Instant::now();
        let call = CallToolRequestParams::new(request.tool.clone()).with_arguments(request.arguments.clone());
        match client.call_tool(call).await {
            Ok(result) => all.extend(wrong(request, &result)),
            Err(error) => all.push(format!("{} {:?}: {error}", request.tool, request.arguments)),
        }
        let took = began.elapsed().as_secs_f64();
        if took > slowest.0 {
            slowest = (took, format!("{} {:?}", request.tool, request.arguments));
        }
    }
    assert!(all.is_empty(), "{}\nslowest: {slowest:?}", all.join("\n"));
    client.cancel().await.unwrap();
    server.await.unwrap().unwrap();
}

//! The tools behind the protocol.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};

use crate::tools::{self, Access, TOOLS};

/// Instructions for the model that uses the tools.
const INSTRUCTIONS: &str = "shardwise computes whether a training run of a language model fits its GPUs, how fast it is, \
what limits it and what it costs, from formulas compared with published measurements. Never guess such figures: call \
`estimate`, and `rank` or `plan` for better settings or hardware. Give the run as `scenario` (any usual keys), as `link` \
or as `text`. A result that is an error is a question or a refusal: ask the user, do not fill in a value. Tell the user \
the odds, the range, `assumed` and the grade of the `evidence`, not the bare figure.";

/// The server: tools without state.
#[derive(Clone, Copy, Debug)]
pub struct Server {
    access: Access,
}

impl Server {
    /// Creates a server with its access to files.
    pub const fn new(access: Access) -> Self {
        Self { access }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let own = Implementation::new("shardwise", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(own)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(|tool| described(tool, self.access)).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        TOOLS.iter().find(|tool| tool.name == name).map(|tool| described(tool, self.access))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let result = match tools::call(&request.name, &arguments, self.access) {
            Ok(answer) => CallToolResult::structured(answer),
            Err(refusal) => {
                // The sentence is what the model reads; the code is for programs.
                let mut result = CallToolResult::error(vec![ContentBlock::text(refusal.message.clone())]);
                let code: Value = json!({ "code": refusal.code.name(), "message": refusal.message });
                result.structured_content = Some(code);
                result
            }
        };
        Ok(result.into())
    }
}

fn described(tool: &tools::Tool, access: Access) -> Tool {
    let schema = match (tool.schema)(access) {
        Value::Object(schema) => schema,
        _ => serde_json::Map::new(),
    };
    Tool::new(tool.name, Cow::from(tool.about), Arc::new(schema))
        .with_title(tool.title)
        // Tools read the files that they are given, and change nothing.
        .with_annotations(ToolAnnotations::new().read_only(true).idempotent(true).open_world(false))
}

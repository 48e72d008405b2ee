//! A plain `tools/call`, read by itself.

use std::borrow::Cow;

use memchr::memmem;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, JsonObject, JsonRpcMessage,
    JsonRpcRequest, JsonRpcVersion2_0, MetaObject, RequestId, RequestMetaObject,
};
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;

const METHOD: &str = "tools/call";

/// A request with nothing but what a plain call has; anything else is no such request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request<'a> {
    jsonrpc: JsonRpcVersion2_0,
    id: RequestId,
    method: &'a str,
    params: Params,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    #[serde(rename = "_meta")]
    meta: Option<JsonObject>,
    name: String,
    arguments: Option<JsonObject>,
}

/// The call that a line is, just as the protocol's crate would read it; `None` of any other line.
pub(super) fn read(line: &[u8]) -> Option<RxJsonRpcMessage<RoleServer>> {
    // Most other messages are told apart by this alone.
    memmem::find(line, METHOD.as_bytes())?;
    let request: Request<'_> = serde_json::from_slice(line).ok()?;
    if request.method != METHOD {
        return None;
    }
    let Params {
        meta,
        name,
        arguments,
    } = request.params;
    let mut params = CallToolRequestParams::new(Cow::Owned(name));
    params.arguments = arguments;
    let mut call = CallToolRequest::new(params);
    if let Some(meta) = meta {
        call.extensions.insert(RequestMetaObject(MetaObject(meta)));
    }
    Some(JsonRpcMessage::Request(JsonRpcRequest {
        jsonrpc: request.jsonrpc,
        id: request.id,
        request: ClientRequest::CallToolRequest(call),
    }))
}

#[cfg(test)]
mod tests {
    use rmcp::model::ClientJsonRpcMessage;

    use super::*;

    fn whole(line: &str) -> Option<String> {
        let message: ClientJsonRpcMessage = serde_json::from_str(line).ok()?;
        Some(format!("{message:?}"))
    }

    const PLAIN: [&str; 8] = [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":[null,{"c":"x"}]}}}"#,
        r#"{"params":{"arguments":{},"name":"add","_meta":{"progressToken":7,"x":{}}},"method":"tools/call","id":"a","jsonrpc":"2.0"}"#,
        r#" { "jsonrpc" : "2.0" , "id" : 2e1 , "method" : "tools/call" , "params" : { "name" : "\u0061dd" } } "#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":null}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","_meta":null}}"#,
        r#"{"jsonrpc":"2.0","id":-1,"method":"tools/call","params":{"name":"","arguments":{"a":1,"a":2}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","_meta":{}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tools/call","arguments":{"big":18446744073709551615,"f":1.5}}}"#,
    ];

    #[test]
    fn a_plain_call_is_what_the_protocols_crate_makes_of_it() {
        for line in PLAIN {
            let read = read(line.as_bytes()).map(|message| format!("{message:?}"));
            assert!(read.is_some(), "{line}");
            assert_eq!(read, whole(line), "{line}");
        }
    }

    #[test]
    fn any_other_line_is_left_to_the_protocols_crate() {
        for line in [
            "",
            "tools/call",
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"add"}}"#,
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"add"}}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"add"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"method":"tools/call","params":{"name":"add"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","task":{}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","inputResponses":{}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","name":"sub"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"add"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools\/call","params":{"name":"add"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"tools/call"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
        ] {
            assert!(read(line.as_bytes()).is_none(), "{line}");
        }
    }

    #[test]
    fn a_plain_call_that_is_damaged_anywhere_is_never_read_as_another() {
        for line in PLAIN {
            for (at, _) in line.char_indices() {
                for with in ["", "\"", "}", "{", ",", "1", "\\"] {
                    let damaged = [&line[..at], with, &line[at + 1..]].concat();
                    if let Some(message) = read(damaged.as_bytes()) {
                        let read = format!("{message:?}");
                        assert_eq!(Some(read), whole(&damaged), "{damaged}");
                    }
                }
            }
        }
    }
}

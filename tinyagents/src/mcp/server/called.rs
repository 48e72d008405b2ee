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
    use proptest::prelude::*;
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

    /// A value as a client may write it, of which few are what belongs there.
    fn written() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec![
            "null",
            "true",
            "0",
            "-0",
            "-0.0",
            "1.5",
            "1e400",
            "1e-400",
            "9007199254740993",
            "18446744073709551616",
            "-9223372036854775809",
            "01",
            "\"\"",
            "\"add\"",
            "\"2.0\"",
            "\"\\ud800\"",
            "\"\\u0000\"",
            "\"$serde_json::private::Number\"",
            "\"tools/call\"",
            "\"tools\\u002fcall\"",
            "{}",
            "[]",
            "",
        ]);
        let leaf = leaf.prop_map(str::to_owned);
        leaf.prop_recursive(3, 12, 3, |inner| {
            let key = prop::sample::select(vec![
                "name",
                "_meta",
                "arguments",
                "a",
                "a",
                "progressToken",
                "$serde_json::private::Number",
                "io.modelcontextprotocol/protocolVersion",
                "\\u0061",
            ]);
            let entry = (key, inner.clone()).prop_map(|(key, value)| format!("\"{key}\":{value}"));
            let object = prop::collection::vec(entry, 0..4);
            prop_oneof![
                object.prop_map(|entries| format!("{{{}}}", entries.join(","))),
                prop::collection::vec(inner, 0..3)
                    .prop_map(|items| format!("[{}]", items.join(","))),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn whatever_is_read_is_what_the_protocols_crate_makes_of_it(
            id in prop_oneof![4 => Just("1".to_owned()), 1 => written()],
            name in prop_oneof![4 => Just("\"add\"".to_owned()), 1 => written()],
            arguments in written(),
            meta in prop::option::of(written()),
            other in prop::option::weighted(0.2, written()),
            depth in prop_oneof![9 => Just(0_usize), 1 => 120_usize..130],
            turn in 0_usize..4,
        ) {
            let deep = ["[".repeat(depth), "]".repeat(depth)].join(&arguments);
            let arguments = if depth > 0 { format!("{{\"deep\":{deep}}}") } else { arguments };
            let mut params = vec![format!("\"name\":{name}"), format!("\"arguments\":{arguments}")];
            params.extend(meta.map(|meta| format!("\"_meta\":{meta}")));
            params.extend(other.map(|other| format!("\"a\":{other}")));
            let at = turn % params.len();
            params.rotate_left(at);
            let mut parts = [
                "\"jsonrpc\":\"2.0\"".to_owned(),
                format!("\"id\":{id}"),
                "\"method\":\"tools/call\"".to_owned(),
                format!("\"params\":{{{}}}", params.join(",")),
            ];
            parts.rotate_left(turn);
            let line = format!("{{{}}}", parts.join(","));
            if let Some(message) = read(line.as_bytes()) {
                let read = format!("{message:?}");
                prop_assert_eq!(Some(read), whole(&line), "{}", line);
            }
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

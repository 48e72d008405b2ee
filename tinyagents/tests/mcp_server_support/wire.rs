//! A client that sends lines, whatever is in them.

use serde_json::{Value, json};
use tinyagents::mcp::McpServer;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

use super::spawn;

pub(crate) struct Wire {
    pub(crate) lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    pub(crate) writer: WriteHalf<DuplexStream>,
}

impl Wire {
    /// With the handshake.
    pub(crate) async fn begin(server: McpServer) -> Self {
        let (stream, _serving) = spawn(server);
        let (reader, writer) = tokio::io::split(stream);
        let mut wire = Self {
            lines: BufReader::new(reader).lines(),
            writer,
        };
        wire.greet().await;
        wire
    }

    async fn greet(&mut self) {
        let told = self
            .ask(&json!({
                "jsonrpc": "2.0", "id": 0, "method": "initialize",
                "params": {
                    "protocolVersion": "2025-11-25", "capabilities": {},
                    "clientInfo": { "name": "wire", "version": "1" }
                }
            }))
            .await;
        assert_eq!(told["result"]["protocolVersion"], "2025-11-25", "{told}");
        self.send(INITIALIZED).await;
    }

    pub(crate) async fn send(&mut self, line: &str) {
        self.writer.write_all(line.as_bytes()).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    pub(crate) async fn receive(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }

    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        self.send(&message.to_string()).await;
        self.receive().await
    }
}

pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

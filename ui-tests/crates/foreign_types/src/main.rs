//! Dates, UUIDs and URLs as arguments, with the features that `tinytools` forwards.

use chrono::NaiveDate;
use tinytools::serde_json::json;
use tinytools::{Tool, tool};
use url::Url;
use uuid::Uuid;

/// Book a room.
#[tool]
async fn book(room: Uuid, day: NaiveDate, page: Url) -> String {
    format!("{room} {day} {page}")
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let properties = &BookTool.parameters_schema()["properties"];
    assert_eq!(properties["room"], json!({ "type": "string", "format": "uuid" }));
    assert_eq!(properties["day"], json!({ "type": "string", "format": "date" }));
    assert_eq!(properties["page"], json!({ "type": "string", "format": "uri" }));

    let room = "67e55044-10b1-426f-9247-bb680e5fe0c8";
    let args = json!({ "room": room, "day": "2026-02-28", "page": "https://example.com/" });
    let answer = BookTool.execute(args).await.unwrap();
    assert_eq!(answer.output(), format!("{room} 2026-02-28 https://example.com/"));

    let args = json!({ "room": "7", "day": "2026-02-30", "page": "example" });
    let error = format!("{:#}", BookTool.execute(args).await.unwrap_err());
    for name in ["room", "day", "page"] {
        assert!(error.contains(name), "{error}");
    }
}

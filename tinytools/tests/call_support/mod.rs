//! Calls as a runtime makes them.

#![allow(
    dead_code,
    clippy::panic,
    reason = "tests, and not all of them need all of it"
)]

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use serde_json::Value;
use tinytools::__private::{Call, Called, Execution};
use tinytools::{ToolCallOptions, ToolResult, ToolRunContext};

pub(crate) fn call<'call>(
    args: &'call Value,
    ctx: Option<&'call dyn ToolRunContext>,
) -> Call<'call> {
    Call {
        args,
        options: ToolCallOptions::default(),
        ctx,
    }
}

pub(crate) fn poll(execution: &mut Execution<'_>) -> Poll<anyhow::Result<ToolResult>> {
    let mut context = Context::from_waker(Waker::noop());
    Pin::new(execution).poll(&mut context)
}

pub(crate) fn finish(called: Called<'_>) -> Result<ToolResult, String> {
    let answer = match called {
        Called::Done(answer) => answer,
        Called::Running(mut execution) => match poll(&mut execution) {
            Poll::Ready(answer) => answer,
            Poll::Pending => panic!("the future waits"),
        },
    };
    answer.map_err(|error| format!("{error:#}"))
}

use tinytools::{ToolRunContext, tool};

/// Tell which run this is.
#[tool(read_only)]
fn which_run(ctx: &dyn ToolRunContext) -> String {
    ctx.run_id().unwrap_or_default().to_string()
}

fn main() {}

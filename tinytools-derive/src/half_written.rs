//! Attributes while they are being typed: whatever stands there, the macro doesn't panic, and function, struct and impl
//! block are there for the editor and for the rest of the crate.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use proc_macro2::TokenStream;
use quote::quote;

use crate::{expand_tool, expand_toolbox};

const LISTS: [&str; 20] = [
    r#"name = "find", description = "Find it.""#,
    r#"description = concat!("Find ", "it."), struct_name = Finder"#,
    r#"label = "Find", detail = "it", family = "search""#,
    r#"tags("one", "two",), crate = ::tinytools"#,
    "read_only, network = true, classified = false",
    "writes_files, installs_dependencies, runs_processes, destructive",
    "external_service, payment = true, idempotent, max_retries = 3",
    "timeout_ms = 5_000, cancelable = false, concurrency_safe",
    "timeout = Unbounded, streaming, replay = Never",
    "sandbox = Required, max_result_bytes = 1000, max_result_chars = 500",
    r#"workspace = Scoped, trusted_roots("/srv", "/tmp")"#,
    r#"credentials("TOKEN"), approval_required, redact("query")"#,
    "background_safe, permission = Dangerous, scope = AgentOnly",
    "category = Workflow, exposure = Deferred, return_direct",
    "supports_markdown, external_effect = false, blocking",
    r#""find", read_only network; = 5"#,
    "timeout_ms = -1, timeout_ms = 0, timeout = 3 + 4",
    r#"name("x"), tags = "y", sandbox = "Required", crate = self::x"#,
    "nam = [1, 2], zzz { a }, r#name = \"x\", a::b = c",
    r#"name = 'x', name = b"x", name = "x"suffix, name = 1.5e3"#,
];

const PARAMETERS: [&str; 8] = [
    "default = 3, minimum = 1, maximum = 14",
    r#"default = "a", rename = "q", description = concat!("a", "b")"#,
    "examples(1, 2 + 3, vec![4]), choices(1, 2)",
    "exclusive_minimum = -0.5, exclusive_maximum = 1e3, multiple_of = 0.1",
    r#"min_length = 1, max_length = 2, pattern = "^(a|b)+$""#,
    "min_items = 1, max_items = 2, default = [1, 2].to_vec()",
    "default = |x| { x }, default = if a { b } else { c }",
    "minimum = one, maximum = -, pattern = \"(\", choices = 3",
];

/// Every beginning of `text` that is a token stream.
fn beginnings(text: &str) -> impl Iterator<Item = TokenStream> {
    (0..=text.len())
        .filter_map(|end| text.get(..end))
        .filter_map(|beginning| beginning.parse().ok())
}

#[track_caller]
fn assert_whole(expanded: &TokenStream, parts: &[&str]) {
    let printed = expanded.to_string();
    for part in parts {
        assert!(printed.contains(part), "no `{part}` in {printed}");
    }
    for helper in ["# [hidden", "# [arg", "# [tool"] {
        assert!(!printed.contains(helper), "`{helper}` in {printed}");
    }
    if let Err(error) = syn::parse2::<syn::File>(expanded.clone()) {
        panic!("{error} in {printed}");
    }
}

#[test]
fn every_beginning_of_a_list_of_keys_keeps_function_and_struct() {
    let function = quote! {
        /// Find.
        async fn find(#[hidden] db: &Db, #[arg(minimum = 1)] query: u8) -> String { body() }
    };
    for args in LISTS.iter().flat_map(|list| beginnings(list)) {
        let expanded = expand_tool(args, function.clone());
        assert_whole(&expanded, &["async fn find", "body ()", "struct F"]);
    }
}

#[test]
fn every_beginning_of_the_keys_of_a_parameter_keeps_function_and_struct() {
    for keys in PARAMETERS.iter().flat_map(|list| beginnings(list)) {
        let expanded = expand_tool(
            quote!(read_only),
            quote!(
                /// Find.
                fn find(#[arg(#keys)] query: Vec<u8>) {
                    body()
                }
            ),
        );
        assert_whole(&expanded, &["fn find", "body ()", "struct FindTool"]);
    }
}

#[test]
fn every_beginning_of_a_method_keeps_the_impl_block() {
    for args in LISTS.iter().flat_map(|list| beginnings(list)) {
        let expanded = expand_toolbox(
            args.clone(),
            quote! {
                impl GitHub {
                    const A: u8 = { 1 };
                    fn other(&self) -> impl Iterator<Item = u8> { other_body() }
                    /// Find.
                    #[tool(#args)]
                    fn find(&self, #[hidden] db: &Db, #[arg(minimum = 1)] query: u8) { body() }
                }
            },
        );
        assert_whole(
            &expanded,
            &["impl GitHub", "const A", "other_body ()", "body ()"],
        );
    }
}

#[test]
fn half_a_signature_keeps_what_is_there() {
    let signatures = [
        "fn find(#[hidden] ctx: ) { body() }",
        "fn find(#[arg(minimum = 1)] query: u8, ) -> { body() }",
        "fn find(/** docs */ query) { body() }",
        "fn find { body() }",
        "pub async",
        "",
    ];
    for signature in signatures {
        let item: TokenStream = signature.parse().unwrap();
        let printed = expand_tool(quote!(read_only), item).to_string();
        assert!(printed.contains("compile_error"), "{printed}");
        assert!(!printed.contains("# ["), "{printed}");
        assert_eq!(printed.contains("body ()"), signature.contains("body()"));
    }
}

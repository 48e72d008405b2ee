//! `Tool::policy`, one line for each thing that differs from an unclassified policy.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::LitStr;

use crate::model::{Base, Policy};

/// ```text
/// fn policy(&self) -> _tinytools::ToolPolicy {
///     let mut policy = _tinytools::ToolPolicy::classified();
///     policy.side_effects.network = true;
///     policy.runtime.timeout_ms = _tinytools::Some(5000);
///     policy
/// }
/// ```
///
/// Nothing where the default of `Tool` says the same. `Tool::timeout_policy` goes with it where a policy has texts: its
/// default asks the policy, at each call, and would copy them.
pub(super) fn expand(policy: &Policy) -> TokenStream {
    let Policy {
        base,
        side_effects,
        sandbox,
        max_result_bytes,
        timeout_ms,
        timeout,
        max_retries,
        idempotent,
        cancelable,
        streaming,
        replay,
        workspace,
        trusted_roots,
        credentials,
        approval_required,
        background_safe,
        redact,
        label,
        detail,
        host: _,
    } = policy;
    let read_only = *base == Base::ReadOnly;
    let start = match base {
        Base::Unclassified => {
            quote!(<_tinytools::ToolPolicy as ::core::default::Default>::default())
        }
        Base::Classified => quote!(_tinytools::ToolPolicy::classified()),
        Base::ReadOnly => quote!(_tinytools::ToolPolicy::read_only()),
    };
    let mut lines = Vec::new();
    for effect in side_effects {
        lines.push(quote!(side_effects.#effect = true));
    }
    lines.extend(variant("runtime.sandbox", "SandboxMode", sandbox.as_ref()));
    lines.extend(
        max_result_bytes
            .as_ref()
            .map(|bytes| quote!(runtime.max_result_bytes = _tinytools::Some(#bytes))),
    );
    lines.extend(
        timeout_ms
            .as_ref()
            .map(|millis| quote!(runtime.timeout_ms = _tinytools::Some(#millis))),
    );
    lines.extend(timeout.as_ref().map(
        |timeout| quote!(runtime.timeout = _tinytools::Some(_tinytools::ToolTimeout::#timeout)),
    ));
    lines.extend(
        max_retries
            .as_ref()
            .map(|retries| quote!(runtime.max_retries = #retries)),
    );
    if *idempotent != read_only {
        lines.push(quote!(runtime.idempotent = #idempotent));
    }
    lines.extend((!cancelable).then(|| quote!(runtime.cancelable = false)));
    lines.extend(streaming.then(|| quote!(runtime.streaming = true)));
    lines.extend(variant("runtime.replay", "ToolReplay", replay.as_ref()));
    lines.extend(variant(
        "access.workspace",
        "WorkspaceAccess",
        workspace.as_ref(),
    ));
    lines.extend(strings("trusted_roots", trusted_roots));
    lines.extend(strings("credentials", credentials));
    lines.extend(approval_required.then(|| quote!(access.approval_required = true)));
    if *background_safe != read_only {
        lines.push(quote!(access.background_safe = #background_safe));
    }
    lines.extend(strings("redact", redact));
    lines.extend(text("label", label.as_ref()));
    lines.extend(text("detail", detail.as_ref()));
    if lines.is_empty() && *base == Base::Unclassified {
        return TokenStream::new();
    }
    let body = if lines.is_empty() {
        start
    } else {
        quote! {
            let mut policy = #start;
            #(policy.#lines;)*
            policy
        }
    };
    let has_texts = !(trusted_roots.is_empty() && credentials.is_empty() && redact.is_empty())
        || label.is_some()
        || detail.is_some();
    let timeout_policy = has_texts.then(|| timeout_policy(timeout.as_ref(), timeout_ms.as_ref()));
    quote! {
        fn policy(&self) -> _tinytools::ToolPolicy {
            #body
        }
        #timeout_policy
    }
}

/// What the policy says of the time, without the rest of it.
fn timeout_policy(timeout: Option<&Ident>, millis: Option<&impl ToTokens>) -> TokenStream {
    let timeout = match (timeout, millis) {
        (Some(timeout), _) => quote!(#timeout),
        (None, Some(millis)) => quote!(Millis(#millis)),
        (None, None) => quote!(Inherit),
    };
    quote! {
        fn timeout_policy(&self, _: &_tinytools::Value) -> _tinytools::ToolTimeout {
            _tinytools::ToolTimeout::#timeout
        }
    }
}

fn variant(field: &str, ty: &str, variant: Option<&Ident>) -> Option<TokenStream> {
    let variant = variant?;
    let field = field.split('.').map(|part| format_ident!("{part}"));
    let ty = format_ident!("{ty}");
    Some(quote!(#(#field).* = _tinytools::#ty::#variant))
}

fn strings(field: &str, texts: &[LitStr]) -> Option<TokenStream> {
    let field = format_ident!("{field}");
    (!texts.is_empty()).then(|| quote!(access.#field = _tinytools::strings(&[#(#texts),*])))
}

fn text(field: &str, text: Option<&LitStr>) -> Option<TokenStream> {
    let text = text?;
    let field = format_ident!("{field}");
    Some(quote!(display.#field = _tinytools::Some(_tinytools::String::from(#text))))
}

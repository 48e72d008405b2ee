//! The struct beside a function, and its `impl Tool`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Generics, ImplGenerics, TypeGenerics, Visibility, WhereClause};

use super::{call, policy, schema};
use crate::input::FnInput;
use crate::model::{Host, Tool, ToolStruct};
use crate::shape::at;

/// The function as it is, and a struct that is a tool.
///
/// Input:
///
/// ```text
/// /// Look up the weather for a city.
/// #[tool(read_only)]
/// pub async fn weather(#[hidden] units: &Units, city: String) -> Result<String, String> { .. }
/// ```
///
/// Output, shortened:
///
/// ```text
/// pub async fn weather(units: &Units, city: String) -> Result<String, String> { .. }
///
/// /// Look up the weather for a city.
/// #[derive(Clone, Copy, Debug, Default)]
/// pub struct WeatherTool;
/// const _: () = {
///     use ::tinytools::__private as _tinytools;
///     use _tinytools::kinds::*;
///     static __INPUT: _tinytools::Input = _tinytools::Input::new(|| {
///         _tinytools::vec([_tinytools::param::<String>("city")])
///     });
///     impl WeatherTool {
///         pub const NAME: &'static str = "weather";
///     }
///     impl _tinytools::Tool for WeatherTool {
///         fn name(&self) -> &str { Self::NAME }
///         fn description(&self) -> &str { "Look up the weather for a city." }
///         fn parameters_schema(&self) -> _tinytools::Value { __INPUT.schema() }
///         // .. one method for each thing that differs from the default of `Tool`
///         // .. `execute`, which hands on to
///         fn __call<'c>(&'c self, call: _tinytools::Call<'c>) -> _tinytools::Called<'c> {
///             // .. how to tell the model, chosen by the return type
///             halves.run(&__INPUT, call.args, .., .., move |(city,)| {
///                 let units = _tinytools::borrowed::<Units>("units").required(call.ctx, Self::NAME)?;
///                 _tinytools::Ok(weather(units, city))
///             })
///         }
///     }
/// };
/// ```
///
/// Everything that could clash with a name of the user's is inside the `const` block, whose `use` is the one place
/// that knows where `tinytools` is.
pub(super) fn expand(tool: &Tool, shell: &ToolStruct, input: &FnInput) -> TokenStream {
    let definition = definition(tool, shell);
    let ToolStruct {
        cfgs,
        vis,
        ident,
        krate,
        ..
    } = shell;
    let function = &tool.ident;
    let target = Target {
        ident,
        generics: None,
        vis,
        function: quote!(#function),
        receiver: None,
    };
    let table = schema::table(tool);
    let impls = impls(tool, &target);
    quote! {
        #input
        #definition
        #(#cfgs)*
        const _: () = {
            use #krate::__private as _tinytools;
            use _tinytools::kinds::*;
            #table
            #impls
        };
    }
}

/// What implements `Tool`, and how it reaches the function.
pub(crate) struct Target<'a> {
    pub(crate) ident: &'a Ident,
    /// The generics of the owner, if it has any.
    pub(crate) generics: Option<&'a Generics>,
    /// The visibility of `NAME`.
    pub(crate) vis: &'a Visibility,
    pub(crate) function: TokenStream,
    /// What a method is called on.
    pub(crate) receiver: Option<TokenStream>,
}

impl Target<'_> {
    /// What stands behind `impl`, behind the type, and before the braces.
    fn generics(
        &self,
    ) -> (
        Option<ImplGenerics<'_>>,
        Option<TypeGenerics<'_>>,
        Option<&WhereClause>,
    ) {
        match self.generics.map(Generics::split_for_impl) {
            Some((generics, arguments, where_clause)) => {
                (Some(generics), Some(arguments), where_clause)
            }
            None => (None, None, None),
        }
    }
}

/// The unit struct.
pub(crate) fn definition(tool: &Tool, shell: &ToolStruct) -> TokenStream {
    let ToolStruct {
        attrs, vis, ident, ..
    } = shell;
    let doc = (!shell.is_documented()).then(|| {
        let doc = format!("The tool `{}`.", tool.name.value());
        quote!(#[doc = #doc])
    });
    // Where the compiler points to the struct, it shows the function's name.
    let item = quote_spanned!(at(ident)=> struct #ident;);
    quote! {
        #doc
        #(#attrs)*
        #[derive(::core::clone::Clone, ::core::marker::Copy)]
        #[derive(::core::fmt::Debug, ::core::default::Default)]
        #vis #item
    }
}

/// `NAME`, and `impl Tool`.
pub(crate) fn impls(tool: &Tool, target: &Target<'_>) -> TokenStream {
    let named = named(tool, target);
    let ident = target.ident;
    let (generics, arguments, where_clause) = target.generics();
    let allow = tool
        .is_deprecated
        .then(|| quote!(#[allow(deprecated, reason = "for the callers of the function")]));
    let description = &tool.description;
    let output_schema = call::output_schema(tool);
    let policy = policy::expand(&tool.policy);
    let injected = call::injected(tool);
    let host = host(&tool.policy.host);
    let execute = call::execute(tool, target);
    quote! {
        #named
        #allow
        #[automatically_derived]
        impl #generics _tinytools::Tool for #ident #arguments #where_clause {
            fn name(&self) -> &str {
                Self::NAME
            }
            fn description(&self) -> &str {
                #description
            }
            fn parameters_schema(&self) -> _tinytools::Value {
                __INPUT.schema()
            }
            #output_schema
            #policy
            #injected
            #host
            #execute
        }
    }
}

/// The inherent impl with the tool's name.
pub(crate) fn named(tool: &Tool, target: &Target<'_>) -> TokenStream {
    let Target { ident, vis, .. } = target;
    let (generics, arguments, where_clause) = target.generics();
    let name = &tool.name;
    quote! {
        impl #generics #ident #arguments #where_clause {
            /// The name a model calls the tool by.
            #vis const NAME: &'static str = #name;
        }
    }
}

/// The methods for what is not part of the policy, as far as they differ from the trait's own.
fn host(host: &Host) -> TokenStream {
    let Host {
        concurrency_safe,
        blocking,
        max_result_chars,
        permission,
        scope,
        category,
        exposure,
        return_direct,
        supports_markdown,
        external_effect,
        family,
        tags,
    } = host;
    let flags = [
        ("is_blocking", blocking),
        ("return_direct", return_direct),
        ("supports_markdown", supports_markdown),
        ("external_effect", external_effect),
    ];
    let flags = flags.into_iter().filter(|(_, on)| **on).map(|(name, _)| {
        let name = format_ident!("{name}");
        quote!(fn #name(&self) -> bool { true })
    });
    let concurrency_safe = concurrency_safe.then(|| {
        quote!(
            fn is_concurrency_safe(&self, _: &_tinytools::Value) -> bool {
                true
            }
        )
    });
    let enums = [
        ("permission_level", "PermissionLevel", permission),
        ("scope", "ToolScope", scope),
        ("category", "ToolCategory", category),
        ("exposure", "ToolExposure", exposure),
    ];
    let enums = enums.into_iter().filter_map(|(name, ty, variant)| {
        let variant: &Ident = variant.as_ref()?;
        let (name, ty) = (format_ident!("{name}"), format_ident!("{ty}"));
        Some(quote!(fn #name(&self) -> _tinytools::#ty { _tinytools::#ty::#variant }))
    });
    let max_result_chars = max_result_chars.as_ref().map(|chars| {
        quote! {
            fn max_result_size_chars(&self) -> _tinytools::Option<usize> {
                _tinytools::Some(#chars)
            }
        }
    });
    let family = family.as_ref().map(|family| {
        quote! {
            fn family(&self) -> _tinytools::Option<&str> {
                _tinytools::Some(#family)
            }
        }
    });
    let tags = (!tags.is_empty()).then(|| {
        quote! {
            fn tags(&self) -> _tinytools::Vec<_tinytools::String> {
                _tinytools::strings(&[#(#tags),*])
            }
        }
    });
    quote! {
        #concurrency_safe
        #(#flags)*
        #(#enums)*
        #max_result_chars
        #family
        #tags
    }
}

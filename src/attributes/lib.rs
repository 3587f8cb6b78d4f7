//! The attributes of requests and replies: what each of these types derives, and under which feature of its crate.
//!
//! An attribute stands for attributes that would be the same lines at a hundred types. Its arguments are what the type derives
//! beside them. The crate that uses an attribute has the features `serde`, `schema` and `exhaustive`, as far as they occur.

use proc_macro::TokenStream;

/// The feature `schema` makes JSON Schemas of replies.
const FORM: &str =
    r#"#[derive(serde::Serialize)] #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]"#;

/// A type that is serialized as a part of replies, and that no embedder sees: `#[form(Clone)]`.
#[proc_macro_attribute]
pub fn form(derives: TokenStream, item: TokenStream) -> TokenStream {
    with(&format!("#[derive({derives})] {FORM}"), item)
}

/// A reply, or a public part of one: `#[reply(Clone, Debug)]`. Embedders cannot match it field by field, so that fields can be
/// added.
#[proc_macro_attribute]
pub fn reply(derives: TokenStream, item: TokenStream) -> TokenStream {
    let open = r#"#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]"#;
    with(&format!("#[derive({derives})] {FORM} {open}"), item)
}

/// A request, or a part of one, which the feature `serde` makes serializable. The attributes for serde follow a semicolon:
/// `#[request(Clone, Debug; default, deny_unknown_fields)]`.
#[proc_macro_attribute]
pub fn request(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let arguments = arguments.to_string();
    let (derives, serde) = arguments.split_once(';').unwrap_or((&arguments, ""));
    let derived = r#"#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]"#;
    with(&format!("#[derive({derives})] {derived} #[cfg_attr(feature = \"serde\", serde({serde}))]"), item)
}

/// The item behind these attributes.
fn with(attributes: &str, item: TokenStream) -> TokenStream {
    let mut tokens: TokenStream = attributes.parse().expect("attributes are tokens");
    tokens.extend(item);
    tokens
}

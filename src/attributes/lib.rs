//! The attributes of requests and replies: what each of these types derives, and under which feature of its crate.
//!
//! An attribute stands for attributes that would be the same lines at a hundred types. Its arguments are what the type derives
//! beside them. The crate that uses an attribute has the features `serde`, `schema` and `exhaustive`, as far as they occur.

use proc_macro::{TokenStream, TokenTree};

/// The feature `schema` makes JSON Schemas of replies.
const FORM: &str =
    r#"#[derive(serde::Serialize)] #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]"#;

/// Within the workspace, fields are matched one by one.
const OPEN: &str = r#"#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]"#;

/// A reply, or a part of one, that nothing will be added to, or that no embedder sees: `#[form(Clone)]`.
#[proc_macro_attribute]
pub fn form(derives: TokenStream, item: TokenStream) -> TokenStream {
    with(&format!("#[derive({derives})] {FORM}"), item)
}

/// A reply, or a part of one, that embedders cannot match field by field, so that fields can be added: `#[reply(Clone, Debug)]`.
#[proc_macro_attribute]
pub fn reply(derives: TokenStream, item: TokenStream) -> TokenStream {
    with(&format!("#[derive({derives})] {FORM} {OPEN}"), item)
}

/// Another type that embedders cannot match field by field: `#[open(Clone, Debug)]`.
#[proc_macro_attribute]
pub fn open(derives: TokenStream, item: TokenStream) -> TokenStream {
    with(&format!("#[derive({derives})] {OPEN}"), item)
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

/// Gives an enum without fields the method `name`: the variant in kebab-case, or as its attribute `name` or serde's `rename` says.
#[proc_macro_derive(Name, attributes(name))]
pub fn name(item: TokenStream) -> TokenStream {
    let (of, variants) = variants(item);
    let arms: String =
        variants.iter().map(|(variant, name)| format!("{of}::{variant} => \"{name}\",")).collect();
    let function = format!("pub const fn name(self) -> &'static str {{ match self {{ {arms} }} }}");
    member(&of, "The name of the value.", &function)
}

/// Gives an enum without fields the constant `ALL`: its values in their order.
#[proc_macro_derive(All)]
pub fn all(item: TokenStream) -> TokenStream {
    let (of, variants) = variants(item);
    let values: String = variants.iter().map(|(variant, _)| format!("{of}::{variant},")).collect();
    member(&of, "Every value.", &format!("pub const ALL: [{of}; {}] = [{values}];", variants.len()))
}

fn member(of: &str, doc: &str, code: &str) -> TokenStream {
    let text = format!("impl {of} {{ #[doc = \"{doc}\"] #[allow(unreachable_pub)] {code} }}");
    text.parse().expect("a member is tokens")
}

/// The name of an enum, and its variants, each with the name of the value.
fn variants(item: TokenStream) -> (String, Vec<(String, String)>) {
    let mut tokens = item.into_iter().skip_while(|token| token.to_string() != "enum").skip(1);
    let of = tokens.next().expect("an enum has a name").to_string();
    let (mut variants, mut named) = (Vec::new(), None);
    let Some(TokenTree::Group(body)) = tokens.last() else { return (of, variants) };
    for token in body.stream() {
        match token {
            TokenTree::Group(attribute) => {
                let text = attribute.stream().to_string();
                let is_name = text.starts_with("name") || text.starts_with("serde");
                named = named.or(text.split('"').nth(1).filter(|_| is_name).map(str::to_string));
            }
            TokenTree::Ident(variant) => {
                let variant = variant.to_string();
                let name = named.take().unwrap_or_else(|| kebab_case(&variant));
                variants.push((variant, name));
            }
            _ => {}
        }
    }
    (of, variants)
}

fn kebab_case(variant: &str) -> String {
    let mut name = String::new();
    for c in variant.chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

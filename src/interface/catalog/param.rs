//! A parameter, and the types that its value can have.

/// A parameter of an operation.
#[derive(Debug)]
pub struct Param {
    /// The name, with `_` between words; a command line writes `-`.
    pub name: &'static str,
    /// Aliases.
    pub aliases: &'static [&'static str],
    /// A one-letter name, for command lines.
    pub short: Option<char>,
    /// The type of the value.
    pub takes: Takes,
    /// The default value; `None` where there is none.
    pub default: Option<&'static str>,
    /// Whether a command line takes the value without a flag.
    pub positional: Positional,
    /// The help of the parameter, one line.
    pub help: &'static str,
}

/// Whether a command line takes a value without a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Positional {
    /// The value follows a flag.
    No,
    /// The value has no flag and must be given.
    Required,
    /// The value has no flag and may be left out.
    Optional,
}

/// The type of a parameter's value.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// No value: a flag that is on when given.
    Nothing,
    /// A text.
    Text,
    /// Texts, at least one.
    Texts,
    /// A text that may be given more than once.
    Repeated,
    /// Words, separated by commas or given more than once.
    List,
    /// One of a fixed set of words.
    Choice(fn() -> Vec<&'static str>),
    /// Any of a fixed set of words, separated by commas or given more than once.
    Choices(fn() -> Vec<&'static str>),
    /// A whole number in this inclusive range.
    Number(u64, u64),
    /// A number from 0 to 1.
    Fraction,
    /// A number of bytes, optionally with a suffix K, M or G for powers of 1024.
    Bytes,
    /// A file or folder.
    Path,
    /// Files or folders, at least one.
    Paths,
}

/// A parameter with a flag, without a default, an alias or a short flag.
pub const fn param(name: &'static str, takes: Takes, help: &'static str) -> Param {
    Param { name, aliases: &[], short: None, takes, default: None, positional: Positional::No, help }
}

/// Parameters, a row for each: the name of the constant, the name of the parameter, the type of its value, other fields of
/// [`Param`], and the help, which is the documentation too.
macro_rules! params {
    ($($vis:vis $name:ident = $text:literal: $takes:expr $(, $field:ident: $value:expr)*, $help:literal;)+) => {
        $(#[doc = $help]
        $vis const $name: $crate::catalog::Param = $crate::catalog::Param {
            $($field: $value,)*
            ..$crate::catalog::param($text, $takes, $help)
        };)+
    };
}

pub(super) use params;

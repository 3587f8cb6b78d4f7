//! A parameter with its home: the field of the request that its value goes into.

use std::path::PathBuf;

use super::choice::{self, NamedChoice};
use super::faces::Faces;
use super::param::{Param, Takes};
use super::params::{PACK_DIFF, QUERY_LIST};
use super::values::{RawValues, ValueError};
use spyhop_base::limit;
use spyhop_base::path::RelPath;

/// A parameter of a request, with the function that writes the value into the request. The function does nothing where
/// the caller left the parameter out.
pub struct Row<R> {
    /// The parameter.
    pub param: &'static Param,
    /// Where the parameter appears.
    pub faces: Faces,
    /// Writes the value into the request.
    pub set: Setter<R>,
}

impl<R> Row<R> {
    /// The row on these front ends only.
    pub(crate) const fn only_on(self, faces: Faces) -> Row<R> {
        Row { param: self.param, faces, set: self.set }
    }
}

impl<R> Clone for Row<R> {
    fn clone(&self) -> Row<R> {
        *self
    }
}

impl<R> Copy for Row<R> {}

/// Writes the value of a parameter into a request.
pub(crate) type Setter<R> = fn(&mut R, &Param, &dyn RawValues) -> Result<(), ValueError>;

/// A parameter and where it appears: a [`Row`] without its request.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// The parameter.
    pub param: &'static Param,
    /// Where the parameter appears.
    pub faces: Faces,
}

/// A row of command lines and tools.
pub const fn both<R>(param: &'static Param, set: Setter<R>) -> Row<R> {
    Row { param, faces: Faces::Both, set }
}

/// A row of command lines.
pub(crate) const fn command_line<R>(param: &'static Param, set: Setter<R>) -> Row<R> {
    Row { param, faces: Faces::CommandLine, set }
}

/// A row of tools.
pub const fn tools<R>(param: &'static Param, set: Setter<R>) -> Row<R> {
    Row { param, faces: Faces::Tools, set }
}

/// The parameters of a table, for an operation's list.
pub(super) const fn listed_rows<const N: usize, R>(rows: &'static [Row<R>]) -> [Listed; N] {
    let mut all = [Listed { param: rows[0].param, faces: rows[0].faces }; N];
    let mut at = 0;
    while at < N {
        all[at] = Listed { param: rows[at].param, faces: rows[at].faces };
        at += 1;
    }
    all
}

/// The parameters of a table of rows, which is a constant.
macro_rules! listed {
    ($rows:expr) => {{
        const LISTED: [$crate::catalog::Listed; $rows.len()] = $crate::catalog::row::listed_rows($rows);
        &LISTED
    }};
}

pub(super) use listed;

/// A field of a request that holds the value of a parameter. What the caller left out leaves the field as it is.
pub(super) trait FilledField {
    /// Writes the value into the field.
    fn fill(&mut self, param: &Param, given: &dyn RawValues) -> Result<(), ValueError>;
}

/// Fields of these types, with the value that each takes.
macro_rules! fields {
    ($($type:ty: |$param:ident, $given:ident| $value:expr;)+) => {
        $(impl FilledField for $type {
            fn fill(&mut self, $param: &Param, $given: &dyn RawValues) -> Result<(), ValueError> {
                assign(self, $value);
                Ok(())
            }
        })+
    };
}

fields! {
    bool: |param, given| given.flag(param)?;
    String: |param, given| given.text(param)?;
    u64: |param, given| given.number(param)?;
    usize: |param, given| saturated(given.number(param)?);
    u32: |param, given| saturated_u32(given.number(param)?);
    f32: |param, given| given.fraction(param)?;
    Option<String>: |param, given| given.text(param)?.map(Some);
    Option<u64>: |param, given| given.number(param)?.map(Some);
    Option<usize>: |param, given| saturated(given.number(param)?).map(Some);
    Option<u32>: |param, given| saturated_u32(given.number(param)?).map(Some);
    Option<f32>: |param, given| given.fraction(param)?.map(Some);
    Option<PathBuf>: |param, given| given.file(param)?.map(Some);
    Vec<RelPath>: |param, given| {
        let paths = given.paths(param)?;
        (!paths.is_empty()).then_some(paths)
    };
    Vec<String>: |param, given| {
        let texts = if matches!(param.takes, Takes::List) { given.words(param)? } else { given.texts(param)? };
        (!texts.is_empty()).then_some(texts)
    };
}

impl<C: NamedChoice> FilledField for C {
    fn fill(&mut self, param: &Param, given: &dyn RawValues) -> Result<(), ValueError> {
        assign(self, given.text(param)?.map(|name| choice::parse(param.name, &name)).transpose()?);
        Ok(())
    }
}

impl<C: NamedChoice> FilledField for Option<C> {
    fn fill(&mut self, param: &Param, given: &dyn RawValues) -> Result<(), ValueError> {
        assign(self, given.text(param)?.map(|name| choice::parse(param.name, &name).map(Some)).transpose()?);
        Ok(())
    }
}

/// A row whose parameter no other file names: where the parameter appears, its name, the field of the call that its value goes
/// into, the type of the value, other fields of [`Param`], and the help.
macro_rules! row {
    ($face:ident $name:literal => $($place:ident).+: $takes:expr $(, $field:ident: $value:expr)*, $help:literal) => {{
        const PARAM: $crate::catalog::Param = $crate::catalog::Param {
            $($field: $value,)*
            ..$crate::catalog::param($name, $takes, $help)
        };
        $crate::catalog::row::$face(&PARAM, |call, param, given| {
            $crate::catalog::row::FilledField::fill(&mut call.$($place).+, param, given)
        })
    }};
}

pub(super) use row;

/// Writes every value that was given into the request, in the order of the table. Rows that do not appear where the
/// values come from are skipped.
pub fn fill<R>(rows: &[Row<R>], request: &mut R, given: &dyn RawValues) -> Result<(), ValueError> {
    let appears = |row: &&Row<R>| row.faces == Faces::Both || row.faces == given.face();
    rows.iter().filter(appears).try_for_each(|row| {
        within_limits(row.param, given)?;
        (row.set)(request, row.param, given)
    })
}

/// Refuses a list with too many entries and a text that is too long, before anything is done with them. The engine has
/// narrower limits for some parameters.
fn within_limits(param: &Param, given: &dyn RawValues) -> Result<(), ValueError> {
    let texts = match param.takes {
        Takes::Text | Takes::Texts | Takes::Choice(_) => given.text(param)?.into_iter().collect(),
        Takes::Repeated | Takes::List | Takes::Choices(_) | Takes::Paths => given.texts(param)?,
        Takes::Nothing | Takes::Number(..) | Takes::Fraction | Takes::Bytes | Takes::Path => return Ok(()),
    };
    check_texts(param, &texts)
}

/// Checks the number and the lengths of the texts of a parameter.
///
/// # Errors
/// A number or a length above the limit, which the error names.
pub fn check_texts(param: &Param, texts: &[String]) -> Result<(), ValueError> {
    let entries = limit::entries(param.name, texts.len(), max_items(param));
    let longest = if param.name == PACK_DIFF.name { limit::MAX_DIFF_BYTES } else { limit::MAX_TEXT_BYTES };
    let lengths = || texts.iter().try_for_each(|text| limit::bytes(param.name, text, longest));
    entries.and_then(|()| lengths()).map_err(|error| ValueError::new(error.to_string()))
}

/// The most entries of the list that a parameter takes.
pub fn max_items(param: &Param) -> usize {
    if param.name == QUERY_LIST.name { limit::MAX_QUERIES } else { limit::MAX_ENTRIES }
}

/// Replaces a value by the given one, if there is one.
pub fn assign<T>(home: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *home = given;
    }
}

/// A number as a `usize`. A number too large becomes the largest one, which is out of every range.
pub(crate) fn saturated(number: Option<u64>) -> Option<usize> {
    number.map(|number| usize::try_from(number).unwrap_or(usize::MAX))
}

/// A number as a `u32`. A number too large becomes the largest one, which is out of every range.
pub(crate) fn saturated_u32(number: Option<u64>) -> Option<u32> {
    number.map(|number| u32::try_from(number).unwrap_or(u32::MAX))
}

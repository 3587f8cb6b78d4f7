//! The parameters of a request: the query of the address, as raw values of the catalog's rows.

use std::borrow::Cow;
use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use spyhop_base::path::RelPath;
use spyhop_interface::catalog::{self, Row, TARGET, params};
use spyhop_interface::catalog::{Faces, Param, RawValues, Takes, ValueError, file_of_target, fill};

use super::reply::ApiError;
use crate::mcp::roots::Roots;

/// The parameters, in the order in which they were given.
#[derive(Debug, Default)]
pub struct Params(Vec<(String, String)>);

impl Params {
    /// Parses the query of an address.
    pub fn parse(query: &str) -> Result<Params, ApiError> {
        let decoded = |text: &str| -> Result<String, ApiError> {
            let text = text.replace('+', " ");
            let plain = percent_decode_str(&text).decode_utf8().map(Cow::into_owned);
            plain.map_err(|_| ApiError::bad(format!("the parameter '{text}' is not UTF-8")))
        };
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decoded(name)?, decoded(value)?))
        };
        pairs.map(pair).collect::<Result<_, _>>().map(Params)
    }

    /// The values of a parameter.
    pub fn all<'p, 'n>(&'p self, name: &'n str) -> impl Iterator<Item = &'p str> + use<'p, 'n> {
        self.0.iter().filter(move |(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// The names of trees and sources in the parameter `in`.
    pub fn sources(&self) -> Vec<String> {
        self.all(catalog::IN.name).flat_map(|names| names.split(',')).map(str::to_string).collect()
    }

    /// The value of a parameter; `None` if it is not given or empty.
    pub fn one(&self, name: &str) -> Result<Option<&str>, ApiError> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (value, None) => Ok(value.filter(|value| !value.is_empty())),
            _ => Err(ApiError::bad(format!("'{name}' is given twice; give one value"))),
        }
    }

    /// The value of a parameter that must be given.
    pub fn required(&self, name: &str) -> Result<&str, ApiError> {
        self.one(name)?.ok_or_else(|| ApiError::bad(format!("the parameter '{name}' is missing")))
    }

    /// A whole number in a range.
    pub fn number(
        &self,
        name: &str,
        range: std::ops::RangeInclusive<usize>,
    ) -> Result<Option<usize>, ApiError> {
        let Some(text) = self.one(name)? else { return Ok(None) };
        let number = text.parse().ok().filter(|number| range.contains(number));
        let (least, most) = (range.start(), range.end());
        number.map(Some).ok_or_else(|| {
            ApiError::bad(format!("{name} is '{text}'; choose a number from {least} to {most}"))
        })
    }

    /// A value that is true or false; a name without a value is true.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, ApiError> {
        flag(name, self.all(name).next()).map_err(ApiError::from)
    }

    /// Refuses parameters with other names than these.
    pub fn only(&self, names: &[&str]) -> Result<(), ApiError> {
        match self.0.iter().find(|(name, _)| !names.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, _)) => {
                let mut choices: Vec<&str> = Vec::new();
                names.iter().for_each(|name| _ = (!choices.contains(name)).then(|| choices.push(name)));
                let choices = match choices.is_empty() {
                    true => "the operation has no parameters".to_string(),
                    false => format!("choose {}", choices.join(", ")),
                };
                Err(ApiError::bad(format!("parameter '{name}' is unknown; {choices}")))
            }
        }
    }
}

/// The parameters of an operation about one tree.
pub struct OperationValues<'p> {
    pub params: &'p Params,
    pub roots: &'p Roots,
    /// The number of the tree.
    pub tree: usize,
    /// Whether the files on disk are asked, so that a path must exist.
    pub is_on_disk: bool,
    /// Which rows are taken: those of tools, or also those of the command line.
    pub face: Faces,
}

/// The parameters that no request takes: the page shows no secrets.
const REFUSED: &[&str] = &[params::SHOW_SECRETS.name, params::PROFILE.name];

/// Those of the parameters of an operation that a request takes. Each parameter comes with the faces that have it.
pub fn taken(
    face: Faces,
    listed: impl Iterator<Item = (&'static Param, Faces)>,
) -> impl Iterator<Item = &'static Param> {
    let is_taken = move |(param, faces): &(&Param, Faces)| {
        (*faces == Faces::Both || *faces == face) && !REFUSED.contains(&param.name)
    };
    listed.filter(is_taken).map(|(param, _)| param)
}

impl OperationValues<'_> {
    /// Writes the parameters into a request. Parameters of other names than those of the rows and `further` are refused.
    pub fn fill<R>(&self, rows: &[Row<R>], request: &mut R, further: &[&str]) -> Result<(), ApiError> {
        self.check_names(rows.iter().map(|row| (row.param, row.faces)), further)?;
        fill(rows, request, self).map_err(ApiError::from)
    }

    /// Refuses parameters of other names than those of an operation and `further`.
    pub fn check_names(
        &self,
        listed: impl Iterator<Item = (&'static Param, Faces)>,
        further: &[&str],
    ) -> Result<(), ApiError> {
        let own = taken(self.face, listed);
        let names = own.flat_map(|param| std::iter::once(param.name).chain(param.aliases.iter().copied()));
        let names: Vec<&str> = names.chain(further.iter().copied()).collect();
        self.params.only(&names)
    }

    fn given<'v>(&'v self, param: &'v Param) -> Result<Option<&'v str>, ValueError> {
        let mut values = self.values(param);
        match (values.next(), values.next()) {
            (value, None) => Ok(value.filter(|value| !value.is_empty())),
            _ => Err(ValueError::new(format!("'{}' is given twice; give one value", param.name))),
        }
    }

    fn values<'v>(&'v self, param: &'v Param) -> impl Iterator<Item = &'v str> {
        let names = std::iter::once(param.name).chain(param.aliases.iter().copied());
        names.flat_map(|name| self.params.all(name))
    }

    fn wrong<T>(param: &Param, text: &str, wanted: &str) -> Result<T, ValueError> {
        Err(ValueError::new(format!("{} is '{text}'; give {wanted}", param.name)))
    }

    /// A path below the root of the tree, or of each source.
    fn place(&self, name: &str, text: &str) -> Result<RelPath, ValueError> {
        Ok(self.roots.place(name, text, Some(self.tree)).map(|place| place.path)?)
    }
}

impl RawValues for OperationValues<'_> {
    fn face(&self) -> Faces {
        self.face
    }

    fn text(&self, param: &Param) -> Result<Option<String>, ValueError> {
        let text = self.given(param)?;
        if let Some(text) = text.filter(|_| param.name == TARGET.name) {
            let file = file_of_target(text);
            if file.starts_with(['/', '~']) || file.split('/').any(|part| part == "..") {
                self.place(param.name, file)?;
            }
        }
        // The page has a name for what is not committed.
        let is_working = param.name == catalog::DIFF.name && text == Some("working");
        Ok(if is_working { Some("HEAD".to_string()) } else { text.map(str::to_string) })
    }

    fn texts(&self, param: &Param) -> Result<Vec<String>, ValueError> {
        Ok(self.values(param).filter(|value| !value.is_empty()).map(str::to_string).collect())
    }

    fn flag(&self, param: &Param) -> Result<Option<bool>, ValueError> {
        flag(param.name, self.values(param).next())
    }

    fn number(&self, param: &Param) -> Result<Option<u64>, ValueError> {
        let Some(text) = self.given(param)? else { return Ok(None) };
        match (text.parse(), param.takes) {
            (Ok(number), _) => Ok(Some(number)),
            (Err(_), Takes::Number(least, most)) if most < u32::MAX.into() => {
                Self::wrong(param, text, &format!("a whole number, {least} to {most}"))
            }
            (Err(_), _) => Self::wrong(param, text, "a whole number"),
        }
    }

    fn fraction(&self, param: &Param) -> Result<Option<f32>, ValueError> {
        let Some(text) = self.given(param)? else { return Ok(None) };
        text.parse().map(Some).or_else(|_| Self::wrong(param, text, "a number, 0 to 1"))
    }

    fn scope(&self, param: &Param) -> Result<Option<String>, ValueError> {
        let Some(text) = self.given(param)? else { return Ok(None) };
        let path = self.place(param.name, text)?;
        let root = self.roots.iter().nth(self.tree);
        if self.is_on_disk && root.is_some_and(|root| !path.below(root).exists()) {
            return Err(ValueError::new(format!("{} '{path}' does not exist", param.name)));
        }
        Ok(Some(path.to_string()).filter(|path| !path.is_empty()))
    }

    fn paths(&self, param: &Param) -> Result<Vec<RelPath>, ValueError> {
        self.values(param).filter(|text| !text.is_empty()).map(|text| self.place(param.name, text)).collect()
    }

    /// No request names a path outside of the roots.
    fn file(&self, _: &Param) -> Result<Option<PathBuf>, ValueError> {
        Ok(None)
    }

    fn text_of_path(&self, _: &Param) -> Result<Option<PathBuf>, ValueError> {
        Ok(None)
    }

    fn pattern(&self, param: &Param, pattern: String) -> Result<String, ValueError> {
        Ok(self.roots.pattern(param.name, pattern, self.tree)?)
    }
}

fn flag(name: &str, value: Option<&str>) -> Result<Option<bool>, ValueError> {
    match value {
        None => Ok(None),
        Some("" | "true" | "1") => Ok(Some(true)),
        Some("false" | "0") => Ok(Some(false)),
        Some(other) => Err(ValueError::new(format!("{name} is '{other}'; give true or false"))),
    }
}

/// The parameters that every question about a tree takes.
pub const PLACE: [&str; 3] = ["root", params::VIEW.name, catalog::IN.name];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_of_an_address_is_decoded() {
        let params = Params::parse("q=a+b%20%C3%A9%26&in=x&in=y&flag").unwrap();
        assert_eq!(params.one("q").unwrap(), Some("a b é&"));
        assert_eq!(params.all("in").collect::<Vec<_>>(), ["x", "y"]);
        assert!(params.one("in").unwrap_err().text.contains("given twice"));
        assert_eq!(Params::parse("in=a,b&in=c").unwrap().sources(), ["a", "b", "c"]);
        assert_eq!((params.one("flag").unwrap(), params.one("none").unwrap()), (None, None));
        assert!(params.only(&["q", "in"]).unwrap_err().text.contains("'flag' is unknown; choose q, in"));
        let twice = params.only(&["q", "view", "in", "view"]).unwrap_err().text;
        assert_eq!(twice, "parameter 'flag' is unknown; choose q, view, in");
        assert_eq!(
            params.only(&[]).unwrap_err().text,
            "parameter 'q' is unknown; the operation has no parameters"
        );
        assert!(Params::parse("q=%FF").is_err());
        let params = Params::parse("n=7&m=x").unwrap();
        assert_eq!(params.number("n", 1..=9).unwrap(), Some(7));
        assert!(params.number("n", 1..=5).is_err() && params.number("m", 1..=5).is_err());
    }
}

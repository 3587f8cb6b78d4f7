//! What calls give that a language or its library defines, by the types of their arguments.

use super::library;
use super::operands::first_of_path;
use super::site::Site;
use super::written::{LIST, UNION, WrittenType, written};
use crate::family::{CSHARP, Family};
use crate::files::Graph;
use crate::generics::generic_arguments;
use spyhop_search::SearchError;

/// Types of the library whose constructors take the value inside.
const HOLDERS: &[&str] =
    &["Arc", "Box", "Rc", "Mutex", "RwLock", "RefCell", "Cell", "Pin", "Some", "Ok", "Cow", "ManuallyDrop"];

impl Graph<'_> {
    /// The elements of the collection that a function of Python takes beside a lambda: `sorted(pools, key=lambda pool: ...)`.
    pub(super) fn taken_elements(
        &self,
        site: &Site<'_>,
        called: usize,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let Some(close) = tokens.partner(called + 1) else { return Ok(Vec::new()) };
        let arguments = tokens.split(called + 2, close);
        let collection = match tokens.word(called) {
            "sorted" | "min" | "max" | "groupby" => arguments.first(),
            "map" | "filter" | "takewhile" | "dropwhile" => arguments.get(1),
            _ => None,
        };
        let Some((from, to)) = collection else { return Ok(Vec::new()) };
        self.each(&self.in_range(site, *from, *to)?, |own| self.elements(own))
    }

    /// Calls of functions of Python that take collections: `enumerate(pools)`, `max(pools)`, `sorted(pools)`.
    fn built_in_of_python(
        &self,
        site: &Site<'_>,
        name: &str,
        (open, close): (usize, usize),
    ) -> Result<Vec<WrittenType>, SearchError> {
        let unnamed = || WrittenType::new(site.file, "");
        let held = |(from, to)| self.each(&self.in_range(site, from, to)?, |own| self.elements(own));
        let arguments = site.item.tokens.split(open + 1, close);
        let first = || arguments.first().map_or(Ok(Vec::new()), |range| held(*range));
        Ok(match name {
            "enumerate" | "zip" => {
                let mut parts: Vec<WrittenType> = (name == "enumerate").then(unnamed).into_iter().collect();
                for range in arguments.iter().copied() {
                    parts.push(WrittenType::new(site.file, UNION).with(held(range)?));
                }
                vec![library::list_of_tuples(site.file, parts)]
            }
            "max" | "min" | "next" => first()?,
            "iter" | "list" | "reversed" | "set" | "sorted" | "tuple" => {
                vec![WrittenType::new(site.file, LIST).with(first()?)]
            }
            _ => Vec::new(),
        })
    }

    /// Calls of Rust that pass on the type of their argument in `from..to`: `Some(pool)`, `Box::new(pool)`, `mem::take(&mut pool)`.
    fn built_in_of_rust(
        &self,
        site: &Site<'_>,
        called: usize,
        (from, to): (usize, usize),
    ) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let path = if called > 2 && tokens.is(called - 1, b':') { tokens.word(called - 3) } else { "" };
        let holder = match tokens.word(called) {
            "Some" | "Ok" => "Option",
            "take" | "replace" if path == "mem" => "",
            "clone" if HOLDERS.contains(&path) => "",
            "new" | "from" | "pin" if HOLDERS.contains(&path) => path,
            _ => return Ok(Vec::new()),
        };
        let held = self.in_range(site, from, to)?;
        let in_holder = |held: WrittenType| WrittenType::new(held.file, holder).with(vec![held]);
        Ok(if holder.is_empty() { held } else { held.into_iter().map(in_holder).collect() })
    }

    /// The list that a function of a library makes of its arguments: `listOf(pool)`, `List.of(pool)`.
    fn list_of_library(
        &self,
        site: &Site<'_>,
        called: usize,
        (open, close): (usize, usize),
    ) -> Result<Option<WrittenType>, SearchError> {
        let (tokens, syntax, home) = (&site.item.tokens, site.syntax(), (self.family(site.file), site.file));
        let has = |names: &[String], name: &str| names.iter().any(|own| own == name);
        let before = called.checked_sub(2).filter(|at| tokens.is(at + 1, b'.'));
        let holder = before.map(|at| tokens.word(at)).filter(|name| has(&syntax.holders, name));
        let is_holder =
            holder.is_some_and(|name| self.types_named(site.file, name).is_ok_and(|types| types.is_empty()));
        let collects = has(&syntax.collects, tokens.word(called));
        if !collects && !is_holder {
            return Ok(None);
        }
        let part = generic_arguments(tokens, called + 1, open).0.first().copied().filter(|_| collects);
        let first = tokens.split(open + 1, close).first().copied();
        let held = match (part, first.filter(|_| is_holder || syntax.trailing)) {
            (Some((from, to)), _) => written(home, &site.item, from, to),
            (None, Some((from, to))) => self.in_range(site, from, to)?,
            (None, None) => Vec::new(),
        };
        Ok(Some(WrittenType::new(site.file, LIST).with(held)))
    }

    /// Calls that a language or its library defines: `new(T)`, `Some(x)`, `Box::new(x)`.
    pub(super) fn built_in(
        &self,
        site: &Site<'_>,
        called: usize,
        (open, close): (usize, usize),
    ) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let (family, name) = (self.family(site.file), tokens.word(called));
        if let Some(list) = self.list_of_library(site, called, (open, close))? {
            return Ok(vec![list]);
        }
        if site.syntax().is_maker(name) {
            let is_outside = self.definitions_in(family, name)?.iter().next().is_none();
            let part = generic_arguments(tokens, called + 1, open).0.first().copied();
            if let Some((from, to)) = part.filter(|_| is_outside) {
                return Ok(match name.starts_with("make") {
                    true => self.made(site, (from, to)),
                    false => written((family, site.file), &site.item, from, to),
                });
            }
        }
        let is_plain =
            first_of_path(family, tokens, called) == called && !(called > 0 && tokens.is(called - 1, b'.'));
        let argument = tokens.split(open + 1, close).first().copied();
        let Some((from, to)) = argument else { return Ok(Vec::new()) };
        match (family, name) {
            (Family::Python, _) if is_plain => self.built_in_of_python(site, name, (open, close)),
            (Family::Web, "import") if is_plain => {
                let files = self.module(site.file, tokens.word(from).trim_matches(['"', '\'', '`']));
                Ok(vec![if files.is_empty() { WrittenType::outside() } else { WrittenType::module(files) }])
            }
            (Family::Web, "entries" | "values") if called > 1 && tokens.word(called - 2) == "Object" => {
                let inner = self.in_range(site, from, to)?;
                let held = inner.iter().filter_map(|own| own.args.last().cloned()).collect();
                let held = WrittenType::new(site.file, UNION).with(held);
                Ok(vec![match name {
                    "entries" => {
                        library::list_of_tuples(site.file, vec![WrittenType::new(site.file, ""), held])
                    }
                    _ => WrittenType::new(site.file, LIST).with(vec![held]),
                }])
            }
            (Family::Go, "new" | "make") if is_plain => {
                Ok(written((family, site.file), &site.item, from, to))
            }
            (CSHARP, "typeof") => Ok(vec![WrittenType::new(site.file, "Type")]),
            (Family::Go, "append") if is_plain => self.in_range(site, from, to),
            (Family::Rust, _) => self.built_in_of_rust(site, called, (from, to)),
            _ => Ok(Vec::new()),
        }
    }
}

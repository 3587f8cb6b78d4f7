//! Values of the languages of the web whose types have no name: object literals, object types and functions; and the results of
//! functions of libraries.

use super::found::Found;
use super::functions::{body_of_function, is_direct, is_function};
use super::library;
use super::site::Site;
use super::written::{OBJECT_TYPE, TUPLE, UNION, WrittenType, written};
use crate::declarations::{Declaration, LocalSource};
use crate::family::Family;
use crate::files::Graph;
use crate::generics::{end_of_type, generic_arguments};
use crate::tokens::Tokens;
use spyhop_search::SearchError;

impl Graph<'_> {
    /// The meaning of the key `name` of an object literal or of an object type.
    pub(super) fn key_of_object(&self, object: &WrittenType, name: &str) -> Result<Found, SearchError> {
        let (Some(facts), is_type) = (self.facts(object.file), &*object.name == OBJECT_TYPE) else {
            return Ok(Found::default());
        };
        let Some(site) = self.site(object.file, &facts, None) else { return Ok(Found::default()) };
        let tokens = &site.item.tokens;
        let open = site.item.index_at(object.at);
        let Some(close) = tokens.partner(open).filter(|_| tokens.is(open, b'{')) else {
            return Ok(Found::default());
        };
        let mut spread = Vec::new();
        for (from, to) in members(tokens, open, close, is_type) {
            if tokens.is_operator(from, "...") {
                spread.push((from + 3, to));
                continue;
            }
            let key = (from..to).find(|at| !is_modifier(tokens, *at)).unwrap_or(from);
            if tokens.word(key).trim_matches(['"', '\'']) != name {
                continue;
            }
            let byte = site.item.byte_of(key);
            if let Some(item) =
                self.item_at(object.file, name, byte)?.filter(|item| item.span.start > object.at)
            {
                return Ok(Found::of(vec![item]));
            }
            let colon = key + 1 + usize::from(tokens.is(key + 1, b'?'));
            let (from, is_name) = (colon + 1, tokens.is_word(colon + 1) && colon + 2 == to);
            return match () {
                () if key + 1 == to => self.named(object.file, name, byte),
                () if !tokens.is(colon, b':') => Ok(Found::default()),
                () if is_name && !is_type => {
                    self.named(object.file, tokens.word(from), site.item.byte_of(from))
                }
                () => {
                    let source = match is_type {
                        true => LocalSource::Written(from, to),
                        false => LocalSource::Value(from, to, Vec::new()),
                    };
                    let scope = (byte, byte);
                    let declared =
                        Declaration { at: byte, scope, source, is_global: false, is_in_class: true };
                    Ok(Found { declared: Some((object.file, declared)), ..Found::default() })
                }
            };
        }
        // An object may be spread into itself.
        let key = (object.file, object.at);
        if self.types.open.borrow().contains(&key) {
            return Ok(Found::default());
        }
        self.types.open.borrow_mut().push(key);
        let found = spread.into_iter().try_fold(Found::default(), |found, range| match found.is_known() {
            true => Ok(found),
            false => self.member_of_value(&site, range, name),
        });
        self.types.open.borrow_mut().pop();
        found
    }

    /// What `name` means as a member of the value in `from..to`.
    fn member_of_value(
        &self,
        site: &Site<'_>,
        (from, to): (usize, usize),
        name: &str,
    ) -> Result<Found, SearchError> {
        let objects = self.in_range(site, from, to)?;
        for own in self.each(&objects, |own| self.instances(own))? {
            let found = self.found_in(&own, name)?;
            if found.is_known() {
                return Ok(found);
            }
        }
        Ok(Found::default())
    }

    /// The types that the function in `from..to` gives; none if there is no function.
    pub(super) fn results_of_function(
        &self,
        site: &Site<'_>,
        (from, to): (usize, usize),
    ) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let Some(body) = body_of_function(tokens, from, to) else { return Ok(Vec::new()) };
        let Some(close) = tokens.partner(body).filter(|_| tokens.is(body, b'{')) else {
            return self.in_range(site, body, to);
        };
        let mut types = Vec::new();
        for at in (body..close).filter(|at| tokens.word(*at) == "return" && is_direct(tokens, *at, body)) {
            let end = tokens.find(at + 1, close, |index| {
                let begins_line = tokens.at(index).is_some_and(|token| token.indent.is_some());
                tokens.is(index, b';') || index > at + 1 && begins_line && !tokens.is(index, b'.')
            });
            types.extend(self.in_range(site, at + 1, end)?);
        }
        Ok(types)
    }

    /// The types that a call of a function of a library gives, such as `useState(() => new Pool())`: what its generic argument, its first
    /// argument or the function there gives, in the holder that the table of languages names.
    pub(super) fn given_by_library(
        &self,
        site: &Site<'_>,
        called: usize,
        (open, close): (usize, usize),
    ) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let Some(holder) = site.syntax().gives.get(tokens.word(called)) else { return Ok(Vec::new()) };
        let home = (self.family(site.file), site.file);
        let is_of_tree = home.0 == Family::Web
            && site.receiver_end(called).is_none()
            && !self.named(site.file, tokens.word(called), site.item.byte_of(called))?.definitions.is_empty();
        if is_of_tree {
            return Ok(Vec::new());
        }
        let generic = generic_arguments(tokens, called + 1, open).0.first().copied();
        let mut types = match (generic, tokens.split(open + 1, close).first().copied()) {
            (Some((from, to)), _) => written(home, &site.item, from, to),
            (None, Some((from, to))) if home.0 == Family::Web && is_function(tokens, from, to) => {
                self.results_of_function(site, (from, to))?
            }
            (None, Some((from, to))) => self.in_range(site, from, to)?,
            (None, None) => Vec::new(),
        };
        types.retain(|own| !own.is_outside());
        if types.is_empty() || holder.is_empty() {
            return Ok(types);
        }
        if holder == "^" {
            return Ok(types.iter().filter_map(library::unwrapped).collect());
        }
        let held = match types.len() {
            1 => types,
            _ => vec![WrittenType::new(site.file, UNION).with(types)],
        };
        let holder = if holder == "pair" { TUPLE } else { holder };
        Ok(vec![WrittenType::new(site.file, holder).with(held)])
    }
}

/// The members of an object literal or of an object type.
fn members(tokens: &Tokens, open: usize, close: usize, is_type: bool) -> Vec<(usize, usize)> {
    if !is_type {
        return tokens.split(open + 1, close);
    }
    let (mut all, mut from) = (Vec::new(), open + 1);
    while from < close && tokens.goes_on() {
        let to = end_of_type(tokens, from, close, |at| {
            let begins_line = at > from && tokens.at(at).is_some_and(|token| token.indent.is_some());
            let continues = b"|&:,(=<".iter().any(|sign| tokens.is(at.saturating_sub(1), *sign))
                || tokens.is(at, b'|')
                || tokens.is(at, b'&');
            tokens.is(at, b';') || tokens.is(at, b',') || begins_line && !continues
        });
        if to > from {
            all.push((from, to));
        }
        from = if tokens.is(to, b';') || tokens.is(to, b',') { to + 1 } else { to.max(from + 1) };
    }
    all
}

fn is_modifier(tokens: &Tokens, at: usize) -> bool {
    matches!(tokens.word(at), "readonly" | "get" | "set" | "async") && tokens.is_word(at + 1)
        || tokens.is(at, b'*')
}

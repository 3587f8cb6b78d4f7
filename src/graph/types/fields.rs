//! The written types of fields, of results of functions, and of values that a file or type defines.

use super::item::ItemTokens;
use super::site::Site;
use super::sources;
use super::written::{TUPLE, WrittenType, written};
use crate::declarations::LocalSource;
use crate::definition::Definition;
use crate::family::Family;
use crate::files::Graph;
use crate::generics::{end_of_type, generic_arguments, split_types};
use crate::local_names::has_name;
use crate::tokens::{TokenKind, Tokens};
use crate::uses::innermost;
use spyhop_base::model::SymbolKind;
use spyhop_base::text::Span;
use spyhop_search::SearchError;

impl Graph<'_> {
    pub(super) fn field_types(
        &self,
        holder: &Definition,
        of: &WrittenType,
        field: &str,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let (family, language) = (self.family(holder.file), self.language(holder.file));
        let Some(item) = self.item(holder.file, holder.span) else { return Ok(Vec::new()) };
        let tokens = &item.tokens;
        let Some((name, after)) = name_and_parameters(family, tokens, &holder.name) else {
            return Ok(Vec::new());
        };
        let source = match family {
            Family::Rust => rust_field(tokens, after, field).map(|(from, to)| LocalSource::Written(from, to)),
            Family::Go => go_field(tokens, after, field).map(|(from, to)| LocalSource::Written(from, to)),
            _ => sources::member(tokens, language, after, field),
        };
        let found = match source {
            None => Vec::new(),
            Some(LocalSource::Written(from, to)) => written((family, holder.file), &item, from, to),
            Some(source) => {
                let Some(facts) = self.facts(holder.file) else { return Ok(Vec::new()) };
                let (file, owner) = (holder.file, Some(holder.place));
                self.local(&Site { file, facts: &facts, language, owner, item: item.clone() }, source)?
            }
        };
        let mut found = found;
        if self.are_basic(holder.file, &found)
            && let Some(facts) = self.facts(holder.file)
        {
            let is_it = |at: &usize| tokens.word(*at).strip_prefix('$') == Some(field);
            let declared = (after..tokens.len()).find(is_it);
            let told = declared.map_or_else(Vec::new, |at| {
                self.documented(&facts, holder.file, item.byte_of(at), ("@var", field))
            });
            found = if told.is_empty() { found } else { told };
        }
        Ok(substituted(family, tokens, name, found, of))
    }

    /// The types of a field of a struct of Go without a name.
    pub(super) fn field_of_struct(&self, holder: &WrittenType, field: &str) -> Vec<WrittenType> {
        let Some(facts) = self.facts(holder.file) else { return Vec::new() };
        let owner = innermost(&facts.symbols, Span::new(holder.at as usize, holder.at as usize));
        let Some(site) = self.site(holder.file, &facts, owner) else { return Vec::new() };
        let range = go_field(&site.item.tokens, site.item.index_at(holder.at), field);
        range.map_or_else(Vec::new, |(from, to)| written((Family::Go, holder.file), &site.item, from, to))
    }

    /// The types of the values that a variant of an enum holds.
    pub(super) fn variant_types(
        &self,
        holder: &Definition,
        of: &WrittenType,
        variant: &str,
        place: usize,
    ) -> Vec<WrittenType> {
        self.types_in_variant(holder, of, (variant, b'('), |tokens, open| {
            let close = tokens.partner(open)?;
            let (from, to) = split_types(tokens, open + 1, close).get(place).copied()?;
            // A value of Swift may have a label.
            let has_label = tokens.is_word(from) && tokens.is(from + 1, b':') && !tokens.is(from + 2, b':');
            Some((if has_label { from + 2 } else { from }, to))
        })
    }

    /// The types that `part` finds after the bracket of a variant of an enum.
    fn types_in_variant(
        &self,
        holder: &Definition,
        of: &WrittenType,
        (variant, bracket): (&str, u8),
        part: impl Fn(&Tokens, usize) -> Option<(usize, usize)>,
    ) -> Vec<WrittenType> {
        let family = self.family(holder.file);
        let Some(item) = self.item(holder.file, holder.span) else { return Vec::new() };
        let tokens = &item.tokens;
        let Some((name, after)) = name_and_parameters(family, tokens, &holder.name) else {
            return Vec::new();
        };
        let body = tokens.find(after, tokens.len(), |at| tokens.is(at, b'{'));
        let is_variant = |at: &usize| {
            tokens.word(*at) == variant && tokens.around(*at) == Some(body) && tokens.is(at + 1, bracket)
        };
        let range = (body..tokens.len()).find(is_variant).and_then(|at| part(tokens, at + 1));
        let found = range.map_or_else(Vec::new, |(from, to)| written((family, holder.file), &item, from, to));
        substituted(family, tokens, name, found, of)
    }

    /// The types of a field with a name of a variant of an enum, or of a struct.
    pub(super) fn named_variant_types(
        &self,
        holder: &Definition,
        of: &WrittenType,
        variant: &str,
        field: &str,
    ) -> Vec<WrittenType> {
        if *holder.name == *variant || variant == "Self" && holder.kind == SymbolKind::Struct {
            return self.field_types(holder, of, field).unwrap_or_default();
        }
        self.types_in_variant(holder, of, (variant, b'{'), |tokens, open| rust_field(tokens, open, field))
    }

    /// The types that a type of Go embeds.
    pub(crate) fn embedded(&self, holder: &Definition) -> Vec<WrittenType> {
        let Some(item) = self.item(holder.file, holder.span) else { return Vec::new() };
        let tokens = &item.tokens;
        let Some((_, after)) = name_and_parameters(Family::Go, tokens, &holder.name) else {
            return Vec::new();
        };
        let body = tokens.find(after, tokens.len(), |at| tokens.is(at, b'{'));
        let Some(close) = tokens.partner(body) else { return Vec::new() };
        let mut found = Vec::new();
        let starts =
            (body + 1..close).filter(|at| tokens.around(*at) == Some(body) && starts_line(tokens, *at));
        for at in starts {
            let word = if tokens.is(at, b'*') { at + 1 } else { at };
            let end = if tokens.is(word + 1, b'.') { word + 3 } else { word + 1 };
            let is_alone = end >= close || starts_line(tokens, end) || tokens.is(end, b';');
            if tokens.is_word(word) && is_alone {
                found.extend(written((Family::Go, holder.file), &item, at, end));
            }
        }
        found
    }

    /// The written types of a parameter of a function, by its number.
    pub(super) fn argument_types(&self, function: &Definition, number: usize) -> Vec<WrittenType> {
        let home = (self.family(function.file), function.file);
        let Some(item) = self.item_of(function) else { return Vec::new() };
        let tokens = &item.tokens;
        let Some(open) = name_and_list(home.0, tokens, &function.name).map(|(_, open)| open) else {
            return Vec::new();
        };
        let Some(close) = tokens.partner(open) else { return Vec::new() };
        let Some((from, to)) = split_types(tokens, open + 1, close).get(number).copied() else {
            return Vec::new();
        };
        let colon = tokens.find(from, to, |at| tokens.is(at, b':'));
        // `Consumer<Pool> take` and `take: Consumer<Pool>`.
        match colon < to {
            true => {
                let is_value = |at: usize| tokens.is(at, b'=') && !tokens.is_operator(at, "=>");
                written(home, &item, colon + 1, end_of_type(tokens, colon + 1, to, is_value))
            }
            false if home.0.has_scopes() => Vec::new(),
            false => {
                let name = tokens.find(from, to, |at| tokens.is(at, b'='));
                written(home, &item, from, name.saturating_sub(1).max(from))
            }
        }
    }

    /// The written types of the result of a function; `Self` is not replaced.
    pub(super) fn result_types(&self, function: &Definition) -> Vec<WrittenType> {
        let family = self.family(function.file);
        let Some(item) = self.item_of(function) else { return Vec::new() };
        let (tokens, home) = (&item.tokens, (family, function.file));
        let Some((name, open)) = name_and_list(family, tokens, &function.name) else { return Vec::new() };
        let Some(close) = tokens.partner(open) else { return Vec::new() };
        if !matches!(family, Family::Rust | Family::Go) && !family.has_scopes() {
            let language = self.language(function.file);
            let range = sources::result(tokens, language, name, close);
            let found = range.map_or_else(Vec::new, |(from, to)| written(home, &item, from, to));
            let told = if self.are_basic(function.file, &found) {
                self.documented_result(function)
            } else {
                Vec::new()
            };
            return if told.is_empty() { found } else { told };
        }
        let from = match family {
            Family::Rust | Family::Python if tokens.is_operator(close + 1, "->") => close + 3,
            Family::Web if tokens.is(close + 1, b':') => close + 2,
            Family::Rust | Family::Python | Family::Web => return Vec::new(),
            _ => close + 1,
        };
        let ends = |at: usize| {
            let begins_line = tokens.at(at).is_some_and(|token| token.indent.is_some());
            match family {
                Family::Python => tokens.is(at, b':'),
                Family::Web => {
                    let is_literal = at == from || [b'|', b'&'].iter().any(|sign| tokens.is(at - 1, *sign));
                    tokens.is(at, b'{') && !is_literal
                        || tokens.is(at, b';')
                        || tokens.is(at, b'=')
                        || begins_line && tokens.is_word(at) && at > from
                }
                _ => {
                    let is_line = family == Family::Go && begins_line;
                    tokens.is(at, b'{') || tokens.is(at, b';') || tokens.word(at) == "where" || is_line
                }
            }
        };
        let to = end_of_type(tokens, from, tokens.len(), ends);
        match family {
            Family::Go if tokens.is(from, b'(') => named_results(home, &item, from),
            Family::Python => {
                let mut found = written(home, &item, from, to);
                // `def take(self: Own) -> Own`.
                if matches!(tokens.word(open + 1), "self" | "cls") && tokens.is(open + 2, b':') {
                    let of_self = written(
                        home,
                        &item,
                        open + 3,
                        end_of_type(tokens, open + 3, close, |at| tokens.is(at, b',')),
                    );
                    let itself = WrittenType::new(function.file, "Self");
                    let is_self =
                        |own: &WrittenType| of_self.first().is_some_and(|first| first.name == own.name);
                    found.iter_mut().filter(|own| is_self(own)).for_each(|own| *own = itself.clone());
                }
                found
            }
            _ => written(home, &item, from, to),
        }
    }

    /// Types with the arguments of a type for the generic parameters of its definition.
    pub(super) fn with_arguments(
        &self,
        types: Vec<WrittenType>,
        definition: &Definition,
        of: &WrittenType,
    ) -> Vec<WrittenType> {
        let family = self.family(definition.file);
        let item = self.item_of(definition).filter(|_| !of.args.is_empty());
        let Some(item) = item else { return types };
        match name_and_parameters(family, &item.tokens, &definition.name) {
            Some((name, _)) => substituted(family, &item.tokens, name, types, of),
            None => types,
        }
    }

    /// What an alias stands for.
    pub(super) fn aliased(&self, alias: &Definition) -> Vec<WrittenType> {
        let family = self.family(alias.file);
        let Some(item) = self.item_of(alias) else { return Vec::new() };
        let tokens = &item.tokens;
        if family == Family::C && tokens.word(0) == "typedef" {
            let name =
                tokens.find(1, tokens.len(), |at| tokens.word(at) == &*alias.name && !tokens.is_word(at + 1));
            return written((family, alias.file), &item, 1, name);
        }
        let name = tokens.find(0, tokens.len(), |at| tokens.word(at) == &*alias.name);
        let equals =
            tokens.find(name, tokens.len(), |at| tokens.is(at, b'=') && !tokens.is_operator(at, "=>"));
        let end = tokens.find(equals, tokens.len(), |at| tokens.is(at, b';'));
        written((family, alias.file), &item, equals + 1, end)
    }
}

/// The most tokens between the name of a function and its parameters, as in `const take = async (`.
const MAX_BEFORE_LIST: usize = 80;

/// Whether the name at `at` is that of a function that is declared behind the type of its receiver: `fun Pool.take()`.
fn is_extension(tokens: &Tokens, at: usize) -> bool {
    (at.saturating_sub(MAX_BEFORE_LIST)..at)
        .rev()
        .take_while(|at| !tokens.is(*at, b'{'))
        .any(|at| tokens.word(at) == "fun")
}

/// The token of the name of a function, and that of the bracket of its parameters.
fn name_and_list(family: Family, tokens: &Tokens, name: &str) -> Option<(usize, usize)> {
    if family.has_scopes() {
        let at = (0..tokens.len()).find(|at| tokens.word(*at) == name)?;
        let near = at + 1..tokens.len().min(at + MAX_BEFORE_LIST);
        return near.into_iter().find(|open| tokens.is(*open, b'(')).map(|open| (at, open));
    }
    if let Some(sign) = name.strip_prefix("operator").filter(|sign| sign.starts_with(['-', '*'])) {
        let is_it = |at: &usize| tokens.word(*at) == "operator" && tokens.is_operator(at + 1, sign);
        return (0..tokens.len()).find(is_it).map(|at| (at, at + 1 + sign.len()));
    }
    let is_name = |at: &usize| {
        has_name(tokens, *at, name)
            && [b'(', b'<', b'['].iter().any(|sign| tokens.is(at + 1, *sign))
            && (family != Family::Rust || *at > 0 && tokens.word(at - 1) == "fn")
            && !(*at > 0
                && (tokens.is(at - 1, b'.') && !is_extension(tokens, *at) || tokens.is(at - 1, b'@')))
    };
    let at = (0..tokens.len()).find(is_name)?;
    Some((at, after_parameters(family, tokens, at)))
}

/// The results in parentheses of a function of Go, which may have names.
fn named_results(home: (Family, u32), item: &ItemTokens, open: usize) -> Vec<WrittenType> {
    let tokens = &item.tokens;
    let Some(close) = tokens.partner(open) else { return Vec::new() };
    let parts = split_types(tokens, open + 1, close);
    let has_name = |(from, to): &(usize, usize)| {
        let is_type = matches!(tokens.word(*from), "func" | "chan" | "interface" | "struct" | "map");
        let is_part = tokens.is(from + 1, b'.') || tokens.is(from + 1, b'[');
        to - from > 1 && tokens.is_word(*from) && !is_type && !is_part
    };
    let is_named = parts.iter().any(has_name);
    let mut types = Vec::new();
    for (index, (from, to)) in parts.iter().enumerate() {
        // `a, b T`: the type of a name without one is that of the next.
        let typed = if is_named { parts[index..].iter().find(|part| has_name(part)) } else { None };
        let (from, to) = typed.map_or((*from, *to), |(from, to)| (from + 1, *to));
        let found = written(home, item, from, to).into_iter().next();
        types.push(found.unwrap_or_else(|| WrittenType::new(home.1, "")));
    }
    match types.len() {
        1 => types,
        _ => vec![WrittenType::new(home.1, TUPLE).with(types)],
    }
}

/// The token of the name of a type, and the token after its generic parameters.
pub(super) fn name_and_parameters(family: Family, tokens: &Tokens, name: &str) -> Option<(usize, usize)> {
    let at = (0..tokens.len()).find(|at| {
        has_name(tokens, *at, name)
            && (!(*at > 0 && [b'@', b'#', b'.'].iter().any(|sign| tokens.is(at - 1, *sign)))
                || *at > 2 && matches!(tokens.word(at - 3), "val" | "var"))
    })?;
    Some((at, after_parameters(family, tokens, at)))
}

/// The token after the generic parameters of the name at `at`.
fn after_parameters(family: Family, tokens: &Tokens, at: usize) -> usize {
    match family {
        Family::Go if tokens.is(at + 1, b'[') => tokens.partner(at + 1).map_or(at + 1, |close| close + 1),
        Family::Go => at + 1,
        _ if tokens.is(at + 1, b'<') => generic_arguments(tokens, at + 1, tokens.len()).1,
        _ => at + 1,
    }
}

/// Types with the arguments of a type for its generic parameters.
fn substituted(
    family: Family,
    tokens: &Tokens,
    name: usize,
    types: Vec<WrittenType>,
    of: &WrittenType,
) -> Vec<WrittenType> {
    if of.args.is_empty() {
        return types;
    }
    let parts = match family {
        // `template <class T> class Pool`.
        Family::C if tokens.word(0) == "template" && tokens.is(1, b'<') => {
            let parts = generic_arguments(tokens, 1, name).0.into_iter();
            let last = |(from, to): (usize, usize)| {
                let end = tokens.find(from, to, |at| tokens.is(at, b'='));
                (end.saturating_sub(1).max(from), end)
            };
            parts.map(last).collect()
        }
        Family::Go if tokens.is(name + 1, b'[') => {
            tokens.partner(name + 1).map_or_else(Vec::new, |close| tokens.split(name + 2, close))
        }
        _ if tokens.is(name + 1, b'<') => generic_arguments(tokens, name + 1, tokens.len()).0,
        // `fun <T> take()`.
        Family::Jvm if name > 0 && tokens.is(name - 1, b'>') => {
            let fun = (0..name).rev().find(|at| tokens.word(*at) == "fun");
            fun.map_or_else(Vec::new, |fun| generic_arguments(tokens, fun + 1, name).0)
        }
        _ => Vec::new(),
    };
    let is_type = |from: usize| !tokens.is(from, b'\'');
    let first = |from: usize| if tokens.word(from) == "reified" { from + 1 } else { from };
    let names: Vec<&str> =
        parts.iter().filter(|(from, _)| is_type(*from)).map(|(from, _)| tokens.word(first(*from))).collect();
    types.into_iter().map(|written| replaced(written, &names, &of.args).bounded()).collect()
}

fn replaced(written: WrittenType, names: &[&str], args: &[WrittenType]) -> WrittenType {
    let place = names.iter().position(|name| **name == *written.name);
    match place.and_then(|place| args.get(place)) {
        Some(argument) if written.args.is_empty() => argument.clone(),
        _ => {
            let inner = written.args.clone().into_iter().map(|inner| replaced(inner, names, args));
            let inner = inner.collect();
            written.with(inner)
        }
    }
}

fn starts_line(tokens: &Tokens, at: usize) -> bool {
    let is_behind = |sign: u8| at > 0 && tokens.is(at - 1, sign);
    tokens.at(at).is_some_and(|token| token.indent.is_some()) || is_behind(b'{') || is_behind(b';')
}

fn rust_field(tokens: &Tokens, after: usize, field: &str) -> Option<(usize, usize)> {
    if let Ok(place) = field.parse::<usize>() {
        let close = tokens.partner(after).filter(|_| tokens.is(after, b'('))?;
        let (mut from, to) = split_types(tokens, after + 1, close).get(place).copied()?;
        if tokens.word(from) == "pub" {
            from = if tokens.is(from + 1, b'(') { tokens.partner(from + 1)? + 1 } else { from + 1 };
        }
        return Some((from, to));
    }
    let body = tokens.find(after, tokens.len(), |at| tokens.is(at, b'{'));
    let is_field = |at: &usize| {
        tokens.word(*at) == field
            && tokens.around(*at) == Some(body)
            && tokens.is(at + 1, b':')
            && !tokens.is(at + 2, b':')
            && !tokens.is(at - 1, b':')
    };
    let at = (body + 1..tokens.len()).find(is_field)?;
    let end = end_of_type(tokens, at + 2, tokens.len(), |at| tokens.is(at, b','));
    Some((at + 2, end))
}

fn go_field(tokens: &Tokens, after: usize, field: &str) -> Option<(usize, usize)> {
    let body = tokens.find(after, tokens.len(), |at| tokens.is(at, b'{'));
    let is_end = |at: usize| {
        starts_line(tokens, at)
            || tokens.is(at, b';')
            || tokens.is(at, b'}')
            || tokens.at(at).is_some_and(|token| token.kind == TokenKind::Literal)
    };
    // An embedded type is a field with its name: `Pool`, `*Pool`, `*store.Pool`.
    let embedded_from = |at: usize| {
        let first = if tokens.is(at - 1, b'.') { at - 2 } else { at };
        let first = if tokens.is(first - 1, b'*') { first - 1 } else { first };
        (starts_line(tokens, first) && is_end(at + 1)).then_some(first)
    };
    let is_field = |at: &usize| {
        let is_listed = || tokens.is(at - 1, b',') || starts_line(tokens, *at);
        let is_named = tokens.word(*at) == field && tokens.around(*at) == Some(body);
        is_named && (is_listed() || embedded_from(*at).is_some())
    };
    let mut at = (body + 1..tokens.len()).find(is_field)?;
    if let Some(first) = embedded_from(at) {
        return Some((first, at + 1));
    }
    while tokens.is(at + 1, b',') && tokens.is_word(at + 2) {
        at += 2;
    }
    Some((at + 1, end_of_type(tokens, at + 1, tokens.len(), is_end)))
}

//! Which types extend or implement a type, directly and through others, and which methods implement a method.
//!
//! A type names its base types in its head (`bases.rs`). A type without a name, such as `new Base() { ... }`, stands in an
//! expression and is found by the name of its base type.

use rustc_hash::FxHashSet;

use super::definition::Definition;
use super::family::Family;
use super::files::{BYTES_PER_STEP, Graph, SymbolKey};
use super::mentions::RESOLVED;
use super::mixins::{bases_in, bytes_of_bases};
use super::questions::{GraphEdge, Relation, STEPS_PER_EDGE, aliases_of, definition_of};
use super::resolve::{MAX_MEANINGS, MAX_STEPS};
use super::rule::EdgeRule;
use super::syntax_facts::SyntaxFacts;
use super::uses::{FileFacts, UseRole};
use super::words::whole_words;
use spyhop_base::model::SymbolKind;
use spyhop_base::path;
use spyhop_base::text::{Lines, Span};
use spyhop_search::SearchError;

/// The most bytes before a base type that are read for a type without a name.
const MAX_BEFORE: usize = 400;

/// A type that names a base type.
struct Derived {
    own: Definition,
    /// The span of its name, or of the base type for a type without a name.
    name: Span,
    rule: EdgeRule,
    confidence: f32,
}

impl Graph<'_> {
    /// The definitions of the member `name` in the nearest types above the type `of` that have one.
    pub fn inherited_members(&self, of: &str, name: &str) -> Result<Vec<Definition>, SearchError> {
        let (mut members, minor) = (self.definitions(name)?.to_vec(), self.minor_definitions(name)?);
        members.extend(minor);
        let types = |of: &str| -> Result<Vec<u32>, SearchError> {
            Ok(self
                .definitions(of)?
                .iter()
                .filter(|own| own.kind.is_type_like())
                .map(|own| own.file)
                .collect())
        };
        let (mut wave, mut seen) = (vec![of.to_string()], FxHashSet::default());
        for _ in 0..MAX_STEPS {
            let mut bases: Vec<String> = Vec::new();
            for below in &wave {
                for file in types(below)? {
                    let above = self.base_types(file, below)?;
                    bases.extend(above.iter().filter(|base| seen.insert((*base).clone())).cloned());
                }
            }
            let is_member = |own: &&Definition| {
                let container = own.container.as_deref().and_then(|own| own.rsplit(['.', ':']).next());
                container.is_some_and(|container| bases.iter().any(|base| base == container))
            };
            let found: Vec<Definition> =
                members.iter().filter(is_member).take(MAX_MEANINGS).cloned().collect();
            if !found.is_empty() || bases.is_empty() {
                return Ok(found);
            }
            wave = bases;
        }
        Ok(Vec::new())
    }
}

impl Graph<'_> {
    /// The types that extend or implement a type, through at most `depth` others, and the methods that implement a method of such a
    /// type.
    pub fn implementations(&self, wanted: &Definition, depth: u32) -> Result<Vec<GraphEdge>, SearchError> {
        let is_member = wanted.kind.is_function() || wanted.kind.is_minor();
        let member = wanted.container.as_ref().filter(|_| is_member).map(|_| &*wanted.name);
        let mut wave = vec![self.type_of(wanted, member.is_some())?];
        let mut seen: FxHashSet<SymbolKey> = wave.iter().map(|own| (own.file, own.place)).collect();
        let mut edges = Vec::new();
        for step in 1..=depth {
            let mut next = Vec::new();
            for base in std::mem::take(&mut wave) {
                for found in self.derived(&base)? {
                    if !seen.insert((found.own.file, found.own.place)) || !self.steps.take(STEPS_PER_EDGE) {
                        continue;
                    }
                    if found.confidence < RESOLVED {
                        self.unsure_bases.set(self.unsure_bases.get() + 1);
                    }
                    edges.extend(self.implementing_edges(&found, (wanted, &base), member, step)?);
                    if found.confidence >= RESOLVED {
                        next.push(found.own);
                    }
                }
            }
            wave = next;
            if wave.is_empty() {
                break;
            }
        }
        self.unfollowed.set(self.unfollowed.get() + wave.len());
        Ok(edges)
    }

    /// The type that is asked about: `wanted` itself, or for a member the type around it.
    fn type_of(&self, wanted: &Definition, is_member: bool) -> Result<Definition, SearchError> {
        let (true, Some(container)) = (is_member, &wanted.container) else { return Ok(wanted.clone()) };
        let all = self.definitions_in(self.family(wanted.file), container)?;
        let folder = |own: &Definition| path::split(self.snapshot.path(own.file)).0;
        let types = || all.iter().filter(|own| own.kind.is_type_like());
        let here = types().find(|own| own.file == wanted.file && own.span.contains(wanted.span));
        let near = here.or_else(|| types().find(|own| folder(own) == folder(wanted)));
        let unknown = || Definition { name: container.clone(), container: None, ..wanted.clone() };
        Ok(near.cloned().unwrap_or_else(unknown))
    }

    /// The edges from a type, or from its members with a name, to what was asked about.
    fn implementing_edges(
        &self,
        found: &Derived,
        (wanted, base): (&Definition, &Definition),
        member: Option<&str>,
        depth: u32,
    ) -> Result<Vec<GraphEdge>, SearchError> {
        let to = if member.is_some() { wanted } else { base };
        let edge = |from: Definition, span: Span| GraphEdge {
            relation: Relation::Implements,
            depth,
            file: from.file,
            span,
            from: Some(from),
            to: to.clone(),
            confidence: found.confidence,
            rule: found.rule,
            is_value: false,
        };
        let Some(member) = member else { return Ok(vec![edge(found.own.clone(), found.name)]) };
        let mut members = self.members_of_type(&found.own, member)?;
        members.retain(|own| self.may_implement(own, wanted));
        let members = members.into_iter();
        Ok(members.map(|own| (self.name_of(&own), own)).map(|(name, own)| edge(own, name)).collect())
    }

    /// The types that name a type as their base type, or have the methods of an interface of Go.
    fn derived(&self, base: &Definition) -> Result<Vec<Derived>, SearchError> {
        if self.family(base.file) == Family::Go {
            let all = self.definitions_in(Family::Go, &base.name)?;
            let is_interface = |own: &&Definition| own.file == base.file && own.kind == SymbolKind::Interface;
            let Some(interface) = all.iter().find(is_interface) else { return Ok(Vec::new()) };
            let found = self.go_implementers(interface)?.into_iter();
            let derived = |(own, rule): (Definition, EdgeRule)| Derived {
                name: self.name_of(&own),
                own,
                rule,
                confidence: rule.confidence(),
            };
            return Ok(found.map(derived).collect());
        }
        let mut files = self.files_that_use(&base.name, &[base], true, &[])?;
        if !files.contains(&base.file) {
            files.push(base.file);
        }
        let mut found = Vec::new();
        for file in files {
            let Some(facts) = self.facts(file) else { continue };
            let mut names = aliases_of(&facts, &base.name);
            names.push(&base.name);
            let named = self.derived_by_name((file, &facts), &names, base, &mut found)?;
            self.derived_without_name((file, &facts), &names, (base, &named), &mut found)?;
        }
        Ok(found)
    }

    /// Adds the types of a file with a name and one of `names` in their heads. Returns where these names stand.
    fn derived_by_name(
        &self,
        (file, facts): (u32, &FileFacts),
        names: &[&str],
        base: &Definition,
        found: &mut Vec<Derived>,
    ) -> Result<Vec<u32>, SearchError> {
        let language = self.language(file);
        let has_mixes = !SyntaxFacts::of(language).mixes.is_empty();
        let mut places = Vec::new();
        for (place, symbol) in (0..).zip(facts.symbols.iter()) {
            if !self.steps.take(1 + bytes_of_bases(language, facts, place) / BYTES_PER_STEP) {
                break;
            }
            let may_derive = self.family(file).is_type(symbol.kind) || symbol.kind == SymbolKind::Impl;
            let read = match has_mixes {
                true => symbol.span,
                // With the attributes above the head.
                false => Span { start: symbol.span.start.min(symbol.signature.start), ..symbol.signature },
            };
            if !may_derive || !names.iter().any(|name| facts.at(read).contains(name)) {
                continue;
            }
            let bases = bases_in(language, facts, place);
            let Some(span) = bases.into_iter().find(|own| names.contains(&facts.at(*own))) else { continue };
            places.push(span.start);
            if let Some(confidence) = self.means_base((file, facts), span, base)? {
                let own = definition_of(file, facts, place);
                found.push(Derived { name: self.name_of(&own), own, rule: EdgeRule::Inherited, confidence });
            }
        }
        Ok(places)
    }

    /// Adds the types of a file without a name that have one of `names` as their base type, outside of the places `known`.
    fn derived_without_name(
        &self,
        (file, facts): (u32, &FileFacts),
        names: &[&str],
        (base, known): (&Definition, &[u32]),
        found: &mut Vec<Derived>,
    ) -> Result<(), SearchError> {
        let syntax = SyntaxFacts::of(self.language(file));
        let Some(pattern) = &syntax.before_anonymous else { return Ok(()) };
        for span in names.iter().flat_map(|name| whole_words(&facts.text, name)) {
            let (before, after) = (&facts.text[..span.start as usize], &facts.text[span.end as usize..]);
            let near = (before.len().saturating_sub(MAX_BEFORE)..).find(|at| before.is_char_boundary(*at));
            let near = &before[near.unwrap_or(0)..];
            if !self.steps.take(MAX_BEFORE / BYTES_PER_STEP) || known.contains(&span.start) {
                continue;
            }
            let Some(begin) = pattern.find(near) else { continue };
            let start = before.len() - near.len() + begin.start();
            let Some(end) = end_of_body(after, syntax.has_body) else { continue };
            if facts.is_skipped(span) {
                continue;
            }
            let Some(confidence) = self.means_base((file, facts), span, base)? else { continue };
            let whole = Span { start: start as u32, end: span.end + end as u32 };
            let around = facts.use_at(span).owner.and_then(|at| facts.symbols.get(at as usize));
            let own = Definition {
                file,
                // A place that no symbol has.
                place: u32::MAX - whole.start,
                name: format!("anonymous {}", base.name).into(),
                container: around.map(|own| (&*own.name).into()),
                kind: SymbolKind::Class,
                lines: Lines {
                    first: facts.lines.line_of(whole.start),
                    last: facts.lines.line_of(whole.end),
                },
                span: whole,
            };
            found.push(Derived { own, name: span, rule: EdgeRule::Inherited, confidence });
        }
        Ok(())
    }

    /// The confidence with which a name means the type `base`; `None` if the name means something else.
    fn means_base(
        &self,
        (file, facts): (u32, &FileFacts),
        span: Span,
        base: &Definition,
    ) -> Result<Option<f32>, SearchError> {
        let mut used = facts.use_at(span);
        used.role = UseRole::Type;
        let judgement = self.known_judgement(file, facts, &used)?;
        let is_it = |own: &Definition| own.file == base.file && own.name == base.name;
        let most = EdgeRule::Inherited.confidence();
        if let Some(meaning) = judgement.meanings.iter().find(|meaning| is_it(&meaning.definition)) {
            let is_only = judgement.meanings.iter().all(|meaning| is_it(&meaning.definition));
            // No imports of these languages say which of several types of one name is meant.
            let has_imports = !matches!(self.family(file), Family::C | Family::Other(_));
            let is_sure = is_only && (judgement.decided.is_some() || !has_imports);
            return Ok(Some(if is_sure { most } else { meaning.confidence.min(most) }));
        }
        let is_open = judgement.decided.is_none() && judgement.meanings.is_empty();
        Ok(is_open.then_some(EdgeRule::Ambiguous.confidence()))
    }

    /// The members with a name of a type, fields included.
    fn members_of_type(&self, of: &Definition, name: &str) -> Result<Vec<Definition>, SearchError> {
        let family = self.family(of.file);
        let mut all: Vec<Definition> = self.definitions_in(family, name)?.iter().cloned().collect();
        if !self.steps.take(all.len() * 10) {
            return Ok(Vec::new());
        }
        if family != Family::Go {
            let minor = self.minor_symbols(of.file)?.into_iter();
            let known: FxHashSet<SymbolKey> = all.iter().map(|own| (own.file, own.place)).collect();
            all.extend(minor.filter(|own| &*own.name == name && !known.contains(&(own.file, own.place))));
        }
        let folder = |file: u32| path::split(self.snapshot.path(file)).0;
        let is_anonymous = self.facts(of.file).is_some_and(|facts| of.place as usize >= facts.symbols.len());
        all.retain(|own| match is_anonymous {
            true => own.file == of.file && of.span.contains(own.span),
            false if own.container.as_deref() != Some(&*of.name) => false,
            false if family == Family::Go => folder(own.file) == folder(of.file),
            false => own.file == of.file,
        });
        all.truncate(MAX_MEANINGS);
        Ok(all)
    }

    /// The span of the name of a symbol, or that of its first byte.
    fn name_of(&self, own: &Definition) -> Span {
        let start = own.span.start as usize;
        let name = self.facts(own.file).and_then(|facts| facts.name_of(own.place));
        name.unwrap_or(Span::new(start, start + 1))
    }
}

/// The end of the body of a type without a name, in the text behind the name of its base type: behind the arguments of the type
/// and of its constructor. Without a body, `None` if one `is_needed`.
fn end_of_body(after: &str, is_needed: bool) -> Option<usize> {
    // The elements of an array: `new Base[] { ... }`.
    if after.trim_start().starts_with('[') {
        return None;
    }
    let (mut depth, mut has_opened) = (0i32, false);
    for (at, c) in after.char_indices() {
        match c {
            '>' if after[..at].ends_with(['-', '=']) => {}
            '(' | '<' | '[' => depth += 1,
            ')' | '>' | ']' => depth -= 1,
            '{' if depth == 0 || has_opened => (depth, has_opened) = (depth + 1, true),
            '{' => depth += 1,
            '}' => depth -= 1,
            c if depth == 0 && is_needed && !c.is_whitespace() => return None,
            ';' if depth == 0 => return None,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
        if has_opened && depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_end_with_their_brace() {
        let check = |after: &str, expected: Option<&str>| {
            let found = end_of_body(after, true).map(|end| &after[..end]);
            assert_eq!(found, expected, "{after}");
        };
        check("<T>(1, f(2)) { int x() { return 1; } }.run()", Some("<T>(1, f(2)) { int x() { return 1; } }"));
        check("(1);", None);
        check("[] {1, 2}", None);
        check("() -> 1", None);
    }
}

//! The types of values that are written with brackets: literals, objects that are made, lists, and choices among cases; what an alias
//! stands for, and the constants of enumerations.

use super::known::TypedExpression;
use super::operands::{before_arguments, first_of_path};
use super::site::Site;
use super::sources::called_before;
use super::written::{Form, LIST, OBJECT, WrittenType, written};
use crate::definition::Definition;
use crate::family::Family;
use crate::files::Graph;
use crate::generics::called_at;
use crate::receiver_text::last_bytes;
use crate::resolve::Question;
use crate::syntax_facts::SyntaxFacts;
use spyhop_base::model::SymbolKind;
use spyhop_base::text::Span;
use spyhop_search::SearchError;

/// The most values of a mapping that are looked at.
const MAX_VALUES: usize = 8;

impl Graph<'_> {
    /// A literal of a struct that ends with the brace at `close`.
    pub(super) fn literal(&self, site: &Site<'_>, close: usize) -> Result<TypedExpression, SearchError> {
        let tokens = &site.item.tokens;
        let Some(open) = tokens.partner(close).filter(|open| *open > 0) else { return Ok(None) };
        let home = (self.family(site.file), site.file);
        if home.0 == Family::Web {
            let object = WrittenType::new(site.file, OBJECT).placed(site.item.byte_of(open));
            return Ok(Some((vec![object], open)));
        }
        if home.0.has_scopes() {
            return Ok(Some((self.mapping(site, (open, close))?, open)));
        }
        if site.syntax().trailing
            && let Some((called, _)) = called_before(tokens, open - 1)
        {
            return self.call_of(site, called, (open, close));
        }
        if home.0.calls_without_signs() {
            return Ok(Some((self.mapping(site, (open, close))?, open)));
        }
        if let Some(types) = self.of_cases(site, (open, close))? {
            return Ok(Some(types));
        }
        if tokens.is(open - 1, b')') {
            // The body of an anonymous class, or the values of fields behind a constructor.
            return if site.is_go_or_rust() { Ok(None) } else { self.ending_at(site, open - 1) };
        }
        let structure = tokens.partner(open - 1).filter(|own| *own > 0 && tokens.word(own - 1) == "struct");
        let last = if let Some(own) = structure {
            Some(own - 1)
        } else if tokens.is(open - 1, b'>') {
            before_arguments(home.0, tokens, open - 1)
        } else {
            Some(open - 1)
        };
        let Some(last) = last.filter(|last| tokens.is_word(*last)) else { return Ok(None) };
        let mut first = first_of_path(home.0, tokens, last);
        while first > 1 && tokens.is(first - 1, b'.') && tokens.is_word(first - 2) {
            first -= 2;
        }
        if first > 1 && tokens.is(first - 1, b'*') && tokens.is(first - 2, b']') {
            first -= 1;
        }
        let has_new = !site.is_go_or_rust() && first > 0 && tokens.word(first - 1) == "new";
        if has_new {
            return Ok(Some((self.made(site, (first, open)), first - 1)));
        }
        if first > 0 && tokens.is(first - 1, b']') {
            first = tokens.partner(first - 1).unwrap_or(first);
            first = if first > 0 && tokens.word(first - 1) == "map" { first - 1 } else { first };
        }
        let mut types = written(home, &site.item, first, open);
        self.replace_self(site, &mut types);
        Ok(Some((types, first)))
    }

    /// The members with the name of a use that the base type of the type without a name around the use has; `None` without such a type.
    pub(crate) fn members_of_nameless(
        &self,
        question: &Question<'_>,
    ) -> Result<Option<Vec<Definition>>, SearchError> {
        let text = &question.facts.text;
        let pattern = SyntaxFacts::of(self.language(question.file)).before_anonymous.as_ref();
        let item = pattern.and_then(|_| self.item(question.file, Span::new(0, text.len())));
        let (Some(pattern), Some(item)) = (pattern, item) else { return Ok(None) };
        let tokens = &item.tokens;
        let at = item.index_at(question.used.span.start);
        let blocks = std::iter::successors(tokens.around(at), |open| tokens.around(*open));
        for open in blocks.filter(|open| tokens.is(*open, b'{') && *open > 0) {
            let list = tokens.partner(open - 1).filter(|_| tokens.is(open - 1, b')'));
            let Some(name) = called_at(question.family, tokens, list.unwrap_or(open)) else { continue };
            let before = last_bytes(&text[..item.byte_of(name) as usize]);
            if pattern.is_match(before) {
                let base = WrittenType::new(question.file, tokens.word(name));
                return Ok(Some(self.members_of(None, &base, question.name)?));
            }
        }
        Ok(None)
    }

    /// The types of a choice among cases in braces, and of a copy with changes: `pool switch { ... }` and `pool with { ... }` of C#,
    /// `match (pool) { ... }`.
    fn of_cases(
        &self,
        site: &Site<'_>,
        (open, close): (usize, usize),
    ) -> Result<Option<(Vec<WrittenType>, usize)>, SearchError> {
        let tokens = &site.item.tokens;
        let word = tokens.word(open - 1);
        let head = tokens.partner(open - 1).filter(|_| tokens.is(open - 1, b')'));
        let head =
            head.filter(|head| *head > 0 && matches!(tokens.word(head - 1), "match" | "switch" | "when"));
        let first = match head {
            Some(head) => head - 1,
            None if site.language == "csharp" && matches!(word, "switch" | "with") && open > 1 => {
                let Some((types, first)) = self.ending_at(site, open - 2)? else { return Ok(None) };
                if word == "with" {
                    return Ok(Some((types, first)));
                }
                first
            }
            None => return Ok(None),
        };
        let is_arrow = |at: &usize| {
            tokens.around(*at) == Some(open) && ["=>", "->"].iter().any(|sign| tokens.is_operator(*at, sign))
        };
        for arrow in (open..close).filter(is_arrow) {
            let is_line =
                |at: usize| tokens.at(at).is_some_and(|token| token.indent.is_some()) && !tokens.is(at, b'.');
            let ends =
                |at: usize| tokens.is(at, b',') || tokens.is(at, b';') || at > arrow + 2 && is_line(at);
            let types = self.in_range(site, arrow + 2, tokens.find(arrow + 2, close, ends))?;
            // `null` is not the type of the others.
            if !self.are_basic(site.file, &types) {
                return Ok(Some((types, first)));
            }
        }
        Ok(Some((Vec::new(), first)))
    }

    /// The types of an object that is made of the type `from..to` behind the word `new`: in C++ a pointer to it.
    pub(super) fn made(&self, site: &Site<'_>, (from, to): (usize, usize)) -> Vec<WrittenType> {
        let mut types = written((self.family(site.file), site.file), &site.item, from, to);
        if site.syntax().pointers {
            types.iter_mut().for_each(|own| own.form = Form::Pointer);
        }
        types
    }

    /// The types of a mapping in braces of Python or Ruby whose values are of one type: `{"a": Pool()}`, `{ a: Pool.new }`.
    fn mapping(
        &self,
        site: &Site<'_>,
        (open, close): (usize, usize),
    ) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let mut held: Option<Vec<WrittenType>> = None;
        for (from, to) in tokens.split(open + 1, close).into_iter().take(MAX_VALUES) {
            let sign = tokens.find(from, to, |at| tokens.is(at, b':') || tokens.is_operator(at, "=>"));
            let value = if tokens.is(sign, b':') { sign + 1 } else { sign + 2 };
            let types = if value < to { self.in_range(site, value, to)? } else { Vec::new() };
            if held.as_ref().is_some_and(|held| *held != types) {
                held = None;
                break;
            }
            held = Some(types);
        }
        let outside = || self.family(site.file).has_scopes().then(WrittenType::outside).into_iter().collect();
        let held = held.unwrap_or_default().into_iter().find(|own| !own.is_outside());
        let mapping =
            |held| WrittenType::new(site.file, "map").with(vec![WrittenType::new(site.file, ""), held]);
        Ok(held.map_or_else(outside, |held| vec![mapping(held)]))
    }

    /// The types of the list of values in brackets, whose first element tells the type of all.
    pub(super) fn listed(
        &self,
        site: &Site<'_>,
        (open, close): (usize, usize),
    ) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let has_scopes = self.family(site.file).has_scopes();
        let first = tokens.split(open + 1, close).first().copied();
        let first =
            first.filter(|_| has_scopes || matches!(site.language, "php" | "ruby" | "rust" | "swift"));
        // A list with keys of PHP, and one of Rust that repeats its element.
        let first = first.map(|(from, to)| {
            let arrow = tokens.find(from, to, |at| tokens.is_operator(at, "=>"));
            (if arrow < to { arrow + 2 } else { from }, tokens.find(from, to, |at| tokens.is(at, b';')))
        });
        let mut held = first.map_or(Ok(Vec::new()), |(from, to)| self.in_range(site, from, to))?;
        held.retain(|own| !own.is_outside());
        Ok(match held.is_empty() {
            true => has_scopes.then(WrittenType::outside).into_iter().collect(),
            false => vec![WrittenType::new(site.file, LIST).with(held.into_iter().take(1).collect())],
        })
    }

    /// The types that an alias stands for, in languages in which it has no members of its own; else the type itself.
    pub(super) fn unaliased(&self, own: &WrittenType) -> Result<Vec<WrittenType>, SearchError> {
        let has_aliases = own.file != u32::MAX
            && matches!(self.language(own.file), "c" | "cpp" | "objc" | "kotlin" | "swift" | "rust");
        let definitions = if has_aliases { self.type_definitions(own)? } else { Vec::new() };
        let Some(alias) = definitions.first().filter(|own| own.kind == SymbolKind::Type) else {
            return Ok(vec![own.clone()]);
        };
        let meant = self.with_arguments(self.aliased(alias), alias, own);
        Ok(if meant.is_empty() { vec![own.clone()] } else { meant })
    }

    /// Whether an enumeration of Java or Kotlin has a constant with a name.
    pub(super) fn has_constant(&self, holder: &Definition, name: &str) -> bool {
        let is_listed =
            matches!(self.language(holder.file), "java" | "kotlin") && holder.kind == SymbolKind::Enum;
        let item =
            self.item(holder.file, holder.span).filter(|_| is_listed && name.starts_with(char::is_uppercase));
        item.is_some_and(|item| {
            let tokens = &item.tokens;
            let is_it = |at: &usize| {
                let is_behind = [b'{', b',', b')', b']'].iter().any(|sign| tokens.is(at - 1, *sign));
                let is_before = [b',', b';', b'(', b'{', b'}'].iter().any(|sign| tokens.is(at + 1, *sign));
                let is_inner = tokens.around(*at).is_some_and(|open| tokens.around(open).is_none());
                tokens.word(*at) == name && is_behind && is_before && is_inner
            };
            (1..tokens.len()).any(|at| is_it(&at))
        })
    }
}

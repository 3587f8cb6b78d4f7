//! The uses of names in one file: where, by which symbol, with which receiver.

use std::cell::LazyCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::arguments::is_called;
use super::blocks::BlockNesting;
use super::callables::callable;
use super::constructor_words::{constructor_calls, is_base_called};
use super::cpp_roles::{connected, emitted, role_of};
use super::family::{CSHARP, Family};
use super::imports::Imports;
use super::macros::calls_in_macros;
pub(super) use super::receiver_text::Receiver;
use super::receiver_text::{is_word, last_bytes, receiver_before};
use super::syntax_facts::SyntaxFacts;
pub(super) use super::use_role::UseRole;
use super::words::{is_skipped, mark_at, skipped, whole_words, words_where};
use spyhop_base::model::{Analysis, Reference, ReferenceRole, Symbol, SymbolKind};
use spyhop_base::text::{LineIndex, Span};
use spyhop_index::meta::{Details, Outline, OutlineSymbol, StoredUse, StoredUses};

#[derive(Clone, Debug)]
pub(super) struct NameUse {
    pub span: Span,
    pub role: UseRole,
    /// The innermost symbol around the use, as an index into the symbols of the file.
    pub owner: Option<u32>,
    pub receiver: Receiver,
}

/// What stands at a place of the text where a name occurs.
pub(super) enum NameAt {
    /// The name of a definition, by its place among the symbols.
    Definition(u32),
    /// A use of the name.
    Use(NameUse),
    /// A key of an object, or the name of an argument.
    Key(NameUse),
    /// A comment.
    Comment,
    /// A string literal, with the text between its beginning and the name.
    Literal(Span),
}

/// The most fields and variants that begin before a word and may have the word as their name.
const MAX_MINOR_AROUND: usize = 64;

/// A value that is made when it is first used.
pub(super) type Lazy<T> = LazyCell<T, Box<dyn FnOnce() -> T>>;

/// The text, the symbols, the uses and the imports of one file.
pub(super) struct FileFacts {
    pub text: Arc<String>,
    pub lines: Lazy<LineIndex>,
    pub symbols: Arc<Vec<Symbol>>,
    /// The fields and variants that only look-ups by name find. Their places come after those of the symbols.
    pub minor: Vec<Symbol>,
    /// All uses. Questions about a name ask for [`FileFacts::uses_named`], which costs less.
    pub uses: Lazy<Vec<NameUse>>,
    pub imports: Lazy<Imports>,
    pub blocks: Lazy<BlockNesting>,
    /// The places of symbols by their names.
    pub symbols_by_name: Lazy<FxHashMap<Box<str>, Vec<u32>>>,
    recorded: Arc<Vec<RecordedUse>>,
    /// The comments, and the text of a page around its code.
    comments: Arc<Vec<Span>>,
    /// The text of a page around its code, as that of ERB and Blade.
    page: Vec<Span>,
    /// The comments and the string literals.
    skipped: Lazy<Vec<Span>>,
    family: Family,
    /// The calls in the arguments of macros (Rust), those behind a word that only looks like a type (C++), and those of constructors by
    /// a word such as `super`.
    in_macros: Lazy<Vec<Reference>>,
}

/// The uses of a file as recorded: stored in the index, or from an analysis.
#[derive(Clone, Copy)]
enum RecordedUse {
    Stored(StoredUse),
    Analyzed(Reference),
}

impl RecordedUse {
    fn start(&self) -> u32 {
        match self {
            RecordedUse::Stored(used) => used.start,
            RecordedUse::Analyzed(reference) => reference.span.start,
        }
    }

    fn reference(&self, text: &str) -> Reference {
        match *self {
            RecordedUse::Stored(used) => Reference { span: used.span(text), role: used.role },
            RecordedUse::Analyzed(reference) => reference,
        }
    }
}

impl FileFacts {
    /// The facts of a file with this text, from what the index holds.
    pub fn stored(
        language: &'static str,
        text: Arc<String>,
        (outline, details): (&Outline<'_>, &Details<'_>),
        stored: StoredUses,
        page: Vec<Span>,
    ) -> FileFacts {
        let symbol = |symbol: &OutlineSymbol<'_>| Symbol {
            name: symbol.name.into(),
            kind: symbol.kind,
            span: symbol.span,
            lines: symbol.lines,
            container: symbol.container.map(Box::from),
            parent: symbol.parent,
            signature: symbol.span,
        };
        let mut symbols: Vec<Symbol> = outline.symbols.iter().map(symbol).collect();
        for signature in &stored.signatures {
            if let Some(symbol) = symbols.get_mut(signature.symbol as usize) {
                let start = symbol.span.start.saturating_add(signature.skipped);
                symbol.signature = Span { start, end: start.saturating_add(signature.len) };
            }
        }
        let recorded = stored.uses.into_iter().map(RecordedUse::Stored).collect();
        let minor = details.minor.iter().map(symbol).collect();
        FileFacts::new(language, text, (symbols, minor), recorded, (stored.comments, page))
    }

    pub(crate) fn analyzed(
        language: &'static str,
        text: Arc<String>,
        analysis: Analysis,
        page: Vec<Span>,
    ) -> FileFacts {
        let Analysis { symbols, minor, references, comments, .. } = analysis;
        let recorded = references.into_iter().map(RecordedUse::Analyzed).collect();
        FileFacts::new(language, text, (symbols, minor), recorded, (comments, page))
    }

    fn new(
        language: &'static str,
        text: Arc<String>,
        (symbols, minor): (Vec<Symbol>, Vec<Symbol>),
        recorded: Vec<RecordedUse>,
        (mut comments, page): (Vec<Span>, Vec<Span>),
    ) -> FileFacts {
        let (family, mut recorded) = (Family::of_language(language), recorded);
        if !page.is_empty() {
            // Scripts and styles of a page are in languages of other families.
            recorded
                .retain(|used| !is_skipped(&page, Span::new(used.start() as usize, used.start() as usize)));
            comments = joined(comments, &page);
        }
        let (symbols, recorded, comments) = (Arc::new(symbols), Arc::new(recorded), Arc::new(comments));
        let macros = {
            let (text, comments) = (text.clone(), comments.clone());
            move || match family {
                Family::Rust => calls_in_macros(&text, &comments),
                Family::C => emitted(&text, &comments),
                _ => constructor_calls(family, &text, &comments),
            }
        };
        let (lines, imports, blocks) = (text.clone(), text.clone(), text.clone());
        FileFacts {
            lines: LazyCell::new(Box::new(move || LineIndex::new(&lines))),
            imports: LazyCell::new(Box::new(move || Imports::of(family, &imports))),
            blocks: LazyCell::new(Box::new(move || BlockNesting::of(&blocks))),
            symbols_by_name: {
                let symbols = symbols.clone();
                LazyCell::new(Box::new(move || {
                    let mut by_name: FxHashMap<Box<str>, Vec<u32>> = FxHashMap::default();
                    for (place, symbol) in (0..).zip(symbols.iter()) {
                        by_name.entry(symbol.name.clone()).or_default().push(place);
                    }
                    by_name
                }))
            },
            uses: {
                let (text, symbols, recorded) = (text.clone(), symbols.clone(), recorded.clone());
                let comments = comments.clone();
                let macros = macros.clone();
                LazyCell::new(Box::new(move || {
                    let all = recorded.iter().map(|reference| reference.reference(&text)).chain(macros());
                    in_order(all.filter(|reference| !is_in_module_path(&text, reference)).collect())
                        .into_iter()
                        .map(|reference| name_use(family, &text, &symbols, &comments, reference))
                        .collect()
                }))
            },
            in_macros: LazyCell::new(Box::new(macros)),
            skipped: {
                let (text, comments) = (text.clone(), comments.clone());
                LazyCell::new(Box::new(move || skipped(language, &text, &comments)))
            },
            text,
            symbols,
            minor,
            recorded,
            comments,
            page,
            family,
        }
    }

    /// The recorded uses of exactly these names, in order.
    pub(crate) fn uses_named(&self, names: &[&str]) -> Vec<NameUse> {
        let mut found: Vec<Reference> = Vec::new();
        for name in names.iter().filter(|name| !name.is_empty()) {
            for at in memchr::memmem::find_iter(self.text.as_bytes(), name.as_bytes()) {
                let span = Span::new(at, at + name.len());
                let before = found.len();
                found.extend(self.recorded_at(span.start).filter(|reference| reference.span == span));
                let may_be_in_macro = matches!(self.family, Family::C | Family::Rust | Family::Jvm | CSHARP)
                    && found.len() == before
                    && self.text.as_bytes().get(span.end as usize) == Some(&b'(');
                if may_be_in_macro {
                    let next = self.in_macros.partition_point(|reference| reference.span.start < span.start);
                    found.extend(self.in_macros.get(next).filter(|reference| reference.span == span));
                }
            }
        }
        in_order(found)
            .into_iter()
            .map(|reference| name_use(self.family, &self.text, &self.symbols, &self.comments, reference))
            .collect()
    }

    /// The recorded uses that begin at a byte.
    fn recorded_at(&self, start: u32) -> impl Iterator<Item = Reference> + '_ {
        let next = self.recorded.partition_point(|reference| reference.start() < start);
        let there = self.recorded[next..].iter().take_while(move |reference| reference.start() == start);
        let references = there.map(|reference| reference.reference(&self.text));
        references.filter(|reference| !is_in_module_path(&self.text, reference))
    }

    /// The facts of a file that need no analysis: its text and its imports.
    pub(crate) fn without_analysis(language: &'static str, text: Arc<String>) -> FileFacts {
        FileFacts::new(language, text, Default::default(), Vec::new(), Default::default())
    }

    pub(crate) fn use_at(&self, span: Span) -> NameUse {
        NameUse {
            span,
            role: UseRole::Mention,
            owner: innermost(&self.symbols, span),
            receiver: receiver_at(self.family, &self.text, &self.comments, span.start as usize),
        }
    }

    /// The mentions of `name` that the analysis has not recorded as uses.
    pub fn mentions(&self, family: Family, name: &str) -> Vec<NameUse> {
        let mut found = whole_words(&self.text, name);
        if family == Family::Other("php") {
            // A field of a class: `Pool::$size`.
            let fields = whole_words(&self.text, &format!("${name}")).into_iter();
            found.extend(
                fields
                    .map(|own| Span { start: own.start + 1, end: own.end })
                    .filter(|own| self.text[..own.start as usize].ends_with("::$")),
            );
        }
        found.retain(|span| self.recorded_at(span.start).next().is_none());
        // Literals are looked for only if they may matter.
        if !found.is_empty() {
            found.retain(|span| !is_skipped(&self.skipped, *span) || self.callable_at(*span).is_some());
        }
        self.unrecorded(family, found)
    }

    /// The mentions in a part of the text of names that `takes` chooses, which the analysis has not recorded as uses.
    pub(crate) fn mentions_where(
        &self,
        family: Family,
        part: Span,
        takes: impl FnMut(&str) -> bool,
    ) -> Vec<NameUse> {
        self.unrecorded(family, words_where(family, &self.text, part, &self.skipped, takes))
    }

    fn unrecorded(&self, family: Family, mut found: Vec<Span>) -> Vec<NameUse> {
        found.retain(|span| {
            let in_macro = || {
                let next = self.in_macros.partition_point(|reference| reference.span.start < span.start);
                self.in_macros.get(next).is_some_and(|reference| reference.span.start == span.start)
            };
            self.recorded_at(span.start).next().is_none()
                && !in_macro()
                && !self.is_part_of_name(*span)
                && !self.is_defining_name(*span, self.at(*span))
                && !self.is_key(family, *span)
        });
        let new = |span| NameUse {
            span,
            role: self.role_of_mention(span),
            owner: innermost(&self.symbols, span),
            receiver: self
                .callable_at(span)
                .unwrap_or_else(|| receiver_at(family, &self.text, &self.comments, span.start as usize)),
        };
        found.into_iter().map(new).collect()
    }

    /// What stands at the `span` of a whole word. With `has_literals`, a word between quotes is no use.
    pub(crate) fn name_at(&self, span: Span, has_literals: bool) -> NameAt {
        if let Some(place) = self.defined_at(span) {
            return NameAt::Definition(place);
        }
        let macros = || {
            let next = self.in_macros.partition_point(|reference| reference.span.start < span.start);
            self.in_macros.get(next).copied()
        };
        let recorded = self.recorded_at(span.start).find(|reference| reference.span == span);
        if let Some(reference) = recorded.or_else(|| macros().filter(|reference| reference.span == span)) {
            return NameAt::Use(name_use(self.family, &self.text, &self.symbols, &self.comments, reference));
        }
        if is_skipped(&self.comments, span) {
            return NameAt::Comment;
        }
        let next =
            if has_literals { self.skipped.partition_point(|skipped| skipped.end <= span.start) } else { 0 };
        if let Some(literal) =
            self.skipped.get(next).filter(|literal| has_literals && literal.start <= span.start)
        {
            return match self.callable_at(span) {
                Some(receiver) => NameAt::Use(NameUse { receiver, ..self.use_at(span) }),
                None => NameAt::Literal(Span { start: literal.start, end: span.start }),
            };
        }
        let used = NameUse { role: self.role_of_mention(span), ..self.use_at(span) };
        if self.is_key(self.family, span) { NameAt::Key(used) } else { NameAt::Use(used) }
    }

    /// The receiver of the function that a text in quotes names for a call.
    fn callable_at(&self, span: Span) -> Option<Receiver> {
        let syntax = SyntaxFacts::of(self.family.language()?);
        callable(&self.text, span, &syntax.callables)
    }

    /// Whether the symbol of Ruby at `span` names a method of the type around, as in `before_action :check`.
    fn names_method(&self, span: Span) -> bool {
        let (before, after) = (&self.text[..span.start as usize], &self.text[span.end as usize..]);
        let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
        let naming = self.family.language().and_then(|language| SyntaxFacts::of(language).naming.as_ref());
        before.ends_with(':') && !after.starts_with(':') && naming.is_some_and(|naming| naming.is_match(line))
    }

    /// Whether a word is the beginning of a longer name: `empty` of Ruby's `empty?`.
    pub(crate) fn is_part_of_name(&self, span: Span) -> bool {
        self.family.calls_without_signs()
            && !self.at(span).ends_with(['?', '!'])
            && mark_at(&self.text, span.end as usize) > 0
    }

    /// The role of a use that the analysis has not recorded.
    fn role_of_mention(&self, span: Span) -> UseRole {
        let before = &self.text[..span.start as usize];
        match self.family {
            // A variable of an object is no call.
            // A class is called by its constructor.
            family if family.calls_without_signs() && self.at(span).starts_with(char::is_uppercase) => {
                let is_called = self.text[span.end as usize..].starts_with('(');
                if is_called || is_made(&self.text, span) { UseRole::Call } else { UseRole::Mention }
            }
            family if family.calls_without_signs() => match before.ends_with(['@', '$', ':']) {
                true => UseRole::Mention,
                false => UseRole::Call,
            },
            Family::C if !self.is_in_import(span) => {
                let owner = innermost(&self.symbols, span).map(|at| &self.symbols[at as usize]);
                role_of(&self.text, span, UseRole::Mention, owner)
            }
            family if self.is_in_import(span) || family == Family::Web && is_in_export_list(before) => {
                UseRole::Import
            }
            // A call in a macro.
            Family::Rust if is_called(&self.text[span.end as usize..]) => UseRole::Call,
            _ => UseRole::Mention,
        }
    }

    /// Whether a word is in the text of a page around its code.
    pub(crate) fn is_in_page(&self, span: Span) -> bool {
        is_skipped(&self.page, span)
    }

    pub fn comments(&self) -> &[Span] {
        &self.comments
    }

    /// Whether the name at `span` is that of a definition.
    fn is_defining_name(&self, span: Span, name: &str) -> bool {
        around(&self.symbols, innermost(&self.symbols, span))
            .any(|symbol| &*symbol.name == name && self.is_name_of(symbol, span))
            || self.minor_at(span).is_some()
    }

    /// The place of the field or variant whose name is the word at `span`.
    fn minor_at(&self, span: Span) -> Option<u32> {
        let begun = self.minor.partition_point(|symbol| symbol.span.start <= span.start);
        let near = begun.saturating_sub(MAX_MINOR_AROUND)..begun;
        let is_it = |symbol: &Symbol| &*symbol.name == self.at(span) && self.is_name_of(symbol, span);
        let found = near.rev().find(|at| is_it(&self.minor[*at]))?;
        Some((self.symbols.len() + found) as u32)
    }

    /// The symbol in a place, as [`FileFacts::name_at`] gives it.
    pub(crate) fn symbol_at(&self, place: u32) -> &Symbol {
        let place = place as usize;
        self.symbols.get(place).unwrap_or_else(|| &self.minor[place - self.symbols.len()])
    }

    /// Whether the word at `span` is the name of a symbol.
    fn is_name_of(&self, symbol: &Symbol, span: Span) -> bool {
        symbol.signature.contains(span)
            && self.name_in(symbol, self.at(span)).is_some_and(|name| name.start == span.start)
    }

    /// The place of `name` in the signature of the symbol that has this name: the first word that is not recorded as a type, as the
    /// second `pool` of `struct pool pool`, and that no member of it follows, as the second `Pool` of `Pool::Pool()`.
    fn name_in(&self, symbol: &Symbol, name: &str) -> Option<Span> {
        let head = self.at(symbol.signature);
        let mut words = whole_words(head, name);
        if words.is_empty() {
            // Variables of PHP begin with a sign.
            let with_sign = whole_words(head, &format!("${name}")).into_iter();
            words.extend(with_sign.map(|word| Span { start: word.start + 1, end: word.end }));
        }
        let words = words.into_iter().map(|word| Span {
            start: symbol.signature.start + word.start,
            end: symbol.signature.start + word.end,
        });
        let mut words = words.peekable();
        let first = words.peek().copied();
        let is_type = |word: &Span| {
            !symbol.kind.is_type_like()
                && self.recorded_at(word.start).any(|used| used.role == ReferenceRole::Type)
        };
        let is_path = |word: &Span| self.text[word.end as usize..].starts_with("::");
        words.find(|word| !is_type(word) && !is_path(word)).or(first)
    }

    /// The span of the name of the symbol in a place, as [`FileFacts::name_at`] gives the place.
    pub(super) fn name_of(&self, place: u32) -> Option<Span> {
        let place = place as usize;
        let symbol = self.symbols.get(place).or_else(|| self.minor.get(place - self.symbols.len()))?;
        self.name_in(symbol, &symbol.name)
    }

    /// Whether a word begins in a comment or in a string literal.
    pub(super) fn is_skipped(&self, span: Span) -> bool {
        is_skipped(&self.skipped, span)
    }

    /// The symbol whose name is the word at `span`. A block of an implementation uses the name of its type.
    fn defined_at(&self, span: Span) -> Option<u32> {
        let mut above =
            std::iter::successors(innermost(&self.symbols, span), |at| self.symbols[*at as usize].parent);
        above
            .find(|at| {
                let symbol = &self.symbols[*at as usize];
                let is_item = !matches!(
                    symbol.kind,
                    SymbolKind::Impl | SymbolKind::Doc | SymbolKind::Block | SymbolKind::Text
                );
                is_item && &*symbol.name == self.at(span) && self.is_name_of(symbol, span)
            })
            .or_else(|| self.minor_at(span))
    }

    /// Whether the name at `span` is a key or the name of an argument: `name=value` in a call, `name: value` in an object.
    fn is_key(&self, family: Family, span: Span) -> bool {
        let after = self.text[span.end as usize..].trim_start_matches([' ', '\t']);
        match family {
            Family::Python => {
                let before = self.text[..span.start as usize].trim_end();
                after.starts_with('=') && !after.starts_with("==") && before.ends_with(['(', ','])
            }
            Family::Web => {
                let before = self.text[..span.start as usize].trim_end();
                let is_label = before.strip_suffix("case").is_some_and(|rest| !rest.ends_with(is_word));
                // The value of a condition: `a ? b : c`.
                let is_value = is_label || before.ends_with(['?', '.', '&', '|', '!', '+', '-']);
                (after.starts_with(':') || after.starts_with("?:")) && !is_value
            }
            // A symbol, which names a method or anything else.
            family if family.calls_without_signs() => {
                let (before, after) = (&self.text[..span.start as usize], &self.text[span.end as usize..]);
                (before.ends_with(':') && !before.ends_with("::") && !self.names_method(span))
                    || (after.starts_with(':') && !after.starts_with("::"))
            }
            _ => false,
        }
    }

    /// Whether a name of Python is a part of the module in an import: `pool` of `from shop.pool import take`.
    pub(super) fn is_module_part(&self, span: Span) -> bool {
        let has_word = |text: &str| text.split(|c| !is_word(c)).any(|word| word == "import");
        self.family == Family::Python
            && self.is_in_import(span)
            && self.text_from_import(span).is_some_and(|text| match text.trim_start().starts_with("from") {
                true => !has_word(text),
                // `import shop.pool as pool`.
                false => !text.trim_end().ends_with(" as"),
            })
    }

    /// The text from the last import before a span up to the span.
    fn text_from_import(&self, span: Span) -> Option<&str> {
        let next = self.imports.partition_point(|import| import.start <= span.start);
        let import = &self.imports[next.checked_sub(1)?];
        self.text.get(import.start as usize..span.start as usize)
    }

    /// Whether a span is in the statement of an import.
    fn is_in_import(&self, span: Span) -> bool {
        let Some(between) = self.text_from_import(span) else { return false };
        // An import ends with a semicolon, or with its line outside of brackets.
        let mut depth = 0;
        between.len() < 4_000
            && between.bytes().all(|byte| {
                depth += i32::from(matches!(byte, b'{' | b'(')) - i32::from(matches!(byte, b'}' | b')'));
                byte != b';' && (byte != b'\n' || depth > 0)
            })
    }

    pub fn at(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The name of the type around a symbol or use: the container of `owner`, or `owner` itself if it is a type.
    pub(crate) fn type_around(&self, owner: Option<u32>) -> Option<&str> {
        let mut at = owner;
        while let Some(symbol) = at.and_then(|index| self.symbols.get(index as usize)) {
            // The container of a function inside of a function is that function.
            let parent = symbol.parent.and_then(|parent| self.symbols.get(parent as usize));
            let is_inner =
                symbol.kind.is_function() && parent.is_some_and(|parent| parent.kind.is_function());
            if let Some(container) = symbol.container.as_ref().filter(|_| !is_inner) {
                return Some(container);
            }
            if symbol.kind.is_type_like() || symbol.kind == SymbolKind::Impl {
                return Some(&symbol.name);
            }
            at = symbol.parent;
        }
        None
    }
}

/// Two lists of spans as one, in order. Spans that touch are one.
fn joined(mut spans: Vec<Span>, more: &[Span]) -> Vec<Span> {
    spans.extend(more);
    spans.sort_unstable_by_key(|span| span.start);
    spans.dedup_by(|next, before| {
        let touches = next.start <= before.end;
        before.end = if touches { before.end.max(next.end) } else { before.end };
        touches
    });
    spans
}

/// Whether a name is a part of the path of a module in quotes, as `pool` of `import x from './pool'`. Such a path names a file.
fn is_in_module_path(text: &str, reference: &Reference) -> bool {
    let before = || last_bytes(&text[..reference.span.start as usize]);
    let is_part = |c: char| is_word(c) || matches!(c, '/' | '.' | '-' | '@' | '~' | ':' | '#' | '+');
    reference.role == ReferenceRole::Import && before().trim_end_matches(is_part).ends_with(['"', '\'', '`'])
}

/// Whether a list of exported names is open at the end of a text: `export { a, b as c`.
fn is_in_export_list(before: &str) -> bool {
    let open = last_bytes(before).rfind(['{', '}', ';']);
    let Some(head) = open.and_then(|at| last_bytes(before)[..at + 1].strip_suffix('{')) else { return false };
    let head = head.trim_end();
    head.strip_suffix("type").unwrap_or(head).trim_end().ends_with("export")
}

/// The receiver of the name at `start`.
fn receiver_at(family: Family, text: &str, comments: &[Span], start: usize) -> Receiver {
    let connected = if family == Family::C { connected(text, start) } else { None };
    connected.unwrap_or_else(|| receiver_before(family, text, comments, start))
}

/// References by place, each once.
fn in_order(mut references: Vec<Reference>) -> Vec<Reference> {
    references.sort_by_key(|reference| (reference.span.start, reference.span.end));
    references.dedup_by_key(|reference| reference.span);
    references
}

/// Whether a name is that of a call in `new(take())` or `new(pool.take())`.
fn is_argument_of_new(text: &str, span: Span) -> bool {
    let before = &text[..span.start as usize];
    let path = before.trim_end_matches(|c: char| is_word(c) || c == '.');
    path.ends_with("new(") && is_called(&text[span.end as usize..])
}

/// Whether an object of the class of Ruby at `span` is made: `Pool.new`.
fn is_made(text: &str, span: Span) -> bool {
    text[span.end as usize..].strip_prefix(".new").is_some_and(|rest| !rest.starts_with(is_word))
}

fn name_use(
    family: Family,
    text: &str,
    symbols: &[Symbol],
    comments: &[Span],
    reference: Reference,
) -> NameUse {
    let owner = innermost(symbols, reference.span);
    let role = match reference.role {
        ReferenceRole::Call => UseRole::Call,
        // To the parser of Go, `new(take())` has a type for its argument.
        ReferenceRole::Type if family == Family::Go && is_argument_of_new(text, reference.span) => {
            UseRole::Call
        }
        ReferenceRole::Type
            if matches!(family, Family::Jvm | CSHARP) && is_base_called(text, reference.span) =>
        {
            UseRole::Call
        }
        ReferenceRole::Type if family.calls_without_signs() && is_made(text, reference.span) => UseRole::Call,
        ReferenceRole::Type => UseRole::Type,
        ReferenceRole::Import => UseRole::Import,
    };
    let around = || owner.map(|at| &symbols[at as usize]);
    NameUse {
        span: reference.span,
        role: if family == Family::C { role_of(text, reference.span, role, around()) } else { role },
        owner,
        receiver: receiver_at(family, text, comments, reference.span.start as usize),
    }
}

/// The innermost symbol that contains a span. Symbols are nested in their parents, so that no other symbol before the last one
/// can contain the span.
pub(super) fn innermost(symbols: &[Symbol], span: Span) -> Option<u32> {
    let last = symbols.partition_point(|symbol| symbol.span.start <= span.start).checked_sub(1)?;
    let mut above = std::iter::successors(Some(last as u32), |at| symbols[*at as usize].parent);
    above.find(|at| symbols[*at as usize].span.contains(span))
}

/// A symbol and the symbols around it, innermost first.
pub(super) fn around(symbols: &[Symbol], from: Option<u32>) -> impl Iterator<Item = &Symbol> {
    let above = std::iter::successors(from, |at| symbols.get(*at as usize)?.parent);
    above.map_while(|at| symbols.get(at as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that a question asks about a file.
    fn told(facts: &FileFacts, family: Family) -> String {
        let mut told = format!("{:?}\n{:?}\n{:?}\n", facts.symbols, &*facts.uses, facts.comments);
        let mut names: Vec<&str> = facts.uses.iter().map(|used| facts.at(used.span)).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let named = facts.uses_named(&[name]);
            let expected: Vec<&NameUse> =
                facts.uses.iter().filter(|used| facts.at(used.span) == name).collect();
            assert_eq!(format!("{named:?}"), format!("{expected:?}"), "{name}");
            told += &format!("{name} {:?}\n", facts.mentions(family, name));
        }
        told
    }

    #[test]
    fn stored_uses_tell_what_the_analysis_tells() {
        use spyhop_syntax::analyze::Analyzer;
        use spyhop_syntax::grammar::Grammars;

        let (grammars, mut analyzer) = (Grammars::built_in(), Analyzer::new());
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../syntax/grammars");
        let mut n_uses = 0;
        for row in grammars.list() {
            let language = grammars.by_name(&row.name).unwrap();
            let name = grammars.name(language);
            let family = Family::of_language(name);
            for entry in std::fs::read_dir(root.join(&row.name).join("fixtures")).unwrap() {
                let Ok(text) = std::fs::read_to_string(entry.unwrap().path()) else { continue };
                let text = Arc::new(text);
                let analysis = analyzer.analyze(&grammars, language, &text);
                let outline = Outline::from(&analysis);
                let details = Details::from(&analysis);
                let stored = StoredUses::encode(&text, &analysis).decoded().unwrap();
                let stored = FileFacts::stored(name, text.clone(), (&outline, &details), stored, Vec::new());
                let analyzed = FileFacts::analyzed(name, text.clone(), analysis.clone(), Vec::new());
                n_uses += analyzed.uses.len();
                assert_eq!(told(&stored, family), told(&analyzed, family), "{}", row.name);
            }
        }
        assert!(n_uses > 1_000, "{n_uses}");
    }
}

//! The types whose members the body of a type takes: `include Plain` of Ruby, `use HasOwner;` of PHP.

use super::bases::bases_of;
use super::syntax_facts::SyntaxFacts;
use super::uses::{FileFacts, innermost};
use super::words::whole_words;
use spyhop_base::model::SymbolKind;
use spyhop_base::text::Span;

/// The base types of the symbol in a place: those that its head names, then those that its body takes members from. Each is the
/// span of the last part of the name.
pub(super) fn bases_in(language: &str, facts: &FileFacts, place: u32) -> Vec<Span> {
    let Some(symbol) = facts.symbols.get(place as usize) else { return Vec::new() };
    let start = symbol.signature.start as usize;
    let heads = bases_of(language, &symbol.name, facts.at(symbol.signature)).into_iter();
    let mut found: Vec<Span> =
        heads.map(|base| Span::new(start + base.at, start + base.at + base.name.len())).collect();
    if language == "rust" {
        found.extend(derived(&facts.text, (symbol.span.start as usize, start)));
    }
    let may_mix = symbol.kind.is_type_like() || symbol.kind == SymbolKind::Module;
    for word in SyntaxFacts::of(language).mixes.iter().filter(|_| may_mix) {
        let start = symbol.span.start;
        for at in whole_words(facts.at(symbol.span), word) {
            let at = Span { start: start + at.start, end: start + at.end };
            let line = facts.text[..at.start as usize].rsplit(['\n', ';', '{']).next().unwrap_or_default();
            let is_direct = innermost(&facts.symbols, at) == Some(place) && !facts.is_skipped(at);
            if line.trim().is_empty() && is_direct {
                found.extend(listed(&facts.text, at.end as usize));
            }
        }
    }
    found
}

/// The names in the lists `#[derive(...)]` between two bytes, by their last parts.
fn derived(text: &str, (from, to): (usize, usize)) -> Vec<Span> {
    let attributes = text.get(from..to).unwrap_or_default();
    let lists = attributes.match_indices("derive(").map(|(at, word)| from + at + word.len());
    lists.flat_map(|at| listed(text, at)).collect()
}

/// The bytes that are read for the base types of the symbol in a place.
pub(super) fn bytes_of_bases(language: &str, facts: &FileFacts, place: u32) -> usize {
    let symbol = facts.symbols.get(place as usize);
    let has_body = !SyntaxFacts::of(language).mixes.is_empty();
    symbol.map_or(0, |own| if has_body { own.span } else { own.signature }.range().len())
}

/// The last parts of the names in the list that begins at a byte: `Shop::Plain, Other` or `\\Shop\\Plain, Other;`.
fn listed(text: &str, from: usize) -> Vec<Span> {
    let is_name = |c: char| c == '_' || c.is_alphanumeric();
    let (mut found, mut at) = (Vec::new(), from);
    loop {
        let rest = &text[at..];
        let name = rest.trim_start_matches([' ', '\t', '(']);
        at += rest.len() - name.len();
        let path = name.find(|c: char| !is_name(c) && !matches!(c, ':' | '\\')).unwrap_or(name.len());
        let last = name[..path].rsplit([':', '\\']).next().unwrap_or_default();
        if !last.starts_with(char::is_uppercase) {
            return found;
        }
        found.push(Span::new(at + path - last.len(), at + path));
        let behind = name[path..].trim_start_matches([' ', '\t']);
        let Some(next) = behind.strip_prefix(',') else { return found };
        at = text.len() - next.trim_start().len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_list_are_told_by_their_last_parts() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<&str> = listed(text, 0).iter().map(|span| &text[span.range()]).collect();
            assert_eq!(found, expected, "{text}");
        };
        check(" Plain\n  def a", &["Plain"]);
        check(" Shop::Plain, ::Other\n", &["Plain", "Other"]);
        check("(Plain)", &["Plain"]);
        check(" \\Shop\\Plain,\n    Other { Plain::take insteadof Other; }", &["Plain", "Other"]);
        check(" self\n", &[]);
        check("", &[]);
    }
}

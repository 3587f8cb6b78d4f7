//! The form of a use, and which kinds of symbols a use of this form may mean.

use super::arguments::before_arguments;
use super::constructor_words::constructor_words;
use super::family::{CSHARP, Family};
use super::receiver_text::{is_word, last_bytes};
use super::syntax_facts::SyntaxFacts;
use super::uses::{FileFacts, NameUse, UseRole};
use spyhop_base::model::SymbolKind;

/// The kinds of symbols that a use may mean, as far as its form tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UseForm {
    /// Functions and types: the use is a call, or a reference to a method such as `Pool::take`.
    Called,
    /// Anything but functions.
    Value,
    /// Anything but fields and methods: the use stands for a type.
    Type,
    /// Types: the use stands where only a type may.
    TypeName,
    /// Types: the use calls a constructor, which has the name of its type.
    Constructed,
    /// Anything, as in a language in which a function is a value.
    Any,
}

impl UseForm {
    /// The form of a use in a file of a language.
    pub fn of(language: &'static str, facts: &FileFacts, used: &NameUse) -> UseForm {
        // A variable of an object or of the whole program: a method of the name is something else.
        let before = &facts.text[..used.span.start as usize];
        if Family::of_language(language).calls_without_signs() && before.ends_with(['@', '$']) {
            return UseForm::Value;
        }
        let syntax = SyntaxFacts::of(language);
        if syntax.type_places && used.role != UseRole::Import {
            if is_constructed(facts, used) {
                return UseForm::Constructed;
            }
            if used.role == UseRole::Type {
                return UseForm::TypeName;
            }
        }
        if !syntax.separate {
            return if used.role == UseRole::Type { UseForm::Type } else { UseForm::Any };
        }
        let is_method_reference =
            Family::of_language(language) == Family::Jvm && before.trim_end().ends_with("::");
        // The name of a function in a text.
        let is_text = Family::of_language(language) == Family::Other("php")
            && facts.text[used.span.end as usize..].starts_with(['\'', '"']);
        // A function as a value: `$pool->take(...)`.
        let is_closure = facts.text[used.span.end as usize..].starts_with("(...)");
        match used.role {
            UseRole::Mention if is_text || is_closure => UseForm::Called,
            UseRole::Import => UseForm::Any,
            UseRole::Call => UseForm::Called,
            UseRole::Mention if is_method_reference => UseForm::Called,
            UseRole::Mention | UseRole::Type => UseForm::Value,
        }
    }

    /// Whether a use of this form may mean a symbol of a kind.
    pub fn takes(self, kind: SymbolKind) -> bool {
        let is_value = kind.is_minor() || kind == SymbolKind::Const;
        match self {
            UseForm::Called => !is_value,
            UseForm::Value => !kind.is_function(),
            UseForm::Type => !matches!(kind, SymbolKind::Field | SymbolKind::Method),
            UseForm::TypeName | UseForm::Constructed => kind.is_type_like() || kind == SymbolKind::Module,
            UseForm::Any => true,
        }
    }
}

/// Whether a use is behind the word `new` and before the arguments of a constructor, or in a reference such as `Pool::new`.
fn is_constructed(facts: &FileFacts, used: &NameUse) -> bool {
    let (before, after) = facts.text.split_at(used.span.start as usize);
    let is_word_of_type = |family| constructor_words(family).contains(&facts.at(used.span));
    if used.role == UseRole::Call && (is_word_of_type(Family::Jvm) || is_word_of_type(CSHARP)) {
        return true;
    }
    let after = after[used.span.len()..].trim_start();
    if after.starts_with("::new") {
        return true;
    }
    let head = last_bytes(before).trim_end_matches(|c: char| is_word(c) || c == '.').trim_end();
    let is_new = head.strip_suffix("new").is_some_and(|rest| !rest.ends_with(is_word));
    is_new && before_arguments(after).is_some()
}

//! What rules know of the syntax of a language, from the table `languages.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use rustc_hash::FxHashMap;
use serde::Deserialize;

/// The syntax of some languages.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SyntaxFacts {
    names: Vec<String>,
    /// What stands before the base types in the head of a type.
    #[serde(default = "common_bases")]
    pub bases: Vec<String>,
    /// What ends the list of base types.
    pub ends: Vec<String>,
    /// Words in the list that are not base types.
    pub skips: Vec<String>,
    anonymous: Option<String>,
    /// Whether a type without a name has a body in braces behind its base type.
    pub has_body: bool,
    /// Whether a type may implement an interface that it does not name.
    pub structural: bool,
    /// Whether a method and a field of one type may have one name.
    pub separate: bool,
    /// Whether the type of a variable is written behind its name.
    pub names_first: bool,
    /// Whether an assignment declares a local variable.
    pub assigned: bool,
    /// Types of the language that need no import, whose members no tree defines.
    pub types: Vec<String>,
    /// The name of constructors, where that is not the name of their type.
    pub constructor: Option<String>,
    /// Types whose members are those of their argument.
    pub wrappers: Vec<String>,
    /// Functions of the library whose result has the type of the receiver.
    pub same: Vec<String>,
    /// Functions of the library whose result is the argument of the type of the receiver.
    pub arguments: Vec<String>,
    /// Functions of a library whose result is an object of the class that is their first argument.
    pub instances: Vec<String>,
    /// Members that classes have of a library: the objects of the class.
    pub managers: Vec<String>,
    /// Functions of libraries that give what their first argument is, or what the function there gives, each with the type that holds
    /// the value: nothing for the value itself, `pair` for several values, `^` for what the value holds.
    pub gives: BTreeMap<String, String>,
    /// Types of the library whose functions give lists of their arguments.
    pub holders: Vec<String>,
    /// Members of a type of a library that are its argument.
    pub held: Vec<String>,
    /// Types of functions whose only parameter has the argument of the type as its type.
    pub components: Vec<String>,
    /// Types of the library whose extensions lists and other collections have.
    pub collections: Vec<String>,
    /// Functions of the library that give an element.
    pub elements: Vec<String>,
    /// Functions of the library that pass an element to the function that they are given.
    pub passes: Vec<String>,
    /// Functions of the library whose result holds what the function that they are given returns.
    pub maps: Vec<String>,
    /// Functions of the library that pass the receiver to the function that they are given.
    pub receives: Vec<String>,
    /// Functions of the library whose block has the receiver of the call as its receiver.
    pub binds: Vec<String>,
    /// Functions of the library whose result is their generic argument.
    makers: Vec<String>,
    /// Functions of a type of the library whose result has the type.
    pub type_makers: Vec<String>,
    /// Whether a type of a library with one argument may be a pointer, through which a sign of its own passes.
    pub pointers: bool,
    /// Functions of the library whose result holds values of their generic argument.
    pub collects: Vec<String>,
    /// Functions of the library whose result holds lists of the elements.
    pub groups: Vec<String>,
    /// Types that hold several values.
    pub tuples: Vec<String>,
    /// Types that map keys to values, and whose names do not tell so.
    pub mappings: Vec<String>,
    /// Whether members of the library such as `first` are properties.
    pub properties: bool,
    /// The type of a text in quotes.
    pub text: String,
    /// Whether a statement ends with its line.
    pub lines: bool,
    /// Whether a block behind a call is its last argument.
    pub trailing: bool,
    /// Whether the type of a result is written behind the parameters, though that of a variable is before its name.
    pub results_last: bool,
    /// Whether several files may have parts of one type.
    pub reopened: bool,
    /// Whether a type may take members from types that its head does not name.
    pub mixins: bool,
    /// Whether quotes are around literals, and nowhere else.
    pub quoted: bool,
    /// Whether all members of a type are in the file of the type.
    pub one_file: bool,
    /// Whether a method is only called behind a receiver.
    pub explicit: bool,
    /// Whether a variable that a condition declares is known behind the statement, too.
    pub leaks: bool,
    /// Whether methods of one name differ in their parameters, and a constructor has the name of its type.
    pub overloads: bool,
    /// Whether the places of types are known, so that no name there means a member.
    pub type_places: bool,
    /// Whether a name behind a path is outside of the tree if the tree does not define the path.
    pub qualified: bool,
    /// Words after which the body of a type names types whose members it takes.
    pub mixes: Vec<String>,
    /// Names of calls that run another method, and this method; empty for the method of a base type with the name of the caller.
    pub runs: BTreeMap<String, String>,
    /// Functions that take the names of functions as texts.
    pub callables: Vec<String>,
    hooks: Option<String>,
    /// The beginning of a statement whose symbols name methods of the type around.
    #[serde(skip)]
    pub naming: Option<Regex>,
    /// What stands before the base type of a type without a name.
    #[serde(skip)]
    pub before_anonymous: Option<Regex>,
}

/// What stands before base types in most languages.
fn common_bases() -> Vec<String> {
    ["extends", "implements", ":"].map(str::to_string).to_vec()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SyntaxTable {
    language: Vec<SyntaxFacts>,
}

impl SyntaxFacts {
    /// Whether a function of the library with this name gives its generic argument.
    pub fn is_maker(&self, name: &str) -> bool {
        self.makers.iter().any(|own| match (own.strip_prefix('*'), own.strip_suffix('*')) {
            (Some(end), _) => name.ends_with(end),
            (_, Some(begin)) => name.starts_with(begin),
            _ => own == name,
        })
    }

    /// The facts of a language, by its name in filters.
    pub fn of(language: &str) -> &'static SyntaxFacts {
        static OTHERS: LazyLock<SyntaxFacts> =
            LazyLock::new(|| SyntaxFacts { bases: common_bases(), ..SyntaxFacts::default() });
        static TABLE: LazyLock<FxHashMap<String, &'static SyntaxFacts>> = LazyLock::new(|| {
            let table: SyntaxTable = toml::from_str(include_str!("languages.toml")).expect("a test reads it");
            let rows = table.language.into_iter().map(|mut row| {
                let pattern = row.anonymous.as_deref().map(Regex::new);
                row.before_anonymous = pattern.map(|pattern| pattern.expect("a test reads it"));
                let naming = row.hooks.as_deref().map(Regex::new);
                row.naming = naming.map(|pattern| pattern.expect("a test reads it"));
                &*Box::leak(Box::new(row))
            });
            rows.flat_map(|row| row.names.iter().map(move |name| (name.clone(), row))).collect()
        });
        TABLE.get(language).copied().unwrap_or(&OTHERS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_and_names_languages_that_are_known() {
        let grammars = spyhop_syntax::grammar::Grammars::built_in();
        let table: SyntaxTable = toml::from_str(include_str!("languages.toml")).unwrap();
        for name in table.language.iter().flat_map(|row| &row.names) {
            assert!(grammars.by_name(name).is_ok() || matches!(&**name, "vue" | "svelte"), "{name}");
            assert!(SyntaxFacts::of(name).names.contains(name), "{name}");
        }
    }
}

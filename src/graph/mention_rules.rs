//! What a mention of a name may mean in each family of languages, as a table.

use super::family::{CSHARP, Family};

/// The rules of a family for mentions that no rule of resolution decides.
pub(super) struct MentionRules {
    /// The sign before the last name of a path in a string: `"shop.orders.Pool"`, `'Orders@show'`.
    path_sign: Option<char>,
    /// Calls that take the name of a member as a text.
    by_name: &'static [&'static str],
    /// The list of the names that a module exports, which are texts.
    exports: Option<&'static str>,
    /// A word in the decorators of a function that parameters of other functions name.
    pub fixture: Option<&'static str>,
    /// Whether the key of an argument is the name of a parameter, and so neither that of a function nor that of a type.
    pub keys_are_parameters: bool,
    /// Whether the type of a receiver follows from calls too, one of which may be wrong.
    pub guesses_receivers: bool,
    /// Whether a definition may stand in for an import that fails.
    pub imports_may_fail: bool,
    /// Whether `$` is a part of names.
    pub has_dollars: bool,
    /// Whether literals hold code that is not known: in braces, or behind `$` and `\\`.
    pub literals_hold_code: bool,
}

const OTHERS: MentionRules = MentionRules {
    path_sign: None,
    by_name: &[],
    exports: None,
    fixture: None,
    keys_are_parameters: false,
    guesses_receivers: false,
    imports_may_fail: false,
    has_dollars: false,
    literals_hold_code: true,
};

const PYTHON: MentionRules = MentionRules {
    path_sign: Some('.'),
    by_name: &[
        "getattr(",
        "setattr(",
        "hasattr(",
        "delattr(",
        "attrgetter(",
        "methodcaller(",
        "patch.object(",
    ],
    exports: Some("__all__"),
    fixture: Some("fixture"),
    keys_are_parameters: true,
    guesses_receivers: true,
    imports_may_fail: true,
    literals_hold_code: false,
    ..OTHERS
};

const WEB: MentionRules =
    MentionRules { guesses_receivers: true, has_dollars: true, literals_hold_code: false, ..OTHERS };

const JVM: MentionRules = MentionRules { has_dollars: true, ..OTHERS };

/// Families in whose literals all code is known.
const KNOWN_LITERALS: MentionRules = MentionRules { literals_hold_code: false, ..OTHERS };

/// The handlers of routes: `'Orders@show'`.
const PHP: MentionRules = MentionRules { path_sign: Some('@'), ..OTHERS };

const C: MentionRules = MentionRules { path_sign: Some('.'), by_name: &["invokeMethod("], ..KNOWN_LITERALS };

impl MentionRules {
    /// The rules of a family.
    pub fn of(family: Family) -> &'static MentionRules {
        match family {
            Family::Python => &PYTHON,
            Family::Web => &WEB,
            Family::Jvm => &JVM,
            Family::C => &C,
            Family::Other("php" | "blade") => &PHP,
            Family::Go | CSHARP | Family::Other("ruby") => &KNOWN_LITERALS,
            Family::Rust | Family::Other(_) => &OTHERS,
        }
    }

    /// Whether a string with a name from `start` to `end` of a text names a symbol: a path ends with the name, or the string is
    /// the name, in a list of exports or in a call that takes names.
    pub fn names_in_string(&self, text: &str, (start, end): (usize, usize)) -> bool {
        let (before, after) = (&text[..start], &text[end..]);
        if !after.starts_with(['"', '\'']) {
            return false;
        }
        if self.path_sign.is_some_and(|sign| before.ends_with(sign)) {
            return true;
        }
        let Some(before) = before.strip_suffix(['"', '\'']) else { return false };
        let line = before.rsplit('\n').next().unwrap_or_default();
        let list = self.exports.and_then(|exports| before.rfind(exports));
        let is_exported = list.is_some_and(|at| !before[at..].contains([']', ')']));
        is_exported || self.by_name.iter().any(|call| line.contains(call))
    }
}

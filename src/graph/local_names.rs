//! The place at which a local variable or parameter is declared, in languages whose scopes are not read.
//!
//! A declaration is known by the words and signs around a name: the word `let`, a type before the name, the parameters of a
//! function or of a lambda, a loop, and in languages without declarations the first assignment in the function.

use super::family::Family;
use super::generics::generic_arguments;
use super::syntax_facts::SyntaxFacts;
use super::tokens::{TokenKind, Tokens};

/// The most tokens of generic arguments that are looked back over.
const MAX_GENERICS: usize = 60;

/// Words before the name of a variable.
const DECLARING: &[&str] =
    &["let", "var", "val", "const", "auto", "my", "our", "local", "final", "dim", "static", "mut", "ref"];

/// Words that end no type.
const NO_TYPE: &[&str] = &[
    "return",
    "new",
    "else",
    "clone",
    "case",
    "goto",
    "throw",
    "in",
    "is",
    "as",
    "and",
    "or",
    "not",
    "await",
    "yield",
    "delete",
    "print",
    "echo",
    "puts",
    "raise",
    "if",
    "elsif",
    "elif",
    "unless",
    "while",
    "until",
    "when",
    "then",
    "do",
    "end",
    "package",
    "import",
    "use",
    "using",
    "include",
    "require",
    "typeof",
    "sizeof",
    "out",
    "begin",
    "ensure",
    "rescue",
    "assert",
    "extends",
    "implements",
    "instanceof",
    "from",
    "select",
    "where",
];

/// Words of C++ before a call or before a type that is declared.
const NO_OBJECT: &[&str] = &[
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "emit",
    "enum",
    "namespace",
    "operator",
    "struct",
    "template",
    "typedef",
    "union",
];

/// Words before the name of a function or its parameters.
const FUNCTIONS: &[&str] =
    &["fun", "func", "fn", "def", "function", "init", "constructor", "sub", "defp", "proc"];

/// Words before a type that belong to it or to its variable.
const MODIFIERS: &[&str] = &[
    "class",
    "const",
    "constexpr",
    "enum",
    "final",
    "inline",
    "mutable",
    "params",
    "readonly",
    "ref",
    "static",
    "struct",
    "this",
    "typename",
    "union",
    "unsigned",
    "volatile",
];

/// The token that declares the name at the token `at`, at `from` or behind it. `language` is the name of the language in filters.
pub(super) fn declared(tokens: &Tokens, language: &'static str, (from, at): (usize, usize)) -> Option<usize> {
    let reader = LocalReader::new(tokens, language, from);
    let name = bare(tokens.word(at));
    let is_it = |index: &usize| bare(tokens.word(*index)) == name;
    let nearest =
        (from..=at).rev().filter(is_it).find(|index| reader.declares(*index) && reader.sees(*index, at));
    nearest.or_else(|| (from..=at).filter(is_it).find(|index| reader.assigns(*index)))
}

/// A name without the sign of a variable and without quotes.
pub(super) fn bare(word: &str) -> &str {
    word.trim_start_matches('$').trim_matches('`')
}

/// Whether a token is a name, with or without the sign of a variable and quotes.
pub(super) fn has_name(tokens: &Tokens, at: usize, name: &str) -> bool {
    let word = tokens.word(at);
    word == name || bare(word) == name
}

/// Whether a word stands before the name of a variable.
pub(super) fn is_declaring(word: &str) -> bool {
    DECLARING.contains(&word)
}

/// Whether a word stands before the name of a function or its parameters.
pub(super) fn is_function_word(word: &str) -> bool {
    FUNCTIONS.contains(&word)
}

/// The reader of the declarations of local names in a function.
pub(super) struct LocalReader<'t> {
    pub tokens: &'t Tokens,
    pub family: Family,
    pub syntax: &'static SyntaxFacts,
    /// The first token of the function.
    pub from: usize,
    is_cpp: bool,
}

impl<'t> LocalReader<'t> {
    pub fn new(tokens: &'t Tokens, language: &'static str, from: usize) -> LocalReader<'t> {
        let (family, syntax) = (Family::of_language(language), SyntaxFacts::of(language));
        LocalReader { tokens, family, syntax, from, is_cpp: matches!(language, "cpp" | "objc") }
    }

    pub fn is_any(&self, at: usize, signs: &[u8]) -> bool {
        signs.iter().any(|sign| self.tokens.is(at, *sign))
    }

    /// The word before a token.
    pub fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |before| self.tokens.word(before))
    }

    /// Whether a name at `index` is visible at `at`: in the same block, or in the body behind the parameters.
    pub fn sees(&self, index: usize, at: usize) -> bool {
        if self.syntax.names_first && self.is_in_value(index, at) {
            return false;
        }
        if let Some(end) = self.end_of_header(index) {
            return at < end;
        }
        if self.syntax.leaks
            && self.is_matched(index)
            && let Some(block) = self.block_behind(index)
        {
            return self.tokens.partner(block).is_none_or(|close| at < close);
        }
        let Some(open) = self.tokens.around(index) else { return true };
        let close = self.tokens.partner(open).unwrap_or(usize::MAX);
        if close > at || self.tokens.is(open, b'{') {
            return close > at;
        }
        // The block or the expression behind the brackets.
        let body = self.tokens.find(close + 1, at.saturating_add(1), |index| self.is_any(index, b"{;"));
        let end = self.tokens.partner(body).filter(|_| self.tokens.is(body, b'{'));
        end.is_none_or(|end| at < end)
    }

    /// The block in which a variable is known that an expression of C# declares, as in `if (any is Pool pool)`: the one around the
    /// statement, but for loops, whose variables end with them, and for parameters.
    fn block_behind(&self, index: usize) -> Option<usize> {
        const LOOPS: &[&str] = &["for", "foreach", "while", "using", "catch", "fixed", "lock", "switch"];
        let mut open = self.tokens.around(index)?;
        while !self.tokens.is(open, b'{') {
            let close = self.tokens.partner(open)?;
            let has_body = self.tokens.is(close + 1, b'{') && self.before(open) != "if";
            if has_body || LOOPS.contains(&self.before(open)) || self.tokens.is_operator(close + 1, "=>") {
                return None;
            }
            open = self.tokens.around(open)?;
        }
        Some(open)
    }

    /// Whether the token `at` is in the value that the name at `index` is declared with: the name does not stand for it there, as in
    /// `let pool = pool.take()`.
    fn is_in_value(&self, index: usize, at: usize) -> bool {
        let tokens = self.tokens;
        let ends = |at: usize| {
            let is_line = tokens.at(at).is_some_and(|token| token.indent.is_some());
            is_line && at > index && !tokens.is(at, b'.') || self.is_any(at, b";{,")
        };
        // The sign behind a list of parameters is that of the function: `fun take(pool: Pool) = pool.take()`.
        let close = tokens.around(index).and_then(|open| tokens.partner(open)).unwrap_or(at);
        let equals = tokens.find(index + 1, at.min(close), |at| tokens.is(at, b'=') || ends(at));
        equals < at && tokens.is(equals, b'=') && at < tokens.find(equals + 1, tokens.len(), ends)
    }

    /// The end of the blocks behind the head of a statement of Go that declares the name at `index`, as `if pool := find(); ok { ... }`.
    fn end_of_header(&self, index: usize) -> Option<usize> {
        let tokens = self.tokens;
        let before = (self.from..index).rev().take_while(|at| !self.is_any(*at, b";{}"));
        let is_head = |at: usize| matches!(tokens.word(at), "for" | "if" | "switch");
        let is_header = self.family == Family::Go && before.into_iter().any(is_head);
        let mut end = index;
        loop {
            let body = tokens.find(end, tokens.len(), |at| tokens.is(at, b'{'));
            end = tokens.partner(body).filter(|_| is_header)?;
            // The first braces are those of a literal: `range []int{1} { ... }`.
            if tokens.is(end + 1, b'{') {
                end = tokens.partner(end + 1)?;
            }
            if tokens.word(end + 1) != "else" {
                return Some(end);
            }
        }
    }

    /// Whether the name is a further one of a declaration: `int size = 1, pool = 2`.
    pub fn is_further(&self, at: usize) -> bool {
        let tokens = self.tokens;
        let sign = (self.from..at).rev().find(|sign| !self.is_any(*sign, b"*&"));
        let has_comma = sign.is_some_and(|sign| tokens.is(sign, b',')) && self.is_any(at + 1, b"=;,");
        if !has_comma || self.syntax.names_first {
            return false;
        }
        let around = tokens.around(at);
        let is_block = around.is_none_or(|open| tokens.is(open, b'{') || self.before(open) == "for");
        let same = (self.from..at).rev().filter(|index| tokens.around(*index) == around);
        let mut same = same.take_while(|index| !self.is_any(*index, b";{}")).collect::<Vec<_>>();
        let first = same.pop().filter(|_| is_block);
        first.is_some_and(|first| {
            let is_type = tokens.is_word(first) && !NO_TYPE.contains(&tokens.word(first));
            is_type && (tokens.is_word(first + 1) || self.is_any(first + 1, b"<[*"))
        })
    }

    pub fn declares(&self, at: usize) -> bool {
        let tokens = self.tokens;
        let before = self.before(at);
        let is_rest = at > 2 && tokens.is_operator(at - 3, "...");
        if at > 0 && self.is_any(at - 1, b".@") && !is_rest
            || tokens.is_operator(at.saturating_sub(2), "->") && at > 1
        {
            return false;
        }
        let around = tokens.around(at);
        let around_paren = around.filter(|open| tokens.is(*open, b'('));
        let in_pattern = around_paren.is_some_and(|open| is_declaring(self.before(open)))
            || self.pattern_of_loop(at).is_some()
            || around.is_some_and(|open| tokens.is(open, b'[') && self.is_auto(open))
            // `case let .full(pool)`.
            || around_paren.is_some_and(|open| {
                open > 2 && tokens.is(open - 2, b'.') && is_declaring(self.before(open - 2))
            });
        let next_is = |signs: &[u8]| self.is_any(at + 1, signs) && !tokens.is_operator(at + 1, "==");
        let is_loop = matches!(tokens.word(at + 1), "in" | "of") && !matches!(before, "!" | "not");
        let in_signature = around_paren.is_some_and(|open| self.is_signature(open));
        // The type of a parameter of Go is behind its name.
        let is_go = || {
            let is_typed = next_is(b"*[") || tokens.is_operator(at + 1, "...") || tokens.is_word(at + 1);
            self.family == Family::Go && is_typed
        };
        // `(pool: Pool)`.
        let is_type = self.syntax.names_first && matches!(before, ":" | "inout");
        let is_parameter =
            in_signature && !is_type && (next_is(b":,)=") || tokens.word(at + 1) == "in" || is_go());
        let is_loop_value = around_paren.is_some_and(|open| matches!(self.before(open), "foreach"))
            && (before == "as" || at > 1 && tokens.is_operator(at - 2, "=>"));
        // The word may be before a type: `final Pool pool`.
        let is_name = || {
            let is_alone = tokens.at(at + 1).is_none_or(|next| next.indent.is_some());
            self.syntax.names_first
                || is_alone
                || next_is(b"=;,:){")
                || matches!(tokens.word(at + 1), "in" | "of" | "as")
        };
        // `take(&mut pool)`.
        let is_borrowed = before == "mut" && at > 1 && tokens.is(at - 2, b'&');
        is_declaring(before) && !is_borrowed && is_name()
            || in_pattern
            || self.is_auto(at)
            || self.is_matched(at)
            || is_parameter
            || is_loop
                && (self.syntax.leaks && before == "from"
                    || matches!(before, "for" | "(" | "," | "var" | "val")
                    || self.is_after_type(at))
            || is_loop_value
            || self.is_after_type(at) && next_is(b"=;,):")
            || self.is_lambda_parameter(at)
            || self.is_function_pointer(at)
            || self.is_constructed(at)
            || self.is_further(at)
            || tokens.is_operator(self.end_of_list(at), ":=")
    }

    /// Whether a C++ declaration without a type is before the token: `auto& pool`, `const auto& [key, pool]`.
    fn is_auto(&self, at: usize) -> bool {
        let last = (self.from..at).rev().find(|last| !self.is_any(*last, b"*&"));
        self.family == Family::C && last.is_some_and(|last| self.tokens.word(last) == "auto")
    }

    /// Whether the name stands for a value of a type that is asked for: `is Pool pool`, `case Pool pool`, `out Pool pool`.
    fn is_matched(&self, at: usize) -> bool {
        self.matched_type(at).is_some()
    }

    /// The tokens of the type before a name that stands for a value of this type: `is Pool pool`, `is not Pool { Size: 1 } pool`.
    pub fn matched_type(&self, at: usize) -> Option<(usize, usize)> {
        let end = match at.checked_sub(1).filter(|last| self.syntax.leaks && self.tokens.is(*last, b'}')) {
            Some(close) => self.tokens.partner(close)?,
            None => at,
        };
        let first = if self.syntax.names_first { None } else { self.type_before(end) }?;
        let is_asked = match self.before(first) {
            "is" | "case" | "out" | "instanceof" => true,
            "not" => self.syntax.leaks && self.before(first - 1) == "is",
            _ => false,
        };
        is_asked.then_some((first, end))
    }

    /// The bracket of the names of a loop that takes values apart: `for ((key, pool) in all)`, `for (key, pool) in all`.
    pub fn pattern_of_loop(&self, at: usize) -> Option<usize> {
        let open = self.tokens.around(at).filter(|open| self.tokens.is(*open, b'('))?;
        let close = self.tokens.partner(open)?;
        let is_loop = self.before(open) == "for"
            || self.tokens.is(open.checked_sub(1)?, b'(') && self.before(open - 1) == "for";
        (is_loop && self.tokens.word(close + 1) == "in").then_some(open)
    }

    /// The first token of the type that ends before the name at `at`.
    pub fn type_before(&self, at: usize) -> Option<usize> {
        let tokens = self.tokens;
        let mut last = at.checked_sub(1).filter(|last| *last >= self.from)?;
        loop {
            last = match tokens.partner(last) {
                Some(open) if tokens.is(last, b']') => open.checked_sub(1)?,
                _ if self.is_any(last, b"*&^?.") || tokens.word(last) == "const" => last.checked_sub(1)?,
                _ => break,
            };
        }
        if tokens.is(last, b'>') {
            let near = (last.saturating_sub(MAX_GENERICS)..last).rev();
            let is_logic = |at: usize| tokens.is_operator(at, "&&") || tokens.is_operator(at, "||");
            let mut near = near.take_while(|at| !self.is_any(*at, b";{}") && !is_logic(*at));
            let is_open = |open: &usize| {
                tokens.is(*open, b'<') && generic_arguments(tokens, *open, last + 1).1 == last + 1
            };
            last = near.find(is_open)?.checked_sub(1)?;
        }
        if !tokens.is_word(last) || NO_TYPE.contains(&tokens.word(last)) {
            return None;
        }
        while last > self.from + 1 {
            last -= match () {
                () if tokens.is(last - 1, b'.') && tokens.is_word(last - 2) => 2,
                () if tokens.is_operator(last - 2, "::") && last > 2 && tokens.is_word(last - 3) => 3,
                () if MODIFIERS.contains(&tokens.word(last - 1)) => 1,
                () => break,
            };
        }
        Some(last)
    }

    /// The token behind a list of names.
    fn end_of_list(&self, at: usize) -> usize {
        let mut end = at + 1;
        while self.tokens.is(end, b',') && self.tokens.is_word(end + 1) {
            end += 2;
        }
        end
    }

    /// Whether the parenthesis at `open` holds the parameters of a function, or the named results of a function of Go.
    fn is_signature(&self, open: usize) -> bool {
        if self.family == Family::Go {
            return self.is_signature_of_go(open);
        }
        let name = self.before(open);
        let has_word = FUNCTIONS.contains(&name)
            || name == "catch"
            || open > 1 && self.tokens.is_word(open - 1) && {
                // `fun <T> Type.name(` and `def self.name(`.
                let near = (self.from..open - 1).rev().take(8);
                let mut near = near.take_while(|at| !self.is_any(*at, b";{}=("));
                near.any(|at| FUNCTIONS.contains(&self.tokens.word(at)))
            };
        // The first parameters of the function: `int run(Pool pool) {`.
        has_word || (self.from..open).all(|at| !self.is_any(at, b"({;="))
    }

    /// Whether the parenthesis at `open` holds the receiver, the parameters or the results of a function of Go.
    fn is_signature_of_go(&self, open: usize) -> bool {
        let tokens = self.tokens;
        let Some(mut last) = open.checked_sub(1) else { return false };
        if tokens.is(last, b']') {
            // The type parameters.
            last = tokens.partner(last).and_then(|open| open.checked_sub(1)).unwrap_or(last);
        }
        if tokens.is_word(last) && tokens.word(last) != "func" {
            last = last.saturating_sub(1);
        }
        match tokens.partner(last).filter(|_| tokens.is(last, b')')) {
            Some(list) => self.is_signature_of_go(list),
            None => tokens.word(last) == "func",
        }
    }

    /// Whether a type is before the name: `Pool pool`, `List<Pool> pool`, `Pool? pool`, `struct pool *pool`.
    fn is_after_type(&self, at: usize) -> bool {
        let tokens = self.tokens;
        let Some(mut last) = at.checked_sub(1).filter(|last| *last >= self.from) else { return false };
        // The last parameter may stand for several arguments: `Pool... pools`.
        if last > self.from + 3 && tokens.is_operator(last - 2, "...") {
            last -= 3;
        }
        // A blank is before the sign of a condition: `small ? pool : other`.
        let touches =
            |at: usize| tokens.at(at - 1).map(|token| token.end) == tokens.at(at).map(|token| token.start);
        if tokens.is(last, b'?') && last > self.from && !touches(last) {
            return false;
        }
        let has_sign = self.is_any(last, b"*&");
        while last > self.from && self.is_any(last, b"*&?") {
            last -= 1;
        }
        if has_sign {
            // `a * b` is no declaration: a statement or a parameter begins with the type.
            let Some(first) = self.type_before(at) else { return false };
            let begins = first.checked_sub(1).is_none_or(|before| self.is_any(before, b";{}"))
                || matches!(tokens.word(first), "const" | "struct")
                || tokens.at(first).is_some_and(|token| token.indent.is_some())
                || tokens.around(at).is_some_and(|open| {
                    // `if (a & b)` is no declaration without a value.
                    let is_head = match self.before(open) {
                        "for" | "catch" => true,
                        "if" | "while" => tokens.is(at + 1, b'=') && !tokens.is(at + 2, b'='),
                        _ => false,
                    };
                    tokens.is(open, b'(') && (self.is_signature(open) || is_head && open + 1 == first)
                });
            return begins;
        }
        if tokens.is(last, b'>') && !tokens.is_operator(last.saturating_sub(1), "->") {
            return self.type_before(at).is_some();
        }
        if tokens.is(last, b']') {
            return tokens
                .partner(last)
                .is_some_and(|open| open + 1 == last && open > 0 && tokens.is_word(open - 1));
        }
        let word = tokens.word(last);
        let is_same_line = tokens.at(at).is_some_and(|token| token.indent.is_none());
        let is_word = tokens.at(last).is_some_and(|token| token.kind == TokenKind::Word);
        is_word
            && is_same_line
            && !NO_TYPE.contains(&word)
            && !FUNCTIONS.contains(&word)
            && !self.syntax.names_first
            && !self.has_words_for_calls()
    }

    /// Whether the name is that of an object of C++ that a statement declares with the arguments of a constructor: `Pool pool(1)`,
    /// `Pool pool{1}`.
    fn is_constructed(&self, at: usize) -> bool {
        let tokens = self.tokens;
        let may_be = self.is_cpp && self.is_any(at + 1, b"({");
        if !may_be || !tokens.around(at).is_some_and(|open| tokens.is(open, b'{')) {
            return false;
        }
        let Some(first) = self.type_before(at) else { return false };
        let word = tokens.word(first);
        // A macro such as `Q_EMIT` stands before a call.
        let is_macro = word.contains('_') && !word.contains(char::is_lowercase);
        let is_other = is_macro || NO_OBJECT.contains(&word) || NO_OBJECT.contains(&self.before(at));
        !is_other
            && (self.is_any(first - 1, b";{})") || tokens.is(first - 1, b':') && !tokens.is(first - 2, b':'))
    }

    /// Whether the name is that of a pointer to a function of C: `int (*pool)(void)`.
    fn is_function_pointer(&self, at: usize) -> bool {
        let tokens = self.tokens;
        let has_signs = self.family == Family::C && at > self.from + 2 && self.is_any(at - 1, b"*^");
        if !has_signs || !tokens.is(at - 2, b'(') || !tokens.is(at + 1, b')') || !tokens.is(at + 2, b'(') {
            return false;
        }
        let mut last = at - 3;
        while last > self.from && tokens.is(last, b'*') {
            last -= 1;
        }
        tokens.is_word(last) && !NO_TYPE.contains(&tokens.word(last))
    }

    /// Whether two words beside each other are a call, as in Ruby.
    fn has_words_for_calls(&self) -> bool {
        self.family.calls_without_signs()
    }

    /// Whether the name is a parameter of a lambda: `x ->`, `x, y =>`, `|x, y|`, `{ x in`.
    pub fn is_lambda_parameter(&self, at: usize) -> bool {
        let tokens = self.tokens;
        let bars = |at: usize| tokens.is(at, b'|');
        let is_listed = at > 0 && (bars(at - 1) || self.is_any(at - 1, b",&*:"));
        if is_listed && (bars(at + 1) || self.is_any(at + 1, b",:")) {
            let near = |at: usize| (at.saturating_sub(20).max(self.from)..at).rev();
            let open = near(at).take_while(|at| !self.is_any(*at, b";{}=")).find(|at| bars(*at));
            let opens = |open: usize| {
                open > 0 && (self.is_any(open - 1, b"{(,=") || matches!(self.before(open), "do" | "move"))
            };
            if open.is_some_and(opens) {
                return true;
            }
        }
        let end = self.end_of_list(at);
        let first = {
            let mut first = at;
            while first > 1 && tokens.is(first - 1, b',') && tokens.is_word(first - 2) {
                first -= 2;
            }
            first
        };
        // In other languages these signs are before members and values.
        let (thin, thick) = match self.family {
            Family::Jvm => (true, true),
            Family::Other(language) => {
                (matches!(language, "elixir" | "groovy"), matches!(language, "csharp" | "dart"))
            }
            _ => (false, false),
        };
        let has_arrow =
            |end: usize| thin && tokens.is_operator(end, "->") || thick && tokens.is_operator(end, "=>");
        let opens = |signs: &[u8]| first > 0 && self.is_any(first - 1, signs);
        let is_list = tokens.is(end, b')') && opens(b"(");
        let is_captured = || {
            first > 0
                && tokens.partner(first - 1).is_some_and(|open| self.is_any(open.saturating_sub(1), b"{"))
        };
        has_arrow(end) && opens(b"{(,=:")
            || is_list && has_arrow(end + 1)
            || is_list && tokens.word(end + 1) == "in" && first > 1 && tokens.is(first - 2, b'{')
            || tokens.word(end) == "in" && (opens(b"{") || opens(b"]") && is_captured())
    }

    /// Whether the name is assigned in a language without declarations.
    pub fn assigns(&self, at: usize) -> bool {
        let is_assigned = self.tokens.is(at + 1, b'=')
            && !["==", "=>", "=~"].iter().any(|operator| self.tokens.is_operator(at + 1, operator));
        let is_member = at > 0 && self.is_any(at - 1, b".@:>");
        let in_list = self.tokens.around(at).is_some_and(|open| self.tokens.is(open, b'('));
        self.syntax.assigned && is_assigned && !is_member && !in_list
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;
    use std::sync::Arc;

    use super::*;

    /// Checks that the last `pool` of a function is declared at the place after `^`.
    fn check(language: &str, text: &str) {
        let expected = text.find('^');
        let text = text.replace('^', "");
        let languages = ["c", "cpp", "csharp", "go", "java", "kotlin", "php", "ruby", "rust", "swift"];
        let language = languages.into_iter().find(|own| *own == language).unwrap();
        let tokens = Tokens::new(language, Arc::new(text.clone()), &[], Rc::default());
        let at = (0..tokens.len()).rfind(|at| bare(tokens.word(*at)) == "pool").unwrap();
        let found = declared(&tokens, language, (0, at)).and_then(|at| tokens.at(at));
        let found = found
            .map(|token| token.start as usize + usize::from(text[token.start as usize..].starts_with('$')));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn declarations_are_found_before_their_uses() {
        check("c", "int run(struct pool *^pool) { return take(pool); }");
        check("c", "int run(void) { struct pool *^pool = make(); a = b * pool; }");
        check("c", "int run(int n) { return take(pool); }");
        check("c", "int run(take_fn ^pool, void *n) { return pool(n); }");
        check("c", "int run(void *(*^pool)(int n)) { return pool(1); }");
        check("c", "int run(void) { return (*pool)(1) + pool(2); }");
        check("cpp", "int run(int n) { Pool ^pool(n); return pool.take(); }");
        check("cpp", "int run(int n) { shop::Pool<int> ^pool{n}; return pool.take(); }");
        check("cpp", "int run(int n) { emit pool(n); return pool.take(); }");
        check("cpp", "int run(int n) { List<Pair<int, int>> ^pool; return pool.take(); }");
        check("c", "int run(int n) { if(n > pool) return take(pool); }");
        check("java", "void run(Map<String, List<Pool>> ^pool) { pool.take(); }");
        check("java", "void run(int n) { if (n < 3 && n > pool) take(pool); }");
        check("cpp", "int run(int n) { if (n & pool) { return pool; } }");
        check("cpp", "int run(int n) { if (Pool *^pool = find(n)) { return pool->take(); } }");
        check("go", "func run(n int, ^pool *Pool) { pool.take() }");
        check("go", "func run() { _, ^pool := find(); pool.take() }");
        check("go", "func run(^pool *Pool) (int, error) { return pool.take() }");
        check("go", "func (own *Own) run(^pool *Pool) (*Own, error) { return pool.take() }");
        check("go", "func run(n int) (^pool *Pool, err error) { pool.take() }");
        check("go", "func (own *Own) run(n int) (n int, ^pool *Pool) { pool.take() }");
        check("go", "func run(n int) (int, error) { pool.take() }");
        check("go", "func run(a, ^pool Pool) { pool.take() }");
        check("go", "func run(^pool ...Pool) { pool.take() }");
        check("go", "func run(next pool.Pool) pool.Pool { pool.take() }");
        check("java", "Own(Pool ^pool) { this.pool = pool; }");
        check("java", "void run() { this.pool = other; }");
        check("kotlin", "fun run(n: Int) { take(n shl pool) }");
        check("kotlin", "fun run() { val pool = pool }");
        check("swift", "func run() { if let pool = pool.next }");
        check("rust", "fn run() { let pool = 1 + pool; }");
        check("rust", "fn run() { all.append(&mut pool()); }");
        check("rust", "fn run() { let mut ^pool = 1; take(&mut pool); }");
        check("java", "void run(Pool... ^pool) { take(pool); }");
        check("java", "void run() { int n = 1, ^pool = 2; take(pool); }");
        check("java", "void run() { take(n, pool); }");
        check("c", "int run(void) { int n, ^pool; return pool; }");
        check("go", "func run() { if ^pool := find(); pool.ok { } else { pool.take() } }");
        check("go", "func run() { for pool := range all { }; pool.take() }");
        check("go", "func run() { for _, ^pool := range []int{1} { pool.take() } }");
        check("go", "func run() { pool := 1 + pool }");
        check("csharp", "void Run() { var ^pool = new Pool(); pool.Take(); }");
        check("csharp", "void Run(List<Pool> all) { foreach (Pool ^pool in all) { pool.Take(); } }");
        check("csharp", "void Run() { all.Select(^pool => pool.Take()); }");
        check("kotlin", "fun run(^pool: Pool) { pool.take() }");
        check("kotlin", "fun run() { val ^pool = Pool(); pool.take() }");
        check("kotlin", "fun run() { all.map { ^pool -> pool.take() } }");
        check("kotlin", "fun run() { for (^pool in all) { pool.take() } }");
        check("kotlin", "fun run() { { val pool = 1 }; pool.take() }");
        check("swift", "func run(with ^pool: Pool) { pool.take() }");
        check("swift", "func run() { all.map { ^pool in pool.take() } }");
        check("swift", "func run() { if let ^pool = find() { pool.take() } }");
        check("php", "function run($^pool) { $pool->take(); }");
        check("php", "function run() { $^pool = new Pool(); $pool->take(); }");
        check("php", "function run() { foreach ($all as $^pool) { $pool->take(); } }");
        check("ruby", "def run(^pool)\n  pool.take\nend");
        check("ruby", "def run\n  ^pool = Pool.new\n  pool.take\nend");
        check("ruby", "def run\n  all.map { |^pool| pool.take }\nend");
        check("ruby", "def run\n  take pool\nend");
    }
}

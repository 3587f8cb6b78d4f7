//! The source of the type of a local name or of a field: what is written beside the name that declares it, in languages whose scopes
//! are not read and which have no rules of their own.

use crate::declarations::{LambdaParameter, LocalSource, ValuePart};
use crate::family::Family;
use crate::generics::{called_at, end_of_type};
use crate::local_names::{LocalReader, bare, is_declaring, is_function_word};
use crate::tokens::Tokens;

/// Words of a statement whose parentheses or braces are no call.
pub(super) const STATEMENTS: &[&str] = &[
    "if",
    "else",
    "for",
    "foreach",
    "while",
    "when",
    "switch",
    "catch",
    "try",
    "do",
    "guard",
    "using",
    "lock",
    "init",
    "get",
    "set",
    "return",
    "in",
    "synchronized",
    "finally",
    "repeat",
];

/// The parameter with a number of the function that begins at the token `first` and is an argument of a call around `before`.
pub(super) fn lambda_parameter(
    (family, tokens): (Family, &Tokens),
    first: usize,
    before: usize,
    (number, count): (usize, usize),
    parts: Vec<ValuePart>,
) -> LocalSource {
    let open = tokens.around(first).filter(|open| tokens.is(*open, b'('));
    let open = open.filter(|open| tokens.partner(*open).is_some_and(|close| before < close));
    let Some((open, called)) = open.and_then(|open| Some((open, called_at(family, tokens, open)?))) else {
        return LocalSource::Untyped;
    };
    let argument = tokens.split(open + 1, first).len();
    LocalSource::Parameter(LambdaParameter { called, argument, number, count, parts })
}

/// The type that a condition around the name at a token asks for: `if (pool instanceof Pool) pool.take()`.
pub(super) fn narrowing(tokens: &Tokens, language: &'static str, at: usize) -> Option<LocalSource> {
    let reader = DeclarationReader(LocalReader::new(tokens, language, 0), at);
    let near = (at.saturating_sub(MAX_NARROWED)..at).rev();
    let mut near = near.filter(|before| tokens.word(*before) == tokens.word(at));
    match reader.0.family {
        Family::Python => near.find_map(|before| narrowed_by_lines(tokens, before, at)),
        _ => near.find_map(|before| reader.narrowed(before, at)),
    }
}

/// The type that Python asks for of the name at `tested`, in the statement or in the lines below it: `if isinstance(pool, Pool):`.
fn narrowed_by_lines(tokens: &Tokens, tested: usize, before: usize) -> Option<LocalSource> {
    let open = tested.checked_sub(1).filter(|open| *open > 0 && tokens.word(open - 1) == "isinstance")?;
    let close = tokens.partner(open).filter(|_| tokens.is(tested + 1, b',') && tokens.is_word(tested + 2))?;
    let indent = |at: usize| tokens.at(at).and_then(|token| token.indent);
    let head = (0..open).rev().find(|at| indent(*at).is_some())?;
    let is_below = |own: u32| match tokens.word(head) {
        "assert" => Some(own) >= indent(head),
        "if" | "elif" | "while" => tokens.word(open - 2) != "not" && Some(own) > indent(head),
        _ => false,
    };
    let is_seen = (close..=before).all(|at| {
        let is_assigned = tokens.word(at) == tokens.word(before) && tokens.is(at + 1, b'=');
        indent(at).is_none_or(is_below) && !is_assigned
    });
    (is_seen && before > close).then_some(LocalSource::Written(tested + 2, close))
}

/// The nearest declaration of `name` before a token.
pub(super) fn declaration(
    tokens: &Tokens,
    language: &'static str,
    name: &str,
    before: usize,
) -> Option<LocalSource> {
    let mut reader = LocalReader::new(tokens, language, 0);
    if reader.family.calls_without_signs() {
        reader.from = (0..before).rev().find(|at| is_function_word(tokens.word(*at))).unwrap_or(0);
    }
    let reader = DeclarationReader(reader, before);
    let mut all = (reader.0.from..before).rev().filter(|at| bare(tokens.word(*at)) == bare(name));
    let found = all.find_map(|at| reader.declared(at));
    found.or_else(|| reader.implicit(name, before))
}

/// The source of the member `field` of the type whose name ends before the token `from`.
pub(super) fn member(
    tokens: &Tokens,
    language: &'static str,
    from: usize,
    field: &str,
) -> Option<LocalSource> {
    let reader = DeclarationReader(LocalReader::new(tokens, language, 0), 0);
    let mut assigned = None;
    for at in (0..tokens.len()).filter(|at| bare(tokens.word(*at)) == field) {
        match reader.member_at(at, from) {
            Some(LocalSource::Untyped) | None => {}
            Some(typed @ LocalSource::Written(..)) => return Some(typed),
            other => assigned = assigned.or(other),
        }
    }
    assigned
}

/// The source of the name at `at`, which a declaration of its own declares.
pub(super) fn source_at(tokens: &Tokens, language: &'static str, at: usize) -> LocalSource {
    DeclarationReader(LocalReader::new(tokens, language, 0), 0).source(at)
}

/// The tokens of the result of the function whose name is at `name` and whose parameters end at `close`.
pub(super) fn result(
    tokens: &Tokens,
    language: &'static str,
    name: usize,
    close: usize,
) -> Option<(usize, usize)> {
    let reader = LocalReader::new(tokens, language, 0);
    if reader.family.calls_without_signs() {
        return None;
    }
    let is_last = reader.syntax.names_first || reader.syntax.results_last;
    let mut sign = close + 1;
    while matches!(tokens.word(sign), "async" | "throws" | "rethrows" | "const" | "noexcept" | "override") {
        sign += 1;
    }
    let from = match () {
        () if tokens.is_operator(sign, "->") => sign + 2,
        () if is_last && tokens.is(sign, b':') => sign + 1,
        () if is_last => return None,
        () => {
            let mut own = name;
            while own > 2 && tokens.is_operator(own - 2, "::") && tokens.is_word(own - 3) {
                own -= 3;
            }
            return reader.type_before(own).map(|first| (first, own));
        }
    };
    let ends = |at: usize| {
        let is_body = tokens.is(at, b'{') || tokens.is(at, b';') || tokens.is(at, b'=');
        is_body
            || tokens.word(at) == "where"
            || at > from && DeclarationReader(LocalReader::new(tokens, language, 0), 0).is_line(at)
    };
    Some((from, end_of_type(tokens, from, tokens.len(), ends)))
}

/// The values that the function whose name is at `name` returns, in a language in which the body tells the type of the result.
pub(super) fn returned(tokens: &Tokens, language: &'static str, name: usize) -> Vec<(usize, usize)> {
    let reader = DeclarationReader(LocalReader::new(tokens, language, 0), 0);
    let after =
        tokens.partner(name + 1).filter(|_| tokens.is(name + 1, b'(')).map_or(name + 1, |close| close + 1);
    // `fun take() = value`, `def take = value`.
    if reader.0.syntax.lines && tokens.is(after, b'=') {
        return vec![(after + 1, reader.end_of_value(after + 1, false))];
    }
    let is_return = |at: &usize| tokens.word(*at) == "return" && !reader.0.is_any(at + 1, b";}");
    let returns =
        (after..tokens.len()).filter(is_return).map(|at| (at + 1, reader.end_of_value(at + 1, false)));
    let mut found: Vec<(usize, usize)> = returns.take(MAX_RETURNS).collect();
    let last = tokens.len().saturating_sub(1);
    if reader.0.family.calls_without_signs() && tokens.word(last) == "end" {
        let begins = |at: &usize| {
            tokens.at(*at).is_some_and(|token| token.indent.is_some()) || tokens.is(at - 1, b';')
        };
        if let Some(first) = (after..last).rev().find(begins).filter(|at| tokens.word(*at) != "return") {
            let is_equals =
                |at: usize| tokens.is(at, b'=') && !tokens.is(at + 1, b'=') && !tokens.is(at - 1, b'=');
            let equals = tokens.find(first, last, is_equals);
            found.push((if equals < last { equals + 1 } else { first }, last));
        }
    }
    found
}

/// Whether a type is written directly before a token.
fn ends_at(source: &LocalSource, end: usize) -> bool {
    matches!(source, LocalSource::Written(_, to) if *to == end)
}

/// The most tokens between a condition about a name and a use of the name.
const MAX_NARROWED: usize = 400;

/// The most values of one function that are looked at.
const MAX_RETURNS: usize = 4;

/// The reader of the declarations of a function, and the token of a use.
struct DeclarationReader<'t>(LocalReader<'t>, usize);

impl DeclarationReader<'_> {
    fn tokens(&self) -> &Tokens {
        self.0.tokens
    }

    /// What the token at `at` tells about the name at the use: the token declares that name, or a condition tests the type of that name.
    fn declared(&self, at: usize) -> Option<LocalSource> {
        let before = self.1;
        if let Some(narrowed) = self.narrowed(at, before) {
            return Some(narrowed);
        }
        let declares = self.0.declares(at) && self.0.sees(at, before);
        if !declares && !self.assigns(at) {
            return None;
        }
        let source = self.source(at);
        // A value that the name itself is in is about an earlier declaration.
        let is_in_value =
            matches!(source, LocalSource::Value(from, to, _) if from <= before && before < to && from > at);
        (!is_in_value).then_some(source)
    }

    fn source(&self, at: usize) -> LocalSource {
        if let Some(handed_out) = self.handed_out(at) {
            return handed_out;
        }
        let written = self.written(at);
        let found = written.or_else(|| self.of_pattern(at)).or_else(|| self.of_lambda(at));
        found.or_else(|| self.value(at)).unwrap_or(LocalSource::Untyped)
    }

    /// The source of a variable of C# that a call declares: `TryTake(out var pool)`.
    fn handed_out(&self, at: usize) -> Option<LocalSource> {
        let tokens = self.tokens();
        let is_declared =
            self.0.syntax.leaks && at > 1 && self.0.before(at) == "var" && self.0.before(at - 1) == "out";
        let open = tokens.around(at).filter(|open| is_declared && *open > 0 && tokens.is(*open, b'('))?;
        let argument = tokens.split(open + 1, at - 2).len();
        tokens.is_word(open - 1).then_some(LocalSource::HandedOut(open - 1, argument))
    }

    /// Whether the name is assigned in a language without declarations, also by `||=`.
    fn assigns(&self, at: usize) -> bool {
        let is_assigned = ["||=", "??="].iter().any(|sign| self.tokens().is_operator(at + 1, sign));
        self.0.assigns(at) || self.0.syntax.assigned && is_assigned
    }

    /// The type that is written before or behind the name.
    fn written(&self, at: usize) -> Option<LocalSource> {
        let (tokens, reader) = (self.tokens(), &self.0);
        let behind = |from: usize| {
            let from = if reader.is_any(from, b"?!") { from + 1 } else { from };
            let ends = |at: usize| {
                reader.is_any(at, b",=;{") || at > from && self.is_line(at) || tokens.word(at) == "where"
            };
            let end = end_of_type(tokens, from, tokens.len(), |at| {
                ends(at) || tokens.is(at, b':') && !tokens.is(at + 1, b':') || tokens.word(at) == "in"
            });
            (end > from).then_some(LocalSource::Written(from, end))
        };
        if reader.syntax.names_first {
            let is_typed = tokens.is(at + 1, b':') && !tokens.is(at + 2, b':');
            let is_cast = tokens.word(at + 1) == "as" && is_declaring(reader.before(at));
            return if is_typed || is_cast { behind(at + 2) } else { None };
        }
        if reader.family.calls_without_signs() || reader.syntax.assigned && self.is_line(at) {
            return None;
        }
        if let Some((first, end)) = reader.matched_type(at).filter(|_| reader.syntax.leaks) {
            return (tokens.word(first) != "var").then_some(LocalSource::Written(first, end));
        }
        let mut first = match reader.is_further(at) {
            true => self.statement_of(at)?,
            false => reader.type_before(at)?,
        };
        let is_modifier = |word: &str| {
            is_declaring(word) || matches!(word, "private" | "protected" | "public" | "readonly")
        };
        while first < at && (is_modifier(tokens.word(first)) || reader.is_any(first, b"*&")) {
            first += 1;
        }
        (first < at && tokens.is_word(first)).then_some(LocalSource::Written(first, at))
    }

    /// The first token of the statement that declares several names.
    fn statement_of(&self, at: usize) -> Option<usize> {
        let around = self.tokens().around(at);
        let same = (self.0.from..at).rev().take_while(|index| !self.0.is_any(*index, b";{}("));
        same.filter(|index| self.tokens().around(*index) == around).last()
    }

    /// A name of a loop, or one of several names that a value is taken apart into.
    fn of_pattern(&self, at: usize) -> Option<LocalSource> {
        let (tokens, reader) = (self.tokens(), &self.0);
        let around = tokens.around(at);
        let is_declared = |open: usize| {
            let sign = (open.saturating_sub(3)..open).rev().find(|at| !tokens.is(*at, b'&'));
            sign.is_some_and(|last| is_declaring(tokens.word(last)))
        };
        let list = around.filter(|open| reader.is_any(*open, b"([") && is_declared(*open));
        let list = reader.pattern_of_loop(at).or(list).and_then(|open| Some((open, tokens.partner(open)?)));
        let (first, end) = list.map_or((at, at + 1), |(open, close)| (open, close + 1));
        let place = list.map(|(open, _)| tokens.split(open + 1, at).len());
        let with = |from: usize, to: usize, is_element: bool| {
            let element = is_element.then_some(ValuePart::Element);
            let parts = element.into_iter().chain(place.map(ValuePart::OfTuple)).collect();
            Some(LocalSource::Value(from, to, parts))
        };
        if let Some(case) = self.of_case(at) {
            return Some(case);
        }
        let head = tokens.around(first).filter(|open| tokens.is(*open, b'('));
        let head = head.filter(|open| matches!(reader.before(*open), "for" | "foreach"));
        let head_end = head.and_then(|open| tokens.partner(open));
        if let (Some(open), Some(close)) = (head, head_end) {
            let is_colon = tokens.is(end, b':') && !tokens.is(end + 1, b':');
            let value = tokens.find(open + 1, close, |at| tokens.word(at) == "as");
            return match () {
                () if is_colon || matches!(tokens.word(end), "in" | "of") => with(end + 1, close, true),
                () if reader.before(open) == "foreach" && value < close => with(open + 1, value, true),
                () if tokens.is(end, b'=') && place.is_some() => {
                    with(end + 1, self.end_of_value(end + 1, false), false)
                }
                () => None,
            };
        }
        if tokens.word(end) == "in" {
            let mut before = first;
            while is_declaring(reader.before(before))
                || matches!(reader.before(before), "case" | "await" | "try")
            {
                before -= 1;
            }
            let is_query = reader.syntax.leaks && reader.before(before) == "from";
            let ends = |at: usize| {
                let is_clause =
                    || matches!(tokens.word(at), "from" | "group" | "join" | "let" | "orderby" | "select");
                let is_word = matches!(tokens.word(at), "do" | "where") || is_query && is_clause();
                tokens.is(at, b'{') || is_word || self.is_line(at)
            };
            let end_of_head = tokens.find(end + 1, tokens.len(), ends);
            return if is_query || reader.before(before) == "for" {
                with(end + 1, end_of_head, true)
            } else {
                None
            };
        }
        let is_assigned = tokens.is(end, b'=') && place.is_some();
        if is_assigned { with(end + 1, self.end_of_value(end + 1, false), false) } else { None }
    }

    /// A value inside of a case of Swift: `case .full(let pool):`, `case let .full(pool):`, `if case .full(let pool) = state`.
    fn of_case(&self, at: usize) -> Option<LocalSource> {
        let tokens = self.tokens();
        let open = tokens
            .around(at)
            .filter(|open| tokens.is(*open, b'(') && *open > 1 && tokens.is(open - 2, b'.'))?;
        let mut case = open - 2;
        while !matches!(tokens.word(case), "case") {
            case = case.checked_sub(1).filter(|case| open - case < 6)?;
        }
        let part = ValuePart::OfVariant(open - 1, tokens.split(open + 1, at + 1).len() - 1);
        let end = tokens.partner(open)? + 1;
        if tokens.is(end, b'=') {
            return Some(LocalSource::Value(end + 1, self.end_of_value(end + 1, true), vec![part]));
        }
        let body = tokens.around(case).filter(|body| tokens.is(*body, b'{'))?;
        let switch = (self.0.from..body).rev().take_while(|at| !self.0.is_any(*at, b"{};"));
        let switch = switch.into_iter().find(|at| tokens.word(*at) == "switch")?;
        Some(LocalSource::Value(switch + 1, body, vec![part]))
    }

    /// A parameter of a function without a name.
    fn of_lambda(&self, at: usize) -> Option<LocalSource> {
        let tokens = self.tokens();
        if !self.0.is_lambda_parameter(at) {
            return None;
        }
        let (mut first, mut number, mut end) = (at, 0, at + 1);
        while first > 1 && tokens.is(first - 1, b',') && tokens.is_word(first - 2) {
            (first, number) = (first - 2, number + 1);
        }
        let mut count = number + 1;
        while tokens.is(end, b',') && tokens.is_word(end + 1) {
            (end, count) = (end + 2, count + 1);
        }
        let open = first.checked_sub(1)?;
        Some(match () {
            () if tokens.is(open, b'|') => self.of_block(open.checked_sub(1)?, (number, count)),
            () if tokens.is(open, b'{') => self.of_block(open, (number, count)),
            // Kotlin takes one parameter apart: `{ (key, pool) -> ... }`.
            () if tokens.is(open, b'(') && open > 0 && tokens.is(open - 1, b'{') => {
                match self.0.syntax.tuples.is_empty() {
                    true => self.of_block(open - 1, (number, count)),
                    false => self.of_block(open - 1, (0, 1)).part(ValuePart::OfTuple(number)),
                }
            }
            () if tokens.is(open, b']') => {
                self.of_block(tokens.partner(open)?.checked_sub(1)?, (number, count))
            }
            () if tokens.is(open, b'(') && tokens.is(end, b')') => {
                lambda_parameter((self.0.family, tokens), open, self.1, (number, count), Vec::new())
            }
            () => lambda_parameter((self.0.family, tokens), first, self.1, (number, count), Vec::new()),
        })
    }

    /// The parameter of the block that begins at `open` and is the last argument of a call.
    fn of_block(&self, open: usize, (number, count): (usize, usize)) -> LocalSource {
        let tokens = self.tokens();
        // The value of a variable whose type is that of a function: `val take: (Pool) -> Unit = { it.take() }`.
        if let Some(equals) = open.checked_sub(1).filter(|before| tokens.is(*before, b'='))
            && let Some(name) = (self.0.from..equals).rev().find(|at| is_declaring(self.0.before(*at)))
            && let Some(LocalSource::Written(from, to)) =
                self.written(name).filter(|own| ends_at(own, equals))
        {
            return LocalSource::PartOfType(from, to, vec![ValuePart::Parameter(number)]);
        }
        let Some((called, argument)) = open.checked_sub(1).and_then(|before| called_before(tokens, before))
        else {
            return lambda_parameter((self.0.family, tokens), open, self.1, (number, count), Vec::new());
        };
        if STATEMENTS.contains(&tokens.word(called)) {
            return LocalSource::Untyped;
        }
        LocalSource::Parameter(LambdaParameter { called, argument, number, count, parts: Vec::new() })
    }

    /// The parameter that a block has without naming it: `it`, `$0`.
    fn implicit(&self, name: &str, before: usize) -> Option<LocalSource> {
        let tokens = self.tokens();
        let number = match name.strip_prefix('$') {
            Some(number) => number.parse().ok()?,
            None if name == "it" => 0,
            None => return None,
        };
        if !self.0.syntax.trailing {
            return None;
        }
        let blocks = std::iter::successors(tokens.around(before), |open| tokens.around(*open));
        let mut blocks = blocks.filter(|open| tokens.is(*open, b'{'));
        let has_none = |open: &usize| {
            let mut end = open + 1;
            while tokens.is_word(end) && tokens.is(end + 1, b',') {
                end += 2;
            }
            !(tokens.is_operator(end + 1, "->") || tokens.word(end + 1) == "in")
        };
        blocks.find_map(|open| match has_none(&open).then(|| self.of_block(open, (number, number + 1))) {
            None | Some(LocalSource::Untyped) => None,
            found => found,
        })
    }

    /// The value that the name is declared with or assigned.
    fn value(&self, at: usize) -> Option<LocalSource> {
        let (tokens, before) = (self.tokens(), self.0.before(at));
        let is_other = ["==", "=>", "=~"].iter().any(|sign| tokens.is_operator(at + 1, sign));
        // `if case let pool? = find()`.
        let is_optional =
            self.0.syntax.properties && before == "let" && tokens.is(at + 1, b'?') && tokens.is(at + 2, b'=');
        let (is_condition, at) = (self.is_condition(at), if is_optional { at + 1 } else { at });
        // A parameter of Ruby with a name and a default value: `def take(pool: Pool.new)`.
        if self.0.family.calls_without_signs() && tokens.is(at + 1, b':') && !tokens.is(at + 2, b':') {
            let close = tokens.around(at).and_then(|open| tokens.partner(open))?;
            let end = tokens.find(at + 2, close, |at| tokens.is(at, b','));
            return (end > at + 2).then_some(LocalSource::Value(at + 2, end, Vec::new()));
        }
        let is_assigned = tokens.is(at + 1, b'=') && !is_other;
        let next = ["||=", "??=", ":="].iter().find(|sign| tokens.is_operator(at + 1, sign));
        let from = match next {
            Some(sign) => at + 1 + sign.len(),
            // An object of a class without a name: `= object : Pool() { ... }`.
            None if is_assigned && tokens.word(at + 2) == "object" && tokens.is(at + 3, b':') => {
                let end = end_of_type(tokens, at + 4, tokens.len(), |at| self.0.is_any(at, b"({,"));
                return Some(LocalSource::Written(at + 4, end));
            }
            None if is_assigned => at + 2,
            None if tokens.word(at + 1) == "by" && tokens.word(at + 2) == "lazy" => {
                let open = (at + 3..tokens.len().min(at + 8)).find(|open| tokens.is(*open, b'{'))?;
                return Some(LocalSource::Value(open + 1, tokens.partner(open)?, Vec::new()));
            }
            // `if let pool {`.
            None if matches!(before, "let" | "var") && is_condition => {
                return Some(LocalSource::Value(at, at + 1, Vec::new()));
            }
            None => return None,
        };
        Some(LocalSource::Value(from, self.end_of_value(from, is_condition), Vec::new()))
    }

    /// Whether the name is declared in the condition of a statement without parentheses.
    fn is_condition(&self, at: usize) -> bool {
        let head = at.checked_sub(1).map_or("", |at| self.0.before(at));
        self.0.syntax.names_first
            && is_declaring(self.0.before(at))
            && matches!(head, "case" | "if" | "guard" | "while" | ",")
    }

    /// Whether a token begins a line that does not continue the one before, in a language whose statements end with lines.
    fn is_line(&self, at: usize) -> bool {
        let (tokens, reader) = (self.tokens(), &self.0);
        let begins = reader.syntax.lines && tokens.at(at).is_some_and(|token| token.indent.is_some());
        let continues = reader.is_any(at, b".?:&|") || at > 0 && reader.is_any(at - 1, b"=,&|+:(.");
        begins && !continues
    }

    fn end_of_value(&self, from: usize, is_condition: bool) -> usize {
        let (tokens, reader) = (self.tokens(), &self.0);
        // The type of an object that is made may have generic arguments.
        let begin = match tokens.word(from) == "new" {
            true => end_of_type(tokens, from + 1, tokens.len(), |at| reader.is_any(at, b"({[;")),
            false => from,
        };
        tokens.find(begin, tokens.len(), |at| {
            let is_modifier = at > from && reader.family.calls_without_signs();
            reader.is_any(at, b";,)]}")
                || at > from && self.is_line(at)
                || is_condition && (tokens.is(at, b'{') || tokens.word(at) == "else")
                || is_modifier && matches!(tokens.word(at), "if" | "unless" | "while" | "until" | "rescue")
        })
    }

    /// The type that a condition around `before` or ahead of it asks for: `if (pool is Pool) pool.take()`.
    fn narrowed(&self, at: usize, before: usize) -> Option<LocalSource> {
        let (tokens, reader) = (self.tokens(), &self.0);
        let is_member = at > 0 && reader.is_any(at - 1, b".>");
        let open = tokens.around(at).filter(|open| !is_member && tokens.is(*open, b'('));
        if let Some(open) = open.filter(|open| reader.before(*open) == "when") {
            return self.narrowed_by_case(tokens.partner(open)? + 1, before);
        }
        let is_not = tokens.is(at + 1, b'!') && tokens.word(at + 2) == "is" || tokens.word(at + 2) == "not";
        let word = at + 1 + usize::from(tokens.is(at + 1, b'!'));
        if is_member || !matches!(tokens.word(word), "is" | "instanceof") {
            return None;
        }
        let from = word + 1 + usize::from(tokens.word(word + 1) == "not");
        let end = end_of_type(tokens, from, tokens.len(), |at| {
            reader.is_any(at, b"&|,;:{?") || at > from && tokens.is_word(at) && !tokens.is(at - 1, b'.')
        });
        let close = open.and_then(|open| tokens.partner(open))?;
        let has_body = matches!(reader.before(open?), "if" | "while" | "elseif" | "elsif");
        let body_end = match tokens.partner(close + 1).filter(|_| tokens.is(close + 1, b'{')) {
            Some(end) => end,
            None => tokens.find(close + 1, tokens.len(), |at| {
                tokens.is(at, b';') || at > close + 1 && self.is_line(at)
            }),
        };
        let is_narrowed = match is_not {
            false => before < close || has_body && before < body_end,
            true => {
                let leaves = |at: usize| matches!(tokens.word(at), "return" | "throw" | "continue" | "break");
                has_body
                    && before >= body_end
                    && (close..body_end).any(leaves)
                    && self.0.sees(open? - 1, before)
            }
        };
        is_narrowed.then_some(LocalSource::Written(from, end))
    }

    /// The type of the case of `when` in the braces at `body` that `before` is in.
    fn narrowed_by_case(&self, body: usize, before: usize) -> Option<LocalSource> {
        let tokens = self.tokens();
        let close = tokens.partner(body).filter(|close| tokens.is(body, b'{') && before < *close)?;
        let mut arrows = (body..before.min(close)).rev();
        let arrow = arrows.find(|at| tokens.around(*at) == Some(body) && tokens.is_operator(*at, "->"))?;
        let mut heads = (body + 1..arrow).rev();
        let head =
            heads.find(|at| tokens.at(*at).is_some_and(|token| token.indent.is_some()) || *at == body + 1)?;
        (tokens.word(head) == "is").then_some(LocalSource::Written(head + 1, arrow))
    }

    /// The source of the field that the name at `at` declares, of the type whose name ends before the token `from`.
    fn member_at(&self, at: usize, from: usize) -> Option<LocalSource> {
        let (tokens, reader) = (self.tokens(), &self.0);
        if reader.family.calls_without_signs() {
            let is_field = at > 0 && tokens.is(at - 1, b'@');
            return if is_field { self.value(at) } else { None };
        }
        let is_this = at > 2 && matches!(tokens.word(at - 3), "$this");
        if is_this && tokens.is_operator(at - 2, "->") {
            return self.value(at);
        }
        let around = tokens.around(at)?;
        let is_outermost = tokens.around(around).is_none();
        // The parameters of the head of a type are fields, too, and so are those of a constructor with a visibility.
        let is_promoted = || {
            let words = (around..at).rev().take(6).take_while(|at| !tokens.is(*at, b','));
            reader.before(around) == "__construct"
                && words
                    .into_iter()
                    .any(|at| matches!(tokens.word(at), "private" | "protected" | "public" | "readonly"))
        };
        let is_field = match tokens.is(around, b'(') {
            true => is_outermost && around >= from && self.is_head(from, around) || is_promoted(),
            false => is_outermost && tokens.is(around, b'{'),
        };
        let ends = reader.is_any(at + 1, b"=;,:{[)")
            || tokens.at(at + 1).is_some_and(|next| next.indent.is_some())
            || tokens.word(at + 1) == "by";
        if !is_field
            || !ends
            || tokens.is_operator(at + 1, "==")
            || at > 0 && reader.is_any(at - 1, b".>@") && !self.is_generic_end(at - 1)
        {
            return None;
        }
        let is_declared = || is_declaring(reader.before(at)) || reader.is_further(at);
        self.written(at).or_else(|| if is_declared() { self.value(at) } else { None })
    }

    fn is_generic_end(&self, at: usize) -> bool {
        self.tokens().is(at, b'>') && !self.tokens().is_operator(at.saturating_sub(1), "->")
    }

    /// Whether the parenthesis at `open` holds the parameters of the head of a type whose name ends before `from`.
    fn is_head(&self, from: usize, open: usize) -> bool {
        (from..open).all(|at| !self.0.is_any(at, b"({:;="))
    }
}

/// The name of the function that is called before a block, and the number of the arguments before the block. The token `before` is that
/// before the block.
pub(super) fn called_before(tokens: &Tokens, before: usize) -> Option<(usize, usize)> {
    let (called, argument) = match tokens.partner(before).filter(|_| tokens.is(before, b')')) {
        Some(open) => (called_at(Family::Jvm, tokens, open)?, tokens.split(open + 1, before).len()),
        None => (called_at(Family::Jvm, tokens, before + 1)?, 0),
    };
    let is_declared = is_function_word(called.checked_sub(1).map_or("", |at| tokens.word(at)));
    (!is_declared).then_some((called, argument))
}

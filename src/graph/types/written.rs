//! Types as they are written.

use std::rc::Rc;

use super::item::ItemTokens;
use crate::definition::Definition;
use crate::family::Family;
use crate::generics::{end_of_type, generic_arguments, split_types};
use crate::tokens::{TokenKind, Tokens};

/// The name of a list or array as a type.
pub(super) const LIST: &str = "[]";

/// The name of several values as a type.
pub(super) const TUPLE: &str = "(,)";

/// The name of a function as a type, whose arguments are the types of its parameters.
pub(super) const FUNCTION: &str = "=>";

/// The name of a function with a receiver as a type, whose arguments are the types of the receiver and of the parameters.
pub(super) const METHOD: &str = ".=>";

/// The name of a type that is any of its arguments.
pub(super) const UNION: &str = "|";

/// The name of an object literal as a type. The literal begins at [`WrittenType::at`].
pub(super) const OBJECT: &str = "{}";

/// The name of an object type of the web or of a struct type of Go, which begins at [`WrittenType::at`].
pub(super) const OBJECT_TYPE: &str = "{:}";

/// The name of what the tree does not define.
const OUTSIDE: &str = "-";

/// The most names of a type that is kept with its arguments. A field of the type `P<(T, T)>` in `P<T>` doubles them.
const MAX_PARTS: usize = 64;

/// The deepest nesting of generic arguments that is read.
const MAX_NESTING: usize = 12;

/// What has a type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// An object of the type.
    #[default]
    Object,
    /// The type itself.
    Class,
    /// An object of the type with the members of the base types only.
    Base,
    /// A pointer of C to an object of the type.
    Pointer,
    /// The value that the name of the type stands for: `typeof pool`.
    Value,
    /// A module, which is these files.
    Module(Vec<u32>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenType {
    /// The file in which it is written, whose imports say what the name means.
    pub file: u32,
    /// The last part of the name; [`LIST`], [`TUPLE`] and the like for types without a name.
    pub name: Box<str>,
    /// The package or type before the name, as it is written.
    pub package: Option<Box<str>>,
    pub args: Vec<WrittenType>,
    /// The byte of the file at which it is written, where the scope says what the name means.
    pub at: u32,
    pub(super) form: Form,
    /// The definition of the type, if it is known.
    pub definition: Option<Rc<Definition>>,
    /// Whether only a name told which call or variable gives a value of the type.
    pub(super) is_guess: bool,
}

impl WrittenType {
    pub fn new(file: u32, name: &str) -> WrittenType {
        let (name, form) = (name.into(), Form::Object);
        let (package, args, definition) = (None, Vec::new(), None);
        WrittenType { file, name, package, args, at: 0, form, definition, is_guess: false }
    }

    /// A type of the tree.
    pub(super) fn of(definition: &Definition, form: Form) -> WrittenType {
        let known = Some(Rc::new(definition.clone()));
        WrittenType { form, definition: known, ..WrittenType::new(definition.file, &definition.name) }
    }

    /// Something that the tree does not define.
    pub(super) fn outside() -> WrittenType {
        WrittenType::new(u32::MAX, OUTSIDE)
    }

    pub(super) fn is_outside(&self) -> bool {
        &*self.name == OUTSIDE && self.form == Form::Object
    }

    pub(super) fn module(files: Vec<u32>) -> WrittenType {
        WrittenType { form: Form::Module(files), ..WrittenType::outside() }
    }

    pub fn with(self, args: Vec<WrittenType>) -> WrittenType {
        WrittenType { args, ..self }
    }

    /// The type, written at a byte of its file.
    pub fn placed(self, at: u32) -> WrittenType {
        WrittenType { at, ..self }
    }

    /// The type without its arguments, if they are too many to be kept.
    pub fn bounded(self) -> WrittenType {
        if self.parts() > MAX_PARTS { WrittenType { args: Vec::new(), ..self } } else { self }
    }

    /// The number of names in the type.
    fn parts(&self) -> usize {
        1 + self.args.iter().map(WrittenType::parts).sum::<usize>()
    }

    /// Replaces a name in the type and its arguments by a type.
    pub fn replace(&mut self, name: &str, by: &WrittenType) {
        if &*self.name == name {
            *self = by.clone();
            return;
        }
        for argument in &mut self.args {
            argument.replace(name, by);
        }
    }
}

/// The types that `from..to` writes: one, or several of which the type is any, or which it has as bounds.
pub(super) fn written(
    (family, file): (Family, u32),
    item: &ItemTokens,
    from: usize,
    to: usize,
) -> Vec<WrittenType> {
    let reader = TypeReader { family, file, item };
    reader.all(from, to, MAX_NESTING).into_iter().map(WrittenType::bounded).collect()
}

/// Reads types from the tokens of a file.
struct TypeReader<'t> {
    family: Family,
    file: u32,
    item: &'t ItemTokens,
}

impl TypeReader<'_> {
    fn tokens(&self) -> &Tokens {
        &self.item.tokens
    }

    fn all(&self, from: usize, to: usize, depth: usize) -> Vec<WrittenType> {
        let signs: &[u8] = match self.family {
            Family::Python | Family::Web => b"|&",
            Family::Other("php") => b"|",
            _ => b"+",
        };
        let (mut found, mut start) = (Vec::new(), from);
        while start < to {
            let ends = |at: usize| signs.iter().any(|sign| self.tokens().is(at, *sign));
            let end = end_of_type(self.tokens(), start, to, ends);
            found.extend(self.one(start, end, depth));
            start = end + 1;
        }
        found
    }

    /// The type in `from..to` as one.
    fn whole(&self, from: usize, to: usize, depth: usize) -> Option<WrittenType> {
        if !self.family.has_scopes() {
            return self.one(from, to, depth);
        }
        let mut all = self.all(from, to, depth);
        if all.len() > 1 { Some(WrittenType::new(self.file, UNION).with(all)) } else { all.pop() }
    }

    /// Whether words such as `struct` and `private` may be before a type.
    fn has_modifiers(&self) -> bool {
        !matches!(self.family, Family::Rust | Family::Go) && !self.family.has_scopes()
    }

    fn each(&self, parts: &[(usize, usize)], depth: usize) -> Vec<WrittenType> {
        parts.iter().filter_map(|(from, to)| self.whole(*from, *to, depth)).collect()
    }

    /// Several values, whose types may be unknown.
    fn tuple(&self, parts: &[(usize, usize)], depth: usize) -> WrittenType {
        let unknown = || WrittenType::new(self.file, "");
        let args = parts.iter().map(|(from, to)| self.whole(*from, *to, depth).unwrap_or_else(unknown));
        WrittenType::new(self.file, TUPLE).with(args.collect())
    }

    fn list(&self, element: Option<WrittenType>) -> WrittenType {
        WrittenType::new(self.file, LIST).with(element.into_iter().collect())
    }

    /// The first token of a type behind its signs and modifiers.
    fn after_modifiers(&self, from: usize, to: usize) -> usize {
        let tokens = self.tokens();
        let mut at = from;
        loop {
            let is_lifetime = tokens.is(at, b'\'');
            let is_sign = [b'&', b'*', b'.', b'?'].iter().any(|sign| tokens.is(at, *sign));
            let is_word = match tokens.word(at) {
                "mut" | "const" | "dyn" | "impl" | "final" | "extends" => true,
                "readonly" => !matches!(self.family, Family::Rust | Family::Go | Family::Python),
                "struct" | "class" | "enum" | "union" | "volatile" | "static" | "typename" | "mutable"
                | "constexpr" | "inline" | "extern" | "unsigned" | "params" | "ref" | "out" | "this"
                | "private" | "protected" | "public" | "internal" | "virtual" | "override" | "inout"
                | "some" | "any" | "abstract" | "sealed" | "async" | "in" | "suspend" => {
                    self.has_modifiers() && tokens.is_word(at + 1) && at + 1 < to
                }
                _ => false,
            };
            at += match () {
                () if is_lifetime => 2,
                () if tokens.is(at, b'@') => 2,
                () if is_sign || is_word => 1,
                () => return at,
            };
        }
    }

    /// The type in `from..to`, with arguments down to `depth`.
    fn one(&self, from: usize, to: usize, depth: usize) -> Option<WrittenType> {
        let (tokens, family) = (self.tokens(), self.family);
        let depth = depth.checked_sub(1)?;
        let at = self.after_modifiers(from, to);
        if at >= to {
            return None;
        }
        if family == Family::Go && (tokens.word(at) == "chan" || tokens.is_operator(at, "<-")) {
            let skips =
                |at: &usize| tokens.word(*at) == "chan" || tokens.is(*at, b'<') || tokens.is(*at, b'-');
            let held = (at..to).find(|at| !skips(at)).and_then(|held| self.one(held, to, depth));
            return Some(WrittenType::new(self.file, "chan").with(held.into_iter().collect()));
        }
        if tokens.is(at, b'(') {
            let close = tokens.partner(at)?;
            if family == Family::Web || self.has_modifiers() && tokens.is_operator(close + 1, "->") {
                return self.in_parentheses(at, close, to, depth);
            }
            let parts = split_types(tokens, at + 1, close);
            if parts.len() == 1 && !tokens.is(close - 1, b',') {
                return self.whole(parts[0].0, parts[0].1, depth);
            }
            return Some(self.tuple(&parts, depth));
        }
        if tokens.is(at, b'[') {
            let close = tokens.partner(at)?;
            return Some(match family {
                Family::Go => self.list(self.one(close + 1, to, depth)),
                Family::Python => self.tuple(&split_types(tokens, at + 1, close), depth),
                Family::Web => {
                    self.in_arrays(self.tuple(&split_types(tokens, at + 1, close), depth), close + 1, to)
                }
                _ => {
                    let end = tokens.find(at + 1, close, |at| tokens.is(at, b';') || tokens.is(at, b':'));
                    let first = self.one(at + 1, end, depth);
                    match tokens.is(end, b':') && family != Family::Rust && end < close {
                        true => WrittenType::new(self.file, "Dictionary")
                            .with([first, self.one(end + 1, close, depth)].into_iter().flatten().collect()),
                        false => self.list(first),
                    }
                }
            });
        }
        if family == Family::Web && tokens.is(at, b'{') {
            return self.object_type(at, to, depth);
        }
        if family == Family::Python && to == at + 1 {
            return match tokens.at(at)?.kind {
                TokenKind::Literal => self.quoted(at),
                _ => self.named(at, to, depth),
            };
        }
        if !tokens.is_word(at) {
            return None;
        }
        if family == Family::Go && tokens.word(at) == "struct" && tokens.is(at + 1, b'{') {
            return Some(WrittenType::new(self.file, OBJECT_TYPE).placed(self.item.byte_of(at)));
        }
        if family == Family::Go && tokens.word(at) == "map" && tokens.is(at + 1, b'[') {
            let close = tokens.partner(at + 1)?;
            let ends = [self.one(at + 2, close, depth), self.one(close + 1, to, depth)];
            return Some(WrittenType::new(self.file, "map").with(ends.into_iter().flatten().collect()));
        }
        if family == Family::Jvm
            && let Some(method) = self.method(at, to, depth)
        {
            return Some(method);
        }
        let own = self.named(at, to, depth)?;
        let is_pointer = family == Family::C && tokens.is(to - 1, b'*');
        Some(if is_pointer { WrittenType { form: Form::Pointer, ..own } } else { own })
    }

    /// A type of the web in parentheses, or a function with these parameters.
    fn in_parentheses(&self, open: usize, close: usize, to: usize, depth: usize) -> Option<WrittenType> {
        let tokens = self.tokens();
        if !["=>", "->"].iter().any(|sign| tokens.is_operator(close + 1, sign)) {
            return Some(self.in_arrays(self.whole(open + 1, close, depth)?, close + 1, to));
        }
        // What a function of the web is called on is no argument.
        let is_this = |(from, _): &(usize, usize)| self.family == Family::Web && tokens.word(*from) == "this";
        let parameters = split_types(tokens, open + 1, close).into_iter().skip_while(is_this);
        let parameters = parameters.map(|(from, to)| {
            let colon = tokens.find(from, to, |at| tokens.is(at, b':'));
            // A parameter of the web has a name.
            if colon < to || self.family == Family::Web { (colon + 1, to) } else { (from, to) }
        });
        let tuple = self.tuple(&parameters.collect::<Vec<_>>(), depth);
        Some(WrittenType::new(self.file, FUNCTION).with(tuple.args))
    }

    /// A function of Kotlin with a receiver: `Pool.(Int) -> Unit`.
    fn method(&self, from: usize, to: usize, depth: usize) -> Option<WrittenType> {
        let tokens = self.tokens();
        let open = tokens.find(from, to, |at| tokens.is(at, b'(') && tokens.is(at - 1, b'.'));
        let close =
            tokens.partner(open).filter(|close| *close < to && tokens.is_operator(close + 1, "->"))?;
        let function = self.in_parentheses(open, close, to, depth)?;
        let receiver = self.named(from, open - 1, depth)?;
        let args = std::iter::once(receiver).chain(function.args).collect();
        Some(WrittenType::new(self.file, METHOD).with(args))
    }

    /// An object type of the web. Its argument is the type behind an index signature: `{ [name: string]: Pool }`.
    fn object_type(&self, open: usize, to: usize, depth: usize) -> Option<WrittenType> {
        let (tokens, close) = (self.tokens(), self.tokens().partner(open)?);
        let key = tokens.partner(open + 1).filter(|_| tokens.is(open + 1, b'['));
        let any = key.filter(|key| tokens.is(key + 1, b':')).and_then(|key| {
            let end = end_of_type(tokens, key + 2, close, |at| tokens.is(at, b';') || tokens.is(at, b','));
            self.whole(key + 2, end, depth)
        });
        let own = WrittenType::new(self.file, OBJECT_TYPE).placed(self.item.byte_of(open));
        Some(self.in_arrays(own.with(any.into_iter().collect()), close + 1, to))
    }

    /// Arrays of a type of the web: `Pool[][]`.
    fn in_arrays(&self, mut own: WrittenType, from: usize, to: usize) -> WrittenType {
        let mut at = from;
        while at < to && self.tokens().is(at, b'[') && self.tokens().is(at + 1, b']') {
            (own, at) = (self.list(Some(own)), at + 2);
        }
        own
    }

    /// The types whose names are in a literal of Python.
    fn quoted(&self, at: usize) -> Option<WrittenType> {
        let inner = self.tokens().word(at).trim_matches(['"', '\'']);
        let is_name = |name: &&str| {
            !name.is_empty() && name.chars().all(|c| c == '_' || c == '.' || c.is_alphanumeric())
        };
        let names = inner.split('|').map(str::trim).filter(|name| *name != "None").filter(is_name);
        let mut all: Vec<WrittenType> = names.map(|name| self.at_path(name, at)).collect();
        if all.len() > 1 { Some(WrittenType::new(self.file, UNION).with(all)) } else { all.pop() }
    }

    /// The type with a dotted name that is written at a token.
    fn at_path(&self, path: &str, at: usize) -> WrittenType {
        let (package, name) =
            path.rsplit_once('.').map_or((None, path), |(before, name)| (Some(before), name));
        WrittenType {
            package: package.map(Box::from),
            at: self.item.byte_of(at),
            ..WrittenType::new(self.file, name)
        }
    }

    /// A type of Python or of the web with a name.
    fn scoped(&self, from: usize, to: usize, depth: usize) -> Option<WrittenType> {
        let tokens = self.tokens();
        let is_value = matches!(tokens.word(from), "typeof");
        match tokens.word(from) {
            "None" | "null" | "undefined" | "void" | "never" | "Any" | "any" | "unknown" | "object"
            | "keyof" | "infer" => return None,
            "Self" | "this" => return Some(WrittenType::new(self.file, "Self")),
            _ => {}
        }
        let from = if is_value { from + 1 } else { from };
        let mut end = from + 1;
        while tokens.is(end, b'.') && tokens.is_word(end + 1) && end + 1 < to {
            end += 2;
        }
        let own = self.at_path(tokens.text(from, end), from);
        if is_value {
            return Some(WrittenType { form: Form::Value, ..own });
        }
        if end >= to {
            return Some(own);
        }
        if self.family == Family::Web {
            let (parts, after) = match tokens.is(end, b'<') {
                true => generic_arguments(tokens, end, to),
                false => (Vec::new(), end),
            };
            // The type of a member is not known.
            let is_member = after < to && tokens.is(after, b'[') && !tokens.is(after + 1, b']');
            let own = own.with(self.each(&parts, depth));
            return Some(if is_member { WrittenType::outside() } else { self.in_arrays(own, after, to) });
        }
        let parts = match tokens.partner(end).filter(|_| tokens.is(end, b'[')) {
            Some(close) => split_types(tokens, end + 1, close),
            None => Vec::new(),
        };
        Some(match &*own.name {
            "Tuple" | "tuple" if !parts.is_empty() => self.tuple(&parts, depth),
            "Type" | "type" => {
                let class = self.each(&parts, depth).into_iter().next()?;
                WrittenType { form: Form::Class, ..class }
            }
            _ => own.with(self.each(&parts, depth)),
        })
    }

    /// A type with a name, which may be a path with generic arguments.
    fn named(&self, from: usize, to: usize, depth: usize) -> Option<WrittenType> {
        if self.family.has_scopes() {
            return self.scoped(from, to, depth);
        }
        let (family, file, tokens) = (self.family, self.file, self.tokens());
        let (mut at, mut name, mut args) = (from, from, Vec::new());
        loop {
            name = if tokens.is_word(at) { at } else { name };
            at += 1;
            if at < to && tokens.is(at, b'<') {
                let (parts, end) = generic_arguments(tokens, at, to);
                // What is bound is a type, too: `Iterator<Item = Pool>`.
                let is_bound = |from: &usize| family == Family::Rust && tokens.is(from + 1, b'=');
                let begin = |from: &usize| if is_bound(from) { from + 2 } else { *from };
                args = parts.iter().filter_map(|(from, to)| self.one(begin(from), *to, depth)).collect();
                at = end;
            } else if at < to && tokens.is(at, b'[') && family == Family::Go {
                let close = tokens.partner(at)?;
                args = split_types(tokens, at + 1, close)
                    .iter()
                    .filter_map(|(from, to)| self.one(*from, *to, depth))
                    .collect();
                at = close + 1;
            }
            let next = match () {
                () if tokens.is(at, b':') && tokens.is(at + 1, b':') => at + 2,
                () if tokens.is(at, b'.') && tokens.is_word(at + 1) => at + 1,
                () if tokens.is(at, b'\\') && tokens.is_word(at + 1) => at + 1,
                () => break,
            };
            if next >= to || !(tokens.is_word(next) || tokens.is(next, b'<')) {
                break;
            }
            at = if tokens.is(next, b'<') { next - 1 } else { next };
        }
        let is_entry = family == Family::Jvm && tokens.word(from) == "Map" && tokens.word(name) == "Entry";
        // A name of PHP may have its namespace before it.
        let last = tokens.word(name).rsplit('\\').next().unwrap_or_default();
        let mut named = WrittenType::new(file, if is_entry { TUPLE } else { last }).with(args);
        if family == Family::Rust && name > from + 2 {
            named.package = Some(tokens.text(from, name - 2).into());
        } else if name > from + 1 && !is_entry {
            let before = if tokens.is(name - 1, b':') { name - 3 } else { name - 2 };
            named.package = Some(tokens.word(before.max(from)).into());
        }
        if family == Family::Other("php") && matches!(&*named.name, "self" | "static") {
            named.name = "Self".into();
        }
        let is_array = self.has_modifiers() && at < to && (tokens.is(at, b'[') || tokens.is(at, b'.'));
        Some(if is_array { WrittenType::new(file, LIST).with(vec![named]) } else { named })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use spyhop_base::text::Span;

    fn shown(written: &WrittenType) -> String {
        match &written.args[..] {
            [] => written.name.to_string(),
            args => format!("{}<{}>", written.name, args.iter().map(shown).collect::<Vec<_>>().join(", ")),
        }
    }

    fn item(family: Family, text: &str) -> ItemTokens {
        let tokens = Tokens::new(family.common_language(), Arc::new(text.to_string()), &[], Rc::default());
        ItemTokens { span: Span::new(0, text.len()), tokens }
    }

    fn check(family: Family, text: &str, expected: &str) {
        let item = item(family, text);
        let found = written((family, 0), &item, 0, item.tokens.len());
        assert_eq!(found.iter().map(shown).collect::<Vec<_>>().join(" + "), expected, "{text}");
    }

    #[test]
    fn types_are_read_with_their_arguments() {
        check(Family::Rust, "&'a mut Pool", "Pool");
        check(Family::Rust, "io::Result<Vec<Pool>, fmt::Error>", "Result<Vec<Pool>, Error>");
        check(Family::Rust, "Option<&[u8]>", "Option<[]<u8>>");
        check(Family::Rust, "impl Take + Give", "Take + Give");
        check(Family::Rust, "impl Iterator<Item = &'a Pool> + 'a", "Iterator<Pool>");
        check(Family::Rust, "(Pool, Vec<(u8, Pool)>)", "(,)<Pool, Vec<(,)<u8, Pool>>>");
        check(Family::Rust, "Map<fn(u8) -> Pool, Pool>", "Map<fn, Pool>");
        check(Family::Go, "*pool.Pool", "Pool");
        check(Family::Go, "[]*Pool", "[]<Pool>");
        check(Family::Go, "map[string]*Pool", "map<string, Pool>");
        check(Family::Go, "(*Pool, error)", "(,)<Pool, error>");
        check(Family::Go, "...Pool", "Pool");
        check(Family::Jvm, "final Map<String, List<Pool>>", "Map<String, List<Pool>>");
        check(Family::Jvm, "Outer.Builder", "Builder");
        check(Family::Jvm, "Pool[]", "[]<Pool>");
        check(Family::Jvm, "suspend Pool<Int>.(own: Take) -> Unit", ".=><Pool<Int>, Take>");
        check(Family::Web, "Map<string, Pool | null>[] | Own", "[]<Map<string, Pool>> + Own");
        check(Family::Web, "((own: Pool, at?: number) => void) | null", "=><Pool, number>");
        check(Family::Web, "(this: Own, own: Pool) => void", "=><Pool>");
        check(Family::Web, "readonly [Pool, (Own | A)[]]", "(,)<Pool, []<|<Own, A>>>");
        check(Family::Python, "Optional[dict[str, Pool]]", "Optional<dict<str, Pool>>");
        check(Family::Python, "\"a.Pool | Own | None\"", "|<Pool, Own>");
        check(Family::Python, "tuple[Pool, None] | List[Own]", "(,)<Pool, > + List<Own>");
    }

    #[test]
    fn deeply_nested_types_are_read_to_a_bounded_depth() {
        for (open, close) in [("A<", ">"), ("(A, ", ")"), ("[", "]")] {
            let text = format!("{}A{}", open.repeat(50_000), close.repeat(50_000));
            let item = item(Family::Rust, &text);
            let found = written((Family::Rust, 0), &item, 0, item.tokens.len());
            let deepest = std::iter::successors(found.first(), |deeper| deeper.args.last());
            assert!((MAX_NESTING..=MAX_NESTING + 1).contains(&deepest.count()), "{open}");
        }
    }

    #[test]
    fn a_type_with_very_many_arguments_is_kept_without_them() {
        let text = format!("A<{}>", "B, ".repeat(MAX_PARTS));
        check(Family::Rust, &text, "A");
        check(Family::Rust, &text.replacen("B, ", "", MAX_PARTS - 2), "A<B, B>");
    }
}

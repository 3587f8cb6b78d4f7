//! The base types in the head of a type: those that it extends or implements, and not the arguments of generic types.

use super::syntax_facts::SyntaxFacts;

/// A base type in the head of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BaseName<'t> {
    /// The byte of the name in the head.
    pub at: usize,
    /// The last part of the name: `Base` of `module.Base<T>`.
    pub name: &'t str,
}

/// The base types in `head`, the head of the type `name` in a language.
pub(super) fn bases_of<'t>(language: &str, name: &str, head: &'t str) -> Vec<BaseName<'t>> {
    let facts = SyntaxFacts::of(language);
    if language == "rust"
        && let Some(bases) = implemented(head)
    {
        return bases;
    }
    let begin = words(head, 0).find(|(_, word)| *word == name).map(|(at, word)| at + word.len());
    let mut reader = HeadReader { head, at: begin.unwrap_or(head.len()) };
    let (mut found, mut lists, mut expects) = (Vec::new(), false, false);
    while let Some((at, part)) = reader.next_part() {
        let is_head = facts.bases.iter().any(|own| own == part);
        match part {
            "=" if facts.ends.iter().any(|own| own == "=") && !lists => {
                // A class as a value: `const A = class B extends C {}`.
                match reader.next_part() {
                    Some((_, "class")) => {}
                    _ => break,
                }
            }
            _ if facts.ends.iter().any(|own| own == part) => break,
            "(" if is_head && !lists => {
                let end = reader.partner(at);
                found.extend(arguments(head, at + 1, end));
                break;
            }
            _ if is_head => (lists, expects) = (true, true),
            "{" if lists => break,
            "(" | "[" | "{" => reader.at = reader.partner(at) + 1,
            "<" => reader.at = reader.partner(at) + 1,
            "," | "&" | "+" => expects = lists,
            _ if facts.skips.iter().any(|own| own == part) => {}
            _ if expects && is_name(part) => {
                found.push(reader.last_of_path(at, part));
                expects = false;
            }
            _ => {}
        }
    }
    found
}

/// The trait in the head of an implementation of Rust, `impl<T> module::Trait<T> for Type`; `None` for other heads.
fn implemented(head: &str) -> Option<Vec<BaseName<'_>>> {
    let at = words(head, 0).find(|(_, word)| *word == "impl")?.0 + "impl".len();
    let mut reader = HeadReader { head, at };
    let mut last = None;
    while let Some((at, part)) = reader.next_part() {
        match part {
            "for" => return Some(last.into_iter().collect()),
            "<" | "(" | "[" => reader.at = reader.partner(at) + 1,
            "{" | "where" => break,
            _ if is_name(part) && part != "const" => last = Some(BaseName { at, name: part }),
            _ => {}
        }
    }
    Some(Vec::new())
}

/// The base types among the arguments in parentheses from `from` to `to`, without named ones.
fn arguments(head: &str, from: usize, to: usize) -> Vec<BaseName<'_>> {
    let mut reader = HeadReader { head: &head[..to.min(head.len())], at: from };
    let (mut found, mut expects) = (Vec::new(), true);
    while let Some((at, part)) = reader.next_part() {
        match part {
            "," => expects = true,
            "(" | "[" | "{" => reader.at = reader.partner(at) + 1,
            _ if expects && is_name(part) => {
                let base = reader.last_of_path(at, part);
                let is_named = reader.head[reader.at..].trim_start().starts_with('=');
                found.extend((!is_named).then_some(base));
                expects = false;
            }
            // `*bases` and texts.
            _ => expects = false,
        }
    }
    found
}

fn is_word(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

fn is_name(part: &str) -> bool {
    part.starts_with(|c: char| is_word(c) && !c.is_ascii_digit())
}

/// The words of a text from a byte on, each with its byte.
fn words(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut reader = HeadReader { head: text, at: from };
    std::iter::from_fn(move || reader.next_part()).filter(|(_, part)| is_name(part))
}

/// A head that is read word by word and sign by sign.
struct HeadReader<'t> {
    head: &'t str,
    at: usize,
}

impl<'t> HeadReader<'t> {
    /// The next word or sign with its byte. Comments, texts in quotes and annotations are passed over.
    fn next_part(&mut self) -> Option<(usize, &'t str)> {
        loop {
            let rest = self.head.get(self.at..)?;
            let trimmed = rest.trim_start();
            let at = self.at + rest.len() - trimmed.len();
            let first = trimmed.chars().next()?;
            let length = self.head.len();
            let end_of = |end: Option<usize>| end.map_or(length, |end| at + end);
            if trimmed.starts_with("/*") {
                self.at = end_of(trimmed.find("*/").map(|end| end + 2));
                continue;
            }
            if trimmed.starts_with("//") || first == '#' {
                self.at = end_of(trimmed.find('\n'));
                continue;
            }
            if matches!(first, '"' | '\'') {
                let after_word = trimmed[1..].trim_start_matches(is_word);
                // A lifetime of Rust has no second quote.
                self.at = match first == '\'' && !after_word.starts_with('\'') {
                    true => self.head.len() - after_word.len(),
                    false => end_of(trimmed[1..].find(first).map(|end| end + 2)),
                };
                continue;
            }
            let length = match trimmed.find(|c| !is_word(c)).unwrap_or(trimmed.len()) {
                0 if trimmed.starts_with("::") || trimmed.starts_with("->") => 2,
                0 => first.len_utf8(),
                length => length,
            };
            self.at = at + length;
            return Some((at, &trimmed[..length]));
        }
    }

    /// The bracket that closes the one at `open`, or the end.
    fn partner(&self, open: usize) -> usize {
        let (mut reader, mut depth) = (HeadReader { head: self.head, at: open }, 0i32);
        // Elsewhere these signs compare, or bound a type.
        let has_angles = self.head[open..].starts_with('<');
        while let Some((at, part)) = reader.next_part() {
            depth += match part {
                "<" | ">" if !has_angles => 0,
                "<" | "(" | "[" | "{" => 1,
                ">" | ")" | "]" | "}" => -1,
                _ => 0,
            };
            if depth <= 0 {
                return at;
            }
        }
        self.head.len()
    }

    /// The last part of the path that begins with the word `first` at `at`: `Base` of `module.Base` and `module::Base`.
    fn last_of_path(&mut self, at: usize, first: &'t str) -> BaseName<'t> {
        let mut last = BaseName { at, name: first };
        loop {
            let before = self.at;
            let is_joined = matches!(self.next_part(), Some((_, "." | "::" | "\\")));
            match self.next_part().filter(|(_, part)| is_joined && is_name(part)) {
                Some((at, name)) => last = BaseName { at, name },
                None => {
                    self.at = before;
                    return last;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_types_are_told_from_arguments_parameters_and_bounds() {
        let check = |language: &str, name: &str, head: &str, expected: &[&str]| {
            let found = bases_of(language, name, head);
            assert!(found.iter().all(|base| head[base.at..].starts_with(base.name)), "{head}: {found:?}");
            let found: Vec<&str> = found.into_iter().map(|base| base.name).collect();
            assert_eq!(found, expected, "{head}");
        };
        check("java", "A", "public final class A extends B<C> implements D, e.F<A, G>", &["B", "D", "F"]);
        check("java", "A", "class A<T extends B & C> extends D", &["D"]);
        check("java", "A", "@X(B.class) sealed interface A extends D permits E, F", &["D"]);
        check("java", "A", "record A(B b, C<D> c) implements E", &["E"]);
        check("java", "A", "enum A", &[]);
        check("kotlin", "A", "class A<T : B>(val c: C, d: D<E>) : F(c), G by d, H<I>", &["F", "G", "H"]);
        check("kotlin", "A", "object A : B()", &["B"]);
        check("scala", "A", "case class A[T <: B](c: C) extends D(c) with E[F]", &["D", "E"]);
        check(
            "typescript",
            "A",
            "export class A<T extends B = C> extends ns.D<E> implements F, G",
            &["D", "F", "G"],
        );
        check("typescript", "A", "interface A extends B<C>, D", &["B", "D"]);
        check("typescript", "A", "type A<T> = T extends B ? C : D", &[]);
        check("typescript", "A", "const A = class extends B<C>", &["B"]);
        check("typescript", "A", "A = class Inner extends B", &["B"]);
        check("python", "A", "class A(b.B, C[D], Generic[T], metaclass=E)", &["B", "C", "Generic"]);
        check("python", "A", "class A[T: B](C)", &["C"]);
        check("python", "A", "class A", &[]);
        check("ruby", "A", "class A < B::C", &["C"]);
        check("cpp", "A", "class EXPORT A final : public B<C>, private virtual ns::D", &["B", "D"]);
        check("csharp", "A", "public class A<T>(B b) : C(b), D<E> where T : F, new()", &["C", "D"]);
        check("swift", "A", "final class A<T: B>: C<D>, E where T: F", &["C", "E"]);
        check("php", "A", "final class A extends \\B\\C implements D, E", &["C", "D", "E"]);
        check("rust", "A", "impl<T: B> c::D<E> for A<T> where T: F", &["D"]);
        check("rust", "A", "unsafe impl Send for A", &["Send"]);
        check("rust", "A", "impl<'a> A<'a>", &[]);
        check("rust", "A", "pub trait A<'a>: B<C> + 'a + D where Self: E", &["B", "D"]);
        check("dart", "A", "class A extends B<C> with D implements E", &["B", "D", "E"]);
        check("objc", "A", "@interface A : B <C, D>", &["B", "C", "D"]);
        check("solidity", "A", "contract A is B, C(1)", &["B", "C"]);
        check("go", "A", "type A struct { B }", &[]);
    }
}

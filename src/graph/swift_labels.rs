//! Overloads of Swift that differ in the labels of their arguments, which are a part of the name of a function.

use super::arguments::parts_of_list;
use super::definition::Definition;
use super::files::Graph;
use super::receiver_text::is_word;
use super::resolve::Question;

/// A parameter of a function.
#[derive(Debug, PartialEq, Eq)]
struct LabelledParameter<'t> {
    /// The label before its argument.
    label: Option<&'t str>,
    /// Whether a call may leave it out.
    has_default: bool,
    is_closure: bool,
    /// Whether it stands for several arguments.
    is_variadic: bool,
}

impl Graph<'_> {
    /// Of functions that a call of Swift may mean, those whose parameters have the labels of the call; all, if none has.
    pub(super) fn of_labels(&self, question: &Question<'_>, mut found: Vec<Definition>) -> Vec<Definition> {
        let Some((labels, has_block)) = labels(&question.facts.text[question.used.span.end as usize..])
        else {
            return found;
        };
        let fits = |own: &Definition| {
            let facts = self.facts(own.file);
            let head = facts
                .as_ref()
                .and_then(|facts| Some(facts.at(facts.symbols.get(own.place as usize)?.signature)));
            !own.kind.is_function()
                || head.is_none_or(|head| takes(&parameters(head, &own.name), &labels, has_block))
        };
        if found.iter().any(|own| own.kind.is_function() && fits(own)) {
            found.retain(fits);
        }
        found
    }
}

/// The labels of the arguments behind the name of a function, and whether a block is behind them.
fn labels(text: &str) -> Option<(Vec<Option<&str>>, bool)> {
    let has_block = |text: &str| text.trim_start_matches([' ', '\t']).starts_with('{');
    if !text.starts_with('(') {
        return has_block(text).then(|| (Vec::new(), true));
    }
    let (parts, rest) = parts_of_list(text, false)?;
    Some((parts.into_iter().map(label).collect(), has_block(rest)))
}

/// The parameters in the head of the function `name`.
fn parameters<'t>(head: &'t str, name: &str) -> Vec<LabelledParameter<'t>> {
    let after = head.find(name).map_or(0, |at| at + name.len());
    let Some(open) = head[after..].find('(') else { return Vec::new() };
    let Some((parts, _)) = parts_of_list(&head[after + open..], false) else { return Vec::new() };
    let parameter = |part: &'t str| {
        let part = part.trim_start();
        let part =
            if part.starts_with('@') { part.split_once(' ').map_or(part, |(_, rest)| rest) } else { part };
        let (names, kind) = part.split_once(':').unwrap_or((part, ""));
        let label = names.split_whitespace().next().filter(|label| *label != "_");
        let (kind, has_default) = kind.split_once('=').map_or((kind, false), |(kind, _)| (kind, true));
        let is_closure = kind.contains("->");
        LabelledParameter { label, has_default, is_closure, is_variadic: kind.trim_end().ends_with("...") }
    };
    parts.into_iter().map(parameter).collect()
}

/// Whether a function with these parameters takes arguments with these labels.
fn takes(parameters: &[LabelledParameter<'_>], labels: &[Option<&str>], has_block: bool) -> bool {
    let mut at = 0;
    for own in parameters {
        if labels.get(at).is_some_and(|label| *label == own.label) {
            at += 1;
            while own.is_variadic && labels.get(at) == Some(&None) {
                at += 1;
            }
        } else if !(own.has_default || own.is_variadic || has_block && own.is_closure) {
            return has_block && own.label.is_none() && at == labels.len();
        }
    }
    at == labels.len()
}

/// The label of an argument.
fn label(argument: &str) -> Option<&str> {
    let argument = argument.trim_start();
    let behind = argument.trim_start_matches(is_word);
    let word = &argument[..argument.len() - behind.len()];
    (!word.is_empty() && behind.trim_start().starts_with(':')).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_tell_which_overload_is_called() {
        let check = |head: &str, call: &str, expected: bool| {
            let (labels, has_block) = labels(call).unwrap();
            assert_eq!(takes(&parameters(head, "load"), &labels, has_block), expected, "{head} {call}");
        };
        check("func load(shelf: Int)", "(shelf: a(b: 1))", true);
        check("func load(box: String)", "(shelf: 1)", false);
        check("func load(_ shelf: Int, at place: Int = 1)", "(1)", true);
        check("func load(_ shelf: Int, at place: Int)", "(1)", false);
        check("func load(_ shelf: Int, at place: Int)", "(f(\"a, b: (\"), at: 2)", true);
        check("func load(shelf: Int, then: @escaping (Int) -> Void)", "(shelf: 1) { print($0) }", true);
        check("func load(_ all: Int..., last: Int)", "(1, 2, 3, last: 4)", true);
        check("func load(_ then: () -> Void)", " { run() }", true);
        check("func load()", "(shelf: 1)", false);
        check("func load<T: Own>(_ shelf: T) -> (Int, Int)", "(1)", true);
        check("func load(_ then: Action)", " { run() }", true);
    }
}

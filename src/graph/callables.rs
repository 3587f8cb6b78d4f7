//! Functions that PHP names in texts: `[$this, 'take']`, `[Pool::class, 'take']`, `usort($all, 'compare')`.

use super::receiver_text::Receiver;
use spyhop_base::text::Span;

/// The most bytes before a name that are read for the call or the list around the text.
const MAX_BEFORE: usize = 400;

/// The receiver of the function that the text in quotes around `span` names; `None` if the text names no function. `takes` are the
/// functions that take such texts.
pub(super) fn callable(text: &str, span: Span, takes: &[String]) -> Option<Receiver> {
    if takes.is_empty() {
        return None;
    }
    let (before, after) = text.get(..span.start as usize).zip(text.get(span.end as usize..))?;
    let after = after.strip_prefix(['\'', '"'])?.trim_start();
    let from = (before.len().saturating_sub(MAX_BEFORE)..).find(|at| before.is_char_boundary(*at))?;
    let path = |c: char| c == '_' || c == '\\' || c == ':' || c.is_alphanumeric();
    let name = before[from..].trim_end_matches(path);
    let qualifier = &before[from + name.len()..];
    let list = name.strip_suffix(['\'', '"'])?.trim_end();
    if let Some(first) = list.strip_suffix(',').map(str::trim_end)
        && qualifier.is_empty()
        && after.starts_with([']', ')'])
        && let Some(receiver) = first_of_list(first)
    {
        return Some(receiver);
    }
    let mut depth = 0;
    let open = list.char_indices().rev().find(|(_, c)| {
        depth += i32::from(matches!(c, ')' | ']' | '}')) - i32::from(matches!(c, '(' | '[' | '{'));
        depth < 0 || *c == ';'
    });
    let call = &list[..open.filter(|(_, c)| *c == '(')?.0];
    let called = call.rsplit(|c: char| c != '_' && !c.is_alphanumeric()).next().unwrap_or_default();
    if !takes.iter().any(|own| own == called) {
        return None;
    }
    Some(match qualifier.strip_suffix("::") {
        Some(class) => of_class(class),
        None => Receiver::Absent,
    })
}

/// The receiver that the first value of a list names, at the end of a text.
fn first_of_list(text: &str) -> Option<Receiver> {
    let word = |c: char| c == '_' || c == '$' || c == '\\' || c.is_alphanumeric();
    let is_list = |text: &str| text.trim_end().ends_with('[') || text.trim_end().ends_with("array(");
    if let Some(class) = text.strip_suffix("::class") {
        let rest = class.trim_end_matches(word);
        return is_list(rest).then(|| of_class(&class[rest.len()..]));
    }
    let rest = text.trim_end_matches(word);
    match &text[rest.len()..] {
        "$this" if is_list(rest) => Some(Receiver::This),
        variable if variable.starts_with('$') && is_list(rest) => Some(Receiver::Expression),
        _ => None,
    }
}

fn of_class(class: &str) -> Receiver {
    match class.trim_start_matches('\\') {
        "self" | "static" => Receiver::This,
        "parent" => Receiver::Base,
        _ => Receiver::Path(class.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callables_are_told_from_other_texts() {
        let check = |text: &str, expected: Option<Receiver>| {
            let at = text.find("take").unwrap();
            let found = callable(text, Span::new(at, at + 4), &["usort".to_string()]);
            assert_eq!(found, expected, "{text}");
        };
        let class = |class: &str| Some(Receiver::Path(class.into()));
        check("[$this, 'take']", Some(Receiver::This));
        check("array( $this , \"take\")", Some(Receiver::This));
        check("f([self::class, 'take'])", Some(Receiver::This));
        check("[Shop\\Pool::class, 'take']", class("Shop\\Pool"));
        check("[$pool, 'take']", Some(Receiver::Expression));
        check("usort($all, 'take')", Some(Receiver::Absent));
        check("usort(f($all), 'App\\\\take')", Some(Receiver::Absent));
        check("usort($all, 'Pool::take')", class("Pool"));
        check("other($all, 'take')", None);
        check("['a' => 'take']", None);
        check("[$this, 'take', 'more']", None);
        check("'take'", None);
    }
}

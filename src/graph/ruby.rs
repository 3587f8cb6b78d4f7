//! Local names of Ruby, which declares neither variables nor calls: a plain name is a variable after an assignment or a
//! parameter of the name in the same method, and else a call.

use super::files::BYTES_PER_STEP;
use super::steps::Steps;
use super::uses::{FileFacts, NameUse, around};
use super::words::whole_words;

/// Whether a use is a local variable or a parameter of the method around it.
pub(super) fn is_local(facts: &FileFacts, used: &NameUse, steps: &Steps) -> bool {
    if facts.at(used.span).starts_with(char::is_uppercase) {
        return false;
    }
    let mut above = around(&facts.symbols, used.owner);
    let start = above.find(|own| own.kind.is_function()).map_or(0, |own| own.span.start as usize);
    let (text, end) = (&facts.text, used.span.end as usize);
    let line_end = text[end..].find('\n').map_or(text.len(), |length| end + length);
    steps.take((line_end - start) / BYTES_PER_STEP);
    text.get(start..line_end).is_some_and(|method| is_local_in(method, end - start, facts.at(used.span)))
}

/// Whether `name` is a local variable or a parameter at the end of `method`, the text of a method up to a use and to the end of
/// the line of the use. `end` is the end of the use.
fn is_local_in(method: &str, end: usize, name: &str) -> bool {
    whole_words(method, name).into_iter().take_while(|own| own.end as usize <= end).any(|own| {
        let (before, after) = (&method[..own.start as usize], &method[own.end as usize..]);
        let line = before.rsplit('\n').next().unwrap_or(before).trim_start();
        if before.ends_with(['.', ':', '@', '$']) {
            return false;
        }
        is_assigned(line, after) || is_block_parameter(line, after) || is_parameter(line)
    })
}

/// Whether an assignment follows: `a = 1`, `a += 1`, `a ||= 1`, `a, b = 1, 2`.
fn is_assigned(line: &str, after: &str) -> bool {
    let rest = after.lines().next().unwrap_or_default();
    // Other variables of a list.
    let is_of_list = |c: char| c.is_alphanumeric() || matches!(c, '_' | ',' | ' ' | '*' | '@');
    let rest = match rest.trim_start().starts_with(',') && line.chars().all(is_of_list) {
        true => rest.trim_start_matches(is_of_list),
        false => rest.trim_start(),
    };
    let signs = ["||", "&&", "<<", "**", "+", "-", "*", "/", "|", "&"];
    let rest = signs.iter().find_map(|sign| rest.strip_prefix(sign)).unwrap_or(rest);
    let is_rescued = line.trim_end().ends_with("=>") && line.starts_with("rescue");
    is_rescued || rest.strip_prefix('=').is_some_and(|rest| !rest.starts_with(['=', '~', '>']))
}

/// Whether the name is between the bars of a block: `{ |a, (b, c)| ... }`, `do |a|`; or the variable of a loop.
fn is_block_parameter(line: &str, after: &str) -> bool {
    let opens = line.rfind('|').is_some_and(|at| {
        let before = line[..at].trim_end();
        before.ends_with('{') || before == "do" || before.ends_with(" do")
    });
    let closes = after.split(['\n']).next().is_some_and(|rest| rest.contains('|'));
    (opens && closes) || line.starts_with("for ") && !line.contains(" in ")
}

/// Whether the name is a parameter of the method that the line begins.
fn is_parameter(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("def ") else { return false };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '?' | '!' | '=');
    let parameters = rest.trim_start().trim_start_matches(is_name);
    parameters.starts_with(['(', ' ']) && !parameters.contains([')', ';', '='])
}

#[cfg(test)]
mod tests {
    use super::is_local_in;

    #[test]
    fn a_name_is_local_after_an_assignment_or_a_parameter() {
        let check = |text: &str, expected: bool| {
            let end = text.find('^').expect("the use ends there");
            assert_eq!(is_local_in(&text.replacen('^', "", 1), end, "count"), expected, "{text}");
        };
        check("def a\n  count^ + 1", false);
        check("def a\n  count^ = 1", true);
        check("def a\n  count = 1\n  count^", true);
        check("def a\n  count ||= 1\n  count^", true);
        check("def a\n  self.count = 1\n  count^", false);
        check("def a\n  @count = 1\n  count^", false);
        check("def a\n  count == 1\n  count^", false);
        check("def a\n  one, count = two\n  count^", true);
        check("def a\n  put one, count\n  count^", false);
        check("def a(count)\n  count^", true);
        check("def a one, count\n  count^", true);
        check("def a(one = count^)", false);
        check("def count\n  count^", false);
        check("def a\n  all.each { |one, count| put count^ }", true);
        check("def a\n  all.each do |count|\n    put count^\n  end", true);
        check("def a\n  one || count^ || two", false);
        check("def a\n  rescue Error => count\n  count^", true);
        check("def a\n  for count in all\n    count^", true);
    }
}

//! Schedulers: functions that run a function later which is given to them as a value, as `send.delay(1)` and `setTimeout(send, 5)`.
//!
//! A use of a function in such a place is followed like a call. The names are data, in `frameworks/schedulers.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::files::Graph;
use super::questions::GraphEdge;

/// The most bytes between the call of a scheduler and the function that is its argument.
const MAX_BEFORE: usize = 200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SchedulerFile {
    scheduler: Vec<Scheduler>,
}

/// The names of schedulers of some languages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scheduler {
    languages: Vec<String>,
    members: Vec<String>,
    functions: Vec<String>,
    #[cfg_attr(not(test), allow(dead_code, reason = "it is for those who read the file"))]
    source: String,
}

static SCHEDULERS: LazyLock<Vec<Scheduler>> = LazyLock::new(|| {
    let file: SchedulerFile =
        toml::from_str(include_str!("frameworks/schedulers.toml")).expect("a test reads it");
    file.scheduler
});

impl Graph<'_> {
    /// Whether a use of a function as a value gives the function to a scheduler.
    pub(super) fn is_scheduled(&self, edge: &GraphEdge) -> bool {
        let language = self.language(edge.file);
        let Some(facts) = self.facts(edge.file).filter(|_| edge.is_value && self.steps.take(MAX_BEFORE))
        else {
            return false;
        };
        let of_language = SCHEDULERS.iter().filter(|own| own.languages.iter().any(|known| known == language));
        let (before, after) =
            (&facts.text[..edge.span.start as usize], &facts.text[edge.span.end as usize..]);
        let (member, function) = (called_member(after), called_function(before));
        of_language.into_iter().any(|own| {
            let has = |names: &[String], name: Option<&str>| {
                name.is_some_and(|name| names.iter().any(|own| own == name))
            };
            has(&own.members, member) || has(&own.functions, function)
        })
    }
}

fn is_word(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

/// The name of the member of a function that is called: `delay` of `.delay(1)`.
fn called_member(after: &str) -> Option<&str> {
    let member = after.strip_prefix('.')?;
    let end = member.find(|c| !is_word(c))?;
    member[end..].starts_with('(').then(|| &member[..end])
}

/// The name of the function whose arguments are open at the end of a text: `setTimeout` of `setTimeout(`.
fn called_function(before: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, sign) in before.char_indices().rev().take(MAX_BEFORE) {
        match sign {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            '(' => {
                let name = before[..at].trim_end();
                let start = name.trim_end_matches(is_word).len();
                return Some(&name[start..]).filter(|name| !name.is_empty());
            }
            '[' | '{' | ';' => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedulers_are_read_beside_the_name_of_a_function() {
        assert_eq!(called_member(".delay(1)"), Some("delay"));
        assert_eq!(called_member(".delay"), None);
        assert_eq!(called_function("pool.submit("), Some("submit"));
        assert_eq!(called_function("Thread(name=f(1), target="), Some("Thread"));
        assert_eq!(called_function("x = ["), None);
        assert!(SCHEDULERS.iter().all(|own| own.source.starts_with("https://") && !own.languages.is_empty()));
    }
}

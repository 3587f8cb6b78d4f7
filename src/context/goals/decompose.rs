//! The division of a task into goals, by a small grammar of English; the words are data.

use super::clauses::{self, Clause, clauses_of};
use spyhop_search::query::Query;

/// The most goals of a task. Further clauses are added to the last goal.
pub(crate) const MAX_GOALS: usize = 5;

/// A part of a task that can be searched by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goal {
    /// The query: the clause as typed, with pronouns replaced by what they mean.
    pub text: String,
    /// The verb that says what to do, such as `add`.
    pub verb: Option<String>,
    /// The object of the verb, without the qualifiers.
    pub object: String,
    /// Where, when and why: the parts behind `in`, `so that`, `because` and the like.
    pub qualifiers: Vec<String>,
    /// The names of code in the text.
    pub names: Vec<String>,
    /// The quoted parts of the text, and its code spans.
    pub literals: Vec<String>,
}

impl Goal {
    /// A task as one goal, with its text as typed.
    pub fn whole(task: &str) -> Goal {
        let clause = clauses_of(task).into_iter().next().unwrap_or_default();
        goal(task.trim().to_string(), clause)
    }
}

/// Divides a task into goals, in the order of the text. A text without words has no goals.
pub(crate) fn decompose(task: &str) -> Vec<Goal> {
    let task = task.trim();
    if task.is_empty() {
        return Vec::new();
    }
    // A report, such as an issue with a stack trace, is one question with much evidence.
    let is_report = Query::parse(task).is_ok_and(|query| query.is_report && !query.frames.is_empty());
    let mut clauses = if is_report { Vec::new() } else { clauses_of(task) };
    if clauses.len() < 2 {
        let only = clauses.pop().unwrap_or_default();
        return vec![goal(task.to_string(), only)];
    }
    let mut goals: Vec<Goal> = Vec::new();
    for clause in clauses {
        let text = clause.query(goals.last().map(|last| last.object.as_str()));
        let is_full = goals.len() == MAX_GOALS;
        match goals.last_mut().filter(|_| is_full) {
            Some(last) => {
                last.text.push_str(", ");
                last.text.push_str(&text);
            }
            None => goals.push(goal(text, clause)),
        }
    }
    goals
}

fn goal(text: String, clause: Clause<'_>) -> Goal {
    let names = Query::parse(&text).map(|query| query.names).unwrap_or_default();
    Goal {
        verb: clause.verb.map(str::to_lowercase),
        object: clause.object.to_string(),
        qualifiers: clause.qualifiers.iter().map(|part| part.to_string()).collect(),
        literals: clauses::literals_of(&text),
        names,
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(task: &str) -> Vec<String> {
        decompose(task).into_iter().map(|goal| goal.text).collect()
    }

    #[track_caller]
    fn check(task: &str, expected: &[&str]) {
        assert_eq!(texts(task), expected, "{task}");
    }

    #[test]
    fn a_text_with_one_goal_stays_as_typed() {
        for task in [
            "where is provider auth resolved?",
            "read and write of the cache file",
            "fix and test the parser",
            "rename the options and flags of grep",
            "Engine::search",
            "a lock that is taken twice, once by the reader",
            "the color of matches in red and bold",
            "make the index fast and complete",
            "parse the header and request body",
            "read the commit and link tables",
        ] {
            check(task, &[task]);
        }
        assert!(decompose("  ").is_empty());
    }

    #[test]
    fn conjunctions_before_a_verb_divide() {
        check(
            "add a retry limit to uploads and show it in the status page",
            &["add a retry limit to uploads", "show a retry limit in the status page"],
        );
        check(
            "Parse the header, then validate the checksum and finally write the record",
            &["Parse the header", "validate the checksum", "write the record"],
        );
    }

    #[test]
    fn a_verb_that_is_also_an_adjective_or_a_noun_divides_before_its_object() {
        check(
            "validate UUID parameters more strictly and complete file paths in fish",
            &["validate UUID parameters more strictly", "complete file paths in fish"],
        );
        check(
            "persist skill enable state per workspace and log every shell cancel",
            &["persist skill enable state per workspace", "log every shell cancel"],
        );
        check(
            "raise the upload limit and queue the rest of the files",
            &["raise the upload limit", "queue the rest of the files"],
        );
    }

    #[test]
    fn sentences_and_list_items_divide() {
        check(
            "Add a flag --limit. The docs should list the flag; update tests of the parser",
            &["Add a flag --limit", "The docs should list the flag", "update tests of the parser"],
        );
        check("- cache the outline\n- mask secrets\n", &["cache the outline", "mask secrets"]);
        check("1. cache the outline\n2) mask secrets", &["cache the outline", "mask secrets"]);
    }

    #[test]
    fn a_verb_behind_do_not_is_a_verb_whatever_it_is() {
        for task in
            ["do not extend the session of a disabled user", "Don’t leak the session", "never retry it"]
        {
            let goals = decompose(task);
            assert_eq!((goals.len(), &*goals[0].text), (1, task));
            assert!(["extend", "leak", "retry"].contains(&goals[0].verb.as_deref().unwrap()), "{goals:?}");
        }
        check(
            "do not extend the session of a user and must also log the attempt",
            &["do not extend the session of a user", "must also log the attempt"],
        );
        check("do notation of the parser", &["do notation of the parser"]);
        assert_eq!(decompose("do notation of the parser")[0].verb, None);
    }

    #[test]
    fn enumerations_behind_one_verb_divide() {
        check(
            "document the retry limit, the upload queue and the status page",
            &["document the retry limit", "document the upload queue", "document the status page"],
        );
    }

    #[test]
    fn quoted_parts_code_and_file_names_are_whole() {
        check(
            "explain `read and write, then flush`. Fix \"cannot open. and close\" in src/io.rs",
            &["explain `read and write, then flush`", "Fix \"cannot open. and close\" in src/io.rs"],
        );
        let goals = decompose("print the `retry_limit` and log \"gave up\"");
        assert_eq!(goals[0].literals, ["retry_limit"]);
        assert_eq!(goals[0].names, ["retry_limit"]);
        assert_eq!(goals[1].literals, ["gave up"]);
    }

    #[test]
    fn a_goal_has_verb_object_and_qualifiers() {
        let goals =
            decompose("add a retry limit to uploads because servers fail and show it in the status page");
        assert_eq!(goals[0].verb.as_deref(), Some("add"));
        assert_eq!(goals[0].object, "a retry limit");
        assert_eq!(goals[0].qualifiers, ["to uploads", "because servers fail"]);
        assert_eq!(goals[1].qualifiers, ["in the status page"]);
    }

    #[test]
    fn further_clauses_join_the_last_goal() {
        let task = "add a. drop b. move c. show d. test e. print f";
        let goals = texts(task);
        assert_eq!(goals.len(), MAX_GOALS);
        assert_eq!(goals[4], "test e, print f");
    }

    #[test]
    fn a_report_with_frames_is_one_goal() {
        let task = "Upload fails and status shows nothing\n\nTraceback (most recent call last):\n  File \"up/load.py\", \
                    line 30, in send\n    raise Failure(path)\nFailure: cannot send the file to the server. It worked \
                    before the update and shows the wrong status since then, so please add a test and fix it.";
        assert_eq!(texts(task), [task]);
    }
}

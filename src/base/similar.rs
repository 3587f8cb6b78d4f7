//! The name that a misspelled name probably means, for errors that list the choices.
//!
//! Letter case is ignored, and two swapped letters are one edit. The module compares whole names; the index looks up
//! similar words of a tree by itself.

/// The choice with the fewest edits from `typed`, the first of equal ones; `None` if more than a third of the letters
/// differ.
pub fn most_similar<'c>(typed: &str, choices: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let typed = typed.to_lowercase();
    let most = (typed.chars().count() / 3).max(1);
    let edits = |choice: &&str| strsim::osa_distance(&choice.to_lowercase(), &typed);
    let nearest = choices.into_iter().min_by_key(edits)?;
    let is_near = edits(&nearest) <= most && typed.chars().count() > 1;
    is_near.then_some(nearest)
}

/// Sorts `choices` by the number of edits from `typed`; equal ones keep their order.
pub fn sort(choices: &mut [String], typed: &str) {
    let typed = typed.to_lowercase();
    choices.sort_by_cached_key(|choice| strsim::osa_distance(&choice.to_lowercase(), &typed));
}

/// The end of an error about the unknown name `typed`; empty if no choice is similar.
pub fn did_you_mean<'c>(typed: &str, choices: impl IntoIterator<Item = &'c str>) -> String {
    most_similar(typed, choices).map(|choice| format!("; did you mean '{choice}'?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_keys_is_recognized() {
        let kinds = ["fn", "struct", "class", "trait"];
        let check = |typed: &str, expected: Option<&str>| {
            assert_eq!(most_similar(typed, kinds), expected, "{typed}");
        };
        check("strct", Some("struct"));
        check("Sturct", Some("struct"));
        check("klass", Some("class"));
        check("fnn", Some("fn"));
        check("nothing", None);
        check("x", None);
        check("", None);
        assert_eq!(did_you_mean("trati", kinds), "; did you mean 'trait'?");
        assert_eq!(did_you_mean("trati", []), "");
        let mut sorted = ["trait", "class", "fn"].map(str::to_string);
        sort(&mut sorted, "Clas");
        assert_eq!(sorted, ["class", "trait", "fn"]);
    }
}

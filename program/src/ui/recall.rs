//! Going back through the history of query lines.

/// Where in the history the query line comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recalled {
    /// What was typed before; only lines that contain it are recalled.
    typed: String,
    /// The position of the recalled line in the history; `None` for the typed line.
    at: Option<usize>,
}

impl Recalled {
    /// At the typed line.
    pub fn new(typed: &str) -> Recalled {
        Recalled { typed: typed.to_string(), at: None }
    }

    /// One line back, or forward if `back` is negative, and the line that is there; `None` if there is no further line.
    pub fn step(self, history: &[String], back: i32) -> (Recalled, Option<String>) {
        let fits = |at: &usize| history[*at].contains(self.typed.trim()) && history[*at] != self.typed;
        let now = self.at.unwrap_or(history.len()).min(history.len());
        if back > 0 {
            return match (0..now).rev().find(fits) {
                Some(at) => (Recalled { at: Some(at), ..self }, Some(history[at].clone())),
                None => (self, None),
            };
        }
        match (now + 1..history.len()).find(fits) {
            Some(at) => (Recalled { at: Some(at), ..self }, Some(history[at].clone())),
            None => {
                let typed = self.typed.clone();
                (Recalled { at: None, ..self }, Some(typed))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_contain_what_was_typed_are_recalled() {
        let history = ["auth key", "paint", "key ring"].map(str::to_string);
        let mut recalled = Recalled::new("key");
        let mut check = |back: i32, expected: Option<&str>| {
            let (next, line) = recalled.clone().step(&history, back);
            recalled = next;
            assert_eq!(line.as_deref(), expected);
        };
        check(1, Some("key ring"));
        check(1, Some("auth key"));
        check(1, None);
        check(-1, Some("key ring"));
        check(-1, Some("key"));
        check(-1, Some("key"));
        check(1, Some("key ring"));
        assert_eq!(Recalled::new("").step(&[], 1).1, None);
    }
}

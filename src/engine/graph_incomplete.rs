//! Why the answer of the code graph may lack edges: the index is being built, or the question looked at a part only.

use super::api::*;
use super::graph::{Answered, GraphAnswer, MAX_DEFINITIONS, MAX_DEPTH, MAX_WORK};
use super::graph_mentions::MAX_NAMES;
use super::open_index::Viewed;
use spyhop_graph::{Definition, MAX_MEANINGS};

impl GraphAnswer<'_, '_> {
    /// Why an answer to a question of `depth` steps is not complete: by its mentions, or by what the graph did not follow.
    pub(super) fn open(
        &self,
        mentions: Option<&Mentions>,
        answered: &Answered,
        (question, depth): (GraphQuestion, u32),
    ) -> Option<Incomplete> {
        let mut names: Vec<&str> = answered.counted.iter().map(|own| &*own.name).collect();
        names.sort_unstable();
        names.dedup();
        let uncounted = || {
            let uncounted = names.len().saturating_sub(MAX_NAMES);
            let text = || format!("the mentions of {uncounted} further names were not counted");
            (uncounted > 0).then(|| IncompleteCause::Limit.with(text()))
        };
        let further = self.graph.undecided();
        let steps = || {
            let calls = if further == 1 { "1 call".to_string() } else { format!("{further} calls") };
            let text = match question {
                GraphQuestion::Callees => "may be of definitions of the tree",
                _ => "with names on the way may be further steps",
            };
            (further > 0)
                .then(|| IncompleteCause::Undecided.with(format!("{calls} {text}, and no rule decides")))
        };
        let of_mentions = match mentions {
            Some(own) => own.incomplete().or_else(uncounted).or_else(steps),
            None if answered.paths.is_empty() => steps(),
            None => None,
        };
        of_mentions
            .or_else(|| self.unfollowed(question, depth))
            .or_else(|| self.unknown_types(question, &answered.definitions))
    }

    /// That a target has too many definitions to look for the uses of all.
    pub(super) fn too_many(&self, definitions: &[SymbolRow]) -> Option<Incomplete> {
        let first = definitions.first()?;
        let text = format!(
            "'{}' has {} definitions, and a question follows up to {MAX_DEFINITIONS}: name one of them with its file, as in \
             '{}#{}'",
            first.name,
            definitions.len(),
            first.path,
            first.qualified(),
        );
        Some(IncompleteCause::Limit.with(text))
    }

    /// That the limit of steps kept a question from following symbols.
    fn unfollowed(&self, question: GraphQuestion, depth: u32) -> Option<Incomplete> {
        use GraphQuestion::{Impact, Implementations, Tests};
        let unfollowed = self.graph.unfollowed();
        let is_followed = unfollowed == 0 || !matches!(question, Impact | Implementations | Tests);
        let text = || {
            format!(
                "{unfollowed} symbols at {depth} steps were not followed further; a depth of up to {MAX_DEPTH} \
                 follows them"
            )
        };
        let values = self.graph.unfollowed_values();
        let text_of_values =
            || format!("the uses of {values} functions on the way as values were not looked for");
        let of_values = (values > 0).then(|| IncompleteCause::Limit.with(text_of_values()));
        (!is_followed).then(|| IncompleteCause::Limit.with(text())).or(of_values)
    }

    /// That further types may extend or implement a type.
    fn unknown_types(&self, question: GraphQuestion, asked: &[Definition]) -> Option<Incomplete> {
        let is_asked = question == GraphQuestion::Implementations;
        let unsure = self.graph.unsure_bases();
        let structural = |own: &Definition| self.graph.is_structural(own).unwrap_or(true);
        let text = match unsure {
            0 if asked.iter().any(structural) => {
                "types that have the members of the interface without naming it are not listed".to_string()
            }
            0 => return None,
            1 => "1 type names a base type of this name, and no rule decides which one".to_string(),
            unsure => format!("{unsure} types name a base type of this name, and no rule decides which one"),
        };
        is_asked.then(|| IncompleteCause::Undecided.with(text))
    }

    /// How much of the tree is indexed, if that is not all.
    pub(super) fn partial(&self) -> Option<String> {
        let building = Viewed::from_snapshot(self.snapshot).building()?;
        let done = building.files.saturating_sub(building.text_only);
        Some(format!(
            "the index is being built: {done} of {} files have their structure",
            building.total_files
        ))
    }

    /// That uses have more meanings than were looked at.
    fn crowded(&self) -> Option<String> {
        let crowded = self.graph.crowded();
        (crowded > 0).then(|| {
            format!(
                "{crowded} uses may mean more than {MAX_MEANINGS} definitions each; the {MAX_MEANINGS} nearest ones are \
                 considered"
            )
        })
    }

    /// Why edges may be missing.
    pub(super) fn incomplete(&self) -> Option<Incomplete> {
        let (left_out, further) = (self.graph.left_out(), self.graph.further());
        let unread = match (left_out, further) {
            _ if self.graph.is_cut() => Some(
                "the names have so many definitions and uses that the question stopped after its budget of steps: limit \
                 the depth, or name the symbol more precisely"
                    .to_string(),
            ),
            (0, 0) => self.crowded(),
            (0, further) => Some(format!(
                "{further} more files use the name; nearer files have enough rows: more max_results read more files"
            )),
            (left_out, _) => Some(format!(
                "{left_out} more files use these names; a question reads up to {MAX_WORK} files, nearest first: limit \
                 the depth, or name the symbol more precisely"
            )),
        };
        match (self.partial(), unread) {
            (Some(partial), Some(unread)) => {
                Some(IncompleteCause::Indexing.with(format!("{partial}; {unread}")))
            }
            (Some(partial), None) => Some(IncompleteCause::Indexing.with(partial)),
            (None, unread) => unread.map(|unread| IncompleteCause::Limit.with(unread)),
        }
    }
}

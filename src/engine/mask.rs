//! Masking of secrets in a reply before it leaves the engine.
//!
//! Lines of files are masked where they are read, because the mask depends on the surrounding text: in [`spyhop_grep`]
//! for the exact search, in `answer` for hits. This module masks the other texts of a reply that come from files:
//! names, reasons, and patterns of ignore files. Paths are not masked, because a masked path cannot be opened. Texts of
//! the request are not masked either.

use super::api::*;
use super::core::Engine;
use spyhop_base::model::Skipped;
use spyhop_files::walk;
use spyhop_grep::secrets::{self, SecretMask};

impl Engine {
    /// The mask for the file at `path` with the text `source`; `None` if the policy shows secrets.
    pub(super) fn secret_mask(&self, path: &str, source: &str) -> Option<SecretMask> {
        let cover = || SecretMask::new(path, walk::holds_secrets(path), secrets::blocks(source.as_bytes()));
        (!self.policy().show_secrets).then(cover)
    }

    /// Masks texts that come from files, unless the policy shows secrets.
    pub(super) fn mask<'t>(&self, texts: impl IntoIterator<Item = &'t mut String>) {
        if !self.policy().show_secrets {
            texts.into_iter().for_each(secrets::mask_text);
        }
    }

    pub(super) fn masked_search(&self, mut reply: SearchReply) -> SearchReply {
        reply.results.iter_mut().for_each(|hit| self.mask_hit(hit));
        self.mask(&mut reply.warnings);
        reply
    }

    fn mask_hit(&self, hit: &mut Hit) {
        let callers = hit.callers.iter_mut().flat_map(|callers| &mut callers.names);
        self.mask(
            hit.symbol.iter_mut().chain(hit.reasons.iter_mut().map(|reason| &mut reason.text)).chain(callers),
        );
    }

    pub(super) fn masked_symbols(&self, mut reply: SymbolsReply) -> SymbolsReply {
        for row in &mut reply.symbols {
            self.mask([&mut row.name].into_iter().chain(&mut row.container));
        }
        self.mask(&mut reply.warnings);
        reply
    }

    pub(super) fn masked_graph(&self, mut reply: GraphReply) -> GraphReply {
        self.mask_rows(reply.rows.iter_mut().chain(reply.paths.iter_mut().flatten()));
        for own in &mut reply.definitions {
            self.mask([&mut own.name].into_iter().chain(&mut own.container));
        }
        self.mask(reply.tests.iter_mut().map(|test| &mut test.reason));
        reply.entries.iter_mut().for_each(|entry| self.mask_entry(entry));
        self.mask(&mut reply.warnings);
        reply
    }

    /// Masks the names of rows of the code graph, whose lines are masked already.
    pub(super) fn mask_rows<'r>(&self, rows: impl IntoIterator<Item = &'r mut GraphRow>) {
        let ends = rows.into_iter().flat_map(|row| {
            let to = match &mut row.to {
                GraphEnd::Symbol(symbol) | GraphEnd::Removed(symbol) => Some(symbol),
                GraphEnd::File(_) | GraphEnd::Outside(_) => None,
            };
            row.from.iter_mut().chain(to)
        });
        for own in ends {
            self.mask([&mut own.name].into_iter().chain(&mut own.container));
        }
    }

    pub(super) fn masked_entries(&self, mut reply: EntriesReply) -> EntriesReply {
        reply.rows.iter_mut().for_each(|entry| self.mask_entry(entry));
        self.mask(&mut reply.warnings);
        reply
    }

    fn mask_entry(&self, row: &mut EntryRow) {
        self.mask([&mut row.name, &mut row.handler]);
        let definition = row.definition.iter_mut();
        self.mask(definition.flat_map(|own| [&mut own.name].into_iter().chain(&mut own.container)));
    }

    /// The lines of the reply are masked already.
    pub(super) fn masked_grep(&self, mut reply: GrepReply) -> GrepReply {
        let enclosing = reply.lines.iter_mut().filter_map(|line| line.enclosing.as_mut());
        self.mask(enclosing.map(|enclosing| &mut enclosing.name));
        reply
    }

    /// The lines of the reply are masked already.
    pub(super) fn masked_read(&self, mut reply: ReadReply) -> ReadReply {
        let (rows, warnings) = match &mut reply {
            ReadReply::Text(text) => (text.symbol.iter_mut().collect(), &mut text.warnings),
            ReadReply::Choices(choices) => {
                (choices.choices.iter_mut().collect::<Vec<_>>(), &mut choices.warnings)
            }
        };
        for row in rows {
            self.mask([&mut row.name].into_iter().chain(&mut row.container));
        }
        self.mask(warnings);
        reply
    }

    pub(super) fn masked_map(&self, mut reply: MapReply) -> MapReply {
        let symbols = reply.entries.iter_mut().flat_map(|entry| &mut entry.symbols);
        self.mask(symbols.map(|symbol| &mut symbol.name).chain(&mut reply.warnings));
        reply
    }

    pub(super) fn masked_skipped(&self, mut reply: SkippedReply) -> SkippedReply {
        self.mask(reply.entries.iter_mut().map(|entry| &mut entry.detail));
        reply
    }

    pub(super) fn masked_why_not(&self, mut answer: WhyNot) -> WhyNot {
        answer.hit.iter_mut().for_each(|hit| self.mask_hit(hit));
        match &mut answer.verdict {
            Verdict::Skipped(Skipped { detail, .. }) | Verdict::PartlyIndexed(Skipped { detail, .. }) => {
                self.mask([detail, &mut answer.text])
            }
            _ => self.mask([&mut answer.text]),
        }
        answer
    }

    pub(super) fn masked_explanation(&self, mut explanation: Explanation) -> Explanation {
        match &mut explanation.outcome {
            PathOutcome::LeftOut(row, cause) => {
                self.mask([&mut row.detail]);
                self.mask_cause(cause);
            }
            PathOutcome::PathOnly(row) => self.mask([&mut row.detail]),
            PathOutcome::Indexed | PathOutcome::Folder | PathOutcome::Missing => {}
        }
        for exception in &mut explanation.exceptions {
            self.mask_cause(&mut exception.over);
            if let OverridingRule::Rule(rule) = &mut exception.by {
                self.mask([&mut rule.pattern]);
            }
        }
        self.mask([&mut explanation.text]);
        explanation
    }

    fn mask_cause(&self, cause: &mut Cause) {
        match cause {
            Cause::Rule(rule) => self.mask([&mut rule.pattern]),
            Cause::Text(text) => self.mask([text]),
            Cause::BuiltIn(_) => {}
        }
    }
}

//! Masking of secrets in a reply before it leaves the engine.
//!
//! Lines of files are masked where they are read, because the mask depends on the surrounding text: in [`spyhop_grep`]
//! for the exact search, in `answer` for hits. This module masks the other texts of a reply that come from files:
//! names, reasons, and patterns of ignore files. Paths are not masked, because a masked path cannot be opened. Texts of
//! the request are not masked either.

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashSet;

use super::api::*;
use spyhop_base::model::Skipped;
use spyhop_context::memory::{self, NoteReason};
use spyhop_files::walk;
use spyhop_grep::secrets::{self, SecretMask};

impl CallPolicy {
    /// The mask for the file at `path` with the text `source`; `None` if the policy shows secrets.
    pub(super) fn secret_mask(self, path: &str, source: &str) -> Option<SecretMask> {
        let cover = || SecretMask::new(path, walk::holds_secrets(path), secrets::blocks(source.as_bytes()));
        (!self.show_secrets).then(cover)
    }

    /// The text `source` of the file at `path`, with the secrets in ranges of whole lines masked unless the policy shows secrets.
    pub(super) fn masked_spans<'s>(
        self,
        path: &str,
        source: &'s str,
        spans: &[Range<usize>],
    ) -> Cow<'s, str> {
        match self.show_secrets {
            true => Cow::Borrowed(source),
            false => secrets::mask_spans(source, spans, (path, walk::holds_secrets(path))),
        }
    }

    /// A reply, with the secrets in its texts masked unless the policy shows secrets.
    pub(super) fn masked<T: MaskTexts>(self, mut reply: T) -> T {
        if !self.show_secrets {
            // The hits of a page have many texts in common, such as sentences of reasons.
            let mut known: FxHashSet<String> = FxHashSet::default();
            reply.mask_texts(&mut |text| {
                if !known.contains(text) && !secrets::mask_text(text) {
                    known.insert(text.clone());
                }
            });
        }
        reply
    }
}

/// Masks one text.
pub type Mask<'m> = &'m mut dyn FnMut(&mut String);

/// A reply, or a part of one, with texts that come from files.
pub trait MaskTexts {
    /// Passes each text that comes from a file, and is not a line or a path of a file, to `mask`.
    fn mask_texts(&mut self, mask: Mask<'_>);
}

impl MaskTexts for String {
    fn mask_texts(&mut self, mask: Mask<'_>) {
        mask(self);
    }
}

impl<T: MaskTexts> MaskTexts for Option<T> {
    fn mask_texts(&mut self, mask: Mask<'_>) {
        self.iter_mut().for_each(|part| part.mask_texts(mask));
    }
}

impl<T: MaskTexts> MaskTexts for Vec<T> {
    fn mask_texts(&mut self, mask: Mask<'_>) {
        self.iter_mut().for_each(|part| part.mask_texts(mask));
    }
}

/// Types whose listed fields have texts of files. Rows of notes are masked where they are made, because their length counts
/// in a pack.
macro_rules! masked_fields {
    ($($type:ty: $($field:ident)*;)+) => {
        $(
            impl MaskTexts for $type {
                fn mask_texts(&mut self, _mask: Mask<'_>) {
                    $(self.$field.mask_texts(_mask);)*
                }
            }
        )+
    };
}

masked_fields! {
    SearchReply: results warnings;
    Hit: symbol reasons callers;
    Reason: text;
    HitCallers: names;
    WhyNot: hit verdict text;
    GrepReply: lines;
    GrepLine: enclosing;
    Enclosing: name;
    FilesReply:;
    SymbolsReply: symbols warnings;
    SymbolRow: name container;
    ReadText: symbol warnings;
    SymbolChoices: choices warnings;
    MapReply: entries warnings;
    MapEntry: symbols;
    MapSymbol: name;
    GraphReply: rows paths definitions place tests entries mentions warnings;
    GraphPlace: name candidates;
    Mentions: rows;
    MentionRow: from to;
    GraphRow: from to;
    AffectedTest: reason;
    FileGraphReply:;
    EntriesReply: rows warnings;
    EntryRow: name handler definition;
    PackReply: files left_out warnings;
    PackFile: reason units;
    PackUnit: symbol reason reasons traces;
    PackTrace: symbol;
    LeftOutPlace: symbol;
    NotesReply: warnings;
    NoteRow: note links reasons warnings;
    LinkRow: symbol;
    NoteReason: text;
    ViewsReply:;
    SemanticReply: warnings;
    Checkup:;
    Languages:;
    SkippedReply: entries warnings;
    SkippedRow: skipped;
    Skipped: detail;
    Explanation: outcome exceptions text;
    Exception: over by;
    IgnoreRule: pattern;
}

impl MaskTexts for ReadReply {
    fn mask_texts(&mut self, mask: Mask<'_>) {
        match self {
            ReadReply::Text(text) => text.mask_texts(mask),
            ReadReply::Choices(choices) => choices.mask_texts(mask),
        }
    }
}

impl MaskTexts for StatusReply {
    fn mask_texts(&mut self, _mask: Mask<'_>) {}
}

impl MaskTexts for GraphEnd {
    fn mask_texts(&mut self, mask: Mask<'_>) {
        match self {
            GraphEnd::Symbol(symbol) | GraphEnd::Removed(symbol) => symbol.mask_texts(mask),
            GraphEnd::File(_) | GraphEnd::Outside(_) => {}
        }
    }
}

impl MaskTexts for RevisionNote {
    fn mask_texts(&mut self, mask: Mask<'_>) {
        memory::texts(self).for_each(mask);
    }
}

impl MaskTexts for Verdict {
    fn mask_texts(&mut self, mask: Mask<'_>) {
        if let Verdict::Skipped(row) | Verdict::PartlyIndexed(row) = self {
            row.mask_texts(mask);
        }
    }
}

impl MaskTexts for PathOutcome {
    fn mask_texts(&mut self, mask: Mask<'_>) {
        match self {
            PathOutcome::LeftOut(row, cause) => {
                row.mask_texts(mask);
                cause.mask_texts(mask);
            }
            PathOutcome::PathOnly(row) => row.mask_texts(mask),
            PathOutcome::Indexed | PathOutcome::Folder | PathOutcome::Missing => {}
        }
    }
}

impl MaskTexts for Cause {
    fn mask_texts(&mut self, mask: Mask<'_>) {
        match self {
            Cause::Rule(rule) => rule.mask_texts(mask),
            Cause::Text(text) => mask(text),
            Cause::BuiltIn(_) => {}
        }
    }
}

impl MaskTexts for OverridingRule {
    fn mask_texts(&mut self, mask: Mask<'_>) {
        if let OverridingRule::Rule(rule) = self {
            rule.mask_texts(mask);
        }
    }
}

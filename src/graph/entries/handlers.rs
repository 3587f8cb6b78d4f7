//! The definition that a written handler names.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::framework::HandlerForm;
use super::routers::ScannedFile;
use super::scan::WrittenHandler;
use crate::definition::Definition;
use crate::files::Graph;
use crate::paths::{below, normalize};
use spyhop_base::path;
use spyhop_search::SearchError;

/// The confidence of a handler whose name stands at the definition.
const AT_DEFINITION: f32 = 0.97;

/// The confidence of a handler that is named by type and member.
const BY_MEMBER: f32 = 0.93;

/// The confidence of an entry whose handler is code of the entry, or not of the tree.
const WITHOUT_DEFINITION: f32 = 0.9;

/// One search for entries.
pub(super) struct EntrySearch<'s> {
    /// Whether handlers of a name are looked up; others stay unknown.
    pub takes_handler: &'s dyn Fn(&str) -> bool,
    /// The values of constants by their names.
    pub constants: RefCell<FxHashMap<String, Option<String>>>,
}

/// A handler: how it is written, and what it means.
#[derive(Clone, Debug)]
pub struct Handler {
    /// The name for people: that of the definition, or else as written; empty for code inside of the entry.
    pub text: String,
    /// The definition, if it is in the tree.
    pub definition: Option<Definition>,
    /// The file that the handler names, if it names a file.
    pub file: Option<u32>,
    /// The estimated probability that the definition is meant, 0 to 1.
    pub confidence: f32,
}

impl Handler {
    fn of(definition: Definition, confidence: f32) -> Handler {
        Handler { text: definition.qualified(), file: None, definition: Some(definition), confidence }
    }

    pub(super) fn unknown(text: &str) -> Handler {
        Handler { text: text.to_string(), definition: None, file: None, confidence: WITHOUT_DEFINITION }
    }

    pub(super) fn file(text: &str, file: Option<u32>) -> Handler {
        Handler { file, ..Handler::unknown(text) }
    }
}

impl Graph<'_> {
    /// The handler that a file names in writing.
    pub(super) fn handler(
        &self,
        scanned: &ScannedFile,
        written: &WrittenHandler,
        search: &EntrySearch<'_>,
    ) -> Result<Handler, SearchError> {
        match written {
            WrittenHandler::Inline => Ok(Handler::unknown("")),
            WrittenHandler::At(span) => {
                let name = scanned.facts.at(*span);
                let here = scanned
                    .symbols
                    .iter()
                    .filter(|symbol| &*symbol.name == name && symbol.span.contains(*span));
                if let Some(definition) = here.min_by_key(|symbol| symbol.span.len()) {
                    return Ok(Handler::of(definition.clone(), AT_DEFINITION));
                }
                let is_renamed = || scanned.facts.imports.bound(name).any(|(_, own)| own.exported() != name);
                if !(search.takes_handler)(name) && !is_renamed() {
                    return Ok(Handler::unknown(name));
                }
                let meant =
                    self.meant_by(scanned.file, &scanned.facts, span.start as usize, span.end as usize)?;
                let best = meant.into_iter().max_by(|(_, a), (_, b)| a.total_cmp(b));
                Ok(best.map_or_else(|| Handler::unknown(name), |(found, sure)| Handler::of(found, sure)))
            }
            WrittenHandler::Text { form, text } => self.handler_by_text(scanned.file, *form, text),
        }
    }

    pub(super) fn handler_by_text(
        &self,
        file: u32,
        form: HandlerForm,
        text: &str,
    ) -> Result<Handler, SearchError> {
        match form {
            HandlerForm::Text => Ok(Handler::unknown(text)),
            HandlerForm::File => {
                let folder = path::split(self.snapshot.path(file)).0;
                let path = normalize(&below(folder, text));
                Ok(Handler::file(text, path.and_then(|path| self.paths().file(&path))))
            }
            HandlerForm::Module => {
                let (module, name) = text.split_once(':').unwrap_or((text, "main"));
                let name = name.split(['.', ' ', '[']).next().unwrap_or(name);
                let files = self.python_module(file, module.trim());
                let found = self.reached(vec![files.clone()], name.trim())?.into_iter().next();
                Ok(match found {
                    Some(found) => Handler::of(found, AT_DEFINITION),
                    None => Handler::file(text, files.first().copied()),
                })
            }
            HandlerForm::Member => Ok(self.member_named(file, text)?),
            HandlerForm::Expression => {
                let name = text.rsplit(['.', ':']).next().unwrap_or(text);
                let all = self.definitions_in(self.family(file), name)?;
                let mut others = all.iter();
                let only = others.next().filter(|_| others.next().is_none());
                Ok(match all.in_file(file).first().or(only) {
                    Some(found) => Handler::of(found.clone(), BY_MEMBER),
                    None => Handler::unknown(text),
                })
            }
        }
    }

    /// The member of a type that `Type#member` or `Type.member` names, or else the type.
    fn member_named(&self, file: u32, text: &str) -> Result<Handler, SearchError> {
        let Some((container, member)) = text.rsplit_once(['#', '.']) else {
            return Ok(Handler::unknown(text));
        };
        let last = |name: &str| name.rsplit([':', '.']).next().unwrap_or(name).to_string();
        let wanted = last(container);
        let fits = |definition: &Definition| self.family(definition.file) == self.family(file);
        let nearness = |definition: &Definition| {
            let path = self.snapshot.path(definition.file).to_ascii_lowercase().replace('_', "");
            let parts =
                container.split("::").filter(|part| path.contains(&part.to_ascii_lowercase())).count();
            (parts, std::cmp::Reverse(path.len()))
        };
        let members = self.definitions(member)?;
        let members = members.iter().take_while(|_| self.steps.take(10)).filter(|definition| {
            fits(definition)
                && definition.container.as_deref().is_some_and(|container| last(container) == wanted)
        });
        if let Some(found) = members.max_by_key(|definition| nearness(definition)) {
            return Ok(Handler::of(found.clone(), BY_MEMBER));
        }
        let mut types = self.definitions(&wanted)?.to_vec();
        if types.is_empty() && container != wanted {
            types = self.definitions(container)?.to_vec();
        }
        let types = types
            .into_iter()
            .take_while(|_| self.steps.take(10))
            .filter(|definition| fits(definition) && !definition.kind.is_function());
        Ok(match types.max_by_key(nearness) {
            Some(found) => Handler {
                text: format!("{}.{member}", found.qualified()),
                definition: Some(found),
                file: None,
                confidence: BY_MEMBER,
            },
            None => Handler::unknown(text),
        })
    }
}

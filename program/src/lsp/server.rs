//! The life of a server: initialization, the loop over messages, shutdown.
//!
//! Notifications are handled in the order in which they come. Each request runs on a thread of its own with the documents
//! as they were when the request came, so a slow request blocks no other. A cancelled request is answered at once;
//! what its thread still finds is dropped.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lsp_server::{Notification, Request, RequestId, Response};
use lsp_types::notification::Notification as _;
use lsp_types::request::Request as _;
use lsp_types::{
    CancelParams, DidChangeTextDocumentParams, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DocumentSymbolParams, ExecuteCommandOptions, ExecuteCommandParams,
    GotoDefinitionParams, HoverParams, HoverProviderCapability, InitializeParams, NumberOrString, OneOf,
    ReferenceParams, SaveOptions, ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities, WorkspaceSymbolParams, notification, request,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use spyhop_engine::Cancel;
use spyhop_engine::api::Options;

use super::commands;
use super::documents::{OpenTexts, RequestContext};
use super::navigate::{self, CursorWord};
use super::outbox::Outbox;
use super::request_error::RequestError;
use super::roots::RootSet;
use super::symbols;
use super::text::{ColumnUnit, LinedText};
use super::uri;

/// A server of one client.
pub struct LanguageServer {
    outbox: Outbox,
    roots: Arc<RootSet>,
    unit: ColumnUnit,
    /// Whether the client understands nested symbols of a document.
    nested: bool,
    /// The folders that the client named at first, until the client says that it is initialized.
    folders: Mutex<Vec<PathBuf>>,
    documents: Mutex<OpenTexts>,
    /// The requests that are not answered yet.
    pending: Mutex<HashMap<RequestId, Cancel>>,
}

impl LanguageServer {
    /// A server for a client that initializes, and the answer to the client.
    pub fn new(params: &InitializeParams, options: Options, outbox: Outbox) -> (LanguageServer, Value) {
        let client = &params.capabilities;
        let offered = client.general.as_ref().and_then(|general| general.position_encodings.as_deref());
        let unit = ColumnUnit::agreed(offered);
        let shows_progress = client.window.as_ref().and_then(|window| window.work_done_progress);
        let text = client.text_document.as_ref();
        let nested = text.and_then(|text| text.document_symbol.as_ref());
        let nested = nested.and_then(|symbol| symbol.hierarchical_document_symbol_support);
        let roots = RootSet::new(options, outbox.clone(), shows_progress.unwrap_or(false));
        let server = LanguageServer {
            outbox,
            roots: Arc::new(roots),
            unit,
            nested: nested.unwrap_or(false),
            folders: Mutex::new(folders(params)),
            documents: Mutex::default(),
            pending: Mutex::default(),
        };
        let info = json!({ "name": "spyhop", "version": env!("CARGO_PKG_VERSION") });
        (server, json!({ "capabilities": capabilities(unit), "serverInfo": info }))
    }

    /// Handles a notification.
    pub fn notified(&self, message: Notification) {
        let method = message.method.clone();
        if let Err(error) = self.try_notified(message) {
            tracing::warn!(method, ?error, "a notification was ignored");
        }
    }

    fn try_notified(&self, Notification { method, params }: Notification) -> Result<(), RequestError> {
        match method.as_str() {
            notification::Initialized::METHOD => {
                let folders = std::mem::take(&mut *lock(&self.folders));
                folders.iter().for_each(|folder| self.roots.add(folder));
            }
            notification::Cancel::METHOD => {
                let id = match of::<CancelParams>(params)?.id {
                    NumberOrString::Number(number) => RequestId::from(number),
                    NumberOrString::String(text) => RequestId::from(text),
                };
                let pending = lock(&self.pending).remove(&id);
                if let Some(cancel) = pending {
                    cancel.cancel();
                    self.outbox.send(answer_to(id, Err(RequestError::cancelled())));
                }
            }
            notification::DidOpenTextDocument::METHOD => {
                let opened = of::<DidOpenTextDocumentParams>(params)?.text_document;
                self.keep_text(opened.uri.as_str(), opened.text);
            }
            notification::DidChangeTextDocument::METHOD => {
                let mut changed: DidChangeTextDocumentParams = of(params)?;
                // The server asks for whole texts, so the last one counts.
                if let Some(change) = changed.content_changes.pop() {
                    self.keep_text(changed.text_document.uri.as_str(), change.text);
                }
            }
            notification::DidCloseTextDocument::METHOD => {
                let closed: DidCloseTextDocumentParams = of(params)?;
                lock(&self.documents).remove(&uri::normal(closed.text_document.uri.as_str()));
            }
            notification::DidChangeWorkspaceFolders::METHOD => {
                let event = of::<DidChangeWorkspaceFoldersParams>(params)?.event;
                let path = |folder: &lsp_types::WorkspaceFolder| uri::path_of(folder.uri.as_str());
                event.removed.iter().filter_map(path).for_each(|folder| self.roots.remove(&folder));
                event.added.iter().filter_map(path).for_each(|folder| self.roots.add(&folder));
            }
            // The watch of the root or the next comparison notices what was saved.
            _ => {}
        }
        Ok(())
    }

    fn keep_text(&self, uri: &str, text: String) {
        lock(&self.documents).insert(uri::normal(uri), Arc::new(LinedText::new(text)));
    }

    /// Answers a request on a thread of its own.
    pub fn requested(self: &Arc<Self>, request: Request) {
        let (id, cancel) = (request.id.clone(), Cancel::default());
        lock(&self.pending).insert(id.clone(), cancel.clone());
        let context = RequestContext {
            roots: Arc::clone(&self.roots),
            documents: lock(&self.documents).clone(),
            unit: self.unit,
            cancel,
        };
        let (server, asked) = (Arc::clone(self), id.clone());
        let work = move || {
            let answered = catch_unwind(AssertUnwindSafe(|| server.answer(&context, request)));
            let outcome = answered.unwrap_or_else(|panic| Err(RequestError::internal(said(&*panic))));
            server.respond(asked, outcome);
        };
        if let Err(error) = std::thread::Builder::new().spawn(work) {
            self.respond(id, Err(RequestError::failed(format!("no thread for the request: {error}"))));
        }
    }

    /// Sends the answer to a request, unless the client has cancelled the request.
    fn respond(&self, id: RequestId, outcome: Result<Value, RequestError>) {
        let is_pending = lock(&self.pending).remove(&id).is_some();
        if is_pending {
            self.outbox.send(answer_to(id, outcome));
        }
    }

    fn answer(&self, context: &RequestContext, request: Request) -> Result<Value, RequestError> {
        if context.cancel.is_cancelled() {
            return Err(RequestError::cancelled());
        }
        let Request { method, params, .. } = request;
        match method.as_str() {
            request::WorkspaceSymbolRequest::METHOD => {
                let params: WorkspaceSymbolParams = of(params)?;
                Ok(json!(symbols::in_workspace(context, &params.query)?))
            }
            request::DocumentSymbolRequest::METHOD => {
                let params: DocumentSymbolParams = of(params)?;
                Ok(json!(symbols::of_document(context, params.text_document.uri.as_str(), self.nested)?))
            }
            request::GotoDefinition::METHOD => {
                let at = of::<GotoDefinitionParams>(params)?.text_document_position_params;
                let cursor = CursorWord::at(context, at.text_document.uri.as_str(), at.position);
                Ok(json!(cursor.map(|cursor| navigate::definition(context, &cursor)).transpose()?))
            }
            request::References::METHOD => {
                let params: ReferenceParams = of(params)?;
                let at = params.text_document_position;
                let cursor = CursorWord::at(context, at.text_document.uri.as_str(), at.position);
                let declared = params.context.include_declaration;
                let found = cursor.map(|cursor| navigate::references(context, &cursor, declared));
                Ok(json!(found.transpose()?))
            }
            request::HoverRequest::METHOD => {
                let at = of::<HoverParams>(params)?.text_document_position_params;
                let cursor = CursorWord::at(context, at.text_document.uri.as_str(), at.position);
                let hover = cursor.map(|cursor| navigate::hover(context, &cursor));
                Ok(json!(hover.transpose()?.flatten()))
            }
            request::ExecuteCommand::METHOD => {
                let params: ExecuteCommandParams = of(params)?;
                commands::run(context, &params.command, params.arguments)
            }
            other => Err(RequestError::method(other)),
        }
    }

    /// Cancels what still runs, before the end.
    pub fn stop(&self) {
        lock(&self.pending).drain().for_each(|(_, cancel)| cancel.cancel());
        self.roots.all().iter().for_each(|root| root.stop());
    }

    /// Releases what the next request can open again.
    pub fn rest(&self) {
        self.roots.rest();
    }
}

/// A response.
pub fn answer_to(id: RequestId, outcome: Result<Value, RequestError>) -> Response {
    match outcome {
        Ok(result) => Response { id, result: Some(result), error: None },
        Err(error) => Response { id, result: None, error: Some(error.into_response_error()) },
    }
}

/// Parameters as their type.
pub fn of<T: DeserializeOwned>(params: Value) -> Result<T, RequestError> {
    serde_json::from_value(params)
        .map_err(|error| RequestError::params(format!("the parameters are wrong: {error}")))
}

/// What a panic said.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    format!("the request failed: {}", text.unwrap_or("an internal error"))
}

/// The folders that a client names.
#[expect(deprecated, reason = "older clients name one root")]
fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    let root = || {
        let by_uri = params.root_uri.as_ref().and_then(|root| uri::path_of(root.as_str()));
        by_uri.or_else(|| params.root_path.as_deref().map(PathBuf::from))
    };
    match &params.workspace_folders {
        Some(folders) if !folders.is_empty() => {
            folders.iter().filter_map(|folder| uri::path_of(folder.uri.as_str())).collect()
        }
        _ => root().into_iter().collect(),
    }
}

fn capabilities(unit: ColumnUnit) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(unit.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::FULL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
            ..TextDocumentSyncOptions::default()
        })),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![commands::SEARCH.to_string(), commands::GREP.to_string()],
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            ..WorkspaceServerCapabilities::default()
        }),
        ..ServerCapabilities::default()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

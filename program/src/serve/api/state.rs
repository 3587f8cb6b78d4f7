//! The state of the server and of its trees.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use spyhop_engine::Engine;
use spyhop_engine::api::State;

use super::super::ask::Ask;
use super::super::reply::ApiError;
use super::super::site::{PageSite, SiteTree};
use super::super::stream::Events;
use crate::http::HttpResponse;
use crate::mcp::UpdateState;
use crate::query_line::{QueryMode, kinds};
use crate::{editor, keep};

/// The version of the interface.
const API: u32 = 1;

/// How often a silent stream says that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The least time between two events of a tree.
const BETWEEN: Duration = Duration::from_millis(250);

/// What the page needs to know at first.
pub fn server(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    ask.params.only(&[])?;
    let root = |tree: &SiteTree| {
        let engine = tree.engines.worktree();
        json!({
            "name": tree.name,
            "path": engine.root().display().to_string(),
            "state": state_name(tree),
            "branch": branch(engine),
        })
    };
    let languages: Vec<&str> = Engine::built_in_languages().iter().map(|row| row.name).collect();
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "api": API,
        "roots": site.trees.iter().map(root).collect::<Vec<_>>(),
        "can_open": site.can_open,
        "editor": editor::named(|name| std::env::var_os(name)).filter(|_| site.can_open),
        "has_eval": site.eval.is_some(),
        "modes": QueryMode::ALL.map(QueryMode::name),
        "languages": languages,
        "kinds": kinds().collect::<Vec<_>>(),
    })
    .to_string())
}

fn branch(engine: &Engine) -> Option<String> {
    let engine = engine.with_policy(engine.policy().last_commit());
    engine.status().ok()?.branch
}

fn state_name(tree: &SiteTree) -> &'static str {
    match *tree.update.borrow() {
        UpdateState::Running(_) => State::Indexing.name(),
        UpdateState::Done if tree.engines.worktree().has_index() => State::Ready.name(),
        UpdateState::Done => State::Missing.name(),
    }
}

/// How long answers took.
pub fn latencies(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    ask.params.only(&[])?;
    Ok(site.latencies.json().to_string())
}

/// The state of each tree, at once and whenever it changes.
pub fn events(site: &Arc<PageSite>, ask: &Ask) -> Result<HttpResponse, ApiError> {
    ask.params.only(&[])?;
    let (events, answer) = Events::begin(());
    for number in 0..site.trees.len() {
        let (site, events) = (Arc::clone(site), events.clone());
        tokio::spawn(async move {
            let tree = &site.trees[number];
            let mut update = tree.update.clone();
            loop {
                let seen = *update.borrow_and_update();
                if !events.send("state", &state(tree, seen).to_string()) {
                    return;
                }
                tokio::time::sleep(BETWEEN).await;
                // Once the tree is not watched any more, nothing more will be known.
                let mut is_watched = true;
                loop {
                    tokio::select! {
                        changed = update.changed(), if is_watched => match changed {
                            Ok(()) => break,
                            Err(_) => is_watched = false,
                        },
                        () = events.unheard() => return,
                        () = tokio::time::sleep(KEEP_ALIVE) => if !events.keep_alive() { return },
                    }
                }
            }
        });
    }
    Ok(answer)
}

fn state(tree: &SiteTree, update: UpdateState) -> Value {
    let percent = match update {
        UpdateState::Running(progress) => progress.map(keep::percentage),
        UpdateState::Done => Some(100.0),
    };
    json!({ "root": tree.name, "state": state_name(tree), "percent": percent })
}

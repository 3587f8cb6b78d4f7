//! Profiles: the weights as the page shows them, a search with other weights, and a profile saved as a file.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use spyhop_engine::api::{MAX_RESULTS, SearchReply, SearchRequest};
use spyhop_search::profile::{Feature, Profile, QueryKind, Signal, Transform};

use super::super::ask::Ask;
use super::super::reply::{ApiError, object, to_json};
use super::super::search::PreparedSearch;
use super::super::site::PageSite;
use super::run;
use crate::query_line::QueryMode;

/// The extension of profiles.
const EXTENSION: &str = "toml";

/// ProfileWeights by kind of query and feature.
type ProfileWeights = BTreeMap<String, BTreeMap<String, f32>>;

/// The weights of the built-in profile, or of a saved one.
pub fn profile(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    ask.params.only(&["name"])?;
    let folder = site.eval()?;
    let read;
    let profile = match ask.params.one("name")? {
        None => Profile::built_in(),
        Some(name) => {
            read =
                Profile::read(&path_of(folder, name)?).map_err(|error| ApiError::bad(error.to_string()))?;
            &read
        }
    };
    let mut weights = Vec::new();
    for kind in QueryKind::ALL {
        for (signal, transform) in
            Signal::ALL.iter().flat_map(|signal| Transform::ALL.map(|transform| (*signal, transform)))
        {
            let feature = Feature { signal, transform };
            let weight = profile.weight(kind, feature);
            if weight != 0.0 {
                weights.push(json!({
                    "kind": kind.name(), "feature": feature.to_string(), "weight": weight,
                    "sentence": profile.sentence(signal),
                }));
            }
        }
    }
    let profiles = run::files(folder, EXTENSION)?;
    Ok(json!({ "name": profile.name, "weights": weights, "profiles": profiles }).to_string())
}

fn path_of(folder: &Path, name: &str) -> Result<std::path::PathBuf, ApiError> {
    if !run::is_name(name) {
        let text = format!("'{name}' is no name of a profile; choose letters, digits and -_.+");
        return Err(ApiError::bad(text));
    }
    Ok(folder.join(format!("{name}.{EXTENSION}")))
}

/// The built-in profile with other weights.
fn changed(name: &str, weights: &ProfileWeights) -> Result<Profile, ApiError> {
    let mut profile = Profile::built_in().clone();
    profile.name = name.to_string();
    for (kind, features) in weights {
        let known = QueryKind::ALL.into_iter().find(|known| known.name() == kind);
        let known =
            known.ok_or_else(|| ApiError::bad(format!("kind is '{kind}'; choose names, mixed or words")))?;
        for (feature, weight) in features {
            let parsed: Feature = feature.parse().map_err(|error| ApiError::bad(format!("{error}")))?;
            if !weight.is_finite() {
                return Err(ApiError::bad(format!("the weight of {feature} is {weight}; choose a number")));
            }
            profile.set_weight(Some(known), parsed, *weight);
        }
    }
    // A profile is checked when it is parsed.
    Profile::parse(&profile.to_toml()).map_err(|error| ApiError::bad(error.to_string()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rerank {
    root: Option<String>,
    q: String,
    weights: ProfileWeights,
    limit: Option<usize>,
}

/// A ranked search with other weights, and what moved.
pub fn rerank(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    site.eval()?;
    let asked: Rerank = serde_json::from_value(ask.body()?.clone())
        .map_err(|error| ApiError::bad(format!("the body is not {{root, q, weights, limit}}: {error}")))?;
    let search = PreparedSearch::of_line(
        site,
        &asked.q,
        Some(QueryMode::Ranked),
        [asked.root.as_deref(), None],
        Vec::new,
    )?;
    let limit = asked.limit.unwrap_or(MAX_RESULTS).clamp(1, MAX_RESULTS);
    let request = |profile| SearchRequest {
        max_results: limit,
        filter: search.filter.clone(),
        notes: false,
        profile,
        ..SearchRequest::new(search.text.as_str())
    };
    let run = |request: &SearchRequest| search.asked.ask(request).map_err(|error| search.error(error));
    let before = run(&request(None))?;
    let after = run(&request(Some(Arc::new(changed("changed", &asked.weights)?))))?;
    let reply = to_json(&after);
    let rows: Vec<Value> = places(&before)
        .zip(&before.results)
        .enumerate()
        .map(|(at, ((path, line), hit))| json!({ "path": path, "line": line, "rank": at + 1, "score": hit.score }))
        .collect();
    let rank_in =
        |reply: &SearchReply, place: (&str, u32)| places(reply).position(|own| own == place).map(|at| at + 1);
    let moves: Vec<Value> = places(&after)
        .enumerate()
        .map(|(at, place)| {
            let old = rank_in(&before, place);
            json!({ "path": place.0, "line": place.1, "before": old, "after": at + 1 })
        })
        .filter(|row| row["before"] != row["after"])
        .collect();
    Ok(object(&[("reply", reply), ("before", to_json(&rows)), ("moves", to_json(&moves))]))
}

fn places(reply: &SearchReply) -> impl Iterator<Item = (&str, u32)> {
    reply.results.iter().map(|hit| (hit.path.as_str(), hit.lines.first))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Save {
    name: String,
    weights: ProfileWeights,
    #[serde(default)]
    replaces: bool,
}

/// Saves a profile as a file of the folder.
pub fn save_profile(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    let folder = site.eval()?;
    let save: Save = serde_json::from_value(ask.body()?.clone())
        .map_err(|error| ApiError::bad(format!("the body is not {{name, weights, replaces}}: {error}")))?;
    let path = path_of(folder, &save.name)?;
    let text = changed(&save.name, &save.weights)?.to_toml();
    let failed =
        |error: std::io::Error| ApiError::bad(format!("the profile '{}' was not saved: {error}", save.name));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    // The file gets its name whole, and a link at that name is replaced and not followed.
    let kept = match save.replaces {
        true => file.persist(&path),
        false => file.persist_noclobber(&path),
    };
    kept.map_err(|error| {
        let advice = if path.exists() { "; \"replaces\": true replaces it" } else { "" };
        ApiError::bad(format!("the profile '{}' was not saved: {}{advice}", save.name, error.error))
    })?;
    Ok(json!({ "file": format!("{}.{EXTENSION}", save.name) }).to_string())
}

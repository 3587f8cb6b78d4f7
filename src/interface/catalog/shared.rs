//! Rows that several operations share: the tree, the snapshot that answers, and the filters.

use std::path::PathBuf;
use std::sync::Arc;

use super::param::{Param, Takes};
use super::params;
use super::row::{FilledField, Row, both, command_line, saturated};
use super::values::ValueError;
use spyhop_engine::api::{
    EntriesRequest, FileGraphRequest, FilesRequest, GraphRequest, GrepRequest, MapRequest, OnMissing,
    Options, PackRequest, SearchNotesRequest, SearchRequest, StalePolicy, SymbolsRequest,
};
use spyhop_search::filter::FilterSpec;
use spyhop_search::profile::Profile;

/// A request with the options of the engine that answers.
#[derive(Clone, Debug, Default)]
pub struct FilledRequest<R> {
    /// The request.
    pub request: R,
    /// The options of the engine.
    pub options: Options,
}

impl<R> FilledRequest<R> {
    /// A call of `request` with these options.
    pub fn new(request: R, options: Options) -> FilledRequest<R> {
        FilledRequest { request, options }
    }
}

/// A call that chooses the options of its engine.
pub(crate) trait HasOptions {
    /// The options of the engine.
    fn options(&mut self) -> &mut Options;
}

impl<R> HasOptions for FilledRequest<R> {
    fn options(&mut self) -> &mut Options {
        &mut self.options
    }
}

/// A request with filters.
pub(crate) trait HasFilter {
    /// The filters.
    fn filter(&mut self) -> &mut FilterSpec;
}

/// Where calls have their filters, options and searches, a row for each.
macro_rules! homes {
    ($($trait:ident::$method:ident -> $home:ty { $($call:ty => $($field:ident).+;)+ })+) => {
        $($(impl $trait for $call {
            fn $method(&mut self) -> &mut $home {
                &mut self.$($field).+
            }
        })+)+
    };
}

pub(super) use homes;

homes! {
    HasFilter::filter -> FilterSpec {
        EntriesRequest => filter;
        FileGraphRequest => filter;
        FilesRequest => filter;
        GraphRequest => filter;
        GrepRequest => filter;
        MapRequest => filter;
        SearchNotesRequest => filter;
        PackRequest => filter;
        SearchRequest => filter;
        SymbolsRequest => filter;
    }
    HasOptions::options -> Options { Placement => options; }
}

impl<R: HasFilter> HasFilter for FilledRequest<R> {
    fn filter(&mut self) -> &mut FilterSpec {
        self.request.filter()
    }
}

/// A tree, and how the tree is indexed.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// The root, as typed.
    pub root: Option<PathBuf>,
    /// The options of the engine.
    pub options: Options,
}

/// The parameters that choose a tree; every operation takes these.
pub const PLACE: &[Row<Placement>] = &[
    command_line(&params::ROOT, |place, param, given| place.root.fill(param, given)),
    command_line(&params::INDEX_DIR, |place, param, given| place.options.index_dir.fill(param, given)),
    command_line(&params::DB, |place, param, given| {
        let folder = given.text_of_path(param)?;
        if let (Some(db), Some(index_dir)) = (&folder, &place.options.index_dir) {
            let (db, index_dir) = (db.to_string_lossy(), index_dir.to_string_lossy());
            return Err(given.excluded((param, &*db), (&params::INDEX_DIR, &*index_dir)));
        }
        if folder.is_some() {
            place.options.index_dir = folder;
        }
        Ok(())
    }),
    command_line(&params::THREADS, |place, param, given| {
        place.options.threads = saturated(in_range(param, given.number(param)?)?);
        Ok(())
    }),
    command_line(&params::MAX_MEMORY, |place, param, given| place.options.max_memory.fill(param, given)),
    command_line(&params::HIDDEN, |place, param, given| place.options.hidden.fill(param, given)),
    command_line(&params::NO_IGNORE, |place, param, given| place.options.no_ignore.fill(param, given)),
    command_line(&params::NO_BUILT_IN, |place, param, given| place.options.no_built_in.fill(param, given)),
    command_line(&params::SECRETS, |place, param, given| place.options.secrets.fill(param, given)),
    command_line(&params::MAX_FILE_SIZE, |place, param, given| {
        place.options.max_file_bytes.fill(param, given)
    }),
    command_line(&params::GRAMMARS, |place, param, given| place.options.grammars.fill(param, given)),
];

/// The parameters of a server: how its trees are indexed, and what its answers do about changes.
pub const SERVER: &[Row<Placement>] = &[stale_policy(), no_refresh(), require_index()];

/// The number, if the range of the parameter contains the number.
pub fn in_range(param: &Param, number: Option<u64>) -> Result<Option<u64>, ValueError> {
    match (param.takes, number) {
        (Takes::Number(least, most), Some(number)) if !(least..=most).contains(&number) => {
            Err(ValueError::new(format!("{} is {number}; choose {least} to {most}", param.name)))
        }
        _ => Ok(number),
    }
}

/// The revision that is searched in place of the worktree.
pub const fn view<R: HasOptions>() -> Row<R> {
    both(&params::VIEW, |call, param, given| call.options().view.fill(param, given))
}

/// The policy for files that changed after the last update.
pub const fn stale_policy<R: HasOptions>() -> Row<R> {
    command_line(&params::STALE_POLICY, |call, param, given| call.options().stale_policy.fill(param, given))
}

/// Short for the stale policy `ignore`; must follow [`stale_policy`].
pub(crate) const fn no_refresh<R: HasOptions>() -> Row<R> {
    command_line(&params::NO_REFRESH, |call, param, given| {
        if given.flag(param)? != Some(true) {
            return Ok(());
        }
        if let Some(name) =
            given.text(&params::STALE_POLICY)?.filter(|name| name != StalePolicy::Ignore.name())
        {
            return Err(given.excluded((param, ""), (&params::STALE_POLICY, &name)));
        }
        call.options().stale_policy = StalePolicy::Ignore;
        Ok(())
    })
}

/// Short for the stale policy `wait`; must follow [`no_refresh`].
pub(crate) const fn wait_for_index<R: HasOptions>() -> Row<R> {
    command_line(&params::WAIT_FOR_INDEX, |call, param, given| {
        if given.flag(param)? != Some(true) {
            return Ok(());
        }
        if given.flag(&params::NO_REFRESH)? == Some(true) {
            return Err(given.excluded((param, ""), (&params::NO_REFRESH, "")));
        }
        if let Some(name) = given.text(&params::STALE_POLICY)?.filter(|name| name != StalePolicy::Wait.name())
        {
            return Err(given.excluded((param, ""), (&params::STALE_POLICY, &name)));
        }
        call.options().stale_policy = StalePolicy::Wait;
        Ok(())
    })
}

/// Fails on a missing index instead of building it.
pub(crate) const fn require_index<R: HasOptions>() -> Row<R> {
    command_line(&params::REQUIRE_INDEX, |call, param, given| {
        if given.flag(param)? == Some(true) {
            call.options().on_missing = OnMissing::Fail;
        }
        Ok(())
    })
}

/// Output without masks over secrets.
pub const fn show_secrets<R: HasOptions>() -> Row<R> {
    command_line(&params::SHOW_SECRETS, |call, param, given| call.options().show_secrets.fill(param, given))
}

/// The rows that most operations take as their filters.
pub const fn filters<R: HasFilter>() -> [Row<R>; 5] {
    [path(), here(), path_glob(&params::PATH_GLOB), exclude(), lang()]
}

/// The rows that choose the snapshot of the answer: the view, and what is done about changed files.
pub const fn snapshot<R: HasOptions>() -> [Row<R>; 3] {
    [view(), stale_policy(), no_refresh()]
}

/// The folder or file to search.
pub const fn path<R: HasFilter>() -> Row<R> {
    both(&params::PATH, |call, param, given| {
        call.filter().path = given.scope(param)?;
        Ok(())
    })
}

/// The current folder in place of the whole tree; must follow [`path`].
pub const fn here<R: HasFilter>() -> Row<R> {
    command_line(&params::HERE, |call, param, given| {
        if given.flag(param)? == Some(true) && call.filter().path.is_none() {
            call.filter().path = given.current_folder();
        }
        Ok(())
    })
}

/// Globs of paths to include.
pub const fn path_glob<R: HasFilter>(param: &'static Param) -> Row<R> {
    both(param, |call, param, given| {
        let globs = given.texts(param)?.into_iter().map(|glob| given.pattern(param, glob));
        call.filter().path_globs = globs.collect::<Result<_, _>>()?;
        Ok(())
    })
}

/// Texts that paths must not contain.
pub const fn exclude<R: HasFilter>() -> Row<R> {
    both(&params::EXCLUDE, |call, param, given| call.filter().exclude.fill(param, given))
}

/// Languages.
pub const fn lang<R: HasFilter>() -> Row<R> {
    both(&params::LANG, |call, param, given| call.filter().lang.fill(param, given))
}

/// Kinds of symbol or chunk.
pub const fn kind<R: HasFilter>(param: &'static Param) -> Row<R> {
    both(param, |call, param, given| {
        let kinds = given.words(param)?;
        let kinds: Result<_, _> = kinds.iter().map(|kind| kind.parse()).collect();
        call.filter().kind =
            kinds.map_err(|error: spyhop_base::model::UnknownKind| ValueError::new(error.to_string()))?;
        Ok(())
    })
}

/// A call that ranks.
pub(crate) trait HasSearch {
    /// The search.
    fn search(&mut self) -> &mut SearchRequest;
}

/// The ranking profile.
pub const fn profile<R: HasSearch>() -> Row<R> {
    command_line(&params::PROFILE, |call, param, given| {
        if let Some(file) = given.file(param)? {
            let profile = Profile::read(&file).map_err(|error| ValueError::new(error.to_string()))?;
            call.search().profile = Some(Arc::new(profile));
        }
        Ok(())
    })
}

/// The lowest score of a hit.
pub const fn min_score<R: HasSearch>() -> Row<R> {
    both(&params::MIN_SCORE, |call, param, given| call.search().min_score.fill(param, given))
}

/// The search query.
pub const fn query<R: HasSearch>() -> Row<R> {
    both(&params::QUERY, |call, param, given| call.search().query.fill(param, given))
}

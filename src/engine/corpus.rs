//! A corpus: one tree, or several trees that are searched as one.
//!
//! The snapshots of several trees are joined: their segments, documents and totals are searched like those of one index, so
//! document frequencies, average lengths and budgets are those of the union. No score is computed for a tree alone, and the
//! ranking is that of one tree that has all files. Files and definitions are found by name in the same way. Lines, outlines
//! and the code graph are asked tree by tree. One tree alone is a corpus of one member, whose rows name no source.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::api::*;
use super::call::Call;
use super::cancel;
use super::core::Engine;
use super::current::{self, Freshness};
use super::lock::lock;
use super::remote::{MemberAnswers, RemoteMembers};
use crate::error::{Error, ErrorKind};
use spyhop_base::parallel;
use spyhop_base::store;
use spyhop_index::inverted;
use spyhop_search::SearchSnapshot;

/// The number of sources from which a process that asks again filters segments by their terms.
const MANY_SOURCES: usize = 8;

/// The memory of mapped files, in bytes, above which an answer of several sources releases what it has read. The next
/// question finds its parts in the system's cache.
const MAX_MAPPED: u64 = 48 << 20;

/// The most names that an error lists.
const MAX_LISTED: usize = 12;

/// One tree, or several trees that are searched as one, each with its name. Threads share a corpus by reference.
pub struct Corpus {
    pub(super) members: Vec<CorpusMember>,
    /// The joined snapshot of the last answer. Corpora with other policies for the same members share it.
    pub(super) joined: Arc<Mutex<Option<JoinedSnapshot>>>,
    /// What answers for the members in place of engines, which the members then lack.
    pub(super) remote: Option<Arc<dyn RemoteMembers>>,
    /// Whether pages of mapped files stay in memory after an answer, however many they are.
    pub(super) keeps_pages: bool,
}

/// A tree of a corpus.
pub struct CorpusMember {
    /// The name, which differs from those of the other members; `None` for a tree alone.
    pub name: Option<SourceName>,
    /// The engine over the tree, or why there is none. A member without an engine is named in the warnings of answers.
    pub engine: Result<Engine, Error>,
    /// Where the tree came from.
    pub provenance: Option<Arc<Provenance>>,
    /// The package that the tree is.
    pub package: Option<SourcePackage>,
}

/// The joined snapshot of the last answer, with its parts.
pub(super) struct JoinedSnapshot {
    /// Whether an answer came from the snapshot before.
    is_used_again: bool,
    parts: Vec<Arc<SearchSnapshot>>,
    snapshot: Arc<SearchSnapshot>,
}

/// A member that answers.
pub(super) struct ReadyMember<'c> {
    pub member: &'c CorpusMember,
    pub engine: &'c Engine,
    pub snapshot: Arc<SearchSnapshot>,
    pub freshness: Freshness,
}

/// The members that were asked: those that answer, and a warning for each of the others.
pub(super) struct AskedMembers<'c> {
    pub ready: Vec<ReadyMember<'c>>,
    pub silent: Vec<String>,
}

/// The answers of members, and a warning for each member that does not answer.
pub(super) type EachAnswer<'c, T> = (Vec<(&'c CorpusMember, T)>, Vec<String>);

impl From<&Engine> for Corpus {
    /// One tree, by an engine that shares everything with `engine`.
    fn from(engine: &Engine) -> Corpus {
        let engine = Ok(engine.with_policy(engine.policy()));
        let member = CorpusMember { name: None, engine, provenance: None, package: None };
        Corpus::joining(vec![member])
    }
}

impl CorpusMember {
    /// A tree that is in no library.
    pub fn new(name: SourceName, engine: Engine) -> CorpusMember {
        CorpusMember { name: Some(name), engine: Ok(engine), provenance: None, package: None }
    }

    /// The name of a member that is not alone.
    pub(super) fn name(&self) -> &SourceName {
        self.name.as_ref().expect("only a tree alone has no name")
    }

    /// The member with the policy that `of` makes of its present one.
    pub(super) fn with_policy(&self, of: &impl Fn(CallPolicy) -> CallPolicy) -> CorpusMember {
        let engine = self.engine.as_ref().map_err(Error::copy);
        CorpusMember {
            name: self.name.clone(),
            engine: engine.map(|engine| engine.with_policy(of(engine.policy()))),
            provenance: self.provenance.clone(),
            package: self.package.clone(),
        }
    }
}

impl Corpus {
    /// A corpus of named trees. Equal paths of several trees are ordered as the trees are here.
    ///
    /// # Errors
    /// `BadRequest` if there is no tree, or if two trees have one name.
    pub fn new(members: impl IntoIterator<Item = (SourceName, Engine)>) -> Result<Corpus, Error> {
        Corpus::of_members(
            members.into_iter().map(|(name, engine)| CorpusMember::new(name, engine)).collect(),
        )
    }

    /// A corpus of named members, of which some may be unable to answer.
    ///
    /// # Errors
    /// As [`Corpus::new`]; `BadRequest` if one of several members has no name.
    pub fn of_members(members: Vec<CorpusMember>) -> Result<Corpus, Error> {
        if members.is_empty() {
            return Err(Error::bad("the set has no source; add one"));
        }
        let names = members.iter().map(|member| member.name.as_ref());
        let Some(mut names) = names.collect::<Option<Vec<&SourceName>>>() else {
            return Err(Error::bad("a source of a set has no name; name each of them"));
        };
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::bad(format!("two sources have the name '{}'; rename one", pair[0])));
        }
        Ok(Corpus::joining(members))
    }

    /// A corpus of members that were checked.
    pub(super) fn joining(members: Vec<CorpusMember>) -> Corpus {
        Corpus { members, joined: Arc::default(), remote: None, keeps_pages: false }
    }

    /// The named members that could be opened, in their order.
    pub fn members(&self) -> impl Iterator<Item = (&SourceName, &Engine)> {
        self.members.iter().filter_map(|member| Some((member.name.as_ref()?, member.engine.as_ref().ok()?)))
    }

    /// The root of the only tree; `None` for several trees.
    pub fn root(&self) -> Option<&Path> {
        match &self.members[..] {
            [CorpusMember { engine: Ok(engine), .. }] => Some(engine.root()),
            _ => None,
        }
    }

    /// The trees, answering from their last commits, without a comparison with their files.
    pub fn of_last_commits(&self) -> Corpus {
        self.with_policies(CallPolicy::last_commit)
    }

    /// The trees with the policies that `of` makes of their present ones.
    pub(super) fn with_policies(&self, of: impl Fn(CallPolicy) -> CallPolicy) -> Corpus {
        let members = self.members.iter().map(|member| member.with_policy(&of)).collect();
        let (joined, remote) = (Arc::clone(&self.joined), self.remote.clone());
        Corpus { members, joined, remote, keeps_pages: self.keeps_pages }
    }

    /// What answers for a member; `Err` if nothing does.
    pub(super) fn answers_of<'c>(&'c self, member: &'c CorpusMember) -> Result<MemberAnswers<'c>, Error> {
        match &self.remote {
            Some(remote) => Ok(MemberAnswers::Remote(&**remote, member.name())),
            None => member.engine.as_ref().map(MemberAnswers::Engine).map_err(Error::copy),
        }
    }

    /// The state of each named tree and its index, as [`Engine::status`] tells it.
    pub fn statuses(&self) -> SourceStatuses {
        let of_member = |member: &CorpusMember| {
            let status = self.answers_of(member).and_then(|answers| match answers.ask(&StatusRequest)? {
                StatusReply::Tree(status) => Ok(*status),
                StatusReply::Sources(_) => Err(Error::bad("the index of several trees has no state")),
            });
            let status = status.map_err(|error| error.to_string());
            NamedStatus::new(member.name(), member.provenance.clone(), status)
        };
        let members = self.members.iter().filter(|member| member.name.is_some()).collect();
        SourceStatuses { sources: parallel::map(self.members.len() > 1, members, of_member, || ()) }
    }

    /// The engine of a tree alone.
    pub(super) fn alone(&self) -> Option<&Engine> {
        match &self.members[..] {
            [CorpusMember { name: None, engine: Ok(engine), .. }] => Some(engine),
            _ => None,
        }
    }

    /// The engine of the only tree, for an operation that is about one tree; `why` says what of a tree the answer is about.
    pub(super) fn only(&self, operation: &str, why: &str) -> Result<&Engine, Error> {
        if let [member] = &self.members[..] {
            return member.engine.as_ref().map_err(Error::copy);
        }
        let operation = operation.replace('_', " ");
        Err(Error::bad(format!(
            "{operation} is about one tree, because {why}, and these are asked: {}; ask one of them alone",
            self.listed()
        )))
    }

    /// The names of the members, as an error lists them.
    pub(super) fn listed(&self) -> String {
        let names: Vec<String> =
            self.members.iter().take(MAX_LISTED).map(|own| format!("'{}'", own.name())).collect();
        let more = self.members.len().saturating_sub(MAX_LISTED);
        if more == 0 { names.join(", ") } else { format!("{} and {more} more", names.join(", ")) }
    }

    /// The first engine, whose grammars parse requests.
    pub(super) fn first_engine(&self) -> Result<&Engine, Error> {
        if let Some(remote) = &self.remote {
            return Ok(remote.engine());
        }
        let mut engines = self.members.iter().filter_map(|member| member.engine.as_ref().ok());
        match (engines.next(), &self.members[0].engine) {
            (Some(engine), _) => Ok(engine),
            (None, Err(error)) => Err(error.copy()),
            (None, Ok(_)) => unreachable!("an engine that there is comes first"),
        }
    }

    /// The policy by which the texts of a reply are masked: that of a tree that masks them, if there is one.
    pub(super) fn mask_policy(&self) -> CallPolicy {
        let policies =
            || self.members.iter().filter_map(|member| Some(member.engine.as_ref().ok()?.policy()));
        let masking = policies().find(|policy| !policy.show_secrets);
        masking.or_else(|| policies().next()).unwrap_or_else(|| CallPolicy::of(&Options::default()))
    }

    /// Answers a lookup from the snapshot of the trees that can answer.
    pub(super) fn with_snapshot<T>(
        &self,
        call: &Call<'_>,
        answer: impl Fn(&AskedMembers<'_>, &SearchSnapshot) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(engine) = self.alone() else { return self.with_joined(answer) };
        let (snapshot, freshness) = current::ready(engine, call.progress())?;
        let ready =
            ReadyMember { member: &self.members[0], engine, snapshot: Arc::clone(&snapshot), freshness };
        answer(&AskedMembers { ready: vec![ready], silent: Vec::new() }, &snapshot)
    }

    /// Answers from the joined snapshot of the members that can answer. Members whose index turns out to be damaged are
    /// left out, and named, and the rest answers.
    pub(super) fn with_joined<T>(
        &self,
        answer: impl Fn(&AskedMembers<'_>, &SearchSnapshot) -> Result<T, Error>,
    ) -> Result<T, Error> {
        parallel::with_helper_thread(|| {
            let mut asked = self.ready()?;
            cancel::begin_answer()?;
            loop {
                let parts = asked.ready.iter().map(|ready| Arc::clone(&ready.snapshot)).collect();
                let snapshot = self.joined(parts)?;
                let answered = inverted::guarded(|| answer(&asked, &snapshot));
                if self.releases_pages(store::mapped_bytes()) {
                    snapshot.release_pages();
                }
                match answered {
                    Err(error) if error.kind() == ErrorKind::Damaged => {
                        asked = asked.without_damaged(error)?
                    }
                    other => {
                        snapshot.note_checks();
                        return other;
                    }
                }
            }
        })
    }

    /// Whether an answer ends with the release of its pages, for a process that holds this number of bytes of mapped files.
    pub(super) fn releases_pages(&self, mapped: Option<u64>) -> bool {
        !self.keeps_pages && mapped.is_some_and(|bytes| bytes > MAX_MAPPED)
    }

    /// The members that can answer.
    fn ready(&self) -> Result<AskedMembers<'_>, Error> {
        let open =
            |member: &CorpusMember| current::ready(member.engine.as_ref().map_err(Error::copy)?, &|_| ());
        let all = parallel::map(self.members.len() > 1, self.members.iter().collect(), open, || ());
        let (mut asked, mut first) = (AskedMembers { ready: Vec::new(), silent: Vec::new() }, None);
        for (opened, member) in all.into_iter().zip(&self.members) {
            match (opened, &member.engine) {
                (Ok((snapshot, freshness)), Ok(engine)) => {
                    asked.ready.push(ReadyMember { member, engine, snapshot, freshness });
                }
                (Err(error), _) => {
                    asked.silent.push(silent(member.name(), &error));
                    first.get_or_insert(error);
                }
                (Ok(_), Err(_)) => unreachable!("only an engine is ready"),
            }
        }
        match first {
            Some(error) if asked.ready.is_empty() => Err(error),
            _ => Ok(asked),
        }
    }

    /// Asks the members one after the other. An error of one member is a warning, unless the request is wrong or no member
    /// answers.
    pub(super) fn each<T>(
        &self,
        mut ask: impl FnMut(&CorpusMember, MemberAnswers<'_>) -> Result<T, Error>,
    ) -> Result<EachAnswer<'_, T>, Error> {
        let (mut answers, mut warnings, mut first) = (Vec::new(), Vec::new(), None);
        for member in &self.members {
            let answer = self.answers_of(member).and_then(|answers| ask(member, answers));
            match answer {
                Ok(answer) => answers.push((member, answer)),
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::BadRequest | ErrorKind::Cancelled | ErrorKind::TimedOut
                    ) =>
                {
                    return Err(error);
                }
                Err(error) => {
                    warnings.push(silent(member.name(), &error));
                    first.get_or_insert(error);
                }
            }
        }
        match first {
            Some(error) if answers.is_empty() => Err(error),
            _ => Ok((answers, warnings)),
        }
    }

    /// As [`Corpus::each`], for what only engines answer.
    pub(super) fn each_engine<T>(
        &self,
        mut ask: impl FnMut(&CorpusMember, &Engine) -> Result<T, Error>,
    ) -> Result<EachAnswer<'_, T>, Error> {
        self.each(|member, _| {
            member.engine.as_ref().map_err(Error::copy).and_then(|engine| ask(member, engine))
        })
    }

    /// Why an answer is incomplete in which members are missing.
    pub(super) fn missing(&self, silent: usize) -> Incomplete {
        let text = format!("{silent} of {} sources do not answer", self.members.len());
        IncompleteCause::Silent.with(text)
    }

    /// The joined snapshot of `parts`, which is kept until a part changes.
    fn joined(&self, parts: Vec<Arc<SearchSnapshot>>) -> Result<Arc<SearchSnapshot>, Error> {
        if let [part] = &parts[..] {
            return Ok(Arc::clone(part));
        }
        let mut kept = lock(&self.joined);
        if let Some(known) = &mut *kept
            && known.parts.len() == parts.len()
            && known.parts.iter().zip(&parts).all(|(known, part)| Arc::ptr_eq(known, part))
        {
            let is_second = !std::mem::replace(&mut known.is_used_again, true);
            let snapshot = Arc::clone(&known.snapshot);
            drop(kept);
            // One question would not gain what the filters cost.
            if is_second && parts.len() >= MANY_SOURCES {
                snapshot.index().make_filters();
            }
            return Ok(snapshot);
        }
        let joined = SearchSnapshot::joined(&parts).ok_or_else(|| {
            Error::new(ErrorKind::BadRequest, "the sources have more than 4 billion files or chunks in all")
        })?;
        let snapshot = Arc::new(joined);
        *kept = Some(JoinedSnapshot { is_used_again: false, parts, snapshot: Arc::clone(&snapshot) });
        Ok(snapshot)
    }
}

impl fmt::Display for Corpus {
    /// The root of a tree alone, or the names of the trees.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.alone() {
            Some(engine) => write!(f, "{}", engine.root().display()),
            None => self.members.iter().try_for_each(|member| write!(f, "{} ", member.name())),
        }
    }
}

impl AskedMembers<'_> {
    /// The name of the member that has a file of the snapshot.
    pub fn source_of(&self, snapshot: &SearchSnapshot, file: u32) -> Option<SourceName> {
        self.ready[snapshot.member_of(file)].member.name.clone()
    }

    /// The members whose indexes pass their checks, after an answer that met damage.
    fn without_damaged(mut self, error: Error) -> Result<Self, Error> {
        let before = self.ready.len();
        self.ready.retain(|ready| {
            let is_sound = ready.engine.index().workspace().damage().is_none();
            if !is_sound {
                self.silent.push(silent(ready.member.name(), &error));
            }
            is_sound
        });
        if self.ready.is_empty() {
            return Err(error);
        }
        if self.ready.len() == before {
            let text = format!("{error}; each index passes every check, so this is a fault of the program");
            return Err(Error::new(ErrorKind::Internal, text));
        }
        Ok(self)
    }
}

/// The warning about a member that does not answer.
pub(super) fn silent(name: &SourceName, error: &Error) -> String {
    format!("source '{name}' does not answer: {error}")
}

/// The reason why the answer of a member is incomplete, with the name of the member.
pub(super) fn incomplete_of(name: &SourceName, why: Incomplete) -> Incomplete {
    why.cause.with(of_source(name, &why))
}

/// A warning of one member.
pub(super) fn of_source(name: &SourceName, warning: &str) -> String {
    format!("source '{name}': {warning}")
}

//! The definitions of one name: all of them, and those of one family of languages, by file and by container.

use std::ops::Deref;
use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::definition::Definition;
use spyhop_base::path;
use spyhop_base::text::Span;
use spyhop_search::SearchSnapshot;

/// The definitions of a name, those of one file together and in the order of their places.
#[derive(Default)]
pub struct NamedDefinitions {
    all: Vec<Definition>,
    /// The range in `all` of each file.
    files: FxHashMap<u32, (u32, u32)>,
}

impl NamedDefinitions {
    /// `all` holds the definitions of one file together.
    pub(super) fn new(all: Vec<Definition>) -> NamedDefinitions {
        let mut files: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
        for (place, definition) in (0..).zip(&all) {
            files.entry(definition.file).or_insert((place, place)).1 = place + 1;
        }
        NamedDefinitions { all, files }
    }

    /// The definitions in a file.
    pub(super) fn in_file(&self, file: u32) -> &[Definition] {
        let range = self.files.get(&file).map_or(0..0, |(from, to)| *from as usize..*to as usize);
        &self.all[range]
    }
}

impl NamedDefinitions {
    /// The definitions in a file that begin in a span.
    pub(super) fn in_span(&self, file: u32, span: Span) -> &[Definition] {
        let here = self.in_file(file);
        let from = here.partition_point(|definition| definition.span.start < span.start);
        let to = here.partition_point(|definition| definition.span.start < span.end);
        &here[from..to.max(from)]
    }

    /// The definitions in a file that begin at a byte or before it, the last one first. Of those around the byte, the innermost comes
    /// first.
    pub(super) fn before(&self, file: u32, at: u32) -> impl Iterator<Item = &Definition> {
        let here = self.in_file(file);
        here[..here.partition_point(|definition| definition.span.start <= at)].iter().rev()
    }
}

impl Deref for NamedDefinitions {
    type Target = [Definition];

    fn deref(&self) -> &[Definition] {
        &self.all
    }
}

/// The definitions of a name in one family of languages.
#[derive(Default)]
pub(super) struct FamilyDefinitions {
    all: NamedDefinitions,
    /// The places in `all`, by container and by the last part of a container such as `pool.Pool`.
    by_container: FxHashMap<Box<str>, Vec<u32>>,
    /// The stems of the files that define the name outside of a container.
    stems: OnceLock<FxHashSet<Box<str>>>,
    /// The numbers of files with containers that have the name: outside of a container, and in one.
    homes: OnceLock<[usize; 2]>,
}

impl FamilyDefinitions {
    pub fn new(all: Vec<Definition>) -> FamilyDefinitions {
        let mut by_container: FxHashMap<Box<str>, Vec<u32>> = FxHashMap::default();
        for (place, definition) in (0..).zip(&all) {
            let Some(container) = definition.container.as_deref() else { continue };
            by_container.entry(container.into()).or_default().push(place);
            let last = container.rsplit(['.', ':']).next().unwrap_or(container);
            if last != container {
                by_container.entry(last.into()).or_default().push(place);
            }
        }
        let (stems, homes) = (OnceLock::new(), OnceLock::new());
        FamilyDefinitions { all: NamedDefinitions::new(all), by_container, stems, homes }
    }

    /// Whether a file of `snapshot` with this stem defines the name outside of a container.
    pub(crate) fn is_in_file(&self, stem: &str, snapshot: &SearchSnapshot) -> bool {
        let stem_of = |symbol: &Definition| Box::from(path::stem(path::split(snapshot.path(symbol.file)).1));
        let free = || self.all.iter().filter(|symbol| symbol.container.is_none());
        self.stems.get_or_init(|| free().map(stem_of).collect()).contains(stem)
    }

    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Definition> {
        self.all.iter()
    }

    /// The definitions in a file.
    pub fn in_file(&self, file: u32) -> &[Definition] {
        self.all.in_file(file)
    }

    /// The definitions in a container, which is a whole name or its last part.
    pub(crate) fn members_of(&self, container: &str) -> impl ExactSizeIterator<Item = &Definition> {
        let places = self.by_container.get(container).map_or(&[][..], Vec::as_slice);
        places.iter().map(|place| &self.all[*place as usize])
    }

    /// The number of places that define the name: files, each with the containers in the file that have the name. With
    /// `are_members`, only containers count, else only what is in no container.
    pub(crate) fn homes(&self, are_members: bool) -> usize {
        let count = |are_members: bool| {
            let found = self.all.iter().filter(|definition| definition.container.is_some() == are_members);
            let homes: FxHashSet<(u32, Option<&str>)> =
                found.map(|definition| (definition.file, definition.container.as_deref())).collect();
            homes.len()
        };
        self.homes.get_or_init(|| [count(false), count(true)])[usize::from(are_members)]
    }
}

//! The prefixes of routers: which router is mounted below which path of which other router.
//!
//! A router is an object of a file, a function that returns or fills routers, or a whole file. An object without a
//! mount has the prefix of its function, and a function without a mount has the prefix of its file.

use std::rc::Rc;
use std::sync::LazyLock;

use regex::Regex;
use rustc_hash::FxHashMap;

use super::scan::{FileScan, MountDecl, join_paths};
use crate::definition::Definition;
use crate::files::Graph;
use crate::uses::FileFacts;
use spyhop_search::{SearchError, is_aside};

/// The longest chain of mounts that is followed.
const MAX_MOUNTS: usize = 10;

/// The most prefixes of one router.
const MAX_PREFIXES: usize = 8;

/// A file with what it declares.
pub(super) struct ScannedFile {
    pub file: u32,
    pub facts: Rc<FileFacts>,
    pub symbols: Vec<Definition>,
    pub scan: FileScan,
}

impl ScannedFile {
    /// The functions around a position, the innermost first.
    fn functions_at(&self, at: u32) -> impl Iterator<Item = u32> {
        let is_around = move |definition: &&Definition| {
            definition.kind.is_function() && definition.span.start <= at && at < definition.span.end
        };
        let mut around: Vec<&Definition> = self.symbols.iter().filter(is_around).collect();
        around.sort_by_key(|definition| definition.span.len());
        around.into_iter().map(|definition| definition.place).collect::<Vec<_>>().into_iter()
    }
}

/// The owner of a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RouterNode {
    /// A declared router: the file and its place among the routers of the file.
    Object(u32, usize),
    /// A function: the file and its place among the symbols of the file.
    Function(u32, u32),
    File(u32),
}

/// The mounted routers of the files of one framework.
pub(super) struct Routers<'r, 'g> {
    graph: &'r Graph<'g>,
    files: &'r [ScannedFile],
    by_file: FxHashMap<u32, usize>,
    /// The parents of a node, with the path below the parent.
    mounts: FxHashMap<RouterNode, Vec<(RouterNode, String)>>,
}

impl<'r, 'g> Routers<'r, 'g> {
    pub fn new(graph: &'r Graph<'g>, files: &'r [ScannedFile]) -> Result<Routers<'r, 'g>, SearchError> {
        let by_file = files.iter().enumerate().map(|(place, scanned)| (scanned.file, place)).collect();
        let mut routers = Routers { graph, files, by_file, mounts: FxHashMap::default() };
        for scanned in files {
            let is_aside = is_aside(graph.snapshot.path(scanned.file));
            for mount in &scanned.scan.mounts {
                let parent = routers.base(scanned, mount.parent.as_deref(), mount.at);
                for child in routers.child(scanned, mount)? {
                    // A test that mounts a router of the program gives the program no routes.
                    let is_known = child != parent && (!is_aside || routers.is_aside(child));
                    if is_known {
                        routers.mounts.entry(child).or_default().push((parent, mount.path.clone()));
                    }
                }
            }
        }
        Ok(routers)
    }

    /// Whether a node is in a test or an example.
    fn is_aside(&self, node: RouterNode) -> bool {
        let (RouterNode::Object(file, _) | RouterNode::Function(file, _) | RouterNode::File(file)) = node;
        is_aside(self.graph.snapshot.path(file))
    }

    /// The router to which a declaration at `at` adds: the named object, or else the object, function or file around.
    pub fn base(&self, scanned: &ScannedFile, object: Option<&str>, at: u32) -> RouterNode {
        if let Some(node) = object.and_then(|object| self.object(scanned, object, at)) {
            return node;
        }
        let routers = scanned.scan.routers.iter().enumerate();
        let around = routers.filter(|(_, router)| {
            router.extent.is_some_and(|extent| extent.start <= at && at < extent.end) && router.at != at
        });
        if let Some((place, _)) = around.min_by_key(|(_, router)| router.extent.map(|extent| extent.len())) {
            return RouterNode::Object(scanned.file, place);
        }
        self.base_around(scanned, at)
    }

    /// The declared router that a name means at a position.
    pub fn object(&self, scanned: &ScannedFile, name: &str, at: u32) -> Option<RouterNode> {
        let declared = |place: usize| &scanned.scan.routers[place];
        self.graph.steps.take(scanned.scan.routers.len());
        let named: Vec<usize> =
            (0..scanned.scan.routers.len()).filter(|place| declared(*place).object == name).collect();
        let scope = |at: u32| scanned.functions_at(at).next();
        let mut scopes: Vec<Option<u32>> = scanned.functions_at(at).map(Some).collect();
        scopes.push(None);
        let is_field = name.contains('.');
        for wanted in scopes {
            let in_scope =
                named.iter().copied().filter(|place| is_field || scope(declared(*place).at) == wanted);
            let before = in_scope.clone().rfind(|place| declared(*place).at < at);
            if let Some(place) = before.or_else(|| in_scope.clone().next()) {
                return Some(RouterNode::Object(scanned.file, place));
            }
        }
        if let Some(place) = named.last().filter(|_| named.len() == 1) {
            return Some(RouterNode::Object(scanned.file, *place));
        }
        self.imported(scanned, name)
    }

    /// The declared router of another file that an imported name means.
    fn imported(&self, scanned: &ScannedFile, name: &str) -> Option<RouterNode> {
        for (import, binding) in scanned.facts.imports.bound(name) {
            let files = self.graph.module_files(scanned.file, import);
            let exported = binding.name.as_deref().filter(|name| *name != "default");
            match exported {
                Some(exported) => {
                    if let Some(node) = self.exported(&files, exported) {
                        return Some(node);
                    }
                    // A module of a package.
                    let modules = self.graph.bound_module(scanned.file, import, binding);
                    if let Some(file) = modules.iter().find(|file| self.by_file.contains_key(file)) {
                        return Some(RouterNode::File(*file));
                    }
                }
                None => {
                    if let Some(file) = files.iter().find(|file| self.by_file.contains_key(file)) {
                        return Some(RouterNode::File(*file));
                    }
                }
            }
        }
        None
    }

    /// The router that files declare or re-export under a name.
    fn exported(&self, files: &[u32], name: &str) -> Option<RouterNode> {
        let declared = |file: &u32| {
            let scanned = &self.files[*self.by_file.get(file)?];
            let mut routers = scanned.scan.routers.iter();
            routers.position(|router| router.object == name).map(|place| RouterNode::Object(*file, place))
        };
        files.iter().find_map(declared).or_else(|| {
            let reached = self.graph.reached(vec![files.to_vec()], name).ok()?;
            reached.iter().find_map(|definition| declared(&definition.file))
        })
    }

    /// The routers that the child of a mount means.
    fn child(&self, scanned: &ScannedFile, mount: &MountDecl) -> Result<Vec<RouterNode>, SearchError> {
        static REQUIRED: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r#"^require\(\s*['"]([^'"]+)['"]\s*\)"#).expect("a constant pattern")
        });
        let module = |name: &str| -> Vec<RouterNode> {
            self.graph.module(scanned.file, name).into_iter().map(RouterNode::File).collect()
        };
        if mount.child_is_module {
            return Ok(module(&mount.child));
        }
        if let Some(captures) = REQUIRED.captures(&mount.child) {
            return Ok(module(&captures[1]));
        }
        let called = mount.child.split('(').next().unwrap_or_default().trim();
        let is_call = called.len() < mount.child.len();
        if !is_call && let Some(node) = self.object(scanned, called, mount.at) {
            return Ok(vec![node]);
        }
        let listed = elements(&scanned.facts.text, called, mount.at as usize);
        if !is_call && !listed.is_empty() {
            let nodes = listed
                .into_iter()
                .map(|name| self.object(scanned, name, mount.at).or_else(|| self.member(scanned, name)));
            return Ok(nodes.flatten().collect());
        }
        if let Some(span) = mount.child_at {
            let is_word = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
            let end = span.start as usize + called.len();
            let start = scanned.facts.text[..end].trim_end_matches(is_word).len();
            let meant = self.graph.meant_by(scanned.file, &scanned.facts, start, end)?;
            let functions: Vec<RouterNode> = meant
                .iter()
                .filter(|(definition, _)| definition.kind.is_function())
                .map(|(definition, _)| RouterNode::Function(definition.file, definition.place))
                .collect();
            if !functions.is_empty() {
                return Ok(functions);
            }
        }
        Ok(self.member(scanned, called).into_iter().collect())
    }

    /// The router that a name of an imported module means, such as `users.router`.
    fn member(&self, scanned: &ScannedFile, chain: &str) -> Option<RouterNode> {
        let (module, name) = chain.rsplit_once(['.', ':'])?;
        let first = module.split(['.', ':']).next().unwrap_or(module);
        let imports = scanned.facts.imports.iter();
        let mut bound =
            imports.flat_map(|import| import.bindings.iter().map(move |binding| (import, binding)));
        let (import, binding) =
            bound.find(|(_, binding)| &*binding.local == first || &*binding.local == module)?;
        let mut files = self.graph.bound_module(scanned.file, import, binding);
        if files.is_empty() {
            files = self.graph.module_files(scanned.file, import);
        }
        self.exported(&files, name)
    }

    pub fn prefixes(&self, node: RouterNode) -> Vec<String> {
        let mut found = self.prefixes_within(node, MAX_MOUNTS);
        found.sort();
        found.dedup();
        found.truncate(MAX_PREFIXES);
        found
    }

    fn prefixes_within(&self, node: RouterNode, steps: usize) -> Vec<String> {
        let Some(steps) = steps.checked_sub(1) else { return vec![String::new()] };
        let mut found = Vec::new();
        for (parent, path) in self.mounts.get(&node).into_iter().flatten() {
            // Routers may be mounted in each other in many ways.
            if found.len() >= MAX_PREFIXES || !self.graph.steps.take(1) {
                break;
            }
            let above = self.prefixes_within(*parent, steps).into_iter();
            found.extend(above.map(|prefix| join_paths(&prefix, path)));
        }
        let RouterNode::Object(file, place) = node else {
            if found.is_empty()
                && let RouterNode::Function(file, _) = node
            {
                return self.prefixes_within(RouterNode::File(file), steps);
            }
            return if found.is_empty() { vec![String::new()] } else { found };
        };
        let Some(scanned) = self.by_file.get(&file).map(|place| &self.files[*place]) else {
            return vec![String::new()];
        };
        let router = &scanned.scan.routers[place];
        if found.is_empty() {
            let parent = router.parent.as_deref().map(|parent| self.base(scanned, Some(parent), router.at));
            let around = || self.base_around(scanned, router.at);
            found =
                self.prefixes_within(parent.filter(|parent| *parent != node).unwrap_or_else(around), steps);
        }
        found.iter_mut().for_each(|prefix| *prefix = join_paths(prefix, &router.path));
        found.truncate(MAX_PREFIXES);
        found
    }

    /// The function or file around a position.
    fn base_around(&self, scanned: &ScannedFile, at: u32) -> RouterNode {
        scanned
            .functions_at(at)
            .next()
            .map_or(RouterNode::File(scanned.file), |place| RouterNode::Function(scanned.file, place))
    }
}

/// The names in a list whose elements a loop around a position takes one after the other as `name`.
fn elements<'t>(text: &'t str, name: &str, at: usize) -> Vec<&'t str> {
    if name.is_empty() || !name.chars().all(|c| c == '_' || c == '$' || c.is_alphanumeric()) {
        return Vec::new();
    }
    let escaped = regex::escape(name);
    let loops = format!(
        r"\bfor\s+{escaped}\s+in\s+|\bfor\s*\(\s*(?:const|let|var)\s+{escaped}\s+of\s+|(?P<list>[\w$.]+|\])\.forEach\(\s*(?:function\s*)?\(?\s*{escaped}\b"
    );
    let Some(before) = text.get(..at) else { return Vec::new() };
    let Some(found) = Regex::new(&loops).ok().and_then(|loops| loops.captures_iter(before).last()) else {
        return Vec::new();
    };
    let inner = |list: &'t str| {
        let open = list.chars().next().filter(|sign| ['[', '('].contains(sign))?;
        let close = list.find(if open == '[' { ']' } else { ')' })?;
        Some(&list[1..close])
    };
    let (whole, named) = (found.get(0), found.name("list"));
    let Some(end) = whole.map(|whole| whole.end()) else { return Vec::new() };
    let list = named.map_or(&text[end..], |named| &text[named.start()..]);
    let written = inner(list).or_else(|| {
        let length = list.find(|c: char| c != '_' && c != '$' && !c.is_alphanumeric()).unwrap_or(list.len());
        let assigned = format!(
            r"(?m)^\s*(?:export\s+)?(?:const\s+|let\s+|var\s+)?{}\s*(?::[^=\n]+)?=\s*",
            regex::escape(&list[..length])
        );
        let found = Regex::new(&assigned).ok()?.find(text).filter(|_| length > 0)?;
        inner(&text[found.end()..])
    });
    let names = written.unwrap_or_default().split(',').map(str::trim);
    names.filter(|name| !name.is_empty()).collect()
}

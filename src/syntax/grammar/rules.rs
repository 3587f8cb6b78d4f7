//! A manifest compiled against its parser: the meaning of each node kind, indexed by the kind's number.
//!
//! This module checks that every kind and field named in a manifest exists, and owns the tables that the walk reads;
//! the walk itself is in [`crate::analyze`]. Tables are indexed by number because the walk looks up every node of a
//! file, hundreds of thousands a megabyte, where even a comparison of interned names would be noticeable.

use std::collections::BTreeMap;

use tree_sitter::{Language, Node};

use super::bodies::BodyRules;
use super::error::GrammarError;
use super::manifest::{self, Manifest, MendEntry, Nesting, OneOrMore};
use spyhop_base::model::{ReferenceRole, SymbolKind};

/// The compiled roles of one language.
pub struct Rules {
    pub language: Language,
    /// See [`Manifest::prose`].
    pub prose: bool,
    /// See [`Manifest::nesting`].
    pub nesting: Nesting,
    /// See [`Manifest::macros`].
    pub macros: bool,
    /// See [`Manifest::mend`].
    pub mends: Vec<(regex::bytes::Regex, Box<str>)>,
    /// See [`Manifest::narrow_braces`].
    pub narrow_braces: bool,
    /// See [`Manifest::hide_open_annotations`].
    pub hide_open_annotations: bool,
    /// See [`Manifest::dotted`].
    pub dotted: bool,
    /// See [`Manifest::unread`].
    pub unread: NodeKindSet,
    /// See [`Manifest::bodies`].
    pub bodies: Option<BodyRules>,
    /// The kinds that make a doc string, outermost first; empty if the language has none.
    pub docstring: Vec<NodeKindSet>,
    /// See [`Manifest::strip`].
    pub strip: Box<[char]>,
    /// See [`Manifest::until`].
    pub until: Box<[char]>,
    /// See [`Manifest::reserved`]; sorted.
    reserved: Box<[Box<str>]>,
    kinds: Vec<NodeMeaning>,
    items: Vec<Item>,
    uses: Vec<Use>,
}

/// The meaning of a node kind.
#[derive(Clone, Debug, Default)]
pub struct NodeMeaning {
    /// The bits of [`flag`].
    pub flags: u16,
    item: u16,
    uses: (u16, u16),
    /// The step to the name at the end of the node.
    pub step: Option<Step>,
    /// The step to the qualifier of the name.
    scope: Option<Step>,
    /// The step to the node that follows the name and is not part of it.
    pub end: Option<Step>,
}

/// Bits of [`NodeMeaning::flags`].
pub mod flag {
    pub const NAMED: u16 = 1;
    pub const COMMENT: u16 = 1 << 1;
    pub(crate) const LEADING: u16 = 1 << 2;
    pub(crate) const WRAPPER: u16 = 1 << 3;
    pub const TRANSPARENT: u16 = 1 << 4;
    pub(crate) const SKIP: u16 = 1 << 5;
    pub const FUNCTION: u16 = 1 << 6;
    pub(crate) const IDENTIFIER: u16 = 1 << 7;
    pub const TYPE: u16 = 1 << 8;
    pub const STRING: u16 = 1 << 9;
    pub(crate) const ITEM: u16 = 1 << 10;
    pub(crate) const USES: u16 = 1 << 11;
    /// Some uses of this kind have a path.
    pub const REACHES: u16 = 1 << 12;
}

/// A set of kinds, by their numbers.
pub(crate) type NodeKindSet = Box<[u16]>;

/// A step from a node to one of its children.
#[derive(Clone, Debug)]
pub enum Step {
    /// To the first child in this field.
    Field(u16),
    /// To the first child of this kind, which may be a token.
    Kind(NodeKindSet),
    /// To the first child of this kind whose first child has this text; only in paths to names.
    Reads(NodeKindSet, Box<str>),
    /// To the first named child.
    First,
    /// To the last named child.
    Last,
}

/// Steps from a node to a descendant.
pub type Path = Box<[Step]>;

/// A definition of a name, see [`manifest::ItemEntry`].
pub struct Item {
    pub conditions: Vec<Condition>,
    pub cases: Vec<ItemCase>,
    pub otherwise: Option<Shape>,
    pub bases: Option<Path>,
    pub fields: Option<Path>,
}

/// A variant of an item.
pub struct ItemCase {
    pub conditions: Vec<Condition>,
    pub shape: Shape,
}

/// The properties of an item, once its variant is known.
pub struct Shape {
    pub kind: SymbolKind,
    pub inside: SymbolKind,
    pub qualified: Option<SymbolKind>,
    pub outer: bool,
    pub depth: u16,
    pub most: u32,
    pub holds: bool,
    pub members: bool,
    pub minor: bool,
    pub once: bool,
    pub each: bool,
    pub continues: bool,
    pub names: Vec<Path>,
    pub called: Option<Box<str>>,
    pub body: Option<Path>,
    pub container: Option<Path>,
}

/// A condition that must hold.
pub struct Condition {
    path: Path,
    is: NodeKindSet,
    text: Vec<String>,
    begins: Vec<String>,
    is_macro: bool,
    absent: bool,
}

/// A place where a name is used.
pub struct Use {
    pub field: Option<u16>,
    /// The path from the node itself to the name; without a path, the name is a child.
    pub path: Option<Path>,
    pub conditions: Vec<Condition>,
    pub role: ReferenceRole,
}

impl Rules {
    /// The meaning of the kind with number `id`. The number of an error node is beyond the table.
    #[inline]
    pub fn kind(&self, id: u16) -> &NodeMeaning {
        static ERROR: NodeMeaning =
            NodeMeaning { flags: flag::NAMED, item: 0, uses: (0, 0), step: None, scope: None, end: None };
        self.kinds.get(id as usize).unwrap_or(&ERROR)
    }

    /// The item that a kind with [`flag::ITEM`] defines.
    pub fn item(&self, kind: &NodeMeaning) -> &Item {
        &self.items[kind.item as usize]
    }

    /// The uses of names in a kind with [`flag::USES`] or [`flag::REACHES`].
    pub fn uses(&self, kind: &NodeMeaning) -> &[Use] {
        &self.uses[kind.uses.0 as usize..kind.uses.1 as usize]
    }

    /// Follows the steps of compound kinds from `node` to the node of its name.
    pub fn name_of<'tree>(&self, node: Node<'tree>) -> Node<'tree> {
        self.last_of(node).0
    }

    /// Like [`Rules::name_of`], together with the node of the qualifier, if the name has one.
    pub(crate) fn qualified_name_of<'tree>(&self, node: Node<'tree>) -> (Node<'tree>, Option<Node<'tree>>) {
        let (node, scope) = self.last_of(node);
        (node, scope.map(|scope| self.name_of(scope)))
    }

    /// The node of the name, and the whole qualifier. A qualifier may be arbitrarily long, so its name is looked up
    /// only by callers that need it. The number of steps is bounded for the same reason.
    fn last_of<'tree>(&self, mut node: Node<'tree>) -> (Node<'tree>, Option<Node<'tree>>) {
        let mut scope = None;
        for _ in 0..64 {
            let kind = self.kind(node.kind_id());
            let Some(next) = kind.step.as_ref().and_then(|step| step.from(node)) else { break };
            if let Some(found) = kind.scope.as_ref().and_then(|step| step.from(node)) {
                scope = Some(found);
            }
            node = next;
        }
        (node, scope)
    }

    /// The node after the end of the name in `node`, if `node` contains something after the name.
    pub fn end_of<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        let mut end = None;
        for _ in 0..64 {
            let from = end.unwrap_or(node);
            let Some(next) = self.kind(from.kind_id()).end.as_ref().and_then(|step| step.from(from)) else {
                break;
            };
            end = Some(next);
        }
        end
    }

    /// Whether `name`, the text of `node`, can be a name. In a language with reserved words, a name cannot begin with a
    /// sign either.
    pub(crate) fn can_name(&self, node: Node<'_>, name: &str) -> bool {
        let is_reserved = || self.reserved.binary_search_by(|word| (**word).cmp(name)).is_ok();
        self.reserved.is_empty()
            || (name.starts_with(|first: char| first.is_alphanumeric() || matches!(first, '_' | '~' | '$'))
                && !(self.kind(node.kind_id()).flags & flag::IDENTIFIER != 0 && is_reserved()))
    }

    /// Compiles `manifest` for `language`. `source` names the manifest in errors.
    pub(super) fn compile(
        manifest: &Manifest,
        language: Language,
        source: &str,
    ) -> Result<Rules, GrammarError> {
        let compiler = Compiler { language: &language, source };
        let mut kinds = compiler.flagged(manifest)?;
        compiler.steps(&mut kinds, &manifest.names, |kind| &mut kind.step)?;
        compiler.steps(&mut kinds, &manifest.scopes, |kind| &mut kind.scope)?;
        compiler.steps(&mut kinds, &manifest.ends, |kind| &mut kind.end)?;
        let items = compiler.items(&mut kinds, &manifest.item)?;
        let uses = compiler.uses(&mut kinds, &manifest.uses)?;
        let docstring =
            manifest.docstring.iter().map(|name| compiler.kind(name)).collect::<Result<_, _>>()?;
        let Manifest { prose, nesting, dotted, macros, narrow_braces, hide_open_annotations, .. } = *manifest;
        let (strip, until) = (manifest.strip.chars().collect(), manifest.until.chars().collect());
        let mut reserved: Box<[Box<str>]> =
            manifest.reserved.iter().map(|word| word.as_str().into()).collect();
        reserved.sort_unstable();
        Ok(Rules {
            prose,
            nesting,
            dotted,
            macros,
            mends: compiler.mends(manifest)?,
            narrow_braces,
            hide_open_annotations,
            unread: compiler.kinds(&manifest.unread)?,
            bodies: manifest.bodies.as_ref().map(BodyRules::new),
            docstring,
            strip,
            until,
            reserved,
            kinds,
            items,
            uses,
            language,
        })
    }
}

impl Step {
    /// The node to which this step leads from `node`.
    pub fn from<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        match self {
            Step::Field(field) => node.child_by_field_id(*field),
            Step::Kind(kinds) => {
                let mut cursor = node.walk();
                node.children(&mut cursor).find(|child| kinds.contains(&child.kind_id()))
            }
            Step::Reads(..) => None,
            Step::First => node.named_child(0),
            Step::Last => node.named_child((node.named_child_count() as u32).checked_sub(1)?),
        }
    }

    /// Every child of `node` to which this step might lead.
    pub(crate) fn all_from<'tree>(&self, node: Node<'tree>) -> Vec<Node<'tree>> {
        let mut cursor = node.walk();
        match self {
            Step::Field(field) => match std::num::NonZeroU16::new(*field) {
                Some(field) => {
                    node.children_by_field_id(field, &mut cursor).filter(|child| child.is_named()).collect()
                }
                None => Vec::new(),
            },
            Step::Kind(kinds) => {
                node.children(&mut cursor).filter(|child| kinds.contains(&child.kind_id())).collect()
            }
            Step::Reads(..) => Vec::new(),
            Step::First | Step::Last => node.named_children(&mut cursor).collect(),
        }
    }
}

/// The node at the end of `path` from `node`.
pub fn follow<'tree>(path: &[Step], node: Node<'tree>) -> Option<Node<'tree>> {
    path.iter().try_fold(node, |node, step| step.from(node))
}

/// The node at the end of a path to a name; steps in such a path may depend on the text of a child.
pub(crate) fn follow_to_name<'tree>(path: &[Step], node: Node<'tree>, source: &str) -> Option<Node<'tree>> {
    path.iter().try_fold(node, |node, step| match step {
        Step::Reads(kinds, text) => {
            let mut cursor = node.walk();
            node.children(&mut cursor).filter(|child| kinds.contains(&child.kind_id())).find(|child| {
                child.named_child(0).and_then(|first| source.get(first.byte_range())) == Some(text)
            })
        }
        _ => step.from(node),
    })
}

impl Condition {
    /// Whether the condition holds for `node`. If there are several children of a kind, such as modifiers, any of them
    /// may match.
    pub fn holds(&self, node: Node<'_>, source: &str) -> bool {
        self.found(&self.path, node, source) != self.absent
    }

    /// Whether the rest of the path leads from `node` to a node of the right kind and text.
    fn found(&self, path: &[Step], node: Node<'_>, source: &str) -> bool {
        let Some((step, path)) = path.split_first() else {
            let reads = || source.get(node.byte_range()).unwrap_or("");
            return (self.is.is_empty() || self.is.contains(&node.kind_id()))
                && (self.text.is_empty() || self.text.iter().any(|text| reads() == text))
                && (self.begins.is_empty() || self.begins.iter().any(|text| reads().starts_with(text)))
                && (!self.is_macro || (reads().contains('_') && in_capitals(reads())));
        };
        match step {
            Step::Kind(kinds) => {
                let mut cursor = node.walk();
                let mut children =
                    node.children(&mut cursor).filter(|child| kinds.contains(&child.kind_id()));
                children.any(|child| self.found(path, child, source))
            }
            _ => step.from(node).is_some_and(|child| self.found(path, child, source)),
        }
    }
}

/// Whether `word` is in capitals, as the names of macros are.
pub(crate) fn in_capitals(word: &str) -> bool {
    word.len() > 1
        && word.bytes().all(|byte| byte == b'_' || byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
        && !word.as_bytes()[0].is_ascii_digit()
}

struct Compiler<'a> {
    language: &'a Language,
    source: &'a str,
}

impl Compiler<'_> {
    /// The flags of each kind of the language.
    fn flagged(&self, manifest: &Manifest) -> Result<Vec<NodeMeaning>, GrammarError> {
        let mut kinds = vec![NodeMeaning::default(); self.language.node_kind_count()];
        for (id, kind) in kinds.iter_mut().enumerate() {
            if self.language.node_kind_is_named(id as u16) {
                kind.flags = flag::NAMED;
            }
        }
        let flags: [(&[String], u16); 9] = [
            (&manifest.comments, flag::COMMENT),
            (&manifest.leading, flag::LEADING),
            (&manifest.wrappers, flag::WRAPPER),
            (&manifest.transparent, flag::TRANSPARENT),
            (&manifest.skip, flag::SKIP),
            (&manifest.functions, flag::FUNCTION),
            (&manifest.identifiers, flag::IDENTIFIER),
            (&manifest.types, flag::TYPE),
            (&manifest.strings, flag::STRING),
        ];
        for (names, bit) in flags {
            for &id in self.kinds(names)?.iter() {
                kinds[id as usize].flags |= bit;
            }
        }
        Ok(kinds)
    }

    /// Assigns the steps in a table of the manifest to kinds.
    fn steps(
        &self,
        kinds: &mut [NodeMeaning],
        table: &BTreeMap<String, String>,
        place: impl Fn(&mut NodeMeaning) -> &mut Option<Step>,
    ) -> Result<(), GrammarError> {
        for (name, step) in table {
            let step = self.step(step)?;
            for &id in self.kind(name)?.iter() {
                *place(&mut kinds[id as usize]) = Some(step.clone());
            }
        }
        Ok(())
    }

    /// The patterns of what the parser cannot read.
    fn mends(&self, manifest: &Manifest) -> Result<Vec<(regex::bytes::Regex, Box<str>)>, GrammarError> {
        let fault = |message: String| GrammarError::Manifest { source_name: self.source.into(), message };
        let mend = |entry: &MendEntry| {
            let find = super::lexis::pattern(&entry.find, false).map_err(fault)?;
            if find.capture_names().flatten().all(|name| name != "at") {
                return Err(fault(format!("the pattern '{}' has no group 'at'", entry.find)));
            }
            let with = &entry.with;
            if with.is_empty() || !with.is_ascii() || with.contains(|c: char| c.is_ascii_control()) {
                return Err(fault(format!("'{with}' has other than signs of ASCII")));
            }
            Ok((find, with.as_str().into()))
        };
        manifest.mend.iter().map(mend).collect()
    }

    fn items(
        &self,
        kinds: &mut [NodeMeaning],
        items: &[manifest::ItemEntry],
    ) -> Result<Vec<Item>, GrammarError> {
        for (place, item) in items.iter().enumerate() {
            for &id in self.kinds(item.node.as_slice())?.iter() {
                kinds[id as usize].flags |= flag::ITEM;
                kinds[id as usize].item = place as u16;
            }
        }
        items.iter().map(|item| self.item(item)).collect()
    }

    /// The uses, with those of each kind in a row.
    fn uses(&self, kinds: &mut [NodeMeaning], uses: &[manifest::UseEntry]) -> Result<Vec<Use>, GrammarError> {
        let mut by_kind: Vec<Vec<usize>> = vec![Vec::new(); kinds.len()];
        for (place, used) in uses.iter().enumerate() {
            for &id in self.kinds(used.node.as_slice())?.iter() {
                by_kind[id as usize].push(place);
            }
        }
        let mut compiled = Vec::new();
        for (kind, places) in kinds.iter_mut().zip(by_kind) {
            let start = compiled.len() as u16;
            for place in places {
                let used = self.used(&uses[place])?;
                kind.flags |= if used.path.is_some() { flag::REACHES } else { flag::USES };
                compiled.push(used);
            }
            kind.uses = (start, compiled.len() as u16);
        }
        Ok(compiled)
    }

    fn item(&self, item: &manifest::ItemEntry) -> Result<Item, GrammarError> {
        let names = match &item.name {
            Some(names) => self.paths(names)?,
            None => vec![self.path("name")?],
        };
        let shape = |kind: &str, inside: Option<&String>, over: Option<&manifest::CaseEntry>| {
            let kind = self.symbol_kind(kind)?;
            let body = over.and_then(|case| case.body.as_ref()).or(item.body.as_ref());
            let container = over.and_then(|case| case.container.as_ref()).or(item.container.as_ref());
            let qualified = over.and_then(|case| case.qualified.as_ref()).or(item.qualified.as_ref());
            let called = over.and_then(|case| case.called.as_ref()).or(item.called.as_ref());
            Ok(Shape {
                kind,
                inside: inside.map_or(Ok(kind), |inside| self.symbol_kind(inside))?,
                qualified: qualified.map(|kind| self.symbol_kind(kind)).transpose()?,
                outer: over.map_or(item.outer, |case| case.outer),
                depth: over.and_then(|case| case.depth).or(item.depth).unwrap_or(u16::MAX),
                most: over.and_then(|case| case.most).or(item.most).unwrap_or(u32::MAX),
                holds: over.and_then(|case| case.holds).unwrap_or(item.holds),
                members: over.and_then(|case| case.members).unwrap_or(item.members),
                minor: over.and_then(|case| case.minor).unwrap_or(item.minor),
                once: over.and_then(|case| case.once).unwrap_or(item.once),
                each: over.and_then(|case| case.each).unwrap_or(item.each),
                continues: over.and_then(|case| case.continues).unwrap_or(item.continues),
                names: match over.and_then(|case| case.name.as_ref()) {
                    Some(names) => self.paths(names)?,
                    None => names.clone(),
                },
                called: called.map(|name| name.as_str().into()),
                body: body.map(|path| self.path(path)).transpose()?,
                container: container.map(|path| self.path(path)).transpose()?,
            })
        };
        let cases = item.case.iter().map(|case| {
            Ok(ItemCase {
                conditions: self.conditions(&case.conditions)?,
                shape: shape(&case.kind, case.inside.as_ref(), Some(case))?,
            })
        });
        Ok(Item {
            conditions: self.conditions(&item.conditions)?,
            cases: cases.collect::<Result<_, _>>()?,
            otherwise: item.kind.as_ref().map(|kind| shape(kind, item.inside.as_ref(), None)).transpose()?,
            bases: item.bases.as_ref().map(|path| self.path(path)).transpose()?,
            fields: item.fields.as_ref().map(|path| self.path(path)).transpose()?,
        })
    }

    fn conditions(&self, conditions: &[manifest::ConditionEntry]) -> Result<Vec<Condition>, GrammarError> {
        let compile = |condition: &manifest::ConditionEntry| {
            Ok(Condition {
                path: self.path(&condition.path)?,
                is: self.kinds(&condition.is)?,
                text: condition.text.clone(),
                begins: condition.begins.clone(),
                is_macro: condition.is_macro,
                absent: condition.absent,
            })
        };
        conditions.iter().map(compile).collect()
    }

    fn used(&self, used: &manifest::UseEntry) -> Result<Use, GrammarError> {
        Ok(Use {
            field: used.field.as_ref().map(|name| self.field(name)).transpose()?,
            path: used.path.as_ref().map(|path| self.path(path)).transpose()?,
            conditions: self.conditions(&used.conditions)?,
            role: used.role.into(),
        })
    }

    fn symbol_kind(&self, name: &str) -> Result<SymbolKind, GrammarError> {
        name.parse().map_err(|unknown| GrammarError::SymbolKind { source_name: self.source.into(), unknown })
    }

    fn paths(&self, paths: &OneOrMore) -> Result<Vec<Path>, GrammarError> {
        let step = |step: &str| {
            let between = step.strip_prefix('<').and_then(|it| it.strip_suffix('>'));
            match between.and_then(|it| it.split_once('=')) {
                Some((kind, text)) => Ok(Step::Reads(self.kind(kind)?, text.into())),
                None => self.step(step),
            }
        };
        paths.as_slice().iter().map(|path| path.split('/').map(step).collect()).collect()
    }

    fn path(&self, path: &str) -> Result<Path, GrammarError> {
        path.split('/').map(|step| self.step(step)).collect()
    }

    fn step(&self, step: &str) -> Result<Step, GrammarError> {
        match step {
            "@first" => Ok(Step::First),
            "@last" => Ok(Step::Last),
            _ => {
                let between = |open, close| step.strip_prefix(open).and_then(|it| it.strip_suffix(close));
                if let Some(kind) = between('<', '>') {
                    let kinds: Vec<String> = kind.split('|').map(str::to_string).collect();
                    Ok(Step::Kind(self.kinds(&kinds)?))
                } else if let Some(token) = between('\'', '\'') {
                    Ok(Step::Kind(self.token(token)?))
                } else {
                    Ok(Step::Field(self.field(step)?))
                }
            }
        }
    }

    fn kinds(&self, names: &[String]) -> Result<NodeKindSet, GrammarError> {
        let mut ids = Vec::new();
        for name in names {
            ids.extend_from_slice(&self.kind(name)?);
        }
        Ok(ids.into())
    }

    /// Every number of the kind `name`: a parser may give one name several numbers, and a tree may contain any of them.
    fn kind(&self, name: &str) -> Result<NodeKindSet, GrammarError> {
        self.kind_among(name, |id| self.language.node_kind_is_named(id))
    }

    /// Every number of the token `name`: a keyword or a punctuation mark.
    fn token(&self, name: &str) -> Result<NodeKindSet, GrammarError> {
        self.kind_among(name, |id| !self.language.node_kind_is_named(id))
    }

    fn kind_among(&self, name: &str, is_choice: impl Fn(u16) -> bool) -> Result<NodeKindSet, GrammarError> {
        let is_choice = |&id: &u16| is_choice(id) && self.language.node_kind_is_visible(id);
        let all = || (0..self.language.node_kind_count() as u16).filter(is_choice);
        let ids: NodeKindSet = all().filter(|&id| self.language.node_kind_for_id(id) == Some(name)).collect();
        if ids.is_empty() {
            let choices = all().filter_map(|id| self.language.node_kind_for_id(id));
            return Err(GrammarError::NodeKind {
                source_name: self.source.into(),
                value: name.into(),
                near: near(name, choices),
            });
        }
        Ok(ids)
    }

    fn field(&self, name: &str) -> Result<u16, GrammarError> {
        self.language.field_id_for_name(name).map(|id| id.get()).ok_or_else(|| {
            let choices =
                (1..=self.language.field_count() as u16).filter_map(|id| self.language.field_name_for_id(id));
            GrammarError::Field {
                source_name: self.source.into(),
                value: name.into(),
                near: near(name, choices),
            }
        })
    }
}

/// The few `choices` that are most similar to `value`, as a list for an error. A parser has hundreds of kinds, so a
/// full list would hide the intended one.
pub(super) fn near<'a>(value: &str, choices: impl Iterator<Item = &'a str>) -> String {
    let mut choices: Vec<(usize, &str)> =
        choices.map(|choice| (distance(value.as_bytes(), choice.as_bytes()), choice)).collect();
    choices.sort_unstable();
    choices.dedup();
    choices.iter().take(5).map(|(_, choice)| *choice).collect::<Vec<_>>().join(", ")
}

/// The Levenshtein distance.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

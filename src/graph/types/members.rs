//! The definitions of written types, and their members.

use super::fields::name_and_parameters;
use super::library;
use super::site::Site;
use super::written::{WrittenType, written};
use crate::definition::Definition;
use crate::family::Family;
use crate::files::Graph;
use crate::generics::{end_of_type, split_types};
use crate::paths::{package, shared_folders};
use crate::resolve::dedup;
use crate::syntax_facts::SyntaxFacts;
use spyhop_base::model::SymbolKind;
use spyhop_base::path;
use spyhop_search::SearchError;

/// The longest chain of base types, bounds and aliases that is followed.
const MAX_STEPS: usize = 4;

/// The most types that a name may mean.
const MAX_TYPES: usize = 2;

/// All that `of` finds for a type and for the types that it says to try as well, over [`MAX_STEPS`] steps.
pub(super) fn of_nearest<T>(
    holder: &WrittenType,
    of: impl Fn(&WrittenType) -> Result<(Vec<T>, Vec<WrittenType>), SearchError>,
) -> Result<Vec<T>, SearchError> {
    let (mut found, mut seen, mut wave) = (Vec::new(), Vec::new(), vec![holder.clone()]);
    for _ in 0..=MAX_STEPS {
        for holder in std::mem::take(&mut wave) {
            if !seen.contains(&holder) {
                let (here, others) = of(&holder)?;
                found.extend(here);
                wave.extend(others);
                seen.push(holder);
            }
        }
    }
    Ok(found)
}

impl Graph<'_> {
    /// The types of the tree that a written name means.
    pub(crate) fn type_definitions(&self, written: &WrittenType) -> Result<Vec<Definition>, SearchError> {
        let key = (written.file, written.name.clone(), written.package.clone());
        if let Some(known) = self.types.types.borrow().get(&key) {
            return Ok(known.clone());
        }
        let found = self.find_type(written)?;
        self.types.types.borrow_mut().insert(key, found.clone());
        Ok(found)
    }

    fn find_type(&self, written: &WrittenType) -> Result<Vec<Definition>, SearchError> {
        let family = self.family(written.file);
        let imports = self.imports_in(written.file);
        let binding = imports.bound(&written.name).next();
        let all = self.definitions_in(family, &written.name)?;
        if !self.steps.take(all.iter().len() * 10) {
            return Ok(Vec::new());
        }
        let types = all.iter().filter(|found| found.kind.is_type_like());
        let mut types: Vec<Definition> = types.cloned().collect();
        if family == Family::Go {
            let files = written.package.as_ref().map(|package| self.package_files(written.file, package));
            let folder = path::split(self.snapshot.path(written.file)).0;
            types.retain(|found| match &files {
                Some(files) => files.contains(&found.file),
                None => path::split(self.snapshot.path(found.file)).0 == folder,
            });
            return Ok(types);
        }
        let here = |found: &Definition| found.file == written.file;
        if types.iter().any(here) {
            types.retain(here);
            return Ok(types);
        }
        if let Some((import, binding)) = binding.filter(|(_, binding)| binding.name.is_some()) {
            let mut found = self.bound(written.file, import, binding)?;
            found.retain(|found| found.kind.is_type_like());
            return Ok(found);
        }
        let near = self.snapshot.path(written.file);
        // A type inside of another type of another file is named with that type.
        if family == Family::Jvm {
            let is_type = |before: &&str| before.starts_with(char::is_uppercase);
            let outer = written.package.as_deref().filter(is_type);
            types.retain(|found| match (outer, found.container.as_deref()) {
                (Some(outer), Some(container)) => container.rsplit('.').next() == Some(outer),
                (outer, container) => outer.is_none() && container.is_none(),
            });
        }
        let beside =
            |found: &Definition| package(family, self.snapshot.path(found.file)) == package(family, near);
        if family.shares_folder() && types.iter().any(beside) {
            types.retain(beside);
            return Ok(types);
        }
        let shared = |found: &Definition| shared_folders(self.snapshot.path(found.file), near);
        let most = types.iter().map(shared).max();
        types.retain(|found| Some(shared(found)) == most);
        Ok(if types.len() > MAX_TYPES { Vec::new() } else { types })
    }

    /// The files of the package that a name of Go means in a file.
    fn package_files(&self, file: u32, package: &str) -> Vec<u32> {
        let imports = self.imports_in(file);
        let bound = imports.bound(package).find(|(_, binding)| binding.name.is_none());
        bound.map_or_else(Vec::new, |(import, _)| self.module_files(file, import))
    }

    /// Whether all members of a type are known: the type and the types that it extends are of the tree, or the type is of the
    /// language or imported from outside of the tree, and then has no members of the tree.
    pub(super) fn is_closed(&self, holder: &WrittenType) -> Result<bool, SearchError> {
        let is_open = of_nearest(holder, |holder| {
            let types = self.type_definitions(holder)?;
            let mut bases = Vec::new();
            for own in &types {
                bases.extend(self.written_bases(own, holder)?);
            }
            let is_known = !types.is_empty() || self.is_outside(holder)?;
            Ok((if is_known { Vec::new() } else { vec![()] }, bases))
        })?;
        Ok(is_open.is_empty())
    }

    /// Whether a written type is not of the tree.
    fn is_outside(&self, written: &WrittenType) -> Result<bool, SearchError> {
        let family = self.family(written.file);
        if SyntaxFacts::of(self.language(written.file)).types.iter().any(|own| **own == *written.name) {
            return Ok(true);
        }
        let imports = self.imports_in(written.file);
        let local = written.package.as_deref().unwrap_or(&written.name);
        let bound = imports.bound(local).next();
        Ok(match family {
            Family::Go => bound.is_some_and(|(import, _)| self.module_files(written.file, import).is_empty()),
            Family::Jvm => {
                bound.is_some() && self.definitions_in(family, &written.name)?.iter().next().is_none()
            }
            _ => false,
        })
    }

    /// The members with a name of a type, of the types that it extends, and of the bounds of a parameter.
    pub(super) fn members_of(
        &self,
        site: Option<&Site<'_>>,
        holder: &WrittenType,
        name: &str,
    ) -> Result<Vec<Definition>, SearchError> {
        let mut found = of_nearest(holder, |holder| self.members_here(site, holder, name))?;
        dedup(&mut found);
        Ok(found)
    }

    /// The members with a name of a type outside of any expression.
    pub(crate) fn members_of_symbol(
        &self,
        holder: &Definition,
        name: &str,
    ) -> Result<Vec<Definition>, SearchError> {
        self.members_of(None, &WrittenType::new(holder.file, &holder.name), name)
    }

    /// The members of a type itself, and without any the types that may have such members instead.
    fn members_here(
        &self,
        site: Option<&Site<'_>>,
        holder: &WrittenType,
        name: &str,
    ) -> Result<(Vec<Definition>, Vec<WrittenType>), SearchError> {
        let types = self.type_definitions(holder)?;
        let (mut found, mut bases) = (Vec::new(), Vec::new());
        if types.is_empty() {
            bases = site.map_or_else(Vec::new, |site| self.bounds(site, &holder.name));
            bases.extend(library::inner(holder).cloned());
            return Ok((found, bases));
        }
        for definition in &types {
            found.extend(self.direct_members(definition, name)?);
        }
        if found.is_empty() {
            for definition in &types {
                bases.extend(self.written_bases(definition, holder)?);
            }
        }
        Ok((found, bases))
    }

    /// The members with a name that a type itself has, in any file of the tree.
    pub(crate) fn direct_members(
        &self,
        holder: &Definition,
        name: &str,
    ) -> Result<Vec<Definition>, SearchError> {
        let family = self.family(holder.file);
        let all = self.definitions_in(family, name)?;
        let folder = |file: u32| path::split(self.snapshot.path(file)).0;
        let members = all.members_of(&holder.name);
        if !self.steps.take(members.len() * 10) {
            return Ok(Vec::new());
        }
        let members: Vec<Definition> = members.cloned().collect();
        let of = |takes: &dyn Fn(&Definition) -> bool| -> Vec<Definition> {
            members.iter().filter(|found| takes(found)).cloned().collect()
        };
        let same_file = of(&|found| found.file == holder.file);
        match family {
            Family::Jvm => Ok(of(&|found| found.file == holder.file && holder.span.contains(found.span))),
            Family::Go => Ok(of(&|found| folder(found.file) == folder(holder.file))),
            _ => {
                let mut found = same_file;
                for member in members.into_iter().filter(|member| member.file != holder.file) {
                    let named = WrittenType::new(member.file, &holder.name);
                    if self.type_definitions(&named)?.iter().any(|other| other.is(holder)) {
                        found.push(member);
                    }
                }
                Ok(found)
            }
        }
    }

    /// The types that a type extends, implements, embeds or stands for.
    pub(super) fn written_bases(
        &self,
        base: &Definition,
        of: &WrittenType,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let family = self.family(base.file);
        let Some(item) = self.item_of(base) else { return Ok(Vec::new()) };
        let (tokens, home) = (&item.tokens, (family, base.file));
        let Some((name, after)) = name_and_parameters(family, tokens, &base.name) else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        match family {
            Family::Go => found.extend(self.embedded(base)),
            Family::Python => {
                let is_list = |at: usize| tokens.is(at, b'(') || tokens.is(at, b':');
                let open = tokens.find(after, tokens.len(), is_list);
                let close = tokens.partner(open).unwrap_or(open);
                let is_base = |(from, to): &(usize, usize)| {
                    tokens.find(*from, *to, |at| tokens.is(at, b'=')) == *to && tokens.is_word(*from)
                };
                for (from, to) in tokens.split(open + 1, close).into_iter().filter(is_base) {
                    found.extend(written(home, &item, from, to));
                }
            }
            Family::Jvm | Family::Web => {
                let body = end_of_type(tokens, after, tokens.len(), |at| tokens.is(at, b'{'));
                let is_head = |at: &usize| matches!(tokens.word(*at), "extends" | "implements");
                let mut at = after;
                while let Some(head) = (at..body).find(is_head) {
                    at = (head + 1..body).find(is_head).unwrap_or(body);
                    for (from, to) in split_types(tokens, head + 1, at) {
                        found.extend(written(home, &item, from, to));
                    }
                }
            }
            _ => {
                if base.kind == SymbolKind::Trait && tokens.is(name + 1, b':') {
                    let ends = |at: usize| tokens.is(at, b'{') || tokens.word(at) == "where";
                    let end = end_of_type(tokens, name + 2, tokens.len(), ends);
                    found.extend(written(home, &item, name + 2, end));
                }
                if base.kind == SymbolKind::Type {
                    found.extend(self.aliased(base));
                }
                let traits = self.base_types(base.file, &base.name)?;
                found.extend(traits.iter().map(|name| WrittenType::new(base.file, name)));
            }
        }
        found.retain(|base| base.name != of.name || base.file != of.file);
        Ok(found)
    }

    /// The bounds of a generic parameter around a use.
    fn bounds(&self, site: &Site<'_>, name: &str) -> Vec<WrittenType> {
        let family = self.family(site.file);
        if family == Family::Go {
            return Vec::new();
        }
        let mut found = Vec::new();
        let items = std::iter::once(site.item.clone()).chain(site.heads(self));
        for item in items {
            let tokens = &item.tokens;
            let is_bound = |at: &usize| {
                tokens.word(*at) == name
                    && at.checked_sub(1).is_some_and(|before| {
                        tokens.is(before, b'<') || tokens.is(before, b',') || tokens.word(before) == "where"
                    })
                    && match family {
                        Family::Jvm => tokens.word(at + 1) == "extends",
                        _ => tokens.is(at + 1, b':') && !tokens.is(at + 2, b':'),
                    }
            };
            for at in (0..tokens.len()).filter(is_bound).take(2) {
                let ends = |at: usize| tokens.is(at, b',') || tokens.is(at, b'{') || tokens.is(at, b'=');
                let end = end_of_type(tokens, at + 2, tokens.len(), ends);
                found.extend(written((family, site.file), &item, at + 2, end));
            }
        }
        found.retain(|bound| &*bound.name != name);
        found
    }
}

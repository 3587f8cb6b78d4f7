//! The definitions of written types, and their members.

use super::fields::name_and_parameters;
use super::library;
use super::site::Site;
use super::written::{Form, LIST, WrittenType, written};
use crate::definition::Definition;
use crate::family::{CSHARP, Family};
use crate::files::{BYTES_PER_STEP, Graph};
use crate::generics::{end_of_type, is_parameter_name, split_types};
use crate::mixins::bases_in;
use crate::paths::shared_folders;
use crate::resolve::{Question, dedup};
use crate::syntax_facts::SyntaxFacts;
use crate::uses::FileFacts;
use crate::words::whole_words;
use spyhop_base::model::SymbolKind;
use spyhop_base::path;
use spyhop_base::text::Span;
use spyhop_search::SearchError;

/// The longest chain of base types, bounds and aliases that is followed.
const MAX_STEPS: usize = 4;

/// The most functions of a name that are asked for their receivers.
const MAX_EXTENSIONS: usize = 32;

/// The most parts of one type in several files whose heads are read.
const MAX_PARTS: usize = 8;

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
        if let Some(definition) = &written.definition {
            return Ok(vec![(**definition).clone()]);
        }
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
        let types = all.iter().filter(|found| family.is_type(found.kind));
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
        if let (Family::Rust, Some(path)) = (family, written.package.as_deref()) {
            let found = self.types_behind_path(written.file, path, &written.name)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let here = |found: &Definition| found.file == written.file;
        if types.iter().any(here) && (family != CSHARP || written.package.is_none()) {
            types.retain(here);
            return Ok(types);
        }
        if let Some((import, binding)) = binding.filter(|(_, binding)| binding.name.is_some()) {
            let mut found = self.bound(written.file, import, binding)?;
            found.retain(|found| found.kind.is_type_like());
            return Ok(found);
        }
        let near = self.snapshot.path(written.file);
        if !matches!(family, Family::Jvm | Family::Rust) {
            self.leave_out_inner(&mut types, written.package.as_deref());
        }
        if family == CSHARP && (written.package.is_some() || types.iter().all(|own| own.container.is_none()))
        {
            return Ok(self.types_of_csharp(written, types));
        }
        // A type inside of another type of another file is named with that type.
        if family == Family::Jvm {
            let is_type = |before: &&str| before.starts_with(char::is_uppercase);
            let outer = written.package.as_deref().filter(is_type);
            types.retain(|found| match (outer, found.container.as_deref()) {
                (Some(outer), Some(container)) => container.rsplit('.').next() == Some(outer),
                (outer, container) => outer.is_none() && container.is_none(),
            });
        }
        if family == Family::Other("php") {
            if let Some((import, _)) = binding {
                let mut found = self.php_items(&import.module)?;
                found.retain(|found| found.kind.is_type_like());
                if !found.is_empty() {
                    return Ok(found);
                }
            }
            let namespace = self.declared_package(written.file);
            let is_beside = |found: &Definition| self.declared_package(found.file) == namespace;
            if types.iter().any(is_beside) {
                types.retain(is_beside);
                return Ok(types);
            }
        }
        let beside = |found: &Definition| self.are_in_one_package(written.file, found.file);
        if family.shares_folder() && types.iter().any(beside) {
            types.retain(beside);
            return Ok(types);
        }
        let shared = |found: &Definition| shared_folders(self.snapshot.path(found.file), near);
        let most = types.iter().map(shared).max();
        types.retain(|found| Some(shared(found)) == most);
        let is_reopened = SyntaxFacts::of(self.language(written.file)).reopened;
        let is_one = is_reopened && types.iter().all(|found| found.container == types[0].container);
        Ok(if types.len() > MAX_TYPES && !is_one { Vec::new() } else { types })
    }

    /// Of types of C# with one name, those that the name means by its path or by the namespaces of its file.
    fn types_of_csharp(&self, written: &WrittenType, mut types: Vec<Definition>) -> Vec<Definition> {
        if let Some(package) = written.package.as_deref() {
            types.retain(|own| {
                let home = self.namespace_of(own);
                own.container.as_deref() == Some(package) || home.rsplit('.').next() == Some(package)
            });
            return types;
        }
        self.types_in_sight(written.file, None, &types).map_or_else(Vec::new, |(_, found)| found)
    }

    /// Leaves out types inside of other types, which a name without a path does not mean in other files, and those that a path does not
    /// lead to.
    fn leave_out_inner(&self, types: &mut Vec<Definition>, package: Option<&str>) {
        let outer = |own: &Definition| {
            let facts = self.facts(own.file)?;
            let parent = facts.symbols.get(own.place as usize)?.parent?;
            facts
                .symbols
                .get(parent as usize)
                .filter(|outer| outer.kind.is_type_like())
                .map(|outer| outer.name.clone())
        };
        let with_outer: Vec<_> = types.drain(..).map(|own| (outer(&own), own)).collect();
        let is_named = |(outer, _): &&(Option<Box<str>>, Definition)| match package {
            Some("std") => false,
            Some(package) => outer.as_deref() == Some(package),
            None => outer.is_none(),
        };
        let has_named = package == Some("std") || with_outer.iter().any(|own| is_named(&own));
        types.extend(with_outer.iter().filter(|own| !has_named || is_named(own)).map(|(_, own)| own.clone()));
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
            // A type may take members from types that its head does not name.
            let mixins = SyntaxFacts::of(self.language(holder.file)).mixins;
            let is_mixed = types.iter().any(|own| mixins && self.is_partial(own));
            let is_known = !types.is_empty() && !is_mixed || self.is_outside(holder)?;
            Ok((if is_known { Vec::new() } else { vec![()] }, bases))
        })?;
        Ok(is_open.is_empty())
    }

    /// Whether a written type is not of the tree.
    pub(super) fn is_outside(&self, written: &WrittenType) -> Result<bool, SearchError> {
        let family = self.family(written.file);
        if SyntaxFacts::of(self.language(written.file)).types.iter().any(|own| **own == *written.name) {
            return Ok(true);
        }
        let imports = self.imports_in(written.file);
        let local = written.package.as_deref().unwrap_or(&written.name);
        let bound = imports.bound(local).next();
        Ok(match family {
            Family::C if &*written.name == "std" => true,
            Family::Go | Family::Other("php") if bound.is_some() => {
                bound.is_some_and(|(import, _)| self.module_files(written.file, import).is_empty())
            }
            Family::Go => false,
            Family::Jvm => bound.is_some() && self.type_definitions(written)?.is_empty(),
            Family::Rust => false,
            CSHARP => self.type_definitions(written)?.is_empty() && !self.is_parameter(written),
            _ => {
                self.definitions_in(family, &written.name)?.iter().next().is_none()
                    && !self.is_parameter(written)
            }
        })
    }

    /// The types of the tree that a name means in a file.
    pub(crate) fn types_named(&self, file: u32, name: &str) -> Result<Vec<Definition>, SearchError> {
        self.type_definitions(&WrittenType::new(file, name))
    }

    /// The types of the tree that the type which a name means in a file extends or implements.
    pub(crate) fn bases_named(&self, file: u32, name: &str) -> Result<Vec<Definition>, SearchError> {
        let (own, mut found) = (WrittenType::new(file, name), Vec::new());
        for definition in self.type_definitions(&own)? {
            for base in self.written_bases(&definition, &own)? {
                found.extend(self.type_definitions(&base)?);
            }
        }
        Ok(found)
    }

    /// Whether a type with this name, written in a file, is not of the tree.
    pub(crate) fn is_outside_type(&self, file: u32, name: &str) -> Result<bool, SearchError> {
        self.is_outside(&WrittenType::new(file, name))
    }

    /// Whether a name is that of a type parameter of a symbol of its file.
    fn is_parameter(&self, written: &WrittenType) -> bool {
        let name = &*written.name;
        let Some(facts) = self.facts(written.file) else { return true };
        if is_parameter_name(name) || !self.steps.take(facts.text.len() / BYTES_PER_STEP) {
            return true;
        }
        let is_declared = |before: &str| {
            let before = before.trim_end();
            ["typename", "class", "associatedtype", "reified", "using", "typedef", "typealias"]
                .iter()
                .any(|word| before.ends_with(word))
        };
        let is_listed = |head: &str, at: usize| {
            let before = head[..at].trim_end();
            before.ends_with(['<', ',']) && !before.contains('(')
        };
        let heads = facts.symbols.iter().map(|symbol| facts.at(symbol.signature));
        let mut heads = heads.filter(|head| head.contains('<'));
        heads.any(|head| whole_words(head, name).iter().any(|word| is_listed(head, word.start as usize)))
            || whole_words(&facts.text, name)
                .iter()
                .any(|word| is_declared(&facts.text[..word.start as usize]))
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

    /// The methods of the nearest base types that a method overrides or implements, in languages whose methods are told apart by their
    /// parameters.
    pub(crate) fn overridden(&self, method: &Definition) -> Result<Vec<Definition>, SearchError> {
        let Some(container) = method.container.as_deref().filter(|_| self.has_overloads(method.file)) else {
            return Ok(Vec::new());
        };
        let all = self.definitions_in(self.family(method.file), container)?;
        let holder = all
            .in_file(method.file)
            .iter()
            .find(|own| own.kind.is_type_like() && own.span.contains(method.span));
        let (Some(holder), true) = (holder, method.kind.is_function() && !method.is_constructor()) else {
            return Ok(Vec::new());
        };
        let of = WrittenType::of(holder, Form::Object);
        let mut found = Vec::new();
        for base in self.written_bases(holder, &of)? {
            found.extend(self.members_of(None, &base, &method.name)?);
        }
        dedup(&mut found);
        found.retain(|base| self.may_implement(method, base));
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
            let language = self.language_of_type(holder);
            let inner = library::inner(SyntaxFacts::of(language), holder);
            bases.extend(inner.filter(|_| self.family(holder.file) != Family::C).cloned());
            found = self.extensions(holder, name)?;
            return Ok((found, bases));
        }
        for definition in &types {
            found.extend(self.direct_members(definition, name)?);
        }
        if found.is_empty() {
            found = self.extensions(holder, name)?;
        }
        if found.is_empty() {
            for definition in &types {
                bases.extend(self.written_bases(definition, holder)?);
            }
        }
        Ok((found, bases))
    }

    /// Whether other files may have parts of a type. C# has a word for this.
    pub(crate) fn is_partial(&self, holder: &Definition) -> bool {
        let Some(facts) = self.facts(holder.file) else { return false };
        let symbol = facts.symbols.get(holder.place as usize);
        self.language(holder.file) != "csharp"
            || symbol.is_some_and(|own| facts.at(own.signature).contains("partial"))
    }

    /// The functions that a type has as members though they are declared apart from it: `static void Take(this Pool pool)` of C#, and
    /// the extensions of types that the tree does not define.
    fn extensions(&self, holder: &WrittenType, name: &str) -> Result<Vec<Definition>, SearchError> {
        let (family, language) = (self.family(holder.file), self.language(holder.file));
        let all = match language {
            "csharp" | "kotlin" | "swift" => self.definitions_in(family, name)?,
            _ => return Ok(Vec::new()),
        };
        if language != "csharp" {
            let syntax = SyntaxFacts::of(language);
            let is_collection =
                &*holder.name == LIST || !holder.args.is_empty() || *holder.name == *syntax.text;
            let bases = syntax.collections.iter().filter(|_| is_collection).map(String::as_str);
            let names: Vec<&str> = std::iter::once(&*holder.name).chain(bases).collect();
            let members: Vec<&Definition> = names.iter().flat_map(|name| all.members_of(name)).collect();
            let is_known = self.steps.take(members.len() * 10) && self.type_definitions(holder)?.is_empty();
            let mut found: Vec<Definition> =
                if is_known { members.into_iter().cloned().collect() } else { Vec::new() };
            found.retain(|own| !self.is_inside_function(own));
            if !found.is_empty() {
                return Ok(found);
            }
            let functions = all.iter().filter(|own| own.kind.is_function()).take(MAX_EXTENSIONS);
            return Ok(functions.filter(|own| self.extends_any(own)).cloned().collect());
        }
        let functions = all.iter().filter(|own| own.kind.is_function()).take(MAX_EXTENSIONS);
        Ok(functions.filter(|own| self.is_extension_of(own, &holder.name)).cloned().collect())
    }

    /// Replaces the type parameter that a function extends by the type of its receiver.
    pub(super) fn replace_extended(
        &self,
        own: &Definition,
        receiver: &WrittenType,
        types: &mut [WrittenType],
    ) {
        let parameter =
            own.container.as_deref().filter(|_| self.language(own.file) == "kotlin" && self.extends_any(own));
        if let Some(parameter) = parameter {
            types.iter_mut().for_each(|own| own.replace(parameter, receiver));
        }
    }

    /// Whether an extension of Kotlin is declared in a function that a use is not in.
    pub(crate) fn is_hidden_extension(&self, question: &Question<'_>, own: &Definition) -> bool {
        let head = format!("{}.{}", own.container.as_deref().unwrap_or_default(), own.name);
        let is_extension = |facts: &FileFacts| {
            let symbol = facts.symbols.get(own.place as usize);
            symbol.is_some_and(|own| facts.at(own.signature).contains(&head))
        };
        own.file != question.file
            && self.language(own.file) == "kotlin"
            && self.facts(own.file).is_some_and(|facts| is_extension(&facts))
            && self.is_inside_function(own)
    }

    /// Whether a symbol is declared in the body of a function, so that other functions do not see it.
    fn is_inside_function(&self, own: &Definition) -> bool {
        let Some(facts) = self.facts(own.file) else { return false };
        let parent = facts.symbols.get(own.place as usize).and_then(|own| own.parent);
        parent.is_some_and(|parent| facts.symbols[parent as usize].kind.is_function())
    }

    /// Whether a function of Kotlin is an extension of its type parameter: `fun <T : Pool> T.take()`.
    fn extends_any(&self, own: &Definition) -> bool {
        let (Some(container), Some(facts)) = (own.container.as_deref(), self.facts(own.file)) else {
            return false;
        };
        let head = facts.symbols.get(own.place as usize).map_or("", |own| facts.at(own.signature));
        let list = head.split_once("fun").map_or("", |(_, rest)| rest.trim_start()).strip_prefix('<');
        list.and_then(|list| list.split_once(&format!(" {container}.")))
            .is_some_and(|(parameters, _)| !whole_words(parameters, container).is_empty())
    }

    /// Whether a type that the tree does not define may have a member with a name of the tree: a function that is declared apart from the
    /// type of its receiver, which may be a base of that type or a type parameter.
    pub(super) fn may_extend(&self, question: &Question<'_>) -> Result<bool, SearchError> {
        let all = question.candidates.iter().filter(|own| own.kind.is_function() && self.steps.take(1));
        for own in all.take(MAX_EXTENSIONS) {
            let may_extend = match (self.language(own.file), own.container.as_deref()) {
                ("csharp", _) => self.extended(own).is_some(),
                ("kotlin" | "swift", Some(container)) => {
                    let last = container.rsplit('.').next().unwrap_or(container);
                    let all = self.definitions_in(question.family, last)?;
                    !all.iter().any(|own| own.kind.is_type_like())
                }
                _ => false,
            };
            if may_extend {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a function of C# is an extension of a type.
    pub(crate) fn is_extension(&self, function: &Definition) -> bool {
        self.extended(function).is_some()
    }

    /// Whether a call has the name of a function of the library that passes on types.
    pub(crate) fn is_library_function(&self, question: &Question<'_>) -> bool {
        let syntax = SyntaxFacts::of(self.language(question.file));
        let mut known =
            [&syntax.same, &syntax.elements, &syntax.maps, &syntax.arguments].into_iter().flatten();
        known.any(|own| own == question.name)
    }

    /// Whether the first parameter of a function of C# has the word `this` and a type with this name.
    fn is_extension_of(&self, function: &Definition, name: &str) -> bool {
        self.extended(function).is_some_and(|taken| taken.iter().any(|own| &*own.name == name))
    }

    /// The types of the receiver of an extension of C#.
    fn extended(&self, function: &Definition) -> Option<Vec<WrittenType>> {
        let item = self.item_of(function)?;
        let tokens = &item.tokens;
        let this = (0..tokens.len()).find(|at| tokens.is(*at, b'{') || tokens.word(*at) == "this");
        let this = this.filter(|at| *at > 0 && tokens.is(at - 1, b'(') && tokens.word(*at) == "this");
        let this = this?;
        let end = end_of_type(tokens, this + 1, tokens.len(), |at| tokens.is(at, b','));
        Some(written((Family::Other("csharp"), function.file), &item, this + 1, end.saturating_sub(1)))
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
        // Several types of one file may have one name.
        let namesakes = self.definitions_in(family, &holder.name)?;
        let namesakes =
            namesakes.in_file(holder.file).iter().filter(|own| family.is_type(own.kind) && !own.is(holder));
        let namesakes: Vec<Span> =
            namesakes.filter(|own| own.container != holder.container).map(|own| own.span).collect();
        let is_of_namesake = |found: &Definition| namesakes.iter().any(|other| other.contains(found.span));
        let same_file = of(&|found| {
            found.file == holder.file && (holder.span.contains(found.span) || !is_of_namesake(found))
        });
        let syntax = SyntaxFacts::of(self.language(holder.file));
        let is_reopened = syntax.reopened && self.is_partial(holder);
        let has_extensions = matches!(self.language(holder.file), "kotlin" | "swift");
        match family {
            Family::Jvm if syntax.one_file => {
                Ok(of(&|found| found.file == holder.file && holder.span.contains(found.span)))
            }
            Family::Go => Ok(of(&|found| folder(found.file) == folder(holder.file))),
            _ => {
                let mut found = same_file;
                for member in members.into_iter().filter(|member| member.file != holder.file) {
                    let named = WrittenType::new(member.file, &holder.name);
                    let is_near = family != Family::Jvm || self.are_in_one_package(member.file, holder.file);
                    let is_part = |other: &Definition| {
                        let is_same = (&other.name, &other.container) == (&holder.name, &holder.container);
                        let is_one =
                            || family != CSHARP || self.namespace_of(other) == self.namespace_of(holder);
                        other.is(holder) || is_reopened && is_near && is_same && is_one()
                    };
                    let types = self.type_definitions(&named)?;
                    if types.iter().any(is_part) || has_extensions && types.is_empty() {
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
            Family::Web | Family::Jvm if family == Family::Web || self.language(base.file) == "java" => {
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
                found.extend(self.named_bases(base)?);
            }
        }
        found.retain(|base| base.name != of.name || base.file != of.file);
        Ok(found)
    }

    /// The types that the heads of a type name as its base types. The implementations of Rust and the parts of a type in other files have
    /// heads of their own.
    fn named_bases(&self, base: &Definition) -> Result<Vec<WrittenType>, SearchError> {
        if self.family(base.file) == Family::Rust {
            let traits = self.base_types(base.file, &base.name)?;
            let mut found: Vec<WrittenType> =
                traits.iter().map(|name| WrittenType::new(base.file, name)).collect();
            // What an implementation of `Deref` says.
            if traits.iter().any(|name| &**name == "Deref") {
                let targets = self.definitions_in(Family::Rust, "Target")?;
                for target in targets.members_of(&base.name).filter(|target| target.file == base.file) {
                    found.extend(self.aliased(target));
                }
            }
            return Ok(found);
        }
        let (all, family) =
            (self.definitions_in(self.family(base.file), &base.name)?, self.family(base.file));
        let is_reopened = SyntaxFacts::of(self.language(base.file)).reopened && self.is_partial(base);
        let is_part = |own: &&Definition| {
            let is_one = || family != CSHARP || self.namespace_of(own) == self.namespace_of(base);
            own.container == base.container && family.is_type(own.kind) && self.steps.take(1) && is_one()
        };
        let parts: Vec<&Definition> = match is_reopened {
            true => all.iter().filter(is_part).take(MAX_PARTS).collect(),
            false => vec![base],
        };
        let mut found = Vec::new();
        for part in parts {
            let Some(facts) = self.facts(part.file) else { continue };
            let named = bases_in(self.language(part.file), &facts, part.place);
            found.extend(named.into_iter().map(|named| WrittenType::new(part.file, facts.at(named))));
        }
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
                        Family::Jvm if tokens.word(at + 1) == "extends" => true,
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

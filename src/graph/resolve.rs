//! The definitions that a use of a name means.
//!
//! Rules are tried from the most certain one to the least certain one, and the first rule that finds a definition
//! decides. A name that an import binds to a module outside of the tree means nothing in the tree.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::definitions::FamilyDefinitions;
use super::family::{CSHARP, Family};
use super::files::{BYTES_PER_STEP, Graph};
use super::imports::{Binding, ImportStatement};
use super::judgement::{Judgement, Meaning, TypeRuling};
use super::mixins::{bases_in, bytes_of_bases};
use super::ruby::is_local;
use super::rule::EdgeRule;
use super::steps::Steps;
use super::syntax_facts::SyntaxFacts;
use super::use_form::UseForm;
use super::uses::{FileFacts, NameUse, Receiver, UseRole, around, innermost};
use super::words::whole_words;
use crate::definition::{Definition, distinct};
use spyhop_base::model::{Symbol, SymbolKind};
use spyhop_base::text::Span;
use spyhop_search::SearchError;

/// The longest chain of re-exports and of base types that is followed.
pub(super) const MAX_STEPS: usize = 5;

/// A name with more definitions that no rule tells apart means none of them.
pub(super) const MAX_AMBIGUOUS: usize = 8;

/// The most meanings of one use that are looked at, those nearest to the use. Overloads have as many.
pub const MAX_MEANINGS: usize = 64;

/// The most definitions of a name in one file that are looked at for one use. Minified code has thousands.
const MAX_IN_FILE: usize = 256;

/// The steps that every use takes.
const STEPS_PER_USE: usize = 50;

/// The steps that a copied definition takes.
pub(super) const STEPS_PER_COPY: usize = 10;

/// The result of a rule: not applicable, or these definitions.
pub(super) type RuleResult = Option<(EdgeRule, Vec<Definition>)>;

/// A use with everything that rules look at.
pub(super) struct Question<'q> {
    pub file: u32,
    pub family: Family,
    pub facts: &'q FileFacts,
    pub used: &'q NameUse,
    pub name: &'q str,
    /// The kinds of symbols that a use of this form may mean.
    pub(super) form: UseForm,
    /// Whether the use is the name of a type of C++ without a path, which means no constructor.
    is_type_of_cpp: bool,
    /// The definitions of the name in languages of the family.
    pub(super) candidates: Arc<FamilyDefinitions>,
    graph: &'q Graph<'q>,
}

impl<'q> Question<'q> {
    fn steps(&self) -> &Steps {
        &self.graph.steps
    }

    /// Whether a use of this form may mean a definition, which is another place.
    pub(super) fn is_other(&self, definition: &Definition) -> bool {
        let takes = self.form.takes(definition.kind) || self.is_accessor(definition);
        let takes = takes && !(self.is_type_of_cpp && definition.is_constructor());
        definition.span != self.used.span
            && takes
            && self.fits_path(definition)
            && !self.lacks_enum(definition)
            && (self.family != Family::Go || self.is_in_sight(definition))
    }

    /// Whether a definition of Go is exported, or in the package of the use.
    fn is_in_sight(&self, definition: &Definition) -> bool {
        definition.name.starts_with(char::is_uppercase)
            || self.graph.are_in_one_folder(definition.file, self.file)
    }

    /// Whether the definition is a value of an enumeration of C#, which other types only name behind the enumeration.
    fn lacks_enum(&self, definition: &Definition) -> bool {
        self.family == CSHARP
            && definition.kind == SymbolKind::Variant
            && self.used.receiver == Receiver::Absent
            && self.facts.type_around(self.used.owner) != definition.container.as_deref()
    }

    /// Whether a call may mean the method by which a component of a record is read, which nobody writes.
    fn is_accessor(&self, definition: &Definition) -> bool {
        self.form == UseForm::Called && self.graph.is_record_component(definition)
    }

    /// Whether the place of a use in a path of Rust allows for a definition: no call means a module, and nothing is inside of a
    /// function. A module and a function may have one name.
    fn fits_path(&self, definition: &Definition) -> bool {
        match definition.kind {
            SymbolKind::Module => self.used.role != UseRole::Call,
            kind if kind.is_function() && self.family == Family::Rust => {
                let after = &self.facts.text[self.used.span.end as usize..];
                // Arguments of a function are written `take::<u8>(1)`.
                !after.starts_with("::") || after.starts_with("::<")
            }
            _ => true,
        }
    }

    pub(super) fn candidates(&self, takes: impl Fn(&Definition) -> bool) -> Vec<&Definition> {
        let all = self.candidates.iter();
        if !self.steps().take(all.len()) {
            return Vec::new();
        }
        all.filter(|definition| self.is_other(definition) && takes(definition)).collect()
    }

    /// The candidates in the file of the use, of many those nearest to the use.
    pub(super) fn in_same_file(&self, takes: impl Fn(&Definition) -> bool) -> Vec<&Definition> {
        let mut all = self.candidates.in_file(self.file);
        if all.len() > MAX_IN_FILE {
            let next = all.partition_point(|definition| definition.span.start <= self.used.span.start);
            let first = next.saturating_sub(MAX_IN_FILE / 2).min(all.len() - MAX_IN_FILE);
            all = &all[first..first + MAX_IN_FILE];
            self.graph.count_crowded(self.file, self.used.span);
        }
        if !self.steps().take(all.len()) {
            return Vec::new();
        }
        all.iter().filter(|definition| self.is_other(definition) && takes(definition)).collect()
    }

    pub(super) fn in_container(&self, container: &str) -> Vec<&Definition> {
        let members = self.candidates.members_of(container);
        if !self.steps().take(members.len()) {
            return Vec::new();
        }
        members.filter(|definition| self.is_other(definition)).collect()
    }

    /// The members of a type; those in the file of the use, if there are any.
    pub(super) fn members(&self, container: &str) -> Vec<Definition> {
        let mut members = self.in_container(container);
        let is_here = |definition: &&Definition| definition.file == self.file;
        if members.iter().any(is_here) {
            members.retain(is_here);
        }
        self.nearest(members)
    }

    /// The members of the type around the use, which is in the file of the use.
    fn members_around(&self, container: &str) -> Vec<Definition> {
        let mut members = self.members(container);
        if SyntaxFacts::of(self.graph.language(self.file)).one_file {
            members.retain(|own| own.file == self.file);
        }
        members
    }

    /// The definitions that are considered: if there are too many, those in the file of the use near the use, then the first ones.
    pub(super) fn nearest(&self, mut found: Vec<&Definition>) -> Vec<Definition> {
        if found.len() > MAX_MEANINGS {
            self.steps().take(found.len() * 2);
            self.graph.count_crowded(self.file, self.used.span);
            let distance = |definition: &&Definition| match definition.file == self.file {
                true => (false, definition.span.start.abs_diff(self.used.span.start)),
                false => (true, 0),
            };
            let mut by_distance: Vec<_> =
                (0..).zip(&found).map(|(at, symbol)| (distance(symbol), at)).collect();
            by_distance.select_nth_unstable(MAX_MEANINGS);
            by_distance.truncate(MAX_MEANINGS);
            by_distance.sort_unstable_by_key(|(_, at)| *at);
            found = by_distance.into_iter().map(|(_, at): (_, usize)| found[at]).collect();
        }
        self.steps().take(found.len() * STEPS_PER_COPY);
        found.into_iter().cloned().collect()
    }

    /// Whether an import is in the file itself or in an inline module of Rust around the use.
    fn sees(&self, import: &ImportStatement) -> bool {
        let at = Span::new(import.start as usize, import.start as usize);
        let module = (self.family == Family::Rust).then(|| inline_module(&self.facts.symbols, at)).flatten();
        module.is_none_or(|module| module.contains(self.used.span))
    }

    /// The binding of a use in an import, which has the name in its module.
    fn imported(&self) -> Option<(&ImportStatement, &Binding)> {
        if self.used.role != UseRole::Import {
            return None;
        }
        let next = self.facts.imports.partition_point(|import| import.start <= self.used.span.start);
        let before = &self.facts.imports[..next];
        let start = before.last()?.start;
        // The groups of one statement of Rust are imports of their own: the name stands behind its module.
        let path = match &self.used.receiver {
            Receiver::Path(path) => Some(&**path),
            _ => None,
        };
        let is_behind = |import: &&ImportStatement| {
            path.is_none_or(|path| {
                import.module.strip_suffix(path).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
            })
        };
        let of_statement = before.iter().rev().take_while(|own| own.start == start && self.steps().take(1));
        of_statement.filter(is_behind).find_map(|import| {
            let binding = import.bindings.iter().find(|own| own.name.as_deref() == Some(self.name));
            Some((import, binding?))
        })
    }

    /// The binding of a use that is the name before `as` in an import.
    fn renamed(&self) -> Option<(&ImportStatement, &Binding)> {
        self.imported().filter(|(_, binding)| &*binding.local != self.name)
    }

    pub(super) fn import_of(&self, local: &str) -> Option<(&ImportStatement, &Binding)> {
        self.facts.imports.bound(local).find(|(import, _)| self.steps().take(1) && self.sees(import))
    }
}

impl Graph<'_> {
    /// The definitions that a use means, each with its confidence; empty if the name is not of the tree.
    pub(super) fn meanings(
        &self,
        file: u32,
        facts: &FileFacts,
        used: &NameUse,
    ) -> Result<Vec<Meaning>, SearchError> {
        Ok(self.judgement(file, facts, used)?.meanings)
    }

    /// The judgement of a use, remembered, because the uses of a target are listed first and counted later.
    pub(super) fn known_judgement(
        &self,
        file: u32,
        facts: &FileFacts,
        used: &NameUse,
    ) -> Result<Rc<Judgement>, SearchError> {
        let key = (file, used.span);
        if let Some(known) = self.judged.borrow().get(&key) {
            return Ok(known.clone());
        }
        let judgement = Rc::new(self.judgement(file, facts, used)?);
        self.judged.borrow_mut().insert(key, judgement.clone());
        Ok(judgement)
    }

    /// The judgement of a use.
    fn judgement(&self, file: u32, facts: &FileFacts, used: &NameUse) -> Result<Judgement, SearchError> {
        if !self.steps.take(STEPS_PER_USE) {
            return Ok(Judgement::default());
        }
        if facts.is_module_part(used.span) {
            return Ok(Judgement { decided: Some(EdgeRule::Import), ..Judgement::default() });
        }
        let question = self.question(file, facts, used)?;
        let is_namespace =
            matches!(question.family, CSHARP | Family::Jvm) && self.is_part_of_namespace(&question);
        let ruling = match self.called_by_word(&question)? {
            Some((rule, types)) => TypeRuling::Means(rule, types),
            None if is_namespace => TypeRuling::Means(EdgeRule::QualifiedModule, Vec::new()),
            None => self.by_declared_type(&question)?,
        };
        let mut judgement = match ruling {
            TypeRuling::Means(rule, found) => self.ruled(&question, (rule, found)),
            TypeRuling::ByName => self.by_name(&question)?,
            TypeRuling::Unknown => self.judged_by_rules(&question)?,
        };
        judgement.constructors = self.called_constructors(&question, &judgement)?;
        // What was looked at in part only may be wrong.
        Ok(if self.steps.is_ended() { Judgement::default() } else { judgement })
    }

    /// The meaning of a name whose receiver is not known.
    fn by_name(&self, question: &Question<'_>) -> Result<Judgement, SearchError> {
        let ruling = self.by_extension(question)?;
        Ok(ruling.map_or_else(|| self.by_name_alone(question), |ruling| self.ruled(question, ruling)))
    }

    /// The definitions that a use means by rules that evaluate no expression.
    pub(super) fn meanings_by_rules(
        &self,
        file: u32,
        facts: &FileFacts,
        used: &NameUse,
    ) -> Result<Vec<Meaning>, SearchError> {
        Ok(self.judged_by_rules(&self.question(file, facts, used)?)?.meanings)
    }

    fn question<'q>(
        &'q self,
        file: u32,
        facts: &'q FileFacts,
        used: &'q NameUse,
    ) -> Result<Question<'q>, SearchError> {
        let (family, name) = (self.family(file), self.meant_name(file, facts, used)?);
        let candidates = self.definitions_in(family, name)?;
        let form = UseForm::of(self.language(file), facts, used);
        let is_type_of_cpp = family == Family::C
            && used.receiver == Receiver::Absent
            && candidates.iter().any(|own| own.kind.is_type_like());
        Ok(Question { file, family, facts, used, name, form, is_type_of_cpp, candidates, graph: self })
    }

    fn judged_by_rules(&self, question: &Question<'_>) -> Result<Judgement, SearchError> {
        let ruling = match &question.used.receiver {
            // The method of a base type, or one of a library.
            Receiver::Absent if question.facts.at(question.used.span) == "super" => {
                self.base_member(question)?.or(Some((EdgeRule::Inherited, Vec::new())))
            }
            Receiver::Chain(_) if question.family == Family::Jvm && question.used.role == UseRole::Import => {
                self.imported(question)?
            }
            Receiver::Absent => self.plain_name(question)?,
            Receiver::This => self.member_of_this(question)?,
            Receiver::Base => self.base_member(question)?,
            // A name in a group of an import: `use a::{b::Pool}`.
            Receiver::Path(path) => {
                match self.imported(question)?.filter(|_| question.family == Family::Rust) {
                    None => self.after_path(question, path)?,
                    imported => imported,
                }
            }
            Receiver::Chain(chain) => self.after_chain(question, chain)?,
            Receiver::Expression => None,
        };
        ruling.map_or_else(|| self.by_name(question), |ruling| Ok(self.ruled(question, ruling)))
    }

    fn ruled(&self, question: &Question<'_>, (rule, definitions): (EdgeRule, Vec<Definition>)) -> Judgement {
        let mut definitions = self.of_arguments(question, self.with_bodies(definitions));
        if definitions.iter().any(|own| question.fits_path(own)) {
            definitions.retain(|own| question.fits_path(own));
        }
        // A type has one implementation of a trait for each of the types that the trait takes, in any file; and parts in several files, as
        // for the platforms of Kotlin.
        let has_parts = SyntaxFacts::of(self.language(question.file)).reopened;
        let choices = match rule {
            EdgeRule::SamePackage | EdgeRule::Wildcard if question.family == CSHARP => 1,
            EdgeRule::QualifiedType | EdgeRule::TypedVariable
                if question.family == Family::Rust || has_parts && rule == EdgeRule::TypedVariable =>
            {
                let mut types: Vec<Option<&str>> =
                    definitions.iter().map(|own| own.container.as_deref()).collect();
                types.sort_unstable();
                types.dedup();
                types.len().max(1)
            }
            _ if question.family == Family::C => self.distinct_homes(rule, &definitions),
            _ => distinct(&definitions),
        };
        let confidence = rule.confidence() / choices as f32;
        // A name of Rust that no import binds is none of another file. Scripts of other languages share global names.
        let decided =
            Some(rule).filter(|rule| *rule != EdgeRule::Ambiguous || question.family == Family::Rust);
        let meaning = |definition| Meaning { definition, rule, confidence };
        let meanings = definitions.into_iter().map(meaning).collect();
        Judgement { meanings, decided, ..Judgement::default() }
    }

    /// A name at the end of an import, such as `import a.Pool`.
    fn imported(&self, question: &Question<'_>) -> Result<RuleResult, SearchError> {
        let Some((import, binding)) = question.imported() else { return Ok(None) };
        Ok(Some((EdgeRule::Import, self.bound(question.file, import, binding)?)))
    }

    /// A name without a receiver.
    fn plain_name(&self, question: &Question<'_>) -> Result<RuleResult, SearchError> {
        let is_local = match question.family.calls_without_signs() {
            true => is_local(question.facts, question.used, &self.steps),
            false => self.is_local_name(question),
        };
        if is_local || self.is_field_around(question) {
            return Ok(Some((EdgeRule::SameFile, Vec::new())));
        }
        let is_php = question.family == Family::Other("php");
        if is_php && self.has_namespace(question) {
            return self.php_plain(question);
        }
        if let Some((import, binding)) = question.renamed().or_else(|| question.import_of(question.name)) {
            let mut found = self.bound(question.file, import, binding)?;
            let is_outside = found.is_empty();
            found.retain(|own| question.fits_path(own));
            if is_outside || !found.is_empty() {
                return Ok(Some((EdgeRule::Import, found)));
            }
        }
        if is_php && let Some(ruling) = self.php_plain(question)? {
            return Ok(Some(ruling));
        }
        let around = question.facts.type_around(question.used.owner);
        let owners = enclosing_names(question);
        let is_visible = |definition: &Definition| match definition.container.as_deref() {
            None => true,
            Some(container) => {
                owners.contains(&container)
                    || (question.family.has_implicit_receiver() && around == Some(container))
            }
        };
        let own = self.members_of_class(question)?;
        if !own.is_empty() {
            return Ok(Some((EdgeRule::OwnMember, own)));
        }
        let same_file = question.in_same_file(is_visible);
        if !same_file.is_empty() {
            let found = question.nearest(innermost_scope(question, same_file));
            // The body of what the file only declares is elsewhere.
            let bodies = match question.family == Family::C && question.used.role == UseRole::Call {
                true => self.bodies_of_declared(question, found.clone()),
                false => found.clone(),
            };
            let rule = if bodies == found { EdgeRule::SameFile } else { EdgeRule::Wildcard };
            let is_known = question.family != Family::C || !self.is_only_declared(&bodies);
            return Ok(is_known.then_some((rule, bodies)));
        }
        let extended = self.members_of_extended(question)?;
        if !extended.is_empty() {
            return Ok(Some((EdgeRule::OwnMember, extended)));
        }
        if question.family.has_implicit_receiver() {
            if let Some(ruling) = self.inherited(question, around)? {
                return Ok(Some(ruling));
            }
            if let Some(ruling) = self.member_of_outer(question)? {
                return Ok(Some(ruling));
            }
        }
        let beside = self.in_namespaces(question);
        if !beside.is_empty() {
            return Ok(Some((EdgeRule::SamePackage, beside)));
        }
        if question.family.shares_folder() {
            let is_beside = |found: &Definition| self.are_in_one_package(question.file, found.file);
            let beside = question.candidates(|found| found.container.is_none() && is_beside(found));
            if !beside.is_empty() {
                return Ok(Some((EdgeRule::SamePackage, question.nearest(beside))));
            }
        }
        if question.family == CSHARP {
            return Ok(self.by_namespaces(question));
        }
        if question.family.calls_without_signs() && question.name.starts_with(char::is_uppercase) {
            return Ok(self.constant_of_program(question));
        }
        self.by_wildcards(question)
    }

    /// The only class, module or constant of a program of Ruby with a name, outside of other ones or in one around the use. What a file
    /// defines, all files see.
    fn constant_of_program(&self, question: &Question<'_>) -> RuleResult {
        let names: Vec<&str> = around(&question.facts.symbols, question.used.owner)
            .flat_map(|own| own.container.as_deref().into_iter().chain([&*own.name]))
            .flat_map(|name| name.split("::"))
            .collect();
        let is_visible = |container: &str| {
            container.split(['.', ':']).all(|part| part.is_empty() || names.contains(&part))
        };
        let found = question
            .candidates(|own| !own.kind.is_function() && own.container.as_deref().is_none_or(is_visible));
        let found = question.nearest(found);
        (!found.is_empty() && distinct(&found) == 1).then_some((EdgeRule::Wildcard, found))
    }

    /// A member of a type around the type of the use, innermost first, or of a base of that type.
    fn member_of_outer(&self, question: &Question<'_>) -> Result<RuleResult, SearchError> {
        let symbols = &question.facts.symbols;
        let innermost = question.facts.type_around(question.used.owner);
        let types = around(symbols, question.used.owner).filter(|own| own.kind.is_type_like());
        for outer in types {
            // A component of a record is a field, too.
            let head = question.facts.at(outer.signature);
            let is_component = |word: &Span| head[word.end as usize..].trim_start().starts_with([',', ')']);
            let is_java = self.language(question.file) == "java";
            if is_java && whole_words(head, question.name).iter().any(is_component) {
                return Ok(Some((EdgeRule::SameFile, Vec::new())));
            }
            // An anonymous class is not a symbol, so that the innermost symbol may be around its type.
            if innermost == Some(&*outer.name) {
                continue;
            }
            let members = question.in_container(&outer.name);
            let here: Vec<&Definition> =
                members.into_iter().filter(|found| found.file == question.file).collect();
            if !here.is_empty() {
                return Ok(Some((EdgeRule::SameFile, question.nearest(here))));
            }
            if let Some(ruling) = self.inherited(question, Some(&outer.name))? {
                return Ok(Some(ruling));
            }
        }
        Ok(None)
    }

    /// A name of a module that the file imports as a whole.
    fn by_wildcards(&self, question: &Question<'_>) -> Result<RuleResult, SearchError> {
        let mut modules = Vec::new();
        for import in question.facts.imports.wildcards() {
            if !self.steps.take(1) {
                break;
            }
            if !question.sees(import) {
                continue;
            }
            if question.family == Family::C && !self.may_declare(question, &import.module) {
                continue;
            }
            let mut files = self.module_files(question.file, import);
            if question.family == Family::C {
                files.extend(files.clone().into_iter().flat_map(|file| self.sources_of_header(file)));
            }
            modules.push(files);
        }
        let mut found = self.reached(modules, question.name)?;
        if question.family == Family::C && found.is_empty() {
            found = self.included_through_others(question);
        }
        if question.family == Family::C {
            found = self.bodies_of_declared(question, found);
        }
        if !found.is_empty() {
            let is_known = question.family != Family::C || !self.is_only_declared(&found);
            return Ok(is_known.then_some((EdgeRule::Wildcard, found)));
        }
        // A Rust macro is visible without an import; any other name of these languages is a local or a built-in.
        let after = &question.facts.text[question.used.span.end as usize..];
        let is_local = question.family.imports_names() && !after.starts_with('!');
        Ok(is_local.then_some((EdgeRule::Ambiguous, Vec::new())))
    }

    /// A member of the type around the use.
    fn member_of_this(&self, question: &Question<'_>) -> Result<RuleResult, SearchError> {
        let around = question.facts.type_around(question.used.owner);
        let members = around.map(|around| question.members_around(around)).unwrap_or_default();
        if !members.is_empty() {
            return Ok(Some((EdgeRule::OwnMember, members)));
        }
        self.inherited(question, around)
    }

    fn base_member(&self, question: &Question<'_>) -> Result<RuleResult, SearchError> {
        if let Some(found) = self.members_of_nameless(question)? {
            return Ok((!found.is_empty()).then_some((EdgeRule::Inherited, found)));
        }
        let around = question.facts.type_around(question.used.owner);
        let ruling = self.inherited(question, around)?;
        let (Some(around), None) = (around, &ruling) else { return Ok(ruling) };
        // In these languages, the heads of types name all base types, so that the member is one of a library.
        let is_named = matches!(self.language(question.file), "csharp" | "java" | "kotlin" | "swift");
        let is_outside = is_named && !self.has_other_base(question, around)?;
        Ok(is_outside.then_some((EdgeRule::Inherited, Vec::new())))
    }

    /// Whether a name of a base type above `around` is that of an alias, which stands for another type.
    fn has_other_base(&self, question: &Question<'_>, around: &str) -> Result<bool, SearchError> {
        for base in self.bases_above(question.file, around)? {
            let all = self.definitions_in(question.family, &base)?;
            let is_renamed = |(_, binding): (&ImportStatement, &Binding)| {
                binding.name.as_deref().is_some_and(|name| *name != *base)
            };
            if all.iter().any(|own| own.kind == SymbolKind::Type)
                || question.facts.imports.bound(&base).any(is_renamed)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A member of a base type of `around`.
    pub(super) fn inherited(
        &self,
        question: &Question<'_>,
        around: Option<&str>,
    ) -> Result<RuleResult, SearchError> {
        let has_declarations = matches!(self.language(question.file), "csharp" | "java");
        if let (Some(around), true) = (around, has_declarations) {
            let found = self.inherited_by_declarations(question, around)?;
            return Ok((!found.is_empty()).then_some((EdgeRule::Inherited, found)));
        }
        let mut types: Vec<String> = around.into_iter().map(str::to_string).collect();
        // Types may extend each other in circles.
        let mut seen: FxHashSet<String> = types.iter().cloned().collect();
        for _ in 0..MAX_STEPS {
            let mut bases = Vec::new();
            for type_name in &types {
                let further = self.base_types(question.file, type_name)?;
                if !self.steps.take(1 + further.len()) {
                    return Ok(None);
                }
                bases.extend(further.iter().filter(|base| seen.insert((*base).clone())).cloned());
            }
            let members: Vec<Definition> = bases.iter().flat_map(|base| question.members(base)).collect();
            if !members.is_empty() {
                return Ok(Some((EdgeRule::Inherited, members)));
            }
            types = bases;
            if types.is_empty() {
                break;
            }
        }
        Ok(None)
    }

    /// The names of the types that the type `name` extends or implements.
    pub(super) fn base_types(&self, file: u32, name: &str) -> Result<Rc<Vec<String>>, SearchError> {
        let key = (file, Box::from(name));
        if let Some(known) = self.bases.borrow().get(&key) {
            return Ok(known.clone());
        }
        let all = self.definitions_in(self.family(file), name)?;
        let here = all.in_file(file).iter();
        let others = all.iter().filter(|found| found.file != file);
        let family = self.family(file);
        let most = if SyntaxFacts::of(self.language(file)).reopened { MAX_AMBIGUOUS } else { 2 };
        let types = here.chain(others).filter(|found| family.is_type(found.kind)).take(most);
        let mut bases = Vec::new();
        for found in types {
            let Some(facts) = self.facts(found.file) else { continue };
            for place in facts.symbols_by_name.get(name).into_iter().flatten() {
                let language = self.language(found.file);
                if !self.steps.take(1 + bytes_of_bases(language, &facts, *place) / BYTES_PER_STEP) {
                    break;
                }
                let named = bases_in(language, &facts, *place);
                let named = named.into_iter().map(|base| facts.at(base).to_string());
                bases.extend(named.filter(|base| base != name));
            }
        }
        let bases = Rc::new(bases);
        self.bases.borrow_mut().insert(key, bases.clone());
        Ok(bases)
    }
}

/// Of the definitions in one file, those in the innermost block around the use that has any. Languages without braces have
/// their blocks in the containers of symbols.
fn innermost_scope<'d>(question: &Question<'_>, found: Vec<&'d Definition>) -> Vec<&'d Definition> {
    if found.len() < 2 || question.family == Family::Python {
        return found;
    }
    question.steps().take(found.len() * STEPS_PER_COPY);
    // Branches for the preprocessor may have more opening braces than closing ones.
    let is_outermost = |own: &Definition| {
        question.facts.symbols.get(own.place as usize).is_some_and(|own| own.parent.is_none())
    };
    let scope = |own: &Definition| match question.family == Family::C && is_outermost(own) {
        true => 0..question.facts.text.len(),
        false => question.facts.blocks.around(own.span.start as usize),
    };
    let use_at = question.used.span.start as usize;
    let around =
        found.iter().filter(|symbol| scope(symbol).contains(&use_at)).map(|symbol| scope(symbol).len());
    match around.min() {
        Some(least) => {
            let is_innermost =
                |symbol: &&Definition| scope(symbol).contains(&use_at) && scope(symbol).len() == least;
            found.into_iter().filter(is_innermost).collect()
        }
        None => found,
    }
}

/// The span of the innermost module that is written inside of its file around a span.
pub(super) fn inline_module(symbols: &[Symbol], at: Span) -> Option<Span> {
    let mut above = around(symbols, innermost(symbols, at));
    above.find(|symbol| symbol.kind == SymbolKind::Module).map(|symbol| symbol.span)
}

/// Whether a use is in a module that its file contains, such as `mod tests { ... }`.
pub(super) fn is_in_inline_module(question: &Question<'_>) -> bool {
    around(&question.facts.symbols, question.used.owner).any(|own| own.kind == SymbolKind::Module)
}

/// The names of the functions and modules around a use, innermost first.
fn enclosing_names<'q>(question: &'q Question<'_>) -> Vec<&'q str> {
    let above = around(&question.facts.symbols, question.used.owner);
    let above = above.filter(|own| own.kind.is_function() || own.kind == SymbolKind::Module);
    above.map(|own| &*own.name).collect()
}

pub(super) fn dedup(found: &mut Vec<Definition>) {
    found.sort_by_key(|definition| (definition.file, definition.place));
    found.dedup_by_key(|definition| (definition.file, definition.place));
}

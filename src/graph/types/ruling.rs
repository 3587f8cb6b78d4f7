//! What the types of declarations say of a use: of a member by the type of its receiver, of the key of a literal by the type of the
//! literal, and of the label of a case by the type of the value.

use super::evaluate::unique;
use super::library;
use super::locals::declaration;
use super::site::Site;
use super::written::{Form, LIST, WrittenType};
use crate::declarations::{LocalSource, ValuePart};
use crate::definition::Definition;
use crate::family::{CSHARP, Family};
use crate::files::Graph;
use crate::judgement::TypeRuling;
use crate::resolve::{Question, dedup};
use crate::rule::EdgeRule;
use crate::uses::{FileFacts, NameUse, Receiver, UseRole, innermost};
use spyhop_base::text::Span;
use spyhop_search::SearchError;

/// The most variables with the name of another one whose types are looked at.
const MAX_NAMESAKES: usize = 8;

impl Graph<'_> {
    /// The meaning of a member by the declared type of its receiver, of the key of a literal by the type of the literal, and of
    /// the label of a case by the type of the value.
    pub(crate) fn by_declared_type(&self, question: &Question<'_>) -> Result<TypeRuling, SearchError> {
        if question.family.has_scopes() {
            return self.by_scopes(question);
        }
        if let (CSHARP, Receiver::Chain(chain)) = (question.family, &question.used.receiver) {
            let found = self.types_behind(question, chain);
            if !found.is_empty() {
                return Ok(TypeRuling::Means(EdgeRule::QualifiedModule, found));
            }
        }
        let is_member = matches!(question.used.receiver, Receiver::Chain(_) | Receiver::Expression);
        let is_absent = question.used.receiver == Receiver::Absent;
        let is_kotlin = self.language(question.file) == "kotlin";
        let may_imply = is_kotlin
            && is_absent
            && question.used.role != UseRole::Import
            && question.candidates.iter().any(|own| own.container.is_some());
        let is_plain = is_absent && question.used.role == UseRole::Mention;
        if !(is_member || is_plain || may_imply) {
            return Ok(TypeRuling::Unknown);
        }
        let Some(site) = self.site(question.file, question.facts, question.used.owner) else {
            return Ok(TypeRuling::Unknown);
        };
        let at = site.item.index_at(question.used.span.start);
        let tokens = &site.item.tokens;
        // A name of Ruby may end with a sign.
        let is_there = !tokens.word(at).is_empty() && question.name.starts_with(tokens.word(at));
        if at < 2 || !is_there || is_member && site.receiver_end(at).is_none() {
            return Ok(TypeRuling::Unknown);
        }
        self.types.expressions.begin();
        if may_imply && let Some(found) = self.by_implied(question, &site, at)? {
            return Ok(TypeRuling::Means(EdgeRule::TypedVariable, found));
        }
        if !(is_member || is_plain) {
            return Ok(TypeRuling::Unknown);
        }
        let value = if is_member { None } else { value_of_case(&site, at) };
        let types = match value {
            Some((from, to)) => Some(self.in_range(&site, from, to)?),
            None if is_member => self.receiver_of(&site, at)?.map(|(types, _)| types),
            None => self.types_around(&site, at)?,
        };
        if self.types.expressions.is_cut() {
            return Ok(TypeRuling::Unknown);
        }
        let types = types.unwrap_or_default();
        if types.is_empty() {
            return Ok(match is_member {
                true if self.is_library_constant(question)? => {
                    TypeRuling::Means(EdgeRule::QualifiedType, Vec::new())
                }
                true if self.has_untyped_receiver(question, &site) => TypeRuling::ByName,
                _ => TypeRuling::Unknown,
            });
        }
        self.by_types(question, &site, (&types, value.is_some()))
    }

    /// The members of implied receivers, if there are any.
    fn by_implied(
        &self,
        question: &Question<'_>,
        site: &Site<'_>,
        at: usize,
    ) -> Result<Option<Vec<Definition>>, SearchError> {
        if self.is_local_name(question) {
            return Ok(None);
        }
        let mut found = self.members_in_blocks(site, at)?;
        found.retain(|own| question.is_other(own));
        Ok((!found.is_empty() && !self.types.expressions.is_cut()).then_some(found))
    }

    /// The meaning of a member of a receiver with one of these types, or of the label of a case of such a value.
    fn by_types(
        &self,
        question: &Question<'_>,
        site: &Site<'_>,
        (types, is_label): (&[WrittenType], bool),
    ) -> Result<TypeRuling, SearchError> {
        let (mut found, mut is_closed) = (Vec::new(), true);
        for receiver_type in types {
            found.extend(self.members_of(Some(site), receiver_type, question.name)?);
            // The type of a guess excludes nothing.
            is_closed = is_closed && !receiver_type.is_guess && self.is_closed(receiver_type)?;
        }
        dedup(&mut found);
        found.retain(|own| question.is_other(own));
        let found = self.without_inner(question, found);
        Ok(match found.is_empty() {
            false => TypeRuling::Means(EdgeRule::TypedVariable, found),
            // The label of a case may be any constant.
            true if is_label => TypeRuling::Unknown,
            true if self.is_field(question, types)? => TypeRuling::Means(EdgeRule::TypedVariable, Vec::new()),
            true if is_closed && !self.may_extend(question)? => {
                TypeRuling::Means(EdgeRule::TypedVariable, Vec::new())
            }
            true => TypeRuling::ByName,
        })
    }

    /// Whether the receiver of a use is a constant of Ruby that the tree does not define, such as `File`.
    fn is_library_constant(&self, question: &Question<'_>) -> Result<bool, SearchError> {
        let Receiver::Chain(chain) = &question.used.receiver else { return Ok(false) };
        let is_constant = question.family.calls_without_signs() && chain.starts_with(char::is_uppercase);
        Ok(is_constant && !chain.contains('.') && self.definitions(chain)?.is_empty())
    }

    /// Whether a use is a field of the types of its receiver, for which no symbol of the question stands.
    fn is_field(&self, question: &Question<'_>, types: &[WrittenType]) -> Result<bool, SearchError> {
        if question.used.role == UseRole::Call || types.iter().any(|own| own.is_guess) {
            return Ok(false);
        }
        for own in types {
            if self.field_of(own, question.name)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The members with the name of a use that the bounds of a type parameter around the use have.
    pub(crate) fn members_of_bounds(
        &self,
        question: &Question<'_>,
        parameter: &str,
    ) -> Result<Vec<Definition>, SearchError> {
        let Some(site) = self.site(question.file, question.facts, question.used.owner) else {
            return Ok(Vec::new());
        };
        let mut found =
            self.members_of(Some(&site), &WrittenType::new(question.file, parameter), question.name)?;
        found.retain(|own| question.is_other(own));
        Ok(found)
    }

    /// The names of the types that are written for the receiver of a use.
    pub(crate) fn receiver_types(
        &self,
        file: u32,
        facts: &FileFacts,
        used: &NameUse,
    ) -> Result<Vec<Box<str>>, SearchError> {
        let is_member = matches!(used.receiver, Receiver::Chain(_) | Receiver::Expression);
        let site = if is_member { self.site(file, facts, used.owner) } else { None };
        let Some(site) = site else { return Ok(Vec::new()) };
        let at = site.item.index_at(used.span.start);
        if site.receiver_end(at).is_none() {
            return Ok(Vec::new());
        }
        self.types.expressions.begin();
        let types = self.receiver_of(&site, at)?.map(|(types, _)| types).unwrap_or_default();
        Ok(types.into_iter().map(|own| own.name).collect())
    }

    /// The meaning by the declarations of all scopes: a local name, or a member of a receiver whose value is known.
    fn by_scopes(&self, question: &Question<'_>) -> Result<TypeRuling, SearchError> {
        let (Some(reading), Some(site)) =
            (self.reading(question.file), self.site(question.file, question.facts, None))
        else {
            return Ok(TypeRuling::Unknown);
        };
        let (tokens, start) = (&site.item.tokens, question.used.span.start);
        let at = tokens.index_at(start);
        if tokens.word(at) != question.name {
            return Ok(TypeRuling::Unknown);
        }
        self.types.expressions.begin();
        if at == 0 || !tokens.is(at - 1, b'.') || at > 1 && tokens.is(at - 2, b'.') {
            let declared = reading.scopes.declaration(question.name, start, &self.steps);
            let is_import = question.used.role == UseRole::Import;
            let Some(local) = declared.filter(|local| !local.is_global && !is_import) else {
                return Ok(TypeRuling::Unknown);
            };
            let item = self.item_at(question.file, question.name, local.at)?;
            // The first mention of the name in an item is the name of the item, unless the local name is a parameter.
            let is_named_there = |definition: &Definition| {
                let start = tokens.index_at(definition.span.start);
                let end = tokens.index_at(definition.span.end);
                let first = (start..end).find(|at| tokens.word(*at) == question.name);
                first.is_some_and(|at| site.item.byte_of(at) == local.at)
            };
            let found: Vec<Definition> = item.filter(is_named_there).into_iter().collect();
            if let (LocalSource::Value(..) | LocalSource::PartOfType(..), true) =
                (&local.source, found.is_empty())
            {
                return self.taken_apart(question, &site, local.source.clone());
            }
            return Ok(TypeRuling::Means(EdgeRule::SameFile, found));
        }
        let receiver = at.checked_sub(2).map(|last| self.ending_at(&site, last)).transpose()?.flatten();
        let Some((types, first)) = receiver else { return Ok(TypeRuling::Unknown) };
        let is_self = first + 2 == at && matches!(tokens.word(first), "self" | "this" | "cls");
        let types = match types.is_empty() && first + 2 == at {
            true => self.types_of_namesakes(question.file, tokens.word(first))?,
            false => types,
        };
        let objects = self.each(&types, |own| self.instances(own))?;
        let (mut found, mut rule, mut is_known) = (Vec::new(), None, !objects.is_empty());
        for object in &objects {
            let member = self.found_in(object, question.name)?;
            is_known &= object.definition.is_some() || object.is_outside();
            let mut means = member.definitions;
            if let Some((file, declared)) = &member.declared {
                means.extend(self.symbol_of_field(*file, declared.at, question.name)?);
            }
            if !means.is_empty() {
                rule = rule.or(Some(match object.form {
                    Form::Module(_) => EdgeRule::QualifiedModule,
                    _ if is_self && !member.is_inherited => EdgeRule::OwnMember,
                    Form::Base => EdgeRule::Inherited,
                    _ if is_self => EdgeRule::Inherited,
                    Form::Class => EdgeRule::QualifiedType,
                    Form::Object | Form::Pointer | Form::Value => EdgeRule::TypedVariable,
                }));
            }
            found.extend(means);
        }
        if self.types.expressions.is_cut() {
            return Ok(TypeRuling::Unknown);
        }
        dedup(&mut found);
        if let Some(rule) = rule {
            return Ok(TypeRuling::Means(rule, found));
        }
        let is_imported = question.facts.imports.bound(tokens.word(first)).next().is_some();
        let rule = if is_imported { EdgeRule::Import } else { EdgeRule::TypedVariable };
        Ok(if is_known { TypeRuling::Means(rule, Vec::new()) } else { TypeRuling::Unknown })
    }

    /// The meaning of a local name that takes a member out of a value, as in `const { take } = pool`: the functions and types that the
    /// member is. Any other local name means nothing in the tree.
    fn taken_apart(
        &self,
        question: &Question<'_>,
        site: &Site<'_>,
        mut source: LocalSource,
    ) -> Result<TypeRuling, SearchError> {
        let local = TypeRuling::Means(EdgeRule::SameFile, Vec::new());
        let last = match &mut source {
            LocalSource::Value(_, _, parts) | LocalSource::PartOfType(_, _, parts) => parts.pop(),
            _ => None,
        };
        let Some(ValuePart::Member(key)) = last else { return Ok(local) };
        let types = self.local(site, source)?;
        let objects = self.each(&types, |own| self.instances(own))?;
        let mut found = Vec::new();
        for object in &objects {
            found.extend(self.found_in(object, site.item.tokens.word(key))?.definitions);
        }
        found.retain(|own| own.kind.is_function() || own.kind.is_type_like());
        dedup(&mut found);
        let is_known = objects.iter().any(|own| own.definition.is_some() || own.is_outside());
        Ok(match found.is_empty() || self.types.expressions.is_cut() {
            false => TypeRuling::Means(EdgeRule::TypedVariable, found),
            // The member of an unknown value may be any function of this name.
            true if !is_known && question.used.role == UseRole::Call => TypeRuling::ByName,
            true => local,
        })
    }

    /// The types that are written for other variables of a file with the name of a variable whose type is not known: a file mostly
    /// has one kind of value for a name.
    fn types_of_namesakes(&self, file: u32, name: &str) -> Result<Vec<WrittenType>, SearchError> {
        let Some(reading) = self.reading(file) else { return Ok(Vec::new()) };
        let all = reading.scopes.declarations(name).take_while(|_| self.steps.take(1));
        let written = all.filter(|own| matches!(own.source, LocalSource::Written(..))).take(MAX_NAMESAKES);
        let mut found = Vec::new();
        for own in written {
            found.extend(self.declared_types(file, own)?);
        }
        unique(&mut found);
        Ok(found)
    }

    /// The symbol that stands for a field which is declared at a byte. The symbol may be another assignment to the field.
    fn symbol_of_field(&self, file: u32, at: u32, name: &str) -> Result<Option<Definition>, SearchError> {
        let all = self.definitions(name)?;
        let facts = self.facts(file);
        let around = facts
            .as_ref()
            .and_then(|facts| facts.type_around(innermost(&facts.symbols, Span { start: at, end: at })));
        let is_it = |own: &&Definition| {
            let is_there = own.span.start <= at && at < own.span.end;
            let is_of_type = own.kind.is_minor() && own.container.as_deref() == around;
            own.container.is_some() && (is_there || is_of_type)
        };
        Ok(all.in_file(file).iter().find(is_it).cloned())
    }

    /// The members that the types which the type around a use extends have.
    pub(crate) fn inherited_by_declarations(
        &self,
        question: &Question<'_>,
        around: &str,
    ) -> Result<Vec<Definition>, SearchError> {
        let Some(site) = self.site(question.file, question.facts, question.used.owner) else {
            return Ok(Vec::new());
        };
        let holder = WrittenType::new(question.file, around);
        let mut found = Vec::new();
        for own in self.type_definitions(&holder)? {
            for base in self.written_bases(&own, &holder)? {
                found.extend(self.members_of(Some(&site), &base, question.name)?);
            }
        }
        dedup(&mut found);
        found.retain(|own| question.is_other(own));
        Ok(found)
    }

    /// The types that have the name at token `at` as a member, though no receiver stands before it: those of the literal whose key it is.
    fn types_around(&self, site: &Site<'_>, at: usize) -> Result<Option<Vec<WrittenType>>, SearchError> {
        let tokens = &site.item.tokens;
        let Some(open) = tokens.around(at).filter(|open| tokens.is(*open, b'{') && *open > 0) else {
            return Ok(None);
        };
        if !site.is_go_or_rust() {
            return if site.language == "csharp" { self.initialized(site, at, open) } else { Ok(None) };
        }
        let is_key = tokens.is(at + 1, b':') && !tokens.is(at + 2, b':') && !tokens.is_operator(at + 1, ":=");
        if !is_key || !(tokens.is(at - 1, b'{') || tokens.is(at - 1, b',')) {
            return Ok(None);
        }
        let types = self.literal_types(site, open)?;
        // The keys of lists and maps are expressions.
        Ok(types.filter(|types| types.iter().all(|own| !matches!(&*own.name, LIST | "map"))))
    }

    /// The types of the literal whose brace is at `open`. The type of an element of a list or map may be left out.
    fn literal_types(&self, site: &Site<'_>, open: usize) -> Result<Option<Vec<WrittenType>>, SearchError> {
        let tokens = &site.item.tokens;
        let Some(close) = tokens.partner(open) else { return Ok(None) };
        let is_nested = [b'{', b',', b':'].iter().any(|sign| tokens.is(open - 1, *sign));
        match tokens.around(open).filter(|outer| is_nested && tokens.is(*outer, b'{') && *outer > 0) {
            Some(outer) => {
                let types = self.literal_types(site, outer)?;
                Ok(types.map(|types| {
                    types.iter().filter_map(|own| library::element(site.syntax(), own)).collect()
                }))
            }
            None => Ok(self.literal(site, close)?.map(|(types, _)| types)),
        }
    }

    /// Whether the receiver of a use is a parameter or local variable whose type is not known. What other code says of the name
    /// of such a variable is about another one.
    fn has_untyped_receiver(&self, question: &Question<'_>, site: &Site<'_>) -> bool {
        let Receiver::Chain(chain) = &question.used.receiver else { return false };
        let family = question.family;
        if chain.contains('.') || family == Family::Go {
            return false;
        }
        let at = site.item.index_at(question.used.span.start);
        let source =
            site.receiver_end(at).and_then(|at| declaration(site.language, &site.item.tokens, chain, at));
        source.is_some()
    }
}

/// The tokens of the value whose case has the name at token `at` among its labels, as in `switch (value) { case A, B: }`.
fn value_of_case(site: &Site<'_>, at: usize) -> Option<(usize, usize)> {
    let tokens = &site.item.tokens;
    let open = tokens.around(at).filter(|open| !site.is_go_or_rust() && tokens.is(*open, b'{'))?;
    let mut first = at;
    while first > 1 && tokens.is(first - 1, b',') && tokens.is_word(first - 2) {
        first -= 2;
    }
    let close = open.checked_sub(1).filter(|close| tokens.is(*close, b')'))?;
    let value = tokens.partner(close).filter(|value| *value > 0 && tokens.word(first - 1) == "case")?;
    (tokens.word(value - 1) == "switch").then_some((value + 1, close))
}

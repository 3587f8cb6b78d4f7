//! The types of expressions.

use super::blocks;
use super::fields::name_and_parameters;
use super::known::TypedExpression;
use super::library;
use super::locals::declaration;
use super::members::of_nearest;
use super::operands::{before_arguments, first_of_path, is_name, is_operand};
use super::site::Site;
use super::sources;
use super::written::{Form, LIST, OBJECT_TYPE, TUPLE, WrittenType, written};
use crate::declarations::{LocalSource, ValuePart};
use crate::definition::Definition;
use crate::family::Family;
use crate::files::Graph;
use crate::generics::end_of_type;
use crate::syntax_facts::SyntaxFacts;
use crate::tokens::TokenKind;
use crate::uses::FileFacts;
use spyhop_base::text::Span;
use spyhop_search::SearchError;

/// The most types of one expression.
const MAX_TYPES: usize = 6;

impl Graph<'_> {
    pub(super) fn site<'f>(&self, file: u32, facts: &'f FileFacts, owner: Option<u32>) -> Option<Site<'f>> {
        if self.family(file).has_scopes() {
            let item = self.reading(file)?.item.clone();
            return Some(Site { file, facts, language: self.language(file), owner: None, item });
        }
        let symbols = &facts.symbols;
        let parents = std::iter::successors(owner, |at| symbols[*at as usize].parent);
        let functions = parents.filter(|at| symbols[*at as usize].kind.is_function());
        let whole = Span::new(0, facts.text.len());
        let span = functions.last().map_or(whole, |at| symbols[at as usize].span);
        Some(Site { file, facts, language: self.language(file), owner, item: self.item(file, span)? })
    }

    /// The types of the expression that ends with the token `at`.
    pub(super) fn ending_at(&self, site: &Site<'_>, at: usize) -> Result<TypedExpression, SearchError> {
        let key = (site.file, site.item.span, site.owner, at as u32);
        self.types.expressions.of(key, || self.evaluated_at(site, at))
    }

    fn evaluated_at(&self, site: &Site<'_>, at: usize) -> Result<TypedExpression, SearchError> {
        let tokens = &site.item.tokens;
        let family = self.family(site.file);
        let Some(token) = tokens.at(at) else { return Ok(None) };
        match token.kind {
            TokenKind::Sign(b'?') if at > 0 && family == Family::Rust => {
                let Some((types, first)) = self.ending_at(site, at - 1)? else { return Ok(None) };
                Ok(Some((types.iter().filter_map(library::unwrapped).collect(), first)))
            }
            TokenKind::Sign(b'?' | b'!' | b'&') if at > 0 => self.ending_at(site, at - 1),
            TokenKind::Sign(b')') => self.call_or_group(site, at),
            TokenKind::Sign(b']') => {
                let Some(open) = tokens.partner(at) else { return Ok(None) };
                let begins_line =
                    site.language == "swift" && tokens.at(open).is_some_and(|own| own.indent.is_some());
                if open == 0 || begins_line || !is_operand(family, tokens, open - 1) {
                    let is_macro = open > 1 && tokens.is(open - 1, b'!') && tokens.word(open - 2) == "vec";
                    return Ok(Some((
                        self.listed(site, (open, at))?,
                        if is_macro { open - 2 } else { open },
                    )));
                }
                let Some((types, first)) = self.ending_at(site, open - 1)? else { return Ok(None) };
                let is_slice = || tokens.find(open + 1, at, |index| tokens.is(index, b':')) < at;
                let types = match family {
                    Family::Python if matches!(tokens.word(open - 1), "Annotated" | "Optional" | "Union") => {
                        self.classes(&written((family, site.file), &site.item, open - 1, at + 1))?
                    }
                    Family::Python if is_slice() => types,
                    Family::Python | Family::Web => self.each(&types, |own| self.indexed(own))?,
                    // A pointer of C is an array, too.
                    Family::C => {
                        let indexed = |own: &WrittenType| {
                            library::indexed(site.syntax(), own).or_else(|| Some(own.clone()))
                        };
                        self.each(&types, |own| self.unaliased(own))?.iter().filter_map(indexed).collect()
                    }
                    _ => self.each(&types, |own| self.indexed_value(site, own))?,
                };
                Ok(Some((types, first)))
            }
            TokenKind::Sign(b'}') => self.literal(site, at),
            TokenKind::Literal | TokenKind::Number if family.has_scopes() => {
                Ok(Some((vec![WrittenType::outside()], at)))
            }
            TokenKind::Literal if !site.syntax().text.is_empty() => {
                Ok(Some((vec![WrittenType::new(site.file, &site.syntax().text)], at)))
            }
            TokenKind::Word | TokenKind::Number if site.receiver_end(at).is_some() => {
                if tokens.word(at) == "class" && at > 1 && site.syntax().overloads {
                    return Ok(Some((vec![WrittenType::new(site.file, tokens.word(at - 2))], at - 2)));
                }
                if family == Family::Jvm && tokens.word(at) == "this" && at > 1 {
                    // The object of the class around an inner class: `Pool.this`.
                    return Ok(Some((vec![WrittenType::new(site.file, tokens.word(at - 2))], at - 2)));
                }
                let Some((types, first)) = self.receiver_of(site, at)? else { return Ok(None) };
                if family == Family::Rust && tokens.word(at) == "await" {
                    return Ok(Some((types, first)));
                }
                Ok(Some((self.field(site, &types, at)?, first)))
            }
            TokenKind::Word => {
                let mut first = if family.has_scopes() { at } else { first_of_path(family, tokens, at) };
                let has_new = !family.has_scopes() && !family.calls_without_signs() && !site.is_go_or_rust();
                if has_new && first > 0 && tokens.word(first - 1) == "new" {
                    return Ok(Some((self.made(site, (first, at + 1)), first - 1)));
                }
                while family.calls_without_signs() && first > 0 && tokens.is(first - 1, b'@') {
                    first -= 1;
                }
                Ok(Some((self.name(site, at)?, first)))
            }
            _ => Ok(None),
        }
    }

    /// The types of what an index finds in a value: in a type of C#, what its indexer gives.
    fn indexed_value(&self, site: &Site<'_>, own: &WrittenType) -> Result<Vec<WrittenType>, SearchError> {
        if let Some(found) = library::indexed(site.syntax(), own) {
            return Ok(vec![found]);
        }
        let indexers = match site.language {
            "csharp" => self.members_of(Some(site), own, "this")?,
            "swift" => self.members_of(Some(site), own, "subscript")?,
            _ => Vec::new(),
        };
        Ok(indexers.iter().flat_map(|indexer| self.result_types(indexer)).collect())
    }

    /// The types of the receiver of the name at a token, and the first token of the receiver.
    pub(super) fn receiver_of(&self, site: &Site<'_>, at: usize) -> Result<TypedExpression, SearchError> {
        let Some(last) = site.receiver_end(at) else { return Ok(None) };
        if let Some(types) = self.implied(site, at)? {
            return Ok(Some((types, at - 1)));
        }
        let Some((types, first)) = self.ending_at(site, last)? else { return Ok(None) };
        let types = if site.has_arrow(at) || site.is_connected(at) {
            self.each(&types, |own| self.pointed(site, own))?
        } else {
            types
        };
        Ok(Some((types, first)))
    }

    /// All that `of` gives for types, each once.
    pub(super) fn each(
        &self,
        types: &[WrittenType],
        of: impl Fn(&WrittenType) -> Result<Vec<WrittenType>, SearchError>,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let mut found = Vec::new();
        for own in types {
            found.extend(of(own)?);
        }
        unique(&mut found);
        Ok(found)
    }

    /// The types of the expression in `from..to`.
    pub(super) fn in_range(
        &self,
        site: &Site<'_>,
        from: usize,
        to: usize,
    ) -> Result<Vec<WrittenType>, SearchError> {
        if self.family(site.file).has_scopes() {
            return self.operand(site, from, to);
        }
        for (from, to) in blocks::values(&site.item.tokens, site.language, from, to) {
            let found = self.in_range(site, from, to)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        if !site.is_go_or_rust() {
            return self.common_operand(site, from, to);
        }
        let (tokens, mut from, mut n_followed) = (&site.item.tokens, from, 0);
        while from < to
            && ([b'&', b'*'].iter().any(|sign| tokens.is(from, *sign)) || tokens.word(from) == "mut")
        {
            n_followed += usize::from(tokens.is(from, b'*'));
            from += 1;
        }
        if tokens.is_operator(from, "<-") {
            let channels = self.in_range(site, from + 2, to)?;
            return Ok(channels.iter().filter_map(library::received).collect());
        }
        // What is behind a second reference, an implementation of `Deref` says.
        if from >= to || n_followed > 1 {
            return Ok(Vec::new());
        }
        let evaluated = self.ending_at(site, to - 1)?;
        Ok(evaluated.filter(|(_, first)| *first == from).map_or_else(Vec::new, |(types, _)| types))
    }

    pub(super) fn replace_self(&self, site: &Site<'_>, types: &mut [WrittenType]) {
        if let Some(around) = site.facts.type_around(site.owner) {
            for of_self in types.iter_mut().filter(|of_self| &*of_self.name == "Self") {
                *of_self = WrittenType::new(site.file, around);
            }
        }
    }

    /// A call, a conversion or an expression in parentheses that ends with the parenthesis at `close`.
    fn call_or_group(&self, site: &Site<'_>, close: usize) -> Result<TypedExpression, SearchError> {
        let tokens = &site.item.tokens;
        let Some(open) = tokens.partner(close) else { return Ok(None) };
        let home = (self.family(site.file), site.file);
        let Some(before) = open.checked_sub(1) else { return Ok(None) };
        if home.0 == Family::Go && tokens.is(before, b'.') && before > 0 {
            let first = self.ending_at(site, before - 1)?.map_or(before, |(_, first)| first);
            return Ok(Some((written(home, &site.item, open + 1, close), first)));
        }
        let called = match tokens.is(before, b'>') || home.0 == Family::Go && tokens.is(before, b']') {
            true => before_arguments(home.0, tokens, before),
            false => Some(before),
        };
        let Some(called) = called.filter(|called| is_name(home.0, tokens, *called)) else {
            if tokens.is(before, b'!') && home.0 == Family::Rust {
                return Ok(Some((Vec::new(), before.saturating_sub(1))));
            }
            // A call of what a call gives.
            if is_operand(home.0, tokens, before) && home.0.has_scopes() {
                let Some((types, first)) = self.ending_at(site, before)? else { return Ok(None) };
                return Ok(Some((self.each(&types, |own| self.called_object(own))?, first)));
            }
            // An empty list of Swift: `[Pool]()`.
            if let Some(first) =
                tokens.partner(before).filter(|_| tokens.is(before, b']') && open + 1 == close)
            {
                return Ok(Some((written(home, &site.item, first, before + 1), first)));
            }
            return Ok(Some((self.in_parentheses(site, open, close)?, open)));
        };
        self.call_of(site, called, (open, close))
    }

    /// The types of an expression in parentheses, or of several values.
    fn in_parentheses(
        &self,
        site: &Site<'_>,
        open: usize,
        close: usize,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let parts = site.item.tokens.split(open + 1, close);
        if parts.len() < 2 || !matches!(site.language, "csharp" | "rust" | "swift") {
            return self.in_range(site, open + 1, close);
        }
        self.tuple(site, parts)
    }

    /// The type of several values, which may have labels.
    pub(super) fn tuple(
        &self,
        site: &Site<'_>,
        parts: Vec<(usize, usize)>,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let mut types = Vec::new();
        for (from, to) in parts {
            let has_label = tokens.is_word(from) && tokens.is(from + 1, b':') && !tokens.is(from + 2, b':');
            let from = if has_label { from + 2 } else { from };
            let first = self.in_range(site, from, to)?.into_iter().next();
            types.push(first.unwrap_or_else(|| WrittenType::new(site.file, "")));
        }
        Ok(vec![WrittenType::new(site.file, TUPLE).with(types)])
    }

    /// A call of the name at `called`, whose arguments are between two brackets.
    pub(super) fn call_of(
        &self,
        site: &Site<'_>,
        called: usize,
        (open, close): (usize, usize),
    ) -> Result<TypedExpression, SearchError> {
        let (tokens, home) = (&site.item.tokens, (self.family(site.file), site.file));
        if site.receiver_end(called).is_some() {
            let Some((receiver, first)) = self.receiver_of(site, called)? else { return Ok(None) };
            return Ok(Some((self.call_types(site, called, Some(receiver), (open, close))?, first)));
        }
        let first = if home.0.has_scopes() { called } else { first_of_path(home.0, tokens, called) };
        let has_new = !site.is_go_or_rust() && home.0 != Family::Python && !home.0.calls_without_signs();
        if has_new && first > 0 && tokens.word(first - 1) == "new" {
            return Ok(Some((self.made(site, (first, open)), first - 1)));
        }
        Ok(Some((self.call_types(site, called, None, (open, close))?, first)))
    }

    /// The types of the field at token `at` of values of these types.
    fn field(
        &self,
        site: &Site<'_>,
        types: &[WrittenType],
        at: usize,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let name = site.item.tokens.word(at);
        if self.family(site.file).has_scopes() {
            return self.each(types, |own| self.member_types(own, name));
        }
        let mut found = Vec::new();
        for holder in types {
            found.extend(self.field_of(holder, name)?);
        }
        guess(&mut found, types.iter().any(|own| own.is_guess));
        if found.is_empty() && self.family(site.file).calls_without_signs() {
            return self.call_types(site, at, Some(types.to_vec()), (at, at));
        }
        if found.is_empty() && site.syntax().properties {
            found.extend(types.iter().filter_map(|own| library::table_result(site.syntax(), own, name)));
        }
        // A type behind a namespace: the name of a namespace stands for itself.
        if found.is_empty()
            && site.language == "csharp"
            && let [namespace] = types
            && at > 1
            && *namespace.name == *site.item.tokens.word(at - 2)
            && namespace.args.is_empty()
            && name.starts_with(char::is_uppercase)
            && self.type_definitions(namespace)?.is_empty()
        {
            let package = Some(namespace.name.clone());
            found.push(WrittenType { package, ..WrittenType::new(site.file, name) });
        }
        if found.is_empty() && types.is_empty() {
            for definition in self.definitions_at(site, site.item.span_of(at))? {
                found.extend(self.constant_types(&definition)?);
            }
        }
        unique(&mut found);
        Ok(found)
    }

    /// The types of a field of a type, or of the nearest types that it embeds, extends or passes on.
    pub(super) fn field_of(&self, holder: &WrittenType, name: &str) -> Result<Vec<WrittenType>, SearchError> {
        of_nearest(holder, |holder| self.direct_field(holder, name))
    }

    /// The types of a field of a type itself, and without any the types that may have the field instead.
    fn direct_field(
        &self,
        holder: &WrittenType,
        name: &str,
    ) -> Result<(Vec<WrittenType>, Vec<WrittenType>), SearchError> {
        let syntax = SyntaxFacts::of(self.language_of_type(holder));
        if library::is_tuple(syntax, holder)
            && let Some(place) = library::place_in_tuple(name)
        {
            return Ok((holder.args.get(place).cloned().into_iter().collect(), Vec::new()));
        }
        if &*holder.name == OBJECT_TYPE {
            return Ok((self.field_of_struct(holder, name), Vec::new()));
        }
        let definitions = self.type_definitions(holder)?;
        if definitions.is_empty() {
            // In C++, a sign of its own passes through a pointer of the library.
            let inner = library::inner(syntax, holder).filter(|_| self.family(holder.file) != Family::C);
            let inner: Vec<WrittenType> = inner.cloned().into_iter().collect();
            // A property such as `Task.Result` is the value inside.
            let is_value = syntax.arguments.iter().any(|own| own == name);
            return Ok(if is_value { (inner, Vec::new()) } else { (Vec::new(), inner) });
        }
        let (mut found, mut bases) = (Vec::new(), Vec::new());
        let has_extensions = matches!(self.language_of_type(holder), "kotlin" | "swift");
        for definition in &definitions {
            found.extend(self.field_types(definition, holder, name)?);
            if found.is_empty() && self.has_constant(definition, name) {
                found.push(self.as_type(definition));
            }
            if found.is_empty() && has_extensions {
                found.extend(self.extended_field(definition, name)?);
            }
            if found.is_empty() && self.family(holder.file) != Family::Rust {
                bases.extend(self.written_bases(definition, holder)?);
            }
        }
        Ok((found, bases))
    }

    /// The types of a property that an extension of a type has, in any file.
    fn extended_field(&self, holder: &Definition, name: &str) -> Result<Vec<WrittenType>, SearchError> {
        let mut found = Vec::new();
        for own in self.direct_members(holder, name)?.iter().filter(|own| !own.kind.is_function()) {
            found.extend(self.constant_types(own)?);
        }
        Ok(found)
    }

    /// The language of the file in which a type is written.
    pub(super) fn language_of_type(&self, of: &WrittenType) -> &'static str {
        if of.file == u32::MAX { "" } else { self.language(of.file) }
    }

    /// The types of the name at token `at` that nothing with a dot stands before.
    pub(super) fn name(&self, site: &Site<'_>, at: usize) -> Result<Vec<WrittenType>, SearchError> {
        let (tokens, family) = (&site.item.tokens, self.family(site.file));
        let name = tokens.word(at);
        if family.has_scopes() {
            if matches!(name, "None" | "null" | "undefined" | "True" | "False" | "true" | "false") {
                return Ok(vec![WrittenType::outside()]);
            }
            if let Some(narrowed) = sources::narrowing(tokens, site.language, at) {
                return self.local(site, narrowed);
            }
            let found = self.named(site.file, name, site.item.byte_of(at))?;
            return self.types_of_found(&found, None);
        }
        let around = || site.facts.type_around(site.owner).map(|name| WrittenType::new(site.file, name));
        if matches!(name, "self" | "this" | "Self" | "$this") {
            return Ok(around().into_iter().collect());
        }
        if name == "base" && site.language == "csharp" {
            let Some(around) = around() else { return Ok(Vec::new()) };
            let mut found = Vec::new();
            for own in self.type_definitions(&around)? {
                found.extend(self.written_bases(&own, &around)?);
            }
            return Ok(found);
        }
        if family.calls_without_signs() && at > 0 && tokens.is(at - 1, b'@') {
            return around().map_or(Ok(Vec::new()), |around| self.field_of(&around, name));
        }
        let is_path = at > 1 && tokens.is_operator(at - 2, "::");
        if !is_path && let Some(source) = declaration(site.language, tokens, name, at) {
            let found = self.local(site, source)?;
            let told = if self.are_basic(site.file, &found) {
                self.documented_local(site, name, at)
            } else {
                Vec::new()
            };
            return Ok(if told.is_empty() { found } else { told });
        }
        if !site.is_go_or_rust()
            && !is_path
            && family.has_implicit_receiver()
            && let Some(container) = around()
        {
            let found = self.field_of(&container, name)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let mut found = Vec::new();
        for definition in self.definitions_at(site, site.item.span_of(at))? {
            found.extend(self.constant_types(&definition)?);
        }
        if found.is_empty() && family.calls_without_signs() {
            return self.call_types(site, at, None, (at, at));
        }
        // A class before a static member, or a variant of an enum of Rust.
        let may_be_type = !site.is_go_or_rust() && family != Family::C;
        let is_type =
            || name.starts_with(char::is_uppercase) || site.syntax().types.iter().any(|own| own == name);
        if found.is_empty() && may_be_type && is_type() {
            found.push(WrittenType::new(site.file, name));
        }
        if found.is_empty() && is_path {
            found = self.constructed(site, at)?;
        }
        unique(&mut found);
        Ok(found)
    }

    pub(super) fn local(
        &self,
        site: &Site<'_>,
        source: LocalSource,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let home = (self.family(site.file), site.file);
        let (mut types, parts) = match source {
            LocalSource::Untyped | LocalSource::Item => return Ok(Vec::new()),
            LocalSource::Parameter(own) => (self.parameter_types(site, &own)?, own.parts),
            LocalSource::HandedOut(called, argument) => {
                (self.handed_out(site, called, argument)?, Vec::new())
            }
            LocalSource::Written(from, to) => {
                let mut types = written(home, &site.item, from, to);
                // A list of further arguments, or an array of C.
                let is_list = home.0 == Family::Go && tokens.is(from, b'.')
                    || home.0 == Family::Python && from > 2 && tokens.is(from - 3, b'*')
                    || home.0 == Family::C && tokens.is(to + 1, b'[')
                    || site.syntax().names_first && to > from + 3 && tokens.is_operator(to - 3, "...")
                    || from > 2 && tokens.word(from - 3) == "vararg";
                if is_list {
                    types = vec![WrittenType::new(site.file, LIST).with(types)];
                }
                (types, Vec::new())
            }
            LocalSource::PartOfType(from, to, parts) => (written(home, &site.item, from, to), parts),
            LocalSource::Value(from, to, parts) => (self.in_range(site, from, to)?, parts),
        };
        self.replace_self(site, &mut types);
        for part in parts {
            let mut inner = Vec::new();
            for whole in &types {
                inner.extend(self.part(site, whole, part)?);
            }
            types = inner;
        }
        Ok(types)
    }

    fn part(
        &self,
        site: &Site<'_>,
        whole: &WrittenType,
        part: ValuePart,
    ) -> Result<Vec<WrittenType>, SearchError> {
        match part {
            ValuePart::Element if self.family(site.file).has_scopes() => self.elements(whole),
            ValuePart::Entered => self.entered(whole),
            ValuePart::Member(name) => self.member_types(whole, site.item.tokens.word(name)),
            ValuePart::Element => {
                let whole = self.unaliased(whole)?;
                Ok(whole.iter().filter_map(|own| library::element(site.syntax(), own)).collect())
            }
            ValuePart::Received => Ok(library::received(whole).into_iter().collect()),
            ValuePart::OfTuple(place)
                if library::is_tuple(site.syntax(), whole) && !whole.args.is_empty() =>
            {
                Ok(whole.args.get(place).cloned().into_iter().collect())
            }
            // The parameters of a data class or record.
            ValuePart::OfTuple(place) if matches!(site.language, "csharp" | "kotlin") => Ok(self
                .type_definitions(whole)?
                .iter()
                .flat_map(|own| self.argument_types(own, place))
                .collect()),
            // Of several values of a constructor of another package, the first one is made.
            ValuePart::OfTuple(0) if site.language == "go" && whole.name.starts_with("New") => {
                Ok(vec![whole.clone()])
            }
            ValuePart::OfTuple(_) => Ok(Vec::new()),
            ValuePart::Parameter(number) => self.parameter_of_type(whole, number),
            ValuePart::OfField(name, field) => {
                let (name, field) = (site.item.tokens.word(name), site.item.tokens.word(field));
                let mut found = Vec::new();
                for definition in self.type_definitions(whole)? {
                    found.extend(self.named_variant_types(&definition, whole, name, field));
                }
                Ok(found)
            }
            ValuePart::OfVariant(name, place) => match site.item.tokens.word(name) {
                "Some" | "Ok" => Ok(library::unwrapped(whole).into_iter().collect()),
                "Err" => Ok(whole.args.get(1).cloned().into_iter().collect()),
                variant => {
                    let mut found = Vec::new();
                    for definition in self.type_definitions(whole)? {
                        found.extend(self.variant_types(&definition, whole, variant, place));
                    }
                    Ok(found)
                }
            },
        }
    }

    /// A type of the tree as the type of a value. Java, Go and Rust have one type of a name in a file or package.
    pub(super) fn as_type(&self, definition: &Definition) -> WrittenType {
        match matches!(self.language(definition.file), "go" | "rust" | "java") {
            true => WrittenType::new(definition.file, &definition.name),
            false => WrittenType::of(definition, Form::Object),
        }
    }

    /// The types of a constant or variable of a file, and a type as its value.
    pub(super) fn constant_types(&self, definition: &Definition) -> Result<Vec<WrittenType>, SearchError> {
        let family = self.family(definition.file);
        if family.is_type(definition.kind) {
            return Ok(vec![self.as_type(definition)]);
        }
        if definition.kind.is_function() {
            return Ok(Vec::new());
        }
        let Some(item) = self.item(definition.file, definition.span) else { return Ok(Vec::new()) };
        let tokens = &item.tokens;
        let Some((name, _)) = name_and_parameters(family, tokens, &definition.name) else {
            return Ok(Vec::new());
        };
        let language = self.language(definition.file);
        if !matches!(language, "go" | "rust") {
            let Some(facts) = self.facts(definition.file) else { return Ok(Vec::new()) };
            let site =
                Site { file: definition.file, facts: &facts, language, owner: None, item: item.clone() };
            return self.local(&site, sources::source_at(tokens, language, name));
        }
        let ends = |at: usize| tokens.is(at, b'=') || tokens.is(at, b';');
        let from = if family == Family::Rust { name + 2 } else { name + 1 };
        let equals = end_of_type(tokens, from, tokens.len(), ends);
        if equals > from {
            return Ok(written((family, definition.file), &item, from, equals));
        }
        let Some(facts) = self.facts(definition.file).filter(|_| tokens.is(from, b'=')) else {
            return Ok(Vec::new());
        };
        let site = Site { file: definition.file, facts: &facts, language, owner: None, item: item.clone() };
        self.in_range(&site, from + 1, tokens.len())
    }
}

/// Marks types as those of a guess, if they are.
pub(super) fn guess(types: &mut [WrittenType], is_guess: bool) {
    types.iter_mut().for_each(|own| own.is_guess |= is_guess);
}

pub(super) fn unique(types: &mut Vec<WrittenType>) {
    let mut seen: Vec<WrittenType> = Vec::new();
    types.retain(|listed| {
        !seen.contains(listed) && {
            seen.push(listed.clone());
            true
        }
    });
    types.truncate(MAX_TYPES);
}

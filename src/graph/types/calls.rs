//! The types that calls give, and those of the parameters of functions that calls take.

use super::evaluate::{guess, unique};
use super::library;
use super::locals::declaration;
use super::site::Site;
use super::sources;
use super::written::{FUNCTION, Form, METHOD, WrittenType, written};
use crate::arguments::before_arguments;
use crate::declarations::{Declaration, LambdaParameter, LocalSource, ValuePart};
use crate::definition::Definition;
use crate::family::Family;
use crate::files::Graph;
use crate::generics::{generic_arguments, is_parameter_name};
use crate::judgement::Meaning;
use crate::mentions::RESOLVED;
use crate::rule::EdgeRule;
use crate::syntax_facts::SyntaxFacts;
use crate::uses::FileFacts;
use crate::uses::UseRole;
use spyhop_base::model::SymbolKind;
use spyhop_base::text::Span;
use spyhop_search::SearchError;

/// The least confidence of the meaning of a call whose result is followed.
const MIN_CONFIDENCE: f32 = 0.5;

/// The most definitions that a call may mean of which all are compared.
const MAX_AGREEING: usize = 8;

impl Graph<'_> {
    /// The types that a call of the name at token `called` gives, for these types of its receiver.
    pub(super) fn call_types(
        &self,
        site: &Site<'_>,
        called: usize,
        receiver: Option<Vec<WrittenType>>,
        (open, close): (usize, usize),
    ) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let mut found = self.built_in(site, called, (open, close))?;
        if found.is_empty() && self.family(site.file).has_scopes() {
            found = self.scoped_call(site, called, receiver.clone())?;
            if found.iter().all(WrittenType::is_outside) {
                let mut given = self.given_by_library(site, called, (open, close))?;
                if given.is_empty() {
                    let receivers = receiver.unwrap_or_default();
                    given = self.mapped(site, &receivers, tokens.word(called), (open, close))?;
                }
                found = if given.is_empty() { found } else { given };
            }
        } else if found.is_empty() {
            found = self.call_by_declarations(site, called, receiver, (open, close))?;
        }
        unique(&mut found);
        Ok(found)
    }

    /// The types that a call gives in languages whose scopes are not read.
    fn call_by_declarations(
        &self,
        site: &Site<'_>,
        called: usize,
        receiver: Option<Vec<WrittenType>>,
        (open, close): (usize, usize),
    ) -> Result<Vec<WrittenType>, SearchError> {
        let (tokens, mut found) = (&site.item.tokens, Vec::new());
        // A call of Ruby without a receiver is one of the object itself.
        let around = || site.facts.type_around(site.owner).map(|name| WrittenType::new(site.file, name));
        let itself = receiver.is_none() && self.family(site.file).calls_without_signs();
        let itself: Vec<WrittenType> = itself.then(around).flatten().into_iter().collect();
        let receivers = receiver.as_deref().unwrap_or(&itself);
        let mut functions = Vec::new();
        for receiver_type in receivers {
            functions.extend(self.members_of(Some(site), receiver_type, tokens.word(called))?);
        }
        if functions.is_empty() {
            let name = tokens.word(called);
            let held = self.each(receivers, |own| self.unaliased(own))?;
            found.extend(held.iter().filter_map(|receiver_type| match self.family(site.file) {
                Family::Rust => library::result(receiver_type, name),
                Family::Jvm if site.syntax().one_file => library::java_result(receiver_type, name),
                _ => library::table_result(site.syntax(), receiver_type, name),
            }));
            if found.is_empty() && receiver.is_some() {
                found = self.mapped(site, receivers, name, (open, close))?;
            }
        }
        let mut is_guess = receivers.iter().any(|own| own.is_guess);
        if functions.is_empty() && found.is_empty() {
            let mut meanings = self.meanings_at(site, site.item.span_of(called))?;
            if receiver.is_none() && meanings.iter().all(|meaning| meaning.confidence < MIN_CONFIDENCE) {
                found = self.agreed(&meanings)?;
            }
            meanings.retain(|meaning| meaning.confidence >= MIN_CONFIDENCE);
            is_guess |= meanings.iter().any(|meaning| meaning.confidence < RESOLVED);
            functions = meanings.into_iter().map(|meaning| meaning.definition).collect();
        }
        let arguments = self.written_arguments(site, called, open);
        for function in &functions {
            let results = self.results(function, receivers)?;
            let results = self.with_arguments(results, function, &arguments);
            found.extend(self.inferred(site, function, results, (open, close))?);
        }
        guess(&mut found, is_guess);
        if found.is_empty() {
            found = self.held_results(site, called, receiver.as_deref(), close == open + 1)?;
        }
        if found.is_empty() {
            found = self.constructed(site, called)?;
        }
        if found.is_empty() && functions.is_empty() {
            found = match site.language {
                "go" => self.made_outside(site, called)?,
                _ => self.given_by_library(site, called, (open, close))?,
            };
        }
        Ok(found)
    }

    /// The type of the object that a constructor of an outside package makes: `json.NewEncoder(out)`.
    fn made_outside(&self, site: &Site<'_>, called: usize) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let Some(package) = called.checked_sub(2).filter(|at| tokens.is(at + 1, b'.') && tokens.is_word(*at))
        else {
            return Ok(Vec::new());
        };
        let is_package = (package == 0 || !tokens.is(package - 1, b'.'))
            && declaration(site.language, tokens, tokens.word(package), package).is_none();
        let name = Some(tokens.word(package).into());
        let own = WrittenType { package: name, ..WrittenType::new(site.file, tokens.word(called)) };
        let is_made = is_package && own.name.starts_with("New") && self.is_outside(&own)?;
        Ok(if is_made { vec![own] } else { Vec::new() })
    }

    /// Results with the type of an argument for a type parameter of the function: `keep(pool)` of `fun <T> keep(own: T): T`.
    fn inferred(
        &self,
        site: &Site<'_>,
        function: &Definition,
        mut results: Vec<WrittenType>,
        (open, close): (usize, usize),
    ) -> Result<Vec<WrittenType>, SearchError> {
        let is_parameter = |own: &WrittenType| own.args.is_empty() && is_parameter_name(&own.name);
        let arguments = site.item.tokens.split(open + 1, close.max(open + 1));
        for result in results.iter_mut().filter(|own| is_parameter(own)) {
            for (number, (from, to)) in arguments.iter().enumerate() {
                if !self.argument_types(function, number).iter().any(|own| own.name == result.name) {
                    continue;
                }
                if let Some(given) = self.in_range(site, *from, *to)?.into_iter().next() {
                    *result = given;
                    break;
                }
            }
        }
        Ok(results)
    }

    /// The generic arguments that are written behind the name of a called function, as those of a type without a name.
    fn written_arguments(&self, site: &Site<'_>, called: usize, open: usize) -> WrittenType {
        let (tokens, home) = (&site.item.tokens, (self.family(site.file), site.file));
        let after = called + if tokens.is_operator(called + 1, "::") { 3 } else { 1 };
        let parts = match tokens.partner(after).filter(|_| home.0 == Family::Go && tokens.is(after, b'[')) {
            Some(close) => tokens.split(after + 1, close),
            None if tokens.is(after, b'<') && after < open => generic_arguments(tokens, after, open).0,
            None => Vec::new(),
        };
        let args =
            parts.iter().filter_map(|(from, to)| written(home, &site.item, *from, *to).into_iter().next());
        WrittenType::new(site.file, "").with(args.collect())
    }

    /// The types that a call of what is no function of the tree gives: of a variable with a function in it, as `Func<Pool> make`, and of a
    /// component of a record, without arguments.
    fn held_results(
        &self,
        site: &Site<'_>,
        called: usize,
        receiver: Option<&[WrittenType]>,
        is_empty: bool,
    ) -> Result<Vec<WrittenType>, SearchError> {
        match (site.language, receiver) {
            ("csharp", None) => {
                let held = self.name(site, called)?;
                let functions = held.into_iter().filter(|own| &*own.name == "Func");
                Ok(functions.filter_map(|own| own.args.last().cloned()).collect())
            }
            ("java", Some(receivers)) if is_empty => {
                let name = site.item.tokens.word(called);
                let mut found = Vec::new();
                for holder in receivers {
                    let is_record = |own: &Definition| self.is_record(own);
                    if self.type_definitions(holder)?.iter().any(is_record) {
                        found.extend(self.field_of(holder, name)?);
                    }
                }
                Ok(found)
            }
            ("java", None) if is_empty => {
                let around = site.facts.type_around(site.owner).map(|name| WrittenType::new(site.file, name));
                let around = around.into_iter().collect::<Vec<_>>();
                if around.is_empty() {
                    Ok(Vec::new())
                } else {
                    self.held_results(site, called, Some(&around), true)
                }
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Whether a type of Java is a record.
    fn is_record(&self, own: &Definition) -> bool {
        let head = |facts: &FileFacts| {
            facts.symbols.get(own.place as usize).map(|own| facts.at(own.signature).to_string())
        };
        let head = self.facts(own.file).and_then(|facts| head(&facts)).unwrap_or_default();
        head.split_whitespace().any(|word| word == "record")
    }

    /// The types of the parameter of a function that a variable is handed out through: `out var pool`.
    pub(super) fn handed_out(
        &self,
        site: &Site<'_>,
        called: usize,
        argument: usize,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let functions = self.functions_called(site, called)?;
        if functions.is_empty() && site.item.tokens.word(called).starts_with("Try") {
            let receivers = self.receiver_of(site, called)?.map(|(types, _)| types).unwrap_or_default();
            return Ok(receivers.iter().filter_map(|own| own.args.last().cloned()).collect());
        }
        Ok(functions.iter().flat_map(|own| self.argument_types(own, argument)).collect())
    }

    /// The functions that the name at `called` may call.
    pub(super) fn functions_called(
        &self,
        site: &Site<'_>,
        called: usize,
    ) -> Result<Vec<Definition>, SearchError> {
        if site.receiver_end(called).is_none() {
            return self.definitions_at(site, site.item.span_of(called));
        }
        let mut functions = Vec::new();
        for receiver in self.receiver_of(site, called)?.map(|(types, _)| types).unwrap_or_default() {
            functions.extend(self.members_of(Some(site), &receiver, site.item.tokens.word(called))?);
        }
        Ok(functions)
    }

    /// The types that a function such as `map` gives, by the result of the function that is its argument.
    fn mapped(
        &self,
        site: &Site<'_>,
        receivers: &[WrittenType],
        name: &str,
        (open, close): (usize, usize),
    ) -> Result<Vec<WrittenType>, SearchError> {
        let is_flat = library::FLAT_MAPS.contains(&name);
        let Some(receiver) = receivers.first().filter(|_| is_flat || library::maps(site.syntax(), name))
        else {
            return Ok(Vec::new());
        };
        let tokens = &site.item.tokens;
        let results = match self.family(site.file) {
            Family::Rust if tokens.is(open + 1, b'|') || tokens.word(open + 1) == "move" => {
                let bar = tokens.find(open + 1, close, |at| tokens.is(at, b'|'));
                let body = tokens.find(bar + 1, close, |at| tokens.is(at, b'|')) + 1;
                self.in_range(site, body, close)?
            }
            Family::Web => self.results_of_function(site, (open + 1, close))?,
            _ => {
                let arrow = tokens
                    .find(open + 1, close, |at| ["->", "=>"].iter().any(|sign| tokens.is_operator(at, sign)));
                let is_reference = close > 2 && tokens.is(close - 2, b':') && tokens.is_word(close - 1);
                match arrow < close {
                    true => self.in_range(site, arrow + 2, close)?,
                    false if site.syntax().trailing => self.in_range(site, open + 1, close)?,
                    false if is_reference => self.results_of_reference(site, receiver, close - 1)?,
                    false => Vec::new(),
                }
            }
        };
        Ok(match is_flat || matches!(name, "filter_map" | "and_then") {
            true => results,
            // Of what is not known, the result still holds something.
            false => {
                let unknown = results.is_empty().then(|| WrittenType::new(site.file, ""));
                let results = results.into_iter().chain(unknown);
                let holder = |held: WrittenType| WrittenType::new(held.file, &receiver.name).with(vec![held]);
                results.map(holder).collect()
            }
        })
    }

    /// The types that a function that is named without a call gives: `Pool::take`.
    fn results_of_reference(
        &self,
        site: &Site<'_>,
        receiver: &WrittenType,
        name: usize,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let element = library::element(site.syntax(), receiver);
        let mut functions = Vec::new();
        if let Some(held) = &element {
            functions.extend(self.members_of(Some(site), held, site.item.tokens.word(name))?);
        }
        if functions.is_empty() {
            functions = self.definitions_at(site, site.item.span_of(name))?;
        }
        let mut found = Vec::new();
        for function in &functions {
            found.extend(self.results(function, element.as_slice())?);
        }
        Ok(found)
    }

    /// The types of a parameter of a function that is an argument.
    pub(super) fn parameter_types(
        &self,
        site: &Site<'_>,
        own: &LambdaParameter,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let (called, name, family) = (own.called, tokens.word(own.called), self.family(site.file));
        let is_member = site.receiver_end(called).is_some();
        if family == Family::Python && !(is_member && name == "sort") {
            return self.taken_elements(site, called);
        }
        if !is_member {
            let functions = match family {
                Family::Web => {
                    let meant = self.named(site.file, name, site.item.byte_of(called))?;
                    // What sets a value is given the value, in a pair of both: `const [pool, setPool] = useState(first)`.
                    if let Some((_, Declaration { source: LocalSource::Value(from, to, parts), .. })) =
                        &meant.declared
                        && parts[..] == [ValuePart::OfTuple(1)]
                    {
                        return self.local(site, LocalSource::Value(*from, *to, vec![ValuePart::OfTuple(0)]));
                    }
                    meant.definitions
                }
                _ => self.definitions_at(site, site.item.span_of(called))?,
            };
            return self.callback_types(&functions, own);
        }
        let mut found = Vec::new();
        let Some((receivers, _)) = self.receiver_of(site, called)? else { return Ok(found) };
        for receiver in &receivers {
            let (functions, is_known) = match family.has_scopes() {
                true => (self.functions_of(receiver, name)?, false),
                false => (
                    self.members_of(Some(site), receiver, name)?,
                    !self.type_definitions(receiver)?.is_empty()
                        && !site.syntax().receives.iter().any(|own| own == name),
                ),
            };
            match functions.is_empty() && !is_known {
                true => found.extend(library::parameter(
                    (family, site.syntax()),
                    receiver,
                    name,
                    (own.number, own.count),
                )),
                false => {
                    let mut taken = self.callback_types(&functions, own)?;
                    functions.iter().for_each(|own| self.replace_extended(own, receiver, &mut taken));
                    found.extend(taken);
                }
            }
        }
        Ok(found)
    }

    /// The written types of a parameter of a function that functions take.
    fn callback_types(
        &self,
        functions: &[Definition],
        own: &LambdaParameter,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let mut found = Vec::new();
        for function in functions {
            let constructors = self.constructors(function)?;
            let called = if constructors.is_empty() { std::slice::from_ref(function) } else { &constructors };
            let mut taken: Vec<WrittenType> =
                called.iter().flat_map(|called| self.argument_types(called, own.argument)).collect();
            if self.family(function.file).has_scopes() {
                taken = self.each(&taken, |own| self.instances(own))?;
                taken.retain(|own| &*own.name == FUNCTION);
            }
            // The receiver of the function goes before its parameters.
            let place = |taken: &WrittenType| own.number + usize::from(&*taken.name == METHOD);
            found
                .extend(taken.into_iter().take(1).filter_map(|taken| taken.args.get(place(&taken)).cloned()));
        }
        Ok(found)
    }

    /// The constructors of a class.
    fn constructors(&self, class: &Definition) -> Result<Vec<Definition>, SearchError> {
        if !class.kind.is_type_like() {
            return Ok(Vec::new());
        }
        let named = SyntaxFacts::of(self.language(class.file)).constructor.as_deref();
        let all = self.definitions(named.unwrap_or(&class.name))?;
        let here = all.in_span(class.file, class.span).iter().take_while(|_| self.steps.take(1));
        Ok(here.filter(|own| own.kind.is_function() && class.span.contains(own.span)).cloned().collect())
    }

    /// The type before a call whose function the tree does not define, such as that of a derived `default` or a variant.
    pub(super) fn constructed(
        &self,
        site: &Site<'_>,
        called: usize,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        if self.family(site.file) == Family::C {
            return self.made_by_type(site, called);
        }
        if self.family(site.file) != Family::Rust || called < 3 || !tokens.is(called - 1, b':') {
            return Ok(Vec::new());
        }
        let mut types = vec![WrittenType::new(site.file, tokens.word(called - 3))];
        self.replace_self(site, &mut types);
        let name = tokens.word(called);
        let definitions = self.type_definitions(&types[0])?;
        let is_variant =
            |symbol: &Definition| symbol.kind == SymbolKind::Enum && name.starts_with(char::is_uppercase);
        let gives_type = matches!(name, "default" | "from" | "new") || definitions.iter().any(is_variant);
        Ok(if gives_type && !definitions.is_empty() { types } else { Vec::new() })
    }

    /// The definitions that the name at a span of the file means, apart from the type of a receiver: the expression before
    /// the name is evaluated already, and has no such member.
    pub(super) fn definitions_at(&self, site: &Site<'_>, span: Span) -> Result<Vec<Definition>, SearchError> {
        let likely = |meaning: &Meaning| meaning.confidence >= MIN_CONFIDENCE;
        let meanings = self.meanings_at(site, span)?.into_iter().filter(likely);
        Ok(meanings.map(|meaning| meaning.definition).collect())
    }

    /// The type that several definitions give, one of which a rule says that a call without a receiver means: a class, and functions
    /// with its name that make its objects.
    fn agreed(&self, meanings: &[Meaning]) -> Result<Vec<WrittenType>, SearchError> {
        let is_by_name = |own: &Meaning| matches!(own.rule, EdgeRule::Ambiguous | EdgeRule::Unique);
        if meanings.len() > MAX_AGREEING || meanings.iter().any(is_by_name) {
            return Ok(Vec::new());
        }
        let mut agreed: Option<(WrittenType, Vec<Definition>)> = None;
        for meaning in meanings {
            let results = self.results(&meaning.definition, &[])?;
            let [result] = &results[..] else { return Ok(Vec::new()) };
            let types = self.type_definitions(result)?;
            if types.is_empty() || agreed.as_ref().is_some_and(|(_, known)| *known != types) {
                return Ok(Vec::new());
            }
            agreed = Some((result.clone(), types));
        }
        Ok(agreed.into_iter().map(|(result, _)| result).collect())
    }

    /// The definitions that the name at a span may mean by the rules, however unlikely.
    fn meanings_at(&self, site: &Site<'_>, span: Span) -> Result<Vec<Meaning>, SearchError> {
        let mut used = site.facts.use_at(span);
        // Where methods and fields have names of their own, a name before arguments is that of a method.
        let after = &site.facts.text[span.end as usize..];
        let syntax = site.syntax();
        if (syntax.overloads || syntax.separate)
            && before_arguments(after).is_some_and(|list| list.starts_with('('))
        {
            used.role = UseRole::Call;
        }
        self.meanings_by_rules(site.file, site.facts, &used)
    }

    /// The types of the values that a function returns, in a language in which its body tells the type of its result.
    fn returned_types(&self, function: &Definition) -> Result<Vec<WrittenType>, SearchError> {
        let (file, language) = (function.file, self.language(function.file));
        if !(SyntaxFacts::of(language).lines || matches!(language, "cpp" | "php")) {
            return Ok(Vec::new());
        }
        let (Some(item), Some(facts)) = (self.item_of(function), self.facts(file)) else {
            return Ok(Vec::new());
        };
        let tokens = &item.tokens;
        let name =
            (0..tokens.len()).find(|at| function.name.trim_end_matches(['?', '!']) == tokens.word(*at));
        let ranges = name.map_or_else(Vec::new, |name| sources::returned(tokens, language, name));
        let site = Site { file, facts: &facts, language, owner: Some(function.place), item: item.clone() };
        let mut types = Vec::new();
        for (from, to) in ranges {
            let found = self.in_range(&site, from, to)?;
            if found.is_empty() {
                return Ok(Vec::new());
            }
            types.extend(found);
        }
        unique(&mut types);
        Ok(types)
    }

    /// The types that a call of a definition gives.
    pub(super) fn results(
        &self,
        symbol: &Definition,
        receivers: &[WrittenType],
    ) -> Result<Vec<WrittenType>, SearchError> {
        if self.family(symbol.file).is_type(symbol.kind) {
            return Ok(vec![self.as_type(symbol)]);
        }
        if !symbol.kind.is_function() {
            return Ok(Vec::new());
        }
        let mut found = self.result_types(symbol);
        if self.family(symbol.file).has_scopes() {
            if found.is_empty() {
                return self.returned(symbol);
            }
            if let Some(receiver) = receivers.first() {
                let itself = WrittenType { form: Form::Object, ..receiver.clone() };
                found.iter_mut().for_each(|result| result.replace("Self", &itself));
                if let Some(definition) = &receiver.definition {
                    found = self.with_arguments(found, definition, receiver);
                }
            }
            found.retain(|result| &*result.name != "Self");
            return Ok(found);
        }
        if found.is_empty() || found.iter().all(|own| &*own.name == "auto") {
            found = self.returned_types(symbol)?;
        }
        if let Some(receiver) = receivers.first() {
            self.replace_extended(symbol, receiver, &mut found);
        }
        let Some(container) = symbol.container.as_deref() else { return Ok(found) };
        let container = container.rsplit(['.', ':']).next().unwrap_or(container);
        let around = WrittenType::new(symbol.file, container);
        let definitions = self.type_definitions(&around)?;
        let is_trait = definitions.iter().any(|definition| definition.kind == SymbolKind::Trait);
        let itself = receivers.first().filter(|first| is_trait || first.name == around.name).cloned();
        let itself = itself.unwrap_or_else(|| around.clone());
        for result in &mut found {
            result.replace("Self", &itself);
            *result = std::mem::replace(result, WrittenType::new(result.file, "")).bounded();
        }
        if let (Some(definition), Some(receiver)) = (definitions.first(), receivers.first())
            && receiver.name == around.name
        {
            found = self.with_arguments(found, definition, receiver);
        }
        Ok(found)
    }
}

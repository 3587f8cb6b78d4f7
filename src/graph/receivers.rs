//! Uses whose meaning follows from declarations: local names, and members of receivers whose value is known.

use super::expressions::{ChainStep, MemberChain};
use super::files::Graph;
use super::resolve::{Question, RuleResult, dedup};
use super::rule::EdgeRule;
use super::tokens::Tokens;
use super::types::Member;
use super::uses::{UseRole, innermost};
use super::values::Value;
use crate::definition::Definition;
use spyhop_base::text::Span;
use spyhop_search::SearchError;

impl Graph<'_> {
    /// The meaning by the declarations around the use: a local name, or a member of a receiver whose value is known.
    pub(super) fn by_declarations(&self, question: &Question<'_>) -> Result<RuleResult, SearchError> {
        let Some(reading) = self.reading(question.file) else { return Ok(None) };
        self.evaluations.begin();
        let tokens = &reading.tokens;
        let at = tokens.index_at(question.used.span.start);
        if tokens.word(at) != question.name {
            return Ok(None);
        }
        let is_member = at > 0 && tokens.is(at - 1, b'.') && !(at > 1 && tokens.is(at - 2, b'.'));
        if !is_member {
            let at = question.used.span.start;
            let declared = reading.scopes.declaration(question.name, at, &self.steps);
            let Some(local) = declared.filter(|local| !local.is_global) else { return Ok(None) };
            if question.used.role == UseRole::Import {
                return Ok(None);
            }
            let item = self.item_at(question.file, question.name, local.at)?;
            // The first mention of the name in an item is the name of the item, unless the local name is a parameter.
            let is_named_there = |definition: &Definition| {
                let start = tokens.index_at(definition.span.start);
                let end = tokens.index_at(definition.span.end);
                let first = (start..end).find(|at| tokens.word(*at) == question.name);
                first.and_then(|at| tokens.at(at)).is_some_and(|token| token.start == local.at)
            };
            let found = item.filter(is_named_there).into_iter().collect();
            return Ok(Some((EdgeRule::SameFile, found)));
        }
        let Some(chain) = MemberChain::before(tokens, at - 1) else { return Ok(None) };
        let values = self.values(question.file, &chain, 0)?;
        self.members_of_values(question, &chain, values, tokens)
    }

    /// The members with the name of the use of the values of its receiver.
    fn members_of_values(
        &self,
        question: &Question<'_>,
        chain: &MemberChain,
        values: Vec<Value>,
        tokens: &Tokens,
    ) -> Result<RuleResult, SearchError> {
        let is_self = match chain.steps[..] {
            [ChainStep::Name(at)] => matches!(tokens.word(at), "self" | "this" | "cls"),
            _ => false,
        };
        let mut instances = Vec::new();
        for value in values {
            instances.extend(self.instances(value, None, 0)?);
        }
        let (mut rule, mut found, mut is_known) = (None, Vec::new(), !instances.is_empty());
        for value in &instances {
            let (class, is_super) = match value {
                Value::Module(files) => {
                    found.extend(self.reached(vec![files.clone()], question.name)?);
                    rule = rule.or(Some(EdgeRule::QualifiedModule));
                    continue;
                }
                Value::Instance(class) | Value::Class(class) => (class, false),
                Value::Super(class) => (class, true),
                Value::Outside => continue,
                Value::Function(..) | Value::Written(..) | Value::Elements(..) => {
                    is_known = false;
                    continue;
                }
            };
            match self.member(class, question.name, is_super)? {
                Member::Symbols(members, is_inherited) => {
                    found.extend(members);
                    rule = rule.or(Some(match value {
                        _ if is_self && !is_inherited => EdgeRule::OwnMember,
                        _ if is_self || is_super => EdgeRule::Inherited,
                        Value::Class(_) => EdgeRule::QualifiedType,
                        _ => EdgeRule::TypedVariable,
                    }));
                }
                // A field may be a symbol of its own.
                Member::Field(file, declared) => {
                    let all = self.definitions(question.name)?;
                    let at = Span { start: declared.at, end: declared.at };
                    let around = self.facts(file).and_then(|facts| {
                        facts.type_around(innermost(&facts.symbols, at)).map(Box::<str>::from)
                    });
                    // The symbol may be another assignment to the field.
                    let is_it = |own: &&Definition| {
                        let is_there = own.span.start <= declared.at && declared.at < own.span.end;
                        own.container.is_some()
                            && (is_there
                                || own.kind.is_minor() && own.container.as_deref() == around.as_deref())
                    };
                    let own: Vec<Definition> =
                        all.in_file(file).iter().filter(is_it).take(1).cloned().collect();
                    if !own.is_empty() {
                        rule = rule.or(Some(if is_self {
                            EdgeRule::OwnMember
                        } else {
                            EdgeRule::TypedVariable
                        }));
                        found.extend(own);
                    }
                }
                Member::Missing | Member::Outside => {}
            }
        }
        dedup(&mut found);
        if found.is_empty() {
            let is_imported = match chain.steps.first() {
                Some(ChainStep::Name(at)) => question.facts.imports.bound(tokens.word(*at)).next().is_some(),
                _ => false,
            };
            let rule = if is_imported { EdgeRule::Import } else { EdgeRule::TypedVariable };
            return Ok(is_known.then_some((rule, Vec::new())));
        }
        Ok(Some((rule.unwrap_or(EdgeRule::TypedVariable), found)))
    }
}

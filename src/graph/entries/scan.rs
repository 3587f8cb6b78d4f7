//! One file by the rules of one framework: its blocks, routers, mounts and entries, as written.

use regex::{Captures, Regex};

use super::code::{self, Code};
use super::framework::{ArgsPlace, EntryKind, Framework, HandlerForm, PatternRule, RuleExtent};
use super::template::{Captured, Template};
use spyhop_base::text::Span;

/// The most bytes after a match in which a handler's definition is searched.
const NEXT_BYTES: usize = 3_000;

/// HTTP methods; other words in a list of methods are parts of expressions.
const METHODS: &[&str] = &["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT"];

/// The value of a constant, by an expression that names the constant.
pub(super) type Constants<'c> = &'c dyn Fn(&str) -> Option<String>;

/// A router: an object to which entries are added.
#[derive(Debug)]
pub(super) struct RouterDecl {
    pub object: String,
    pub at: u32,
    /// The prefix that the router itself has.
    pub path: String,
    /// The object that the router is a group of.
    pub parent: Option<String>,
    /// The statement whose chained calls belong to the router.
    pub extent: Option<Span>,
}

/// A router below a prefix of another router.
#[derive(Debug)]
pub(super) struct MountDecl {
    pub at: u32,
    pub path: String,
    pub parent: Option<String>,
    pub child: String,
    /// The place of `child`, if the file has the text.
    pub child_at: Option<Span>,
    pub child_is_module: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WrittenHandler {
    /// The name of a definition, or of a use, at a place.
    At(Span),
    /// A text that names the handler by `form`.
    Text { form: HandlerForm, text: String },
    /// Code inside of the entry.
    Inline,
}

/// An entry as written.
#[derive(Debug)]
pub(super) struct EntryDecl {
    /// The match with its arguments.
    pub span: Span,
    /// The method of a route, the label of a command.
    pub method: String,
    pub path: String,
    pub object: Option<String>,
    pub handler: WrittenHandler,
    pub needs_router: bool,
    pub handler_is_base: bool,
    /// Whether the entry itself names no method, so that its handler may do so.
    pub has_default_method: bool,
}

/// The declarations of a file for a framework.
#[derive(Debug, Default)]
pub(super) struct FileScan {
    pub routers: Vec<RouterDecl>,
    pub mounts: Vec<MountDecl>,
    pub entries: Vec<EntryDecl>,
    pub globals: Vec<String>,
}

/// A block of code with a prefix.
struct Block {
    span: Span,
    label: String,
    prefix: String,
    member: Option<String>,
    collection: Option<String>,
    /// The part of the enclosing block that is meant: `member` or `collection`.
    part: Option<String>,
    set: Vec<(String, String)>,
}

/// A match with its captures.
struct Match {
    span: Span,
    args: Span,
    captured: Captured,
    places: Vec<(String, Span)>,
}

/// The code of a file with the constants that it may name.
pub(super) struct Scanned<'c> {
    /// The name of the file.
    pub file_name: &'c str,
    pub code: &'c Code,
    pub constants: Constants<'c>,
}

impl Scanned<'_> {
    /// The declarations of the file for `framework`.
    pub fn scan(&self, framework: &Framework) -> FileScan {
        let mut found = FileScan::default();
        if framework.requires.as_ref().is_some_and(|requires| !requires.is_match(&self.code.text)) {
            return found;
        }
        let blocks = self.blocks(framework);
        for rule in &framework.globals {
            found.globals.extend(self.matches(rule).iter().filter_map(|it| self.text(&rule.path, it)));
        }
        for rule in &framework.routers {
            for matched in self.matches(rule) {
                found.routers.push(RouterDecl {
                    object: matched.captured["object"].clone(),
                    at: matched.span.start,
                    path: self.text(&rule.path, &matched).unwrap_or_default(),
                    parent: self.text(&rule.parent, &matched),
                    extent: self.extent(rule.extent, &matched),
                });
            }
        }
        for rule in &framework.mounts {
            for matched in self.matches(rule) {
                self.mount(rule, &matched, &blocks, &mut found);
            }
        }
        for rule in &framework.entries {
            for matched in self.matches(rule) {
                self.entry(framework, rule, matched, &blocks, &mut found);
            }
        }
        found
    }

    fn matches(&self, rule: &PatternRule) -> Vec<Match> {
        if rule.requires.as_ref().is_some_and(|requires| !requires.is_match(&self.code.text)) {
            return Vec::new();
        }
        let found = rule.pattern.captures_iter(&self.code.text).map(|captures| self.matched(rule, &captures));
        let takes = |matched: &Match| {
            let text = &self.code.text[matched.span.range()];
            rule.unless.as_ref().is_none_or(|unless| !unless.is_match(text))
        };
        found.filter(takes).collect()
    }

    fn matched(&self, rule: &PatternRule, captures: &Captures<'_>) -> Match {
        let whole = captures.get(0).expect("group 0 is the match");
        let blanks = whole.as_str().len() - whole.as_str().trim_start().len();
        let start = whole.start() + blanks;
        let mut end = whole.end();
        let mut args = Span::new(end, end);
        if whole.as_str().ends_with(['(', '[', '{']) {
            let close = self.code.closing(end - 1).unwrap_or(end);
            args = Span::new(end, close.max(end));
            end = (close + 1).min(self.code.text.len()).max(end);
        } else if rule.args == ArgsPlace::Line {
            let close = code::statement_end(&self.code.text, end);
            let line = self.code.text[end..close].trim_end();
            let line = line.strip_suffix(" do").unwrap_or(line);
            args = Span::new(end, end + line.len());
            end = args.end as usize;
        }
        let mut matched =
            Match { span: Span::new(start, end), args, captured: Captured::default(), places: Vec::new() };
        matched.captured.insert("file_name".to_string(), self.file_name.to_string());
        self.capture(&mut matched, &rule.pattern, captures);
        let spans = self.code.arguments(args);
        for (place, span) in spans.iter().enumerate() {
            self.put(&mut matched, &format!("arg{place}"), *span);
        }
        if let Some(last) = spans.last() {
            self.put(&mut matched, "last", *last);
        }
        self.put(&mut matched, "args", args);
        let text = &self.code.text[args.range()];
        for (name, patterns) in &rule.find {
            let found = patterns.0.iter().find_map(|pattern| pattern.captures(text)?.get(1));
            if let Some(found) = found {
                let start = args.start as usize + found.start();
                self.put(&mut matched, name, Span::new(start, start + found.len()));
            }
        }
        matched
    }

    fn capture(&self, matched: &mut Match, pattern: &Regex, captures: &Captures<'_>) {
        for name in pattern.capture_names().flatten() {
            if let Some(found) = captures.name(name) {
                let start = found.as_str().as_ptr() as usize - self.code.text.as_ptr() as usize;
                self.put(matched, name, Span::new(start, start + found.len()));
            }
        }
    }

    fn put(&self, matched: &mut Match, name: &str, span: Span) {
        matched.captured.insert(name.to_string(), self.code.text[span.range()].to_string());
        matched.places.push((name.to_string(), span));
    }

    fn text(&self, templates: &[Template], matched: &Match) -> Option<String> {
        let constant = |expression: &str| self.constant(expression, matched.span.start as usize);
        templates.iter().find_map(|template| template.expand(&matched.captured, &constant))
    }

    /// The value of a constant that an expression at a position names. A parameter is no constant.
    fn constant(&self, expression: &str, at: usize) -> Option<String> {
        if self.code.is_parameter(expression, at) { None } else { (self.constants)(expression) }
    }

    /// The text of the first template that expands, with its place, if the template is a capture.
    fn placed(&self, templates: &[Template], matched: &Match) -> Option<(String, Option<Span>)> {
        let constant = |expression: &str| self.constant(expression, matched.span.start as usize);
        templates.iter().find_map(|template| {
            let text = template.expand(&matched.captured, &constant)?;
            let name = template.capture();
            let place = matched
                .places
                .iter()
                .rev()
                .find(|(captured, _)| name == Some(captured))
                .map(|(_, span)| *span);
            Some((text, place))
        })
    }

    fn extent(&self, extent: RuleExtent, matched: &Match) -> Option<Span> {
        let end = matched.span.end as usize;
        match extent {
            RuleExtent::Args => Some(matched.args),
            RuleExtent::Chain => Some(Span::new(matched.span.start as usize, self.code.chain_end(end))),
            RuleExtent::DoEnd => {
                Some(Span::new(end, code::do_end(&self.code.text, matched.span.start as usize, end)?))
            }
            RuleExtent::Braces => {
                let open = end + self.code.text[end..].find('{')?;
                Some(Span::new(open, self.code.closing(open)?))
            }
        }
    }

    /// The blocks of the file; an enclosing block comes before those that it encloses.
    fn blocks(&self, framework: &Framework) -> Vec<Block> {
        let mut blocks = Vec::new();
        for rule in &framework.blocks {
            for mut matched in self.matches(rule) {
                if let Some(next) = &rule.next {
                    let Some(captures) = next.captures(&self.code.text[matched.span.end as usize..]) else {
                        continue;
                    };
                    let whole = captures.get(0).expect("group 0 is the match");
                    self.capture(&mut matched, next, &captures);
                    matched.span =
                        Span::new(matched.span.start as usize, matched.span.end as usize + whole.end());
                }
                let Some(span) = self.extent(rule.extent, &matched) else { continue };
                let Some(prefix) = self.text(&rule.path, &matched).or(rule.path.is_empty().then(String::new))
                else {
                    continue;
                };
                let set = rule.set.iter();
                blocks.push(Block {
                    span,
                    label: rule.label.clone(),
                    prefix,
                    member: self.text(&rule.member, &matched),
                    collection: self.text(&rule.collection, &matched),
                    part: rule.part.clone(),
                    set: set
                        .filter_map(|(name, text)| Some((name.clone(), self.text(text, &matched)?)))
                        .collect(),
                });
            }
        }
        blocks.sort_by_key(|block| (block.span.start, std::cmp::Reverse(block.span.end)));
        blocks
    }

    /// The blocks around a position, the outermost first.
    fn around<'b>(&self, blocks: &'b [Block], at: u32) -> Vec<&'b Block> {
        blocks.iter().filter(|block| block.span.start <= at && at < block.span.end).collect()
    }

    /// The prefix of blocks. `part` is the part of the innermost block that is meant.
    fn prefix(&self, around: &[&Block], part: Option<&str>) -> String {
        let mut prefix = String::new();
        for (place, block) in around.iter().enumerate() {
            let wanted = match around.get(place + 1) {
                Some(inner) => inner.part.as_deref(),
                None => part,
            };
            let of_block = match wanted {
                Some("member") => block.member.as_ref().unwrap_or(&block.prefix),
                Some("collection") => block.collection.as_ref().unwrap_or(&block.prefix),
                _ => &block.prefix,
            };
            prefix = join_paths(&prefix, of_block);
        }
        prefix
    }

    fn mount(&self, rule: &PatternRule, matched: &Match, blocks: &[Block], found: &mut FileScan) {
        let Some((child, child_at)) = self.placed(&rule.child, matched) else { return };
        let path = self.text(&rule.path, matched).unwrap_or_default();
        let prefix = self.prefix(&self.around(blocks, matched.span.start), None);
        found.mounts.push(MountDecl {
            at: matched.span.start,
            path: join_paths(&prefix, &path),
            parent: self.text(&rule.parent, matched).or_else(|| matched.captured.get("object").cloned()),
            child,
            child_at,
            child_is_module: rule.child_is_module,
        });
    }

    fn entry(
        &self,
        framework: &Framework,
        rule: &PatternRule,
        mut matched: Match,
        blocks: &[Block],
        found: &mut FileScan,
    ) {
        let around = self.around(blocks, matched.span.start);
        for block in around.iter().rev() {
            for (name, text) in &block.set {
                matched.captured.entry(name.clone()).or_insert_with(|| text.clone());
            }
        }
        if let Some(inside) = &rule.inside {
            let Some(block) = around.last().filter(|block| block.label == *inside) else { return };
            let (start, at) = (block.span.start as usize, matched.span.start as usize);
            if self.code.open_brackets(start, at) != 1 {
                return;
            }
        }
        let Some(next) = self.next_handler(rule, &mut matched) else { return };
        if framework.kind() == EntryKind::Command {
            self.command(rule, &matched, next, found);
            return;
        }
        let part = matched.captured.get("part").map(String::as_str);
        let prefix = self.prefix(&around, part);
        if !rule.actions.is_empty() {
            self.resource(rule, &matched, &prefix, found);
            return;
        }
        if let Some(each) = &rule.each {
            let region = self.extent(rule.extent, &matched).unwrap_or(matched.args);
            let text = &self.code.text[region.range()];
            for captures in each.captures_iter(text) {
                // Calls inside a handler's code are not methods.
                let at = region.start as usize + captures.get(0).map_or(0, |whole| whole.start());
                if self.code.open_brackets(region.start as usize, at) > 0 {
                    continue;
                }
                let mut part = Match {
                    span: matched.span,
                    args: matched.args,
                    captured: matched.captured.clone(),
                    places: matched.places.clone(),
                };
                self.capture(&mut part, each, &captures);
                self.route(rule, &part, next, &prefix, found);
            }
            return;
        }
        self.route(rule, &matched, next, &prefix, found);
    }

    /// The place of the handler's name after the match: `Some(None)` if the rule needs none, `None` if it is missing.
    fn next_handler(&self, rule: &PatternRule, matched: &mut Match) -> Option<Option<Span>> {
        let Some(next) = &rule.next else { return Some(None) };
        let start = matched.span.end as usize;
        let mut end = (start + NEXT_BYTES).min(self.code.text.len());
        while !self.code.text.is_char_boundary(end) {
            end -= 1;
        }
        let mut text = &self.code.text[start..end];
        if rule.next_is_optional {
            text = &text[..rule.pattern.find(text).map_or(text.len(), |found| found.start())];
        }
        let Some(captures) = next.captures(text) else { return rule.next_is_optional.then_some(None) };
        let handler = captures.name("handler").or_else(|| captures.get(1))?;
        let span = Span::new(start + handler.start(), start + handler.end());
        self.capture(matched, next, &captures);
        self.put(matched, "handler", span);
        Some(Some(span))
    }

    fn handler(&self, rule: &PatternRule, matched: &Match, next: Option<Span>) -> WrittenHandler {
        if let Some(span) = next {
            return WrittenHandler::At(span);
        }
        let Some((text, place)) = self.placed(&rule.handler, matched) else { return WrittenHandler::Inline };
        let text = match &rule.handler_ending {
            Some(ending) => ending.replace(&text, "").into_owned(),
            None => text,
        };
        if rule.handler_form != HandlerForm::Expression {
            return WrittenHandler::Text { form: rule.handler_form, text };
        }
        match place {
            Some(place) => match last_name(&text) {
                Some((start, end)) => {
                    WrittenHandler::At(Span::new(place.start as usize + start, place.start as usize + end))
                }
                None => WrittenHandler::Inline,
            },
            None => WrittenHandler::Text { form: HandlerForm::Expression, text },
        }
    }

    fn route(
        &self,
        rule: &PatternRule,
        matched: &Match,
        next: Option<Span>,
        prefix: &str,
        found: &mut FileScan,
    ) {
        let Some(path) = self.text(&rule.path, matched) else { return };
        let handler = self.handler(rule, matched, next);
        let methods = matched.captured.get("methods").map(|list| methods_in(list)).unwrap_or_default();
        let has_default_method = methods.is_empty() && !matched.captured.contains_key("method");
        let methods = match methods.is_empty() {
            true => vec![self.text(&rule.method, matched).unwrap_or_else(|| "*".to_string())],
            false => methods,
        };
        for method in methods {
            let method = method.to_ascii_uppercase();
            let is_any = matches!(&*method, "ANY" | "ALL" | "ANY_METHOD");
            found.entries.push(EntryDecl {
                span: matched.span,
                method: if is_any { "*".to_string() } else { method },
                path: join_paths(prefix, &path),
                object: matched.captured.get("object").cloned(),
                handler: handler.clone(),
                needs_router: rule.needs_router,
                handler_is_base: rule.handler_is_base,
                has_default_method,
            });
        }
    }

    /// The routes of a resource: those of its actions that `only` and `except` leave.
    fn resource(&self, rule: &PatternRule, matched: &Match, prefix: &str, found: &mut FileScan) {
        let listed = |name: &str| matched.captured.get(name).map(|list| words(list));
        let (only, except) = (listed("only"), listed("except"));
        let names = matched.captured.get("names").map_or_else(
            || vec![String::new()],
            |list| match code::literal_text(list) {
                Some(name) => vec![name.to_string()],
                None => words(list),
            },
        );
        let more = matched.captured.get("more").map(|list| words(list)).unwrap_or_default();
        for name in names.into_iter().chain(more) {
            let mut captured = matched.captured.clone();
            captured.insert("name".to_string(), name);
            let base = rule.path.iter().find_map(|path| path.expand(&captured, self.constants));
            let Some(base) = base else { continue };
            captured.insert("base".to_string(), base);
            for (method, path, action) in &rule.actions {
                let is_left = only.as_ref().is_none_or(|only| only.contains(action))
                    && except.as_ref().is_none_or(|except| !except.contains(action));
                captured.insert("action".to_string(), action.clone());
                let expand = |templates: &[Template]| {
                    templates.iter().find_map(|template| template.expand(&captured, self.constants))
                };
                let path = path.expand(&captured, self.constants);
                let (Some(path), true) = (path, is_left) else { continue };
                let text = expand(&rule.handler).unwrap_or_default();
                found.entries.push(EntryDecl {
                    span: matched.span,
                    method: method.clone(),
                    path: join_paths(prefix, &path),
                    object: matched.captured.get("object").cloned(),
                    handler: WrittenHandler::Text { form: rule.handler_form, text },
                    needs_router: rule.needs_router,
                    handler_is_base: false,
                    has_default_method: method == "*",
                });
            }
        }
    }

    fn command(&self, rule: &PatternRule, matched: &Match, next: Option<Span>, found: &mut FileScan) {
        let Some(name) = self.text(&rule.name, matched) else { return };
        let handler = match next.is_none() && rule.handler.is_empty() {
            true => WrittenHandler::Text { form: HandlerForm::Text, text: String::new() },
            false => self.handler(rule, matched, next),
        };
        // Several targets may have one recipe.
        for name in name.split_whitespace() {
            found.entries.push(EntryDecl {
                span: matched.span,
                method: rule.label.clone(),
                path: name.to_string(),
                object: None,
                handler: handler.clone(),
                needs_router: false,
                handler_is_base: false,
                has_default_method: false,
            });
        }
    }
}

/// Two parts of a path, with one `/` between them.
pub(super) fn join_paths(prefix: &str, path: &str) -> String {
    match (prefix, path) {
        ("", path) => path.to_string(),
        (prefix, "") => prefix.to_string(),
        (prefix, path) => format!("{}/{}", prefix.trim_end_matches('/'), path.trim_start_matches('/')),
    }
}

fn words(list: &str) -> Vec<String> {
    let parts = list.split(|c: char| c != '_' && c != '-' && !c.is_alphanumeric());
    // `%i[` begins a list of symbols in Ruby.
    let parts = parts.filter(|part| !part.is_empty());
    let is_percent = list.trim_start().starts_with('%');
    parts.skip(if is_percent { 1 } else { 0 }).map(str::to_string).collect()
}

/// The methods in a list of texts or constants: `"GET", http.MethodHead`.
pub(super) fn methods_in(list: &str) -> Vec<String> {
    let method = |word: String| {
        let word = word.to_ascii_uppercase();
        word.strip_prefix("METHOD").unwrap_or(&word).to_string()
    };
    words(list).into_iter().map(method).filter(|word| METHODS.contains(&word.as_str())).collect()
}

/// The last name of a chain such as `views.list`, as a range of `text`; of a call, that of its last argument.
fn last_name(text: &str) -> Option<(usize, usize)> {
    let is_word = |c: char| c == '_' || c == '$' || c == '?' || c == '!' || c.is_alphanumeric();
    let text = text.trim_end();
    if let Some(open) = text.find('(') {
        let is_chain = text[..open].chars().all(|c| is_word(c) || c == '.' || c == ':');
        let inner = text[open + 1..].strip_suffix(')')?;
        if !is_chain || open == 0 || inner.contains("=>") || inner.contains('{') {
            return None;
        }
        let last = inner.rfind(',').map_or(0, |at| at + 1);
        let (start, end) = last_name(&inner[last..])?;
        return Some((open + 1 + last + start, open + 1 + last + end));
    }
    let plain = text.split("::<").next().unwrap_or(text);
    let trimmed = plain.len() - plain.trim_start().len();
    let is_chain = plain[trimmed..].chars().all(|c| is_word(c) || c == '.' || c == ':' || c == '&');
    let start = plain.trim_end_matches(is_word).len();
    let begins = plain[start..].starts_with(|c: char| c == '_' || c == '$' || c.is_alphabetic());
    (is_chain && begins).then_some((start, plain.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_are_named_by_the_last_name_of_a_chain() {
        let name = |text: &str| last_name(text).map(|(start, end)| text[start..end].to_string());
        assert_eq!(name("views.list").as_deref(), Some("list"));
        assert_eq!(name("users::login::<Db>").as_deref(), Some("login"));
        assert_eq!(name("asyncHandler(ctl.list)").as_deref(), Some("list"));
        assert_eq!(name("async (req, res) => { res.send() }"), None);
        assert_eq!(name("function (req, res) { }"), None);
        assert_eq!(name("|| async { }"), None);
    }

    #[test]
    fn lists_and_paths_are_read() {
        assert_eq!(words("[:show, :update]"), ["show", "update"]);
        assert_eq!(words("%i[show update]"), ["show", "update"]);
        assert_eq!(methods_in("{RequestMethod.GET, RequestMethod.PUT}"), ["GET", "PUT"]);
        assert_eq!(join_paths("/api/", "/users"), "/api/users");
        assert_eq!(join_paths("/api", ""), "/api");
    }
}

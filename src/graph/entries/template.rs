//! Templates of framework files: text with `{name|filter}` or `{name:default}` in place of captured texts.

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::code::literal_text;

/// The captured texts of a match, by name.
pub(super) type Captured = FxHashMap<String, String>;

/// The change that a filter makes to a captured text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextFilter {
    /// The content of a string literal; other expressions do not expand.
    Literal,
    /// `user_profiles` to `UserProfiles`.
    Camel,
    /// `UserProfiles` to `user_profiles`.
    Snake,
    /// `userProfiles` and `user_profiles` to `user-profiles`.
    Dashes,
    /// `articles` to `article`.
    Singular,
    /// `user` to `users`.
    Plural,
    Upper,
    /// A path pattern without the signs of a regular expression at its ends.
    PlainPattern,
    /// A path of folders as a route: without groups in brackets and without `index`.
    Folders,
    /// The text, or nothing if there is none.
    Optional,
    /// `articles` of `/api/articles`.
    LastPart,
    /// The method of a word that declares routes: `GET` of `live`, any of `match`.
    Verb,
    /// No text, but only if there is one.
    Nothing,
    /// `StoriesController#check` of `/stories/check`; a path of another length does not expand.
    Inferred,
}

impl TextFilter {
    fn named(name: &str) -> Option<TextFilter> {
        Some(match name {
            "literal" => TextFilter::Literal,
            "camel" => TextFilter::Camel,
            "snake" => TextFilter::Snake,
            "dashes" => TextFilter::Dashes,
            "singular" => TextFilter::Singular,
            "plural" => TextFilter::Plural,
            "upper" => TextFilter::Upper,
            "plain-pattern" => TextFilter::PlainPattern,
            "folders" => TextFilter::Folders,
            "optional" => TextFilter::Optional,
            "last-part" => TextFilter::LastPart,
            "verb" => TextFilter::Verb,
            "nothing" => TextFilter::Nothing,
            "inferred" => TextFilter::Inferred,
            _ => return None,
        })
    }

    fn apply(self, text: &str, constant: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        Some(match self {
            TextFilter::Literal => match literal_text(text) {
                Some(literal) => literal.to_string(),
                None => constant(text)?,
            },
            TextFilter::Camel => text.split('/').map(camel).collect::<Vec<_>>().join("::"),
            TextFilter::Snake => separated(text, '_'),
            TextFilter::Dashes => separated(text, '-'),
            TextFilter::Singular => singular(text),
            TextFilter::Plural => plural(text),
            TextFilter::Upper => text.to_ascii_uppercase(),
            TextFilter::PlainPattern => plain_pattern(text).to_string(),
            TextFilter::Folders => folders(text),
            TextFilter::Optional => text.to_string(),
            TextFilter::LastPart => text.rsplit('/').next().unwrap_or(text).to_string(),
            TextFilter::Verb => match text {
                "match" => "*".to_string(),
                "live" => "GET".to_string(),
                verb => verb.to_ascii_uppercase(),
            },
            TextFilter::Nothing => String::new(),
            TextFilter::Inferred => {
                let (controller, action) = text.trim_matches('/').split_once('/')?;
                let is_name = |text: &str| text.chars().all(|c| c == '_' || c.is_alphanumeric());
                let is_plain = is_name(controller) && is_name(action);
                is_plain.then(|| format!("{}Controller#{action}", camel(controller)))?
            }
        })
    }
}

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Capture { name: String, default: Option<String>, filters: Vec<TextFilter> },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Template(Vec<Part>);

impl TryFrom<String> for Template {
    type Error = String;

    fn try_from(text: String) -> Result<Template, String> {
        Template::parse(&text)
    }
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// A brace without its partner, or an unknown filter.
    pub fn parse(text: &str) -> Result<Template, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            parts.push(Part::Text(rest[..open].to_string()));
            let close =
                rest[open..].find('}').ok_or_else(|| format!("'{text}' has a '{{' without a '}}'"))? + open;
            let mut words = rest[open + 1..close].split('|');
            let name = words.next().unwrap_or_default();
            let (name, default) = match name.split_once(':') {
                Some((name, default)) => (name.to_string(), Some(default.to_string())),
                None => (name.to_string(), None),
            };
            let filters = words.map(|filter| {
                TextFilter::named(filter)
                    .ok_or_else(|| format!("'{text}' uses the unknown filter '{filter}'"))
            });
            parts.push(Part::Capture { name, default, filters: filters.collect::<Result<_, _>>()? });
            rest = &rest[close + 1..];
        }
        parts.push(Part::Text(rest.to_string()));
        Ok(Template(parts))
    }

    /// The text, if every capture has one. `constant` gives the value of a constant by its name.
    pub fn expand(&self, captured: &Captured, constant: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let mut out = String::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Capture { name, default, filters } => {
                    let is_optional = filters.contains(&TextFilter::Optional);
                    let Some(text) = captured.get(name).or(default.as_ref()) else {
                        if is_optional {
                            continue;
                        }
                        return None;
                    };
                    let mut text = text.clone();
                    for filter in filters {
                        text = filter.apply(&text, constant)?;
                    }
                    out.push_str(&text);
                }
            }
        }
        Some(out)
    }

    /// The name of the capture that the whole template is.
    pub fn capture(&self) -> Option<&str> {
        let mut parts = self.0.iter().filter(|part| !matches!(part, Part::Text(text) if text.is_empty()));
        match (parts.next(), parts.next()) {
            (Some(Part::Capture { name, filters, .. }), None) if filters.is_empty() => Some(name),
            _ => None,
        }
    }
}

fn camel(text: &str) -> String {
    let word = |word: &str| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>()).unwrap_or_default()
    };
    text.split('_').map(word).collect()
}

fn separated(text: &str, sign: char) -> String {
    let mut out = String::new();
    let mut before = sign;
    for c in text.chars() {
        if c.is_uppercase() && before != sign && !before.is_uppercase() {
            out.push(sign);
        }
        let c = if c == '_' || c == '-' { sign } else { c };
        out.extend(c.to_lowercase());
        before = if c == sign { sign } else { c };
    }
    out
}

fn singular(text: &str) -> String {
    if let Some(stem) = text.strip_suffix("ies") {
        return format!("{stem}y");
    }
    for ending in ["sses", "shes", "ches", "xes"] {
        if text.ends_with(ending) {
            return text[..text.len() - 2].to_string();
        }
    }
    match text.strip_suffix('s') {
        Some(stem) if !stem.ends_with('s') => stem.to_string(),
        _ => text.to_string(),
    }
}

fn plural(text: &str) -> String {
    let vowel = |stem: &str| stem.ends_with(['a', 'e', 'i', 'o', 'u']);
    match text.strip_suffix('y') {
        Some(stem) if !vowel(stem) => format!("{stem}ies"),
        _ if text.ends_with('s') => text.to_string(),
        _ if text.ends_with("sh") || text.ends_with("ch") || text.ends_with('x') => format!("{text}es"),
        _ => format!("{text}s"),
    }
}

fn plain_pattern(text: &str) -> &str {
    let text = text.trim_start_matches('^');
    let text = text.strip_suffix("/?$").unwrap_or(text);
    text.strip_suffix('$').unwrap_or(text)
}

fn folders(text: &str) -> String {
    let parts = text.split('/').filter(|part| {
        let is_group = part.starts_with('(') && part.ends_with(')') || part.starts_with('@');
        !part.is_empty() && !is_group && *part != "index"
    });
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_expand_with_filters() {
        let captured: Captured =
            [("name", "user_profiles"), ("path", "'/a'"), ("other", "x + '/a'"), ("type", "ListAll")]
                .into_iter()
                .map(|(name, text)| (name.to_string(), text.to_string()))
                .collect();
        let check = |template: &str, expected: Option<&str>| {
            let found = Template::parse(template).unwrap().expand(&captured, &|_| None);
            assert_eq!(found.as_deref(), expected, "{template}");
        };
        check("/{name}/:{name|singular}_id", Some("/user_profiles/:user_profile_id"));
        check("{name|camel}Controller#index", Some("UserProfilesController#index"));
        check("{path|literal}", Some("/a"));
        check("{other|literal}", None);
        check("{type|dashes}", Some("list-all"));
        check("{missing}", None);
        check("a{missing|optional}", Some("a"));
        check(":{missing:id}", Some(":id"));
        assert!(Template::parse("{a|none}").is_err() && Template::parse("{a").is_err());
    }

    #[test]
    fn words_change_their_number() {
        assert_eq!(
            [singular("stories"), singular("articles"), singular("boxes")],
            ["story", "article", "box"]
        );
        assert_eq!([plural("story"), plural("user"), plural("news")], ["stories", "users", "news"]);
        assert_eq!(folders("(shop)/items/[id]/index"), "items/[id]");
        assert_eq!(plain_pattern("^articles/(?P<slug>[-\\w]+)/?$"), "articles/(?P<slug>[-\\w]+)");
    }
}

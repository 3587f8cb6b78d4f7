//! How an exact search is printed: ripgrep's options for its output.

use grep_printer::{HyperlinkConfig, HyperlinkEnvironment, HyperlinkFormat, UserColorSpec};

use spyhop_base::path::PathBase;

/// How lines are printed. The default is ripgrep's into a pipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintOptions {
    /// The form of the output for each file.
    pub form: OutputFormat,
    /// Whether the path is printed once above the lines of a file, not before each line.
    pub heading: bool,
    /// Whether line numbers are printed.
    pub line_numbers: bool,
    /// Whether the column of the first match is printed.
    pub columns: bool,
    /// Whether only the matches are printed, each on a separate line.
    pub only_matching: bool,
    /// Whether paths are printed before lines and counts.
    pub paths: bool,
    /// How paths are shown.
    pub base: PathBase,
    /// The order of the files.
    pub order: FileOrder,
    /// The text that is printed in place of each match; `$1` and `$name` stand for groups.
    pub replacement: Option<Vec<u8>>,
    /// Whether blanks at the beginning of lines are left out.
    pub trim: bool,
    /// Whether a NUL byte follows each path.
    pub null: bool,
    /// The most bytes of a line that is printed; longer lines are named only.
    pub max_columns: Option<u64>,
    /// Whether the beginning of a line above `max_columns` is printed.
    pub max_columns_preview: bool,
    /// Whether each match is printed on a separate line.
    pub per_match: bool,
    /// Whether lines have the byte offset of their beginning, or of the match.
    pub byte_offset: bool,
    /// Whether the lines that do not match are printed too.
    pub passthru: bool,
    /// Whether counts and times follow.
    pub stats: bool,
    /// Whether nothing but counts and times is printed.
    pub quiet: bool,
    /// The form of links on paths, in ripgrep's notation or by one of its names; empty for no links.
    pub hyperlink_format: String,
    /// The host name in links.
    pub host: Option<String>,
    /// Colours in ripgrep's notation, each over those before.
    pub colors: Vec<String>,
    /// The separator in paths; `None` for `/`.
    pub path_separator: Option<u8>,
    /// The separator after path, line number and column of a line that matches.
    pub field_match_separator: Vec<u8>,
    /// The separator after path and line number of a context line.
    pub field_context_separator: Vec<u8>,
    /// Whether files without a match are counted too.
    pub include_zero: bool,
    /// The line between groups of context lines; `None` for no line.
    pub context_separator: Option<Vec<u8>>,
    /// Whether the output has colours.
    pub color: bool,
    /// Whether the output is for a terminal. Then control characters and invisible characters are replaced
    /// ([`spyhop_base::clean`]).
    pub terminal: bool,
}

impl Default for PrintOptions {
    fn default() -> PrintOptions {
        PrintOptions {
            form: OutputFormat::Lines,
            heading: false,
            line_numbers: false,
            columns: false,
            only_matching: false,
            paths: true,
            base: PathBase::Root,
            order: FileOrder::Path,
            replacement: None,
            trim: false,
            null: false,
            max_columns: None,
            max_columns_preview: false,
            per_match: false,
            byte_offset: false,
            passthru: false,
            stats: false,
            quiet: false,
            hyperlink_format: String::new(),
            host: None,
            colors: Vec::new(),
            path_separator: None,
            field_match_separator: b":".to_vec(),
            field_context_separator: b"-".to_vec(),
            include_zero: false,
            context_separator: Some(b"--".to_vec()),
            color: false,
            terminal: false,
        }
    }
}

/// The form of the output for a file that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum OutputFormat {
    /// The matching lines.
    Lines,
    /// The number of matching lines.
    Count,
    /// The number of matches.
    CountMatches,
    /// The path.
    Files,
    /// The paths of the files without a match.
    FilesWithout,
    /// ripgrep's events, as lines of JSON.
    Events,
}

impl PrintOptions {
    /// Checks what no type checks.
    ///
    /// # Errors
    /// The first of `colors`, or the `hyperlink_format`, that cannot be read, with the reason.
    pub fn check(&self) -> Result<(), String> {
        self.links()?;
        let read = |spec: &String| spec.parse::<UserColorSpec>().map(drop);
        self.colors
            .iter()
            .try_for_each(|spec| read(spec).map_err(|error| format!("colors '{spec}': {error}")))
    }
}

impl PrintOptions {
    /// The links on paths.
    pub(super) fn links(&self) -> Result<HyperlinkConfig, String> {
        let format: HyperlinkFormat = self
            .hyperlink_format
            .parse()
            .map_err(|error| format!("hyperlink_format '{}': {error}", self.hyperlink_format))?;
        let mut environment = HyperlinkEnvironment::new();
        environment.host(self.host.clone());
        Ok(format.into_config(environment))
    }
}

/// The order of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOrder {
    /// By path, folder by folder.
    Path,
    /// By path, the last one first.
    PathReversed,
    /// By a time of the file; files without that time come last.
    Time {
        /// Which time.
        of: FileTime,
        /// Whether the newest comes first.
        reversed: bool,
    },
}

/// A time of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileTime {
    /// The last change.
    Modified,
    /// The last access.
    Accessed,
    /// The creation.
    Created,
}

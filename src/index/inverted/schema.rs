//! The fields of a document, and the tokenizer that splits term lists.

use tantivy::schema::{
    Field as TantivyField, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer, TokenizerManager};

use crate::tokenize::{SEPARATOR, TermList};
use spyhop_base::id::VersionId;
use spyhop_base::model::{Field, KindSet, SymbolKind};
use spyhop_base::text::{Lines, Span};

/// The fields that can be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexField {
    /// A scored field, with frequencies and lengths.
    Scored(Field),
    /// Words as written, without frequencies: only which files hold them. The words belong to a file's last chunk.
    Word,
    /// Names that a chunk defines, as written.
    Definition,
    /// Names that a chunk uses, as written, with frequencies.
    Reference,
}

/// The number of fields that can be searched.
pub(super) const N_FIELDS: usize = Field::ALL.len() + 3;

impl IndexField {
    /// The number of the field, below [`N_FIELDS`].
    pub(super) fn number(self) -> usize {
        match self {
            IndexField::Scored(field) => field as usize,
            IndexField::Word => Field::ALL.len(),
            IndexField::Definition => Field::ALL.len() + 1,
            IndexField::Reference => Field::ALL.len() + 2,
        }
    }

    pub fn all() -> impl Iterator<Item = IndexField> {
        let scored = Field::ALL.into_iter().map(IndexField::Scored);
        scored.chain([IndexField::Word, IndexField::Definition, IndexField::Reference])
    }
}

/// One document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkDoc<'a> {
    /// The file version of the document.
    pub version: VersionId,
    /// The span in the decoded source.
    pub span: Span,
    pub lines: Lines,
    pub kind: SymbolKind,
    /// The kind of the chunk and those of its symbols.
    pub kinds: KindSet,
    /// The scored fields in the order of [`Field::ALL`]; `None` where a field does not apply.
    pub scored: [Option<&'a TermList>; Field::ALL.len()],
    /// The distinct words of the file, as written, on the file's last document only.
    pub words: &'a TermList,
    /// Names that the chunk defines, as written.
    pub definitions: &'a TermList,
    /// Names that the chunk uses, as written.
    pub references: &'a TermList,
}

/// The schema with its fields resolved. The order of fields is part of the on-disk format.
#[derive(Clone)]
pub(super) struct Layout {
    pub schema: Schema,
    pub scored: [TantivyField; Field::ALL.len()],
    pub word: TantivyField,
    pub definition: TantivyField,
    pub reference: TantivyField,
    pub version: TantivyField,
    pub start: TantivyField,
    pub len: TantivyField,
    pub line: TantivyField,
    pub lines: TantivyField,
    pub kind: TantivyField,
    pub kinds: TantivyField,
}

/// The name under which the splitting tokenizer is registered.
const TERM_LIST: &str = "term-list";

impl Layout {
    pub fn new() -> Layout {
        let mut builder = Schema::builder();
        let text = |record: IndexRecordOption, lengths: bool| {
            TextOptions::default().set_indexing_options(
                TextFieldIndexing::default()
                    .set_tokenizer(TERM_LIST)
                    .set_index_option(record)
                    .set_fieldnorms(lengths),
            )
        };
        let scored = Field::ALL
            .map(|field| builder.add_text_field(field.name(), text(IndexRecordOption::WithFreqs, true)));
        let word = builder.add_text_field("word", text(IndexRecordOption::Basic, false));
        let definition = builder.add_text_field("definition", text(IndexRecordOption::Basic, false));
        let reference = builder.add_text_field("reference", text(IndexRecordOption::WithFreqs, false));
        let column = NumericOptions::default().set_fast();
        let version = builder.add_u64_field("version", column.clone().set_indexed());
        let [start, len, line, lines, kind, kinds] = ["start", "len", "line", "lines", "kind", "kinds"]
            .map(|name| builder.add_u64_field(name, column.clone()));
        let schema = builder.build();
        Layout { schema, scored, word, definition, reference, version, start, len, line, lines, kind, kinds }
    }

    pub fn field(&self, field: IndexField) -> TantivyField {
        match field {
            IndexField::Scored(field) => self.scored[field as usize],
            IndexField::Word => self.word,
            IndexField::Definition => self.definition,
            IndexField::Reference => self.reference,
        }
    }
}

pub(super) fn tokenizers() -> TokenizerManager {
    // The indexer looks up a tokenizer for numeric fields too, by a name that only the default manager knows.
    let manager = TokenizerManager::default();
    manager.register(TERM_LIST, TextAnalyzer::from(SplitTermList::default()));
    manager
}

/// Splits a term list at its separators.
#[derive(Clone, Default)]
struct SplitTermList {
    token: Token,
}

struct Splits<'a> {
    rest: &'a str,
    token: &'a mut Token,
}

impl Tokenizer for SplitTermList {
    type TokenStream<'a> = Splits<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Splits<'a> {
        self.token.reset();
        Splits { rest: text, token: &mut self.token }
    }
}

impl TokenStream for Splits<'_> {
    fn advance(&mut self) -> bool {
        let Some(end) = memchr::memchr(SEPARATOR as u8, self.rest.as_bytes()) else { return false };
        self.token.text.clear();
        self.token.text.push_str(&self.rest[..end]);
        self.token.position = self.token.position.wrapping_add(1);
        self.rest = &self.rest[end + 1..];
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

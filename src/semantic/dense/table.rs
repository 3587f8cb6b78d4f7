//! A static table of Model2Vec in a local folder: the vector of a text is the mean of the rows of its tokens.
//!
//! `model.safetensors` has the tensor `embeddings`, and some tables `weights` and `mapping` of tokens; `tokenizer.json` is a
//! tokenizer of the crate `tokenizers`, and `config.json` says whether vectors are normalized. Nothing leaves the process.

use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, TensorView};
use tokenizers::Tokenizer;

use super::provider::{Limits, Patience, Provider};
use super::tensors::{self, Numbers, TensorFile, stamp_of};
use crate::error::SemanticError;

/// The most tokens of a text that count.
const MAX_TOKENS: usize = 512;

pub struct Table {
    folder: PathBuf,
    tokenizer: Tokenizer,
    /// The token of words that the table does not know, which does not count.
    unknown: Option<u32>,
    dimensions: usize,
    rows: Numbers,
    weights: Option<Numbers>,
    /// By token: its row, where several tokens share one.
    mapping: Option<Vec<u32>>,
    identity: String,
}

impl Table {
    pub fn open(folder: &Path) -> Result<Table, SemanticError> {
        let file = TensorFile::open(folder)?;
        let tensors = file.tensors()?;
        let numbers = |name: &str| tensors.tensor(name).ok().map(|view| file.numbers(&view)).transpose();
        let embeddings = tensors.tensor("embeddings").or_else(|_| tensors.tensor("embedding.weight"));
        let embeddings = embeddings.map_err(|_| file.bad("it has no tensor 'embeddings'".to_string()))?;
        let [_, dimensions] = *embeddings.shape() else {
            return Err(file.bad("'embeddings' is not a table".to_string()));
        };
        let mapping = tensors.tensor("mapping").ok().map(|view| integers(&view)).transpose();
        let tokenizer = tensors::tokenizer(folder, None)?;
        Ok(Table {
            folder: folder.to_path_buf(),
            unknown: ["[UNK]", "<unk>"].iter().find_map(|word| tokenizer.token_to_id(word)),
            tokenizer,
            dimensions,
            rows: file.numbers(&embeddings)?,
            weights: numbers("weights")?,
            mapping: mapping.map_err(|why| file.bad(why))?,
            identity: format!("model2vec {} {:?}", folder.display(), stamp_of(folder)),
        })
    }

    /// The mean of the rows of a text's tokens, of length 1; all zeros if the table knows none of them.
    fn vector(&self, text: &str) -> Result<Vec<f32>, SemanticError> {
        let encoding = self.tokenizer.encode_fast(text, false).map_err(|error| SemanticError::Provider {
            model: self.folder.display().to_string(),
            why: error.to_string(),
        })?;
        let mut sum = vec![0.0f32; self.dimensions];
        for token in encoding.get_ids().iter().filter(|token| Some(**token) != self.unknown).take(MAX_TOKENS)
        {
            let at = *token as usize;
            let row = self.mapping.as_ref().map_or(Some(at), |rows| rows.get(at).map(|row| *row as usize));
            let values =
                row.and_then(|row| self.rows.get(row * self.dimensions..(row + 1) * self.dimensions));
            let Some(values) = values else { continue };
            let weight = self.weights.as_ref().and_then(|weights| weights.get(at)).copied().unwrap_or(1.0);
            sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
        }
        Ok(sum)
    }
}

impl Provider for Table {
    fn embed(&self, texts: &[&str], _patience: Patience) -> Result<Vec<Vec<f32>>, SemanticError> {
        texts.iter().map(|text| self.vector(text)).collect()
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn limits(&self) -> Limits {
        Limits::of_processor(256)
    }

    fn identity(&self) -> String {
        self.identity.clone()
    }
}

fn integers(view: &TensorView<'_>) -> Result<Vec<u32>, String> {
    let bytes = view.data();
    Ok(match view.dtype() {
        Dtype::I32 | Dtype::U32 => {
            bytes.chunks_exact(4).map(|own| u32::from_le_bytes(own.try_into().expect("4 bytes"))).collect()
        }
        Dtype::I64 | Dtype::U64 => {
            let number = |own: &[u8]| u64::from_le_bytes(own.try_into().expect("8 bytes")) as u32;
            bytes.chunks_exact(8).map(number).collect()
        }
        other => {
            return Err(format!(
                "'mapping' has numbers of the type {other:?}; known are those of 32 and 64 bits"
            ));
        }
    })
}

//! A static table of Model2Vec in a local folder: the vector of a text is the mean of the rows of its tokens.
//!
//! `model.safetensors` has the tensor `embeddings`, and some tables `weights` and `mapping` of tokens; `tokenizer.json` is a
//! tokenizer of the crate `tokenizers`, and `config.json` says whether vectors are normalized. Nothing leaves the process.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use spyhop_base::store::AtFile;
use tokenizers::Tokenizer;

use super::provider::{Limits, Patience, Provider};
use crate::error::SemanticError;

/// The most tokens of a text that count.
const MAX_TOKENS: usize = 512;

pub struct Table {
    folder: PathBuf,
    tokenizer: Tokenizer,
    /// The token of words that the table does not know, which does not count.
    unknown: Option<u32>,
    dimensions: usize,
    rows: Vec<f32>,
    weights: Option<Vec<f32>>,
    /// By token: its row, where several tokens share one.
    mapping: Option<Vec<u32>>,
    identity: String,
}

impl Table {
    pub fn open(folder: &Path) -> Result<Table, SemanticError> {
        let (model, words) = (folder.join("model.safetensors"), folder.join("tokenizer.json"));
        let bad = |path: &Path, why: String| SemanticError::BadSetting(format!("{}: {why}", path.display()));
        let file = File::open(&model).at("open", &model)?;
        let stamp = [&model, &words]
            .map(|path| fs::metadata(path).ok().map(|found| (found.len(), found.modified().ok())));
        // SAFETY: the map lives for this function. A file that another process shortens meanwhile ends this one, as with
        // every mapped file; a table is written once.
        let map = unsafe { memmap2::Mmap::map(&file) }.at("map", &model)?;
        let tensors =
            SafeTensors::deserialize(&map).map_err(|error| bad(&model, format!("not a table: {error}")))?;
        let floats = |name: &str| tensors.tensor(name).ok().map(|view| floats(&view)).transpose();
        let embeddings = tensors.tensor("embeddings").or_else(|_| tensors.tensor("embedding.weight"));
        let embeddings = embeddings.map_err(|_| bad(&model, "it has no tensor 'embeddings'".to_string()))?;
        let [_, dimensions] = *embeddings.shape() else {
            return Err(bad(&model, "'embeddings' is not a table".to_string()));
        };
        let why = |why: String| bad(&model, why);
        let rows = self::floats(&embeddings).map_err(why)?;
        let weights = floats("weights").map_err(why)?;
        let mapping = tensors.tensor("mapping").ok().map(|view| integers(&view)).transpose().map_err(why)?;
        let mut tokenizer =
            Tokenizer::from_file(&words).map_err(|error| bad(&words, format!("not a tokenizer: {error}")))?;
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| bad(&words, error.to_string()))?;
        let unknown = ["[UNK]", "<unk>"].iter().find_map(|word| tokenizer.token_to_id(word));
        let identity = format!("model2vec {} {stamp:?}", folder.display());
        let folder = folder.to_path_buf();
        Ok(Table { folder, tokenizer, unknown, dimensions, rows, weights, mapping, identity })
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
        let concurrency = std::thread::available_parallelism().map_or(1, usize::from);
        Limits { texts: 256, tokens: 1 << 18, concurrency }
    }

    fn identity(&self) -> String {
        self.identity.clone()
    }
}

/// The numbers of a tensor.
fn floats(view: &TensorView<'_>) -> Result<Vec<f32>, String> {
    let bytes = view.data();
    Ok(match view.dtype() {
        Dtype::F32 => {
            bytes.chunks_exact(4).map(|own| f32::from_le_bytes(own.try_into().expect("4 bytes"))).collect()
        }
        Dtype::F64 => {
            let number = |own: &[u8]| f64::from_le_bytes(own.try_into().expect("8 bytes")) as f32;
            bytes.chunks_exact(8).map(number).collect()
        }
        Dtype::F16 => bytes.chunks_exact(2).map(|own| half(u16::from_le_bytes([own[0], own[1]]))).collect(),
        Dtype::BF16 => {
            let number = |own: &[u8]| f32::from_bits(u32::from(u16::from_le_bytes([own[0], own[1]])) << 16);
            bytes.chunks_exact(2).map(number).collect()
        }
        Dtype::I8 => bytes.iter().map(|byte| f32::from(*byte as i8)).collect(),
        other => {
            return Err(format!(
                "a tensor has numbers of the type {other:?}; known are F64, F32, F16, BF16 and I8"
            ));
        }
    })
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

/// A number of 16 bits.
fn half(bits: u16) -> f32 {
    let (sign, exponent, fraction) = (u32::from(bits >> 15) << 31, (bits >> 10) & 31, u32::from(bits & 1023));
    match exponent {
        0 => {
            f32::from_bits(sign)
                + (fraction as f32 / 1024.0 / 16384.0).copysign(f32::from_bits(sign | 0x3f80_0000))
        }
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (u32::from(exponent) + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_16_bits_are_read() {
        for (bits, number) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x0001, 5.960_464_5e-8),
            (0x8000, -0.0),
            (0x7bff, 65504.0),
        ] {
            assert_eq!(half(bits), number, "{bits:x}");
        }
    }
}

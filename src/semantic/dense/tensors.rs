//! The tensors of a model: a file in the format of safetensors, mapped into memory.

use std::fs::{self, File};
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use memmap2::Mmap;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
#[cfg(feature = "local-model")]
use serde::de::DeserializeOwned;
use spyhop_base::store::AtFile;
use tokenizers::Tokenizer;

use crate::error::SemanticError;

/// The names of the two files of a model.
const TENSORS: &str = "model.safetensors";
const TOKENIZER: &str = "tokenizer.json";

/// A mapped file of tensors.
pub struct TensorFile {
    path: PathBuf,
    map: Arc<Mmap>,
}

impl TensorFile {
    /// Maps the tensors of the model in a folder.
    pub fn open(folder: &Path) -> Result<TensorFile, SemanticError> {
        let path = folder.join(TENSORS);
        let file = File::open(&path).at("open", &path)?;
        // SAFETY: a model is written once. A file that another process shortens meanwhile ends this one, as with every
        // mapped file.
        let map = unsafe { Mmap::map(&file) }.at("map", &path)?;
        Ok(TensorFile { path, map: Arc::new(map) })
    }

    /// The tensors by their names.
    pub fn tensors(&self) -> Result<SafeTensors<'_>, SemanticError> {
        SafeTensors::deserialize(&self.map)
            .map_err(|error| self.bad(format!("not a file of tensors: {error}")))
    }

    /// The numbers of a tensor, without a copy if they are floats of 32 bits.
    pub fn numbers(&self, view: &TensorView<'_>) -> Result<Numbers, SemanticError> {
        let data = view.data();
        if cfg!(target_endian = "little") && view.dtype() == Dtype::F32 && as_floats(data).is_some() {
            let at = data.as_ptr().addr() - self.map.as_ptr().addr();
            return Ok(Numbers::Mapped { map: Arc::clone(&self.map), bytes: at..at + data.len() });
        }
        floats(view).map(Numbers::Own).map_err(|why| self.bad(why))
    }

    /// An error about the file.
    pub fn bad(&self, why: String) -> SemanticError {
        bad(&self.path, why)
    }
}

fn bad(path: &Path, why: String) -> SemanticError {
    SemanticError::BadSetting(format!("{}: {why}", path.display()))
}

/// The numbers of a tensor.
pub enum Numbers {
    /// Bytes of a mapped file that are floats of 32 bits.
    Mapped {
        map: Arc<Mmap>,
        bytes: Range<usize>,
    },
    Own(Vec<f32>),
}

impl Deref for Numbers {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        match self {
            Numbers::Mapped { map, bytes } => {
                as_floats(&map[bytes.clone()]).expect("checked when it was mapped")
            }
            Numbers::Own(own) => own,
        }
    }
}

/// Bytes as floats, if they begin and end where floats do.
fn as_floats(bytes: &[u8]) -> Option<&[f32]> {
    // SAFETY: any four bytes are a float.
    let (before, floats, after) = unsafe { bytes.align_to::<f32>() };
    (before.is_empty() && after.is_empty()).then_some(floats)
}

/// The values of a JSON file of a model; `None` if there is no such file.
#[cfg(feature = "local-model")]
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, SemanticError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Err::<(), _>(error).at("read", path).unwrap_err().into()),
    };
    let bad = |error| SemanticError::BadSetting(format!("{}: {error}", path.display()));
    serde_json::from_slice(&bytes).map(Some).map_err(bad)
}

/// The tokenizer of the model in a folder, without padding. Texts are cut to `most` tokens, if there is a bound.
pub fn tokenizer(folder: &Path, most: Option<usize>) -> Result<Tokenizer, SemanticError> {
    let path = folder.join(TOKENIZER);
    let mut tokenizer =
        Tokenizer::from_file(&path).map_err(|error| bad(&path, format!("not a tokenizer: {error}")))?;
    tokenizer.with_padding(None);
    let cut = most.map(|max_length| tokenizers::TruncationParams { max_length, ..Default::default() });
    tokenizer.with_truncation(cut).map_err(|error| bad(&path, error.to_string()))?;
    Ok(tokenizer)
}

/// The lengths and times of the files of a model: other files make vectors that cannot be compared.
pub fn stamp_of(folder: &Path) -> [Option<(u64, Option<SystemTime>)>; 2] {
    [TENSORS, TOKENIZER].map(|name| {
        let found = fs::metadata(folder.join(name)).ok()?;
        Some((found.len(), found.modified().ok()))
    })
}

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

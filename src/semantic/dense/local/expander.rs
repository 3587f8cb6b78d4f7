//! A model of the kind SPLADE: an encoder with the head that `BertForMaskedLM` has. Of each word of the vocabulary it tells how
//! well the word fits a text, also of words that the text does not have.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use tokenizers::Tokenizer;

use super::encoder::{
    CALL_TEXTS, Encoder, Linear, MAX_TOKENS, NetworkConfig, NetworkTensors, Norm, TEXTS_AT_ONCE, encodings,
};
use super::matrix::gelu;
use crate::dense::provider::Limits;
use crate::dense::tensors::{self, TensorFile, read_json};
use crate::error::SemanticError;

/// Where sentence-transformers writes how the weights of a word at all tokens become one.
const POOLING: [&str; 2] = ["1_SpladePooling/config.json", "document_1_SpladePooling/config.json"];

pub struct Expander {
    folder: PathBuf,
    tokenizer: Tokenizer,
    encoder: Encoder,
    transform: Linear,
    norm: Norm,
    words: Linear,
    /// Whether the logarithm is taken twice, for fewer words of great weights.
    is_flatter: bool,
}

#[derive(Deserialize)]
struct SpladeConfig {
    pooling_strategy: String,
    activation_function: String,
}

/// Whether the logarithm is taken twice, in the model of a folder.
fn is_flatter(folder: &Path) -> Result<bool, SemanticError> {
    for path in POOLING.map(|name| folder.join(name)) {
        let Some(SpladeConfig { pooling_strategy, activation_function }) = read_json(&path)? else {
            continue;
        };
        return match (pooling_strategy.as_str(), activation_function.as_str()) {
            ("max", "relu") => Ok(false),
            ("max", "log1p_relu") => Ok(true),
            (pooling, activation) => Err(SemanticError::BadSetting(format!(
                "{}: pooling is '{pooling}' of '{activation}'; known is 'max' of 'relu' and 'log1p_relu'",
                path.display()
            ))),
        };
    }
    Ok(false)
}

impl Expander {
    pub fn open(folder: &Path) -> Result<Expander, SemanticError> {
        let config = NetworkConfig::read(folder)?;
        let file = TensorFile::open(folder)?;
        let tensors = NetworkTensors::open(&file)?;
        let size = config.size();
        let most = MAX_TOKENS.min(config.max_position_embeddings);
        Ok(Expander {
            folder: folder.to_path_buf(),
            tokenizer: tensors::tokenizer(folder, Some(most))?,
            transform: tensors.linear_at("cls.predictions.transform.dense", size, size)?,
            norm: tensors.norm_at("cls.predictions.transform.LayerNorm", &config)?,
            words: tensors.word_head(size)?,
            encoder: Encoder::new(config, &tensors)?,
            is_flatter: is_flatter(folder)?,
        })
    }

    /// For each text, the weights of all words of the vocabulary: the logarithm of one more than how well a word fits the token
    /// that it fits best.
    pub fn weights(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, SemanticError> {
        let mut all = Vec::with_capacity(texts.len());
        for group in texts.chunks(TEXTS_AT_ONCE) {
            let owned = group.iter().map(|text| (*text).to_string());
            let encodings = encodings(&self.tokenizer, &self.folder, owned)?;
            all.extend(self.encoder.encode(&encodings).into_iter().map(|rows| self.of_text(&rows)));
        }
        Ok(all)
    }

    /// The weights of a text, of whose tokens these are the vectors.
    fn of_text(&self, rows: &[f32]) -> Vec<f32> {
        let mut inner = self.transform.apply(rows);
        gelu(&mut inner);
        self.norm.apply(&mut inner);
        let mut weights = vec![0.0f32; self.words.n_out()];
        for fits in self.words.apply(&inner).chunks_exact(weights.len()) {
            weights.iter_mut().zip(fits).for_each(|(most, fit)| *most = most.max(*fit));
        }
        let times = if self.is_flatter { 2 } else { 1 };
        for weight in weights.iter_mut().filter(|weight| **weight > 0.0) {
            (0..times).for_each(|_| *weight = weight.ln_1p());
        }
        weights
    }

    pub fn limits(&self) -> Limits {
        Limits::of_processor(CALL_TEXTS)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tiny;
    use super::*;

    #[test]
    fn weights_of_words_are_those_of_numpy() {
        let folder = tempfile::tempdir().unwrap();
        tiny::write(folder.path(), tiny::WORDS);
        let weights = || Expander::open(folder.path()).unwrap().weights(&["five", "a b"]).unwrap();
        let expected = [
            [0.136_619, 0.253_729, 0.340_423, 0.0, 0.091_135, 0.192_385, 0.0, 0.0, 0.018_558, 0.0],
            [0.166_047, 0.246_276, 0.334_364, 0.0, 0.082_417, 0.185_406, 0.0, 0.0, 0.010_31, 0.0],
        ];
        let found = weights();
        let is_near = |(found, expected): (&f32, &f32)| (found - expected).abs() < 2e-5;
        assert!(found.concat().iter().zip(expected.as_flattened()).all(is_near), "{found:?}");
        // Of some models the logarithm is taken twice; sums over tokens are not known.
        std::fs::create_dir(folder.path().join("1_SpladePooling")).unwrap();
        let pooling = |strategy: &str| {
            let text = format!(r#"{{"pooling_strategy":"{strategy}","activation_function":"log1p_relu"}}"#);
            std::fs::write(folder.path().join(POOLING[0]), text).unwrap();
        };
        pooling("max");
        let flatter = weights();
        assert!((flatter[0][2] - 0.340_423f32.ln_1p()).abs() < 2e-5, "{flatter:?}");
        pooling("sum");
        let error = Expander::open(folder.path()).err().unwrap().to_string();
        assert!(error.contains("pooling is 'sum' of 'log1p_relu'"), "{error}");
    }
}

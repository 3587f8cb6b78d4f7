//! A cross-encoder: one pass over a question and a text gives how well the text answers.

use std::path::{Path, PathBuf};

use tokenizers::Tokenizer;

use super::encoder::{Encoder, Linear, NetworkConfig, NetworkTensors};
use crate::dense::provider::CrossEncoder;
use crate::dense::tensors::{self, TensorFile};
use crate::error::SemanticError;

/// The most tokens of a question with its text.
const MAX_TOKENS: usize = 160;

/// An encoder with the head that `BertForSequenceClassification` has, for one label.
pub struct PairModel {
    folder: PathBuf,
    tokenizer: Tokenizer,
    encoder: Encoder,
    size: usize,
    pooler: Linear,
    classifier: Linear,
}

impl PairModel {
    pub fn open(folder: &Path) -> Result<PairModel, SemanticError> {
        let config = NetworkConfig::read(folder)?;
        let file = TensorFile::open(folder)?;
        let tensors = NetworkTensors::open(&file)?;
        let size = config.size();
        Ok(PairModel {
            folder: folder.to_path_buf(),
            tokenizer: tensors::tokenizer(folder, Some(MAX_TOKENS.min(config.max_position_embeddings)))?,
            pooler: tensors.linear("pooler.dense", size, size)?,
            classifier: tensors.linear_at("classifier", size, 1)?,
            encoder: Encoder::new(config, &tensors)?,
            size,
        })
    }
}

impl CrossEncoder for PairModel {
    fn score(&self, question: &str, text: &str) -> Result<f32, SemanticError> {
        let encoding = self.tokenizer.encode_fast((question, text), true).map_err(|error| {
            SemanticError::Provider { model: self.folder.display().to_string(), why: error.to_string() }
        })?;
        let rows = self.encoder.encode(&[encoding]).concat();
        let Some(first) = rows.get(..self.size) else { return Ok(0.0) };
        let mut pooled = self.pooler.apply(first);
        pooled.iter_mut().for_each(|number| *number = number.tanh());
        Ok(self.classifier.apply(&pooled)[0])
    }
}

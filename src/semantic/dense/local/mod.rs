//! A transformer in a local folder, computed on the processor: `config.json`, `tokenizer.json` and `model.safetensors` of
//! the BERT family, as all-MiniLM-L6-v2, BGE and E5 have them. Nothing leaves the process.
//!
//! A folder of sentence-transformers says more: `1_Pooling/config.json` how the vectors of tokens become one,
//! `sentence_bert_config.json` how many tokens a text has, `config_sentence_transformers.json` what is written before a
//! question and before a text.

#[cfg(feature = "rerank")]
mod cross;
mod encoder;
#[cfg(feature = "sparse-splade")]
mod expander;
mod matrix;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use tokenizers::Tokenizer;

use self::encoder::{
    CALL_TEXTS, Encoder, MAX_TOKENS, NetworkConfig, NetworkTensors, TEXTS_AT_ONCE, encodings,
};
#[cfg(feature = "sparse-splade")]
pub use self::expander::Expander;
use super::provider::{Limits, Patience, Provider};
use super::tensors::{self, TensorFile, read_json, stamp_of};
use crate::error::SemanticError;

/// The provider of a folder.
pub fn provider(folder: &Path) -> Result<Box<dyn Provider>, SemanticError> {
    Ok(Box::new(LocalModel::open(folder)?))
}

/// The cross-encoder of a folder.
#[cfg(feature = "rerank")]
pub fn cross_encoder(folder: &Path) -> Result<Box<dyn super::provider::CrossEncoder>, SemanticError> {
    Ok(Box::new(cross::PairModel::open(folder)?))
}

struct LocalModel {
    folder: PathBuf,
    tokenizer: Tokenizer,
    encoder: Encoder,
    size: usize,
    takes_first: bool,
    prompts: Prompts,
    identity: String,
}

#[derive(Deserialize)]
struct PoolingConfig {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
}

#[derive(Deserialize)]
struct LengthConfig {
    max_seq_length: Option<usize>,
}

#[derive(Default, Deserialize)]
struct SentenceConfig {
    #[serde(default)]
    prompts: Prompts,
}

/// What is written before a text.
#[derive(Default, Deserialize)]
struct Prompts {
    #[serde(default)]
    query: String,
    #[serde(default, alias = "passage")]
    document: String,
}

impl LocalModel {
    fn open(folder: &Path) -> Result<LocalModel, SemanticError> {
        let config = NetworkConfig::read(folder)?;
        let takes_first = match read_json::<PoolingConfig>(&folder.join("1_Pooling/config.json"))? {
            None => false,
            Some(PoolingConfig { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false }) => true,
            Some(PoolingConfig { pooling_mode_cls_token: false, pooling_mode_mean_tokens: true }) => false,
            Some(_) => {
                let text =
                    format!("{}: pooling is known of the first token and of the mean", folder.display());
                return Err(SemanticError::BadSetting(text));
            }
        };
        let length: Option<LengthConfig> = read_json(&folder.join("sentence_bert_config.json"))?;
        let length = length.and_then(|own| own.max_seq_length).unwrap_or(MAX_TOKENS).max(1);
        let sentences: Option<SentenceConfig> = read_json(&folder.join("config_sentence_transformers.json"))?;
        let most = length.min(config.max_position_embeddings).min(MAX_TOKENS);
        let file = TensorFile::open(folder)?;
        Ok(LocalModel {
            folder: folder.to_path_buf(),
            tokenizer: tensors::tokenizer(folder, Some(most))?,
            size: config.size(),
            encoder: Encoder::new(config, &NetworkTensors::open(&file)?)?,
            takes_first,
            prompts: sentences.unwrap_or_default().prompts,
            identity: format!("bert {} {most} {:?}", folder.display(), stamp_of(folder)),
        })
    }

    /// The vectors of texts: of each that of its first token, or the mean of those of its tokens.
    fn vectors(&self, texts: impl Iterator<Item = String>) -> Result<Vec<Vec<f32>>, SemanticError> {
        let encodings = encodings(&self.tokenizer, &self.folder, texts)?;
        let counted = if self.takes_first { 1 } else { usize::MAX };
        let vector = |rows: Vec<f32>| {
            let mut sum = vec![0.0; self.size];
            rows.chunks_exact(self.size).take(counted).for_each(|row| matrix::add(&mut sum, row));
            sum
        };
        Ok(self.encoder.encode(&encodings).into_iter().map(vector).collect())
    }
}

impl Provider for LocalModel {
    fn embed(&self, texts: &[&str], patience: Patience) -> Result<Vec<Vec<f32>>, SemanticError> {
        let prompt = match patience {
            Patience::Search => &self.prompts.query,
            Patience::Build => &self.prompts.document,
        };
        let of_group = |group: &[&str]| self.vectors(group.iter().map(|text| format!("{prompt}{text}")));
        Ok(texts.chunks(TEXTS_AT_ONCE).map(of_group).collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn dimensions(&self) -> usize {
        self.size
    }

    fn limits(&self) -> Limits {
        Limits::of_processor(CALL_TEXTS)
    }

    fn identity(&self) -> String {
        self.identity.clone()
    }
}

#[cfg(test)]
pub mod tiny;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: &[f32], expected: &[f32]) {
        assert_eq!(found.len(), expected.len());
        let is_near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 2e-5);
        assert!(is_near, "{found:?}");
    }

    #[test]
    fn a_network_computes_what_numpy_does() {
        let folder = tempfile::tempdir().unwrap();
        tiny::write(folder.path(), tiny::WORDS);
        let model = LocalModel::open(folder.path()).unwrap();
        // The mean of the vectors of [CLS], five and [SEP], alone and beside other texts.
        let mean =
            [-0.72663, 1.39788, -1.22921, 0.904, -0.76365, -0.01711, -0.69104, 0.32275].map(|own| 3.0 * own);
        for texts in [&["five"][..], &["a b", "five", ""], &["five"; 9]] {
            let vectors = model.embed(texts, Patience::Build).unwrap();
            let at = texts.iter().position(|text| *text == "five").unwrap();
            check(&vectors[at], &mean);
        }
        // Six positions are known.
        assert_eq!(model.embed(&["a a a a a a a a"], Patience::Build).unwrap()[0].len(), 8);
        // The first token, with a prompt.
        std::fs::create_dir(folder.path().join("1_Pooling")).unwrap();
        let pooling = r#"{"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false}"#;
        std::fs::write(folder.path().join("1_Pooling/config.json"), pooling).unwrap();
        let prompts = r#"{"prompts":{"query":"five ","document":""}}"#;
        std::fs::write(folder.path().join("config_sentence_transformers.json"), prompts).unwrap();
        let prompted = LocalModel::open(folder.path()).unwrap();
        let question = prompted.embed(&["a"], Patience::Search).unwrap();
        assert_eq!(question, prompted.embed(&["five a"], Patience::Build).unwrap());
        assert_ne!(question, prompted.embed(&["a"], Patience::Build).unwrap());
    }

    #[cfg(feature = "rerank")]
    #[test]
    fn a_cross_encoder_computes_what_numpy_does() {
        let folder = tempfile::tempdir().unwrap();
        tiny::write(folder.path(), tiny::WORDS);
        let score = cross_encoder(folder.path()).unwrap().score("five", "nine").unwrap();
        check(&[score], &[-0.247_822]);
    }

    #[test]
    fn a_folder_of_another_network_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |text: &str| {
            let error = provider(folder.path()).err().unwrap().to_string();
            assert!(error.contains(text), "{error}");
        };
        refused("config.json: there is no such file");
        tiny::write(folder.path(), tiny::WORDS);
        let path = folder.path().join("config.json");
        let config = std::fs::read_to_string(&path).unwrap();
        for (from, to, text) in [
            ("\"bert\"", "\"gpt2\"", "model_type is 'gpt2'"),
            ("\"gelu\"", "\"relu\"", "hidden_act is 'relu'"),
            ("\"num_attention_heads\":2", "\"num_attention_heads\":3", "hidden_size is 8 for 3 heads"),
            ("\"intermediate_size\":12", "\"intermediate_size\":13", "has the shape [12, 8] and not [13, 8]"),
            ("\"num_hidden_layers\":2", "\"num_hidden_layers\":3", "no tensor 'bert.encoder.layer.2."),
        ] {
            assert!(config.contains(from), "{config}");
            std::fs::write(&path, config.replace(from, to)).unwrap();
            refused(text);
        }
    }
}

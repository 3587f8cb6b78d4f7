//! An encoder of the BERT family: tokens in, a vector for each token out.
//!
//! Several texts share the products with the weights. Each attends only to itself, at its own length, so there is no padding
//! and no mask.

use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use tokenizers::{Encoding, Tokenizer};

use super::matrix::{Matrix, Writing, add, gelu, multiply, normalize, softmax};
use crate::dense::tensors::{Numbers, TensorFile, read_json};
use crate::error::SemanticError;

/// The most tokens of a text that are computed, whatever the model accepts. The time of a text grows with its tokens, and
/// the head of a part says what the part is about: see docs/decisions/071-local-models-by-gemm.md.
pub const MAX_TOKENS: usize = 128;

/// The texts of a call: few, so that the threads of a build end at about the same time.
pub const CALL_TEXTS: usize = 16;

/// The texts that are computed at once: their rows stay in the cache of a core.
pub const TEXTS_AT_ONCE: usize = 4;

/// The tokens of texts.
pub fn encodings(
    tokenizer: &Tokenizer,
    folder: &Path,
    texts: impl Iterator<Item = String>,
) -> Result<Vec<Encoding>, SemanticError> {
    let encodings = texts.map(|text| tokenizer.encode_fast(text, true)).collect::<Result<_, _>>();
    encodings.map_err(|error| SemanticError::Provider {
        model: folder.display().to_string(),
        why: error.to_string(),
    })
}

/// What `config.json` says of the network.
#[derive(Deserialize)]
pub struct NetworkConfig {
    model_type: String,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    pub max_position_embeddings: usize,
    #[serde(default = "usual_epsilon")]
    layer_norm_eps: f32,
    hidden_act: String,
    #[serde(default)]
    position_embedding_type: Option<String>,
}

fn usual_epsilon() -> f32 {
    1e-12
}

impl NetworkConfig {
    /// The configuration of the model in a folder.
    ///
    /// # Errors
    /// There is none, or it is that of a network of another kind.
    pub fn read(folder: &Path) -> Result<NetworkConfig, SemanticError> {
        let path = folder.join("config.json");
        let bad = |why: String| Err(SemanticError::BadSetting(format!("{}: {why}", path.display())));
        let Some(config) = read_json::<NetworkConfig>(&path)? else {
            return bad("there is no such file".to_string());
        };
        let NetworkConfig { model_type, hidden_act, hidden_size, num_attention_heads, .. } = &config;
        if model_type != "bert" {
            return bad(format!(
                "model_type is '{model_type}'; only 'bert' is known, such as MiniLM, BGE and E5"
            ));
        }
        if hidden_act != "gelu" {
            return bad(format!("hidden_act is '{hidden_act}'; only 'gelu' is known"));
        }
        let positions = config.position_embedding_type.as_deref().unwrap_or("absolute");
        if positions != "absolute" {
            return bad(format!("position_embedding_type is '{positions}'; only 'absolute' is known"));
        }
        if *num_attention_heads == 0 || *hidden_size == 0 || hidden_size % num_attention_heads != 0 {
            return bad(format!("hidden_size is {hidden_size} for {num_attention_heads} heads"));
        }
        Ok(config)
    }

    /// The numbers of a token's vector.
    pub fn size(&self) -> usize {
        self.hidden_size
    }
}

/// A linear function of rows.
pub struct Linear {
    /// For each number of the result, its weights.
    weights: Numbers,
    bias: Numbers,
    n_in: usize,
    n_out: usize,
}

impl Linear {
    #[cfg(feature = "sparse-splade")]
    pub fn n_out(&self) -> usize {
        self.n_out
    }

    /// The function of each row.
    pub fn apply(&self, rows: &[f32]) -> Vec<f32> {
        let n = rows.len() / self.n_in;
        let mut out = self.bias.repeat(n);
        let of_rows = Matrix::new(rows, (n, self.n_in), self.n_in);
        let weights = Matrix::new(&self.weights, (self.n_out, self.n_in), self.n_in);
        multiply((of_rows, weights.transposed()), (&mut out, self.n_out), 1.0, Writing::Added);
        out
    }
}

/// The scale and the shift of normalized rows.
pub struct Norm {
    scale: Numbers,
    shift: Numbers,
    epsilon: f32,
}

impl Norm {
    pub fn apply(&self, rows: &mut [f32]) {
        normalize(rows, (&self.scale, &self.shift), self.epsilon);
    }
}

struct EncoderLayer {
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attended_norm: Norm,
    inner: Linear,
    outer: Linear,
    outer_norm: Norm,
}

pub struct Encoder {
    config: NetworkConfig,
    words: Numbers,
    positions: Numbers,
    kinds: Numbers,
    norm: Norm,
    layers: Vec<EncoderLayer>,
}

/// The tensors of a network, whose names begin with those of the parts around it.
pub struct NetworkTensors<'f> {
    file: &'f TensorFile,
    tensors: safetensors::SafeTensors<'f>,
    prefix: &'static str,
}

impl<'f> NetworkTensors<'f> {
    pub fn open(file: &'f TensorFile) -> Result<NetworkTensors<'f>, SemanticError> {
        let tensors = file.tensors()?;
        let has_prefix = tensors.tensor("bert.embeddings.word_embeddings.weight").is_ok();
        Ok(NetworkTensors { file, tensors, prefix: if has_prefix { "bert." } else { "" } })
    }

    /// The numbers of a tensor of the encoder. Its shape must be the expected one; 0 stands for any size.
    fn numbers(&self, name: &str, shape: &[usize]) -> Result<Numbers, SemanticError> {
        self.numbers_at(&format!("{}{name}", self.prefix), shape)
    }

    fn numbers_at(&self, name: &str, shape: &[usize]) -> Result<Numbers, SemanticError> {
        let view = self.tensors.tensor(name);
        let view = view.map_err(|_| self.file.bad(format!("it has no tensor '{name}'")))?;
        let found = view.shape();
        let fits = |(found, expected): (&usize, &usize)| found == expected || (*expected == 0 && *found > 0);
        if found.len() != shape.len() || !found.iter().zip(shape).all(fits) {
            return Err(self.file.bad(format!("'{name}' has the shape {found:?} and not {shape:?}")));
        }
        self.file.numbers(&view)
    }

    pub fn linear(&self, name: &str, n_in: usize, n_out: usize) -> Result<Linear, SemanticError> {
        self.linear_at(&format!("{}{name}", self.prefix), n_in, n_out)
    }

    /// A linear function by its whole name.
    pub fn linear_at(&self, name: &str, n_in: usize, n_out: usize) -> Result<Linear, SemanticError> {
        let weights = self.numbers_at(&format!("{name}.weight"), &[n_out, n_in])?;
        let bias = self.numbers_at(&format!("{name}.bias"), &[n_out])?;
        Ok(Linear { weights, bias, n_in, n_out })
    }

    /// The last function of the head `cls.predictions`: of each word of the vocabulary how well the word fits a token. A model
    /// whose weights of words serve both ends has them once.
    #[cfg(feature = "sparse-splade")]
    pub fn word_head(&self, size: usize) -> Result<Linear, SemanticError> {
        let own = self.numbers_at("cls.predictions.decoder.weight", &[0, size]);
        let weights = own.or_else(|_| self.numbers("embeddings.word_embeddings.weight", &[0, size]))?;
        let n_out = weights.len() / size;
        let bias = self.numbers_at("cls.predictions.bias", &[n_out]);
        let bias = bias.or_else(|_| self.numbers_at("cls.predictions.decoder.bias", &[n_out]))?;
        Ok(Linear { weights, bias, n_in: size, n_out })
    }

    fn norm(&self, name: &str, config: &NetworkConfig) -> Result<Norm, SemanticError> {
        self.norm_at(&format!("{}{name}", self.prefix), config)
    }

    /// A norm by its whole name. Its tensors have other names in models that were made from those of TensorFlow.
    pub fn norm_at(&self, name: &str, config: &NetworkConfig) -> Result<Norm, SemanticError> {
        let is_older = self.tensors.tensor(&format!("{name}.gamma")).is_ok();
        let [scale, shift] = if is_older { ["gamma", "beta"] } else { ["weight", "bias"] };
        let numbers = |part: &str| self.numbers_at(&format!("{name}.{part}"), &[config.hidden_size]);
        Ok(Norm { scale: numbers(scale)?, shift: numbers(shift)?, epsilon: config.layer_norm_eps })
    }

    fn layer(&self, at: usize, config: &NetworkConfig) -> Result<EncoderLayer, SemanticError> {
        let (size, inner) = (config.hidden_size, config.intermediate_size);
        let name = |part: &str| format!("encoder.layer.{at}.{part}");
        let square = |part: &str| self.linear(&name(part), size, size);
        Ok(EncoderLayer {
            query: square("attention.self.query")?,
            key: square("attention.self.key")?,
            value: square("attention.self.value")?,
            attended: square("attention.output.dense")?,
            attended_norm: self.norm(&name("attention.output.LayerNorm"), config)?,
            inner: self.linear(&name("intermediate.dense"), size, inner)?,
            outer: self.linear(&name("output.dense"), inner, size)?,
            outer_norm: self.norm(&name("output.LayerNorm"), config)?,
        })
    }
}

impl Encoder {
    pub fn new(config: NetworkConfig, tensors: &NetworkTensors<'_>) -> Result<Encoder, SemanticError> {
        let size = config.hidden_size;
        let part = |name: &str| format!("embeddings.{name}.weight");
        Ok(Encoder {
            words: tensors.numbers(&part("word_embeddings"), &[0, size])?,
            positions: tensors
                .numbers(&part("position_embeddings"), &[config.max_position_embeddings, size])?,
            kinds: tensors.numbers(&part("token_type_embeddings"), &[0, size])?,
            norm: tensors.norm("embeddings.LayerNorm", &config)?,
            layers: (0..config.num_hidden_layers)
                .map(|at| tensors.layer(at, &config))
                .collect::<Result<_, _>>()?,
            config,
        })
    }

    /// For each text, the vectors of its tokens, one after the other. Tokens after the last position are left out; unknown
    /// tokens count as the first one. The texts share the products with the weights, which are read once for all.
    pub fn encode(&self, texts: &[Encoding]) -> Vec<Vec<f32>> {
        let size = self.config.hidden_size;
        let (mut rows, mut spans) = (Vec::new(), Vec::new());
        for text in texts {
            let start = rows.len();
            let tokens = text.get_ids().iter().zip(text.get_type_ids());
            for ((token, kind), position) in tokens.zip(self.positions.chunks_exact(size)) {
                let start = rows.len();
                rows.extend_from_slice(position);
                add(&mut rows[start..], row(&self.words, *token, size));
                add(&mut rows[start..], row(&self.kinds, *kind, size));
            }
            spans.push(start..rows.len());
        }
        self.norm.apply(&mut rows);
        let mut context = vec![0.0; rows.len()];
        for layer in &self.layers {
            self.attend(layer, &rows, &spans, &mut context);
            add(&mut rows, &layer.attended.apply(&context));
            layer.attended_norm.apply(&mut rows);
            let mut inner = layer.inner.apply(&rows);
            gelu(&mut inner);
            add(&mut rows, &layer.outer.apply(&inner));
            layer.outer_norm.apply(&mut rows);
        }
        spans.into_iter().map(|span| rows[span].to_vec()).collect()
    }

    /// Writes into `context` what each token takes from the others of its text.
    fn attend(&self, layer: &EncoderLayer, rows: &[f32], spans: &[Range<usize>], context: &mut [f32]) {
        let size = self.config.hidden_size;
        let of_head = size / self.config.num_attention_heads;
        let [queries, keys, values] = [&layer.query, &layer.key, &layer.value].map(|own| own.apply(rows));
        let scale = 1.0 / (of_head as f32).sqrt();
        let mut weights = Vec::new();
        for span in spans.iter().filter(|span| !span.is_empty()) {
            let n = span.len() / size;
            weights.resize(n * n, 0.0);
            for at in (span.start..span.start + size).step_by(of_head) {
                let [queries, keys, values] =
                    [&queries, &keys, &values].map(|all| Matrix::new(&all[at..span.end], (n, of_head), size));
                multiply((queries, keys.transposed()), (&mut weights, n), scale, Writing::Over);
                softmax(&mut weights, n);
                let of_tokens = Matrix::new(&weights, (n, n), n);
                multiply((of_tokens, values), (&mut context[at..span.end], size), 1.0, Writing::Over);
            }
        }
    }
}

/// The row of a number; the first row if there is no such number.
fn row(rows: &[f32], number: u32, size: usize) -> &[f32] {
    let at = number as usize * size;
    rows.get(at..at + size).unwrap_or(&rows[..size])
}

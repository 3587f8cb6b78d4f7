//! Models of few words in a folder: a table of Model2Vec, and a network of the kind SPLADE.

use std::path::Path;

use serde_json::{Value, json};

/// The words of the models. Words of one meaning are alike.
pub const WORDS: &[(&str, usize)] = &[
    ("[UNK]", 7),
    ("evict", 0),
    ("forgotten", 0),
    ("drops", 0),
    ("longest", 1),
    ("draw", 2),
    ("shape", 2),
    ("key", 3),
    ("token", 3),
];

/// A tensor: its name, its shape and its numbers.
type Tensor = (&'static str, Vec<usize>, Vec<f32>);

fn write(folder: &Path, tensors: &[Tensor]) {
    std::fs::create_dir_all(folder).unwrap();
    let (mut bytes, mut head) = (Vec::new(), serde_json::Map::new());
    for (name, shape, numbers) in tensors {
        let start = bytes.len();
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        let offsets = [start, bytes.len()];
        head.insert((*name).to_string(), json!({ "dtype": "F32", "shape": shape, "data_offsets": offsets }));
    }
    let mut head = Value::Object(head).to_string().into_bytes();
    head.resize(head.len().next_multiple_of(8), b' ');
    let file = [&(head.len() as u64).to_le_bytes()[..], &head, &bytes].concat();
    std::fs::write(folder.join("model.safetensors"), file).unwrap();
    let vocabulary: serde_json::Map<_, _> =
        WORDS.iter().enumerate().map(|(id, (word, _))| ((*word).to_string(), json!(id))).collect();
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": { "type": "Lowercase" },
        "pre_tokenizer": { "type": "Split", "pattern": { "Regex": "[^a-z0-9]+" }, "behavior": "Removed", "invert": false },
        "post_processor": null, "decoder": null,
        "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]" },
    });
    std::fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
}

/// Writes a table of 8 numbers for each word.
pub fn write_table(folder: &Path) {
    let row = |(_, meaning): &(&str, usize)| {
        let mut row = [0.05; 8];
        row[*meaning] = 1.0;
        row
    };
    write(folder, &[("embeddings", vec![WORDS.len(), 8], WORDS.iter().flat_map(row).collect())]);
}

/// Writes a network without layers, which adds to a text the words of the meanings that it has.
pub fn write_expander(folder: &Path) {
    const N: usize = WORDS.len();
    const POSITIONS: usize = 64;
    let square = |number: &dyn Fn(usize, usize) -> bool| -> Vec<f32> {
        (0..N * N).map(|at| f32::from(u8::from(number(at / N, at % N)))).collect()
    };
    let equal = square(&|row, column| row == column);
    let alike = square(&|row, column| WORDS[row].1 == WORDS[column].1 && row > 0 && column > 0);
    let (zeros, ones) = (vec![0.0; N], vec![1.0; N]);
    let norm = |weight: &'static str, bias: &'static str| -> [Tensor; 2] {
        [(weight, vec![N], ones.clone()), (bias, vec![N], zeros.clone())]
    };
    let [scale, shift] = norm("bert.embeddings.LayerNorm.weight", "bert.embeddings.LayerNorm.bias");
    // As models are called that were made from those of TensorFlow.
    let [gamma, beta] =
        norm("cls.predictions.transform.LayerNorm.gamma", "cls.predictions.transform.LayerNorm.beta");
    let tensors = [
        ("bert.embeddings.word_embeddings.weight", vec![N, N], equal.clone()),
        ("bert.embeddings.position_embeddings.weight", vec![POSITIONS, N], vec![0.0; POSITIONS * N]),
        ("bert.embeddings.token_type_embeddings.weight", vec![1, N], zeros.clone()),
        scale,
        shift,
        ("cls.predictions.transform.dense.weight", vec![N, N], equal),
        ("cls.predictions.transform.dense.bias", vec![N], zeros.clone()),
        gamma,
        beta,
        ("cls.predictions.decoder.weight", vec![N, N], alike),
        ("cls.predictions.bias", vec![N], zeros.clone()),
    ];
    write(folder, &tensors);
    let config = json!({
        "model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": N, "num_hidden_layers": 0,
        "num_attention_heads": 1, "intermediate_size": 1, "max_position_embeddings": POSITIONS, "hidden_act": "gelu",
    });
    std::fs::write(folder.join("config.json"), config.to_string()).unwrap();
}

//! A tiny network for tests, whose numbers follow from a formula. The expected results were computed from the same numbers
//! by another program, with numpy in 64 bits.

use std::path::Path;

use serde_json::{Map, Value, json};

const SIZE: usize = 8;
const INNER: usize = 12;

/// Tensors in the making: each has the next seed.
struct Tensors {
    seed: i64,
    head: Map<String, Value>,
    bytes: Vec<u8>,
}

impl Tensors {
    fn add(&mut self, name: &str, seed: i64, shape: &[usize], (base, scale): (f32, f32)) {
        let start = self.bytes.len();
        for at in 1..=shape.iter().product::<usize>() as i64 {
            let number = ((at * 7919 + seed * 104_729) % 2001 - 1000) as f32 / 1000.0;
            self.bytes.extend((base + number * scale).to_le_bytes());
        }
        let offsets = [start, self.bytes.len()];
        self.head
            .insert(name.to_string(), json!({ "dtype": "F32", "shape": shape, "data_offsets": offsets }));
    }

    fn linear(&mut self, name: &str, n_out: usize, n_in: usize) {
        self.seed += 2;
        self.add(&format!("{name}.weight"), self.seed - 1, &[n_out, n_in], (0.0, 0.8));
        self.add(&format!("{name}.bias"), self.seed, &[n_out], (0.0, 0.3));
    }

    fn norm(&mut self, name: &str) {
        self.seed += 2;
        self.add(&format!("{name}.weight"), self.seed - 1, &[SIZE], (1.0, 0.2));
        self.add(&format!("{name}.bias"), self.seed, &[SIZE], (0.0, 0.2));
    }
}

/// Writes the network with these words as tokens into a folder, with the heads of a cross-encoder and of words.
pub fn write(folder: &Path, words: &[&str]) {
    let mut tensors = Tensors { seed: 3, head: Map::new(), bytes: Vec::new() };
    let embeddings = |name: &str| format!("bert.embeddings.{name}.weight");
    tensors.add(&embeddings("word_embeddings"), 1, &[10, SIZE], (0.0, 1.0));
    tensors.add(&embeddings("position_embeddings"), 2, &[6, SIZE], (0.0, 0.5));
    tensors.add(&embeddings("token_type_embeddings"), 3, &[2, SIZE], (0.0, 0.5));
    tensors.norm("bert.embeddings.LayerNorm");
    for layer in 0..2 {
        let name = |part: &str| format!("bert.encoder.layer.{layer}.{part}");
        for part in
            ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"]
        {
            tensors.linear(&name(part), SIZE, SIZE);
        }
        tensors.norm(&name("attention.output.LayerNorm"));
        tensors.linear(&name("intermediate.dense"), INNER, SIZE);
        tensors.linear(&name("output.dense"), SIZE, INNER);
        tensors.norm(&name("output.LayerNorm"));
    }
    tensors.linear("bert.pooler.dense", SIZE, SIZE);
    tensors.linear("classifier", 1, SIZE);
    tensors.linear("cls.predictions.transform.dense", SIZE, SIZE);
    tensors.norm("cls.predictions.transform.LayerNorm");
    tensors.add("cls.predictions.bias", tensors.seed + 1, &[10], (0.6, 0.8));
    let mut head = Value::Object(tensors.head).to_string().into_bytes();
    head.resize(head.len().next_multiple_of(8), b' ');
    let file = [&(head.len() as u64).to_le_bytes()[..], &head, &tensors.bytes].concat();
    std::fs::write(folder.join("model.safetensors"), file).unwrap();
    let config = json!({
        "model_type": "bert", "hidden_size": SIZE, "num_hidden_layers": 2, "num_attention_heads": 2, "hidden_act": "gelu",
        "intermediate_size": INNER, "max_position_embeddings": 6, "layer_norm_eps": 1e-12,
    });
    std::fs::write(folder.join("config.json"), config.to_string()).unwrap();
    let vocabulary: Map<_, _> =
        words.iter().zip(0..).map(|(word, id)| ((*word).to_string(), json!(id))).collect();
    let special = |id: &str, kind: u32| json!({ "SpecialToken": { "id": id, "type_id": kind } });
    let sequence = |id: &str, kind: u32| json!({ "Sequence": { "id": id, "type_id": kind } });
    let tokens: Map<_, _> = ["[CLS]", "[SEP]"]
        .iter()
        .map(|word| {
            let id = words.iter().position(|own| own == word);
            ((*word).to_string(), json!({ "id": word, "ids": [id], "tokens": [word] }))
        })
        .collect();
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null, "decoder": null,
        "pre_tokenizer": { "type": "WhitespaceSplit" },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0)],
            "pair": [special("[CLS]", 0), sequence("A", 0), sequence("B", 1), special("[SEP]", 1)],
            "special_tokens": tokens,
        },
        "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]" },
    });
    std::fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
}

/// The words of the test network.
pub const WORDS: &[&str] = &["[UNK]", "a", "[CLS]", "[SEP]", "b", "five", "c", "d", "e", "nine"];

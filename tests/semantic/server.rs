//! A server with the interface of OpenAI, whose vectors follow from words, and which misbehaves when told to.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// The numbers of a vector.
pub const DIMENSIONS: usize = 24;

/// How the server treats a call.
#[derive(Clone, Copy, Debug)]
pub enum Behaviour {
    Answer,
    Status(u16, &'static str),
    Slow(Duration),
    WrongDimensions,
    CutJson,
    NotJson,
    Close,
}

/// What the server was asked.
#[derive(Default)]
struct Asked {
    texts: Vec<String>,
    answered: Vec<String>,
    keys: Vec<String>,
    n_calls: usize,
    next: VecDeque<Behaviour>,
    delay: Duration,
}

pub struct Server {
    /// The address before `/embeddings`.
    pub url: String,
    asked: Arc<Mutex<Asked>>,
    ends: Arc<AtomicBool>,
}

impl Server {
    pub fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (asked, ends) = (Arc::<Mutex<Asked>>::default(), Arc::<AtomicBool>::default());
        let server = Server { url, asked: Arc::clone(&asked), ends: Arc::clone(&ends) };
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                let asked = Arc::clone(&asked);
                std::thread::spawn(move || {
                    // The client of a killed build is gone.
                    let _ = serve(&stream.unwrap(), &asked);
                });
            }
        });
        server
    }

    /// The treatment of the next calls; those after them are answered.
    pub fn push(&self, next: &[Behaviour]) {
        self.asked.lock().unwrap().next.extend(next);
    }

    pub fn delay(&self, delay: Duration) {
        self.asked.lock().unwrap().delay = delay;
    }

    pub fn n_calls(&self) -> usize {
        self.asked.lock().unwrap().n_calls
    }

    /// The texts of all calls.
    pub fn texts(&self) -> Vec<String> {
        self.asked.lock().unwrap().texts.clone()
    }

    /// The texts of the calls that were answered.
    pub fn answered(&self) -> Vec<String> {
        self.asked.lock().unwrap().answered.clone()
    }

    /// The authorization of each call.
    pub fn keys(&self) -> Vec<String> {
        self.asked.lock().unwrap().keys.clone()
    }
}

impl Drop for Server {
    /// Closes the port, so that a call is refused.
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        let address = self.url.trim_start_matches("http://").trim_end_matches("/v1");
        let _ = TcpStream::connect(address);
    }
}

fn serve(stream: &TcpStream, asked: &Mutex<Asked>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length, mut key) = (String::new(), 0, String::new());
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if lower.starts_with("authorization:") {
            key = line["authorization:".len()..].trim().to_string();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body: Value = serde_json::from_slice(&body).unwrap();
    let texts = body.get("input").or(body.get("documents")).and_then(Value::as_array).unwrap();
    let texts: Vec<String> = texts.iter().map(|text| text.as_str().unwrap().to_string()).collect();
    let (behaviour, delay) = {
        let mut asked = asked.lock().unwrap();
        asked.n_calls += 1;
        asked.texts.extend(texts.clone());
        if !key.is_empty() {
            asked.keys.push(key);
        }
        let behaviour = asked.next.pop_front().unwrap_or(Behaviour::Answer);
        if matches!(behaviour, Behaviour::Answer) {
            asked.answered.extend(texts.clone());
        }
        (behaviour, asked.delay)
    };
    std::thread::sleep(delay);
    let rows = |dimensions: usize| -> Vec<Value> {
        let row = |(index, text): (usize, &String)| json!({ "index": index, "embedding": &vector(text)[..dimensions] });
        // The order of an answer is free.
        texts.iter().enumerate().rev().map(row).collect()
    };
    // The path /rerank of Cohere and others: a score for each document.
    let scores = |query: &str| -> Vec<Value> {
        let row = |(index, text): (usize, &String)| json!({ "index": index, "relevance_score": alike(query, text) });
        texts.iter().enumerate().rev().map(row).collect()
    };
    let answer = |dimensions| match body["query"].as_str() {
        Some(query) => json!({ "results": scores(query) }).to_string(),
        None => json!({ "data": rows(dimensions), "usage": { "total_tokens": 1 } }).to_string(),
    };
    match behaviour {
        Behaviour::Answer => send(stream, 200, &answer(DIMENSIONS), None),
        Behaviour::Status(status, message) => {
            send(stream, status, &json!({ "error": { "message": message } }).to_string(), None)
        }
        Behaviour::Slow(pause) => {
            std::thread::sleep(pause);
            send(stream, 200, &answer(DIMENSIONS), None)
        }
        Behaviour::WrongDimensions => send(stream, 200, &answer(3), None),
        Behaviour::CutJson => {
            let whole = answer(DIMENSIONS);
            send(stream, 200, &whole[..whole.len() / 2], Some(whole.len()))
        }
        Behaviour::NotJson => send(stream, 200, "<html>a proxy</html>", None),
        Behaviour::Close => Ok(()),
    }
}

/// Sends an answer; `length` is what its head says.
fn send(mut stream: &TcpStream, status: u16, body: &str, length: Option<usize>) -> std::io::Result<()> {
    let length = length.unwrap_or(body.len());
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nretry-after: 0\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

/// How near the vectors of two texts are, 0 to 1.
fn alike(a: &str, b: &str) -> f32 {
    let (a, b) = (vector(a), vector(b));
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt()
}

/// Words of one meaning share a number; each other word adds to a number by its letters.
pub fn vector(text: &str) -> Vec<f32> {
    const MEANINGS: &[&[&str]] =
        &[&["evict", "lru", "forgotten", "nobody", "drops"], &["draw", "shape", "line"]];
    let mut vector = vec![0.01; DIMENSIONS];
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let meaning = MEANINGS.iter().position(|words| words.contains(&word));
        let letters = word.bytes().map(usize::from).sum::<usize>() % (DIMENSIONS - MEANINGS.len());
        match meaning {
            Some(meaning) => vector[meaning] += 3.0,
            None => vector[MEANINGS.len() + letters] += 0.3,
        }
    }
    vector
}

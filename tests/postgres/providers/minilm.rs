//! The embedder, compared with vectors that another implementation computed from the weights in single precision.
//!
//! Needs the weights, which are fetched once into the cache of `FAULTLINE_HOME` (or `.faultline` beside `Cargo.toml`).

use faultline_core::engines::talk::common_options::TalkOptions;
use faultline_core::engines::talk::repetition::repeated;
use faultline_core::kernel::similarity::TextSimilarity;
use faultline_providers::minilm::{EmbedderConcurrency, MAX_TOKENS, MiniLm, MiniLmError, WIDTH};
use faultline_providers::ports::{DividedText, Embedder};
use serde::Deserialize;

use crate::support::minilm_model::minilm;

/// Content of `tests/fixtures/embeddings/minilm.json`; its `origin` describes how it was made.
#[derive(Deserialize)]
struct Reference {
    scale: f32,
    sentences: Vec<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    text: String,
    tokens: usize,
    vector: Vec<f32>,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("../../fixtures/embeddings/minilm.json")).expect("read the fixture")
}

fn texts() -> Vec<String> {
    reference().sentences.into_iter().map(|sentence| sentence.text).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// Minimum number of tokens of a sentence, including the start and end tokens.
const MIN_SENTENCE_TOKENS: usize = 8;

#[tokio::test]
async fn vectors_agree_with_the_reference() {
    let reference = reference();
    assert!(reference.sentences.iter().any(|sentence| sentence.tokens == MAX_TOKENS), "one of the texts is truncated");
    let vectors = minilm().await.embed(&texts()).await.unwrap();
    assert!(vectors.iter().all(|vector| vector.len() == WIDTH));
    let near = reference.sentences.iter().zip(&vectors).map(|(expected, vector)| {
        let unscaled: Vec<f32> = expected.vector.iter().map(|component| component / reference.scale).collect();
        (cosine(&unscaled, vector), expected)
    });
    let (sentences, words): (Vec<_>, Vec<_>) = near.partition(|(_, sentence)| sentence.tokens >= MIN_SENTENCE_TOKENS);
    let mean = sentences.iter().map(|(cosine, _)| cosine).sum::<f64>() / sentences.len() as f64;
    let (least, of) = sentences.iter().min_by(|a, b| a.0.total_cmp(&b.0)).expect("sentences");
    println!("cosine to the reference: least {least:.6} ({:?}), mean {mean:.6}", of.text);
    assert!(sentences.len() == 64 && *least >= 0.999 && mean >= 0.9994, "least {least} for {:?}", of.text);
    // Weights of 8 bits cost texts of one or two words more accuracy than sentences.
    for (cosine, expected) in words {
        let bound = if expected.tokens < 6 { 0.996 } else { 0.999 };
        println!("{} tokens: {cosine:.6} ({:?})", expected.tokens, expected.text);
        assert!(cosine >= bound, "{cosine} for {:?}", expected.text);
    }
}

#[tokio::test]
async fn vectors_do_not_depend_on_batches_or_order() {
    let embedder = minilm().await;
    let texts = texts();
    let together = embedder.embed(&texts).await.unwrap();
    let again = embedder.embed(&texts).await.unwrap();
    assert_eq!(together, again, "a second run");

    let mut doubled = texts.clone();
    doubled.extend(texts.iter().rev().cloned());
    let (twice, alone) = tokio::join!(embedder.embed(&doubled), async {
        let mut alone = Vec::new();
        for text in &texts {
            alone.extend(embedder.embed(std::slice::from_ref(text)).await.unwrap());
        }
        alone
    });
    let twice = twice.unwrap();
    assert_eq!(twice[..texts.len()], together, "in batches of two");
    assert!(twice[texts.len()..].iter().eq(together.iter().rev()), "in another order");
    assert_eq!(alone, together, "one by one, beside another call");
}

#[tokio::test]
async fn parts_are_embedded_in_the_context_of_their_text() {
    let embedder = minilm().await;
    let sentences = ["The Harbour Board met.", "It voted for the second crane — by one voice.", "Nobody cheered."];
    let text = sentences.join(" ");
    let divided = |text: &str, parts: &[&str]| {
        let range = |part: &&str| text.find(part).map(|at| at..at + part.len()).expect("a part of the text");
        DividedText { text: text.to_owned(), parts: parts.iter().map(range).collect() }
    };
    let long = format!("{} {}", "word ".repeat(MAX_TOKENS), sentences[1]);
    let texts = [divided(&text, &sentences), divided(&long, &["word", sentences[1]]), divided("Alone.", &["Alone."])];
    let embedded = embedder.embed_divided(texts.to_vec()).expect("it can").await.expect("vectors");
    assert_eq!(embedded.iter().map(Vec::len).collect::<Vec<_>>(), [4, 3, 2]);
    let whole = texts.iter().map(|divided| divided.text.clone()).collect::<Vec<_>>();
    let apart = embedder.embed(&whole).await.expect("vectors");
    assert!(
        embedded.iter().zip(&apart).all(|(divided, whole)| divided[0] == *whole),
        "texts have the vectors of texts"
    );
    let own = embedder.embed(&sentences.map(str::to_owned)).await.expect("vectors");
    let nearest =
        |vector: &Vec<f32>| (0..own.len()).max_by(|a, b| cosine(vector, &own[*a]).total_cmp(&cosine(vector, &own[*b])));
    assert_eq!(embedded[0][1..].iter().map(nearest).collect::<Vec<_>>(), [Some(0), Some(1), Some(2)]);
    assert_ne!(embedded[0][2], own[1], "the text around it counts");
    assert_eq!(embedded[1][2], own[1], "beyond the last token, a part stands alone");
}

#[tokio::test]
async fn unusual_texts_have_vectors() {
    let odd = ["", " ", "\0", "\u{feff}", "🙂🙂🙂", &"x".repeat(100_000), &"word ".repeat(20_000)].map(String::from);
    for vector in minilm().await.embed(&odd).await.unwrap() {
        let length = vector.iter().map(|component| component * component).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 0.003);
    }
    assert!(minilm().await.embed(&[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_name_identifies_the_weights() {
    assert_eq!(minilm().await.name(), "all-minilm-l6-v2:int8:8199be6f699a:in-context");
}

#[tokio::test]
async fn unusable_weights_are_refused_and_their_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("absent.onnx");
    assert!(matches!(MiniLm::open(&absent, EmbedderConcurrency::default()), Err(MiniLmError::Unread { .. })));

    let junk = folder.path().join("junk.onnx");
    std::fs::write(&junk, "no network").unwrap();
    let opened = MiniLm::open(&junk, EmbedderConcurrency::default()).unwrap();
    let failure = opened.embed(&["a".to_owned()]).await.unwrap_err();
    assert!(failure.message.contains("junk.onnx"), "{failure}");

    std::fs::write(&junk, "something else").unwrap();
    let failure = opened.embed(&["a".to_owned()]).await.unwrap_err();
    assert!(failure.message.contains("changed while in use"), "{failure}");
}

/// The threshold lies between talk that repeats itself and talk that progresses, with a margin on both sides.
#[tokio::test]
async fn repetitive_talk_is_distinguished_from_talk_that_progresses() {
    let minilm = minilm().await;
    let mut actual: Vec<(bool, f64)> = Vec::new();
    for talk in include_str!("../../fixtures/circling.txt").split("\n= ").skip(1) {
        let (kind, turns) = talk.split_once('\n').expect("a heading and turns");
        let turns: Vec<String> = turns.trim().lines().map(str::to_owned).collect();
        let vectors = minilm.embed(&turns).await.expect("embed the turns");
        let likeness = TextSimilarity::new("minilm", turns.iter().cloned().zip(vectors));
        let (before, latest) = turns.split_at(4);
        actual.push((kind == "circles", repeated(before, latest, &likeness).expect("every turn has a vector")));
    }
    let threshold = TalkOptions::default().circling_meaning;
    println!("{actual:?}");
    assert!(actual.iter().all(|(circles, share)| *circles == (*share > threshold)), "{threshold} among {actual:?}");
}

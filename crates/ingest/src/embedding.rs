//! Batched, concurrent embedding of texts.

use std::cmp::Reverse;

use futures_util::TryStreamExt;
use futures_util::stream::{self, StreamExt};

use faultline_core::events::receipt::{Failure, FailureKind};
use faultline_providers::ports::Embedder;
use faultline_store::library::new_document::Embedded;

/// Number of concurrent embedder calls: one per core on a small machine.
pub const CALLS: usize = 2;

/// Embeds all texts and returns their vectors in order. Calls `done` after each call with the number of embedded texts.
///
/// Texts of similar length are batched together, which embedders process faster, and the longest come first, so that no
/// long call is left for the end. Equal texts are embedded once: a passage of one sentence equals that sentence.
///
/// # Errors
/// The embedder's [`Failure`], or [`FailureKind::Unreadable`] if the number, width or components of the vectors are
/// wrong.
pub async fn embed_all(
    embedder: &dyn Embedder,
    texts: &[String],
    done: &(dyn Fn(usize) + Send + Sync),
) -> Result<Vec<Vec<f32>>, Failure> {
    let distinct = distinct(texts);
    // Owned batches, so that the future is `Send`.
    let calls: Vec<Vec<Places>> = distinct.chunks(embedder.max_batch_size().max(1)).map(<[_]>::to_vec).collect();
    let calls = stream::iter(calls).map(|some| embed_some(embedder, texts, some));
    let mut answers = calls.buffer_unordered(CALLS);
    let mut vectors = vec![Vec::new(); texts.len()];
    while let Some(answered) = answers.try_next().await? {
        done(answered.iter().map(|(places, _)| places.len()).sum());
        for (places, vector) in answered {
            for place in places {
                vectors[place].clone_from(&vector);
            }
        }
    }
    Ok(vectors)
}

/// Indices of equal texts; at least one.
type Places = Vec<usize>;

/// Groups the indices of equal texts, the longest text first.
fn distinct(texts: &[String]) -> Vec<Places> {
    let mut order: Places = (0..texts.len()).collect();
    order.sort_by_key(|at| (Reverse(texts[*at].len()), &texts[*at]));
    order.chunk_by(|a, b| texts[*a] == texts[*b]).map(<[usize]>::to_vec).collect()
}

async fn embed_some(
    embedder: &dyn Embedder,
    texts: &[String],
    some: Vec<Places>,
) -> Result<Vec<(Places, Vec<f32>)>, Failure> {
    let asked: Vec<String> = some.iter().map(|places| texts[places[0]].clone()).collect();
    let vectors = embedder.embed(&asked).await?;
    let fits =
        |vector: &Vec<f32>| vector.len() == embedder.width() && vector.iter().all(|component| component.is_finite());
    if vectors.len() != some.len() || !vectors.iter().all(fits) {
        let what = format!("{} returned vectors of a wrong number, length or kind", embedder.name());
        return Err(Failure::new(FailureKind::Unreadable, what));
    }
    Ok(some.into_iter().zip(vectors).collect())
}

/// Embeds passages together with their sentences, in as few calls as possible.
///
/// # Errors
/// The errors of [`embed_all`].
pub async fn embed_passages(
    embedder: &dyn Embedder,
    passages: &[(&str, &[String])],
    done: &(dyn Fn(usize) + Send + Sync),
) -> Result<Vec<Embedded>, Failure> {
    let mut texts = Vec::new();
    for (text, sentences) in passages {
        texts.push((*text).to_owned());
        texts.extend_from_slice(sentences);
    }
    let mut vectors = embed_all(embedder, &texts, done).await?.into_iter();
    let mut next = || vectors.next().unwrap_or_default();
    let embedded = |(_, sentences): &(&str, &[String])| Embedded {
        vector: next(),
        sentences: sentences.iter().map(|sentence| (sentence.clone(), next())).collect(),
    };
    Ok(passages.iter().map(embedded).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use faultline_providers::ports::Pending;

    /// Embedder that encodes the length of a text, with configurable defects.
    struct Odd {
        n_missing: usize,
        width: usize,
        value: f32,
        calls: Mutex<Vec<usize>>,
    }

    fn sound() -> Odd {
        Odd { n_missing: 0, width: 2, value: 0.0, calls: Mutex::new(Vec::new()) }
    }

    impl Embedder for Odd {
        fn name(&self) -> &str {
            "odd"
        }

        fn width(&self) -> usize {
            2
        }

        fn embed<'a>(&'a self, texts: &'a [String]) -> Pending<'a, Vec<Vec<f32>>> {
            self.calls.lock().unwrap().push(texts.len());
            let vector = |text: &String| {
                let mut vector = vec![self.value; self.width];
                vector[0] = text.len() as f32;
                vector
            };
            let vectors = texts.iter().skip(self.n_missing).map(vector).collect();
            Box::pin(async move { Ok(vectors) })
        }
    }

    fn texts(n: usize) -> Vec<String> {
        (0..n).map(|at| "x".repeat(at * 7 % n)).collect()
    }

    #[tokio::test]
    async fn vectors_are_in_the_order_of_the_texts() {
        let n_done = AtomicUsize::new(0);
        let done = |n: usize| {
            n_done.fetch_add(n, Ordering::SeqCst);
        };
        let vectors = embed_all(&sound(), &texts(50), &done).await.unwrap();
        let lengths: Vec<f32> = vectors.iter().map(|vector| vector[0]).collect();
        assert_eq!(lengths, texts(50).iter().map(|text| text.len() as f32).collect::<Vec<_>>());
        assert_eq!(n_done.into_inner(), 50);
        assert!(embed_all(&sound(), &[], &|_| {}).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn calls_contain_at_most_the_recommended_number_of_texts() {
        let embedder = sound();
        embed_all(&embedder, &texts(50), &|_| {}).await.unwrap();
        assert_eq!(*embedder.calls.lock().unwrap(), [16, 16, 16, 2]);
    }

    #[tokio::test]
    async fn equal_texts_are_embedded_once() {
        let (embedder, n_done) = (sound(), AtomicUsize::new(0));
        let texts = ["a", "bb", "a", "a", "bb"].map(str::to_owned);
        let done = |n: usize| {
            n_done.fetch_add(n, Ordering::SeqCst);
        };
        let vectors = embed_all(&embedder, &texts, &done).await.unwrap();
        assert_eq!(vectors.iter().map(|vector| vector[0]).collect::<Vec<_>>(), [1.0, 2.0, 1.0, 1.0, 2.0]);
        assert_eq!((n_done.into_inner(), embedder.calls.into_inner().unwrap()), (5, vec![2]));
    }

    #[tokio::test]
    async fn passages_keep_their_sentences() {
        let (one, two) = (["a".to_owned(), "bb".to_owned()], ["ccccc".to_owned()]);
        let embedded = embed_passages(&sound(), &[("a bb", &one), ("ccccc", &two)], &|_| {}).await.unwrap();
        let told = |passage: &Embedded| {
            (passage.vector[0], passage.sentences.iter().map(|sentence| sentence.1[0]).collect::<Vec<_>>())
        };
        assert_eq!(embedded.iter().map(told).collect::<Vec<_>>(), [(4.0, vec![1.0, 2.0]), (5.0, vec![5.0])]);
        assert_eq!(embedded[0].sentences[1].0, "bb");
    }

    #[tokio::test]
    async fn invalid_vectors_are_refused() {
        for odd in [Odd { n_missing: 1, ..sound() }, Odd { width: 3, ..sound() }, Odd { value: f32::NAN, ..sound() }] {
            let failure = embed_all(&odd, &texts(3), &|_| {}).await.unwrap_err();
            assert!(failure.message.starts_with("odd returned vectors of a wrong number"), "{failure}");
        }
    }
}

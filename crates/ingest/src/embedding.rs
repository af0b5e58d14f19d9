//! Batched, concurrent embedding of texts.

use std::cmp::Reverse;

use futures_util::TryStreamExt;
use futures_util::stream::{self, StreamExt};

use faultline_core::events::receipt::{Failure, FailureKind};
use faultline_providers::ports::{DividedText, Embedder};
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
    check(embedder, some.len() == vectors.len() && vectors.iter().all(|vector| fits(embedder, vector)))?;
    Ok(some.into_iter().zip(vectors).collect())
}

fn fits(embedder: &dyn Embedder, vector: &[f32]) -> bool {
    vector.len() == embedder.width() && vector.iter().all(|component| component.is_finite())
}

fn check(embedder: &dyn Embedder, is_sound: bool) -> Result<(), Failure> {
    let what = || format!("{} returned vectors of a wrong number, length or kind", embedder.name());
    if is_sound { Ok(()) } else { Err(Failure::new(FailureKind::Unreadable, what())) }
}

/// Embeds passages together with their sentences, in as few calls as possible: the sentences in the context of their
/// passage, in the same run, if the embedder can do so. Calls `done` like [`embed_all`].
///
/// # Errors
/// The errors of [`embed_all`].
pub async fn embed_passages(
    embedder: &dyn Embedder,
    passages: &[(&str, &[String])],
    done: &(dyn Fn(usize) + Send + Sync),
) -> Result<Vec<Embedded>, Failure> {
    let vectors = match embed_in_context(embedder, passages, done).await? {
        Some(vectors) => vectors,
        None => embed_apart(embedder, passages, done).await?,
    };
    let embedded = |((_, sentences), vectors): (&(&str, &[String]), Vec<Vec<f32>>)| {
        let mut vectors = vectors.into_iter();
        let vector = vectors.next().unwrap_or_default();
        Embedded { vector, sentences: sentences.iter().cloned().zip(vectors).collect() }
    };
    Ok(passages.iter().zip(vectors).map(embedded).collect())
}

/// Returns for each passage its vector and those of its sentences, as texts of their own.
async fn embed_apart(
    embedder: &dyn Embedder,
    passages: &[(&str, &[String])],
    done: &(dyn Fn(usize) + Send + Sync),
) -> Result<Vec<Vec<Vec<f32>>>, Failure> {
    let mut texts = Vec::new();
    for (text, sentences) in passages {
        texts.push((*text).to_owned());
        texts.extend_from_slice(sentences);
    }
    let mut vectors = embed_all(embedder, &texts, done).await?.into_iter();
    let own = |(_, sentences): &(&str, &[String])| vectors.by_ref().take(1 + sentences.len()).collect();
    Ok(passages.iter().map(own).collect())
}

/// Returns for each passage its vector and those of its sentences in its context; `None` if the embedder or a passage does
/// not allow it.
async fn embed_in_context(
    embedder: &dyn Embedder,
    passages: &[(&str, &[String])],
    done: &(dyn Fn(usize) + Send + Sync),
) -> Result<Option<Vec<Vec<Vec<f32>>>>, Failure> {
    let Some(texts) = passages.iter().map(|(text, sentences)| divided(text, sentences)).collect::<Option<Vec<_>>>()
    else {
        return Ok(None);
    };
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|at| Reverse(texts[*at].text.len()));
    let calls: Vec<Vec<usize>> = order.chunks(embedder.max_batch_size().max(1)).map(<[_]>::to_vec).collect();
    let mut answers =
        stream::iter(calls).map(|some| embed_some_divided(embedder, &texts, some)).buffer_unordered(CALLS);
    let mut vectors = vec![Vec::new(); texts.len()];
    while let Some(answered) = answers.try_next().await? {
        let Some(answered) = answered else { return Ok(None) };
        done(answered.iter().map(|(_, own)| own.len()).sum());
        for (at, own) in answered {
            vectors[at] = own;
        }
    }
    Ok(Some(vectors))
}

async fn embed_some_divided(
    embedder: &dyn Embedder,
    texts: &[DividedText],
    some: Vec<usize>,
) -> Result<Option<Vec<(usize, Vec<Vec<f32>>)>>, Failure> {
    let asked = some.iter().map(|at| texts[*at].clone()).collect();
    let Some(call) = embedder.embed_divided(asked) else { return Ok(None) };
    let vectors = call.await?;
    let is_sound = |(at, own): (&usize, &Vec<Vec<f32>>)| {
        own.len() == 1 + texts[*at].parts.len() && own.iter().all(|vector| fits(embedder, vector))
    };
    check(embedder, vectors.len() == some.len() && some.iter().zip(&vectors).all(is_sound))?;
    Ok(Some(some.into_iter().zip(vectors).collect()))
}

/// Finds the sentences in their passage, in order; `None` if one is not there.
fn divided(text: &str, sentences: &[String]) -> Option<DividedText> {
    let mut from = 0;
    let mut parts = Vec::with_capacity(sentences.len());
    for sentence in sentences {
        let start = from + text[from..].find(sentence.as_str())?;
        from = start + sentence.len();
        parts.push(start..from);
    }
    Some(DividedText { text: text.to_owned(), parts })
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

    #[test]
    fn sentences_are_found_in_their_passage_in_order() {
        let found = |text: &str, sentences: &[&str]| {
            let sentences: Vec<String> = sentences.iter().map(|sentence| (*sentence).to_owned()).collect();
            divided(text, &sentences).map(|divided| divided.parts)
        };
        assert_eq!(found("No. No. Yes.", &["No.", "No.", "Yes."]), Some(vec![0..3, 4..7, 8..12]));
        assert_eq!(found("Yes. No.", &["No.", "Yes."]), None);
    }

    #[tokio::test]
    async fn invalid_vectors_are_refused() {
        for odd in [Odd { n_missing: 1, ..sound() }, Odd { width: 3, ..sound() }, Odd { value: f32::NAN, ..sound() }] {
            let failure = embed_all(&odd, &texts(3), &|_| {}).await.unwrap_err();
            assert!(failure.message.starts_with("odd returned vectors of a wrong number"), "{failure}");
        }
    }
}

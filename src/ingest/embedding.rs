//! Texts to vectors, with the embedder kept busy.

use futures_util::TryStreamExt;
use futures_util::stream::{self, StreamExt};

use crate::events::receipt::{Failure, FailureKind};
use crate::providers::ports::Embedder;
use crate::store::library::intake::Embedded;

/// Calls at once: one a core on a small machine.
pub const CALLS: usize = 2;

/// The most texts of one call.
pub const CALL_TEXTS: usize = 16;

/// The vectors of all texts, in order. `done` is told after each call how many texts it was.
///
/// Long texts are dealt out first and to all calls alike, so that calls take equally long.
///
/// # Errors
/// The embedder's failure, or one that says what was wrong with its vectors.
pub async fn embed_all(
    embedder: &dyn Embedder,
    texts: &[String],
    done: &(dyn Fn(usize) + Send + Sync),
) -> Result<Vec<Vec<f32>>, Failure> {
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(texts[*at].len()));
    // Owned, so that the future may be sent between threads.
    let places: Vec<Vec<usize>> = order.chunks(CALL_TEXTS).map(<[usize]>::to_vec).collect();
    let calls = stream::iter(places).map(|places| embed_some(embedder, texts, places));
    let mut answers = calls.buffer_unordered(CALLS);
    let mut vectors = vec![Vec::new(); texts.len()];
    while let Some(answered) = answers.try_next().await? {
        done(answered.len());
        for (place, vector) in answered {
            vectors[place] = vector;
        }
    }
    Ok(vectors)
}

async fn embed_some(
    embedder: &dyn Embedder,
    texts: &[String],
    places: Vec<usize>,
) -> Result<Vec<(usize, Vec<f32>)>, Failure> {
    let some: Vec<String> = places.iter().map(|place| texts[*place].clone()).collect();
    let vectors = embedder.embed(&some).await?;
    let fits = |vector: &Vec<f32>| vector.len() == embedder.width() && vector.iter().all(|it| it.is_finite());
    if vectors.len() != places.len() || !vectors.iter().all(fits) {
        let what = format!(
            "{} gave vectors of another number, length or kind than asked for",
            embedder.name()
        );
        return Err(Failure::new(FailureKind::Unreadable, what));
    }
    Ok(places.into_iter().zip(vectors).collect())
}

/// Passages with their sentences, embedded in as few calls as they need.
///
/// # Errors
/// Those of [`embed_all`].
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
        sentences: sentences.iter().map(|it| (it.clone(), next())).collect(),
    };
    Ok(passages.iter().map(embedded).collect())
}

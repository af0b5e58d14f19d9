//! A persona that speaks from its own corpus, by retrieval, without any language model.
//!
//! Every statement is a sentence of the persona's corpus, word for word and with its passage, or one of a few fixed
//! phrases. What answers what is decided by relatedness, cue words and structure; nothing here understands a sentence.
//! The same corpora, task and seed give the same reply, on any machine and with any number of threads.
//!
//! | step | file | what |
//! |------|------|------|
//! | read | [`words`], [`cues`] | terms of a sentence; what its surface gives away: concession, flip, value, reason |
//! | lay out | [`relate`], [`papers`], [`issues`] | relatedness; sentences in passages; passages in issues that several write on |
//! | take sides | [`stance`], [`debate`] | each corpus's side of the topic; which lines others grant and which the writer grants |
//! | weigh | [`answers`], [`contest`] | how well a passage answers a text; which claims meet an answer |
//! | speak | [`choose`], [`phrases`], [`arguments`], [`past`], [`attacks`], [`judge`], [`proposals`], [`dialectic`] | one file a kind of reply |
//! | talk | [`turns`], [`talking`], [`crystals`], [`quarrels`] | turns read again; what to say next; what a clerk draws from talk |
//! | draft | [`portrait`] | a persona from its corpus, for a person to edit |
//! | reply | [`reading`], [`reply`], [`speaking`], [`model`] | tasks in, JSON out, debates kept derived |
//!
//! Limits, which the product has to tell: it quotes and does not reason. An answer is *on the same matter and from the
//! other side*, not a contradiction; the judge says so in every reason. Sides and concessions are read from English cue
//! words and can be misread. Two who agree can look like two who quarrel, the more so where one stands between the
//! sides, so more is asked of answers there. With the hashing embedder answers rest on shared words.

pub mod answers;
pub mod arguments;
pub mod attacks;
pub mod choose;
pub mod contest;
pub mod crystals;
pub mod cues;
pub mod debate;
pub mod dialectic;
pub mod issues;
pub mod judge;
pub mod model;
pub mod papers;
pub mod past;
pub mod phrases;
pub mod portrait;
pub mod proposals;
pub mod quarrels;
pub mod reading;
pub mod relate;
pub mod reply;
#[cfg(test)]
mod sample;
pub mod speaking;
pub mod stance;
pub mod talk_reply;
pub mod talking;
pub mod turns;
pub mod words;

//! Provider whose personas speak from their own corpora by retrieval, without any language model.
//!
//! Every statement is a sentence of the persona's corpus, word for word and with its passage, or one of a few fixed
//! phrases. Relatedness, cue words and structure decide which sentence answers which; nothing here understands a
//! sentence. The same corpora, task and seed give the same reply, on any machine and with any number of threads.
//!
//! | step | modules | contents |
//! |------|---------|----------|
//! | read | [`text::words`], [`text::cues`] | terms of a sentence; surface cues: concession, flip condition, value, reason |
//! | index | [`text::relatedness`], [`corpus::corpus_index`], [`corpus::issues`] | relatedness; sentences in passages; passages clustered into issues |
//! | take sides | [`corpus::stance`], [`debate`] | sides of the topic; concessions by others and by the writer |
//! | score | [`answers`], [`contest`] | how well a passage answers a text; which claims have answers |
//! | speak | [`choose`], [`phrases`], [`arguments`], [`debate::history`], [`attacks`] | openings and attacks |
//! | assess | [`judge`], [`proposals`], [`dialectic`] | judgements, proposals and criticism |
//! | talk | [`debate::turns`], [`talking`], [`argument_extraction`], [`dispute_extraction`] | turns; arguments and disputes extracted from talk |
//! | audit | [`audit`] | readings of annotated words; none of others |
//! | draft | [`portrait`] | a persona drafted from its corpus, for a person to edit |
//! | reply | [`debate::reading`], [`stage`], [`reply`], [`speaking`], [`model`] | tasks in, JSON out, derived debates cached |
//!
//! Limits, which the product has to state: the provider quotes and does not reason. An answer is *on the same matter
//! and from the other side*, not a contradiction; every reason of the judge says so. Sides and concessions are inferred
//! from English cue words and can be wrong. Two participants who agree can look like two who disagree, especially if
//! one takes a position between the sides, so answers between such speakers need a higher score. With the hashing
//! embedder, answers depend on shared words.

pub mod answers;
pub mod argument_extraction;
pub mod arguments;
pub mod attacks;
pub mod audit;
pub mod choose;
pub mod contest;
pub mod corpus;
pub mod debate;
pub mod dialectic;
pub mod dispute_extraction;
pub mod judge;
pub mod model;
pub mod phrases;
pub mod portrait;
pub mod proposals;
pub mod reply;
pub mod speaking;
pub mod stage;
pub mod talk_reply;
pub mod talking;
pub mod text;

#[cfg(test)]
mod sample;

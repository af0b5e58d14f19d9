//! Provider whose personas play from their annotated writings, without any language model.
//!
//! Every sentence that a persona says is verbatim from its corpus and cited, or one of a few fixed phrases. Which sentence
//! is a claim, which one answers it, and what gives way is annotated by the author of the persona
//! (`corpus/<id>/positions.toml`); nothing is inferred from words. The seed decides between moves that are equally good.
//! The same positions, task and seed give the same reply, on any machine.
//!
//! | step | modules | contents |
//! |------|---------|----------|
//! | read | [`cast`], [`spoken`], [`recognition`] | participants with positions; turns and arguments as annotated claims and replies |
//! | choose | [`free_moves`], [`choose`] | moves that are possible and not spent; the choice between them |
//! | speak | [`composition`], [`phrases`], [`turn`], [`talk`], [`room`], [`board`], [`mind_change`], [`graph`], [`dialectic`], [`motion`] | turns, attacks, proposals and speeches |
//! | distil | [`clerk`] | arguments, disputes, comparisons, judgements and cards, from the turns in which they were spoken |
//! | check | [`facts`] | claims that are annotated as facts, and what the corpora say on them |
//! | audit | [`audit`] | readings of annotated words; none of others |
//! | probe | [`probes`] | ratings of statements on annotated questions; contradictions on the very same question |
//! | draft | [`portrait`] | a persona drafted from its corpus, for a person to edit |
//! | reply | [`model`] | tasks in, JSON out |
//!
//! A participant without a free move says nothing and is passed over. What is not annotated stays unexamined or unjudged.

pub mod audit;
pub mod board;
pub mod cast;
pub mod choose;
pub mod clerk;
pub mod composition;
pub mod dialectic;
pub mod facts;
pub mod free_moves;
pub mod graph;
pub mod last_words;
pub mod mind_change;
pub mod model;
pub mod motion;
pub mod phrases;
pub mod portrait;
pub mod probes;
pub mod recognition;
pub mod room;
pub mod spoken;
pub mod talk;
pub mod turn;

//! How a debate leaves the house: one file a format, from its views.
//!
//! ```text
//! Board --map--> the arguments that count, who said them, who attacks whom, what stands
//!                   |
//!                   |--dot, mermaid, argdown, aif, dung (apx, tgf, af): text
//!                   '--layout--> places and lines --svg--> a picture
//! ```
//!
//! Pure: text in, text out. Exported is what counts, that is live arguments and valid attacks, as the verdict has it;
//! every format says how much was left out where it has room for it. What participants said is written so that it can
//! neither break out of its place nor turn the text around it: see [`text`].
//!
//! Not here: files, and who may read a debate.

pub mod registry;
pub mod map;
pub mod text;

pub mod dot;
pub mod mermaid;
pub mod argdown;
pub mod aif;
pub mod dung;

pub mod jsonl;
pub mod json;

pub mod quotes;
pub mod account;
pub mod grounding;
pub mod teller;
pub mod markdown;
pub mod markup;
pub mod sections;
pub mod rooms;
pub mod html;

pub mod legacy;
pub mod legacy_graph;
pub mod legacy_dialogue;

pub mod svg;
pub mod svg_parts;
pub mod layout;

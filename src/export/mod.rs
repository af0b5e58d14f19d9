//! Exporters: one file per format, all from the read models of a debate.
//!
//! ```text
//! Board --map--> live arguments, their speakers, valid attacks, labels
//!                   |
//!                   |--dot, mermaid, argdown, aif, dung (apx, tgf, af): text
//!                   '--layout--> positions and paths --svg--> a picture
//! ```
//!
//! Pure functions from data to text. Exports contain live arguments and valid attacks, as the verdict uses them;
//! formats with room for it state how much is omitted. Texts of participants are escaped, so that they can neither
//! leave their place nor change the direction of the surrounding text: see [`text`].
//!
//! Not here: writing files, and access control.

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

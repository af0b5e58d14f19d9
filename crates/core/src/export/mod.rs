//! Exporters: one file per format, all from the read models of a debate.
//!
//! ```text
//! read model --map--> live arguments, their speakers, valid attacks, labels
//!                        |
//!                        |--dot, mermaid, argdown, aif, dung (apx, tgf, af): text
//!                        '--layout--> positions and paths --svg--> a picture
//! ```
//!
//! Pure functions from data to text. Exports contain live arguments and valid attacks, as the verdict uses them;
//! formats with room for it state how much is omitted. Texts of participants are escaped, so that they can neither
//! leave their place nor change the direction of the surrounding text: see [`text`].
//!
//! Not here: writing files, and access control.

pub mod aif;
pub mod argdown;
pub mod dot;
pub mod drawing;
pub mod dung;
pub mod json;
pub mod jsonl;
pub mod legacy;
pub mod map;
pub mod mermaid;
pub mod registry;
pub mod report;
pub mod text;

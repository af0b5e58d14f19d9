//! Exporters: one file per format, all from the read models of a debate.
//!
//! ```text
//! read model --map--> arguments, questions, proposals, their speakers and relations
//!     |                  |--dot, mermaid, argdown, aif: text
//!     |                  '--layout--> positions and paths --svg--> a picture
//!     |--dung--> arguments and attacks only: apx, tgf, af
//!     '--report--> Markdown and HTML
//! many debates --tables--> rows with typed columns
//! ```
//!
//! Pure functions from data to text. Exports contain live arguments and valid attacks, as the verdict uses them, and
//! every question and proposal; formats with room for it state how much is omitted. Texts of participants are escaped,
//! so that they can neither leave their place nor change the direction of the surrounding text: see [`text`].
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
pub mod line_hash;
pub mod map;
pub mod map_builder;
pub mod map_text;
pub mod marks;
pub mod mermaid;
pub mod registry;
pub mod report;
pub mod tables;
pub mod text;

//! File formats and documents: imports, exports, and terminal output.

mod argument_files;
mod debate_maps;
mod documents;
mod exports;
mod imports;
mod legacy_exports;
mod positions;
mod readme;
mod tables;
mod terminal_output;
mod transcripts;
mod import_files;
mod import_oracles;
mod import_round_trips;
mod import_turns;

//! Issues that divide several positions, each listed once (Booth, Caminada, Podlaszewski and Rahwan 2012).
//!
//! A position is a preferred extension, represented as a labelling. Two arguments belong to one *issue* if their labels
//! are equal in all positions, or mirrored, IN for OUT: a position that accepts one of them also accepts the other, or
//! always rejects it. An argument with the same label in all positions belongs to no issue.
//!
//! | topic | file |
//! |-------|------|
//! | issues that divide several positions | `division` |
//! | the few issues that determine a thesis | `issue_crux` |
//! | minimum hitting set | `hitting_set` |

pub mod division;
pub mod hitting_set;
pub mod issue_crux;

//! Issues: what several positions are divided on, each question once (Booth, Caminada, Podlaszewski and Rahwan 2012).
//!
//! A position is a preferred extension, told as a labelling. Two arguments are one *issue* when their labels are equal in
//! all positions, or mirrored, IN for OUT: whoever takes one of them takes the other, or its contrary. What has the same
//! label everywhere is no issue.
//!
//! | question | file |
//! |----------|------|
//! | what are they divided on? | `division` |
//! | on which few of these does a thesis turn? | `issue_crux` |
//! | the smallest set that meets all of several sets | `hitting` |

pub mod division;
pub mod hitting;
pub mod issue_crux;

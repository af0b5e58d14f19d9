//! A framework that changes in place, whose grounded labels are always those of this moment.
//!
//! `changing` is what is asked, `ranked` keeps the labels: a change costs about what it changes, whatever the size of the
//! framework. (Labelling a small framework from scratch on bit sets was tried beside it and was slower from some twenty
//! arguments on.)
//!
//! An attack by an OUT argument on an IN one may matter: the attacker may be OUT only because its target is IN. What never
//! matters: to be attacked when OUT; to be attacked by what is not IN when UNDEC; to lose an attacker that is OUT; when
//! OUT, to lose one that is not IN.

pub mod changing;
pub mod ranked;

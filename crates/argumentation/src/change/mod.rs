//! Mutable framework with grounded labels that are always current.
//!
//! `dynamic_framework` is the interface, and `dynamic_grounded` maintains the labels: a change costs about as much as it changes,
//! independent of the size of the framework. (Labelling a small framework from scratch on bit sets was tried as an
//! alternative and was slower from some twenty arguments on.)
//!
//! An attack by an OUT argument on an IN one may matter, because the attacker may be OUT only because its target is IN.
//! The following never matter: an attack on an OUT argument; an attack on an UNDEC argument by one that is not IN; the
//! loss of an OUT attacker; the loss of an attacker that is not IN by an OUT argument.

pub mod dynamic_framework;
pub mod dynamic_grounded;

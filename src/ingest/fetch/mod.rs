//! Sources in the web, fetched politely and with suspicion.
//!
//! | danger | what stands against it |
//! |--------|------------------------|
//! | hangs, or drips | limits on connecting, on silence, and on the whole |
//! | endless or unfolding bodies | bytes are counted as they come and as they unfold |
//! | redirects in a loop, or elsewhere | followed here, hop by hop: few, none twice, `http` and `https` only |
//! | reaches into this network | addresses are judged after resolution, on every hop, and those judged are dialled ([`address`]) |
//! | a server that is asked too much | one request a host at a time, conditional requests, `Retry-After` |
//!
//! No proxy is used, for it would resolve and dial in our place.

pub mod address;
pub mod fetcher;
pub mod body;
pub mod validators;

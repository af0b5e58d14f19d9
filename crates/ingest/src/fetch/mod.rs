//! Safe and polite fetching of web sources.
//!
//! | risk | protection |
//! |------|------------|
//! | slow or stalled servers | timeouts for connecting, for silence, and for the whole fetch |
//! | endless bodies, decompression bombs | bytes are counted as received and as decompressed |
//! | redirect loops, redirects elsewhere | followed hop by hop: few, none twice, `http` and `https` only |
//! | access to the private network | addresses are checked after resolution, on every hop ([`address`]) |
//! | overloading a server | one request per host at a time, conditional requests, `Retry-After` |
//!
//! No proxy is used, because it would resolve and dial addresses unchecked.

pub mod address;
pub mod body;
pub mod fetcher;
pub mod validators;

//! Wrong tokens cost little, and keep nobody else out.

//! Unpacked programs and model files are checked against a manifest before they run.

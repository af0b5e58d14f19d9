//! Work ends when the request that asked for it ends.

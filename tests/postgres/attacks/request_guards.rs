//! Forged origins, hosts and versions are refused.

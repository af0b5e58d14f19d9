//! Map whose values are computed once per key.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

/// Map whose values are computed once per key.
pub type OnceMap<K, V> = Mutex<HashMap<K, Arc<OnceCell<V>>>>;

/// Returns the cell for a key, and creates it if necessary.
pub fn cell<K: Eq + Hash, V>(cells: &OnceMap<K, V>, key: K) -> Arc<OnceCell<V>> {
    Arc::clone(cells.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default())
}

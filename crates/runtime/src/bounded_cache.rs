//! Cache that is bounded by the estimated size of its values: the least recently used ones are dropped.

use std::hash::Hash;

use lru::LruCache;

/// Cache of values with estimated sizes.
pub struct BoundedCache<K: Hash + Eq, V> {
    kept: LruCache<K, (V, usize)>,
    bytes: usize,
    most: usize,
}

impl<K: Hash + Eq, V> BoundedCache<K, V> {
    /// Creates an empty cache of values that take at most `most` bytes together.
    pub fn new(most: usize) -> BoundedCache<K, V> {
        BoundedCache { kept: LruCache::unbounded(), bytes: 0, most }
    }

    /// Removes and returns a value.
    pub fn take(&mut self, key: &K) -> Option<V> {
        let (value, bytes) = self.kept.pop(key)?;
        self.bytes -= bytes;
        Some(value)
    }

    /// Keeps a value of this size as the most recently used one, and drops others until all fit. A value that is larger
    /// than the whole cache is kept alone.
    pub fn put(&mut self, key: K, value: V, bytes: usize) {
        self.take(&key);
        self.kept.push(key, (value, bytes));
        self.bytes += bytes;
        while self.bytes > self.most && self.kept.len() > 1 {
            let Some((_, (_, dropped))) = self.kept.pop_lru() else { break };
            self.bytes -= dropped;
        }
    }

    /// Removes all values but those whose keys pass the test.
    pub fn retain(&mut self, is_kept: impl Fn(&K) -> bool)
    where
        K: Clone,
    {
        let others: Vec<K> = self.kept.iter().map(|(key, _)| key).filter(|key| !is_kept(key)).cloned().collect();
        others.iter().for_each(|key| drop(self.take(key)));
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_values_are_dropped() {
        let mut cache = BoundedCache::new(10);
        cache.put('a', 1, 4);
        cache.put('b', 2, 4);
        assert_eq!(cache.take(&'a'), Some(1));
        cache.put('a', 3, 4);
        cache.put('c', 4, 4);
        assert_eq!((cache.take(&'b'), cache.take(&'a'), cache.take(&'c')), (None, Some(3), Some(4)));
    }

    #[test]
    fn other_values_are_removed() {
        let mut cache = BoundedCache::new(10);
        cache.put('a', 1, 4);
        cache.put('b', 2, 4);
        cache.retain(|key| *key == 'b');
        cache.put('c', 3, 6);
        assert_eq!((cache.take(&'a'), cache.take(&'b'), cache.take(&'c')), (None, Some(2), Some(3)));
    }

    #[test]
    fn a_value_counts_with_its_latest_size_and_a_large_one_is_kept_alone() {
        let mut cache = BoundedCache::new(10);
        cache.put('a', 1, 8);
        cache.put('a', 2, 2);
        cache.put('b', 3, 8);
        assert_eq!(cache.take(&'a'), Some(2));
        cache.put('c', 4, 20);
        assert_eq!((cache.take(&'b'), cache.take(&'c')), (None, Some(4)));
        cache.put('d', 5, 10);
        cache.clear();
        cache.put('e', 6, 10);
        assert_eq!((cache.take(&'d'), cache.take(&'e')), (None, Some(6)));
    }
}

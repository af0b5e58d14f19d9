//! Lists of indices in one allocation (compressed sparse rows).

/// List of indices for each of `0..len`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsrLists {
    /// Start of each row in `items`; one more entry than there are rows.
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl CsrLists {
    /// Groups `(row, item)` pairs into `len` rows, each in the order of its pairs. Linear time.
    ///
    /// # Panics
    ///
    /// Panics if a pair names a row that is not below `len`.
    pub fn group(len: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0; len + 1];
        let mut total = 0;
        for (row, _) in pairs.clone() {
            starts[row as usize] += 1;
            total += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            (*start, sum) = (sum, sum + *start);
        }
        // Each row's start serves as its write cursor, which ends at the start of the next row.
        let mut items = vec![0; total];
        for (row, item) in pairs {
            let cursor = &mut starts[row as usize];
            items[*cursor as usize] = item;
            *cursor += 1;
        }
        starts.copy_within(..len, 1);
        starts[0] = 0;
        Self { starts, items }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of items in all rows together.
    pub fn total(&self) -> usize {
        self.items.len()
    }

    /// Returns the items of a row.
    ///
    /// # Panics
    ///
    /// Panics if there is no such row.
    #[inline]
    pub fn row(&self, row: u32) -> &[u32] {
        let row = row as usize;
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// Returns the number of items in each row.
    pub fn lengths(&self) -> impl Iterator<Item = u32> {
        self.starts.windows(2).map(|ends| ends[1] - ends[0])
    }

    /// Returns every `(row, item)` pair, row by row.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        let rows = self.starts.windows(2).zip(0..);
        rows.flat_map(|(ends, row)| {
            let items = &self.items[ends[0] as usize..ends[1] as usize];
            items.iter().map(move |&item| (row, item))
        })
    }

    /// Removes every item that equals the one before it in its row. Linear time, in place.
    pub fn dedup(&mut self) {
        let mut kept = 0;
        let mut start = 0;
        for row in 0..self.len() {
            let end = self.starts[row + 1] as usize;
            let first = kept;
            for read in start..end {
                if kept == first || self.items[kept - 1] != self.items[read] {
                    self.items[kept] = self.items[read];
                    kept += 1;
                }
            }
            start = end;
            self.starts[row + 1] = u32::try_from(kept).expect("no more items than before");
        }
        self.items.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_grouped_into_rows() {
        fn check(len: usize, pairs: &[(u32, u32)], grouped: &[&[u32]], deduplicated: &[&[u32]]) {
            let rows_of = |rows: &CsrLists| -> Vec<Vec<u32>> {
                let len = u32::try_from(rows.len()).expect("small");
                (0..len).map(|row| rows.row(row).to_vec()).collect()
            };
            let mut rows = CsrLists::group(len, pairs.iter().copied());
            assert_eq!(rows_of(&rows), grouped);
            assert_eq!((rows.len(), rows.is_empty(), rows.total()), (len, len == 0, pairs.len()));
            rows.dedup();
            assert_eq!(rows_of(&rows), deduplicated);
            assert_eq!(rows, CsrLists::group(len, rows.pairs()));
        }
        check(0, &[], &[], &[]);
        check(2, &[], &[&[], &[]], &[&[], &[]]);
        check(3, &[(2, 5), (0, 1), (2, 4)], &[&[1], &[], &[5, 4]], &[&[1], &[], &[5, 4]]);
        check(2, &[(0, 1), (0, 1), (1, 1), (1, 1)], &[&[1, 1], &[1, 1]], &[&[1], &[1]]);
        check(2, &[(0, 1), (0, 2), (0, 1), (1, 1)], &[&[1, 2, 1], &[1]], &[&[1, 2, 1], &[1]]);
    }
}

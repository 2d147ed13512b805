//! Lists end to end, at compile time: a catalog table is written in several files.

/// Entries in all lists.
pub(super) const fn count<T>(lists: &[&[T]]) -> usize {
    let mut count = 0;
    let mut lists = lists;
    while let [list, later @ ..] = lists {
        count += list.len();
        lists = later;
    }
    count
}

/// The lists end to end; `filler` is any entry.
pub(super) const fn joined<T: Copy, const COUNT: usize>(lists: &[&[T]], filler: T) -> [T; COUNT] {
    let mut entries = [filler; COUNT];
    let mut slots: &mut [T] = &mut entries;
    let mut lists = lists;
    while let [list, later @ ..] = lists {
        let mut list: &[T] = list;
        while let [entry, others @ ..] = list {
            let [slot, free @ ..] = slots else { break };
            *slot = *entry;
            slots = free;
            list = others;
        }
        lists = later;
    }
    entries
}

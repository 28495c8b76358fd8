//! Memory as a budget: nothing of n×n size is allocated without asking here first.

use std::ops::{Deref, DerefMut};

use crate::Real;

/// How many bytes large allocations may take.
///
/// ```
/// use mercer_linalg::Budget;
/// let budget = Budget::of_bytes(1 << 20);
/// assert!(budget.allows(1 << 20) && !budget.allows((1 << 20) + 1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    bytes: u64,
}

impl Default for Budget {
    /// 60 % of the memory that is free now; 1 GiB where that cannot be read.
    fn default() -> Self {
        Self { bytes: free_memory().map_or(1 << 30, |free| free / 5 * 3) }
    }
}

impl Budget {
    /// A budget of so many bytes.
    pub fn of_bytes(bytes: u64) -> Self {
        Self { bytes }
    }

    /// The number of bytes.
    pub fn bytes(self) -> u64 {
        self.bytes
    }

    /// Whether so many bytes are within it.
    pub fn allows(self, bytes: u128) -> bool {
        bytes <= u128::from(self.bytes)
    }
}

/// What the kernel calls available: free, or freed at once when asked for; not more than a control group grants.
fn free_memory() -> Option<u64> {
    let field = |text: &str, name: &str| -> Option<u64> {
        let line = text.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    let available = field(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")? * 1024;
    let group = |file: &str| {
        std::fs::read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?.trim().parse::<u64>().ok()
    };
    let granted = group("memory.max").map(|max| max.saturating_sub(group("memory.current").unwrap_or(0)));
    Some(granted.map_or(available, |granted| granted.min(available)))
}

/// A large zeroed array, on huge pages where the system has them: touching fresh memory page by page costs
/// more than filling it.
#[derive(Debug)]
pub struct Buffer<T> {
    len: usize,
    memory: Memory<T>,
}

#[derive(Debug)]
enum Memory<T> {
    Heap(Vec<T>),
    Mapped(memmap2::MmapMut),
}

/// A huge page. Of fewer bytes the heap is as good.
const HUGE: usize = 2 << 20;

impl<T: Real> Buffer<T> {
    /// So many zeros.
    pub fn zeros(len: usize) -> Self {
        let bytes = len.saturating_mul(size_of::<T>());
        // Whole huge pages: others are not put where they would be such, and what is not touched costs nothing.
        let whole = bytes.checked_next_multiple_of(HUGE).filter(|_| bytes >= HUGE);
        let mapped = whole.and_then(|bytes| memmap2::MmapMut::map_anon(bytes).ok());
        let memory = match mapped {
            Some(map) => {
                #[cfg(target_os = "linux")]
                let _refused_is_slower_not_wrong = map.advise(memmap2::Advice::HugePage);
                Memory::Mapped(map)
            }
            None => Memory::Heap(vec![T::ZERO; len]),
        };
        Self { len, memory }
    }
}

impl<T: Real> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.memory {
            Memory::Heap(values) => values,
            Memory::Mapped(map) => &bytemuck::cast_slice(map)[..self.len],
        }
    }
}

impl<T: Real> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.memory {
            Memory::Heap(values) => values,
            Memory::Mapped(map) => &mut bytemuck::cast_slice_mut(map)[..self.len],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_zero_and_writable_on_both_kinds_of_memory() {
        for len in [0, 7, HUGE / 4, HUGE] {
            let mut buffer = Buffer::<f32>::zeros(len);
            assert_eq!(buffer.len(), len);
            assert!(buffer.iter().all(|&v| v == 0.0));
            if let Some(last) = buffer.last_mut() {
                *last = 1.0;
            }
            assert_eq!(buffer.iter().sum::<f32>(), if len > 0 { 1.0 } else { 0.0 });
        }
    }
}

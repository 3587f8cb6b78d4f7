//! The memory of mapped files.

/// Releases the memory that a process holds of a mapped file. Nothing is lost: bytes that are read later come from the system's
/// cache or the disk again. `mapped` is a whole file, mapped for reading, and no memory of another kind.
pub fn release_pages(mapped: &[u8]) {
    #[cfg(target_os = "linux")]
    if mapped.len() >= MIN_BYTES && (mapped.as_ptr() as usize).is_multiple_of(PAGE) {
        // SAFETY: the range is a mapping of a file for reading. The system reads the pages from the file again, and the
        // file is never changed or truncated after it got its name.
        unsafe { libc::madvise(mapped.as_ptr().cast_mut().cast(), mapped.len(), libc::MADV_DONTNEED) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = mapped;
}

/// The least size of a file that is worth the call.
#[cfg(target_os = "linux")]
const MIN_BYTES: usize = 64 << 10;

/// The smallest size of a page. The beginning of a mapping is a multiple of it.
#[cfg(target_os = "linux")]
const PAGE: usize = 4096;

#[cfg(target_os = "linux")]
fn page_bytes() -> u64 {
    // SAFETY: the call reads a constant of the system.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(PAGE as u64)
}

/// The memory that this process holds of mapped files, in bytes; `None` where the system does not tell.
#[cfg(target_os = "linux")]
pub fn mapped_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split(' ').nth(2)?.parse().ok()?;
    Some(pages * page_bytes())
}

/// The memory that this process holds of mapped files; not known here.
#[cfg(not(target_os = "linux"))]
pub fn mapped_bytes() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn released_bytes_are_read_again() {
        let mut file = tempfile::tempfile().unwrap();
        let text: Vec<u8> = (0..1u32 << 20).map(|byte| (byte % 251) as u8).collect();
        std::io::Write::write_all(&mut file, &text).unwrap();
        // SAFETY: nobody else knows the file.
        let map = unsafe { memmap2::Mmap::map(&file) }.unwrap();
        assert!(map[..] == text[..]);
        release_pages(&map);
        assert!(map[..] == text[..]);
        release_pages(&map[1..100]);
        release_pages(&[]);
        assert!(mapped_bytes().is_none_or(|bytes| bytes > 0));
    }
}

//! The limits of a call of `git`, against servers that never end, send too much, or send little that unpacks to much.

use std::time::Duration;

/// The limits of one call of `git` and of the programs that it starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallLimits {
    /// The duration of the whole call, from its start.
    pub whole: Duration,
    /// The time in which at least [`CallLimits::idle_bytes`] have to arrive on disk or as messages.
    pub idle: Duration,
    /// The bytes below which a server counts as idle.
    pub idle_bytes: u64,
    /// The bytes in the folder that `git` writes to, and of one file.
    pub disk_bytes: u64,
    /// The data segment of each process in bytes.
    pub memory_bytes: u64,
    /// The size of one buffer of `git` in bytes, such as an object that is rebuilt from differences.
    pub buffer_bytes: u64,
    /// The processor time of each process in seconds.
    pub processor_seconds: u64,
    /// The bytes of the answer on standard output.
    pub answer_bytes: u64,
    /// The bytes of messages on standard error.
    pub message_bytes: u64,
}

/// The limits of a repository on another machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct RemoteLimits {
    pub listing: CallLimits,
    pub fetch: CallLimits,
    /// The number of branches and tags.
    pub references: u64,
}

impl Default for RemoteLimits {
    fn default() -> RemoteLimits {
        RemoteLimits {
            listing: CallLimits {
                whole: Duration::from_secs(120),
                // A list is printed when it is complete, so there is no sign before.
                idle: Duration::MAX,
                idle_bytes: 0,
                disk_bytes: 16 << 20,
                memory_bytes: 512 << 20,
                buffer_bytes: 256 << 20,
                processor_seconds: 60,
                answer_bytes: 32 << 20,
                message_bytes: 1 << 20,
            },
            fetch: CallLimits {
                whole: Duration::from_secs(1800),
                idle: Duration::from_secs(60),
                idle_bytes: 1 << 10,
                disk_bytes: 16 << 30,
                memory_bytes: 2 << 30,
                buffer_bytes: 512 << 20,
                processor_seconds: 600,
                answer_bytes: 1 << 20,
                message_bytes: 16 << 20,
            },
            references: 200_000,
        }
    }
}

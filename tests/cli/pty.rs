//! A program on a new terminal, which it reads from and writes to.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_secs(60);

/// A running program and the other side of its terminal.
pub struct Pty {
    child: Child,
    master: File,
    seen: Arc<Mutex<Vec<u8>>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl Pty {
    /// Starts `command` with a terminal as its input, output and error output.
    pub fn start(command: Command) -> Pty {
        Pty::of(command, (24, 200), false)
    }

    /// What `command` writes to a terminal of so many rows and columns, byte by byte, and how it ends. It reads nothing.
    pub fn written(command: Command, size: (u16, u16)) -> (i32, String) {
        Pty::of(command, size, true).end()
    }

    fn of(mut command: Command, (ws_row, ws_col): (u16, u16), is_raw: bool) -> Pty {
        let (mut master, mut slave) = (0, 0);
        let size = libc::winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 };
        let null = std::ptr::null_mut;
        // SAFETY: the descriptors and the size are variables of this function; no name and no settings are given.
        let (master, slave) = unsafe {
            assert_eq!(libc::openpty(&mut master, &mut slave, null(), std::ptr::null(), &size), 0);
            // Other children must not keep this side open.
            assert_eq!(libc::fcntl(master, libc::F_SETFD, libc::FD_CLOEXEC), 0);
            let mut settings: libc::termios = std::mem::zeroed();
            assert_eq!(libc::tcgetattr(slave, &mut settings), 0);
            if is_raw {
                libc::cfmakeraw(&mut settings);
                assert_eq!(libc::tcsetattr(slave, libc::TCSANOW, &settings), 0);
            }
            (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave))
        };
        match is_raw {
            true => command.stdin(Stdio::null()),
            false => command.stdin(slave.try_clone().unwrap()),
        };
        command.stdout(slave.try_clone().unwrap()).stderr(slave);
        command.env("TERM", "xterm");
        // SAFETY: between fork and exec only system calls are made.
        unsafe {
            command.pre_exec(|| {
                if libc::setsid() < 0 || libc::ioctl(1, libc::TIOCSCTTY as _, 0) < 0 {
                    return Err(std::io::Error::last_os_error());
                }
                Ok(())
            });
        }
        let child = command.spawn().unwrap();
        drop(command);
        let master = File::from(master);
        let (seen, mut source) = (Arc::new(Mutex::new(Vec::new())), master.try_clone().unwrap());
        let shared = Arc::clone(&seen);
        // A terminal whose other side is closed fails with EIO.
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = source.read(&mut buffer) {
                shared.lock().unwrap().extend_from_slice(&buffer[..n]);
            }
        });
        Pty { child, master, seen, reader: Some(reader) }
    }

    /// Types a text.
    pub fn send(&mut self, text: &str) {
        self.master.write_all(text.as_bytes()).unwrap();
    }

    /// What the program has written so far.
    pub fn seen(&self) -> String {
        String::from_utf8_lossy(&self.seen.lock().unwrap()).into_owned()
    }

    /// Waits until `is_there` holds.
    pub fn wait_for(&self, is_there: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let seen = self.seen();
            if is_there(&seen) {
                return seen;
            }
            assert!(begun.elapsed() < DEADLINE, "{seen:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits for the end of the program; its exit code and what it wrote.
    pub fn end(mut self) -> (i32, String) {
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
        let seen = std::mem::take(&mut *self.seen.lock().unwrap());
        (code, String::from_utf8(seen).expect("what a terminal gets is UTF-8"))
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

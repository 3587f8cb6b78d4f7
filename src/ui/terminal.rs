//! The terminal: taking it over, giving it back, and the signals that end a process.
//!
//! The picker draws on the terminal itself and not on standard output, which belongs to the printed selection. The
//! terminal is given back when the picker ends, when it panics, and when a signal ends it.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

/// The path of the terminal of this process.
const TTY: &str = if cfg!(windows) { "CONOUT$" } else { "/dev/tty" };

/// The terminal while the picker has it.
pub struct TakenTerminal {
    pub inner: Terminal<CrosstermBackend<BufWriter<File>>>,
}

/// Opens the terminal of this process.
pub fn open() -> io::Result<File> {
    File::options().read(true).write(true).open(TTY)
}

impl TakenTerminal {
    /// Takes the terminal over.
    pub fn take() -> io::Result<TakenTerminal> {
        let mut tty = BufWriter::with_capacity(1 << 16, open()?);
        enable_raw_mode()?;
        let entered = execute!(tty, EnterAlternateScreen, EnableBracketedPaste);
        match entered.and_then(|()| Terminal::new(CrosstermBackend::new(tty))) {
            Ok(inner) => Ok(TakenTerminal { inner }),
            Err(error) => {
                give_back();
                Err(error)
            }
        }
    }
}

impl Drop for TakenTerminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back. When the terminal is gone, nothing is left to be given back.
fn give_back() {
    if let Ok(mut tty) = open() {
        let _ = execute!(tty, DisableBracketedPaste, LeaveAlternateScreen, Show);
        let _ = tty.flush();
    }
    let _ = disable_raw_mode();
}

/// Has a panic of this thread give the terminal back before its message. A panic of another thread is reported by the
/// thread itself: its message would be written over the screen.
pub fn give_back_on_panic() {
    let own = std::thread::current().id();
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() == own {
            give_back();
            usual(panic);
        }
    }));
}

/// The signals that end the picker.
pub struct EndSignals {
    #[cfg(unix)]
    caught: std::sync::Arc<std::sync::atomic::AtomicUsize>,
}

impl EndSignals {
    /// Catches the signals from now on.
    pub fn catch() -> io::Result<EndSignals> {
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
            let caught = std::sync::Arc::default();
            for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
                let number = usize::try_from(signal).unwrap_or(0);
                signal_hook::flag::register_usize(signal, std::sync::Arc::clone(&caught), number)?;
            }
            Ok(EndSignals { caught })
        }
        #[cfg(not(unix))]
        Ok(EndSignals {})
    }

    /// Forgets a signal from the keyboard, which was meant for the editor that had the terminal.
    pub fn forget_keyboard(&self) {
        #[cfg(unix)]
        {
            use std::sync::atomic::Ordering::Relaxed;
            for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGQUIT] {
                let number = usize::try_from(signal).unwrap_or(0);
                let _ = self.caught.compare_exchange(number, 0, Relaxed, Relaxed);
            }
        }
    }

    /// The exit code for the signal that was caught; `None` without one.
    pub fn exit_code(&self) -> Option<u8> {
        #[cfg(unix)]
        {
            let signal = self.caught.load(std::sync::atomic::Ordering::Relaxed);
            (signal != 0).then(|| 128 + signal as u8)
        }
        #[cfg(not(unix))]
        None
    }
}

/// Stops the process until the shell continues it.
pub fn suspend() {
    #[cfg(unix)]
    // SAFETY: the call sends a signal to this process.
    unsafe {
        libc::raise(libc::SIGTSTP);
    }
}

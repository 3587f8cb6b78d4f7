//! The terminal: taking it over, giving it back, and the signals that end a process.
//!
//! The picker draws on the terminal itself and not on standard output, which belongs to the printed selection. The
//! terminal is given back when the picker ends, when it panics, and when a signal ends it.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
#[cfg(unix)]
use std::time::Duration;

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

/// The signals that end the picker. A thread waits for them, because the loop cannot be relied on: when a terminal hangs
/// up, crossterm reads its end again and again and does not return.
#[derive(Clone, Debug, Default)]
pub struct EndSignals {
    caught: Arc<AtomicUsize>,
    is_lent: Arc<AtomicBool>,
}

/// How long the loop has to end the picker after a signal, before the thread ends the process.
#[cfg(unix)]
const GRACE: Duration = Duration::from_millis(500);

impl EndSignals {
    /// Catches the signals from now on.
    pub fn catch() -> io::Result<EndSignals> {
        let own = EndSignals::default();
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
            let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
            let thread = own.clone();
            std::thread::Builder::new().name("ui signals".to_string()).spawn(move || {
                for signal in signals.forever() {
                    thread.end(signal, [SIGINT, SIGQUIT].contains(&signal));
                }
            })?;
        }
        Ok(own)
    }

    /// Ends the picker because of a signal.
    #[cfg(unix)]
    fn end(&self, signal: i32, is_of_keyboard: bool) {
        let is_lent = self.is_lent.load(Relaxed);
        // A key in an editor is meant for the editor.
        if is_lent && is_of_keyboard {
            return;
        }
        let code = 128 + signal;
        self.caught.store(usize::try_from(code).unwrap_or(0), Relaxed);
        if !is_lent {
            std::thread::sleep(GRACE);
            give_back();
        }
        std::process::exit(code);
    }

    /// Says whether an editor has the terminal.
    pub fn set_lent(&self, is_lent: bool) {
        self.is_lent.store(is_lent, Relaxed);
    }

    /// The exit code for the signal that was caught; `None` without one.
    pub fn exit_code(&self) -> Option<u8> {
        u8::try_from(self.caught.load(Relaxed)).ok().filter(|code| *code != 0)
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

//! The picker of `spyhop ui`: live search in the terminal.
//!
//! This module owns the loop: it takes keys and messages, lets the state change, carries out the effects and draws. The
//! engine runs on threads of its own ([`work`]), so the loop never waits for an answer.

mod answer;
mod draw;
pub mod history;
mod keys;
mod layout;
mod line;
mod pick;
mod preview;
mod recall;
mod state;
mod terminal;
mod work;

use std::io::{self, IsTerminal};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use ratatui::crossterm::event::{self, Event, KeyEventKind};
use spyhop_base::path::PathBase;
use spyhop_interface::render::clean;

use self::draw::Palette;
pub use self::pick::PickMode;
use self::pick::PickPlace;
use self::state::{Effect, Message, PickerStart, UiState};
use self::terminal::{EndSignals, TakenTerminal};
use self::work::Workers;
pub use self::work::Workplace;
use crate::editor::{self, EditorTarget};

/// How long the loop waits for a key while an answer is awaited, and otherwise.
const BUSY: Duration = Duration::from_millis(5);
const IDLE: Duration = Duration::from_millis(100);

/// How the picker is run.
pub struct PickerConfig {
    pub place: Workplace,
    pub mode: PickMode,
    /// The first query line.
    pub line: String,
    /// Whether the selection is printed and not opened in an editor.
    pub prints: bool,
    pub color: bool,
}

/// How the picker ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picked {
    /// These places, as `path:line:column`, are to be printed.
    Places(Vec<String>),
    /// Nothing is to be printed; the exit code.
    Nothing(u8),
}

/// Why the picker could not run.
#[derive(Debug, thiserror::Error)]
pub enum PickerError {
    /// There is no terminal.
    #[error(
        "`spyhop ui` needs a terminal, and there is none: {0}; in a script, use `spyhop search`, `grep` or `files`"
    )]
    NoTerminal(io::Error),
    /// The terminal failed.
    #[error("the terminal failed: {0}")]
    Terminal(#[from] io::Error),
}

/// Runs the picker until it ends.
///
/// # Errors
/// [`PickerError`] without a terminal, and if the terminal fails.
pub fn run(config: PickerConfig) -> Result<Picked, PickerError> {
    terminal::open().map_err(PickerError::NoTerminal)?;
    let history = history::place();
    let lines = history.as_deref().map(history::read).unwrap_or_default();
    let (sender, messages) = channel();
    let base = config.place.base.clone();
    let signals = EndSignals::catch()?;
    terminal::give_back_on_panic();
    let screen = TakenTerminal::take()?;
    let size = screen.inner.size()?;
    let (state, effects) = UiState::new(PickerStart {
        mode: config.mode,
        line: config.line,
        prints: config.prints,
        size: (size.width, size.height),
        history: lines,
        refreshes: config.place.refreshes,
    });
    let workers = Workers::start(config.place, &sender)?;
    let palette = Palette { color: config.color };
    let mut picker =
        Picker { state, screen: Some(screen), palette, workers, messages, base, history, signals };
    let picked = picker.run(effects);
    // The terminal is given back before anything is printed.
    picker.screen = None;
    picker.workers.stop();
    Ok(picked?)
}

struct Picker {
    state: UiState,
    /// The terminal; `None` while an editor has it.
    screen: Option<TakenTerminal>,
    palette: Palette,
    workers: Workers,
    messages: Receiver<Message>,
    base: PathBase,
    history: Option<std::path::PathBuf>,
    signals: EndSignals,
}

impl Picker {
    fn run(&mut self, effects: Vec<Effect>) -> io::Result<Picked> {
        if let Some(picked) = self.carry_out(effects)? {
            return Ok(picked);
        }
        self.draw()?;
        loop {
            if let Some(code) = self.signals.exit_code() {
                return Ok(Picked::Nothing(code));
            }
            let mut is_changed = false;
            let wait = if self.state.is_waiting() { BUSY } else { IDLE };
            if event::poll(wait)? {
                // Keys that have arrived together are drawn together.
                loop {
                    if let Some(message) = message(event::read()?) {
                        is_changed = true;
                        if let Some(picked) = self.take(message)? {
                            return Ok(picked);
                        }
                    }
                    if !event::poll(Duration::ZERO)? {
                        break;
                    }
                }
            } else if self.state.is_waiting() {
                self.state.update(Message::Tick);
                is_changed |= self.state.is_tick_visible();
            }
            while let Ok(message) = self.messages.try_recv() {
                is_changed = true;
                if let Some(picked) = self.take(message)? {
                    return Ok(picked);
                }
            }
            if is_changed {
                self.draw()?;
            }
        }
    }

    fn take(&mut self, message: Message) -> io::Result<Option<Picked>> {
        let effects = self.state.update(message);
        self.carry_out(effects)
    }

    fn draw(&mut self) -> io::Result<()> {
        let Picker { state, screen, palette, .. } = self;
        if let Some(screen) = screen {
            screen.inner.draw(|frame| draw::draw(frame, state, palette))?;
        }
        Ok(())
    }

    /// Carries out effects; the result ends the picker.
    fn carry_out(&mut self, effects: Vec<Effect>) -> io::Result<Option<Picked>> {
        for effect in effects {
            match effect {
                Effect::Ask(number, query) => self.workers.ask(number, query),
                Effect::Preview(place) => self.workers.preview(place),
                Effect::Remember(line) => self.remember(&line),
                Effect::Print(places) => return Ok(Some(Picked::Places(self.shown(&places)))),
                Effect::Quit(code) => return Ok(Some(Picked::Nothing(code))),
                Effect::Redraw => self.clear()?,
                Effect::Suspend => {
                    self.screen = None;
                    terminal::suspend();
                    self.return_to_screen()?;
                }
                Effect::Open(places) => {
                    self.screen = None;
                    self.signals.set_lent(true);
                    let result = self.edit(&places);
                    self.signals.set_lent(false);
                    self.return_to_screen()?;
                    self.state.update(Message::Edited(result));
                }
            }
        }
        Ok(None)
    }

    fn return_to_screen(&mut self) -> io::Result<()> {
        let screen = TakenTerminal::take()?;
        let size = screen.inner.size()?;
        self.screen = Some(screen);
        self.take(Message::Resized(size.width, size.height)).map(drop)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.screen.as_mut().map_or(Ok(()), |screen| screen.inner.clear())
    }

    fn remember(&self, line: &str) {
        let result = self.history.as_deref().map_or(Ok(()), |place| history::add(place, line));
        if let Err(error) = result {
            tracing::warn!(%error, "the history cannot be written");
        }
    }

    /// Places as they are printed. On a terminal, control characters in a path would steer it.
    fn shown(&self, places: &[PickPlace]) -> Vec<String> {
        let is_terminal = io::stdout().is_terminal();
        let path = |path: &str| {
            let path = self.base.shown(path);
            if is_terminal { clean::path(&path).into_owned() } else { path.into_owned() }
        };
        places.iter().map(|place| place.shown(path)).collect()
    }

    /// Runs the editor until it ends.
    fn edit(&self, places: &[PickPlace]) -> Result<(), String> {
        let target = |place: &PickPlace| EditorTarget {
            path: self.base.shown(place.path.as_str()).into_owned(),
            line: place.line,
            column: place.column,
        };
        let targets: Vec<EditorTarget> = places.iter().map(target).collect();
        let argv = editor::command(&editor::chosen(|name| std::env::var_os(name)), &targets)?;
        let mut command = Command::new(&argv[0]);
        command.args(&argv[1..]);
        if !io::stdin().is_terminal() {
            let tty = terminal::open().map_err(|error| format!("the terminal cannot be opened: {error}"))?;
            command.stdin(Stdio::from(tty));
        }
        match command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("the editor '{}' ended with {status}", argv[0])),
            Err(error) => {
                Err(format!("the editor '{}' cannot be started: {error}; set EDITOR or use --print", argv[0]))
            }
        }
    }
}

/// The message of an event of the terminal.
fn message(event: Event) -> Option<Message> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(Message::Key(key)),
        Event::Paste(text) => Some(Message::Pasted(text)),
        Event::Resize(width, height) => Some(Message::Resized(width, height)),
        _ => None,
    }
}

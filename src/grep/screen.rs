//! Where ripgrep's printers write to: memory, with or without colours, cleaned where a terminal shows it.
//!
//! Printers ask for colours apart from the bytes that they write ([`WriteColor`]), so the content can be cleaned on its
//! way while the escape sequences that stand around it are our own. A filter behind the printer could not tell the two
//! apart.

use std::io::{self, Write};

use termcolor::{Buffer, ColorSpec, HyperlinkSpec, WriteColor};

use super::print::{OutputFormat, PrintOptions};
use crate::clean::{self, Cleaner};

/// What a printer has printed and nobody has taken yet.
pub(super) struct Screen {
    buffer: Buffer,
    /// `None` where the bytes stay as they are.
    cleaner: Option<Cleaner>,
    clean: Vec<u8>,
}

impl Screen {
    /// An empty one.
    pub fn new(looks: PrintOptions) -> Screen {
        let form = match looks.form {
            OutputFormat::Events => clean::ControlDisplay::Escapes,
            _ => clean::ControlDisplay::Pictures,
        };
        Screen {
            buffer: if looks.color { Buffer::ansi() } else { Buffer::no_color() },
            cleaner: looks.terminal.then(|| Cleaner::new(form)),
            clean: Vec::new(),
        }
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// The bytes; what the cleaner still holds back is among them.
    pub fn bytes(&mut self) -> &[u8] {
        self.settle();
        self.buffer.as_slice()
    }

    /// Removes the bytes.
    pub fn clear(&mut self) {
        self.settle();
        self.buffer.clear();
    }

    /// The bytes, which `other` takes the place of.
    pub fn replace(&mut self, other: Screen) -> Vec<u8> {
        self.settle();
        std::mem::replace(self, other).buffer.into_inner()
    }

    /// Writes what the cleaner holds back, because nothing that belongs to it can follow.
    fn settle(&mut self) {
        if let Some(cleaner) = &mut self.cleaner {
            cleaner.settle(&mut self.clean);
            self.write_clean();
        }
    }

    fn write_clean(&mut self) {
        self.buffer.write_all(&self.clean).expect("memory takes everything");
        self.clean.clear();
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.cleaner {
            None => self.buffer.write(bytes),
            Some(cleaner) => {
                cleaner.push(bytes, &mut self.clean);
                self.write_clean();
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.buffer.flush()
    }
}

impl WriteColor for Screen {
    fn supports_color(&self) -> bool {
        self.buffer.supports_color()
    }

    fn set_color(&mut self, spec: &ColorSpec) -> io::Result<()> {
        self.settle();
        self.buffer.set_color(spec)
    }

    fn reset(&mut self) -> io::Result<()> {
        self.settle();
        self.buffer.reset()
    }

    fn is_synchronous(&self) -> bool {
        self.buffer.is_synchronous()
    }

    fn set_hyperlink(&mut self, link: &HyperlinkSpec<'_>) -> io::Result<()> {
        self.settle();
        self.buffer.set_hyperlink(link)
    }

    fn supports_hyperlinks(&self) -> bool {
        self.buffer.supports_hyperlinks()
    }
}

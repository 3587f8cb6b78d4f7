//! The memory buffer that ripgrep's printers write to: with or without colours, and cleaned if the output is for a terminal.
//!
//! Printers set colours and write content by separate calls ([`WriteColor`]). So the content can be cleaned here, and our
//! escape sequences are kept. A filter behind the printer could not distinguish the two.

use std::io::{self, Write};

use termcolor::{Buffer, ColorSpec, HyperlinkSpec, WriteColor};

use super::options::{OutputFormat, PrintOptions};
use spyhop_base::clean::{self, Cleaner};

/// The output of a printer that is not passed on yet.
pub(super) struct Screen {
    buffer: Buffer,
    /// `None` if the bytes are not cleaned.
    cleaner: Option<Cleaner>,
    /// The scratch buffer of the cleaner.
    clean: Vec<u8>,
}

impl Screen {
    /// An empty screen.
    pub fn new(options: &PrintOptions) -> Screen {
        let form = match options.form {
            OutputFormat::Events => clean::ControlDisplay::Escapes,
            _ => clean::ControlDisplay::Pictures,
        };
        Screen {
            buffer: if options.color { Buffer::ansi() } else { Buffer::no_color() },
            cleaner: options.terminal.then(|| Cleaner::new(form)),
            clean: Vec::new(),
        }
    }

    /// The number of bytes, without the bytes that the cleaner holds back.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// The bytes, including those that the cleaner held back.
    pub fn bytes(&mut self) -> &[u8] {
        self.settle();
        self.buffer.as_slice()
    }

    /// Removes the bytes.
    pub fn clear(&mut self) {
        self.settle();
        self.buffer.clear();
    }

    /// Replaces this screen by `other` and returns the bytes.
    pub fn replace(&mut self, other: Screen) -> Vec<u8> {
        self.settle();
        std::mem::replace(self, other).buffer.into_inner()
    }

    /// Writes the bytes that the cleaner holds back, because their sequence cannot continue.
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

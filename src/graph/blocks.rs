//! The blocks in braces of a text. Braces in literals may mislead them.

use std::ops::Range;

/// The blocks of a text, found by their places.
pub(super) struct BlockNesting {
    /// The opening and the closing brace of each block; the end of the text for a block without its end.
    spans: Vec<(u32, u32)>,
    /// The first byte behind each brace, with the block around what follows.
    around: Vec<(u32, Option<u32>)>,
    len: usize,
}

impl BlockNesting {
    pub fn of(text: &str) -> BlockNesting {
        let (mut spans, mut around) = (Vec::<(u32, u32)>::new(), Vec::new());
        let mut open: Vec<u32> = Vec::new();
        for at in memchr::memchr2_iter(b'{', b'}', text.as_bytes()) {
            let after = at as u32 + 1;
            match text.as_bytes()[at] {
                b'{' => {
                    open.push(spans.len() as u32);
                    spans.push((at as u32, text.len() as u32));
                }
                _ => {
                    if let Some(block) = open.pop() {
                        spans[block as usize].1 = after;
                    }
                }
            }
            around.push((after, open.last().copied()));
        }
        BlockNesting { spans, around, len: text.len() }
    }

    /// The innermost block around a byte, from brace to brace; the whole text without any.
    pub fn around(&self, at: usize) -> Range<usize> {
        let next = self.around.partition_point(|(after, _)| *after as usize <= at);
        let block = next.checked_sub(1).and_then(|last| self.around[last].1);
        block.map_or(0..self.len, |block| {
            let (open, close) = self.spans[block as usize];
            open as usize..close as usize
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The block by counting braces from the byte on, to both sides.
    fn counted(text: &str, at: usize) -> Range<usize> {
        let mut depth = 0;
        let open = text.as_bytes()[..at].iter().rposition(|byte| {
            depth += i32::from(*byte == b'}') - i32::from(*byte == b'{');
            depth < 0
        });
        let Some(open) = open else { return 0..text.len() };
        let mut depth = 0;
        let close = text.as_bytes()[open..].iter().position(|byte| {
            depth += i32::from(*byte == b'{') - i32::from(*byte == b'}');
            depth == 0
        });
        open..close.map_or(text.len(), |close| open + close + 1)
    }

    proptest! {
        #[test]
        fn blocks_are_those_of_counted_braces(text in "[{}a]{0,24}") {
            let blocks = BlockNesting::of(&text);
            for at in 0..=text.len() {
                prop_assert_eq!(blocks.around(at), counted(&text, at), "{} in {}", at, text);
            }
        }
    }
}

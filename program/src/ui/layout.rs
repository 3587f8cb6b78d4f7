//! The parts of the screen.

use ratatui::layout::Rect;

/// From this width on, the preview is beside the list. On a narrower screen, half of the width cuts most lines of code.
const BESIDE: u16 = 120;

/// From this height on, a narrow screen has the preview below the list.
const BELOW: u16 = 14;

/// Where each part of the screen is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Regions {
    pub prompt: Rect,
    pub status: Rect,
    pub list: Rect,
    /// The line between list and preview, and the preview.
    pub preview: Option<(Rect, Rect)>,
    pub help: Rect,
}

/// The parts of a screen of this size.
pub fn regions(width: u16, height: u16, has_preview: bool) -> Regions {
    let row = |y: u16| Rect { x: 0, y: y.min(height), width, height: u16::from(y < height) };
    let body = height.saturating_sub(3);
    let (mut list, mut preview) = (Rect { x: 0, y: 2, width, height: body }, None);
    if has_preview && width >= BESIDE {
        let left = width / 2;
        list.width = left;
        let bar = Rect { x: left, width: 1, ..list };
        preview = Some((bar, Rect { x: left + 2, width: width - left - 2, ..list }));
    } else if has_preview && height >= BELOW {
        list.height = body * 2 / 5;
        let bar = Rect { y: list.y + list.height, height: 1, ..list };
        let below = bar.y + 1;
        preview = Some((bar, Rect { y: below, height: body - list.height - 1, ..list }));
    }
    Regions { prompt: row(0), status: row(1), list, preview, help: row(height.saturating_sub(1).max(2)) }
}

impl Regions {
    /// The number of rows of the list.
    pub fn rows(&self) -> usize {
        self.list.height.into()
    }

    /// The number of lines of the preview; its first row is the path.
    pub fn preview_lines(&self) -> usize {
        self.preview.map_or(0, |(_, area)| usize::from(area.height.saturating_sub(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preview_is_beside_below_or_left_out() {
        let wide = regions(120, 30, true);
        assert_eq!((wide.list.width, wide.rows(), wide.preview_lines()), (60, 27, 26));
        assert_eq!(wide.preview.unwrap().1, Rect { x: 62, y: 2, width: 58, height: 27 });
        let narrow = regions(80, 24, true);
        assert_eq!((narrow.list.width, narrow.rows(), narrow.preview_lines()), (80, 8, 11));
        assert_eq!(narrow.preview.unwrap().1, Rect { x: 0, y: 11, width: 80, height: 12 });
        assert_eq!(regions(80, 13, true).preview, None);
        assert_eq!(regions(120, 30, false).preview, None);
    }

    #[test]
    fn no_screen_is_too_small() {
        for height in 0..20 {
            for width in [0, 1, 2, 119, 120, 121] {
                let Regions { prompt, status, list, preview, help } = regions(width, height, true);
                let (bar, preview) = preview.unwrap_or_default();
                for area in [prompt, status, list, bar, preview, help] {
                    assert!(area.height == 0 || area.bottom() <= height, "{width}x{height}: {area:?}");
                    assert!(area.width == 0 || area.right() <= width, "{width}x{height}: {area:?}");
                }
            }
        }
    }
}

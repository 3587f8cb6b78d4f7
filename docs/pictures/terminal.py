"""Reads text with the colours of a terminal (ANSI) and writes a picture of it as SVG.

    spyhop ... --color always | python3 docs/pictures/terminal.py --title "spyhop ..." >answer.svg

The title becomes the line with the prompt. Equal input gives equal bytes. Each character stands in a column of fixed
width, so the picture does not depend on the font. Only the standard library is used.
"""
import argparse
import html
import re
import sys
import unicodedata

# The colours of a dark terminal: the eight of ANSI, then the bright ones.
COLOURS = ["#3b4252", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#dcdfe4",
           "#7f848e", "#ff7b86", "#b5e890", "#ffd58a", "#82c4ff", "#e0a3f5", "#7fdbe8", "#ffffff"]
TEXT, GROUND, DIM = "#dcdfe4", "#1e222a", "#8a909c"
WIDTH, HEIGHT, MARGIN = 8.4, 19, 16
SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?]*[A-Za-z]")


class Style:
    def __init__(self):
        self.colour, self.bold, self.dim, self.italic, self.underline = None, False, False, False, False

    def apply(self, codes):
        codes = [int(code or 0) for code in codes.split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.__init__()
            elif code == 1:
                self.bold = True
            elif code == 2:
                self.dim = True
            elif code == 3:
                self.italic = True
            elif code == 4:
                self.underline = True
            elif code == 22:
                self.bold = self.dim = False
            elif code == 39:
                self.colour = None
            elif 30 <= code <= 37:
                self.colour = COLOURS[code - 30]
            elif 90 <= code <= 97:
                self.colour = COLOURS[code - 82]
            elif code == 38 and codes[:1] == [5]:
                self.colour = COLOURS[codes[1] % 16]
                del codes[:2]

    def attributes(self):
        fill = self.colour or (DIM if self.dim else None)
        parts = [f'fill="{fill}"'] if fill else []
        parts += ['font-weight="bold"'] * self.bold + ['font-style="italic"'] * self.italic
        parts += ['text-decoration="underline"'] * self.underline
        return "".join(" " + part for part in parts)


def columns(text):
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def pieces(line, style):
    """The texts of a line with their styles; `style` goes on to the next line."""
    start = 0
    for match in SEQUENCE.finditer(line):
        if match.start() > start:
            yield line[start:match.start()], style.attributes()
        if match.group(1) is not None:
            style.apply(match.group(1))
        start = match.end()
    if start < len(line):
        yield line[start:], style.attributes()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--title", required=True)
    args = parser.parse_args()
    lines = sys.stdin.read().rstrip("\n").split("\n")
    lines = [f"\x1b[32m$\x1b[0m \x1b[1m{args.title}\x1b[0m", ""] + lines
    style, rows, widest = Style(), [], 0
    for number, line in enumerate(lines):
        column, y = 0, MARGIN + number * HEIGHT + 14
        for text, attributes in pieces(line, style):
            if text.strip():
                lead = len(text) - len(text.lstrip())
                x = MARGIN + (column + lead) * WIDTH
                bare = text.strip()
                length = f' textLength="{columns(bare) * WIDTH:.1f}"' if len(bare) > 1 else ""
                rows.append(f'<text x="{x:.1f}" y="{y}"{length}{attributes}>{html.escape(bare, quote=False)}</text>')
            column += columns(text)
        widest = max(widest, column)
    width, height = int(2 * MARGIN + widest * WIDTH), 2 * MARGIN + len(lines) * HEIGHT
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
          f'font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14" fill="{TEXT}" '
          'xml:space="preserve">')
    print(f"<title>{html.escape(args.title)}</title>")
    print(f'<rect width="{width}" height="{height}" rx="8" fill="{GROUND}"/>')
    print("\n".join(rows))
    print("</svg>")


if __name__ == "__main__":
    main()

"""Pictures for the scripts beside it, as plain SVG: a dot a name, and lines over a size, on logarithmic axes.

A panel of `dots` is (caption, [(name, value)]), one of `lines` is (caption, label of x, {name: [(x, y)]}). Values
must be above zero; `None` leaves a row out.
"""
import html
import math

COLOURS = ["#e6194b", "#3cb44b", "#4363d8", "#f58231", "#911eb4", "#008080", "#9a6324", "#808000", "#000075"]
COLUMNS = 2
PANEL = 440


class Picture:
    def __init__(self, width, height, title):
        self.width, self.height = width, height
        self.parts = [f'<rect width="{width}" height="{height}" fill="white"/>']
        self.text(width / 2, 30, title, 20, "middle")

    def text(self, x, y, text, size=12, anchor="start"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">'
                          f"{html.escape(text)}</text>")

    def line(self, x, y, to_x, to_y, colour="#dddddd", width=1):
        self.parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="{colour}" '
                          f'stroke-width="{width}"/>')

    def dot(self, x, y, colour):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>')

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                       f'viewBox="0 0 {self.width} {self.height}" font-family="sans-serif">\n')
            file.write("\n".join(self.parts) + "\n</svg>\n")


class Axis:
    """From a value to a place between two ends, by its logarithm; the ends are powers of ten."""

    def __init__(self, values, begin, end):
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)
        self.begin, self.end = begin, end

    def at(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self):
        return [10.0**power for power in range(self.low, self.high + 1)]


def shown(value):
    """Three digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def places(panels, heights):
    """Where the panels begin, left to right and down, and how high all of them are."""
    at, y = [], 50
    for row in range(0, len(panels), COLUMNS):
        at += [(column * PANEL, y) for column in range(len(panels[row:row + COLUMNS]))]
        y += max(heights[row:row + COLUMNS])
    return at, y


def dots(path, title, panels):
    """For each panel a row a name, in the order given."""
    panels = [(caption, [row for row in rows if row[1]]) for caption, rows in panels]
    panels = [panel for panel in panels if panel[1]]
    names = list(dict.fromkeys(name for _, rows in panels for name, _ in rows))
    heights = [62 + 20 * len(rows) for _, rows in panels]
    at, height = places(panels, heights)
    picture = Picture(COLUMNS * PANEL, height, title)
    for (caption, rows), (x, y) in zip(panels, at):
        left, bottom = x + 150, y + 26 + 20 * len(rows)
        axis = Axis([value for _, value in rows], left, x + PANEL - 60)
        picture.text(left, y + 12, caption, 14)
        for tick in axis.ticks():
            picture.line(axis.at(tick), y + 20, axis.at(tick), bottom)
            picture.text(axis.at(tick), bottom + 15, f"{tick:g}", 11, "middle")
        for number, (name, value) in enumerate(rows):
            middle = y + 34 + 20 * number
            picture.text(left - 8, middle + 4, name, 12, "end")
            picture.line(left, middle, axis.at(value), middle, "#bbbbbb")
            picture.dot(axis.at(value), middle, COLOURS[names.index(name) % len(COLOURS)])
            picture.text(axis.at(value) + 8, middle + 4, shown(value), 11)
    picture.write(path)


def lines(path, title, panels):
    """For each panel the series of it, with a dot a point."""
    at, height = places(panels, [320] * len(panels))
    picture = Picture(COLUMNS * PANEL, height, title)
    for (caption, label, series), (x, y) in zip(panels, at):
        left, right, top, bottom = x + 60, x + PANEL - 30, y + 24, y + 262
        across = Axis([point[0] for points in series.values() for point in points], left, right)
        upward = Axis([point[1] for points in series.values() for point in points], bottom, top)
        picture.text(left, y + 12, caption, 14)
        picture.text((left + right) / 2, bottom + 34, label, 12, "middle")
        for tick in across.ticks():
            picture.line(across.at(tick), top, across.at(tick), bottom)
            picture.text(across.at(tick), bottom + 16, f"{tick:g}", 11, "middle")
        for tick in upward.ticks():
            picture.line(left, upward.at(tick), right, upward.at(tick))
            picture.text(left - 6, upward.at(tick) + 4, f"{tick:g}", 11, "end")
        for number, (name, points) in enumerate(series.items()):
            colour = COLOURS[number % len(COLOURS)]
            spots = [(across.at(point[0]), upward.at(point[1])) for point in points]
            for one, two in zip(spots, spots[1:]):
                picture.line(*one, *two, colour, 2)
            for spot in spots:
                picture.dot(*spot, colour)
            picture.dot(left + 12, top + 12 + 16 * number, colour)
            picture.text(left + 22, top + 16 + 16 * number, name)
    picture.write(path)

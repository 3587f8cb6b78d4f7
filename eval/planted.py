"""Files of a tree whose content is known by number, for the scripts that prove answers right while a tree changes.

A planted file is a real source file with two more comments, at its head and at its end, each with a word that names
the file and the number of its state. A word is one term, of letters that no stemmer cuts, and none is a part of
another; the text of a state is as long as that of any other, so that size never tells them apart. A third word stands
in every planted file, always.
"""
import os
import shutil
import string

EVERY = "qxplantedqx"

# How a line that is only a comment begins.
COMMENTS = {".rs": "//", ".go": "//", ".c": "//", ".h": "//", ".py": "#", ".ts": "//", ".js": "//", ".java": "//"}


def letters(number, count):
    text = ""
    for _ in range(count):
        text = string.ascii_lowercase[number % 26] + text
        number //= 26
    return text


def word(plant, state, end="h"):
    """The word of a state, at the head (h) or at the end (t)."""
    return f"qx{end}{letters(plant, 2)}z{letters(state, 4)}qx"


def sources(tree, limit=200_000):
    """Source files of a tree, by path, sorted."""
    found = []
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = os.path.join(folder, name)
            if os.path.splitext(name)[1] in COMMENTS and not os.path.islink(path) and os.path.getsize(path) < limit:
                found.append(os.path.relpath(path, tree))
    return sorted(found)


class Plant:
    """A planted file."""

    def __init__(self, tree, number, path):
        self.number, self.path, self.tree = number, path, tree
        with open(os.path.join(tree, path), encoding="utf-8", errors="replace", newline="") as file:
            self.text = file.read()
        self.comment = COMMENTS[os.path.splitext(path)[1]]

    def bytes_of(self, state):
        head = f"{self.comment} {EVERY} {word(self.number, state)}\n"
        return f"{head}{self.text}\n{self.comment} {word(self.number, state, 't')}\n".encode()

    def write(self, state, in_place=False):
        """Writes a state: into the file as it is, or beside it and then over it."""
        path = os.path.join(self.tree, self.path)
        if in_place:
            with open(path, "r+b", buffering=0) as file:
                file.write(self.bytes_of(state))
                file.truncate()
        else:
            new = f"{path}.new~"
            with open(new, "wb") as file:
                file.write(self.bytes_of(state))
            os.replace(new, path)


def plant(tree, count, random):
    """Plants state 0 in `count` files that are drawn from the tree."""
    paths = random.sample(sources(tree), count)
    plants = [Plant(tree, number, path) for number, path in enumerate(sorted(paths))]
    for one in plants:
        one.write(0)
    return plants


def copy(tree, to):
    """Copies a tree without its history."""
    shutil.copytree(tree, to, symlinks=True, ignore=shutil.ignore_patterns(".git"))

"""A plain full-text index of a tree in SQLite, as a whole process: what `bench.py tools` compares with Spyhop.

    python3 eval/fts5.py index DATABASE TREE      makes the index, or brings it up to date
    python3 eval/fts5.py ask DATABASE TREE TEXT   the ten best windows for the words of TEXT, with their lines

Files up to 1 MiB without a NUL byte in their first 8 KiB, none whose name or folder begins with a dot, are cut into
windows of 50 lines, and these are the rows of an FTS5 table without content (`content=''`), with SQLite's tokenizer
(letters and digits, lower case) and its BM25. A file is read again when its size, time or inode is another one; its
old windows stay in the table and are passed over, since a table without content cannot forget. An update is one
transaction. Only the standard library is used, and its start is part of what is measured.
"""
import os
import re
import sqlite3
import sys

WINDOW = 50
MAX_BYTES = 1 << 20
SCHEMA = """
CREATE TABLE IF NOT EXISTS files (id INTEGER PRIMARY KEY, path TEXT UNIQUE, stamp TEXT);
CREATE TABLE IF NOT EXISTS windows (id INTEGER PRIMARY KEY, file INTEGER, first INTEGER);
CREATE INDEX IF NOT EXISTS of_file ON windows (file);
CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5 (body, content='');
"""
BEST = """
SELECT path, first FROM texts JOIN windows ON windows.id = texts.rowid JOIN files ON files.id = windows.file
WHERE texts MATCH ? ORDER BY bm25(texts) LIMIT 10
"""


def walk(tree):
    """Paths with what tells a change."""
    folders = [tree]
    while folders:
        for entry in os.scandir(folders.pop()):
            if entry.name.startswith(".") or entry.is_symlink():
                continue
            if entry.is_dir():
                folders.append(entry.path)
            elif entry.is_file() and (stat := entry.stat()).st_size <= MAX_BYTES:
                yield entry.path, f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ino}"


def read(path):
    """The lines of a file; none when it is no text."""
    with open(path, "rb") as file:
        content = file.read()
    return [] if b"\0" in content[:8192] else content.decode("utf-8", "replace").split("\n")


def add(db, path, stamp):
    file = db.execute("INSERT INTO files (path, stamp) VALUES (?, ?)", (path, stamp)).lastrowid
    lines = read(path)
    for first in range(0, len(lines), WINDOW):
        window = db.execute("INSERT INTO windows (file, first) VALUES (?, ?)", (file, first)).lastrowid
        body = "\n".join(lines[first:first + WINDOW])
        db.execute("INSERT INTO texts (rowid, body) VALUES (?, ?)", (window, body))


def remove(db, file):
    # The number of a window must not come again, because the table remembers its words.
    db.execute("UPDATE windows SET file = NULL WHERE file = ?", (file,))
    db.execute("DELETE FROM files WHERE id = ?", (file,))


def index(db, tree):
    db.executescript(SCHEMA)
    known = {path: (file, stamp) for file, path, stamp in db.execute("SELECT id, path, stamp FROM files")}
    for path, stamp in walk(tree):
        file, before = known.pop(path, (None, None))
        if before != stamp:
            if file is not None:
                remove(db, file)
            add(db, path, stamp)
    for file, _ in known.values():
        remove(db, file)
    db.commit()


def ask(db, text):
    words = re.findall(r"\w+", text)
    for path, first in db.execute(BEST, (" OR ".join(f'"{word}"' for word in words),)):
        print(f"{path}:{first + 1}")
        print("\n".join(read(path)[first:first + WINDOW]))


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "index":
        index(sqlite3.connect(sys.argv[2]), os.path.abspath(sys.argv[3]))
    elif len(sys.argv) == 5 and sys.argv[1] == "ask":
        ask(sqlite3.connect(sys.argv[2]), sys.argv[4])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()

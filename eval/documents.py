#!/usr/bin/env python3
"""Compares what the library reads from PDF files with pdfinfo and with titles that a reader noted.

    python3 eval/documents.py PROGRAM FOLDER

PROGRAM is the example `documents` (`cargo build --release -p spyhop-eval --example documents`). FOLDER holds the PDF files, each named after the
Debian package that it comes from (bookworm); --download fetches them with apt-get and dpkg-deb. eval/sets/documents.tsv lists package, path in the package and title. The
packages were drawn by seed from all packages of the distribution that carry a PDF file and have less than 8 MB; files without a
title on their first page, such as figures, were left out.
"""

import argparse
import csv
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SET = pathlib.Path(__file__).parent / "sets" / "documents.tsv"


def download(rows, folder):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        names = [row["package"] for row in rows if not (folder / f"{row['package']}.pdf").exists()]
        if names:
            subprocess.run(["apt-get", "download", "-qq", *names], cwd=place, check=True, stderr=subprocess.DEVNULL)
        for row in rows:
            for deb in pathlib.Path(place).glob(f"{row['package']}_*.deb"):
                tree = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], check=True, capture_output=True).stdout
                file = subprocess.run(["tar", "xO", "./" + row["path"]], input=tree, capture_output=True).stdout
                bytes_ = gzip.decompress(file) if row["path"].endswith(".gz") else file
                (folder / f"{row['package']}.pdf").write_bytes(bytes_)


def words(text):
    return re.findall(r"\w+", (text or "").lower())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--download", action="store_true")
    args = parser.parse_args()
    rows = list(csv.DictReader(SET.open(encoding="utf-8"), delimiter="\t"))
    if args.download:
        download(rows, args.folder)
    files = [args.folder / f"{row['package']}.pdf" for row in rows]
    out = subprocess.run([args.program, *files], check=True, capture_output=True, text=True).stdout
    read = {json.loads(line)["file"]: json.loads(line) for line in out.splitlines()}
    titles = pages = 0
    for row, file in zip(rows, files):
        found = read[str(file)]
        info = subprocess.run(["pdfinfo", file], check=True, capture_output=True, text=True).stdout
        wanted_pages = int(re.search(r"^Pages:\s+(\d+)", info, re.M)[1])
        has_title = words(found.get("title")) == words(row["title"])
        has_pages = found.get("pages") == wanted_pages
        titles += has_title
        pages += has_pages
        if not has_title:
            print(f"{row['package']}: title {found.get('title') or found.get('error')!r}, noted {row['title']!r}")
        if not has_pages:
            print(f"{row['package']}: {found.get('pages')} pages, pdfinfo says {wanted_pages}")
    print(f"{len(rows)} files: titles right {titles / len(rows):.2f}, page counts right {pages / len(rows):.2f}")
    return 0 if titles >= 0.9 * len(rows) and pages == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())

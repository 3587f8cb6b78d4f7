"""Archives that nobody should unpack: zip and tar, one fault each, written byte by byte where Python's writers refuse to.

`archives()` gives (name, bytes, part of the message). The message has to name the entry or the fault.
"""
import gzip
import io
import struct
import tarfile
import zlib

CODE = b"fn a() {}\n"


class Entry:
    def __init__(self, name, content=CODE, method=0, flags=0, mode=0o100644, **other):
        self.name = name if isinstance(name, bytes) else name.encode()
        self.content, self.method, self.flags, self.mode = content, method, flags, mode
        self.packed = content
        if method == 8:
            deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
            self.packed = deflater.compress(content) + deflater.flush()
        self.crc = other.get("crc", zlib.crc32(content))
        self.size = other.get("size", len(content))
        self.packed = other.get("packed", self.packed)
        self.own_name = other.get("own_name", self.name)
        self.at = other.get("at")


def zipped(*entries, count=None, tail=b""):
    out, directory, places = bytearray(), bytearray(), []
    for entry in entries:
        at = len(out) if entry.at is None else places[entry.at]
        places.append(at)
        if entry.at is None:
            out += struct.pack("<4s5H3I2H", b"PK\3\4", 20, entry.flags, entry.method, 0, 0x21, entry.crc,
                               len(entry.packed), entry.size, len(entry.own_name), 0)
            out += entry.own_name + entry.packed
        directory += struct.pack("<4s6H3I5H2I", b"PK\1\2", 0x314, 20, entry.flags, entry.method, 0, 0x21, entry.crc,
                                 len(entry.packed), entry.size, len(entry.name), 0, 0, 0, 0, entry.mode << 16, at)
        directory += entry.name
    count = len(entries) if count is None else count
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count & 0xffff, count & 0xffff, len(directory), len(out), 0)
    return bytes(out + directory + end + tail)


def header(name, kind=b"0", size=None, content=CODE, link=b"", checksum=None):
    name = name if isinstance(name, bytes) else name.encode()
    size = len(content) if size is None else size
    field = size if isinstance(size, bytes) else b"%011o\0" % size
    head = name[:100].ljust(100, b"\0") + b"0000644\0" * 3 + field + b"00000000000\0" + b" " * 8 + kind
    head = head + link.ljust(100, b"\0") + b"ustar\00000"
    head = head.ljust(512, b"\0")
    total = sum(head) if checksum is None else checksum
    head = head[:148] + b"%06o\0 " % total + head[156:]
    return head + content + b"\0" * (-len(content) % 512)


def tarred(*parts):
    return b"".join(parts) + b"\0" * 1024


def pax(records):
    return header("pax", b"x", content=records)


def record(key, value):
    length = len(key) + len(value) + 3
    while len(str(length)) + len(key) + len(value) + 3 != length:
        length = len(str(length)) + len(key) + len(value) + 3
    return str(length).encode() + b" " + key + b"=" + value + b"\n"


def python_tar(**fields):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        info = tarfile.TarInfo(fields.pop("name", "a.rs"))
        for key, value in fields.items():
            setattr(info, key, value)
        archive.addfile(info, io.BytesIO(b"") if info.size else None)
    return out.getvalue()


def zips():
    one = lambda *given, **other: zipped(Entry(*given, **other))
    good = Entry("a.rs")
    whole = zipped(good, Entry("b.rs"))
    zeros = b"\0" * (100 << 20)
    yield "parent folder", one("../a.rs"), "'../a.rs'"
    yield "parent folder inside", one("a/../../b.rs"), "'a/../../b.rs'"
    yield "parent folder at the end", one("a/.."), "'a/..'"
    yield "absolute name", one("/tmp/a.rs"), "absolute"
    yield "drive", one("C:/a.rs"), "absolute"
    yield "share", one(b"\\\\host\\a.rs"), "absolute"
    yield "backslashes", one(b"a\\..\\..\\b.rs"), "backslash"
    yield "NUL", one(b"a\0.rs"), "'a"
    yield "line end", one(b"a\nb.rs"), "'a"
    yield "escape sequence", one(b"a\x1b]0;x\x07.rs"), "'a"
    yield "long part", one("a" * 300 + ".rs"), "255 bytes"
    yield "long name", one("a/" * 3000 + "b"), "4096"
    yield "many folders", one("a/" * 100 + "b"), "limit of 64"
    yield "symbolic link", one("a.rs", b"/etc/passwd", mode=0o120777), "is a link"
    yield "link, then a file below", zipped(Entry("d", b"/tmp", mode=0o120777), Entry("d/a.rs")), "is a link"
    yield "character device", one("a.rs", b"", mode=0o020666), "is a device"
    yield "block device", one("a.rs", b"", mode=0o060666), "is a device"
    yield "pipe", one("a.rs", b"", mode=0o010666), "is a device"
    yield "socket", one("a.rs", b"", mode=0o140666), "is a device"
    yield "same name twice", zipped(good, good), "occurs twice"
    yield "same name in two forms", zipped(good, Entry("./a.rs")), "occurs twice"
    yield "names that differ by case", zipped(good, Entry("A.RS")), "differs from 'a.rs'"
    yield "names in two forms of letters", zipped(Entry("\u00e9"), Entry("e\u0301")), "differs from"
    yield "file and folder of one name", zipped(good, Entry("a.rs/b.rs")), "both a file and a folder"
    yield "encrypted", one("a.rs", flags=1), "is encrypted"
    yield "strongly encrypted", one("a.rs", flags=0x41), "is encrypted"
    yield "bzip2", one("a.rs", method=12), "the method"
    yield "LZMA", one("a.rs", method=14), "the method"
    yield "unknown method", one("a.rs", method=99), "the method"
    yield "other name in the header", one("a.rs", own_name=b"../b.rs"), "is called"
    yield "shared bytes", zipped(good, Entry("b.rs", at=0, own_name=b"a.rs")), "shares its bytes"
    yield "wrong checksum", one("a.rs", crc=1), "'a.rs'"
    yield "size too small", one("a.rs", method=8, size=3), "'a.rs'"
    yield "size too large", one("a.rs", method=8, size=3000), "'a.rs'"
    yield "broken stream", one("a.rs", method=8, packed=b"\xff" * 20), "'a.rs'"
    yield "folder with content", one("a/"), "'a/'"
    yield "no entries", zipped(), "no files"
    yield "folders only", one("a/", b"", mode=0o040755), "no files"
    yield "cut in the middle", whole[:len(whole) // 2], "damaged"
    yield "without its end", whole[:-22], "damaged"
    yield "more entries than stated", zipped(good, Entry("b.rs"), count=1), "damaged"
    yield "fewer entries than stated", zipped(good, count=9), "damaged"
    yield "bomb by ratio", one("zeros", zeros, method=8), "more than 100 times"
    yield "file above the limit", one("a.rs", method=8, size=(1 << 30) + 1), "is larger than"
    yield "in several parts", b"PK\7\10" + whole, "several parts"
    yield "nothing behind the signature", b"PK\3\4 and nothing more", "damaged"


def tars():
    one = lambda *given, **other: tarred(header(*given, **other))
    long = lambda name: tarred(header("././@LongLink", b"L", content=name), header("a.rs"))
    whole = tarred(header("a.rs"), header("b.rs"))
    packed = gzip.compress(whole)
    zeros = b"\0" * (100 << 20)
    yield "parent folder", one("../a.rs"), "'../a.rs'"
    yield "parent folder inside", one("a/../../b.rs"), "'a/../../b.rs'"
    yield "absolute name", one("/tmp/a.rs"), "absolute"
    yield "drive", one("C:/a.rs"), "absolute"
    yield "line end", one("a\nb.rs"), "'a"
    yield "escape sequence", one("a\x1b[2J"), "'a"
    yield "symbolic link", one("a.rs", b"2", content=b"", link=b"/etc/passwd"), "is a link"
    yield "hard link", one("a.rs", b"1", content=b"", link=b"/etc/passwd"), "is a link"
    yield "link, then a file below", tarred(header("d", b"2", content=b"", link=b"/tmp"), header("d/a.rs")), "is a link"
    yield "character device", one("a.rs", b"3", content=b""), "is a device"
    yield "block device", one("a.rs", b"4", content=b""), "is a device"
    yield "pipe", one("a.rs", b"6", content=b""), "is a device"
    yield "sparse file", one("a.rs", b"S", content=b""), "'a.rs'"
    yield "sparse file by PAX", tarred(pax(record(b"GNU.sparse.major", b"1")), header("a.rs")), "sparse"
    yield "part of a volume", one("a.rs", b"M"), "'M'"
    yield "unknown kind", one("a.rs", b"Q", content=b""), "'Q'"
    yield "long parent folder", long(b"x/../../a.rs\0"), "'x/../../a.rs'"
    yield "very long name", long(b"a" * (70 << 10)), "4096"
    yield "many folders", long(b"a/" * 100 + b"b\0"), "limit of 64"
    yield "parent folder by PAX", tarred(pax(record(b"path", b"../a.b")), header("a.rs")), "'../a.b'"
    yield "absolute name by PAX", tarred(pax(record(b"path", b"/tmp/a.rs")), header("a.rs")), "absolute"
    yield "link by PAX", tarred(pax(record(b"linkpath", b"/etc/passwd")), header("a.rs", b"2", content=b"")), "is a link"
    yield "wrong size by PAX", tarred(pax(record(b"size", b"999999")), header("a.rs")), "999999"
    yield "broken PAX header", tarred(pax(b"999 path=a\n"), header("a.rs")), "extended header"
    yield "negative size", one("a.rs", size=b"\xff" * 12, content=b""), "refused"
    yield "size beyond all numbers", one("a.rs", size=b"\x80" + b"\x7f" * 11, content=b""), "refused"
    yield "same name twice", tarred(header("a.rs"), header("a.rs")), "occurs twice"
    yield "names that differ by case", tarred(header("a.rs"), header("A.rs")), "differs from 'a.rs'"
    yield "file and folder of one name", tarred(header("a"), header("a/b")), "both a file and a folder"
    yield "cut in a file", header("a.rs")[:515], "a.rs"
    yield "damaged second header", tarred(header("a.rs"), header("b.rs", checksum=7)), "damaged"
    yield "gzip that is cut", packed[:-10], "refused"
    yield "gzip with a wrong checksum", packed[:-8] + b"\0\0\0\0" + packed[-4:], "refused"
    yield "gzip of a text", gzip.compress(b"only a text\n"), "refused"
    yield "gzip of nothing", gzip.compress(b""), "refused"
    yield "bomb by ratio", gzip.compress(tarred(header("zeros", content=zeros))), "more than 100 times"
    yield "broken zstd frame", b"\x28\xb5\x2f\xfd\xff\xff\xff\xff", "refused"
    yield "hole in a sparse file of GNU", python_tar(type=tarfile.GNUTYPE_SPARSE, size=0), "'a.rs'"


def others():
    yield "7z", b"7z\xbc\xaf\x27\x1c\0\0", "7z"
    yield "rar", b"Rar!\x1a\x07\x01\0", "rar"
    yield "xz", b"\xfd7zXZ\0\0\4", "xz"
    yield "program", b"\x7fELF\2\1\1\0" + b"\0" * 64, "neither text nor"


def archives():
    """Each hostile archive once."""
    for form, listed in [("zip", zips()), ("tar", tars()), ("other", others())]:
        for name, content, part in listed:
            yield f"{form}: {name}", content, part

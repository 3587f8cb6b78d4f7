#!/usr/bin/env python3
"""Writes the names of the standard library of a language, for `src/graph/libraries/`: members of types, and functions of C.

    python3 eval/library_names.py LANGUAGE [SOURCE] > src/graph/libraries/LANGUAGE.txt

| LANGUAGE | SOURCE | names |
|---|---|---|
| c | nothing; gcc and its headers | functions that the headers of ISO C and POSIX declare |
| cpp | nothing; libclang and the headers of libstdc++ | public members of the classes of `std` |
| java | nothing; a JDK | public methods of `java.lang`, `java.util`, `java.io`, `java.nio`, `java.time` and their packages |
| php | the folder of stubs of the npm package `intelephense` or `jetbrains-phpstorm-stubs` | methods of the classes of the core |
| ruby | nothing; ruby | instance methods of the classes of the core |
| rust | `$(rustc --print sysroot)/share/doc/rust/html` | methods of the types and traits of `std` |
"""
import pathlib
import re
import subprocess
import sys

C_HEADERS = """ctype dirent errno fcntl math poll pthread semaphore setjmp signal stdio stdlib string strings sys/ioctl sys/mman
sys/select sys/socket sys/stat sys/time sys/wait termios time unistd wchar netdb arpa/inet""".split()
CPP_HEADERS = """algorithm any array atomic bitset charconv chrono complex condition_variable deque exception filesystem
forward_list fstream functional future iomanip iostream iterator list locale map memory mutex numeric optional queue random
regex set shared_mutex span sstream stack stdexcept string string_view thread tuple typeinfo unordered_map unordered_set
utility valarray variant vector""".split()
JAVA_PACKAGES = r"java\.(lang|io|time|nio)(\.\w+)*|java\.util(\.(function|stream|concurrent|concurrent\.atomic|concurrent\.locks|regex))?"
PHP_STUBS = "Core SPL date standard Reflection json PDO libxml dom intl".split()


def c(_):
    text = "".join(f"#include <{header}.h>\n" for header in C_HEADERS)
    shown = subprocess.run(["gcc", "-E", "-P", "-D_GNU_SOURCE", "-"], input=text, capture_output=True, text=True, check=True).stdout
    return re.findall(r"extern[^;{}()]*?\b([a-z]\w*)\s*\(", shown)


def cpp(options):
    from clang import cindex
    kinds = cindex.CursorKind
    classes = (kinds.CLASS_TEMPLATE, kinds.CLASS_DECL, kinds.STRUCT_DECL, kinds.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION)
    found = []
    def visit(cursor):
        for child in cursor.get_children():
            is_member = child.kind == kinds.CXX_METHOD or child.kind == kinds.FUNCTION_TEMPLATE and cursor.kind in classes
            if is_member and child.access_specifier == cindex.AccessSpecifier.PUBLIC:
                found.append(child.spelling)
            if child.kind in (kinds.NAMESPACE, kinds.LINKAGE_SPEC, kinds.UNEXPOSED_DECL, *classes):
                visit(child)
    text = "".join(f"#include <{header}>\n" for header in CPP_HEADERS)
    visit(cindex.Index.create().parse("a.cc", ["-std=c++20", *options.split()], unsaved_files=[("a.cc", text)]).cursor)
    return [name for name in found if re.fullmatch(r"(?!operator)[a-z]\w*", name)]


def java(_):
    listed = subprocess.run(["jimage", "list", f"{java_home()}/lib/modules"], capture_output=True, text=True, check=True).stdout
    module = listed.split("Module: java.base")[1].split("Module:")[0]
    classes = [line.strip()[:-6].replace("/", ".") for line in module.splitlines() if line.endswith(".class")]
    found = [name for name in classes if re.fullmatch(JAVA_PACKAGES, name.rpartition(".")[0]) and not re.search(r"\$\d", name)]
    methods = []
    for at in range(0, len(found), 400):
        shown = subprocess.run(["javap", "-public", *found[at:at + 400]], capture_output=True, text=True).stdout
        methods += re.findall(r"\b([a-z]\w*)\([^()]*\)", shown)
    return methods


def java_home():
    shown = subprocess.run(["java", "-XshowSettings:properties", "-version"], capture_output=True, text=True, check=True).stderr
    return re.search(r"java\.home = (.*)", shown)[1]


def php(source):
    files = [file for folder in PHP_STUBS for file in sorted((pathlib.Path(source) / folder).glob("*.php"))]
    return [name for file in files for name in re.findall(r"^\s+.*\bpublic\b.*\bfunction\s+&?([A-Za-z]\w*)", file.read_text(), re.M)]


def ruby(_):
    script = "puts ObjectSpace.each_object(Module).flat_map { |own| own.public_instance_methods(false) }.uniq"
    shown = subprocess.run(["ruby", "--disable-gems", "-rset", "-e", script], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^[a-z]\w*[?!]?$", shown, re.M)


def rust(source):
    pages = sorted((pathlib.Path(source) / "std").rglob("*.html"))
    pages = [page for page in pages if re.match(r"(struct|enum|trait|union|primitive)\.", page.name)]
    pages = [page for page in pages if not {"arch", "simd", "os"} & set(page.parts)]
    return [name for page in pages for name in re.findall(r'id="(?:ty)?method\.([a-z]\w*)', page.read_text(errors="replace"))]


def main():
    language, *source = sys.argv[1:]
    names = {"c": c, "cpp": cpp, "java": java, "php": php, "ruby": ruby, "rust": rust}[language]
    line = ""
    for name in sorted(set(names(*source or [""]))):
        if len(line) + 1 + len(name) > 126:
            print(line)
            line = ""
        line = f"{line} {name}".strip()
    print(line)


if __name__ == "__main__":
    main()

"""The types of the package are those of its code: mypy accepts the package and the tests, and the stubs fit the module."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent


def check(*command: str) -> None:
    ended = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=TESTS.parent)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_package_and_the_tests_are_strict() -> None:
    check("mypy", "--strict", str(TESTS.parent / "package" / "spyhop"))
    # Some packages that the tests call have no types.
    check("mypy", "--strict", "--allow-untyped-calls", str(TESTS), str(TESTS.parent / "bench"))


def test_the_stubs_fit_the_module() -> None:
    allowed = str(TESTS / "stubtest.txt")
    check("mypy.stubtest", "spyhop._spyhop", "--ignore-disjoint-bases", "--ignore-unused-allowlist", "--allowlist", allowed)


def test_the_classes_of_rows_are_those_of_the_schemas() -> None:
    spec = importlib.util.spec_from_file_location("rows", TESTS.parent / "rows.py")
    assert spec is not None and spec.loader is not None
    rows = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rows)
    assert rows.OUT.read_text(encoding="utf-8") == rows.written(), "run: python3 python/rows.py"


def test_the_documentation_of_the_engine_names_every_argument() -> None:
    source = ast.parse((TESTS.parent / "package" / "spyhop" / "_engine.py").read_text(encoding="utf-8"))
    engine = next(node for node in source.body if isinstance(node, ast.ClassDef) and node.name == "Engine")
    of_class = ast.get_docstring(engine)
    assert of_class is not None
    methods = [node for node in engine.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    assert len(methods) > 24
    for method in methods:
        own = ast.get_docstring(method)
        assert own, method.name
        for argument in [*method.args.args, *method.args.kwonlyargs]:
            if argument.arg in ("cls", "self"):
                continue
            # A batch takes the arguments of one search.
            known = own + of_class + (doc_of(methods, "search") if method.name == "search_many" else "")
            assert f"`{argument.arg}`" in known, f"{method.name}: {argument.arg}"


def doc_of(methods: list[ast.FunctionDef], name: str) -> str:
    """The documentation of a method."""
    return next(ast.get_docstring(method) or "" for method in methods if method.name == name)


def test_a_wrong_use_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "wrong.py"
    program.write_text(
        "import spyhop\n"
        "engine = spyhop.Engine('.')\n"
        "path: int = engine.search('x')[0].path\n"
        "engine.search('x', mode='long')\n"
        "engine.search('x', most=3)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(program)], capture_output=True, text=True, cwd=tmp_path
    )
    lines = [line.split(":")[1] for line in ended.stdout.splitlines() if ": error:" in line]
    assert lines == ["3", "4", "5"], ended.stdout

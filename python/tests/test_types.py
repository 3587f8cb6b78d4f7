"""The types of the package are those of its code: mypy accepts the package and the tests, and the stubs fit the module."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import spyhop

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


def test_the_documentation_of_the_stubs_is_that_of_the_module_and_names_every_argument() -> None:
    stubs = ast.parse((TESTS.parent / "package" / "spyhop" / "_spyhop.pyi").read_text(encoding="utf-8"))
    engine = next(node for node in stubs.body if isinstance(node, ast.ClassDef) and node.name == "Engine")
    of_class = ast.get_docstring(engine)
    assert of_class is not None and of_class == inspect.getdoc(spyhop.Engine)
    methods = [node for node in engine.body if isinstance(node, ast.FunctionDef)]
    assert len(methods) > 12
    for method in methods:
        own = ast.get_docstring(method) or ""
        if own:
            assert own == inspect.getdoc(getattr(spyhop.Engine, method.name)), method.name
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

"""The package leaves its process as it was: signals, threads, output, environment; and Ctrl-C ends long calls."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import spyhop
from conftest import QUERIES, write
from spyhop import _spyhop


def run(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_panic_becomes_an_exception_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    panic_inside = getattr(_spyhop, "panic_inside", None)
    if panic_inside is None:
        pytest.skip("this build has no function that panics; a build for development has")
    with pytest.raises(spyhop.InternalError, match="as asked") as raised:
        panic_inside()
    assert raised.value.kind == "internal"
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc")
def test_no_thread_outlives_a_call(engine: spyhop.Engine) -> None:
    count = lambda: len(os.listdir("/proc/self/task"))  # noqa: E731
    engine.search_many(QUERIES)
    before = count()
    engine.search_many(QUERIES * 10)
    engine.features(QUERIES)
    engine.update()
    assert count() == before


def test_signals_environment_and_output_stay_as_they_were(tree: Path, tmp_path: Path) -> None:
    child = run(
        """
        import os, signal, sys
        handlers = [signal.getsignal(number) for number in signal.valid_signals()]
        environment = dict(os.environ)
        import spyhop
        engine = spyhop.Engine(sys.argv[1], index_dir=sys.argv[2])
        engine.update()
        engine.search("keys")
        engine.rebuild()
        assert handlers == [signal.getsignal(number) for number in signal.valid_signals()]
        assert environment == dict(os.environ)
        """,
        tree,
        tmp_path / "index",
    )
    assert child.communicate(timeout=120) == ("", "")
    assert child.returncode == 0


# A shell that starts the tests in the background lets them ignore the signal, and children inherit that.
INTERRUPTED = """
    import signal, sys
    import spyhop
    signal.signal(signal.SIGINT, signal.default_int_handler)
    engine = spyhop.Engine(sys.argv[1], index_dir=sys.argv[2])
    {before}
    print("begun", flush=True)
    try:
        {call}
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    else:
        print("ended", flush=True)
    print(engine.search("number_1").total > 0)
"""


def interrupted(code: str, *arguments: object) -> tuple[float, str]:
    """The seconds from the signal to the exception, and what the child printed after that."""
    child = run(code, *arguments)
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.5)
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    said = child.stdout.readline()
    took = time.monotonic() - begun
    rest, errors = child.communicate(timeout=300)
    assert (said, errors, child.returncode) == ("interrupted\n", "", 0)
    return took, rest


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("large")
    function = "def number_{0}(value):\n    '''Adds {0} to a value.'''\n    return value + {0}\n\n\n"
    write(root, {f"part{at}.py": "".join(function.format(at * 100 + n) for n in range(100)) for at in range(150)})
    return root


def test_an_interrupt_ends_a_batch(large: Path, tmp_path: Path) -> None:
    call = 'engine.search_many(["adds a number to a value"] * 1_000_000)'
    took, rest = interrupted(INTERRUPTED.format(before="engine.update()", call=call), large, tmp_path / "index")
    assert took < 5 and rest == "True\n"


def test_an_interrupt_ends_a_feature_matrix(large: Path, tmp_path: Path) -> None:
    call = 'engine.features(["adds a number to a value"] * 1_000_000)'
    took, rest = interrupted(INTERRUPTED.format(before="engine.update()", call=call), large, tmp_path / "index")
    assert took < 5 and rest == "True\n"


def test_an_interrupt_ends_an_update_and_the_next_one_continues(large: Path, tmp_path: Path) -> None:
    """The signal comes while the files are indexed: the listener sends it, so the test depends on no time."""
    child = run(
        """
        import os, signal, sys
        import spyhop
        signal.signal(signal.SIGINT, signal.default_int_handler)
        engine = spyhop.Engine(sys.argv[1], index_dir=sys.argv[2], threads=1)
        seen = []
        def listen(progress):
            seen.append((progress.stage, progress.done))
            if progress.stage == "index" and progress.done > 3:
                os.kill(os.getpid(), signal.SIGINT)
        try:
            engine.update(progress=listen)
        except KeyboardInterrupt:
            print("interrupted", seen[-1][1] < 150)
        print(engine.status().files < 150)
        print(engine.update().parsed < 150, engine.status().files, engine.search("number_1").total > 0)
        """,
        large,
        tmp_path / "index",
    )
    said, errors = child.communicate(timeout=300)
    assert (said.split("\n"), errors) == (["interrupted True", "True", "True 150 True", ""], "")


def test_a_listener_that_raises_leaves_the_engine_usable(large: Path, tmp_path: Path) -> None:
    engine = spyhop.Engine(large, index_dir=tmp_path / "index")

    def listen(progress: spyhop.Progress) -> None:
        if progress.stage == "queries":
            raise RuntimeError("enough")

    for call in (engine.search_many, engine.features):
        begun = time.monotonic()
        with pytest.raises(RuntimeError, match="enough"):
            call(["adds a number to a value"] * 100_000, progress=listen)
        assert time.monotonic() - begun < 60
        assert engine.search("number_1").total > 0

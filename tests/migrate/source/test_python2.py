"""Python 2 sources come to Python 3 and print what Python 2 printed, then are migrated."""

from __future__ import annotations

import contextlib
import io
import pathlib
import shutil
import signal
import subprocess
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from migrate import pipeline
from migrate.cli import main
from migrate.findings import Outcome
from migrate.options import Options
from migrate.source import python2

PROGRAM = """\
import cPickle
from itertools import izip

def ratio(items):
    return len(items) / 2, 7 / 2, 7 / 2.0, (len(items) + 4) / 2 / 2, -7 / 2

class Bad(Exception):
    pass

counts = {"a": 1}
for key, value in counts.iteritems():
    print key, value,
print ratio([1, 2, 3])
try:
    raise Bad, "no"
except Bad, error:
    print "caught", error
pairs = map(lambda (a, b): a + b, izip([1, 2], [3, 4]))
print pairs[0], sorted(filter(None, xrange(3))), counts.has_key("a")
print cPickle.loads(cPickle.dumps([1])), 0777, 5L, `3`, 3 <> 4
total = 9
total /= 2
print reduce(lambda x, y: x * y, [1, 2, 3]), unicode("u")
"""
# What Python 2.7.18 prints.
PRINTED = """\
a 1 (1, 3, 3.5, 1, -4)
caught no
4 [1, 2] True
[1] 511 5 3 True
6 u
"""


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    """The command sets signal handlers, which are the process's own afterwards."""
    kept = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def printed(text: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, "program", "exec", dont_inherit=True), {})
    return out.getvalue()


def converted(text: str) -> python2.Converted:
    found = python2.converted(text, "program.py")
    assert found is not None
    return found


def test_it_prints_what_python_2_printed() -> None:
    assert printed(converted(PROGRAM).text) == PRINTED


def test_without_the_floors_it_would_not() -> None:
    assert printed(converted(PROGRAM).text.replace("//", "/")) != PRINTED


def test_python_2_prints_it(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    command = [shutil.which("python2.7") or "python2.7", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except OSError:
        pytest.skip("no python2.7 on the PATH")
    if done.returncode == 127:
        pytest.skip("python2.7 on the PATH is a shim without a Python 2")
    assert done.stdout == PRINTED


def test_divisions_that_nobody_can_tell_are_reported_once_a_line() -> None:
    found = converted(
        "n = len(x) / 2\nprint a / b, c / d\nprint a / 2.0, float(a) / b\n"
    )
    unclear = [f.line for f in found.findings if f.code == "E009"]
    assert unclear == [2]
    assert found.text.splitlines()[0] == "n = len(x) // 2"


def test_true_division_stays() -> None:
    text = "from __future__ import division\nprint 7 / 2\n"
    found = converted(text)
    assert "7 / 2" in found.text
    assert not [f for f in found.findings if f.code == "E009"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("print 1\n", True),
        ("x = xrange(3)\n", True),
        ("for k in d.iteritems(): pass\n", True),
        ("import cPickle\n", True),
        ("print(1)\nx = 7 / 2\n", False),
        ("from six.moves import xrange\nxrange(3)\n", False),
        ("try:\n  import cPickle\nexcept ImportError:\n  import pickle\n", False),
        ("def f(long, cmp): return long\n", False),
        ("cmp = 1\nprint(cmp)\n", False),
    ],
)
def test_is_python2(text: str, expected: bool) -> None:
    assert python2.is_python2(text) is expected


def test_what_is_no_python_says_so() -> None:
    data = b"import tensorflow as tf\nx = = 3\n"
    result = pipeline.migrate_bytes(pathlib.Path("x.py"), data, Options(python2=True))
    assert [f.code for f in result.findings] == ["E003"]


SOURCE = b"import tensorflow as tf\r\nprint tf.log(1.0)\r\nn = len([1]) / 2\r\n"


def test_two_steps_two_findings_two_diffs(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(SOURCE)
    result = pipeline.migrate_bytes(path, SOURCE, Options(python2=True))
    at_line = [(f.line, f.code) for f in result.findings if f.line == 2]
    assert at_line == [(2, "E010"), (2, "T102")]
    assert result.python3 == SOURCE.replace(
        b"print tf.log(1.0)", b"print(tf.log(1.0))"
    ).replace(b"/", b"//")
    assert result.new == result.python3.replace(b"tf.log", b"tf.math.log")

    shown = CliRunner().invoke(main, ["migrate", str(path), "--diff", "--python2"])
    lines = [line for line in shown.output.splitlines() if line.startswith(("+", "-"))]
    steps = [line for line in lines if not line.startswith(("+++", "---"))]
    assert [s.strip() for s in steps] == [
        "-print tf.log(1.0)",
        "-n = len([1]) / 2",
        "+print(tf.log(1.0))",
        "+n = len([1]) // 2",
        "-print(tf.log(1.0))",
        "+print(tf.math.log(1.0))",
    ]


def test_without_the_option_it_is_named(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(SOURCE)
    result = pipeline.migrate_bytes(path, SOURCE, Options())
    (finding,) = result.findings
    assert (finding.code, finding.outcome) == ("E004", Outcome.FAILED)
    assert "--python2" in finding.recipe


def test_helper_modules_come_along(tmp_path: pathlib.Path) -> None:
    """They need not name TensorFlow."""
    path = tmp_path / "helper.py"
    path.write_text("print 1\n")
    done = CliRunner().invoke(main, ["migrate", str(tmp_path), "--write", "--python2"])
    assert done.exit_code == 0, done.output
    assert path.read_text() == "print(1)\n"


TABS = """\
# For tensorflow.
def f(x):
\tif x:
        \ty = \'\'\'a
\tb\'\'\'
\t\treturn [y,
\t\t\tx]
        return 2

print(f(1) + [f(0)])
"""


def test_tabs_beside_spaces(tmp_path: pathlib.Path) -> None:
    """As Python 2 counted them, up to the next multiple of 8; not within strings."""
    path = tmp_path / "helper.py"
    path.write_text(TABS)
    (finding,) = pipeline.migrate_bytes(path, TABS.encode(), Options()).findings
    assert (finding.code, finding.line) == ("E004", 6)
    done = CliRunner().invoke(main, ["migrate", str(path), "--write", "--python2"])
    assert done.exit_code == 0, done.output
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(path.read_text(), {})
    assert printed.getvalue() == "['a\\n\\tb', 1, 2]\n"

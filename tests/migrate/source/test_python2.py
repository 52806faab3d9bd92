"""Python 2 sources come to Python 3 and print what Python 2 printed, then are migrated."""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import shutil
import subprocess

import pytest
from click.testing import CliRunner

from migrate import emitted, pipeline
from migrate.cli import main
from migrate.findings import Finding, Outcome
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


# A program that Python 3 reads, too, and that prints other lines there.
READ_BY_BOTH = """\
from __future__ import print_function
import time

seen = []


def note(x):
    seen.append(x)
    return x * 2


def middle(items):
    count = len(items)
    half = count / 2
    half += 1
    return half, max(count, 9) / 2


n = 7
print(7 / 2, n / 2, -n / 2, n / 2.0, middle([1, 2, 3]))
total = 0.0
for x in map(note, [1, 2, 4]):
    seen.append("body")
    total += x
print(seen, total / 4, time.time() / 2 > 3)
d = {"a": 1, "b": 2}
for k in d.keys():
    if k == "a":
        del d[k]
print(d, isinstance(d.items(), list), d.values()[0])
print(map(abs, [-1])[0], len(filter(None, [0, 1])), zip([1], [2])[0], range(3)[1:])
items = [1, 2, 3]
for a, b in zip(items, items):
    items.append(a)
    if len(items) > 10:
        break
print(len(items), any(map(note, [1, 2])), len(seen))
size = 10
size /= 4
for i, v in enumerate(items):
    size += i / 2
print(size)
"""
BY_PYTHON2 = """\
3 3 -4 3.5 (2, 4)
[1, 2, 4, 'body', 'body', 'body'] 3.5 True
{'b': 2} True 2
1 1 (1, 2) [1, 2]
6 True 8
8
"""


def printed(text: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, "program", "exec", dont_inherit=True), {})
    return out.getvalue()


def converted(text: str) -> python2.Converted:
    found = python2.convert_module(text, "program.py")
    assert found is not None
    return found


def _divisions(found: python2.Converted) -> list[Finding]:
    """Returns the findings about a `/` whose sides are not known."""
    return [f for f in found.findings if f.code == "E011" and "`/`" in f.reason]


def test_it_prints_what_python_2_printed() -> None:
    assert printed(converted(PROGRAM).text) == PRINTED


def test_what_python_3_reads_too_prints_what_python_2_printed() -> None:
    assert printed(converted(READ_BY_BOTH).text) == BY_PYTHON2


@pytest.mark.parametrize("line", range(len(BY_PYTHON2.splitlines())))
def test_python_3_prints_other_lines_of_it(line: int) -> None:
    """Every line of the program above shows a difference; or else it stops there."""
    text = READ_BY_BOTH.replace("[0]", "").replace("[1:]", "").replace("del d[k]", "k")
    text = text.replace("len(filter", "list(filter")
    assert printed(text).splitlines()[line] != BY_PYTHON2.splitlines()[line]


def test_without_the_floors_it_would_not() -> None:
    assert printed(converted(PROGRAM).text.replace("//", "/")) != PRINTED


@pytest.mark.parametrize("program", [(PROGRAM, PRINTED), (READ_BY_BOTH, BY_PYTHON2)])
def test_python_2_prints_it(program: tuple[str, str], tmp_path: pathlib.Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(program[0])
    command = [shutil.which("python2.7") or "python2.7", str(path)]
    # Where pyenv keeps it, its shim is told which one.
    environment = {**os.environ, "PYENV_VERSION": "2.7.18"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, env=environment
        )
    except OSError:
        pytest.skip("no python2.7 on the PATH")
    if done.returncode == 127:
        pytest.skip("python2.7 on the PATH is a shim without a Python 2")
    assert done.stdout == program[1]


def test_divisions_that_nobody_can_tell_are_reported_once_a_line() -> None:
    found = converted(
        "n = len(x) / 2\nprint a / b, c / d\nprint a / 2.0, float(a) / b\n"
    )
    unclear = [f.line for f in _divisions(found)]
    assert unclear == [2]
    assert found.text.splitlines()[0] == "n = len(x) // 2"


def test_true_division_stays() -> None:
    text = "from __future__ import division\nprint 7 / 2\n"
    found = converted(text)
    assert "7 / 2" in found.text
    assert not _divisions(found)


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


@pytest.mark.parametrize(
    "line",
    [
        'print(f"{7 / 2}")',
        "x: int = 7 / 2",
        "def f(a, *, b): return a / 2",
        "first, *rest = [1, 2]",
        'print(7 / 2, end="")',
        "def f() -> int: return 7 / 2",
        "class A(metaclass=type): pass",
    ],
)
def test_what_only_python_3_reads_is_left(line: str) -> None:
    found = converted(f"{line}\nx = 7 / 2\n")
    assert found.text == f"{line}\nx = 7 / 2\n"
    (kept,) = found.findings
    assert (kept.code, kept.outcome, kept.line) == ("E010", Outcome.KEPT, 1)


def test_print_with_keywords_is_python_2_where_it_is_imported() -> None:
    text = 'from __future__ import print_function\nprint(7 / 2, end="")\n'
    assert '7 // 2, end=""' in converted(text).text


DIVIDED = {
    "a flag": ("F.DEFINE_integer('n', 7, '')\nprint F.FLAGS.n / 2\n", "//"),
    "a flag of floats": ("F.DEFINE_float('n', 7, '')\nprint F.FLAGS.n / 2\n", "/"),
    "a flag without a value": (
        "F.DEFINE_integer('n', None, '')\nprint F.FLAGS.n / 2\n",
        "?",
    ),
    "a flag that is set": (
        "F.DEFINE_integer('n', 7, '')\nF.FLAGS.n = x\nprint F.FLAGS.n / 2\n",
        "?",
    ),
    "a count": ("n = 0\nfor i in y:\n  n += 1\nprint n / 2\n", "//"),
    "a sum": ("t = 0.0\nfor i in y:\n  t += i\nprint t / 2\n", "/"),
    "a sum of what nobody knows": (
        "t = 0\nfor i in y:\n  t += i\nprint t / 2\n",
        "?",
    ),
    "a name bound twice": ("n = 1\nn = f()\nprint n / 2\n", "?"),
    "a name bound elsewhere": (
        "n = 1\ndef f():\n  global n\n  n = 0.5\nprint n / 2\n",
        "?",
    ),
    "a parameter": ("def f(n):\n  print n / 2\n", "?"),
    "names of each other": ("a = b\nb = a\nb = 0.5\nprint a / 2\n", "/"),
    "a root": ("import math\nprint math.sqrt(4) / 2\n", "/"),
    "a root of its own": ("def len(x): return .5\nprint len(3) / 2\n", "?"),
    "a star's maximum": ("from numpy import *\nprint max(3, 4) / 2\n", "?"),
    "a future over lines": (
        "from __future__ import (absolute_import,\n    division)\nprint 7 / 2\n",
        "/",
    ),
    "an array's length": ("print len(x) / n\n", "?"),
}


@pytest.mark.parametrize("name", DIVIDED)
def test_what_is_divided(name: str) -> None:
    text, slash = DIVIDED[name]
    head = "import tensorflow as tf\nF = tf.app.flags\n"
    if text.startswith("from __future__"):
        head = ""
    found = converted(head + text)
    assert ("//" in found.text) is (slash == "//")
    assert bool(_divisions(found)) is (slash == "?")


MEANINGS = {
    "x = round(2.5)": 1,
    "[i for i in y]\nprint(i)": 1,
    "i = 0\nz = [i for i in y]\nprint(i)": 2,
    "z = [i for i in y]\ni = 0\nprint(i)": 0,
    "z = [i for i in y]\nw = [i for i in y]": 0,
    "for i in y:\n    z = [j for j in y]\n    print(i)": 0,
    "z = cmp(y, 1)": 1,
    "import random\nrandom.seed(1); random.shuffle(y)": 2,
    "import random\nrandom.shuffle(y); prepare(random)": 2,
    "from numpy import random\nrandom.shuffle(y)": 0,
    "class A:\n    def __div__(self, other): return 1": 2,
    "def round(x): return x\nround(2.5)": 0,
}


@pytest.mark.parametrize("text", MEANINGS)
def test_another_meaning_is_told_at_its_line(text: str) -> None:
    found = python2.convert_module(f"{text}\n", "program.py")
    lines = [f.line for f in found.findings if f.code == "E011"] if found else []
    assert lines == [MEANINGS[text]] * bool(MEANINGS[text])


def test_draws_that_nothing_seeds_are_told_and_not_refused() -> None:
    """No result depended on them in Python 2; another file may seed them."""
    text = "import random\nprint random.choice(y)\n"
    found = python2.convert_module(text, "program.py")
    assert found is not None
    told = [f for f in found.findings if f.code == "E011"]
    assert [(f.line, f.outcome) for f in told] == [(2, Outcome.KEPT)]
    assert "nothing in this file seeds" in told[0].reason


def test_functions_that_come_from_python_3_stay_its_own() -> None:
    text = (
        "from six.moves import map, range, input, zip\nx = map(f, range(3)), input()\n"
    )
    found = python2.convert_module(text, "program.py")
    assert found is None or found.text == text


@pytest.mark.parametrize(
    "text",
    [
        "print a, b\n",
        "print a, b\nx = y / n\n",
        "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\nprint 1, 2\n",
    ],
)
def test_a_second_run_reads_python_3(text: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "train.py"
    data = f"{text}import tensorflow as tf\nz = tf.log(1.0)\n".encode()
    first = pipeline.migrate_bytes(path, data, Options(python2=True))
    assert f"{python2.MARK}\n".encode() in first.new
    if text.startswith("#!"):
        assert first.new.splitlines()[2].decode() == python2.MARK
    again = pipeline.migrate_bytes(path, first.new, Options(python2=True))
    assert not again.changed
    assert not {f.code for f in again.findings} & {"E010", "E011"}
    # Without that line it would be read as Python 2.
    unmarked = first.new.replace(f"{python2.MARK}\n".encode(), b"")
    assert pipeline.migrate_bytes(path, unmarked, Options(python2=True)).changed


def test_a_text_that_reads_the_same_is_not_marked(tmp_path: pathlib.Path) -> None:
    data = b"import tensorflow as tf\nprint tf.log(1.0)\n"
    first = pipeline.migrate_bytes(tmp_path / "a.py", data, Options(python2=True))
    assert b"tf1to2" not in first.new
    second = pipeline.migrate_bytes(tmp_path / "a.py", first.new, Options(python2=True))
    assert not second.changed


def test_our_own_output_is_python_3(tmp_path: pathlib.Path) -> None:
    text = b"import tensorflow as tf\nimport training_session\n\nx = 7 / 2\n"
    path = tmp_path / "train.py"
    path.write_bytes(text)
    options = Options(python2=True)
    assert b"7 // 2" in pipeline.migrate_bytes(path, text, options).new
    emitted.write(emitted.list_files("training_session"), tmp_path)
    assert not pipeline.migrate_bytes(path, text, options).changed


@pytest.mark.parametrize("python_2", [True, False])
def test_what_is_neither_is_sent_nowhere(python_2: bool) -> None:
    """A print statement beside what Python 2 cannot read either."""
    data = b"import tensorflow as tf\nprint 'a'\nx = = 3\n"
    options = Options(python2=python_2)
    (found,) = pipeline.migrate_bytes(pathlib.Path("x.py"), data, options).findings
    assert found.code == "E003"
    assert (
        "--python2" not in found.recipe and "not valid Python 2 either" in found.recipe
    )


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ('import tensorflow as tf\nexec "a = 1"\nasync = 3\n', 3, "`async`"),
        (
            "import tensorflow as tf\nprint 'x'\ntf.train.batch(async=True)\n",
            3,
            "`async`",
        ),
        ("import tensorflow\nprint 'x'\n\ndef f(await):\n    pass\n", 4, "`await`"),
        ("import tensorflow\nprint 'x'\nTrue = 1\n", 3, "`True`"),
    ],
)
def test_what_python_3_cannot_read_even_then_is_named(
    text: str, line: int, word: str
) -> None:
    path = pathlib.Path("a.py")
    for given in (False, True):
        options = Options(python2=given)
        (finding,) = pipeline.migrate_bytes(path, text.encode(), options).findings
        assert finding.code == "E004" and f"line {line}," in finding.recipe
        assert word in finding.recipe
        assert ("--python2" in finding.recipe) is not given
    # A control: what can be converted is not held up.
    plain = "".join(text.splitlines(keepends=True)[: line - 1])
    (finding,) = pipeline.migrate_bytes(path, plain.encode(), Options()).findings
    assert finding.code == "E004" and finding.recipe.startswith("Use --python2")
    assert not pipeline.migrate_bytes(
        path, plain.encode(), Options(python2=True)
    ).failed

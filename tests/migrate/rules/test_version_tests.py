"""Tests of TensorFlow's version have TensorFlow 1.15.5's outcome in what is migrated."""

from __future__ import annotations

import json
import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.rules.version_tests import decide
from reference import processes, runner
from tests import ledger

TESTS = [
    'tf.__version__.startswith("1.")',
    'tf.__version__ < "1.15.0"',
    'tf.VERSION >= "2"',
    'not tf.__version__[0] >= "1"',
    'int(tf.__version__.split(".")[1]) < 12 and int(tf.__version__.split(".")[0]) < 1',
    'int((tf.__version__).split(".")[1]) < 12',
    'LooseVersion(tf.__version__) >= LooseVersion("1.4")',
    'list(map(int, tf.__version__.split(".")))[:2] >= [1, 4]',
    'tuple(map(int, V.split(".")[:2])) > (1, 15)',
    "MAJOR == 1",
    '"1.10" <= V',
]
HEAD = """\
from distutils.version import LooseVersion
import tensorflow as tf
V = tf.__version__
MAJOR = int(V.split(".")[0])
"""
BRANCH = "if {}:\n    taken = 1\nelse:\n    taken = 2\n"


def _decide(test: str) -> int | None:
    decided = decide(HEAD + BRANCH.format(test))
    assert decided is not None
    last = decided.text.source.rstrip().split("\n")[-1]
    return int(last[-1]) if last.startswith("taken") else None


def test_outcomes_are_those_of_tensorflow_1(tf1: str, tmp_path: pathlib.Path) -> None:
    ledger.rests_on(
        ledger.COMPILER / "rules" / "version_tests.py", pathlib.Path(__file__)
    )
    text = HEAD + "import json\nfound = []\n"
    text += "".join(BRANCH.format(t) + "found.append(taken)\n" for t in TESTS)
    (tmp_path / "ask.py").write_text(text + "print(json.dumps(found))\n", "utf-8")
    done = processes.run_program(
        [tf1, tmp_path / "ask.py"], environment=runner.ENVIRONMENT
    )
    real = json.loads(done.stdout.splitlines()[-1])
    assert [_decide(test) for test in TESTS] == real
    assert {*real} == {1, 2}


FORMS = {
    "comments": (
        'if V >= "2":\n    # New.\n    a = 2\nelse:\n    # Old.\n    a = 1\n\n    b = 1\nc = 1\n',
        "# Old.\na = 1\n\nb = 1\nc = 1\n",
    ),
    "elif": (
        'if V < "1":\n    a = 0\nelif ready:\n    a = 1\nelse:\n    a = 2\n',
        "if ready:\n    a = 1\nelse:\n    a = 2\n",
    ),
    "elif that is decided": (
        'if ready:\n    a = 0\nelif V < "1":\n    a = 1\n',
        "if ready:\n    a = 0\nelif False:\n    a = 1\n",
    ),
    "nothing": ('if V < "1":\n    a = 0\nb = 1\n', "b = 1\n"),
    "one line": ('if V < "1": a = 0\nb = 1\n', "b = 1\n"),
    "one line that is run": ('if V > "1": a = 0\nb = 1\n', "if True: a = 0\nb = 1\n"),
    "alone": (
        'def f():\n    if V < "1":\n        a = 0\n\n\nb = 1\n',
        "def f():\n    pass\n\n\nb = 1\n",
    ),
    "text": (
        'if V > "1":\n    a = """\n    x\n"""\n',
        'a = """\n    x\n"""\n',
    ),
    "nested": (
        'if V > "1":\n  if V > "1.4":\n    a = 1\n  else:\n    a = 2\n',
        "a = 2\n",
    ),
    "value": ('a = tf.__version__ >= "2"\n', 'a = "1.15.5" >= "2"\n'),
}


@pytest.mark.parametrize(("old", "new"), FORMS.values(), ids=FORMS)
def test_the_branch_stands_for_the_test(old: str, new: str) -> None:
    decided = decide(HEAD + old)
    assert decided is not None
    assert decided.text.source == HEAD + new
    lines = (HEAD + old).split("\n")
    for line, origin in zip(decided.text.lines, decided.text.origins, strict=True):
        if line.strip().startswith(("a =", "b =", "#")) and "1.15.5" not in line:
            assert line.strip() in lines[origin - 1]


LEFT = [
    "print(tf.__version__)\n",
    'run_info = {"version": tf.VERSION}\n',
    'if np.__version__ < "1.4":\n    a = 1\n',
    "if V in known:\n    a = 1\n",
]


@pytest.mark.parametrize("text", LEFT)
def test_what_decides_nothing_is_left(text: str) -> None:
    assert decide(f"import numpy as np\n{HEAD}{text}") is None


PROGRAM = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [])
if tf.__version__.startswith("1."):
    rate = 0.1
else:
    rate = 0.2
y = x * rate
with tf.Session() as sess:
    print(sess.run(y, {x: 1.0}))
"""


def test_a_migrated_program_takes_tensorflow_1s_branch() -> None:
    done = migrate_text(PROGRAM)
    assert "rate = 0.1\n" in done.text and "0.2" not in done.text
    (told,) = [f for f in done.findings if "decided as in" in f.reason]
    assert (told.line, told.outcome) == (3, Outcome.REWRITTEN)


def test_a_refused_program_keeps_its_test() -> None:
    text = PROGRAM.replace("x * rate", "tf.contrib.gan.foo(x) * rate")
    done = migrate_text(text)
    assert 'if tf.__version__.startswith("1."):' in done.text
    assert not [f for f in done.findings if f.outcome is Outcome.REWRITTEN]
    (told,) = [f for f in done.findings if f.code == "T111"]
    assert told.line == 7


def test_code_of_tensorflow_2_keeps_its_test() -> None:
    text = 'import tensorflow as tf\nif tf.__version__ >= "2":\n    print(tf.ones(2))\n'
    assert migrate_text(text).text == text

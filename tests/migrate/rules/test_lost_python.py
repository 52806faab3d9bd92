"""Names that Python lost, and arrays that NumPy does not make any more: told at their lines."""

from __future__ import annotations

import json
import pathlib
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from migrate.cli import main
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.tables import lost_python as table
from reference import processes
from reference.environment import TF1, find
from tests import ledger

# Which of some names a version has, be they modules or names in one.
_ASK = """\
import importlib, json, sys, warnings
warnings.simplefilter("ignore")

def has(name):
    module, _, last = name.rpartition(".")
    try:
        importlib.import_module(name)
        return True
    except ImportError:
        pass
    return bool(module) and hasattr(importlib.import_module(module), last)

names = json.load(open(sys.argv[1]))
print(json.dumps([name for name in names if has(name)]))
"""
HEAD = "import numpy as np\nimport tensorflow as tf\n"
USE = "y = tf.log(1.0)\n"


def _list_present(python: str, directory: pathlib.Path) -> set[str]:
    (directory / "ask.py").write_text(_ASK)
    # A name that both have shows that they are asked.
    (directory / "names.json").write_text(json.dumps([*table.LOST, "time.time"]))
    done = processes.run_program(
        [python, directory / "ask.py", directory / "names.json"],
        environment={"PYTHONWARNINGS": "ignore"},
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_each_name_is_in_the_older_python_alone(tmp_path: pathlib.Path) -> None:
    ledger.rests_on(
        ledger.COMPILER / "tables" / "lost_python.py", pathlib.Path(__file__)
    )
    assert _list_present(sys.executable, tmp_path) == {"time.time"}
    python = find(TF1)
    if python is None:
        pytest.skip("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    assert _list_present(str(python), tmp_path) == {*table.LOST, "time.time"}


def _told(host: str) -> list[tuple[int, str, str]]:
    done = migrate_text(HEAD + host + USE)
    assert USE.replace("tf.log", "tf.math.log") in done.text and host in done.text
    found = [f for f in done.findings if f.code == "D167"]
    assert all(f.outcome is Outcome.WARNED for f in found)
    return [(f.line - 2, f.symbol, f.recipe) for f in found]


@pytest.mark.parametrize(
    ("host", "line", "name"),
    [
        ("import time\nstart = time.clock()\n", 2, "time.clock"),
        ("import time as t\nstart = t.clock()\n", 2, "time.clock"),
        ("from time import clock, time\n", 1, "time.clock"),
        ("import collections\na = collections.Mapping\n", 2, "collections.Mapping"),
        ("from collections import Iterable\n", 1, "collections.Iterable"),
        ("import dummy_threading as threading\n", 1, "dummy_threading"),
        ("from dummy_threading import Thread\n", 1, "dummy_threading"),
        ("from inspect import getargspec\n", 1, "inspect.getargspec"),
    ],
)
def test_a_name_is_told_at_its_line(host: str, line: int, name: str) -> None:
    assert _told(host) == [(line, name, table.LOST[name])]


@pytest.mark.parametrize(
    "host",
    [
        "import collections.abc\na = collections.abc.Mapping\n",
        "from collections import OrderedDict\n",
        "from .collections import Mapping\n",
        "def f(time):\n    return time.clock()\n",
        "import time\ntime.clock = time.time\n",
        # The other Python's, where this one has none.
        "try:\n    from collections import Mapping\nexcept ImportError:\n"
        "    from collections.abc import Mapping\n",
        "try:\n    from collections.abc import Mapping\nexcept ImportError:\n"
        "    from collections import Mapping\n",
        'import time\nc = time.clock if hasattr(time, "clock") else time.time\n',
        "import sys, time\nif sys.version_info < (3, 8):\n    c = time.clock()\n",
    ],
)
def test_another_name_and_a_guarded_one_are_not_told(host: str) -> None:
    assert _told(host) == []


RAGGED = ("[[1], [1, 2]]", "([], [1])", "[1, [2]]", "[[[1]], [[1, 2]]]", "[['a'], 'b']")
EVEN = ("[[1], [2]]", "[[], []]", "[1, 2]", "[[[1, 2]], [[3, 4]]]", "['ab', 'c']")


@pytest.mark.parametrize("display", RAGGED)
def test_rows_of_different_lengths_are_told(display: str) -> None:
    with pytest.raises(ValueError, match="inhomogeneous"):
        np.array(eval(display))
    assert np.array(eval(display), dtype=object).size
    [(line, name, recipe)] = _told(f"a = np.array({display})\n")
    assert (line, name) == (1, "numpy.array") and "dtype=object" in recipe
    assert not _told(f"a = np.array({display}, dtype=object)\n")


@pytest.mark.parametrize("display", EVEN)
def test_rows_of_one_length_are_not_told(display: str) -> None:
    assert np.array(eval(display)).size + 1
    assert not _told(f"a = np.array({display})\n")


@pytest.mark.parametrize(
    "host",
    [
        "b = [1]\na = np.array([[1], b])\n",
        "b = [1]\na = np.array([[1, 2], [*b, 1]])\n",
        "b = 1\na = np.array([b, [1]])\n",
        "a = np.stack([[1], [2]])\n",
        "a = np.array([[1], [1, 2]], object)\n",
        'a = np.array([[1], [1, 2]], **{"dtype": object})\n',
    ],
)
def test_what_nobody_knows_the_lengths_of_is_not_told(host: str) -> None:
    assert not _told(host)


def test_a_helper_is_told_with_the_program_that_loads_it(
    tmp_path: pathlib.Path,
) -> None:
    (tmp_path / "main.py").write_text(f"import clocks, rows, others\n{HEAD}{USE}")
    (tmp_path / "clocks.py").write_text("import time\nstart = time.clock()\n")
    (tmp_path / "rows.py").write_text("import numpy\na = numpy.array([[1], [1, 2]])\n")
    (tmp_path / "others.py").write_text("import time\nfrom typing import Mapping\n")
    (tmp_path / "alone.py").write_text("import time\nstart = time.clock()\n")
    done = CliRunner().invoke(main, ["check", str(tmp_path), "--jobs", "1"])
    assert "clocks.py:2:9: D167" in done.output and "rows.py:2:5: D167" in done.output
    assert "others.py" not in done.output and "alone.py" not in done.output

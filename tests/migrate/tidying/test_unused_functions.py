"""Functions that the old form of a program called alone."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.facts.trees.named_functions import find_named_elsewhere
from migrate.findings import Outcome
from migrate.options import Options
from migrate.run import run_tree
from migrate.tidying.unused_functions import remove_unused_functions

TOWERS = pathlib.Path(__file__).parents[2] / "programs" / "alone" / "towers_clipped.py"
OLD = """\
import tf


# Averages.
def average(x):
    return mean(x)


def mean(x):
    return x and mean(x[1:])


x = average(1)
"""


def test_a_function_goes_with_its_comment_and_what_it_alone_called() -> None:
    new = OLD.replace("x = average(1)", "x = 2")
    assert remove_unused_functions(OLD, new, ()) == (
        "import tf\n\n\nx = 2\n",
        ["average", "mean"],
    )


def test_at_the_end_of_a_file() -> None:
    old = "x = f(1)\n\n\ndef f(x):\n    return x\n"
    new = old.replace("f(1)", "1")
    assert remove_unused_functions(old, new, ()) == ("x = 1\n", ["f"])


@pytest.mark.parametrize(
    "line", ["y = average", "y = getattr(m, 'average')", "y = m.average(2)"]
)
def test_a_function_that_is_named_stays(line: str) -> None:
    new = OLD.replace("x = average(1)", line)
    assert remove_unused_functions(OLD, new, ()) == (new, [])


def test_a_function_that_another_file_names_stays() -> None:
    new = OLD.replace("x = average(1)", "x = 2")
    assert remove_unused_functions(OLD, new, {"average"}) == (new, [])
    assert remove_unused_functions(OLD, new, {"mean"})[1] == ["average"]


def test_a_function_that_nothing_called_stays() -> None:
    old = OLD.replace("x = average(1)", "x = 1")
    assert remove_unused_functions(old, old.replace("x = 1", "x = 2"), ())[1] == []


def test_main_stays() -> None:
    old = "def main(_):\n    run()\n\n\napp.run(main=main)\n"
    assert remove_unused_functions(old, old.replace("main=main", ""), ())[1] == []


def test_an_average_over_towers_goes_and_a_finding_names_it() -> None:
    done = migrate_text(TOWERS.read_text(), Options(), TOWERS.name)
    assert "average_gradients" not in done.text
    (finding,) = [f for f in done.findings if "average_gradients" in f.reason]
    assert (finding.code, finding.outcome) == ("S114", Outcome.REWRITTEN)
    line = TOWERS.read_text().splitlines()[finding.line - 1]
    assert line == "def average_gradients(tower_grads):"


@pytest.mark.parametrize(
    "other, stays",
    [
        ("from towers import average_gradients\n", True),
        ("from towers import *\n", True),
        ("m = __import__('towers')\nprint(m.average_gradients)\n", True),
        ("from other import average_gradients\n", False),
        ("towers = 3\n", False),
    ],
)
def test_another_file_of_the_run_may_name_it(
    other: str, stays: bool, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "towers.py").write_text(TOWERS.read_text())
    (tmp_path / "use.py").write_text(other)
    named = find_named_elsewhere([tmp_path / "towers.py", tmp_path / "use.py"])
    mine = named.get(str((tmp_path / "towers.py").resolve()), frozenset())
    assert ("average_gradients" in mine) is stays
    results = run_tree([tmp_path], Options(), jobs=1)
    (new,) = [r.new for r in results if r.path.name == "towers.py"]
    assert (b"def average_gradients" in new) is stays

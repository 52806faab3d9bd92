"""Recipes that are followed in another form than one program's text.

A notebook, a program of Python 2, a program of several files, and graph mode: as
`tests/rules/test_recipes.py`, but with the options and files that the code is of.
"""

from __future__ import annotations

import json
import pathlib

import pytest

from migrate import outcomes
from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.options import Options
from migrate.outcomes import HELD, PART, Status
from migrate.run import run_programs
from tests.rules.followed import FOLLOWED

TOLD = (Outcome.REFUSED, Outcome.WARNED, Outcome.FAILED)
GRAPH = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.get_variable("w", [2, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: [[1.0, 2.0]]})
"""
TRACED = GRAPH.replace(
    "    sess.run(train,",
    "    told = tf.RunMetadata()\n"
    "    sess.run(loss, {x: [[1.0, 2.0]]}, tf.RunOptions(trace_level=3), told)\n"
    "    print(told)\n"
    "    sess.run(train,",
)


def _notebook(*cells: str) -> str:
    parts = [
        {"cell_type": "code", "metadata": {}, "source": cell, "outputs": []}
        for cell in cells
    ]
    return json.dumps(
        {"cells": parts, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    )


# Code -> options, the files that are told it, and those with the recipe followed.
TRAINS = """import tensorflow as tf
def main(batch):
    x = tf.placeholder(tf.float32, [None])
    w = tf.Variable(0.5)
    loss = tf.reduce_mean(tf.square(x * w - 1.0))
    update = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(update, {x: batch})
"""
FORMS: dict[str, tuple[Options, dict[str, str], dict[str, str]]] = {
    "E007": (
        Options(),
        {"a.ipynb": _notebook("!conda install tensorflow=1.15", GRAPH)},
        {"a.ipynb": _notebook("!conda list", GRAPH)},
    ),
    "E011_division": (
        Options(python2=True),
        {"a.py": f"{GRAPH}print 'share', FLAGS.seen / FLAGS.batch\n"},
        {"a.py": f"{GRAPH}print 'share', FLAGS.seen // FLAGS.batch\n"},
    ),
    "E011": (
        Options(python2=True),
        {"a.py": f"{GRAPH}print 'kept', round(2.5)\n"},
        {"a.py": f"import math\n{GRAPH}print 'kept', math.floor(2.5 + 0.5)\n"},
    ),
    "N102": (
        Options(),
        {
            "train.py": "import model\nimport tensorflow as tf\ntf.InteractiveSession()\n",
            "model.py": "import tensorflow as tf\nrate = tf.log(2.0)\n",
        },
        {
            "train.py": "import model\nimport tensorflow as tf\nprint(model.rate)\n",
            "model.py": "import tensorflow as tf\nrate = tf.log(2.0)\n",
        },
    ),
    "S130": (
        Options(),
        {
            "train.py": f"{TRAINS}if __name__ == '__main__':\n"
            "    main([1.0])\n    tf.contrib.nothing()\n",
            "use.py": "import train\ntrain.main([2.0])\n",
        },
        {
            "train.py": TRAINS,
            "use.py": "import train\ntrain.main([2.0])\n",
        },
    ),
    "T151": (
        Options(fallback="compat"),
        {"a.py": TRACED + "tf.contrib.rnn.GridLSTMCell(1)\n"},
        {"a.py": TRACED},
    ),
}
# What the recipe of one of these leads to, where that is not a migrated program.
ENDS = {"T151": Status.COMPAT}


def _migrate(
    directory: pathlib.Path, options: Options, files: dict[str, str]
) -> tuple[list[Finding], set[Status]]:
    directory.mkdir()
    for name, text in files.items():
        (directory / name).write_text(text, "utf-8")
    results = [r for part in run_programs([directory], options) for r in part]
    found = [f for r in results for f in r.findings if f.outcome in TOLD]
    return found, {p.status for p in outcomes.list_programs(results)}


@pytest.mark.parametrize("code", FORMS)
def test_who_follows_the_recipe_has_a_program_that_runs(
    code: str, tmp_path: pathlib.Path
) -> None:
    options, before, after = FORMS[code]
    told, _ = _migrate(tmp_path / "before", options, before)
    assert code[:4] in {f.code for f in told}
    left, ends = _migrate(tmp_path / "after", options, after)
    assert ends == {ENDS.get(code, Status.MIGRATED)}
    if code not in ENDS:
        assert not left
    else:
        assert code[:4] not in {f.code for f in left}


# N100 and N102 say where the reason is.
ELSEWHERE = (PART, HELD)


def test_a_part_of_a_refused_program_is_never_alone() -> None:
    """A finding beside the refused part has the reason."""
    seen = 0
    for name in sorted(FOLLOWED)[::5]:
        found = migrate_text(FOLLOWED[name][0]).findings
        codes = {f.code for f in found if f.outcome in TOLD}
        if codes & {*ELSEWHERE}:
            seen += 1
            assert codes - {*ELSEWHERE}, name
    assert seen > 10


@pytest.mark.parametrize("name", ["S109", "V103_regulariser", "E114", "H122_sometimes"])
def test_the_reason_of_a_program_is_never_that_it_is_a_part(
    name: str, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "program.py").write_text(FOLLOWED[name][0], "utf-8")
    results = [r for part in run_programs([tmp_path]) for r in part]
    assert PART in {f.code for r in results for f in r.findings}
    (program,) = outcomes.list_programs(results)
    assert program.reason is not None and program.reason[1].code not in ELSEWHERE

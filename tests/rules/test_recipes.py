"""Who follows a refusal's recipe ends with a program that is migrated.

`FOLLOWED` has, for a code, a program that is refused with it and the same program with the
recipe followed. What is refusable and has no such pair is listed by

    python -m tests.rules.test_recipes
"""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate import emitted
from migrate.codes import CODES
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference.pages.cases import cases
from reference.processes import run_program
from tests.rules.followed import clusters, estimators, sessions, symbols

HEAD = "import tensorflow as tf\n\n"
GRAPH = """\
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
"""
SESSION = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(train, {x: [[1.0, 2.0, 3.0]]})
"""
PROGRAM = HEAD + GRAPH + SESSION
# Code -> a refused program, and what the recipe makes of it.
FOLLOWED = {
    "N101": (
        HEAD + GRAPH + "look = tf.Session()\nprint(look.run(w))\n" + SESSION,
        PROGRAM,
    ),
    "N111": (
        PROGRAM.replace(
            "import tensorflow as tf\n", "import tensorflow as tf\nplain_session = 3\n"
        ),
        PROGRAM.replace(
            "import tensorflow as tf\n", "import tensorflow as tf\nsession_count = 3\n"
        ),
    ),
    "S101": (
        HEAD
        + GRAPH
        + "class Model:\n    def __init__(self):\n        self.sess = tf.Session()\n"
        "        self.sess.run(train)\n",
        PROGRAM,
    ),
    "T111": (
        HEAD
        + "print(tf.log(1.0))\nmodel = tf.keras.utils.multi_gpu_model(make(), gpus=2)\n",
        HEAD
        + "print(tf.log(1.0))\nwith tf.distribute.MirroredStrategy().scope():\n    model = make()\n",
    ),
    "T121": (
        HEAD + "y = tf.log(1.0)\nz = tf.matmul(y)\n",
        HEAD + "y = tf.log(1.0)\nz = tf.matmul(y, y)\n",
    ),
}


# Code -> what its recipe changes in its case of this directory.
IN_CASES = {
    "N135": (
        ("loss_of(labels, squared)", "loss_of(prediction, labels, squared)"),
        ("loss_of(1.0", "loss_of(prediction, 1.0"),
    ),
    "L120": (("tf.layers", "tf.log\nimport tf_keras\ntf_keras.layers"),),
    "N113": (
        ("w = tf.Variable(2.0)\n    h = h * w", "v = tf.Variable(2.0)\n    h = h * v"),
    ),
    "O104": ((", variables_to_average=[w]", ""),),
    "S105": (('feeds = {}\nfeeds["x"] = ', "x = "), ('feeds["x"]', "x")),
    "S111": (("{x: np.ones([1, 2])}", "{x: np.ones([1, 2]), y: np.ones([1, 2])}"),),
    "S112": (
        ("for part in parts:", "for part in sess.run(parts, {x: np.ones([1, 2])}):"),
        ("print(sess.run(part, {x: np.ones([1, 2])}))", "print(part)"),
    ),
    "T116": (('getattr(tf, "log")', '{"log": tf.log}["log"]'),),
}
for _code, _changes in IN_CASES.items():
    _text = cases()[_code].text
    _followed = _text
    for _old, _new in _changes:
        assert _old in _followed, _code
        _followed = _followed.replace(_old, _new)
    FOLLOWED[_code] = _text, _followed
for _module in (symbols, sessions, clusters, estimators):
    assert not set(_module.FOLLOWED) & set(FOLLOWED)
    FOLLOWED |= _module.FOLLOWED
# Programs of TensorFlow 2: what the recipe makes of them has nothing left to migrate.
OF_TF2 = {"D110", "D137"}


def refused(text: str) -> set[str]:
    found = migrate_text(text).findings
    assert not [f for f in found if f.outcome is Outcome.FAILED]
    return {f.code for f in found if f.outcome is Outcome.REFUSED}


@pytest.mark.parametrize("code", FOLLOWED)
def test_the_recipe_leads_to_a_program_that_is_migrated(code: str) -> None:
    before, after = FOLLOWED[code]
    assert code in refused(before)
    assert not refused(after)
    assert (migrate_text(after).text == after) is (code in OF_TF2)


# Of the commonest in public code: what is written of the followed program runs.
RUN = ("S109", "L102", "E114")


def test_what_is_written_runs(tmp_path: pathlib.Path) -> None:
    after = {code: FOLLOWED[code][1] for code in RUN}
    written = {
        code: migrate_text(text.replace("/tmp/model", "model"))
        for code, text in after.items()
    }
    for code, migration in written.items():
        path = tmp_path / code / "main.py"
        path.parent.mkdir()
        path.write_text(migration.text, "utf-8")
        emitted.write(migration.support, path.parent)
        run_program([sys.executable, path], directory=path.parent)


def refusable() -> set[str]:
    """Codes with which a case is refused."""
    return {
        code
        for code, case in cases().items()
        if any(f.outcome is Outcome.REFUSED for f in case.findings())
    }


def test_each_is_a_code() -> None:
    assert set(FOLLOWED) <= set(CODES)


if __name__ == "__main__":
    known = refusable()
    print(f"{len(known & set(FOLLOWED))} of {len(known)} are followed; not yet:")
    print(*sorted(known - set(FOLLOWED)))

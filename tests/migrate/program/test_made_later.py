"""Checks that savers and lists cover the variables that exist when they are made."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

IMPORTS = "import numpy as np\nimport tensorflow as tf\n"
START = f"""{IMPORTS}x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]), name="w")
step = tf.train.get_or_create_global_step()
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
"""
RUN = """with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, {x: np.ones([1, 2])})
"""
ADAM = "train_op = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)\n"
DESCENT = ADAM.replace("Adam", "GradientDescent")
SAVER = "saver = tf.train.Saver(max_to_keep=3)\n"
LISTED = "saver = tf.train.Saver(tf.global_variables(), max_to_keep=3)\n"
INIT = "init = tf.global_variables_initializer()\n"
SAVE = '    saver.save(sess, "ck/a")\n'
AGAIN = "    sess.run(init)\n"
LATER = [
    "best = tf.Variable(0.0, trainable=False)\n",
    "def make():\n    return tf.get_variable('more', [1])\nbest = make()\n",
]


def _migrated(text: str) -> tuple[str, set[str]]:
    done = migrate_text(text)
    return done.text, {f.code for f in done.findings if f.outcome is Outcome.REFUSED}


@pytest.mark.parametrize("saver", [SAVER, LISTED])
@pytest.mark.parametrize("later", [ADAM, LATER[0] + DESCENT, LATER[1] + DESCENT])
def test_an_early_saver_keeps_what_there_was(saver: str, later: str) -> None:
    text, refused = _migrated(START + saver + later + RUN + SAVE)
    assert not refused
    assert "training_session.Saver([w, step], max_to_keep=3)" in text


@pytest.mark.parametrize(
    ("start", "later"),
    [
        (START, DESCENT),
        (START, "again = tf.train.get_or_create_global_step()\n" + DESCENT),
        (START + ADAM, ""),
    ],
)
def test_a_saver_of_all_stays_one(start: str, later: str) -> None:
    text, refused = _migrated(start + SAVER + later + RUN + SAVE)
    assert not refused
    every = ("[w, step, *optimizer.variables()]", "[w, step]")
    savers = [f"tf.compat.v1.train.Saver({listed}, max_to_keep=3)" for listed in every]
    savers.append("training_session.Saver(max_to_keep=3)")
    assert any(saver in text for saver in savers)


@pytest.mark.parametrize(
    "more",
    [
        "h = tf.layers.dense(x, 1)\nloss += tf.reduce_sum(h)\n",
        "v = [tf.Variable(1.0), tf.Variable(2.0)]\nloss += v[0] * v[1]\n",
        "def make():\n    return tf.get_variable('v', [])\nloss += make()\n",
    ],
)
def test_an_early_saver_of_what_has_no_name_is_refused(more: str) -> None:
    assert "V111" in _migrated(START + more + SAVER + ADAM + RUN + SAVE)[1]
    assert "V111" not in _migrated(START + more + ADAM + SAVER + RUN + SAVE)[1]


def test_a_list_that_was_made_early_is_refused() -> None:
    listed = "kept = tf.global_variables()\n"
    saver = "saver = tf.train.Saver(kept)\n"
    assert _migrated(START + listed + ADAM + saver + RUN + SAVE)[1]


@pytest.mark.parametrize("later", [ADAM, LATER[0] + DESCENT, LATER[1] + DESCENT])
def test_an_early_initialiser_that_runs_again_is_refused(later: str) -> None:
    assert "S122" in _migrated(START + INIT + later + RUN + AGAIN)[1]


@pytest.mark.parametrize("graph", [INIT + DESCENT, ADAM + INIT])
def test_an_initialiser_of_all_may_run_again(graph: str) -> None:
    text, refused = _migrated(START + graph + RUN + AGAIN)
    assert not refused
    assert "    variable.assign(value)" in text


def test_an_early_initialiser_that_runs_once_is_dropped() -> None:
    once = RUN.replace("tf.global_variables_initializer()", "init")
    start = START.replace(
        "tf.train.get_or_create_global_step()", "tf.Variable(0, trainable=False)"
    )
    assert not _migrated(start + INIT + DESCENT + once)[1]


def test_a_graph_of_every_round_has_its_own_saver() -> None:
    graph = "".join(
        f"    {line}\n"
        for line in (START[len(IMPORTS) :] + ADAM + SAVER + RUN + SAVE).splitlines()
    )
    start = IMPORTS + "for rate in (0.1, 0.2):\n    tf.reset_default_graph()\n"
    assert "V111" not in _migrated(start + graph)[1]

"""A loop that runs each assignment of a list becomes one run of the list."""

from __future__ import annotations

import pytest

from migrate.normalise.graph_places.fetched_calls import name_fetched_calls
from migrate.normalise.text import Text

PROGRAM = """import tensorflow as tf
{made}
with tf.Session() as sess:
    for i in range(3):
        for copy in copies:
            sess.run(copy)
"""
FUNCTION = """def copy_all(values):
    made = []
    for value in values:
        made.append(targets[value].assign(value))
    return made
"""
JOINED = {
    "a list": "copies = [w.assign(v), tf.assign(u, v)]",
    "a comprehension": "copies = [t.assign(e) for t, e in zip(targets, values)]",
    "a list that is filled": "copies = []\ncopies.append(w.assign_add(v))",
    "what a function returns": f"{FUNCTION}copies = copy_all(values)",
}
OTHERS = {
    "updates, each of which sees the one before": "copies = [one.minimize(loss), two.minimize(loss)]",
    "an update among them": "copies = [w.assign(v)]\ncopies.append(train)",
    "a list that another function fills": "copies = []\nfill(copies)",
    "a list that shrinks": "copies = [w.assign(v), tf.assign(u, v)]\ncopies.pop()",
    "another value of the name": "copies = [w.assign(v)]\nif more:\n    copies = updates",
}


def _rewrite(made: str, old: str = "", new: str = "") -> str:
    program = PROGRAM.format(made=made).replace(old, new)
    return name_fetched_calls(Text.read_source(program)).source


@pytest.mark.parametrize("made", JOINED.values(), ids=JOINED)
def test_assignments_are_one_run(made: str) -> None:
    text = _rewrite(made)
    assert text.endswith("    for i in range(3):\n        sess.run(copies)\n")


def test_a_function_gets_the_list() -> None:
    helper = (
        "def run_all(session, made):\n    for one in made:\n        session.run(one)\n"
    )
    text = _rewrite(
        helper + JOINED["a list"],
        "        for copy in copies:\n            sess.run(copy)",
        "        run_all(sess, copies)",
    )
    assert "def run_all(session, made):\n    session.run(made)\n" in text


@pytest.mark.parametrize("made", OTHERS.values(), ids=OTHERS)
def test_other_operations_run_one_by_one(made: str) -> None:
    assert "for copy in copies:" in _rewrite(made)


@pytest.mark.parametrize(
    "old,new",
    [
        ("sess.run(copy)", "print(sess.run(copy))"),
        ("sess.run(copy)", "sess.run(copy, {x: next(batches)})"),
        ("tf.Session()", "tf.train.MonitoredTrainingSession()"),
        (
            "            sess.run(copy)",
            "            sess.run(copy)\n        print(copy)",
        ),
    ],
    ids=[
        "a value",
        "a feed",
        "a session that counts runs",
        "a name that is read after",
    ],
)
def test_other_loops_stay(old: str, new: str) -> None:
    assert "for copy in copies:" in _rewrite(JOINED["a list"], old, new)

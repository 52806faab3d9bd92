"""Lines of a rewritten block stand beside those that say nearly the same."""

from __future__ import annotations

from migrate.report import alignment
from migrate.report.alignment import align

OLD = """\
net = tf.layers.dense(x, 10)
loss = tf.reduce_mean(tf.square(net - y))
step = tf.train.get_or_create_global_step()
server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
"""
NEW = """\
strategy = tf.distribute.get_strategy()

with strategy.scope():
    step = training_session.create_global_step()
    net = layers.dense(x, 10)
    loss = tf.reduce_mean(tf.square(net - y))
server = tf.distribute.Server(
    cluster)
"""


def _pairs(old: str, new: str) -> list[tuple[str, str]]:
    before, after = old.splitlines(), new.splitlines()
    return [
        ("" if a is None else before[a].strip(), "" if b is None else after[b].strip())
        for a, b in align(before, after)
    ]


def test_each_line_is_there_once_and_in_order() -> None:
    pairs = align(OLD.splitlines(), NEW.splitlines())
    assert [a for a, _ in pairs if a is not None] == [0, 1, 2, 3]
    assert [b for _, b in pairs if b is not None] == list(range(8))


def test_pairs_say_nearly_the_same() -> None:
    pairs = _pairs(OLD, NEW)
    assert ("net = tf.layers.dense(x, 10)", "net = layers.dense(x, 10)") in pairs
    both = "loss = tf.reduce_mean(tf.square(net - y))"
    assert (both, both) in pairs
    # One statement in several lines stands beside the first of them.
    assert any(a.startswith("server") and b.startswith("server") for a, b in pairs)


def test_unrelated_lines_are_no_pair() -> None:
    pairs = _pairs("net = tf.abs(x)\n", "\nw = tf.zeros(3)\n")
    assert pairs == [("net = tf.abs(x)", ""), ("", ""), ("", "w = tf.zeros(3)")]


def test_a_name_that_is_assigned_on_both_sides_is_a_pair() -> None:
    old, new = "step = a.b(c)\n", "step = other.things(entirely, different)\n"
    assert _pairs(old, new) == [(old.strip(), new.strip())]


def test_a_very_large_block_is_not_compared(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(alignment, "_MOST_PAIRS", 3)
    assert align(["a b c", "d"], ["a b c", "e"]) == [
        (0, None),
        (1, None),
        (None, 0),
        (None, 1),
    ]

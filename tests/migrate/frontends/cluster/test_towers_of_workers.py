"""Towers within each worker: which are refused, and what tells a tower's turn from a step."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

ROOT = pathlib.Path(__file__).parents[4]
PROGRAM = (ROOT / "reference" / "towers_of_workers" / "tf1.py").read_text()
LOSS = "          loss = tower_loss(image_splits[i], label_splits[i])\n"
GRADS = "        tower_grads.append(opt.compute_gradients(loss))\n"
APPLIED = "    train_op = opt.apply_gradients(grads, global_step=global_step)\n"
PLACED = """"/job:worker/task:%d/gpu:%d" % (FLAGS.task_index, i)"""


def _codes(old: str, new: str) -> dict[str, str]:
    assert PROGRAM.count(old) == 1
    migration = migrate_text(PROGRAM.replace(old, new))
    assert "towers_of_workers" not in migration.text
    return {
        f.code: f.reason for f in migration.findings if f.outcome is Outcome.REFUSED
    }


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            LOSS,
            "          x = tf.layers.batch_normalization(image_splits[i], training=True)\n"
            "          loss = tower_loss(x, label_splits[i])\n",
            "they normalise batches",
        ),
        (
            GRADS,
            f'{GRADS}        with tf.name_scope("tower_%d" % i):\n'
            '          tf.summary.scalar("loss", loss)\n',
            "they write summaries",
        ),
        (
            APPLIED,
            '    seen = tf.get_variable("seen", [], trainable=False)\n'
            "    counted = tf.assign_add(seen, 1.0)\n"
            "    with tf.control_dependencies([counted]):\n"
            f"  {APPLIED}",
            "assigns to variables",
        ),
    ],
)
def test_refused(old: str, new: str, reason: str) -> None:
    assert reason in _codes(old, new)["N126"]


def test_the_number_of_towers_is_known_before_the_graph() -> None:
    old = "for i in range(FLAGS.num_gpus):"
    text = PROGRAM.replace(old, "count = FLAGS.num_gpus\n    for i in range(count):")
    migration = migrate_text(text)
    refused = {f.code for f in migration.findings if f.outcome is Outcome.REFUSED}
    assert "N126" in refused


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            f"tf.train.replica_device_setter(\n          worker_device={PLACED},\n"
            "          cluster=cluster)",
            '"/gpu:%d" % i',
        ),
        (PLACED, '"/job:worker/task:%d/device:GPU:%d" % (FLAGS.task_index, i)'),
    ],
)
def test_other_ways_to_place_them(old: str, new: str) -> None:
    assert PROGRAM.count(old) == 1
    migration = migrate_text(PROGRAM.replace(old, new))
    codes = {f.code: f.outcome for f in migration.findings}
    assert codes["S138"] is Outcome.REWRITTEN
    assert Outcome.REFUSED not in codes.values()
    assert "towers=FLAGS.num_gpus" in migration.text


def test_one_task_that_trains_alone_is_no_worker_of_several() -> None:
    old = '  if FLAGS.job_name == "ps":\n'
    text = PROGRAM.replace(
        old, '  if FLAGS.job_name == "ps" or FLAGS.task_index > 0:\n'
    )
    # It is the client of its own towers, and has nobody to synchronise with.
    refused = migrate_text(text).findings
    assert "C101" in {f.code for f in refused if f.outcome is Outcome.REFUSED}


def test_one_task_that_trains_alone_has_one_loop() -> None:
    text = (ROOT / "tests/programs/task_towers/chief_alone.py").read_text()
    migration = migrate_text(text)
    codes = {f.code: f.outcome for f in migration.findings}
    assert codes["N134"] is codes["S138"] is Outcome.REWRITTEN
    assert "replicas.run(run_worker, workers=1)" in migration.text

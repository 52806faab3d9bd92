"""Programs migrated by half: what is written for them trains as one process would."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import shutil
import sys

import numpy as np
import pytest

from migrate import emitted
from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import measured, processes, runner
from tests import ledger

HERE = pathlib.Path(__file__).parent / "half_migrated"
# Sums over parts of a batch, and of a product's terms in another order: measured 1.2e-7
# where it is not 0, and 2.4e-7 where errors go through RMSprop's division.
CLOSE = 1e-6


FITTED = frozenset({"fit_servers", "fit_workers", "fit_together"})


@dataclasses.dataclass(frozen=True)
class Cluster:
    """The tasks a program is run as; how many of them, or of their loops, tell of it."""

    ps: int
    workers: int
    client: bool = False
    loops: int = 0


CLUSTERS = {
    "setter": Cluster(1, 1),
    "workers_alone": Cluster(0, 2),
    "tape_in_loop": Cluster(2, 1),
    "client": Cluster(1, 2, client=True),
    "stop_hook": Cluster(1, 1),
    "more_hooks": Cluster(1, 1),
    "sum_clipped": Cluster(0, 2),
    "penalised": Cluster(0, 3),
    "shuffled": Cluster(1, 1),
    "telling_loop": Cluster(1, 1),
    "flagged_step": Cluster(0, 2),
    "fit_servers": Cluster(1, 1),
    "fit_workers": Cluster(1, 2, loops=1),
    "fit_together": Cluster(0, 2),
    "drawn": Cluster(1, 2),
    "metrics_servers": Cluster(1, 1),
    "metrics_shards": Cluster(1, 2),
    "metrics_together": Cluster(0, 2),
    "cut_by_hand": Cluster(1, 1),
    "minimized_together": Cluster(0, 2),
    "train_on_batch": Cluster(1, 1),
    "train_on_batch_together": Cluster(0, 3),
    "old_optimizer": Cluster(0, 2),
    "trainer_object": Cluster(1, 1),
}


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[float]]:
    """The losses of one process, by program."""
    path = tmp_path_factory.mktemp("truth") / "losses.json"
    processes.run_program(
        [sys.executable, HERE / "single_process.py", path],
        environment=runner.ENVIRONMENT,
    )
    found: dict[str, list[float]] = json.loads(path.read_text())
    return found


def migrated(name: str) -> str:
    migration = migrate_text((HERE / f"{name}.py").read_text())
    wrong = [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    own = "keras_fit.py" if name in FITTED else "eager_steps.py"
    assert not wrong, wrong
    assert {*emitted.list_files("training_session"), own} <= set(migration.support)
    return migration.text


def run(text: str, cluster: Cluster, directory: pathlib.Path) -> list[list[float]]:
    """The losses that each worker's loop has logged."""
    program = directory / "program.py"
    program.write_text(text)
    beside.write(directory, text)
    shutil.copy(HERE / "servers.py", directory)
    processes.run_tasks(
        sys.executable,
        program,
        [f"--dir={directory}"],
        directory / "logs",
        ps=cluster.ps,
        workers=cluster.workers,
        client=cluster.client,
        environment=runner.ENVIRONMENT,
        timeout=240,
        preloaded=True,
    )
    loops = 1 if cluster.client else cluster.loops or cluster.workers
    return [
        [float(line) for line in (directory / f"loss.{i}").read_text().splitlines()]
        for i in range(loops)
    ]


def meant(truth: dict[str, list[float]], name: str, task: int) -> list[float]:
    """What a worker's loop has to log: all the same, where it is not told by worker."""
    return truth.get(f"{name}.{task}") or truth[name]


def difference(one: list[float], other: list[float]) -> float:
    if len(one) != len(other):
        return np.inf
    # Of losses larger than one the relative part: processors round in the last bits.
    found = np.abs(np.subtract(one, other)) / np.maximum(1.0, np.abs(other))
    largest = float(np.max(found, initial=0)) if np.all(np.isfinite(found)) else np.inf
    return measured.note(largest)


@pytest.mark.parametrize("name", CLUSTERS)
def test_trains_as_one_process(
    name: str, truth: dict[str, list[float]], tmp_path: pathlib.Path
) -> None:
    for task, losses in enumerate(run(migrated(name), CLUSTERS[name], tmp_path)):
        assert difference(losses, meant(truth, name, task)) < CLOSE
    if name == "more_hooks":
        saved = {p.stem for p in (tmp_path / "checkpoints").glob("*.index")}
        assert saved == {f"model.ckpt-{step}" for step in (0, 5, 10, 12)}


RESTARTED = {
    "checkpoints_servers": Cluster(1, 1),
    "checkpoints_together": Cluster(0, 2),
}


@pytest.mark.parametrize("name", RESTARTED)
def test_the_next_run_goes_on_where_the_last_one_saved(
    name: str, truth: dict[str, list[float]], tmp_path: pathlib.Path
) -> None:
    ledger.rests_on(ledger.COMPILER)
    text = migrated(name)
    run(text, RESTARTED[name], tmp_path)
    for losses in run(text, RESTARTED[name], tmp_path):
        assert difference(losses, truth["client"][:8]) < CLOSE
    # The control: what is not saved is not gone on with.
    unsaved = text.replace("replicas.chief_saves(manager.save)", "None")
    assert unsaved != text
    shutil.rmtree(tmp_path)
    tmp_path.mkdir()
    run(unsaved, RESTARTED[name], tmp_path)
    losses = run(unsaved, RESTARTED[name], tmp_path)[0]
    assert difference(losses, truth["client"][:8]) > 100 * CLOSE


FAULTS = {
    "gradients halved before they are clipped": (
        "sum_clipped",
        "replicas.sum_of_batch(tape",
        "(lambda g: [x / 2 for x in replicas.sum_of_batch(g)])(tape",
    ),
    "gradients added up": (
        "workers_alone",
        "replicas.mean_of_batch(tape.gradient(loss, model.trainable_variables), inputs)",
        "replicas.sum_of_batch(tape.gradient(loss, model.trainable_variables))",
    ),
    "the mean of means of parts": (
        "penalised",
        "replicas.mean_of_batch(tape.gradient(loss, model.trainable_variables), x)",
        "[g / 3 for g in replicas.sum_of_batch("
        "tape.gradient(loss, model.trainable_variables))]",
    ),
    "the loss of the step that was traced": (
        "telling_loop",
        "        return loss\n",
        "        return loss * 0 + 0.5628\n",
    ),
    "the penalty that a flag asks for": (
        "flagged_step",
        "if USE_L2:",
        "if not USE_L2:",
    ),
    "a generator of all workers": (
        "drawn",
        "if training_session.numpy_random.rand()",
        "if np.random.rand()",
    ),
    "an epoch of one worker's steps": (
        "fit_workers",
        "fits = keras_fit.AsynchronousFits(strategy, cluster)",
        "fits = keras_fit.AsynchronousFits(strategy, cluster)\n    fits._workers = 1",
    ),
    "an evaluation by a worker's part": (
        "fit_servers",
        "fits.evaluate(model, features, labels, verbose=0)",
        "model.evaluate(features, labels, steps=1, verbose=0)",
    ),
    "a fit that shuffles": ("fit_together", "shuffle=False", "shuffle=True"),
    "a metric that all workers share": (
        "metrics_shards",
        "right = replicas.metric(lambda: tf_keras.metrics.SparseCategoricalAccuracy())",
        "with strategy.scope():\n"
        "    right = tf_keras.metrics.SparseCategoricalAccuracy()",
    ),
    "a metric of one worker's part": (
        "metrics_together",
        'replicas.metric(lambda: tf_keras.metrics.SparseCategoricalAccuracy("train_accuracy"))',
        'tf_keras.metrics.SparseCategoricalAccuracy("train_accuracy")',
    ),
    "the mean of the parts' losses": (
        "metrics_together",
        "train_loss.update_state(replicas.mean_of_batch(loss, inputs))",
        "train_loss.update_state(loss)",
    ),
    "every worker the whole batch, added up": (
        "minimized_together",
        "*replicas.part_of(x_batch, y_batch)",
        "x_batch, y_batch + (1 - y_batch) * (FLAGS.task_index == 1)",
    ),
    "a batch of one order": (
        "cut_by_hand",
        "training_session.numpy_random.shuffle(order)",
        "pass",
    ),
    "an accuracy of the logits' first": (
        "train_on_batch",
        "sparse_categorical_accuracy(y, predictions)",
        "sparse_categorical_accuracy(0 * y, predictions)",
    ),
    "the mean of the workers' means": (
        "train_on_batch_together",
        "gradients = replicas.mean_of_batch(tape.gradient(loss, model.trainable_variables), x)",
        "gradients = [g / 3 for g in replicas.sum_of_batch("
        "tape.gradient(loss, model.trainable_variables))]",
    ),
    "gradients that TF1's optimizer adds up": (
        "old_optimizer",
        "replicas.added_up(zip(gradients, variables))",
        "zip(gradients, variables)",
    ),
    "a sum where another method has the mean": (
        "trainer_object",
        "return tf.reduce_mean(self.loss_fn(",
        "return tf.reduce_sum(self.loss_fn(",
    ),
    "the loss of the first example": (
        "setter",
        "tf.reduce_mean(loss_fn(y, logits))",
        "loss_fn(y, logits)[0]",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_shows(
    fault: str, truth: dict[str, list[float]], tmp_path: pathlib.Path
) -> None:
    name, old, new = FAULTS[fault]
    text = migrated(name)
    assert old in text
    losses = run(text.replace(old, new), CLUSTERS[name], tmp_path)[0]
    assert difference(losses, meant(truth, name, 0)) > 100 * CLOSE

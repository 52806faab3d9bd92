"""Signatures, RunConfig, specs, fed iterators and hooks, each beside TensorFlow 1.15.5's results."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from reference import processes
from reference.compare import Array
from tests.programs import variants
from tests.programs.variants import EACH, FAITHFUL, Found, Variant


def _run(group: tuple[Variant, ...], work: pathlib.Path) -> dict[str, Array]:
    return variants.run(
        group, sys.executable, work / "programs", work / "run", preloaded=True
    )


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return Found(tmp_path_factory.mktemp("each"))


@pytest.mark.parametrize("variant", EACH, ids=lambda v: v.name)
def test_equals_tensorflow_1_15_5(variant: Variant, found: Found) -> None:
    rows = variants.differences(variant, variants.recorded(), found)
    assert rows
    wrong = {k: v for k, v in rows.items() if not v <= variant.tolerance}
    assert not wrong, f"allowed {variant.tolerance}: {variant.reason}"


_FAULTS = (
    # The dataset is made of other arrays.
    (
        "fed_inputs",
        "estimator_loop/inputs.py",
        "    return tf.convert_to_tensor(value)\n",
        "    return tf.convert_to_tensor(np.ones_like(value))\n",
    ),
    # A hook that is asked what it wants sets its variable in every step.
    (
        "writing",
        "estimator_loop/hook_sessions.py",
        '        """Nothing: the step is not to do it every time."""',
        "        variable.assign(value)",
    ),
    # An Experiment trains on after its steps.
    (
        "experiments",
        "estimator_experiments.py",
        "self._train(hooks, max_steps=self._train_steps)",
        "self._train(hooks, steps=self._train_steps + 1)",
    ),
    # A step more between evaluations.
    (
        "in_memory",
        "in_memory_evaluation.py",
        "should_trigger_for_step(self._iter_count)",
        "should_trigger_for_step(self._iter_count - 1)",
    ),
    # Under a strategy a hook is given the step after the update.
    (
        "model_class",
        "estimator_loop/training.py",
        "(given and not self._cluster.asynchronous)",
        "False",
    ),
    # A hook of the program's own saver keeps as many checkpoints as a Saver does.
    (
        "totals",
        "estimator_loop/training.py",
        "saver_hook.saves_with(scaffold.saver)",
        "pass",
    ),
    # A derived hook's counter stands still.
    ("derived", "derivable_hooks.py", "        self._iter_count += 1\n", ""),
)


@pytest.mark.parametrize("fault", _FAULTS, ids=lambda f: f[0])
def test_faults_are_seen(
    fault: tuple[str, str, str, str], tmp_path: pathlib.Path
) -> None:
    name, *change = fault
    (variant,) = (v for v in EACH if v.name == name)
    file, old, new = change
    variants.migrated((variant,), tmp_path / "programs", (file, old, new))
    rows = variants.differences(
        variant, variants.recorded(), _run((variant,), tmp_path)
    )
    assert max(rows.values()) > 10 * variant.tolerance


def test_a_method_beside_queues_is_a_model() -> None:
    (variant,) = (v for v in EACH if v.name == "queued_method")
    migration = migrate_text(
        variant.path.read_text(), FAITHFUL, filename=variant.path.name
    )
    codes = {finding.code for finding in migration.findings}
    assert {"K111", "I131"} <= codes and "K110" not in codes
    assert "class RegressionModel(tf_keras.Model):" in migration.text


_UNDER_A_STRATEGY = """

import sys
import tempfile

if __name__ == "__main__":
  strategy = tf.distribute.MirroredStrategy(devices=["/gpu:0", "/gpu:1"])
  estimator = tf.estimator.Estimator(
      model_fn, tempfile.mkdtemp(), tf.estimator.RunConfig(train_distribute=strategy),
      params={"optimizer": sys.argv[1], "rate": 0.02})
  x = np.ones([8, 4], np.float32)
  y = np.ones([8], np.int32)
  estimator.train(
      lambda: tf.data.Dataset.from_tensor_slices(({"x": x}, y)).repeat().batch(4), steps=2)
"""


@pytest.mark.parametrize(
    ("optimizer", "said"),
    [("clipped", ""), ("decayed", "hidden/kernel is assigned to in every replica")],
)
def test_an_update_of_every_replicas_own_stops(
    optimizer: str, said: str, tmp_path: pathlib.Path
) -> None:
    """As in TensorFlow 1.15.5, where the replicas' weights would part."""
    (variant,) = (v for v in EACH if v.name == "own_optimizers")
    variants.migrated((variant,), tmp_path / "programs")
    text = variant.path.read_text() + _UNDER_A_STRATEGY
    migration = migrate_text(text)
    program = tmp_path / "programs" / "replicated.py"
    program.write_text(migration.text)
    beside.write(program.parent, migration.text)
    run = processes.run_program(
        [sys.executable, program, optimizer], directory=program.parent, check=False
    )
    assert (run.returncode == 0) == (not said), run.stderr[-2000:]
    assert said in run.stderr

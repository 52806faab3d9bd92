"""Signatures, RunConfig, specs, fed iterators and hooks, each beside TensorFlow 1.15.5's results."""

from __future__ import annotations

import pathlib
import sys

import pytest

from reference.compare import Array
from tests.programs import variants
from tests.programs.variants import EACH, Variant


def _run(group: tuple[Variant, ...], work: pathlib.Path) -> dict[str, Array]:
    return variants.run(
        group, sys.executable, work / "programs", work / "run", preloaded=True
    )


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Array]:
    work = tmp_path_factory.mktemp("each")
    variants.migrated(EACH, work / "programs")
    return _run(EACH, work)


@pytest.mark.parametrize("variant", EACH, ids=lambda v: v.name)
def test_equals_tensorflow_1_15_5(variant: Variant, found: dict[str, Array]) -> None:
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
        "estimator_loop/hooks.py",
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
    # A derived hook's counter stands still.
    ("derived", "derivable_hooks.py", "        self._iter_count += 1\n", ""),
)


@pytest.mark.parametrize("fault", _FAULTS, ids=lambda f: f[0])
def test_faults_are_seen(fault: tuple[str, str, str, str], tmp_path: pathlib.Path) -> None:
    name, *change = fault
    (variant,) = (v for v in EACH if v.name == name)
    file, old, new = change
    variants.migrated((variant,), tmp_path / "programs", (file, old, new))
    rows = variants.differences(
        variant, variants.recorded(), _run((variant,), tmp_path)
    )
    assert max(rows.values()) > 10 * variant.tolerance

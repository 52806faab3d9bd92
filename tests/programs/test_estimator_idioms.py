"""Idioms of public Estimator programs, and several devices, beside TensorFlow 1.15.5's results."""

from __future__ import annotations

import pathlib
import sys

import pytest

from tests.programs import variants
from tests.programs.variants import DEVICES, IDIOMS, Found, Variant

# Estimators take pandas' frames, but do not need pandas.
pytest.importorskip("pandas", reason="pandas_input_fn has frames to read")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return Found(tmp_path_factory.mktemp("idioms"))


def _compare(variant: Variant, found: Found) -> None:
    rows = variants.differences(variant, variants.recorded(), found)
    assert rows
    wrong = {k: v for k, v in rows.items() if not v <= variant.tolerance}
    assert not wrong, f"allowed {variant.tolerance}: {variant.reason}"


@pytest.mark.parametrize("variant", IDIOMS, ids=lambda v: v.name)
def test_equals_tensorflow_1_15_5(variant: Variant, found: Found) -> None:
    _compare(variant, found)


@pytest.mark.parametrize("variant", DEVICES, ids=lambda v: v.name)
def test_devices_equal_those_of_tensorflow_1_15_5(
    variant: Variant, found: Found
) -> None:
    _compare(variant, found)


_FAULTS = (
    # Variables listed twice where a graph is evaluated: their L2 counts twice.
    (
        "residual",
        "estimator_loop/variables.py",
        "if not any(variable is other for other in graph.get_collection(key)):",
        "if True:",
    ),
    # Every replica reads the same batch.
    (
        "strategies",
        "estimator_strategies.py",
        "own = args[i * len(specs) : (i + 1) * len(specs)]",
        "own = args[: len(specs)]",
    ),
    # A loss that is reported as the sum of replicas' means.
    (
        "replicas",
        "keras_estimator/steps.py",
        "told_of_scaling(model.distribute_strategy, not added_up)",
        "told_of_scaling(model.distribute_strategy, False)",
    ),
    (
        "replicated_losses",
        "keras_estimator/steps.py",
        "told_of_scaling(model.distribute_strategy, not added_up)",
        "told_of_scaling(model.distribute_strategy, False)",
    ),
    # A mean of losses where replicas add up what tf.gradients gave.
    (
        "replicas",
        "keras_estimator/steps.py",
        'getattr(model, "replicas_add_up", False)',
        "False",
    ),
    # An input_fn that is not told its context.
    (
        "replicas",
        "estimator_loop/estimator.py",
        "if context is not None:",
        "if False:",
    ),
    # A look at the input sees its second batch.
    (
        "looked_at",
        "estimator_loop/inputs.py",
        "return Batches(input_fn).next()",
        "return [b.next() for b in [Batches(input_fn)] for _ in range(2)][1]",
    ),
    # TensorFlow 2 reads ahead of the steps.
    (
        "generated_inputs",
        "estimator_loop/inputs.py",
        "inject_prefetch = False",
        "inject_prefetch = True",
    ),
    # The second run of an input_fn draws other numbers than the first one.
    (
        "drawn_inputs",
        "estimator_loop/inputs.py",
        "np.random.set_state(drawn_before[1])",
        "pass",
    ),
    # Threads share their epochs, as they would if they read one dataset.
    (
        "threads",
        "estimator_loop/inputs.py",
        "num_epochs * num_threads",
        "num_epochs",
    ),
)


@pytest.mark.parametrize("fault", _FAULTS, ids=lambda f: f[0])
def test_faults_are_seen(
    fault: tuple[str, str, str, str], tmp_path: pathlib.Path
) -> None:
    name, *change = fault
    (variant,) = (v for v in IDIOMS + DEVICES if v.name == name)
    file, old, new = change
    variants.migrated((variant,), tmp_path / "programs", (file, old, new))
    found = variants.run(
        (variant,), sys.executable, tmp_path / "programs", tmp_path / "run", True
    )
    rows = variants.differences(variant, variants.recorded(), found)
    assert max(rows.values()) > 10 * variant.tolerance

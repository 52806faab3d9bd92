"""Each optimizer and each schedule of `reference/optimizers` has a control.

The program trains all of them side by side, so many faults fit into one run: a fault
must show in the loss (or the rate) of the one it is planted in, and in no other.
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Sequence

import pytest

from reference import oracle
from reference.compare import table
from reference.optimizers.spec import SCENARIO


@dataclasses.dataclass(frozen=True)
class Planted:
    """A fault in tf2.py.

    Attributes:
      where: the arrays that it changes: losses by optimizer, rates by schedule.
      old, new: text of the program.
    """

    where: tuple[str, ...]
    old: str
    new: str


def _loss(name: str, old: str, new: str) -> Planted:
    return Planted((f"loss/{name}",), old, new)


def _rate(name: str, old: str, new: str, optimizer: str = "") -> Planted:
    return Planted(
        (f"rate/{name}", *((f"loss/{optimizer}",) if optimizer else ())), old, new
    )


OPTIMIZERS = (
    _loss("sgd", "DescentOptimizer(smooth)", "DescentOptimizer(exponential)"),
    _loss("momentum", "(exponential, 0.9)", "(exponential, 0.899)"),
    _loss("nesterov", "0.9, use_nesterov=True", "0.9"),
    _loss("adagrad", "0.2, initial_accumulator_value=0.2", "0.2"),
    _loss("adadelta", "rho=0.9, epsilon=1e-6", "rho=0.95, epsilon=1e-6"),
    _loss("adam", "(cosine, beta2=0.99)", "(cosine, beta2=0.99, epsilon=1e-7)"),
    _loss("rmsprop", "Optimizer(0.02)", "Optimizer(0.02, epsilon=1e-9)"),
    _loss("heavy", "0.01, decay=0.8, ", "0.01, "),
    _loss("centered", "momentum=0.5, centered=True", "momentum=0.5"),
    _loss(
        "ftrl",
        "(cyclic),\n        l1_regularization_strength=0.01",
        "(cyclic),\n        l1_regularization_strength=0.011",
    ),
    _loss("shrinking", "l2_shrinkage_regul", "l2_regul"),
    _loss(
        "proximal",
        "(inverse_time),\n        l1_regularization_strength=tf.constant(0.01",
        "(inverse_time),\n        l1_regularization_strength=tf.constant(0.0101",
    ),
    _loss(
        "proximal_adagrad",
        "tf.constant(0.2, dtype),\n",
        "tf.constant(0.2, dtype), 0.11,\n",
    ),
    _loss(
        "adagrad_da",
        "global_step,\n        l1_regularization_strength=0.001",
        "global_step, 0.11,\n        l1_regularization_strength=0.001",
    ),
)
SCHEDULES = (
    _rate("exponential", "10, 0.9, staircase=True", "10, 0.9", "momentum"),
    _rate(
        "smooth",
        "decay(0.1, global_step, 10, 0.9)",
        "decay(0.1, global_step + 1, 10, 0.9)",
        "sgd",
    ),
    _rate(
        "natural_exp", "global_step, 10, 0.2", "global_step, 10, 0.2, staircase=True"
    ),
    _rate("inverse_time", "10, 0.5)", "10, 0.51)", "proximal"),
    _rate("polynomial", ", power=2.0", ""),
    _rate("cyclic", ", cycle=True", "", "ftrl"),
    _rate("piecewise", "[20, 70]", "[19, 70]", "nesterov"),
    _rate("cosine", "90, alpha=0.1", "90, alpha=0.11", "adam"),
    _rate("restarts", "t_mul=1.5", "t_mul=2.0"),
    _rate(
        "linear_cosine",
        "linear_cosine_decay(0.1, global_step, 90)",
        "linear_cosine_decay(0.1, global_step, 91)",
    ),
    _rate("noisy", "initial_variance=0.0", "initial_variance=0.0, beta=0.002"),
    # More of the optimizers' own arguments.
    _loss("adadelta", "rho=0.9, epsilon=1e-6", "rho=0.9, epsilon=1e-7"),
    _loss("rmsprop", "Optimizer(0.02)", "Optimizer(0.02, decay=0.91)"),
    _loss("heavy", "momentum=0.9, epsilon=1e-6", "momentum=0.9"),
    _loss("shrinking", "learning_rate_power=-0.6,", "learning_rate_power=-0.5,"),
    _loss(
        "adagrad_da",
        "l2_regularization_strength=0.01)",
        "l2_regularization_strength=0.011)",
    ),
)


def test_every_optimizer_and_every_schedule_has_a_control() -> None:
    trace = oracle.recorded(SCENARIO, SCENARIO.run("float64")).trace
    values = {key.partition("/")[2] for key in trace}
    wanted = {key for key in values if key.startswith(("loss/", "rate/"))}
    assert {w for p in OPTIMIZERS for w in p.where} == {
        key for key in wanted if key.startswith("loss/")
    }
    assert {w for p in SCHEDULES for w in p.where if w.startswith("rate/")} == {
        key for key in wanted if key.startswith("rate/")
    }


@pytest.mark.parametrize("planted", [OPTIMIZERS, SCHEDULES])
def test_each_fault_shows_where_it_is_planted_and_nowhere_else(
    planted: Sequence[Planted], tmp_path: pathlib.Path
) -> None:
    run = SCENARIO.run("float64")
    text = SCENARIO.migration.read_text()
    for fault in planted:
        assert text.count(fault.old) == 1, fault
        text = text.replace(fault.old, fault.new)
    wrong = dataclasses.replace(SCENARIO, root=tmp_path)
    wrong.directory.mkdir()
    wrong.migration.write_text(text)
    found = oracle.steps_only(
        oracle.migrated(wrong, run, tmp_path / "work", {}, steps=50)
    )
    recording = oracle.recorded(SCENARIO, run).trace
    # Also with the widest tolerance there is: linear_cosine_decay's is for float32.
    least = oracle.ELSEWHERE[run.dtype]
    seen = {
        row.name.partition("/")[2]
        for row in table(
            oracle.steps_only(recording, like=found),
            found,
            lambda key: max(least, run.tolerance_of(key)),
        )
        if not row.within
    }
    assert seen == {place for fault in planted for place in fault.where}

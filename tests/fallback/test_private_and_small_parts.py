"""Private updates, profiles and the projector do in graph mode what they did.

`homes/NAME.py` writes a line for each result, and its `.txt` is what it wrote under
TensorFlow 1.15.5.
"""

from __future__ import annotations

import pathlib

import pytest

from migrate.tables import graph_mode, kept_names, symbols
from tests.fallback.recorded_lines import Fault, Lines, Recorded

# Float32 values of order 10 after a few updates: a few ULPs.
RECORDED = {
    "private_updates": Recorded("private_updates", 2e-5),
    "profiles": Recorded("profiles", 0, package="tensorboard"),
}
# What is wrong in a file, and the lines of a program that depend on it.
FAULTS: dict[str, tuple[tuple[Fault, tuple[str, ...]], ...]] = {
    "private_updates": (
        (
            ("program.py", "rho=0.9, momentum=0.1", "rho=0.1, momentum=0.9"),
            ("trained",),
        ),
        (("program.py", "alpha=0.5, delta", "alpha=0.25, delta"), ("updated",)),
    ),
    "profiles": (
        (("graph_profiles.py", "float_ops=1", "float_ops=0"), ("options",)),
        (("graph_profiles.py", "tfprof_cmd, **given", "'scope'"), ("few",)),
        (("program.py", '"sprite.png"', '"s.png"'), ("projector",)),
    ),
}


@pytest.mark.parametrize("name", RECORDED)
def test_tensorflow_1_15_5_writes_what_is_recorded(
    name: str, tf1: str, tmp_path: pathlib.Path
) -> None:
    RECORDED[name].assert_equal(RECORDED[name].run_as_it_is(tf1, tmp_path))


@pytest.mark.parametrize("name", RECORDED)
def test_graph_mode_computes_the_same(name: str, tmp_path: pathlib.Path) -> None:
    RECORDED[name].assert_equal(RECORDED[name].run_in_graph_mode(tmp_path))


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Lines]:
    return {
        name: RECORDED[name].run_in_graph_mode(
            tmp_path_factory.mktemp(name), *(fault for fault, _ in faults)
        )
        for name, faults in FAULTS.items()
    }


@pytest.mark.parametrize(
    ("name", "line"),
    [(name, line) for name in FAULTS for _, lines in FAULTS[name] for line in lines],
)
def test_a_planted_fault_is_seen(
    faulty: dict[str, Lines], name: str, line: str
) -> None:
    assert not RECORDED[name].is_as_recorded(faulty[name], line)


def test_every_private_update_is_a_public_operation() -> None:
    """tf.raw_ops has each function of the module of updates."""
    module = "tensorflow.python.ops.gen_training_ops"
    names = [
        name
        for name in kept_names.list_kept(module)
        if "apply" in name and not name.endswith("_fallback")
    ]
    assert len(names) == 57
    for name in names:
        row = graph_mode.find_update(f"tf.python.training.training_ops.{name}")
        assert row is not None and symbols.exists_in_target(row.target), name

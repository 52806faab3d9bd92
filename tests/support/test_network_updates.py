"""Updates and losses of Keras's networks that a model_fn asks for, beside TensorFlow 1.15.5.

TF1's results of `network_updates.py` are recorded beside it.
"""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

from migrate import emitted
from migrate.compiler import migrate_text
from migrate.tables import estimator
from reference import processes, runner
from tests.programs.variants import FAITHFUL

HERE = pathlib.Path(__file__).parent
RECORDED: dict[str, dict[str, list[float]]] = json.loads(
    (HERE / "network_updates.json").read_text()
)
_RUN = """\
import json
import sys

import numpy as np

import network_updates

for case in network_updates.CASES:
    found = network_updates.run(case, sys.argv[1] + "/" + case)
    found = {k: np.ravel(v).tolist() for k, v in found.items()}
    print(json.dumps([case, found]))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list]]:
    work = tmp_path_factory.mktemp("updates")
    program = HERE / "network_updates.py"
    emitted.write(estimator.list_needed_files(estimator.MODULE), work)
    (work / program.name).write_text(migrate_text(program.read_text(), FAITHFUL).text)
    (work / "start.py").write_text(_RUN)
    done = processes.run_program(
        [sys.executable, work / "start.py", work],
        environment=runner.ENVIRONMENT,
        directory=work,
        timeout=500,
    )
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.mark.parametrize("case", RECORDED)
def test_equals_tensorflow_1_15_5(case: str, found: dict[str, dict[str, list]]) -> None:
    """float32, and seven digits are recorded; processors add up in other orders."""
    assert found[case].keys() == RECORDED[case].keys()
    for name, values in RECORDED[case].items():
        assert found[case][name] == pytest.approx(values, rel=1e-4, abs=1e-4), name


def test_the_cases_differ() -> None:
    """Each asks for others: none of them would do for another."""

    def averages(case: str) -> list[float]:
        names = ("sequential/batch_normalization/moving_mean", "other/moving_mean")
        return [x for name in names for x in RECORDED[case].get(name, [])]

    assert averages("none") == [0.0] * 5
    assert averages("first")[2:] == [0.0] * 3 != averages("first")[:2]
    assert 0.0 not in averages("every")
    assert RECORDED["losses"] != RECORDED["losses_of_calls"] != RECORDED["first"]

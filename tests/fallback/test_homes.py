"""Checks that contrib's functions in graph mode compute what TensorFlow 1.15.5's did.

`homes/contrib_in_graphs.py` writes a line for each result; `homes/tf1.txt` has its
lines under TensorFlow 1.15.5.
"""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate import emitted
from migrate.fallback.module import Part, bring_to_compat
from migrate.options import Options
from reference import processes, runner

HERE = pathlib.Path(__file__).parent / "homes"
PROGRAM = HERE / "contrib_in_graphs.py"
# Float32 values of order 10: a few ULPs. The faults below move them by 1e-2 and more.
TOLERANCE = 2e-6
# Lines of the program -> the file that they depend on, and what is wrong in it.
FAULTS = {
    "norm": ("contrib_crf.py", "tf.reduce_logsumexp(through, axis=1)", "through[:, 0]"),
    "decoded": ("contrib_crf.py", "tags * mask", "tags"),
    "viterbi": ("contrib_crf.py", "np.argmax(through, 0)", "np.argmin(through, 0)"),
    "loss": ("contrib_seq2seq.py", "losses *= ", "losses += 0 * "),
    "sequences": ("contrib_seq2seq.py", "if sum_over_batch else 1", "if True else 1"),
    "placed": ("contrib_placement.py", "np.argmin", "np.argmax"),
    "values": ("contrib_assigning.py", "value.reshape(", "0 * value.reshape("),
    "restored": ("contrib_assigning.py", "saver.restore(session, model_path)", "None"),
    "step": ("slim_learning.py", "tf.greater_equal(", "tf.greater("),
    "trained": ("slim_learning.py", "init_fn=init_fn", "init_fn=None"),
    "metrics": ("program.py", "percentage_below(p, 0.4", "percentage_below(p, 0.6"),
}
Lines = list[tuple[str, list[float]]]


def _run(directory: pathlib.Path, faulty: bool) -> Lines:
    found = bring_to_compat(PROGRAM.read_text(), Options(), str(PROGRAM), Part())
    assert not found.findings, found.findings
    (directory / "program.py").write_text(found.text)
    emitted.write(found.support, directory)
    if faulty:
        for name, old, new in FAULTS.values():
            text = (directory / name).read_text()
            assert old in text, (name, old)
            (directory / name).write_text(text.replace(old, new))
    return _written(sys.executable, directory / "program.py", directory)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    return _run(tmp_path_factory.mktemp("faulty"), True)


def _written(python: str, program: pathlib.Path, directory: pathlib.Path) -> Lines:
    command = [python, program, f"--dir={directory}"]
    processes.run_program(command, environment=runner.ENVIRONMENT, directory=directory)
    return _lines((directory / "loss").read_text())


def _lines(text: str) -> Lines:
    rows = [line.split() for line in text.splitlines()]
    return [(name, list(map(float, numbers))) for name, *numbers in rows]


def _recorded() -> Lines:
    return _lines((HERE / "tf1.txt").read_text())


def test_tensorflow_1_15_5_writes_what_is_recorded(
    tf1: str, tmp_path: pathlib.Path
) -> None:
    _assert_equal(_written(tf1, PROGRAM, tmp_path), _recorded())


def test_graph_mode_computes_the_same(tmp_path: pathlib.Path) -> None:
    _assert_equal(_run(tmp_path, False), _recorded())


def _assert_equal(found: Lines, expected: Lines) -> None:
    assert [name for name, _ in found] == [name for name, _ in expected]
    for (name, one), (_, other) in zip(found, expected, strict=True):
        assert one == pytest.approx(other, rel=0, abs=TOLERANCE), name


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_seen(faulty: Lines, name: str) -> None:
    found = [numbers for line, numbers in faulty if line == name]
    expected = [numbers for line, numbers in _recorded() if line == name]
    assert expected
    assert len(found) != len(expected) or any(
        one != pytest.approx(other, rel=0, abs=TOLERANCE)
        for one, other in zip(found, expected, strict=True)
    )


def test_the_faulty_run_is_wrong_in_nothing_else(faulty: Lines) -> None:
    """Placements by a hash are as they were."""
    random = [numbers for line, numbers in faulty if line == "placed"][8:]
    assert random == [numbers for line, numbers in _recorded() if line == "placed"][8:]

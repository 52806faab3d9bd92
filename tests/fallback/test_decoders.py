"""Decoders of tf.contrib.seq2seq in graph mode compute what TensorFlow 1.15.5 computed.

`decoders/copy_task.py` trains a translation with attention, and decodes from its checkpoint,
greedily and by beams; `decoders/each_piece.py` has each helper, mechanism and function.
Each writes a line for each result; `decoders/*.txt` are what they wrote under
TensorFlow 1.15.5.
"""

from __future__ import annotations

import functools
import json
import pathlib
import sys
from collections.abc import Sequence

import pytest

from migrate import emitted
from migrate.fallback.homes import find_home
from migrate.fallback.module import Part, bring_to_compat
from migrate.options import Options
from migrate.tables import graph_mode, symbols
from reference import processes, runner

HERE = pathlib.Path(__file__).parent / "decoders"
# Name -> its program and flags.
RUNS: dict[str, tuple[str, ...]] = {
    "each_piece": ("each_piece.py",),
    "bahdanau": ("copy_task.py",),
    "luong": ("copy_task.py", "--attention=luong", "--steps=20"),
    "scaled_luong": ("copy_task.py", "--attention=scaled_luong", "--steps=20"),
    "normed_bahdanau": ("copy_task.py", "--attention=normed_bahdanau", "--steps=20"),
}
# Float32: sums of up to 10^4, which differ by a few ULPs. Adam divides by the root of small
# squares, so that 40 steps carry such differences on to 2e-4 of logits. The faults below
# move values by 2e-3 and more. Ids are whole numbers, so they are equal.
RELATIVE = 1e-5
ABSOLUTE = {"each_piece.py": 3e-5, "copy_task.py": 5e-4}
# Lines of each_piece.py -> the file that they depend on, and what is wrong in it.
FAULTS = {
    "hard": ("attention.py", "tf.argmax(logits", "tf.argmin(logits"),
    "normed": ("attention.py", "math.sqrt(1.0 / units)", "1.0"),
    "scaled": ("attention.py", "v1.ones_initializer()", "v1.zeros_initializer()"),
    "bahdanau_on": ("monotonic.py", "score + v1.get_v", "score - 1 - v1.get_v"),
    "goes_on": ("monotonic.py", "1e-10, 1.0)", "0.5, 1.0)"),
    "several": (
        "wrapper.py",
        'initial_cell_state, "check_initial_cell_state"',
        '0 * initial_cell_state, "check_initial_cell_state"',
    ),
    "imputed": ("decoding.py", "if self._imputes:", "if False:"),
    "scheduled_ids": ("draws.py", "drawn < probability", "drawn > probability"),
    "scheduled_beside": (
        "training_helpers.py",
        "fed = tf.gather(",
        "fed = -tf.gather(",
    ),
    "drawn": ("helpers.py", "outputs / self._softmax_temperature", "outputs * 9"),
    "custom": ("helpers.py", "sample_ids=sample_ids\n", "sample_ids=0 * sample_ids\n"),
    "tree": ("beams.py", "(has_ended, end_token, ids)", "(has_ended, ids, ids)"),
    "beams": (
        "beam_search.py",
        "tf.reshape(totals, flat)",
        "tf.reshape(step_probs, flat)",
    ),
    "long_beams": ("beam_search.py", "(5.0 + 1.0) ** weight", "(5.0 + 2.0) ** weight"),
    "covering_beams": ("beam_search.py", "covered += looked", "covered -= looked"),
}
# Lines that none of these is to change.
OTHERS = {
    *("training", "greedy", "inference", "luong", "bahdanau", "tiled", "product"),
}
# What is wrong for the translation.
MASK = ("attention.py", "score, value * tf.ones_like", "score, 0 * tf.ones_like")
Lines = list[tuple[str, list[float]]]
Fault = tuple[str, str, str]
_STAND_ALONE = {"tf.contrib.seq2seq.sequence_loss"}


def _run(name: str, directory: pathlib.Path, *faults: Fault) -> Lines:
    """Runs a program in graph mode and returns its lines."""
    file, *flags = RUNS[name]
    text = (HERE / file).read_text()
    found = bring_to_compat(text, Options(), str(HERE / file), Part())
    assert not found.findings, found.findings
    (directory / file).write_text(found.text)
    emitted.write(found.support, directory)
    for module, old, new in faults:
        path = directory / "graph_seq2seq" / module
        assert path.read_text().count(old) == 1, (module, old)
        path.write_text(path.read_text().replace(old, new))
    return _written(sys.executable, directory / file, directory, flags)


def _written(
    python: str, program: pathlib.Path, directory: pathlib.Path, flags: Sequence[str]
) -> Lines:
    processes.run_program(
        [python, program, f"--dir={directory}", *flags],
        environment=runner.ENVIRONMENT,
        directory=directory,
    )
    return _lines((directory / "loss").read_text())


def _lines(text: str) -> Lines:
    rows = [line.split() for line in text.splitlines()]
    return [(name, list(map(float, numbers))) for name, *numbers in rows]


@functools.cache
def _recorded(name: str) -> Lines:
    return _lines((HERE / f"{name}.txt").read_text())


def _is_equal(one: list[float], other: list[float], absolute: float) -> bool:
    return one == pytest.approx(other, rel=RELATIVE, abs=absolute)


def _assert_equal(run: str, found: Lines) -> None:
    expected = _recorded(run)
    assert [name for name, _ in found] == [name for name, _ in expected]
    for (name, one), (_, other) in zip(found, expected, strict=True):
        assert _is_equal(one, other, ABSOLUTE[RUNS[run][0]]), name


@pytest.mark.parametrize("name", RUNS)
def test_tensorflow_1_15_5_writes_what_is_recorded(
    name: str, tf1: str, tmp_path: pathlib.Path
) -> None:
    file, *flags = RUNS[name]
    found = _written(tf1, HERE / file, tmp_path, flags)
    _assert_equal(name, found)


@pytest.mark.parametrize("name", RUNS)
def test_graph_mode_computes_the_same(name: str, tmp_path: pathlib.Path) -> None:
    """Names and shapes of variables, each loss, what is decoded, and how sure it is."""
    _assert_equal(name, _run(name, tmp_path))


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    return _run("each_piece", tmp_path_factory.mktemp("faulty"), *FAULTS.values())


def _of(lines: Lines, name: str) -> list[list[float]]:
    return [numbers for line, numbers in lines if line == name]


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_seen(faulty: Lines, name: str) -> None:
    found, expected = _of(faulty, name), _of(_recorded("each_piece"), name)
    assert len(found) == len(expected) > 0
    assert not all(_is_equal(*pair, 2e-3) for pair in zip(found, expected, strict=True))


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_the_faulty_run_is_right_elsewhere(faulty: Lines, name: str) -> None:
    found, expected = _of(faulty, name), _of(_recorded("each_piece"), name)
    assert len(found) == len(expected) > 0
    absolute = ABSOLUTE["each_piece.py"]
    assert all(_is_equal(*pair, absolute) for pair in zip(found, expected, strict=True))


def test_a_memory_that_is_not_masked_is_seen(tmp_path: pathlib.Path) -> None:
    found, expected = (
        _of(_run("luong", tmp_path, MASK), "loss"),
        _of(_recorded("luong"), "loss"),
    )
    assert len(found) == len(expected)
    assert not _is_equal(found[-1], expected[-1], 2e-3)


# -- the names -------------------------------------------------------------------------


def _public() -> list[str]:
    return sorted(
        symbol
        for symbol in symbols.list_symbols()
        if symbol.startswith("tf.contrib.seq2seq.")
        and symbol not in symbols.list_modules()
        and symbol not in _STAND_ALONE
    )


def test_every_public_name_has_a_home_and_no_other() -> None:
    homes = {s: h for s, h in graph_mode.HOMES.items() if "graph_seq2seq" in h}
    assert homes == {s: f"graph_seq2seq.{s.rpartition('.')[2]}" for s in _public()}
    assert all(find_home(symbol) == home for symbol, home in homes.items())


def test_homes_take_what_tensorflow_1_15_5_took(tmp_path: pathlib.Path) -> None:
    """Their parameters have the same names, in the same order."""
    emitted.write(emitted.list_files("graph_seq2seq"), tmp_path)
    done = processes.run_program(
        [sys.executable, "-c", _ASKED, *_public()],
        environment=runner.ENVIRONMENT,
        directory=tmp_path,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    for symbol, now in found.items():
        row = symbols.look_up(symbol)
        assert row is not None
        before = [word.partition("=")[0] for word in row.signature_v1]
        if before != ["**kwargs"]:  # It has no __init__ of its own.
            others = [name for name in before if name != "**kwargs"]
            assert [name for name in now if name != "**kwargs"] == others, symbol


_ASKED = """\
import inspect, json, os, sys
os.environ["TF_USE_LEGACY_KERAS"] = "1"
sys.path.insert(0, os.getcwd())
import graph_seq2seq
found = {}
for symbol in sys.argv[1:]:
    here = getattr(graph_seq2seq, symbol.rpartition(".")[2])
    found[symbol] = [str(p).partition("=")[0] for p in inspect.signature(here).parameters.values()]
print(json.dumps(found))
"""

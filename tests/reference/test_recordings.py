"""A recording speaks only for the sources and the initial values it was made from."""

from __future__ import annotations

import dataclasses
import pathlib
import shutil

import numpy as np
import pytest

from reference import oracle
from reference.registry import SCENARIOS
from reference.scenario import Fault

ASYNCHRONOUS = SCENARIOS["async_parameter_server"]


def test_a_recording_older_than_its_program_is_an_error(tmp_path: pathlib.Path) -> None:
    shutil.copytree(ASYNCHRONOUS.directory, tmp_path / ASYNCHRONOUS.name)
    copy = dataclasses.replace(ASYNCHRONOUS, root=tmp_path)
    run = copy.runs[0]
    oracle.recorded(copy, run)
    with copy.program.open("a") as file:
        file.write("# another\n")
    with pytest.raises(oracle.Stale, match="tf1.py changed since"):
        oracle.recorded(copy, run)


@pytest.mark.parametrize(
    "change",
    [
        {"arguments": ("--batch_size=33",)},
        {"dtype": "float64"},
        {"topology": oracle.runner.Topology(ps=1, workers=3)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_recording_of_another_run_is_an_error(change: dict[str, object]) -> None:
    run = dataclasses.replace(ASYNCHRONOUS.runs[0], **change)  # type: ignore[arg-type]
    with pytest.raises(oracle.Stale, match="spec.py changed since"):
        oracle.recorded(ASYNCHRONOUS, run)


def test_a_tolerance_is_no_reason_to_record_again() -> None:
    run = dataclasses.replace(ASYNCHRONOUS.runs[0], tolerance=1.0, reason="another")
    oracle.check_fresh(ASYNCHRONOUS, run)


def test_a_run_that_was_not_recorded_is_an_error() -> None:
    run = dataclasses.replace(ASYNCHRONOUS.runs[0], name="another")
    with pytest.raises(oracle.Stale, match="not recorded; run `python -m reference"):
        oracle.recorded(ASYNCHRONOUS, run)


def test_sampling_keeps_all_steps_and_is_done_once() -> None:
    trace = {
        "many": np.arange(200 * 5000.0).reshape(200, 50, 100),
        "few": np.arange(20.0).reshape(10, 2),
        "scalar": np.arange(200.0),
    }
    kept = oracle.sampled(trace)
    assert kept["many"].shape == (200, 5)
    assert np.isin(kept["many"], trace["many"]).all()
    assert kept["few"].shape == (10, 2)
    again = oracle.sampled(kept)
    assert all(np.array_equal(again[name], kept[name]) for name in kept)
    shorter = oracle.sampled({"many": trace["many"][:7]}, kept)
    assert np.array_equal(shorter["many"], kept["many"][:7])


ACCUMULATOR = "AdagradOptimizer(learning_rate)"


def test_a_wrong_initial_accumulator_is_seen(tmp_path: pathlib.Path) -> None:
    """Planted in the checkpoint: both programs restore their slots from there."""
    run = ASYNCHRONOUS.run("adagrad_alone")
    recording = oracle.recorded(ASYNCHRONOUS, run)
    wrong = {
        k: v + np.float32(0.01) if "Adagrad" in k else v
        for k, v in recording.initial.items()
    }
    found = oracle.migrated(ASYNCHRONOUS, run, tmp_path, wrong, steps=20)
    found = oracle.steps_only(found)
    expected = oracle.steps_only(recording.trace, like=found)
    divergence = oracle.compare(
        ASYNCHRONOUS, run, expected, found, same_processor=False
    )
    assert divergence is not None and "step " in divergence.what


def test_slots_of_the_checkpoint_win_over_the_programs_own(
    tmp_path: pathlib.Path,
) -> None:
    run = ASYNCHRONOUS.run("adagrad_alone")
    recording = oracle.recorded(ASYNCHRONOUS, run)
    here = oracle.recorded_here(ASYNCHRONOUS, run)
    other = ACCUMULATOR.replace(")", ", initial_accumulator_value=0.5)")
    fault = Fault("another accumulator", run.name, ACCUMULATOR, other)
    found = oracle.migrated(
        ASYNCHRONOUS, run, tmp_path, recording.initial, fault=fault, steps=20
    )
    found = oracle.steps_only(found)
    expected = oracle.steps_only(recording.trace, like=found)
    divergence = oracle.compare(ASYNCHRONOUS, run, expected, found, same_processor=here)
    assert divergence is None, str(divergence)


def test_processors_of_one_name_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """ "AMD EPYC" is several generations, which add in another order."""
    read = pathlib.Path.read_text

    def kind(family: int) -> str:
        def other(path: pathlib.Path, *given: str) -> str:
            text = read(path, *given)
            if path == pathlib.Path("/proc/cpuinfo"):
                return f"model name\t: AMD EPYC\ncpu family\t: {family}\nmodel\t: 1\n\n"
            return text

        monkeypatch.setattr(pathlib.Path, "read_text", other)
        return oracle.processor()

    assert kind(23) != kind(25) and kind(23) == kind(23)

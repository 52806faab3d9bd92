"""Killed workers and parameter servers: what migrated training does, and how soon.

`reference/faults` trains with its workers in turns, each step on a batch of its own, so
a training that was disturbed and lost nothing is equal to the undisturbed one that
TensorFlow 1.15.5 was recorded to make: losses, order of the steps, weights.
"""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest

from reference import oracle
from reference.faults import recovery, restarts
from reference.faults.recovery import RUN, SAVE_STEPS, SCENARIO, Recovery
from tests import ledger

# Seconds: of a machine that is five times slower than one on which they are below 1.
SOON = 30.0


def _equal(found: Recovery, *, ends_only: bool = False) -> None:
    """Nothing that was traced, or none of the variables, differs from the undisturbed."""
    expected = recovery.undisturbed()
    trace = oracle.sampled(found.trace, expected)
    if ends_only:
        expected = {k: v for k, v in expected.items() if k.startswith("checkpoint/")}
        trace = {k: v for k, v in trace.items() if k.startswith("checkpoint/")}
    same = oracle.recorded_here(SCENARIO, RUN)
    divergence = oracle.compare(SCENARIO, RUN, expected, trace, same_processor=same)
    assert divergence is None, str(divergence)


@pytest.mark.parametrize("restarted", [False, True])
def test_a_killed_workers_steps_are_done_once(
    restarted: bool, tmp_path: pathlib.Path
) -> None:
    """The step it had in its hands is done again, all others are not, in TF1's order."""
    ledger.rests_on(ledger.COMPILER / "support", ledger.ROOT / "reference")
    found = recovery.worker_killed(tmp_path, restarted=restarted)
    assert all(np.isfinite(found.trace[f"{w}/loss"]).all() for w in (0, 1))
    assert found.lost == 0
    _equal(found)
    assert found.recovered < SOON


def test_a_step_done_twice_is_seen() -> None:
    """The control of the test above: one more update is told."""
    trace = {k: v.copy() for k, v in recovery.undisturbed().items()}
    assert recovery.repeated(trace) == 0
    trace["checkpoint/trained"][0, 7] *= 2
    assert recovery.repeated(trace) == 1
    with pytest.raises(AssertionError, match="trained"):
        _equal(Recovery(trace=trace))


def test_a_killed_parameter_server_ends_training_which_goes_on_when_started_again(
    tmp_path: pathlib.Path,
) -> None:
    ledger.rests_on(ledger.COMPILER / "support", ledger.ROOT / "reference")
    found = recovery.ps_killed(tmp_path)
    assert 0 < found.detected < SOON + recovery.GRACE
    assert "A parameter server" in found.said and "Start the job again" in found.said
    # What was done since the last checkpoint is done again, and nothing else is.
    assert 0 < found.lost <= 2 * SAVE_STEPS
    assert found.recovered < SOON
    assert recovery.repeated(found.trace) == 0
    _equal(found, ends_only=True)


def test_a_parameter_server_that_is_started_again_is_filled_as_in_tf1(
    tmp_path: pathlib.Path,
) -> None:
    """The loops go on in their processes, from the values of the last checkpoint."""
    ledger.rests_on(ledger.COMPILER / "support", ledger.ROOT / "reference")
    found = recovery.ps_restarted(tmp_path)
    assert found.recovered < SOON
    assert recovery.repeated(found.trace) == 0
    # After step 61 was saved three were done.
    assert found.lost == 3
    recorded = json.loads(restarts.NUMBERS.read_text())["trace"]
    expected = {key: np.asarray(value) for key, value in recorded.items()}
    assert set(expected) == {f"{w}/{key}" for w in (0, 1) for key in ("loss", "batch")}
    for key, values in expected.items():
        np.testing.assert_allclose(found.trace[key], values, rtol=0, atol=1e-14)
    # The control: an undisturbed training has other losses from there on.
    undisturbed = recovery.undisturbed()["0/loss"][32:60]
    assert (abs(undisturbed - expected["0/loss"][32:60]) > 1e-6).all()


def test_the_trace_of_tf1_is_of_these_sources() -> None:
    assert json.loads(restarts.NUMBERS.read_text())["sources"] == restarts.sources()


def test_the_page_shows_the_restarts_that_were_measured() -> None:
    page = (pathlib.Path(__file__).parents[2] / "docs" / "clusters.md").read_text()
    assert "\n".join(restarts.rows()) in page
    after = json.loads(restarts.NUMBERS.read_text())["after"]
    assert list(after) == list(restarts.ACCIDENTS)


def test_a_chief_that_is_asked_to_stop_saves_and_ends_who_serves_it(
    tmp_path: pathlib.Path,
) -> None:
    ledger.rests_on(ledger.COMPILER / "support", ledger.ROOT / "reference")
    done, saved, codes = recovery.chief_stopped(tmp_path)
    assert saved == done
    assert codes == {("worker", 0): -15, ("worker", 1): 143}


def test_without_workers_the_chief_waits_only_so_long(tmp_path: pathlib.Path) -> None:
    # All of the compiler: the program is migrated after this line.
    ledger.rests_on(ledger.COMPILER, ledger.ROOT / "reference")
    found = recovery.workers_gone(tmp_path, wait_secs=5)
    assert "No answer from any worker" in found.said
    # Telling the workers that are gone of the end takes 30 s more.
    assert 5 < found.detected < 5 + 30 + SOON


def test_numbers_of_the_page_are_of_these_accidents() -> None:
    numbers = json.loads(recovery.NUMBERS.read_text())
    assert list(numbers) == list(recovery.ACCIDENTS)
    assert (
        numbers["the parameter server is killed, and again after the job's restart"][
            "steps lost"
        ]
        > 0
    )
    assert numbers["a worker is killed"]["steps lost"] == 0

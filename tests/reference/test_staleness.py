"""Shows stale gradients and their cost, under TensorFlow 1.15.5 and migrated.

That both compute the same is the scenario's own test. These tests are about the values.
"""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from reference import oracle
from reference.runner import Trace
from reference.staleness.spec import SCENARIO

VOICES = ("TensorFlow 1.15.5", "migrated")

# Sums of two gradients are rounded otherwise than two additions, at every one of 100
# updates: measured 1e-15 on weights below 1.
ROUNDED = 1e-13


def _trace(voice: str, run: str, work: pathlib.Path) -> Trace:
    recording = oracle.recorded(SCENARIO, SCENARIO.run(run))
    if voice == VOICES[0]:
        return recording.trace
    found = oracle.migrated(SCENARIO, SCENARIO.run(run), work / run, {})
    return oracle.sampled(found, recording.trace)


def _end(trace: Trace) -> float:
    """The mean loss of both workers' last 20 batches."""
    return float(np.mean([trace["0/loss"][-20:], trace["1/loss"][-20:]]))


@pytest.mark.parametrize("voice", VOICES)
def test_both_workers_read_before_either_writes(
    voice: str, tmp_path: pathlib.Path
) -> None:
    trace = _trace(voice, "stale_float64", tmp_path)
    np.testing.assert_array_equal(trace["0/w1"], trace["1/w1"])
    np.testing.assert_array_equal(trace["0/w2"], trace["1/w2"])
    # And each round's writes are there in the next one's reads.
    assert (np.abs(np.diff(trace["0/w2"], axis=0)).max(axis=(1, 2)) > 0).all()


@pytest.mark.parametrize("voice", VOICES)
def test_without_momentum_two_stale_updates_are_one_of_twice_the_average(
    voice: str, tmp_path: pathlib.Path
) -> None:
    """w - r g1 - r g2 = w - 2r (g1 + g2) / 2: there staleness costs nothing."""
    stale = _trace(voice, "stale_plain", tmp_path)
    twice = _trace(voice, "synchronous_twice", tmp_path)
    assert stale.keys() == twice.keys()
    for name in stale:
        np.testing.assert_allclose(
            stale[name], twice[name], rtol=0, atol=ROUNDED, err_msg=name
        )
    # The control: at the same rate, not twice, they are far apart.
    other = _trace(voice, "synchronous_float64", tmp_path)
    assert np.abs(stale["0/w2"] - other["0/w2"]).max() > 1e-3


@pytest.mark.parametrize("voice", VOICES)
def test_with_momentum_staleness_costs(voice: str, tmp_path: pathlib.Path) -> None:
    """Measured: 200 gradients end at a loss 80 times that of the averaged ones."""
    stale = _trace(voice, "stale_float64", tmp_path)
    synchronous = _trace(voice, "synchronous_float64", tmp_path)
    # They begin alike: the same weights, the same batches.
    assert stale["0/loss"][0] == synchronous["0/loss"][0]
    assert np.isfinite(stale["0/loss"]).all()
    assert _end(stale) > 10 * _end(synchronous)

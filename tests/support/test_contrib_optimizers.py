"""The emitted optimizers' updates are those of tf.contrib.opt in TensorFlow 1.15.5."""

from __future__ import annotations

import pathlib
import sys

import numpy as np
import pytest

from migrate.support import contrib_hparams
from reference import processes
from reference.environment import find_tf1
from tests.support import tf1_contrib_optimizers as tf1

pytest.importorskip("tensorflow")
ROOT = pathlib.Path(__file__).parents[2]
RECORDED = pathlib.Path(__file__).with_name("contrib_optimizers.npz")
EMITTED = pathlib.Path(contrib_hparams.__file__).with_name("contrib_optimizers.py")
# Measured after 100 updates of values of about 1: 0 in float64, and 2.4e-7, two units in
# the last place, in float32, where the order of a product's factors differs.
TOLERANCE = {"float32": 5e-7, "float64": 0.0}


def _updates(directory: pathlib.Path, *keys: str) -> dict[str, dict[str, np.ndarray]]:
    """All runs by key, by the contrib_optimizers in a directory."""
    out = directory / "updates.npz"
    environment = {"TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment["PYTHONPATH"] = f"{directory}:{ROOT}"
    program = pathlib.Path(__file__).with_name("tf2_contrib_optimizers.py")
    processes.run_program(
        [sys.executable, program, "default", out, *keys],
        environment=environment,
        timeout=400,
    )
    runs: dict[str, dict[str, np.ndarray]] = tf1.load(out)[0]
    return runs


def _differing(found: dict[str, dict[str, np.ndarray]]) -> list[str]:
    """Runs and variables that are not TF1's."""
    recorded = tf1.load(RECORDED)[0]
    wrong = []
    for key, values in found.items():
        tolerance = TOLERANCE[key.rpartition("/")[2]]
        names = set(values) ^ set(recorded[key])
        wrong += [f"{key}: {name} is in one only" for name in sorted(names)]
        for name in set(values) & set(recorded[key]):
            one, two = values[name], recorded[key][name]
            same = one.dtype == two.dtype and one.shape == two.shape
            if not same or np.abs(one - two).max() > tolerance:
                wrong.append(f"{key}: {name}")
    return wrong


def test_updates_and_slots_are_those_of_tf1(tmp_path: pathlib.Path) -> None:
    (tmp_path / EMITTED.name).write_text(EMITTED.read_text())
    found = _updates(tmp_path)
    assert set(found) == {key for key, _, _ in tf1.each()}
    assert _differing(found) == []


# What each run must tell from the right one.
FAULTS = {
    "adamax/float64": ("- of.beta1_power) * (m_rows", "- of.beta1) * (m_rows"),
    "lazy_adam/float64": (
        "+ (1 - of.beta2) * tf.square",
        "+ (1 - of.beta1) * tf.square",
    ),
    "lars/float64": ("momentum=0.9", "momentum=0.89"),
}


def test_a_wrong_update_is_seen(tmp_path: pathlib.Path) -> None:
    text = EMITTED.read_text()
    for right, wrong in FAULTS.values():
        assert right in text
        text = text.replace(right, wrong)
    (tmp_path / EMITTED.name).write_text(text)
    wrong_runs = {
        line.partition(":")[0] for line in _differing(_updates(tmp_path, *FAULTS))
    }
    assert wrong_runs == set(FAULTS)


def test_the_recording_is_of_these_cases() -> None:
    assert tf1.load(RECORDED)[1]["source"] == tf1.digest()


@pytest.mark.skipif(find_tf1() is None, reason="no interpreter with TensorFlow 1.15.5")
def test_tf1_still_gives_the_recorded_updates(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "updates.npz"
    command = [str(find_tf1()), "-W", "ignore", tf1.__file__, out]
    processes.run_program(command, timeout=400)
    now = tf1.load(out)[0]
    assert set(now) == set(tf1.load(RECORDED)[0])
    assert _differing(now) == []  # Its own kernels round otherwise on other processors.

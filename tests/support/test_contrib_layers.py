"""The emitted functions of contrib.layers and slim compute what TensorFlow 1.15.5 computed."""

from __future__ import annotations

import pathlib
import sys

import numpy as np
import pytest

from migrate import emitted
from reference import processes
from reference.environment import find_tf1
from tests.support import slim_layers

pytest.importorskip("tensorflow")
ROOT = pathlib.Path(__file__).parents[2]
RECORDED = pathlib.Path(__file__).with_name("slim_layers.npz")
MODULES = (
    "contrib_framework.py",
    *emitted.list_files("contrib_layers"),
    "contrib_training.py",
)
# Measured: 6e-7 of a value's size, where a sum over a batch is one of other parts.
TOLERANCE = 2e-6


def _computed(directory: pathlib.Path) -> dict[str, np.ndarray]:
    out = directory / "found.npz"
    environment = {"TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [sys.executable, slim_layers.__file__, out, directory]
    environment["PYTHONPATH"] = str(ROOT)
    processes.run_program(command, environment=environment, timeout=400)
    return dict(np.load(out))


def _differing(found: dict[str, np.ndarray], names: set[str]) -> set[str]:
    """Cases of which something is not TF1's."""
    recorded = dict(np.load(RECORDED))
    wrong = {key.partition("/")[0] for key in set(found) ^ set(recorded)}
    for key, value in recorded.items():
        other = found.get(key)
        if key in ("digest", "version") or other is None:
            continue
        if value.dtype != other.dtype or value.shape != other.shape:
            wrong.add(key.partition("/")[0])
        elif value.dtype.kind == "U" or not value.size:
            if (value != other).any():
                wrong.add(key.partition("/")[0])
        elif np.abs(value - other).max() > TOLERANCE * max(1.0, np.abs(value).max()):
            wrong.add(key.partition("/")[0])
    assert wrong <= names
    return wrong


def _cases() -> set[str]:
    return {key.partition("/")[0] for key in np.load(RECORDED)} - {"digest", "version"}


def test_values_variables_and_collections_are_those_of_tf1(
    tmp_path: pathlib.Path,
) -> None:
    emitted.write(MODULES, tmp_path)
    assert _differing(_computed(tmp_path), _cases()) == set()


# Module, right, wrong, and the cases that must tell them apart.
FAULTS = (
    (
        "contrib_framework.py",
        "scope[key] = {**scope.get(key, {}), **kwargs}",
        "scope[key] = kwargs",
        {"scoped"},
    ),
    (
        "contrib_layers/normalisation.py",
        "rate = 1.0 - decay",
        "rate = 1.001 - decay",
        {"normalised", "at_once", "channels_first"},
    ),
    (
        "contrib_layers/penalties.py",
        "math.sqrt(1.3 *",
        "math.sqrt(1.2925 *",
        {"initial"},
    ),
    (
        "contrib_training.py",
        "tf.clip_by_norm(x, max_norm)",
        "tf.clip_by_norm(x, 2 * max_norm)",
        {"shared"},
    ),
    (
        "contrib_layers/convolutions.py",
        '"SeparableConv2d", [inputs]',
        '"SeparableConv2D", [inputs]',
        {"others"},
    ),
)


def test_wrong_functions_are_seen(tmp_path: pathlib.Path) -> None:
    emitted.write(MODULES, tmp_path)
    texts = {name: emitted.read_source(name).decode() for name in MODULES}
    expected: set[str] = set()
    for name, right, wrong, seen in FAULTS:
        assert right in texts[name], right
        texts[name] = texts[name].replace(right, wrong)
        expected |= seen
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    assert _differing(_computed(tmp_path), _cases()) >= expected


def test_the_recording_is_of_these_cases() -> None:
    recorded = np.load(RECORDED)
    assert str(recorded["digest"]) == slim_layers.digest()
    assert str(recorded["version"]) == "1.15.5"


@pytest.mark.skipif(find_tf1() is None, reason="no interpreter with TensorFlow 1.15.5")
def test_tf1_still_gives_the_recorded_values(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "found.npz"
    command = [str(find_tf1()), "-W", "ignore", slim_layers.__file__, out]
    processes.run_program(command, timeout=400)
    assert _differing(dict(np.load(out)), _cases()) == set()

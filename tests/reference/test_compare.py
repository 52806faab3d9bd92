"""The comparison sees what it must see, and names it."""

from __future__ import annotations

import numpy as np
import pytest

from reference.compare import Trace, first_divergence, ulps, worst


def _trace() -> dict[str, np.ndarray]:
    return {
        "loss/0": np.linspace(2, 1, 10, dtype=np.float32),
        "final/w": np.ones((1, 4), np.float32),
    }


def test_equal_traces_agree() -> None:
    assert first_divergence(_trace(), _trace()) is None
    assert worst(_trace(), _trace()) == 0


def _without(trace: dict[str, np.ndarray]) -> None:
    del trace["final/w"]


def _extra(trace: dict[str, np.ndarray]) -> None:
    trace["loss/1"] = trace["loss/0"]


def _wider(trace: dict[str, np.ndarray]) -> None:
    trace["loss/0"] = trace["loss/0"].astype(np.float64)


def _shorter(trace: dict[str, np.ndarray]) -> None:
    trace["loss/0"] = trace["loss/0"][:-1]


def _one_ulp(trace: dict[str, np.ndarray]) -> None:
    trace["loss/0"][7] = np.nextafter(trace["loss/0"][7], np.float32(3))


def _nan(trace: dict[str, np.ndarray]) -> None:
    trace["loss/0"][3] = np.nan


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_without, "final/w: keys differ: missing ['final/w'], extra []"),
        (_extra, "loss/1: keys differ: missing [], extra ['loss/1']"),
        (_wider, "loss/0: dtype float64, expected float32"),
        (_shorter, "loss/0: shape (9,), expected (10,)"),
        (_one_ulp, "loss/0: step 7:"),
        (_nan, "loss/0: step 3: np.float32(nan)"),
    ],
)
def test_a_difference_is_named(change: object, message: str) -> None:
    found = _trace()
    assert callable(change)
    change(found)
    divergence = first_divergence(_trace(), found)
    assert str(divergence).startswith(message)


def test_one_ulp_is_counted() -> None:
    found = _trace()
    _one_ulp(found)
    assert "1 ULPs" in str(first_divergence(_trace(), found))
    assert first_divergence(_trace(), found, 1e-6) is None


def test_nan_equals_nothing() -> None:
    trace: Trace = {"loss/0": np.array([np.nan], np.float32)}
    assert first_divergence(trace, trace, 1e9) is not None


def test_an_empty_trace_proves_nothing() -> None:
    trace: Trace = {"loss/0": np.zeros(0, np.float32)}
    assert "proves nothing" in str(first_divergence(trace, trace))


def test_the_earliest_step_is_named_whatever_the_name() -> None:
    old = {"a": np.zeros(9, np.float32), "b": np.zeros(9, np.float32)}
    new = {name: values.copy() for name, values in old.items()}
    new["a"][6] = new["b"][2] = 1
    assert str(first_divergence(old, new)).startswith("b: step 2")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ulps_count_across_zero(dtype: type) -> None:
    tiny = np.nextafter(dtype(0), dtype(1))
    assert ulps(
        np.array([-tiny, dtype(0), dtype(1)]), np.array([tiny, -dtype(0), dtype(1)])
    ).tolist() == [2, 0, 0]

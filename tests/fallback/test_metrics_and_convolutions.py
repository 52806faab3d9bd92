"""Correlations, means and convolving cells of contrib compute in graph mode what they did.

The program takes them of modules that its own functions return.
`homes/metrics_and_convolutions.py` writes a line for each result, and its `.txt` is what
it wrote under TensorFlow 1.15.5.
"""

from __future__ import annotations

import pathlib

import pytest

from tests.fallback.recorded_lines import Fault, Lines, Recorded

# Float32 values of order 1: a few ULPs, which two updates carry on. The faults below move
# them by 1e-3 and more.
RECORDED = Recorded("metrics_and_convolutions", 2e-5, frozenset({"T115"}))
_METRICS, _CELLS, _FUNCTIONS = (
    "graph_metrics.py",
    "graph_cells.py",
    "graph_functions.py",
)
_WEIGHTED = ("pearson_weighted", "pearson_wide", "covariance_weighted")
# What is wrong in a file, and the lines of the program that depend on it. Faults of one
# run change different lines.
FAULTS: tuple[tuple[tuple[Fault, tuple[str, ...]], ...], ...] = (
    (
        ((_METRICS, "residuals *= weights", "residuals *= 1"), _WEIGHTED),
        (
            (_METRICS, "self.denom.assign_add(tf.reduce_sum(weights))", "pass"),
            ("mean", "mean_anew"),
        ),
        (
            (_CELLS, "tf.sigmoid(kept + self._forget_bias) * before", "before"),
            ("one", "two", "three", "loss"),
        ),
        ((_FUNCTIONS, "reverse=reverse", "reverse=False"), ("third",)),
    ),
    (
        (
            (_METRICS, "tf.sqrt(add_first) * tf.sqrt(add_second)", "add_first"),
            ("pearson", "pearson_weighted", "pearson_wide"),
        ),
        (
            (
                _METRICS,
                "tf.truediv(comoment, count - 1)",
                "tf.truediv(comoment, count)",
            ),
            ("covariance", "covariance_weighted"),
        ),
        (
            (_METRICS, "GLOBAL_VARIABLES if use_global_variables", "UPDATE_OPS if 1"),
            ("mean_global",),
        ),
        ((_CELLS, "concat([output, inputs]", "concat([inputs, output]"), ("skips",)),
        ((_CELLS, '"biases", [size]', '"bias", [size]'), ("variables",)),
        ((_FUNCTIONS, ".get_name_scope()", ".get_name_scope()[:5]"), ("scope",)),
    ),
    (
        (
            (
                _METRICS,
                "v1.assign_add(mean, delta) - delta",
                "v1.assign_add(mean, delta)",
            ),
            ("covariance", "pearson"),
        ),
        ((_METRICS, "name + scope.name[", "scope.name + scope.name["), ("mean_name",)),
        ((_METRICS, "tf.cast(tf.size(values), self.dtype)", "1.0"), ("mean",)),
        ((_CELLS, "tf.sigmoid(entered) * tf.tanh(candidates)", "entered"), ("two",)),
        (
            (
                "program.py",
                "nth_element=graph_functions.nth_element",
                "nth_element=lambda x, n, **_: tf.reduce_max(x, -1, name='third')",
            ),
            ("third",),
        ),
    ),
)
# What the first run's faults do not change.
OTHERS = (
    "pearson",
    "covariance",
    "mean_name",
    "variables",
    "scope",
    "third_name",
    "flat",
)


def test_tensorflow_1_15_5_writes_what_is_recorded(
    tf1: str, tmp_path: pathlib.Path
) -> None:
    RECORDED.assert_equal(RECORDED.run_as_it_is(tf1, tmp_path))


def test_graph_mode_computes_the_same(tmp_path: pathlib.Path) -> None:
    """Values, gradients, names of variables, and what collections have."""
    RECORDED.assert_equal(RECORDED.run_in_graph_mode(tmp_path))


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> list[Lines]:
    return [
        RECORDED.run_in_graph_mode(
            tmp_path_factory.mktemp("faulty"), *(fault for fault, _ in faults)
        )
        for faults in FAULTS
    ]


@pytest.mark.parametrize(
    ("run", "name"),
    [(i, n) for i, faults in enumerate(FAULTS) for _, names in faults for n in names],
)
def test_a_planted_fault_is_seen(faulty: list[Lines], run: int, name: str) -> None:
    assert not RECORDED.is_as_recorded(faulty[run], name)


@pytest.mark.parametrize("name", OTHERS)
def test_the_faulty_run_is_right_elsewhere(faulty: list[Lines], name: str) -> None:
    assert RECORDED.is_as_recorded(faulty[0], name)

"""Projections of images by tf.contrib.image compute in graph mode what they did.

`homes/images.py` writes a line for each result; `homes/images.txt` is what it wrote under
TensorFlow 1.15.5.
"""

from __future__ import annotations

import pathlib

import pytest

from migrate.fallback.homes import find_home
from migrate.fallback.module import Part, bring_to_compat
from migrate.options import Options
from migrate.tables import symbols
from migrate.tables.graph_mode import HOMES
from tests.fallback.recorded_lines import Fault, Lines, Recorded

# Float32 values of order 10: a few ULPs. The faults below move them by 1e-3 and more.
RECORDED = Recorded("images", 2e-5)
_FILE = "contrib_images.py"
# Lines of the program -> what is wrong in the file. Each run has one fault: all is made
# of `transform`, so a line may depend on several.
FAULTS: dict[str, tuple[Fault, tuple[str, ...]]] = {
    "kind": (
        (_FILE, "interpolation=interpolation.upper()", 'interpolation="NEAREST"'),
        (
            "bilinear_2",
            "bilinear_each",
            "half_bilinear",
            "translated",
            "loss",
            "picture",
        ),
    ),
    "batch": (
        (_FILE, "return batch[0, :, :, 0]", "return batch[0, ::-1, :, 0]"),
        ("nearest_2", "nearest_larger", "nearest_uint8", "rotated", "loss"),
    ),
    "size": (
        (_FILE, "if output_shape is None:", "if True:"),
        ("nearest_larger", "bilinear_larger", "bilinear_larger_shape"),
    ),
    "angle": (
        (
            _FILE,
            "(right - (cos * right - sin * down))",
            "(right - (cos * right + sin * down))",
        ),
        ("rotated", "rotated_each", "angles", "loss", "wide"),
    ),
    "move": (
        (_FILE, "-moves[:, 0, None], -moves", "moves[:, 0, None], -moves"),
        ("translated", "translated_each", "moves"),
    ),
    "order": (
        (
            _FILE,
            "tf.matmul(composed, flat_transforms_to_matrices(other))",
            "tf.matmul(flat_transforms_to_matrices(other), composed)",
        ),
        ("composed",),
    ),
    "last": ((_FILE, "rows / rows[:, 8:9]", "rows / 1"), ("flat", "composed")),
}
_OTHERS = {
    "kind": "nearest_3",
    "angle": "bilinear_2",
    "move": "rotated",
    "last": "half_nearest",
}


def test_tensorflow_1_15_5_writes_what_is_recorded(
    tf1: str, tmp_path: pathlib.Path
) -> None:
    RECORDED.assert_equal(RECORDED.run_as_it_is(tf1, tmp_path))


def test_graph_mode_computes_the_same(tmp_path: pathlib.Path) -> None:
    """Both interpolations, all types and ranks, gradients and errors."""
    RECORDED.assert_equal(RECORDED.run_in_graph_mode(tmp_path))


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_seen(tmp_path: pathlib.Path, name: str) -> None:
    fault, lines = FAULTS[name]
    found: Lines = RECORDED.run_in_graph_mode(tmp_path, fault)
    assert not [line for line in lines if RECORDED.is_as_recorded(found, line)]
    other = _OTHERS.get(name)
    assert other is None or RECORDED.is_as_recorded(found, other)


@pytest.mark.parametrize(
    "symbol", [s for s, home in HOMES.items() if home.startswith("contrib_images.")]
)
def test_homes_have_the_names_of_contrib(symbol: str) -> None:
    row = symbols.look_up(symbol)
    assert row is not None and symbol.startswith("tf.contrib.image.")
    assert find_home(symbol) == f"contrib_images.{symbol.rpartition('.')[2]}"


@pytest.mark.parametrize("name", ("dense_image_warp", "connected_components"))
def test_others_of_contrib_image_are_refused(name: str) -> None:
    text = f"import tensorflow as tf\nx = tf.contrib.image.{name}(y)\n"
    found = bring_to_compat(text, Options(), "/nowhere/x.py", Part())
    assert [(f.line, f.code) for f in found.findings] == [(2, "T151")]

"""Each row of the table is called in TensorFlow itself, and gives one tensor."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from migrate.tables import one_tensor

tf = pytest.importorskip("tensorflow")

MATRIX = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
PLACES = np.array([0, 1], np.int32)
TRUTHS = np.array([True, False])
LINE = np.ones([1, 4, 2], np.float32)
IMAGE = np.ones([1, 4, 4, 2], np.float32)
KERNEL = np.ones([2, 2, 2, 2], np.float32)
PICTURE = np.ones([4, 4, 3], np.float32)
BYTES = np.ones([4, 4, 3], np.uint8)
# Whatever of these a function takes, it must give one tensor for.
GIVEN: list[tuple[Any, ...]] = [
    *((MATRIX,), (MATRIX, MATRIX), (MATRIX, 0), (MATRIX, PLACES), (PLACES, PLACES)),
    *((PLACES,), (TRUTHS,), (TRUTHS, TRUTHS), (["1", "2"],), (MATRIX, 1, 1.0)),
    *((MATRIX, 0.0, 1.0), ([MATRIX, MATRIX],), ([MATRIX, MATRIX], 0), (PLACES, 3)),
    *(([2],), ([2, 2],), (1.0, 4.0, 3), (2,), (MATRIX, [4]), (MATRIX, [2, 1, 1])),
    *((MATRIX, [[0, 0], [1, 1]]), ([["a"], ["b"]],), (MATRIX, [2, 2, 2])),
]
OWN: dict[str, tuple[Any, ...]] = {
    "tf.batch_to_space": (np.ones([4, 1, 1, 1]), [[0, 0], [0, 0]], 2),
    **{
        f"tf.image.{name}": (PICTURE, *more)
        for name, more in (
            *(("central_crop", (0.5,)), ("crop_to_bounding_box", (0, 0, 2, 2))),
            *(("flip_left_right", ()), ("flip_up_down", ()), ("hsv_to_rgb", ())),
            *(("pad_to_bounding_box", (1, 1, 8, 8)), ("per_image_standardization", ())),
            *(("random_contrast", (0.5, 1.5)), ("random_flip_left_right", ())),
            *(
                ("random_flip_up_down", ()),
                ("random_hue", (0.1,)),
                ("resize", ([2, 2],)),
            ),
            *(("random_saturation", (0.5, 1.5)), ("resize_images", ([2, 2],))),
            *(("resize_image_with_crop_or_pad", (2, 2)), ("rgb_to_grayscale", ())),
            *(("resize_with_crop_or_pad", (2, 2)), ("rgb_to_hsv", ()), ("rot90", ())),
            *(("transpose", ()), ("adjust_contrast", (0.5,)), ("adjust_hue", (0.1,))),
            *(("adjust_brightness", (0.1,)), ("adjust_saturation", (0.5,))),
            *(("convert_image_dtype", (tf.uint8,)), ("random_brightness", (0.1,))),
        )
    },
    **{
        f"tf.{module}.{name}": given
        for module in ("image", "io")
        for name, given in (
            *(("decode_image", ("",)), ("decode_jpeg", ("",)), ("decode_png", ("",))),
            *(("encode_jpeg", (BYTES,)), ("encode_png", (BYTES,))),
        )
    },
    "tf.image.resize_bilinear": (IMAGE, [2, 2]),
    "tf.image.resize_nearest_neighbor": (IMAGE, [2, 2]),
    "tf.io.decode_raw": ("", tf.uint8),
    "tf.io.read_file": ("name",),
    "tf.random_crop": (PICTURE, [2, 2, 3]),
    "tf.einsum": ("ij,jk->ik", MATRIX, MATRIX),
    "tf.losses.cosine_distance": (MATRIX, MATRIX, 1),
    "tf.losses.sparse_softmax_cross_entropy": (PLACES, MATRIX),
    "tf.nn.avg_pool": (IMAGE, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
    "tf.nn.avg_pool2d": (IMAGE, 2, 2, "SAME"),
    "tf.nn.conv1d": (LINE, KERNEL[0], 1, "SAME"),
    "tf.nn.conv2d": (IMAGE, KERNEL, [1, 1, 1, 1], "SAME"),
    "tf.nn.conv2d_transpose": (IMAGE, KERNEL, [1, 4, 4, 2], [1, 1, 1, 1]),
    "tf.nn.depthwise_conv2d": (IMAGE, KERNEL, [1, 1, 1, 1], "SAME"),
    "tf.nn.in_top_k": (MATRIX, PLACES, 1),
    "tf.math.unsorted_segment_sum": (MATRIX, PLACES, 2),
    "tf.nn.local_response_normalization": (IMAGE,),
    "tf.nn.lrn": (IMAGE,),
    "tf.nn.max_pool": (IMAGE, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
    "tf.nn.max_pool2d": (IMAGE, 2, 2, "SAME"),
    "tf.nn.relu_layer": (MATRIX, MATRIX, MATRIX[0]),
    "tf.nn.weighted_cross_entropy_with_logits": (MATRIX, MATRIX, 2.0),
    "tf.nn.xw_plus_b": (MATRIX, MATRIX, MATRIX[0]),
    "tf.roll": (MATRIX, 1, 0),
    "tf.scatter_nd": ([[0], [1]], [1.0, 2.0], [4]),
    "tf.slice": (MATRIX, [0, 0], [1, 1]),
    "tf.space_to_batch": (IMAGE, [[0, 0], [0, 0]], 2),
    "tf.space_to_depth": (IMAGE, 2),
    "tf.tensordot": (MATRIX, MATRIX, 1),
    "tf.unsorted_segment_sum": (MATRIX, PLACES, 2),
}


def _results(symbol: str) -> list[Any]:
    """Returns a function's results in a graph, for all arguments that it accepts."""
    path = symbol.split(".")[1:]
    function = functools.reduce(getattr, path, tf.compat.v1)
    found = []
    for arguments in [OWN[symbol]] if symbol in OWN else GIVEN:
        with tf.Graph().as_default():
            if symbol == "tf.losses.get_total_loss":
                tf.compat.v1.losses.add_loss(tf.constant(1.0))
                arguments = ()
            try:
                if "cross_entropy_with_logits" in symbol and symbol not in OWN:
                    labels = PLACES if "sparse" in symbol else MATRIX
                    found.append(function(labels=labels, logits=MATRIX))
                else:
                    found.append(function(*arguments))
            except Exception:  # Whatever says that it does not take these.
                continue
    return found


@pytest.mark.parametrize("symbol", sorted(one_tensor.SYMBOLS))
def test_a_function_gives_one_tensor(symbol: str) -> None:
    results = _results(symbol)
    assert results
    assert all(isinstance(r, tf.Tensor) for r in results)


SEVERAL: dict[str, tuple[Any, ...]] = {
    "tf.meshgrid": (PLACES, PLACES),
    "tf.nn.moments": (MATRIX, [0]),
    "tf.nn.top_k": (MATRIX,),
    "tf.split": (MATRIX, 2),
    "tf.unique": (PLACES,),
    "tf.unstack": (MATRIX,),
}


@pytest.mark.parametrize("symbol", sorted(one_tensor.SEVERAL))
def test_a_function_gives_tensors(symbol: str) -> None:
    function = functools.reduce(getattr, symbol.split(".")[1:], tf.compat.v1)
    with tf.Graph().as_default():
        results = function(*SEVERAL[symbol])
    assert isinstance(results, (tuple, list))
    assert all(isinstance(r, tf.Tensor) for r in results)


@pytest.mark.parametrize("symbol", ["tf.unique", "tf.Variable", "tf.nn.moments"])
def test_others_are_told_apart(symbol: str) -> None:
    """A control: what gives a tuple or a variable would not pass."""
    assert symbol not in one_tensor.SYMBOLS
    function = functools.reduce(getattr, symbol.split(".")[1:], tf.compat.v1)
    arguments = (MATRIX, [0]) if symbol == "tf.nn.moments" else (PLACES,)
    with tf.Graph().as_default():
        assert not isinstance(function(*arguments), tf.Tensor)


@pytest.mark.parametrize("layer", sorted(one_tensor.LAYERS))
def test_a_layer_gives_one_tensor(layer: str) -> None:
    keras = pytest.importorskip("tf_keras")
    made = getattr(keras.layers, layer)
    sized = {"Conv1D": (2, 2), "Dense": (2,), "Dropout": (0.5,), "Embedding": (2, 2)}
    arguments = sized.get(layer, (2, 2) if "Conv" in layer else ())
    given = {"Conv1D": LINE, "Embedding": PLACES}.get(layer, IMAGE)
    with tf.Graph().as_default():
        assert isinstance(made(*arguments)(given), tf.Tensor)

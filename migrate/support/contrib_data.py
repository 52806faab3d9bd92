"""Functions of tf.contrib.data that tf.data has under other forms.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later. Each gives a function for `dataset.apply`.
"""

import tensorflow as tf


def batch_and_drop_remainder(batch_size):
    """Batches of exactly this size."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size, padded_shapes, padding_values=None):
    """Batches of exactly this size, of elements padded to common shapes."""
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes, padding_values, drop_remainder=True
    )


def sloppy_interleave(map_func, cycle_length, block_length=1):
    """Elements of several datasets as they come, in no certain order."""
    return tf.data.experimental.parallel_interleave(
        map_func, cycle_length, block_length, sloppy=True
    )


def assert_element_shape(expected_shapes):
    """Elements whose shapes are checked."""

    def checked(dataset):
        def check(*elements):
            element = elements if len(elements) > 1 else elements[0]
            return tf.nest.map_structure(tf.ensure_shape, element, expected_shapes)

        return dataset.map(check)

    return checked


def sliding_window_batch(window_size, stride=None, window_shift=None, window_stride=1):
    """Windows of so many elements, each begun `window_shift` after the last one.

    Raises:
      ValueError: both `window_shift` and its older name `stride` are given.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Cannot specify both `stride` and `window_shift`")
    shift = window_shift if stride is None else stride

    def batched(window):
        parts = window if isinstance(window, tuple) else (window,)
        batches = tuple(part.batch(window_size, drop_remainder=True) for part in parts)
        return tf.data.Dataset.zip(batches) if isinstance(window, tuple) else batches[0]

    def windows(dataset):
        cut = dataset.window(
            window_size, shift or 1, window_stride, drop_remainder=True
        )
        return cut.flat_map(
            lambda *window: batched(window[0] if len(window) == 1 else window)
        )

    return windows
